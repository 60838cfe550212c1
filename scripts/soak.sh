#!/usr/bin/env bash
# Long proofs that the program does not fail: the long forms of tests, and runs of hours.
#
# Each part prints its counts and fails on a finding. None of them is part of .ci/run, and
# none needs more than cargo, the sources and a quiet machine; `fuzz` and `sanitizers` name
# the tools that they miss.
set -euo pipefail

usage() {
    cat <<USAGE
usage: scripts/soak.sh [--minutes N] [PART...]

  sessions     every sequence of six commands with an engine of the test (some 140 million runs), 20 000
               random ones with the real engine, the proptests of the session
  faults       streams, threads, memory, disks and clocks that fail; hostile text: all rows
  time         5 000 stops at one and two threads, quit and end of input while searching, idle and
               with two busy processes beside; 20 000 moves at 100 ms with four engines at once,
               200 games at 1 s byoyomi and at 10 + 0.1 s: time losses against stalls of the machine
  play         5 000 games at fixed nodes and 500 at a byoyomi by the same two processes: memory and speed; 100 000 games by
               \`enbu match\`, every answer refereed
  matches      1 000 matches that are killed and continued: no process left, the same games
  fuzz         every target of tests/fuzz in turn (nightly and cargo-fuzz), damaged input of every kind
  sanitizers   tests of the crates under AddressSanitizer; under ThreadSanitizer where a nightly has
               the sources of the standard library

Without a PART: all of them. --minutes N ends time, play, matches and fuzz after about N minutes
each, however much they have done (without it: the numbers above, an hour for each fuzz target).
ENBU_SEED repeats the random choices of a run.
USAGE
}

minutes=
parts=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help)
            usage
            exit 0
            ;;
        --minutes)
            minutes=${2:?--minutes needs a number}
            shift
            ;;
        sessions | faults | time | play | matches | fuzz | sanitizers) parts+=("$1") ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(sessions faults time play matches fuzz sanitizers)

cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
work=$(mktemp -d)
busy=()
finish() {
    # Not for a child of this shell that ends before it has become its command.
    if [ "$BASHPID" = $$ ]; then
        [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}" 2>/dev/null || true
        rm -rf "$work"
    fi
}
trap finish EXIT
RANDOM=${ENBU_SEED:-$$}

step() {
    echo
    echo "==> $* ($((SECONDS / 60)) min)"
}

finding() {
    echo "FINDING: $*" >&2
    exit 1
}

# The unit tests of a crate, and the end-to-end tests, whose names contain one of the words.
unit() {
    cargo test --locked --quiet --profile thorough --package "$1" --lib -- --nocapture --test-threads=1 "${@:2}"
}

end_to_end() {
    cargo test --locked --quiet --profile thorough --package enbu-tests --test all -- --nocapture --test-threads=1 "$@"
}

# The program, built once.
enbu() {
    if [ -z "${program:-}" ]; then
        program=${ENBU_BIN:-}
        if [ -z "$program" ]; then
            cargo build --locked --quiet --profile thorough --package enbu --bin enbu
            program=${CARGO_TARGET_DIR:-$root/target}/thorough/enbu
        fi
        program=$(realpath "$program")
    fi
}

# True while the time of the part that began at $1 is not over.
goes_on() { [ -z "$minutes" ] || [ $((SECONDS - $1)) -lt $((minutes * 60)) ]; }

# A file of $1 openings; 500 take one or two minutes.
openings() { "$program" openings random:8,300 --count "$1" --force --out "$work/openings"; }

part_sessions() {
    step "sessions: every sequence, with an engine of the test"
    ENBU_COMMANDS=6 unit enbu-usi exhaustive
    step "sessions: random sequences"
    PROPTEST_CASES=20000 unit enbu-usi soup
    ENBU_SEQUENCES=20000 end_to_end sequences::
}

part_faults() {
    step "faults"
    ENBU_SLOW_TESTS=1 end_to_end faults:: full_disk:: hostile:: malformed:: memory:: options_file:: usi_session:: \
        arena:: csa:: tune::
}

# Games of a file of results that were lost on time, beyond a stall of the machine.
losses() {
    sed -nE 's/.*"reason":"(time|hang)".*"over_ms":([0-9.]+),"stall_ms":([0-9.]+).*/\1 \2 \3/p' "$1" |
        awk -v file="$1" '{ n++; if ($2 > $3) { late++; print file ": " $1 ", " $2 " ms over, stall of " $3 " ms" } }
            END { printf "%s: %d losses on time, %d of them beyond a stall\n", file, n, late; exit late > 0 }'
}

# Plays games at a time control until there are so many moves or games, and judges the losses.
timed() {
    local name=$1 control=$2 count=$3 unit=$4 concurrency=$5 began=$SECONDS total=0 number=0
    while [ "$total" -lt "$count" ] && goes_on "$began"; do
        local out=$work/$name-$number.jsonl
        "$program" match --engine self name=a --engine self name=b --each option.USI_Hash=16 --tc "$control" --openings "$work/openings" \
            --games 20 --concurrency "$concurrency" --seed "$number" --out "$out" --quiet >/dev/null
        cat "$out" >>"$work/$name.jsonl"
        number=$((number + 1))
        if [ "$unit" = moves ]; then
            total=$(sed -nE 's/.*"plies":([0-9]+).*/\1/p' "$work/$name.jsonl" | awk '{ n += $1 } END { print n + 0 }')
        else
            total=$(wc -l <"$work/$name.jsonl")
        fi
    done
    echo "$name: $total $unit at $control, $concurrency games at once"
    losses "$work/$name.jsonl" || finding "losses on time at $control"
}

part_time() {
    step "time: stops, on a machine that is idle"
    ENBU_STOPS=5000 end_to_end stop::
    step "time: stops, beside two busy processes"
    for _ in 1 2; do
        sh -c 'while :; do :; done' &
        busy+=($!)
    done
    sleep 1
    ENBU_STOPS=5000 end_to_end stop::
    kill "${busy[@]}"
    wait "${busy[@]}" 2>/dev/null || true
    busy=()
    step "time: games"
    enbu
    openings 100
    # At 100 ms an overload may cost games; the count is the result.
    (timed overload 0+0.1b 20000 moves 4) || true
    timed second 0+1b 200 games 2
    timed increment 10+0.1 200 games 2
    step "time: records in proportion to their length"
    ENBU_SCALING=all cargo test --locked --profile thorough --package enbu-kifu --test all -- scaling:: ||
        finding "a reader of records takes more time than its input has length"
}

part_play() {
    local began=$SECONDS games=0 number=0
    step "play: many games in one process"
    local length=5000
    [ -z "$minutes" ] || length=$((minutes * 20))
    ENBU_GAMES=$length end_to_end selfplay::games_at_fixed_nodes
    ENBU_GAMES=$((length / 10)) end_to_end selfplay::games_at_a_short_byoyomi
    step "play: 100 000 games by enbu match"
    enbu
    openings 500
    while [ "$games" -lt 100000 ] && goes_on "$began"; do
        "$program" match --engine self name=a --engine self name=b --each option.USI_Hash=1 --tc nodes=$((100 + number)) \
            --openings "$work/openings" --games 1000 --concurrency "$(nproc)" --seed "$number" --out "$work/play.jsonl" --quiet --strict >"$work/play.log" ||
            finding "faults in round $number: $(cat "$work/play.log")"
        if grep -E '"reason":"(illegal|crash|hang|time)"' "$work/play.jsonl"; then
            finding "games of round $number that ended by a fault"
        fi
        games=$((games + $(wc -l <"$work/play.jsonl")))
        number=$((number + 1))
        rm "$work/play.jsonl"
    done
    echo "$games games, no fault"
}

# The games of a file of results, without times.
games_of() {
    sed -E 's/.*"game":([0-9]+),.*"reason":"([^"]*)".*"moves":"([^"]*)".*/\1 \2 \3/' "$1" | sort -n
}

part_matches() {
    enbu
    openings 20
    local began=$SECONDS killed=0 signals=(INT TERM KILL) matches=0
    local arguments=(match --engine self name=a --engine self name=b --each option.USI_Hash=1 --tc nodes=100 --openings "$work/openings"
        --games 8 --concurrency 2 --quiet)
    step "matches: killed and continued"
    "$program" "${arguments[@]}" --out "$work/whole.jsonl" >/dev/null
    while [ "$matches" -lt 1000 ] && goes_on "$began"; do
        rm -f "$work/cut.jsonl"
        local tries=0
        while :; do
            setsid "$program" "${arguments[@]}" --out "$work/cut.jsonl" --resume >/dev/null 2>&1 &
            local match=$!
            if [ $tries -lt 3 ]; then
                sleep "0.$(printf %03d $((RANDOM % 600)))"
                kill -"${signals[RANDOM % 3]}" "$match" 2>/dev/null && killed=$((killed + 1))
            fi
            wait "$match" 2>/dev/null && break
            tries=$((tries + 1))
            for _ in $(seq 100); do
                pgrep -s "$match" >/dev/null || break
                sleep 0.1
            done
            pgrep -s "$match" >/dev/null && finding "processes are left of match $matches: $(pgrep -s "$match" -a)"
            [ $tries -lt 9 ] || finding "match $matches does not end"
        done
        cmp <(games_of "$work/whole.jsonl") <(games_of "$work/cut.jsonl") || finding "match $matches has other games"
        matches=$((matches + 1))
    done
    echo "$matches matches, killed $killed times; no process left, the same games"
}

part_fuzz() {
    local target seconds=3600 targets=(tests/fuzz/fuzz_targets/*.rs)
    step "fuzz: damaged input"
    ENBU_MUTATIONS=$((${minutes:-60} * 5000)) end_to_end mutations::
    cargo +nightly fuzz --version >/dev/null 2>&1 ||
        finding "the targets of tests/fuzz did not run: rustup toolchain install nightly; cargo install cargo-fuzz"
    cargo run --locked --quiet --package enbu-tests --example fuzz_seeds -- tests/fuzz/corpus
    [ -z "$minutes" ] || seconds=$((minutes * 60 / ${#targets[@]}))
    for target in "${targets[@]}"; do
        target=$(basename "$target" .rs)
        step "fuzz: $target for $seconds s"
        cargo +nightly fuzz run --fuzz-dir tests/fuzz "$target" -- -max_total_time=$seconds -timeout=10 -max_len=700000 -print_final_stats=1 \
            2>"$work/fuzz" || finding "$target: $(tail -n 40 "$work/fuzz")"
        grep -E '^(Done|stat::(number_of_executed_units|peak_rss_mb))' "$work/fuzz"
    done
}

part_sanitizers() {
    local triple crates=(enbu-files enbu-isa enbu-movegen enbu-eval enbu-mate enbu-search enbu-usi enbu-kifu enbu-book)
    triple=$(rustc -vV | sed -n 's/^host: //p')
    local packages=("${crates[@]/#/--package=}")
    step "sanitizers: AddressSanitizer"
    # The flag is unstable; the compiler and its runtime library are the pinned ones. Tests ask
    # for more memory than there is, and expect an error.
    ASAN_OPTIONS=allocator_may_return_null=1 RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/asan \
        cargo test --locked --quiet --target "$triple" --lib "${packages[@]}"
    step "sanitizers: ThreadSanitizer"
    if [ -d "$(rustc +nightly --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library" ]; then
        # A standard library without the sanitizer would look like races.
        RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}/tsan \
            cargo +nightly test --locked --quiet -Zbuild-std --target "$triple" --lib --package=enbu-search --package=enbu-usi
    else
        echo "skipped: rustup component add rust-src --toolchain nightly"
    fi
}

for part in "${parts[@]}"; do
    "part_$part"
done
step "no finding in: ${parts[*]}"
