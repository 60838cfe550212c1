#!/usr/bin/env python3
"""Plays two `enbu csa` processes against each other through a CSA server of its own.

The server listens on 127.0.0.1, pairs the two players again and again, charges time like
shogi-server (the unit's fractions are free, no grace), ends games by resignation, time,
fourfold repetition and move limit, and can cut connections at moments drawn over the whole
length of the games, the login, the wait and the offer among them. At the end it compares the
records of both sides and has them read strictly by `enbu convert`. A loss on time is printed
with the time that the client's threads waited for a processor during that move (Linux).

  scripts/csa_games.py ENBU --games 20 --unit 100 --total 10 --increment 1
  scripts/csa_games.py ENBU --games 50 --byoyomi 10 --nodes 500 --cuts 200
  scripts/csa_games.py ENBU --games 4 --byoyomi 1 --unit 1000 --white fairy-stockfish --ponder
"""

import argparse, collections, glob, json, os, random, re, select, signal, socket, struct, subprocess, sys, tempfile, time

START = ["P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2 * -HI *  *  *  *  * -KA * ", "P3-FU-FU-FU-FU-FU-FU-FU-FU-FU",
         "P4 *  *  *  *  *  *  *  *  * ", "P5 *  *  *  *  *  *  *  *  * ", "P6 *  *  *  *  *  *  *  *  * ",
         "P7+FU+FU+FU+FU+FU+FU+FU+FU+FU", "P8 * +KA *  *  *  *  * +HI * ", "P9+KY+KE+GI+KI+OU+KI+GI+KE+KY", "+"]
BASE = dict(zip("TO NY NK NG UM RY".split(), "FU KY KE GI KA HI".split()))


class Board:
    """Pieces and hands, enough to recognise repetitions."""

    def __init__(self):
        self.cells = {}
        for rank, row in enumerate(START[:9], 1):
            for index in range(9):
                cell = row[2 + 3 * index:5 + 3 * index]
                if cell != " * ":
                    self.cells[str(9 - index) + str(rank)] = cell
        self.hands = collections.Counter()

    def play(self, move):
        side, origin, target, kind = move[0], move[1:3], move[3:5], move[5:7]
        if origin == "00":
            self.hands[side + kind] -= 1
        else:
            self.cells.pop(origin, None)
        taken = self.cells.pop(target, None)
        if taken:
            self.hands[side + BASE.get(taken[1:], taken[1:])] += 1
        self.cells[target] = side + kind
        return side, tuple(sorted(self.cells.items())), tuple(sorted((k, v) for k, v in self.hands.items() if v))


class Player:
    def __init__(self, connection):
        self.connection, self.buffer, self.name, self.agreed = connection, b"", None, False

    def send(self, *lines):
        try:
            self.connection.sendall("".join(line + "\n" for line in lines).encode())
        except OSError:
            pass

    def lines(self):
        """Lines that have arrived; None at the end of the connection."""
        try:
            data = self.connection.recv(65536)
        except OSError:
            data = b""
        if not data:
            return None
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        return [line.decode() for line in lines]


class Server:
    def __init__(self, options):
        self.options = options
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.waiting, self.players, self.game, self.results = [], {}, None, []
        self.random = random.Random(options.seed)
        self.logins, self.cuts, self.complete, self.pids = collections.Counter(), [], 0, {}
        self.late = []

    def offer(self, black, white):
        o = self.options
        number = len(self.results) + 1
        identity = f"test+games+{black.name}+{white.name}+{number:06}"
        for player, sign in ((black, "+"), (white, "-")):
            player.agreed = False
            player.send("BEGIN Game_Summary", "Protocol_Version:1.2", "Protocol_Mode:Server", "Format:Shogi 1.0",
                        "Declaration:Jishogi 1.1", f"Game_ID:{identity}", f"Name+:{black.name}", f"Name-:{white.name}",
                        f"Your_Turn:{sign}", "Rematch_On_Draw:NO", "To_Move:+", "Max_Moves:256", "BEGIN Time",
                        f"Time_Unit:{o.unit}msec", f"Total_Time:{o.total}", f"Byoyomi:{o.byoyomi}",
                        f"Increment:{o.increment}", "END Time", "BEGIN Position", *START, "END Position",
                        "END Game_Summary")
        self.game = {"id": identity, "players": [black, white], "started": False, "moves": [], "board": Board(),
                     "seen": collections.Counter(), "left": [o.total * o.unit] * 2, "since": None,
                     "cut": self.draw_cut(), "cut_at": None}
        if self.game["cut"] == "offered":
            self.cut(self.random.choice(self.game["players"]), "offered")

    def draw_cut(self):
        """The moment at which the next game is cut: `offered`, `agreed`, a number of moves, or None."""
        if len(self.cuts) >= self.options.cuts or self.random.random() < 0.15:
            return None
        return self.random.choice(["offered", "agreed"]) if self.random.random() < 0.1 else self.random.randrange(0, 130)

    def cut(self, player, moment):
        """Closes the connection of a player, half of the running games by a reset."""
        if isinstance(moment, int) and moment >= 2 and self.random.random() < 0.5:
            player.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.cuts.append(moment)
        self.lost(player)

    def end(self, reason, winner, *before):
        """Ends the game; `winner` is 0, 1 or None."""
        game, self.game = self.game, None
        is_cut = before[:1] == ("cut",)
        for index, player in enumerate(game["players"]):
            result = {None: "#CENSORED" if reason == "#MAX_MOVES" else "#DRAW", index: "#WIN"}.get(winner, "#LOSE")
            player.send(*before[is_cut:], reason, result)
            self.leave(player)
        self.results.append((game["id"], reason, winner, len(game["moves"])))
        self.complete += not is_cut

    def leave(self, player):
        self.players.pop(player.connection, None)
        if player in self.waiting:
            self.waiting.remove(player)
        player.connection.close()

    def lost(self, player):
        game = self.game
        self.leave(player)
        if game and player in game["players"]:
            other = 1 - game["players"].index(player)
            if game["started"]:
                self.end("#RESIGN", other, "cut", "%TORYO")
            else:
                self.game = None
                game["players"][other].send(f"REJECT:{game['id']} by {player.name}")
                self.leave(game["players"][other])

    def line(self, player, line, now):
        game = self.game
        if line.startswith("LOGIN "):
            player.name = line.split(" ")[1]
            for other in [p for p in self.players.values() if p.name == player.name and p is not player]:
                self.lost(other)
            self.logins[player.name] += 1
            if len(self.cuts) < self.options.cuts and self.logins[player.name] > 1 and self.random.random() < 0.02:
                self.cut(player, "login")
                return
            player.send(f"LOGIN:{player.name} OK")
            self.waiting.append(player)
            if len(self.cuts) < self.options.cuts and self.random.random() < 0.02:
                self.cut(player, "waiting")
        elif line == "":
            player.send("")
        elif not game or player not in game["players"]:
            player.send("##[ERROR] unknown")
        elif line.startswith("AGREE"):
            player.agreed = True
            if game["cut"] == "agreed":
                self.cut(player, "agreed")
            elif all(p.agreed for p in game["players"]):
                game["started"], game["since"] = True, time.monotonic()
                for other in game["players"]:
                    other.send(f"START:{game['id']}")
                self.turn(game)
        elif game["started"]:
            self.move(player, line, now)

    def waited(self, player):
        return waits([self.pids.get(player.name), os.getpid()])

    def turn(self, game):
        """Begins a turn: notes the waiting of the side to move so far, and the time of a cut."""
        game["waited"] = self.waited(game["players"][len(game["moves"]) % 2])
        if game["cut"] == len(game["moves"]):
            game["cut_at"] = time.monotonic() + self.random.uniform(0.0, 0.03)

    def move(self, player, line, now):
        game, o = self.game, self.options
        turn = len(game["moves"]) % 2
        if player is not game["players"][turn]:
            self.end("#ILLEGAL_ACTION", turn)
            return
        elapsed = (now - game["since"]) * 1000
        charged = int(elapsed // o.unit) * o.unit
        left = game["left"][turn] + o.increment * o.unit
        if charged >= left + o.byoyomi * o.unit:
            before, limit = game["waited"], left + o.byoyomi * o.unit
            # Threads wait at the same time: the longest wait of one of them is sure.
            waited = max(wait - before.get(thread, 0) for thread, wait in self.waited(player).items())
            self.late.append({"elapsed_ms": round(elapsed), "limit_ms": limit, "waited_ms": round(waited)})
            print(f"time: {game['id']} move {len(game['moves']) + 1}: {elapsed:.0f} ms of {limit}, "
                  f"a thread waited {waited:.0f} ms for a processor, load {os.getloadavg()[0]:.1f}", flush=True)
            self.end("#TIME_UP", 1 - turn)
            return
        if line == "%TORYO":
            self.end("#RESIGN", 1 - turn, "%TORYO")
            return
        if line == "%KACHI":
            self.end("#JISHOGI", turn, "%KACHI")
            return
        move = line.split(",")[0]
        if not re.fullmatch(r"[+-]\d{4}[A-Z]{2}", move) or move[0] != "+-"[turn]:
            self.end("#ILLEGAL_MOVE", 1 - turn)
            return
        game["left"][turn] = max(0, left - charged)
        game["moves"].append(move)
        game["since"] = time.monotonic()
        for other in game["players"]:
            other.send(f"{move},T{charged / 1000:g}")
        key = game["board"].play(move)
        game["seen"][key] += 1
        if game["seen"][key] >= 4:
            self.end("#SENNICHITE", None)
        elif len(game["moves"]) >= 256:
            self.end("#MAX_MOVES", None)
        else:
            self.turn(game)

    def run(self):
        o = self.options
        deadline = time.monotonic() + o.minutes * 60
        while (self.complete < o.games or len(self.cuts) < o.cuts) and time.monotonic() < deadline:
            self.step()
        # Each client logs in again after the last cut or game.
        deadline = time.monotonic() + 30
        while len({p.name for p in self.waiting} | {p.name for p in (self.game or {}).get("players", [])}) < 2 \
                and time.monotonic() < deadline:
            self.step()
        return time.monotonic() < deadline

    def step(self):
        ready, _, _ = select.select([self.listener, *self.players], [], [], 0.005)
        now = time.monotonic()
        for source in ready:
            if source is self.listener:
                connection = self.listener.accept()[0]
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.players[connection] = Player(connection)
            elif source in self.players:
                player = self.players[source]
                lines = player.lines()
                if lines is None:
                    self.lost(player)
                for line in lines or []:
                    self.line(player, line.rstrip("\r"), now)
        if not self.game and len(self.waiting) >= 2:
            pair = sorted(self.waiting[:2], key=lambda p: (p.name, ))
            del self.waiting[:2]
            self.offer(*(pair if len(self.results) % 2 == 0 else pair[::-1]))
        if self.game and self.game["cut_at"] and now >= self.game["cut_at"]:
            self.cut(self.random.choice(self.game["players"]), len(self.game["moves"]))


def waits(pids):
    """Time in ms that each thread of the processes was ready and did not run."""
    found = {}
    for path in (path for pid in pids for path in glob.glob(f"/proc/{pid}/task/*/schedstat")):
        try:
            found[path] = int(open(path).read().split()[1]) / 1e6
        except (OSError, IndexError):
            pass
    return found


def moves_of(path):
    """The moves, times and end of a record, without comments."""
    return [line for line in open(path) if re.match(r"[+-]\d|T\d|%|'summary", line)]


def children(clients):
    """Processes of the clients, and their engines, that still run."""
    found = [client.pid for client in clients if client.poll() is None]
    mark = str(clients[0].args[clients[0].args.index("--port") + 1]).encode()
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            if b"CSA_GAMES=" + mark in open(path, "rb").read():
                found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("enbu")
    for name, default in (("games", 10), ("unit", 1000), ("total", 0), ("byoyomi", 0), ("increment", 0), ("cuts", 0), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--nodes", type=int, default=0, help="node limit of Enbu's searches")
    parser.add_argument("--minutes", type=float, default=600, help="longest time of play")
    parser.add_argument("--white", help="command of the second engine")
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--delay2", type=int, default=120, help="NetworkDelay2 of Enbu in ms")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="csa-games-")
    open(f"{folder}/password", "w").write("not-a-secret\n")
    server = Server(options)
    clients = []
    for name in ("a", "b"):
        engine = ["self", "option.USI_Hash=16", f"option.NetworkDelay2={options.delay2}", "option.Threads=1",
                  f"option.NodesLimit={options.nodes}"]
        if name == "b" and options.white:
            engine = [options.white]
        command = [options.enbu, "csa", "--host", "127.0.0.1", "--port", str(server.port), "--user", name, "--password-file",
                   f"{folder}/password", "--games", "0", "--records", f"{folder}/{name}", "--log", f"{folder}/{name}.jsonl",
                   "--retry", "0.05", "--retry-max", "0.2", *(["--ponder"] if options.ponder else []), "--engine", *engine]
        clients.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=open(f"{folder}/{name}.err", "w"),
                                        env={**os.environ, "CSA_GAMES": str(server.port)}))
        server.pids[name] = clients[-1].pid
    logged_in_again = server.run()
    alive = [client.poll() is None for client in clients]
    for client in clients:
        client.send_signal(signal.SIGTERM)
    codes = [client.wait(20) for client in clients]
    reports = {name: [json.loads(line) for line in open(f"{folder}/{name}.jsonl")] for name in ("a", "b")}
    files = {name: sorted(os.listdir(f"{folder}/{name}")) for name in ("a", "b")}
    left = children(clients)
    ids = {identity + ".csa" for identity, *_ in server.results}
    numbered = [name for names in files.values() for name in names if not name.endswith(".csa")]
    missing = [(name, game) for name in files for game in ids if game not in files[name]]
    differing = []
    for game in sorted(ids & set(files["a"]) & set(files["b"])):
        a, b = (moves_of(f"{folder}/{name}/{game}") for name in ("a", "b"))
        # A side that was cut off knows neither the last move nor the result.
        end = lambda lines: next((i for i, line in enumerate(lines) if line.startswith("%CHUDAN")), None)
        cuts = [end(a), end(b)]
        if cuts == [None, None]:
            differing += [game] if a != b else []
        else:
            shared = min(cut for cut in cuts if cut is not None)
            differing += [game] if a[:shared] != b[:shared] else []
    illegal = []
    for name in files:
        for record in files[name]:
            path = f"{folder}/{name}/{record}"
            read = subprocess.run([options.enbu, "convert", path, "--to", "usi", "--strict"], capture_output=True)
            if read.returncode:
                illegal.append((path, read.stderr.decode()))
    # Of a loss that the machine explains, the time that the process could run is within the limit.
    unexplained = [loss for loss in server.late if loss["elapsed_ms"] - loss["waited_ms"] >= loss["limit_ms"]]
    moments = collections.Counter(f"moves {m // 20 * 20}-{m // 20 * 20 + 19}" if isinstance(m, int) else m for m in server.cuts)
    reasons = collections.Counter(reason for _, reason, *_ in server.results)
    print(json.dumps({
        "games": len(server.results), "reasons": reasons, "moves": sum(moves for *_, moves in server.results),
        "cuts": len(server.cuts), "cut_moments": moments, "complete": server.complete, "logins": server.logins,
        "logged_in_again": logged_in_again, "alive_at_the_end": alive, "exit_codes": codes, "processes_left": left,
        "late": len(server.late), "late_without_stall": unexplained,
        "reports": {name: len(found) for name, found in reports.items()},
        "records": {name: len(found) for name, found in files.items()},
        "missing": missing, "differing": differing, "illegal": illegal, "other_files": numbered,
        "faults": [report["fault"] for found in reports.values() for report in found if report["fault"]],
        "ponder_hits": {name: sum(report["ponder_hits"] for report in found) for name, found in reports.items()},
        "longest_echo_ms": max(report["echo_ms"] for found in reports.values() for report in found),
        "folder": folder}, indent=1))
    faults = missing or differing or illegal or numbered or left or unexplained
    return 1 if faults or not all(alive) or not logged_in_again else 0


if __name__ == "__main__":
    sys.exit(main())
