#!/usr/bin/env bash
# Strength and cost of the search at depth: three kinds of measurement, one command each.
set -euo pipefail
export LC_ALL=C

usage() {
    cat <<'USAGE'
usage: scripts/depth.sh match OLD NEW [--games N] [--levels NODES,...] [--option NAME=VALUE]...
       scripts/depth.sh scaling ENGINE [--games N] [--levels NODES,...] [--option NAME=VALUE]...
       scripts/depth.sh nodes ENGINE... [--levels NODES]

  match     NEW against OLD (commands of USI engines) at fixed nodes a move, by default
            10000, 100000 and 1000000; games in pairs from even openings, no adjudication
            below 2500
  scaling   ENGINE at n nodes against Debian's fairy-stockfish at 10 n, by default n of
            5000, 50000 and 500000: the score must not fall as n grows
  nodes     nodes to depth 12, 16, 18 and 20, and the depth after 1000000 nodes (--levels:
            another number), on the 40 positions of scripts/depth-positions.sfen

The table has a megabyte for each 25000 nodes a move, so that it fills as in a game with a
clock. Results lie in data/depth/, a file for each match; the same command goes on where
it was interrupted. `enbu` is taken from target/release, or from $ENBU.
USAGE
}

die() {
    echo "scripts/depth.sh: $*" >&2
    exit 2
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
enbu=${ENBU:-$top/target/release/enbu}
out=$top/data/depth
games=100
levels=
options=()
names=()
[ $# -gt 0 ] || { usage >&2; exit 2; }
kind=$1
shift
while [ $# -gt 0 ]; do
    case $1 in
        --games) games=$2; shift ;;
        --levels) levels=$2; shift ;;
        --option) options+=("option.$2"); shift ;;
        -h | --help) usage; exit ;;
        -*) die "unknown option $1" ;;
        *) names+=("$1") ;;
    esac
    shift
done

hash_mb() {
    local mb=$(($1 / 25000))
    echo $((mb > 1 ? mb : 1))
}

# Even openings, made once with a fixed seed.
openings() {
    mkdir -p "$out"
    [ -s "$out/openings.sfen" ] || "$enbu" openings random:12,100 --count 600 --seed 77 --force --out "$out/openings.sfen" >&2
}

# play NAME FIRST... -- SECOND...: one match, resumed if it was begun.
play() {
    local name=$1 first=() second=()
    shift
    while [ "$1" != -- ]; do first+=("$1"); shift; done
    shift
    second=("$@")
    "$enbu" match --engine "${first[@]}" --engine "${second[@]}" --openings "$out/openings.sfen" --games "$games" \
        --concurrency 2 --adjudicate 2500,4 --hang 600 --out "$out/$name.jsonl" --resume | tail -n 12
}

case $kind in
    match)
        [ ${#names[@]} -eq 2 ] || die "match needs two engines"
        openings
        for nodes in $(tr , ' ' <<<"${levels:-10000,100000,1000000}"); do
            echo "== $nodes nodes a move"
            hash=option.USI_Hash=$(hash_mb "$nodes")
            play "match-$nodes" "${names[1]}" name=new "$hash" option.Threads=1 "tc=nodes=$nodes" "${options[@]}" -- \
                "${names[0]}" name=old "$hash" option.Threads=1 "tc=nodes=$nodes" "${options[@]}"
        done
        ;;
    scaling)
        [ ${#names[@]} -eq 1 ] || die "scaling needs one engine"
        fairy=$(PATH=$PATH:/usr/games command -v fairy-stockfish) || die "fairy-stockfish is not installed"
        openings
        for nodes in $(tr , ' ' <<<"${levels:-5000,50000,500000}"); do
            odds=$((nodes * 10))
            echo "== $nodes nodes a move against $odds"
            play "scaling-$nodes" "${names[0]}" name=enbu "option.USI_Hash=$(hash_mb "$nodes")" option.Threads=1 \
                "tc=nodes=$nodes" "${options[@]}" -- \
                "$fairy" name=fairy "option.Hash=$(hash_mb "$odds")" option.Threads=1 "tc=nodes=$odds" \
                option.UCI_Variant=shogi
        done
        ;;
    nodes)
        [ ${#names[@]} -gt 0 ] || die "nodes needs an engine"
        for engine in "${names[@]}"; do
            echo "== $engine"
            python3 "$top/scripts/depth.py" "$engine" "$top/scripts/depth-positions.sfen" 12,16,18,20 "${levels:-1000000}" \
                "$(hash_mb "${levels:-1000000}")"
        done
        ;;
    -h | --help | help) usage ;;
    *) die "unknown measurement $kind" ;;
esac
