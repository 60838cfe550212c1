#!/usr/bin/env python3
"""How much faster Enbu solves short mate problems than cshogi's DfPn.

    scripts/mate.py target/release/enbu tests/data/tsume.tsv [--runs N]

Both solve the problems of the table that mate in 1 to 17 plies, in turns: CPU
time, one thread, the first mate found without looking for a shorter one. Enbu's
time is that of the whole process, start and output included; cshogi's that of
its searches alone. Both must solve every problem, and every mate of Enbu is
replayed by cshogi. Ends with exit code 3 where cshogi (PyPI) is not installed.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import cshogi
except ImportError:
    sys.exit(3)


def problems(table):
    with open(table, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [row[0] for row in rows if row[1].isdigit() and int(row[1]) <= 17]


def enbu(binary, path):
    """CPU seconds, and what was found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [binary, "mate", path, "--refine", "none", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, [json.loads(line) for line in run.stdout.splitlines()]


def cshogi_dfpn(sfens):
    """CPU seconds of the searches, and how many problems were solved."""
    solver = cshogi.DfPn()
    boards = [cshogi.Board(sfen) for sfen in sfens]
    before = time.process_time()
    solved = sum(bool(solver.search(board)) for board in boards)
    return time.process_time() - before, solved


def replay(sfen, line):
    board = cshogi.Board(sfen)
    for ply, move in enumerate(line):
        board.push_usi(move)
        if ply % 2 == 0 and not board.is_check():
            sys.exit(f"{sfen}: {move} gives no check")
    if not board.is_check() or list(board.legal_moves):
        sys.exit(f"{sfen}: {line} does not mate")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("table")
    parser.add_argument("--runs", type=int, default=7)
    args = parser.parse_args()
    sfens = problems(args.table)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "problems.sfen")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(sfens) + "\n")
        measure(args.binary, path, sfens, args.runs)


def measure(binary, path, sfens, runs):
    ours, theirs = [], []
    for turn in range(runs):
        cpu, found = enbu(binary, path)
        if turn == 0:
            if len(found) != len(sfens) or any(row["verdict"] != "mate" for row in found):
                sys.exit("enbu left a problem open")
            for sfen, row in zip(sfens, found):
                replay(sfen, row["line"])
        ours.append(cpu)
        cpu, solved = cshogi_dfpn(sfens)
        if solved != len(sfens):
            sys.exit(f"cshogi solved {solved} of {len(sfens)}")
        theirs.append(cpu)
        print(f"turn {turn + 1}: enbu {ours[-1]:.3f} s, cshogi {theirs[-1]:.3f} s, ratio {theirs[-1] / ours[-1]:.2f}")
    ratio = statistics.median(theirs[turn] / ours[turn] for turn in range(runs))
    print(f"{len(sfens)} problems: enbu {statistics.median(ours):.3f} s, cshogi DfPn {statistics.median(theirs):.3f} s; "
          f"enbu is {ratio:.2f} x as fast (medians of {runs} turns, CPU time)")


if __name__ == "__main__":
    main()
