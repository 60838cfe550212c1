#!/usr/bin/env bash
# Speed and memory of `enbu book make` on random games, whose positions hardly repeat.
# Not part of CI: 45 000 games have about 5 million positions and need 2 GB of disk.
set -euo pipefail

usage() {
    cat <<USAGE
usage: scripts/book_make.sh [GAMES] [OPTION...]

Makes a .db from GAMES (45000) random games of up to 120 moves, as one file of lines and
as files of CSA, with the OPTIONs of enbu book make. Prints positions a second and the
peak memory. ENBU names the executable (target/release/enbu); GNU time is needed (Debian
package time).
USAGE
}

case "${1:-}" in -h | --help) usage; exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
games="${1:-45000}"
shift || true
enbu="${ENBU:-target/release/enbu}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

cargo run --quiet --release -p enbu-tests --example random_records -- "$games" "$folder"
"$enbu" convert "$folder/csa" -o "$folder/games.usi" --ends 2>/dev/null
for input in games.usi csa; do
    echo "==> $input"
    /usr/bin/time -f '%M KB peak, %e s, %U s of one CPU' \
        "$enbu" book make "$folder/$input" -o "$folder/$input.db" --to 1000 "$@"
    grep -c '^sfen' "$folder/$input.db"
done
cmp "$folder/games.usi.db" "$folder/csa.db"
