#!/usr/bin/env python3
"""Nodes that a USI engine needs to reach given depths; scripts/depth.sh calls it.

    depth.py ENGINE POSITIONS DEPTHS MAX_NODES HASH_MB

Prints, for each depth (comma-separated), the geometric mean of the nodes over the
positions (SFENs, one a line, # for comments) that reach it within MAX_NODES, how many
do, and the mean depth after MAX_NODES.
"""
import math
import subprocess
import sys


class Engine:
    """A USI engine behind pipes."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def lines_until(self, word):
        for line in self.process.stdout:
            yield line.strip()
            if line.startswith(word):
                return
        sys.exit(f"depth.py: the engine ended before `{word}`")

    def wait_for(self, word):
        for _ in self.lines_until(word):
            pass


def first_nodes(engine, sfen, max_nodes):
    """Nodes at the first report of each depth."""
    engine.send("usinewgame")
    engine.send("isready")
    engine.wait_for("readyok")
    engine.send(f"position sfen {sfen}")
    engine.send(f"go nodes {max_nodes}")
    reached = {}
    for line in engine.lines_until("bestmove"):
        words = line.split()
        if words[:1] != ["info"] or "depth" not in words or "nodes" not in words or "pv" not in words:
            continue
        if "lowerbound" in words or "upperbound" in words:
            continue
        depth = int(words[words.index("depth") + 1])
        reached.setdefault(depth, int(words[words.index("nodes") + 1]))
    return reached


def main():
    command, path, depths, max_nodes, hash_mb = sys.argv[1:6]
    with open(path, encoding="utf-8") as file:
        positions = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    engine = Engine(command)
    engine.send("usi")
    engine.wait_for("usiok")
    for name, value in (("USI_Hash", hash_mb), ("Hash", hash_mb), ("Threads", 1), ("PvInterval", 0)):
        engine.send(f"setoption name {name} value {value}")
    found = [first_nodes(engine, sfen, int(max_nodes)) for sfen in positions]
    engine.send("quit")
    for depth in map(int, depths.split(",")):
        nodes = [reached[depth] for reached in found if depth in reached]
        mean = math.exp(sum(map(math.log, nodes)) / len(nodes)) if nodes else 0
        print(f"depth {depth}: {len(nodes)} of {len(found)} positions, geometric mean {mean:.0f} nodes")
    deepest = [max(reached, default=0) for reached in found]
    print(f"after {max_nodes} nodes: depth {sum(deepest) / len(deepest):.2f} on average, {min(deepest)} at least")


if __name__ == "__main__":
    main()
