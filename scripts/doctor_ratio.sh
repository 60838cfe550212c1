#!/usr/bin/env bash
# The ratios of search to perft that `enbu doctor` expects, for the table in
# engine/src/commands/doctor/speed.rs: nodes of the search for each million leaves of
# perft, both by processor time; for each path of kernels the median of RUNS runs, the
# paths in turns. With the release build, preferably on an idle machine.
# usage: scripts/doctor_ratio.sh [RUNS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
runs=${1:-11}
cargo build --locked --release --quiet --package enbu
ENBU=${CARGO_TARGET_DIR:-target}/release/enbu RUNS=$runs python3 - <<'PYTHON'
import json, os, statistics, subprocess

enbu, runs = os.environ["ENBU"], int(os.environ["RUNS"])


def doctor(topic, kernels=""):
    command = [enbu, "doctor", "--json", "--only", topic]
    environment = dict(os.environ, ENBU_SIMD=kernels)
    # A note is no failure, but a fault is.
    output = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
    return json.loads(output)["checks"][0]["values"]


paths = doctor("kernels")["available"]
ratios, leaves, waited = {path: [] for path in paths}, [], []
for _ in range(runs):
    for path in paths:
        values = doctor("speed", path)
        ratios[path].append(values["nodes_per_processor_second"] * 1e6 / values["leaves_per_second"])
        leaves.append(values["leaves_per_second"])
        waited.append(values["waited_percent"] or 0)
for path in paths:
    low, middle, high = min(ratios[path]), statistics.median(ratios[path]), max(ratios[path])
    print(f"{path}: {middle:.0f} nodes for a million leaves ({low:.0f} to {high:.0f})")
print(f"perft: {statistics.median(leaves):.0f} leaves/s; waiting at most {max(waited)} % of the time")
PYTHON
