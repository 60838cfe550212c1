#!/usr/bin/env bash
# Signature and speed of Enbu, side by side with the yardsticks found here.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: bench.sh [--check] [--runs N]

Builds the release binary, prints the signature and speed of `enbu bench`, then
compares perft speed with haitaka and rsshogi (from the registry, built for this
CPU) and search speed with fairy-stockfish (if installed). What is missing is
skipped, and said.

  --check     only compare the signature with the newest `Bench: N` line in the
              git log; exit 1 if they differ
  --runs N    runs of each perft, taken in turns; the median counts (default 3)
USAGE
}

die() {
    echo "bench.sh: $*" >&2
    exit "${status:-1}"
}

check_only=no
runs=3
while [ $# -gt 0 ]; do
    case $1 in
        --check) check_only=yes ;;
        --runs)
            [ $# -ge 2 ] || status=2 die "--runs needs a number"
            case $2 in '' | *[!0-9]* | 0) status=2 die "--runs needs a number above 0, not \`$2'" ;; esac
            runs=$2
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            status=2 die "unknown argument \`$1'"
            ;;
    esac
    shift
done

cd "$(dirname "${BASH_SOURCE[0]}")"
target=${CARGO_TARGET_DIR:-target}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

startpos='lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1'
matsuri='l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1'

cargo build --quiet --release --package enbu --bin enbu
enbu=$target/release/enbu
[ -x "$enbu" ] || enbu=$enbu.exe
[ -x "$enbu" ] || die "no binary in $target/release"

"$enbu" bench >"$scratch/bench" || die "\`enbu bench' failed"
signature=$(sed -n 's/^Bench: \([0-9][0-9]*\)\r*$/\1/p' "$scratch/bench" | tail -n 1)
[ -n "$signature" ] || die "\`enbu bench' printed no signature"

if [ "$check_only" = yes ]; then
    git rev-parse --git-dir >/dev/null 2>&1 || die "not a git checkout: no log to compare with"
    logged=$(git log -1 -E --grep='^Bench: [0-9]+$' --format=%B | sed -n 's/^Bench: \([0-9][0-9]*\)$/\1/p' | tail -n 1)
    [ -n "$logged" ] || die "signature $signature, but the git log has no \`Bench:' line (a shallow clone?)"
    [ "$signature" = "$logged" ] || die "signature $signature, but the newest in the git log is $logged"
    echo "signature $signature, as in the git log"
    exit 0
fi

cat "$scratch/bench"

# ---- perft ---------------------------------------------------------------

# CPU seconds of a command (wall time where the shell cannot tell); output in $scratch/out.
TIMEFORMAT='%3R %3U %3S'
measure() {
    { time "$@" >"$scratch/out" 2>"$scratch/err"; } 2>"$scratch/time" || return 1
    awk '{ cpu = $2 + $3; print (cpu > 0 ? cpu : $1) }' "$scratch/time"
}

perft() { # generator depth sfen
    case $1 in
        enbu) measure "$enbu" perft "$2" --sfen "$3" ;;
        *) measure "$yardsticks" perft "$1" "$2" "$3" ;;
    esac
}

median() {
    sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

generators=enbu
echo
# For this CPU: the yardsticks at their best, our binary as users get it.
if RUSTFLAGS="${RUSTFLAGS:-} -C target-cpu=native" cargo build --quiet --release \
    --manifest-path bench/yardsticks/Cargo.toml --target-dir "$target/yardsticks" 2>"$scratch/err"; then
    yardsticks=$target/yardsticks/release/yardsticks
    [ -x "$yardsticks" ] || yardsticks=$yardsticks.exe
    generators='enbu haitaka rsshogi'
else
    echo "haitaka, rsshogi: skipped, they do not build here:"
    tail -n 3 "$scratch/err"
fi

compare_perft() { # name depth sfen expected
    local name=$1 depth=$2 sfen=$3 expected=$4 run generator nodes ours
    for run in $(seq "$runs"); do
        for generator in $generators; do
            perft "$generator" "$depth" "$sfen" >>"$scratch/$name.$generator" || die "perft of $generator failed: $(cat "$scratch/err")"
            nodes=$(sed -n 's/^nodes \([0-9][0-9]*\).*$/\1/p' "$scratch/out" | tail -n 1)
            [ "$nodes" = "$expected" ] || die "$generator counts $nodes nodes in $name at depth $depth, not $expected"
        done
    done
    ours=$(median <"$scratch/$name.enbu")
    for generator in $generators; do
        median <"$scratch/$name.$generator" | awk -v name="$name" -v depth="$depth" -v generator="$generator" -v ours="$ours" -v nodes="$expected" \
            '{ printf "%-10s %5d  %-16s %9.1f %8.2f\n", name, depth, generator, nodes / $1 / 1e6, $1 / ours }'
    done
}

echo "perft, one thread, median of $runs runs in turns, million leaves per CPU second; ratio = enbu / this one"
printf '%-10s %5s  %-16s %9s %8s\n' position depth generator Mnps ratio
compare_perft startpos 6 "$startpos" 547581517
compare_perft matsuri 4 "$matsuri" 516925165

# ---- search --------------------------------------------------------------

search_seconds=3

# Nodes per second that an engine reaches in $search_seconds, from its last report.
search() { # engine hash-option sfen
    {
        printf 'usi\nsetoption name %s value 64\nsetoption name Threads value 1\nisready\nusinewgame\n' "$2"
        printf 'position sfen %s\ngo movetime %s\n' "$3" "$((search_seconds * 1000))"
        sleep "$((search_seconds + 2))"
        printf 'quit\n'
    } | "$1" 2>/dev/null | awk '
        $1 == "info" {
            for (i = 2; i < NF && $i != "pv" && $i != "string"; i++) {
                if ($i == "nodes") nodes = $(i + 1)
                if ($i == "time") time = $(i + 1)
            }
        }
        END { if (time > 0) printf "%.0f\n", nodes / time; else print 0 }'
}

compare_search() { # name sfen
    local ours theirs
    ours=$(search "$enbu" USI_Hash "$2")
    [ "$ours" -gt 0 ] || die "enbu reported no nodes in $1"
    printf '%-10s %-23s %9d %8.2f\n' "$1" enbu "$ours" 1
    if [ -n "$fairy" ]; then
        theirs=$(search "$fairy" Hash "$2")
        if [ "$theirs" -gt 0 ]; then
            awk -v name="$1" -v ours="$ours" -v theirs="$theirs" \
                'BEGIN { printf "%-10s %-23s %9d %8.2f\n", name, "fairy-stockfish", theirs, ours / theirs }'
        else
            echo "fairy-stockfish reported no nodes in $1"
        fi
    fi
}

fairy=$(command -v fairy-stockfish || true)
[ -n "$fairy" ] || [ ! -x /usr/games/fairy-stockfish ] || fairy=/usr/games/fairy-stockfish
echo
[ -n "$fairy" ] || echo "fairy-stockfish: skipped, it is not installed"
echo "search, one thread, $search_seconds s, thousand nodes per second; ratio = enbu / this one"
printf '%-10s %-23s %9s %8s\n' position engine knps ratio
compare_search startpos "$startpos"
compare_search matsuri "$matsuri"

echo
echo "Bench: $signature"
