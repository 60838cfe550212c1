#!/usr/bin/env python3
"""Response times of the engine: `stop`, `quit`, `isready` and the first search after it.

    scripts/stop_latency.py target/release/enbu stop [--stops 2000] [--threads 1 64] [--busy 2] [--book book.ybb]
    scripts/stop_latency.py target/release/enbu ready [--hash 64 256 1024 4096] [--small-pages]

`stop`: a line of p50, p99.9 and the worst for `stop` in milliseconds, from writing the line to reading
`bestmove`, and the same for `quit`, to the end of the process (a twentieth as many). `--busy N` runs N endless
loops beside it, `--book` searches a book on disk before each search.
`ready`: seconds for `isready`, for a search of 100 000 nodes in the first game of a process and in the next three
(equal trees, since a new game clears the table): medians of five processes after one that is not counted, since a
virtual machine pays for the pages that it gets from its host.
Fails when a `go` has no answer or two.
"""

import argparse
import ctypes
import multiprocessing
import random
import statistics
import subprocess
import sys
import time

POSITIONS = [
    "startpos",
    "sfen l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31",
    "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
]
GO = ["go infinite", "go ponder btime 60000 wtime 60000 byoyomi 1000", "go btime 600000 wtime 600000 byoyomi 30000"]
LONGEST_S = 0.06
PR_SET_THP_DISABLE = 41


class Engine:
    """An engine that is ready."""

    def __init__(self, path, options, prepare=None):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, preexec_fn=prepare
        )
        for name, value in options.items():
            self.send(f"setoption name {name} value {value}")
        began = time.perf_counter()
        self.send("isready")
        self.until("readyok")
        self.ready_s = time.perf_counter() - began

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, word):
        """The lines up to the one that begins with `word`."""
        lines = []
        while not lines or not lines[-1].startswith(word):
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the engine ended before {word}: {lines[-3:]}")
            lines.append(line)
        return lines

    def stop(self, generator):
        """Seconds from `stop` to the answer; `None` for a search that found its end before."""
        self.send(f"position {generator.choice(POSITIONS)}")
        self.send(generator.choice(GO))
        time.sleep(LONGEST_S * generator.choice([0, 0.03, 1, 1]) * generator.random())
        began = time.perf_counter()
        self.send("stop")
        self.until("bestmove")
        took = time.perf_counter() - began
        self.send("getoption Threads")
        if any(line.startswith("bestmove") for line in self.until("Threads")):
            sys.exit("two answers")
        return took

    def game(self):
        """Seconds for the first search of 100 000 nodes of a new game."""
        self.send("isready")
        self.until("readyok")
        self.send("usinewgame")
        self.send(f"position {POSITIONS[1]}")
        self.send("getoption Threads")
        self.until("Threads")
        began = time.perf_counter()
        self.send("go nodes 100000")
        self.until("bestmove")
        return time.perf_counter() - began

    def quit(self):
        """Seconds from `quit` to the end of the process."""
        began = time.perf_counter()
        self.send("quit")
        self.process.stdout.read()
        self.process.wait()
        return time.perf_counter() - began


def spin():
    """Keeps one processor busy for ever, in constant memory."""
    while True:
        pass


def distribution(name, seconds):
    seconds = sorted(seconds)
    at = lambda share: seconds[round((len(seconds) - 1) * share)] * 1000
    print(f"{name}: {len(seconds)} times, p50 {at(0.5):.2f} ms, p99.9 {at(0.999):.2f} ms, worst {at(1):.2f} ms", flush=True)


def options_of(args, threads):
    options = {"USI_Hash": 64, "Threads": threads, "USI_OwnBook": "false"}
    if args.book:
        options |= {"USI_OwnBook": "true", "BookFile": args.book, "BookOnTheFly": "true", "BookIgnoreRate": 50}
    return options


def stops(args):
    busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(args.busy)]
    for process in busy:
        process.start()
    generator = random.Random(args.seed)
    for threads in args.threads:
        name = f"{threads} threads, {args.busy} busy loops, {'a' if args.book else 'no'} book"
        engine = Engine(args.engine, options_of(args, threads))
        distribution(f"stop, {name}", [engine.stop(generator) for _ in range(args.stops)])
        engine.quit()
        quits = []
        for _ in range(max(args.stops // 20, 1)):
            engine = Engine(args.engine, options_of(args, threads))
            engine.send("go infinite")
            time.sleep(LONGEST_S * generator.random() + 0.2)
            quits.append(engine.quit())
        distribution(f"quit, {name}", quits)
    for process in busy:
        process.terminate()


def ready(args):
    def small_pages():
        ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)

    print("hash MB, s: isready, GB/s, first 100 000 nodes, later, ratio")
    for megabytes in args.hash:
        ready_s, first, later = [], [], []
        for process in range(6):
            options = {"USI_Hash": megabytes, "Threads": 1, "USI_OwnBook": "false"}
            engine = Engine(args.engine, options, small_pages if args.small_pages else None)
            times = [engine.game() for _ in range(4)]
            engine.quit()
            if process > 0:
                ready_s.append(engine.ready_s)
                first.append(times[0])
                later += times[1:]
        ready_s, first, later = (statistics.median(values) for values in (ready_s, first, later))
        row = [ready_s, megabytes / 1024 / ready_s, first, later, first / later]
        print(f"{megabytes:5}  " + "  ".join(f"{value:6.2f}" for value in row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("what", choices=["stop", "ready"])
    parser.add_argument("--stops", type=int, default=2000)
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--book")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hash", type=int, nargs="+", default=[64, 256, 1024, 4096])
    parser.add_argument("--small-pages", action="store_true")
    args = parser.parse_args()
    stops(args) if args.what == "stop" else ready(args)


if __name__ == "__main__":
    main()
