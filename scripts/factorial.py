#!/usr/bin/env python3
"""Measures many changes of the search at once, by games of a two-level design.

    factorial.py play ENGINE FACTORS.json OUT.jsonl --openings FILE [--nodes 25000]
                 [--hash 8] [--seed 1] [--concurrency 2] [--pairs N]
    factorial.py fit FACTORS.json OUT.jsonl...

ENGINE is a build with the feature `tune`. FACTORS.json names the changes, each with the
options of its two levels, off and on:

    {"wide window": [{"aspiration_window": 25}, {"aspiration_window": 60}], ...}

`play` draws the level of every factor at random for one side of a pair of games; the
other side plays with the complement. So every pair tells of every factor, and the effect
of one rests on all games. The same command goes on where it was interrupted; factors may
be added at the end. `fit` prints the effect of each factor, on against off, in Elo with
95 % bounds, by a linear fit over the pairs; the effects of many factors do not simply
add up, and the largest are overestimated: confirm a set of them by `scripts/depth.sh match`.

`play` needs `pip install cshogi` (the rules), `fit` needs `pip install numpy`.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import threading

# Games end when both sides' scores have agreed on this for so many moves in a row.
DECIDED_CP, DECIDED_MOVES = 2500, 6
MAX_PLIES = 320


class Engine:
    """A USI engine behind pipes."""

    def __init__(self, command, options):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.send("usi")
        self.wait_for("usiok")
        self.prepare(options)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, word):
        """Returns the line that begins with `word` and the last scored line before it."""
        scored = ""
        for line in self.process.stdout:
            if line.startswith("info string") and "error" in line:
                sys.exit(f"factorial.py: {line.strip()}")
            if line.startswith(word):
                return line, scored
            if " score " in line:
                scored = line
        sys.exit(f"factorial.py: the engine ended before `{word}`")

    def prepare(self, options):
        """Sets options and begins a new game."""
        for name, value in options.items():
            self.send(f"setoption name {name} value {value}")
        self.send("isready")
        self.wait_for("readyok")
        self.send("usinewgame")

    def move(self, position, nodes):
        """Returns the move played at this position and its score in centipawns, if any."""
        self.send(position)
        self.send(f"go nodes {nodes}")
        answer, scored = self.wait_for("bestmove")
        words = scored.split()
        if "score" not in words:
            return answer.split()[1], None
        kind, value = words[words.index("score") + 1:][:2]
        if kind == "mate":
            value = -30000 if value.startswith("-") else 30000
        return answer.split()[1], int(value)


def play(black, white, opening, nodes):
    """Plays a game; returns 1 if Black wins, -1 if White does, 0 for a draw."""
    import cshogi

    board = cshogi.Board()
    board.set_position(opening)
    line = opening if " moves" in opening else opening + " moves"
    agreed = 0
    for _ in range(MAX_PLIES):
        sign = 1 if board.turn == cshogi.BLACK else -1
        move, score = (black if sign == 1 else white).move(f"position {line}", nodes)
        if move in ("resign", "win"):
            return -sign if move == "resign" else sign
        if score is not None:
            leader = sign * score
            side = (leader >= DECIDED_CP) - (leader <= -DECIDED_CP)
            agreed = agreed + side if side and agreed * side >= 0 else side
            if abs(agreed) >= DECIDED_MOVES:
                return side
        parsed = board.move_from_usi(move)
        if not board.is_legal(parsed):
            sys.exit(f"factorial.py: illegal move {move} after `{line}`")
        board.push(parsed)
        line += f" {move}"
        if board.is_game_over():
            return sign
        verdict = board.is_draw()
        if verdict == cshogi.REPETITION_DRAW:
            return 0
        if verdict in (cshogi.REPETITION_WIN, cshogi.REPETITION_LOSE):
            return -sign if verdict == cshogi.REPETITION_WIN else sign
    return 0


def play_pairs(args):
    """Plays pairs until there are `--pairs` of them, or until it is interrupted."""
    with open(args.factors) as file:
        factors = json.load(file)
    with open(args.openings) as file:
        openings = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    openings = [line if line.startswith(("startpos", "sfen ")) else f"sfen {line}" for line in openings]
    done = 0
    if os.path.exists(args.out):
        with open(args.out) as file:
            done = sum(1 for _ in file)
    print(f"seed {args.seed}, {len(factors)} factors, {done} pairs played", flush=True)
    numbers, lock = iter(range(done, args.pairs)), threading.Lock()

    def worker():
        base = {"USI_Hash": args.hash, "Threads": 1}
        ours, theirs = Engine(args.engine, base), Engine(args.engine, base)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            draw = random.Random(f"{args.seed}-{number}")
            levels = [draw.randrange(2) for _ in factors]
            sides = [{}, {}]
            for pair, level in zip(factors.values(), levels):
                sides[0].update(pair[level])
                sides[1].update(pair[1 - level])
            opening = openings[draw.randrange(len(openings))]
            scores = []
            for sign, (black, white) in ((1, (ours, theirs)), (-1, (theirs, ours))):
                ours.prepare(sides[0])
                theirs.prepare(sides[1])
                scores.append(sign * play(black, white, opening, args.nodes))
            with lock, open(args.out, "a") as file:
                file.write(json.dumps({"pair": number, "levels": levels, "score": sum(scores) / 2}) + "\n")

    threads = [threading.Thread(target=worker, daemon=True) for _ in range(args.concurrency)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fit(args):
    """Prints the effect of each factor."""
    import numpy

    with open(args.factors) as file:
        names = list(json.load(file))
    rows = []
    for path in args.results:
        with open(path) as file:
            rows += [json.loads(line) for line in file]
    # A factor that was added later takes part with 0 in the pairs before.
    design = numpy.array([[2 * level - 1 for level in row["levels"]] + [0] * (len(names) - len(row["levels"]))
                          for row in rows], float)
    scores = numpy.array([row["score"] for row in rows])
    effects = numpy.linalg.lstsq(design, scores, rcond=None)[0]
    rest = scores - design @ effects
    errors = numpy.sqrt(numpy.diag(numpy.linalg.inv(design.T @ design)) * (rest @ rest) / (len(rows) - len(names)))
    elo = 800 / math.log(10)  # of a score between -1 and 1, near 0
    print(f"{len(rows)} pairs")
    for effect, error, name in sorted(zip(effects, errors, names), reverse=True):
        print(f"{name:28} {elo * effect:+6.1f} ± {1.96 * elo * error:.1f}")


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    playing = commands.add_parser("play")
    playing.add_argument("engine")
    playing.add_argument("factors")
    playing.add_argument("out")
    playing.add_argument("--openings", required=True)
    playing.add_argument("--nodes", type=int, default=25000)
    playing.add_argument("--hash", type=int, default=8)
    playing.add_argument("--seed", type=int, default=1)
    playing.add_argument("--concurrency", type=int, default=2)
    playing.add_argument("--pairs", type=int, default=10**9)
    playing.set_defaults(run=play_pairs)
    fitting = commands.add_parser("fit")
    fitting.add_argument("factors")
    fitting.add_argument("results", nargs="+")
    fitting.set_defaults(run=fit)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
