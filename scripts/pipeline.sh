#!/bin/sh
# From nothing to a network of one's own: self-play, archive, training, match, report. The
# same command continues where it was interrupted; a finished step is not repeated. Give a
# folder for the data; the network stays there as net.nnue, the result as report.txt.
#
#     scripts/pipeline.sh data/small
#
# The defaults take minutes on two cores. For another scale set GAMES, NODES (of a move),
# SHAPE, WIDTH, EPOCHS, BATCH, and MATCH (games) with a fresh folder; FROM names the
# evaluation that plays the games and the match (piece-square, embedded, the file of a
# network), ENBU a program that is built already. EMBED=1 builds the program anew with the
# network inside (it replaces eval/networks/embedded.nnue).
set -eu
cd "$(dirname "$0")/.."
data=${1:?a folder for the data is needed}
from=${FROM:-piece-square}
if [ -z "${ENBU:-}" ]; then
    cargo build --release --quiet
    ENBU=target/release/enbu
fi
mkdir -p "$data"
data=$(cd "$data" && pwd)

step() { printf '== %s\n' "$*"; }

if ! [ -s "$data/games.archive" ]; then
    step games
    "$ENBU" selfplay --eval "$from" --games "${GAMES:-4000}" --nodes "${NODES:-100}" --hash 1 --out "$data/games"
    step archive
    "$ENBU" selfplay merge "$data/games" --force --out "$data/games.archive"
fi
if ! [ -s "$data/net.nnue" ]; then
    step training
    "$ENBU" selfplay stats "$data/games.archive"
    "$ENBU" train "$data/games.archive" --out "$data/net.nnue" --name "$(basename "$data")" --shape "${SHAPE:-deep}" \
        ${WIDTH:+--width "$WIDTH"} --epochs "${EPOCHS:-5}" --batch "${BATCH:-4096}" \
        --checkpoint "$data/net.checkpoint" --resume --chart "$data/net.svg"
fi
step match
[ -s "$data/openings.sfen" ] || "$ENBU" openings random:16,80 --count 20 --force --out "$data/openings.sfen"
case $from in
    piece-square) old=Eval=PieceSquare ;;
    embedded) old=Eval=Embedded ;;
    *) old=EvalFile=$(cd "$(dirname "$from")" && pwd)/$(basename "$from") ;;
esac
"$ENBU" match --engine self name=new "option.EvalFile=$data/net.nnue" --engine self name=old "option.$old" \
    --each option.USI_Hash=16 --tc nodes=2000 --openings "$data/openings.sfen" --games "${MATCH:-40}" \
    --out "$data/match.jsonl" --resume --quiet >"$data/report.new"
mv "$data/report.new" "$data/report.txt"
step report
cat "$data/report.txt"
if [ "${EMBED:-0}" = 1 ]; then
    cp "$data/net.nnue" eval/networks/embedded.nnue
    cargo build --release
    printf 'usi\nquit\n' | target/release/enbu | head -1
fi
