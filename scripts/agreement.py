#!/usr/bin/env python3
"""Measures changes of the search by how often it agrees with searches much longer.

    agreement.py label ENGINE OTHER POSITIONS.jsonl --games GAMES.jsonl... [--nodes 600000]
    agreement.py play ENGINE FACTORS.json OUT.jsonl --positions POSITIONS.jsonl
                 [--nodes 100000] [--hash 16] [--seed 1] [--concurrency 2] [--searches N]
    agreement.py fit FACTORS.json OUT.jsonl...

`label` takes positions from games (of `enbu match --out`) and keeps those that are hard,
where OTHER's choice changes between 10 000 and 200 000 nodes, and whose answer is known:
ENGINE and OTHER, best two different searches, choose the same move after `--nodes`.

`play` searches these positions with an ENGINE built with the feature `tune`, each time
with levels of all factors drawn at random; FACTORS.json is that of factorial.py, with two
levels or three (below, at, above the default). What counts is the share of the nodes,
on a logarithmic scale from a fifth of `--nodes` on, at which the answer was the best move.
The same command goes on where it was interrupted.

`fit` prints the effect of each factor in per cent of agreement, with 95 % bounds that
allow for positions which favour a factor: last level against first, and for three levels
the curve too, outer levels against the middle one. Twice the nodes are worth 7.5 %.

A search costs a hundredth of a game at the same nodes and tells a tenth of it. It is a
filter: the labels come from searches like the one measured, so games decide.

Needs `pip install numpy` (for `fit`).
"""
import argparse
import json
import math
import os
import random
import threading

from factorial import Engine

# Nodes of the search that tells whether a position is hard, and from where on.
LOOK_NODES, LOOK_FROM = 200_000, 10_000
# A position decided already teaches nothing.
DECIDED_CP = 1500
# From a game's positions every ninth, between the opening and its last moves.
FIRST_PLY, LAST_PLY, STRIDE, TAIL = 22, 110, 9, 6
OPTIONS = {"Threads": 1, "PvInterval": 0, "USI_OwnBook": "false"}


def trail(engine, position, nodes):
    """Returns (nodes, move, centipawns) of every line reported, and of the answer."""
    engine.send(position)
    engine.send(f"go nodes {nodes}")
    found, score = [], 0
    for line in engine.process.stdout:
        words = line.split()
        if words[:1] == ["bestmove"]:
            return found + [(nodes, words[1], score)]
        if "pv" in words and "score" in words and "upperbound" not in words:
            kind, value = words[words.index("score") + 1:][:2]
            score = int(value) if kind == "cp" else -30000 if value.startswith("-") else 30000
            found.append((int(words[words.index("nodes") + 1]), words[words.index("pv") + 1], score))
    raise SystemExit("agreement.py: the engine ended during a search")


def agreement(found, best, nodes):
    """Returns the share of the logarithm of nodes at which `best` was the answer."""
    low = nodes / 5
    share, at, answer = 0.0, math.log(low), None
    for count, move, _ in found:
        now = math.log(min(max(count, low), nodes))
        share += (now - at) * (answer == best)
        at, answer = now, move
    return share / math.log(nodes / low)


def read_lines(path):
    """Returns the objects of a file with one in each line; none if there is no file."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def in_threads(count, work):
    """Runs `work` in so many threads."""
    threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def label(args):
    """Finds hard positions and their best moves."""
    draw = random.Random(args.seed)
    positions = []
    for game in (game for path in args.games for game in read_lines(path)):
        moves = game["moves"].split()
        start = game["opening"]
        if not start.startswith(("startpos", "sfen ")):
            start = f"sfen {start}"
        for ply in range(FIRST_PLY + draw.randrange(STRIDE), min(len(moves) - TAIL, LAST_PLY), STRIDE):
            positions.append(f"position {start} moves {' '.join(moves[:ply])}")
    draw.shuffle(positions)
    done = len(read_lines(args.positions))
    print(f"seed {args.seed}, {len(positions)} positions, {done} looked at", flush=True)
    numbers, lock = iter(range(done, len(positions))), threading.Lock()

    def work():
        options = dict(OPTIONS, USI_Hash=64)
        engine, other = Engine(args.engine, options), Engine(args.other, options)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            row = {"position": positions[number]}
            other.prepare({})
            look = trail(other, positions[number], LOOK_NODES)
            late = {move for count, move, _ in look if count >= LOOK_FROM}
            if len(late) > 1 and abs(look[-1][2]) < DECIDED_CP:
                answers = set()
                for judge in (other, engine):
                    judge.prepare({})
                    answers.add(trail(judge, positions[number], args.nodes)[-1][1])
                if len(answers) == 1:
                    row["best"] = answers.pop()
            with lock, open(args.positions, "a") as file:
                file.write(json.dumps(row) + "\n")

    in_threads(args.concurrency, work)


def play(args):
    """Searches until there are `--searches`, or until it is interrupted."""
    with open(args.factors) as file:
        factors = json.load(file)
    positions = [row for row in read_lines(args.positions) if "best" in row]
    done = len(read_lines(args.out))
    print(f"seed {args.seed}, {len(factors)} factors, {len(positions)} positions, {done} searches done", flush=True)
    numbers, lock = iter(range(done, args.searches)), threading.Lock()

    def work():
        engine = Engine(args.engine, dict(OPTIONS, USI_Hash=args.hash))
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            lap, place = divmod(number, len(positions))
            order = list(range(len(positions)))
            random.Random(f"{args.seed}-lap-{lap}").shuffle(order)
            draw = random.Random(f"{args.seed}-{number}")
            levels = [draw.randrange(len(choices)) for choices in factors.values()]
            options = {}
            for choices, level in zip(factors.values(), levels):
                options.update(choices[level])
            engine.prepare(options)
            row = positions[order[place]]
            share = agreement(trail(engine, row["position"], args.nodes), row["best"], args.nodes)
            result = {"position": order[place], "levels": levels, "agreement": round(share, 4)}
            with lock, open(args.out, "a") as file:
                file.write(json.dumps(result) + "\n")

    in_threads(args.concurrency, work)


def fit(args):
    """Prints the effect of each factor, the surest first."""
    import numpy

    with open(args.factors) as file:
        factors = json.load(file)
    rows = [row for path in args.results for row in read_lines(path)]
    levels = numpy.array([row["levels"] for row in rows])
    names, columns = [], []
    for number, (name, choices) in enumerate(factors.items()):
        names.append(name)
        columns.append(levels[:, number] / (len(choices) - 1))
        if len(choices) == 3:
            names.append(f"{name}, curve")
            columns.append((levels[:, number] != 1).astype(float))
    _, group = numpy.unique([row["position"] for row in rows], return_inverse=True)
    count = numpy.bincount(group)

    def within(values):
        """Differences from the mean of the position."""
        return values - (numpy.bincount(group, values) / count)[group]

    design = numpy.array([within(column) for column in columns]).T
    shares = within(numpy.array([row["agreement"] for row in rows]))
    if numpy.linalg.matrix_rank(design) < len(names):
        raise SystemExit("agreement.py: too few searches: each position must be searched with several levels")
    inverse = numpy.linalg.inv(design.T @ design)
    effects = inverse @ design.T @ shares
    scores = numpy.zeros((len(count), len(names)))
    numpy.add.at(scores, group, design * (shares - design @ effects)[:, None])
    errors = numpy.sqrt(numpy.diag(inverse @ scores.T @ scores @ inverse))
    print(f"{len(rows)} searches of {len(count)} positions")
    for number in numpy.argsort(-abs(effects / errors)):
        print(f"{names[number]:32} {100 * effects[number]:+6.2f} ± {196 * errors[number]:.2f}")


def main():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    labelling = commands.add_parser("label")
    labelling.add_argument("engine")
    labelling.add_argument("other")
    labelling.add_argument("positions")
    labelling.add_argument("--games", nargs="+", required=True)
    labelling.add_argument("--nodes", type=int, default=600_000)
    labelling.set_defaults(run=label)
    playing = commands.add_parser("play")
    playing.add_argument("engine")
    playing.add_argument("factors")
    playing.add_argument("out")
    playing.add_argument("--positions", required=True)
    playing.add_argument("--nodes", type=int, default=100_000)
    playing.add_argument("--hash", type=int, default=16)
    playing.add_argument("--searches", type=int, default=10**9)
    playing.set_defaults(run=play)
    for command in (labelling, playing):
        command.add_argument("--seed", type=int, default=1)
        command.add_argument("--concurrency", type=int, default=2)
    fitting = commands.add_parser("fit")
    fitting.add_argument("factors")
    fitting.add_argument("results", nargs="+")
    fitting.set_defaults(run=fit)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
