#!/bin/sh
# From nothing to a program with a network of its own, at a small scale: minutes on two
# cores. Give a folder for the data; the network stays there as small.nnue.
#
#     scripts/pipeline.sh data/small
#
# Set EMBED=1 to build the program anew with this network inside (it replaces
# eval/networks/embedded.nnue), GAMES and NODES for another scale.
set -eu
cd "$(dirname "$0")/.."
data=${1:?a folder for the data is needed}
cargo build --release --quiet
enbu=target/release/enbu
"$enbu" selfplay --games "${GAMES:-4000}" --nodes "${NODES:-100}" --out "$data/games"
"$enbu" selfplay stats "$data/games"
"$enbu" train "$data/games" --out "$data/small.nnue" --name small --epochs 5 --batch 4096 --chart "$data/small.svg"
if [ "${EMBED:-0}" = 1 ]; then
    cp "$data/small.nnue" eval/networks/embedded.nnue
    cargo build --release
    echo 'usi
quit' | "$enbu" | head -1
fi
