#!/bin/sh
# Runs `enbu match` and `enbu csa` against every hostile engine and server of tests/tests/peers
# and prints the table: peer, deadline and time in seconds, memory of enbu in MiB, verdict.
# Usage: scripts/peers.sh [FILE]. Exit code 1: a peer held it more than 1 s beyond its deadline,
# or it needed more than 300 MB. Some rows wait for minutes; run it on an idle machine.
set -u
cd "$(dirname "$0")/.." || exit 1
table=$(mktemp) || exit 1
trap 'rm -f "$table" "$table.txt"' EXIT
ENBU_SLOW_TESTS=1 ENBU_PEERS_TABLE=$table cargo test -q -p enbu-tests --test all peers:: -- --test-threads=1 >&2 || exit 1
awk -F '\t' '
    { late = $3 > $2 + 1; large = $4 * 1.048576 > 300; bad += late || large
      if ($3 - $2 > worst) worst = $3 - $2
      if ($4 > most) most = $4
      printf "%-60s %7.1f %8.2f %7.1f  %s %s\n", $1, $2, $3, $4, late ? "HANG" : large ? "MEMORY" : "ok", $5 }
    END { printf "%d peers, %d beyond a limit; worst time past a deadline %.2f s, most memory %.1f MiB\n", NR, bad, worst, most
          exit bad > 0 }' "$table" >"$table.txt"
code=$?
cat "$table.txt"
[ $# -eq 0 ] || cp "$table.txt" "$1"
exit $code
