#!/usr/bin/env bash
# Lines of the crates for rules, protocol, records, files and books that their tests reach.
#
# Prints a row a crate and fails below 90 %. Needs cargo-tarpaulin (`cargo install
# cargo-tarpaulin`), which reads the compiler's coverage without the tools of LLVM.
set -euo pipefail

case ${1:-} in
    -h | --help)
        echo "usage: scripts/coverage.sh [FILE-PREFIX]: also lists the lines without a test in those files"
        exit 0
        ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
prefix=${1:-none}
target=${CARGO_TARGET_DIR:-$PWD/target}/coverage
out=$(mktemp -d)
trap 'rm -rf "$out" build_rs_cov.profraw' EXIT

# measure NAME ARGUMENTS...: one run, its counts in $out/NAME.
measure() {
    local name=$1
    shift
    mkdir -p "$out/$name"
    cargo tarpaulin --engine llvm --timeout 1200 --target-dir "$target" --out json --output-dir "$out/$name" "$@" >"$out/log" 2>&1 || {
        tail -n 30 "$out/log" >&2
        exit 1
    }
}

# The tests of the crates; those of their users; the tables that all crates share, and the
# binary in the processes that the end-to-end tests start.
measure crates --package enbu-files --package enbu-movegen --package enbu-usi --package enbu-kifu --package enbu-book --package enbu-csa
measure users --package enbu-arena --package enbu-search
RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE=$out/build-%p.profraw \
    cargo build --locked --quiet --package enbu --bin enbu --target-dir "$target/binary"
export ENBU_BIN=$target/binary/debug/enbu
measure tables --package enbu-tests --test all --objects "$ENBU_BIN" -- rules:: legality:: perft:: make_undo:: sfen:: reparse:: \
    mutations:: usi_session:: clients:: csa:: arena::

python3 - "$PWD" "$prefix" "$out"/*/tarpaulin-report.json <<'PYTHON'
import collections
import json
import sys

root, prefix, *reports = sys.argv[1:]
CRATES = ["files", "movegen/src/rules", "movegen", "usi", "kifu", "book", "csa"]
lines = collections.defaultdict(lambda: collections.defaultdict(int))
for path in reports:
    with open(path, encoding="utf-8") as file:
        for source in json.load(file)["files"]:
            name = "/".join(source["path"]).lstrip("/").removeprefix(root.lstrip("/") + "/")
            for trace in source["traces"]:
                lines[name][trace["line"]] += trace["stats"].get("Line", 0)
low = False
for crate in CRATES:
    counts = [hits for name, found in lines.items() if name.startswith(crate + "/") and "/tests" not in name for hits in found.values()]
    reached = sum(1 for hits in counts if hits)
    share = 100 * reached / max(1, len(counts))
    low |= share < 90
    print(f"{crate}: {reached} of {len(counts)} lines, {share:.1f} %")
for name in sorted(lines):
    missed = sorted(line for line, hits in lines[name].items() if not hits)
    if name.startswith(prefix) and missed:
        print(f"{name}: {', '.join(map(str, missed))}")
sys.exit("below 90 %" if low else 0)
PYTHON
