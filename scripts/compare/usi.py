"""Checks of a USI engine from outside that take too long for the test suite.

  python usi.py analysis ENGINE [--seconds 50]    lines of `go infinite`: count, longest gap, first line, repeats
  python usi.py pipes ENGINE [--times 200] [--seed 1]    scripts in a pipe, ended by the end of input or `quit`
"""
import argparse
import random
import re
import subprocess
import sys
import threading
import time

MATSURI = "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"
MATE = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


class Engine:
    """A running engine; every line of its output with the time at which it came."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append((time.perf_counter(), line.rstrip()))
                self.changed.notify_all()

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, word):
        with self.changed:
            self.changed.wait_for(lambda: any(line.startswith(word) for _, line in self.lines), 60)


def key(line):
    """Rank and content of a line of play; `None` for other lines."""
    fields = [re.search(rf" {name} ((?:mate |cp )?\S+(?: lowerbound| upperbound)?)", line) for name in ("depth", "score")]
    rank, pv = re.search(r" multipv (\d+)", line), re.search(r" pv (.*)", line)
    if pv is None or None in fields:
        return None
    return rank and rank[1], (*(field[1] for field in fields), pv[1])


def analyse(path, position, multi_pv, seconds):
    engine = Engine(path)
    for line in ("usi", f"setoption name MultiPV value {multi_pv}", "isready"):
        engine.send(line)
    engine.wait_for("readyok")
    engine.send(f"position {position}")
    time.sleep(0.2)
    with engine.changed:
        engine.lines.clear()
    start = time.perf_counter()
    engine.send("go infinite")
    time.sleep(seconds)
    end = time.perf_counter()
    engine.send("stop")
    engine.wait_for("bestmove")
    engine.send("quit")
    engine.process.wait()
    infos = [(at, line) for at, line in engine.lines if line.startswith("info ") and not line.startswith("info string")]
    times = [start] + [at for at, _ in infos if at < end] + [end]
    last, repeats = {}, 0
    for _, line in infos:
        if (known := key(line)) is not None:
            repeats += last.get(known[0]) == known[1]
            last[known[0]] = known[1]
    nps = [int(found[1]) for _, line in infos if (found := re.search(r" nps (\d+)", line))]
    bounds = sum("bound" in line for _, line in infos)
    print(
        f"{position.split()[0]} MultiPV {multi_pv}: {len(infos)} lines ({bounds} bounds, "
        f"{sum(key(line) is None for _, line in infos)} heartbeats), first after {1000 * (times[1] - start):.1f} ms, "
        f"longest gap {max(b - a for a, b in zip(times, times[1:])):.2f} s, {repeats} repeats, last nps {nps[-1]}"
    )


SCRIPTS = [
    (["usi", "isready", "position startpos", "go byoyomi 1000"], ["usiok", "readyok", "bestmove"]),
    (["isready", "quit"], ["readyok"]),
    (["usi", "isready", "usinewgame", "position startpos", "go nodes 3000"], ["usiok", "readyok", "bestmove"]),
    (["position startpos moves 7g7f", "go infinite"], ["bestmove"]),
    (["usi", "isready", "position startpos", "go infinite", "quit"], ["usiok", "readyok", "bestmove"]),
    (["isready", f"position {MATE}", "go mate infinite"], ["readyok", "checkmate G*5b"]),
    (["position startpos", "perft 3"], ["nodes 25470"]),
    (["isready", "go depth 3", "isready", "side"], ["readyok", "readyok", "bestmove", "black"]),
    (["go ponder btime 1000 wtime 1000"], ["bestmove"]),
]


def pipes(path, times, seed):
    chance = random.Random(seed)
    failures = 0
    slowest = 0
    for number in range(times):
        script, answers = SCRIPTS[number % len(SCRIPTS)]
        end = chance.choice(["\n", ""])
        begin = time.perf_counter()
        try:
            run = subprocess.run([path], input="\n".join(script) + end, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            print(f"{script}: did not end")
            failures += 1
            continue
        slowest = max(slowest, time.perf_counter() - begin)
        lines = run.stdout.splitlines()
        missing = [a for a in set(answers) if sum(line.startswith(a) for line in lines) < answers.count(a)]
        if missing or run.returncode or run.stderr:
            failures += 1
            print(f"{script}: no {missing}, exit {run.returncode}, said {lines[-3:]} {run.stderr}")
    print(f"{times} scripts, {failures} failures, slowest {slowest:.1f} s")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=["analysis", "pipes"])
    parser.add_argument("engine")
    parser.add_argument("--seconds", type=float, default=50)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.check == "pipes":
        sys.exit(pipes(args.engine, args.times, args.seed) > 0)
    for position in ("startpos", MATSURI):
        for multi_pv in (1, 5):
            analyse(args.engine, position, multi_pv, args.seconds)


main()
