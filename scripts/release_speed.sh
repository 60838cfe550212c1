#!/usr/bin/env bash
# Speed of the programs of a release beside the native one: `enbu bench` by turns.
#
# usage: scripts/release_speed.sh [ROUNDS [DEPTH]]
#
# Takes the programs for Linux and Windows (by wine) from dist/, builds the native one
# with the same profile, and prints the best and the median speed of each and its ratio
# to the native one. The native one also runs without huge pages, which a Windows program
# has only by a privilege. With valgrind also the instructions of a shorter bench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/wine.sh
rounds=${1:-15} depth=${2:-10}
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tar --extract --file dist/enbu-*-linux-x86_64.tar.gz --directory "$work"
unzip -q dist/enbu-*-windows-x86_64.zip -d "$work"
cargo build --quiet --locked --profile dist --package enbu --target-dir "$target/gnu"
cat >"$work/small-pages" <<SCRIPT
#!/usr/bin/env python3
import ctypes, os, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # PR_SET_THP_DISABLE
os.execv("$target/gnu/dist/enbu", ["enbu", *sys.argv[1:]])
SCRIPT
chmod +x "$work/small-pages"
names=(native musl small-pages)
commands=("$target/gnu/dist/enbu" "$(echo "$work"/enbu-*-linux-x86_64/enbu)" "$work/small-pages")
if [ -x /usr/lib/wine/wine64 ]; then
    prepare_wine "$target/wine"
    names+=(windows)
    commands+=("/usr/lib/wine/wine64 $(echo "$work"/enbu-*-windows-x86_64/enbu.exe)")
fi

for _ in $(seq "$rounds"); do
    for i in "${!names[@]}"; do
        # shellcheck disable=SC2086 # a program with its loader
        ${commands[i]} bench --depth "$depth" 2>/dev/null | tr -d '\r' | sed -n 's/.* nodes \([0-9]*\) nps$/\1/p' |
            tail -n 1 >>"$work/${names[i]}"
    done
done
for name in "${names[@]}"; do
    sort -n "$work/$name" | awk -v name="$name" '{ value[NR] = $1 } END { print name, value[NR], value[int((NR + 1) / 2)] }'
done | awk '{ if (NR == 1) { best = $2; median = $3 }
    printf "%-11s best %7d nps (%.3f)  median %7d nps (%.3f)\n", $1, $2, $2 / best, $3, $3 / median }'

if command -v valgrind >/dev/null; then
    for i in 0 1; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "${commands[i]}" bench --depth 5 2>&1 |
            sed -n "s/.*Collected : /instructions of ${names[i]}: /p"
    done
fi
