#!/usr/bin/env python3
"""Memory, resumption and speed of `enbu analyse` on a folder of games.

    scripts/analyse.py target/release/enbu GAMES [--nodes 100] [--kills 10] [--only memory|resume|speed]

memory: the resident memory of one run over the whole folder, sampled every 0.2 s and
printed for each tenth of the run. resume: the same analysis, killed at random moments
(SIGKILL and SIGINT in turns), then given once more to its end; every file must have the
bytes of the run that was never killed. speed: positions a second with one job and with
two, and those of `enbu selfplay` at equal nodes without the mate solver on either side:
seconds on the clock, which need an idle machine, and seconds of the CPU. A search of
self-play ends with the iteration in which the nodes are reached; the nodes are printed. The exit code
is 1 where a killed run gives another result.

Games for it: `enbu match --engine self tc=nodes=30 --engine self name=other tc=nodes=37
--games 1000 --openings FILE --csa GAMES`. With equal limits the two games of a pair would be
equal move for move: one job evaluates their positions once, two jobs twice.
"""

import argparse
import filecmp
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def command(args, out, *options):
    return [args.enbu, "analyse", args.games, "-o", out, "--nodes", str(args.nodes), *options]


def resident_kb(process):
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s*(\d+)", status).group(1))
    except (OSError, AttributeError):
        return None


def whole_run(args, out):
    """The uninterrupted run; returns its seconds."""
    begin, samples = time.monotonic(), []
    with open(os.devnull, "w", encoding="utf-8") as null:
        process = subprocess.Popen(list(map(str, command(args, out, "--jobs", 2))), stderr=null, stdout=null)
    while process.poll() is None:
        samples.append(resident_kb(process))
        time.sleep(0.2)
    samples = [sample for sample in samples if sample]
    tenths = [samples[len(samples) * tenth // 10 : len(samples) * (tenth + 1) // 10] for tenth in range(10)]
    print("memory: largest MB in each tenth:", *(f"{max(part) / 1024:.1f}" for part in tenths if part), flush=True)
    if process.returncode:
        sys.exit(f"exit code {process.returncode}")
    return time.monotonic() - begin


def files(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def resume(args, whole, out, seconds):
    """Kills and resumes; returns true for an equal result."""
    chance = random.Random(args.seed)
    for number in range(args.kills):
        with open(os.devnull, "w", encoding="utf-8") as null:
            process = subprocess.Popen(list(map(str, command(args, out, "--jobs", 2))), stderr=null, stdout=null)
        try:
            # Together the killed runs do about two thirds of the work.
            process.wait(chance.uniform(0.0, 1.3 * seconds / args.kills))
            print(f"resume: run {number + 1} ended before its kill")
            continue
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT if number % 2 else signal.SIGKILL)
        code = process.wait()
        done = sum(path.name.endswith(".analysis.json") for path in files(out)) if out.exists() else 0
        print(f"resume: kill {number + 1}, exit code {code}, {done} games done", flush=True)
    last = subprocess.run(list(map(str, command(args, out, "--jobs", 2))), capture_output=True, text=True, check=False)
    print("resume:", last.stderr.splitlines()[-1])
    wrong = files(whole) ^ files(out)
    wrong |= {name for name in files(whole) & files(out) if not filecmp.cmp(whole / name, out / name, shallow=False)}
    print(f"resume: {len(files(whole))} files, {len(wrong)} differ", *sorted(wrong)[:5])
    return not wrong and last.returncode == 0


def timed(line):
    """Seconds on the clock and of the CPU, and what was printed."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    text = subprocess.run(list(map(str, line)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - begin, cpu, text


def speed(args, work):
    """Rates of analysis and self-play."""
    rates, costs = {1: [], 2: []}, []
    for run, jobs in enumerate((1, 2, 1, 2)):
        # A new folder: ext4 searches long for inodes just after thousands were freed.
        out = work / f"speed{run}"
        wall, cpu, _ = timed(command(args, out, "--jobs", jobs, "--mate", 0, "--book", 0))
        reports = (json.loads(path.read_text(encoding="utf-8")) for path in out.rglob("*.analysis.json"))
        searched = [at["nodes"] for report in reports for at in report["positions"]]
        positions, nodes = len(searched), sum(searched)
        rates[jobs].append(positions / wall)
        costs.append((cpu / positions, cpu / nodes))
        print(f"speed: analysis, {jobs} jobs: {positions} positions, {described(wall, cpu, positions, nodes)}", flush=True)
    line = [args.enbu, "selfplay", "--out", work / "selfplay", "--nodes", args.nodes, "--games", args.selfplay, "--threads", 2]
    wall, cpu, text = timed(line)
    positions, per_position = map(int, re.findall(r"positions (\d+),.* (\d+) nodes/position", text)[-1])
    print(f"speed: self-play, 2 threads: {positions} positions, {described(wall, cpu, positions, positions * per_position)}")
    print(f"speed: two jobs {max(rates[2]) / max(rates[1]):.2f} x one; of self-play {max(rates[2]) * wall / positions:.2f}")
    per_node = cpu / positions / per_position / min(cost for _, cost in costs)
    print(f"speed: by CPU time {cpu / positions / min(cost for cost, _ in costs):.2f} of self-play, by CPU time a node {per_node:.2f}")


def described(wall, cpu, positions, nodes):
    return f"{positions / wall:.0f} positions/s, {1e6 * cpu / positions:.0f} us CPU each ({nodes / positions:.0f} nodes, {1e6 * cpu / nodes:.2f} us CPU a node)"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("enbu")
    parser.add_argument("games")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--selfplay", type=int, default=500, help="games of self-play")
    parser.add_argument("--only", choices=["memory", "resume", "speed"])
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp())
    equal = True
    if args.only != "speed":
        seconds = whole_run(args, work / "whole")
        if args.only != "memory":
            equal = resume(args, work / "whole", work / "killed", seconds)
    if args.only in (None, "speed"):
        speed(args, work)
    shutil.rmtree(work)
    sys.exit(not equal)


main()
