#!/usr/bin/env bash
# Signature and speed of Enbu, side by side with the yardsticks found here.
set -euo pipefail
export LC_ALL=C # numbers with a point, in every locale

usage() {
    cat <<'USAGE'
usage: bench.sh [--check] [--runs N] [--only SECTION,...]

Builds the release binary, prints the signature and speed of `enbu bench`, then
compares speeds: all programs of a comparison take turns, each turn gives a
ratio, and the median of the ratios counts. What is missing is skipped, and said.

  perft    the start position and matsuri against haitaka and rsshogi (from the
           registry, built for this CPU), with the last ply counted by sets and
           written into lists
  random   the same on 20 positions of tests/data/perft-random.tsv, by sets
  native   the binary as it is released against one built for this CPU alone, in
           perft and in `enbu bench`
  search   nodes per second against fairy-stockfish, if it is installed
  networks nodes per second by each kind of evaluation (random networks of 435 MB
           in all, written into the target folder) and of fairy-stockfish
  records  reading 10000 games of KIF and of CSA in memory, by one thread and by all
           processors, against tsshogi and cshogi:
           `(cd scripts/compare && npm install --no-save tsshogi)`, `pip install cshogi`
  mate     mate problems of 1 to 17 plies against the DfPn of cshogi, if python3 has
           it (scripts/mate.py)

  --check     only compare the signature with the newest `Bench: N` line in the
              git log; exit 1 if they differ
  --only      only these sections, separated by commas (default: all)
  --runs N    turns of each comparison (default 7)
USAGE
}

die() {
    echo "bench.sh: $*" >&2
    exit "${status:-1}"
}

# The path of a program, as this system ends it.
executable() {
    if [ -x "$1" ]; then
        echo "$1"
    elif [ -x "$1.exe" ]; then
        echo "$1.exe"
    else
        die "no binary $1"
    fi
}

check_only=no
runs=7
sections=perft,random,native,search,networks,records,mate
while [ $# -gt 0 ]; do
    case $1 in
        --check) check_only=yes ;;
        --runs)
            [ $# -ge 2 ] || status=2 die "--runs needs a number"
            case $2 in '' | *[!0-9]* | 0) status=2 die "--runs needs a number above 0, not \`$2'" ;; esac
            runs=$2
            shift
            ;;
        --only)
            [ $# -ge 2 ] || status=2 die "--only needs sections"
            for section in ${2//,/ }; do
                case $section in perft | random | native | search | networks | records | mate) ;; *) status=2 die "no section \`$section'" ;; esac
            done
            sections=$2
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
enbu=$(executable "$target/release/enbu")

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

# ---- measuring -------------------------------------------------------------

wanted() { # section
    case ",$sections," in *",$1,"*) ;; *) return 1 ;; esac
}

# CPU seconds of a command (wall time where the shell cannot tell); output in $scratch/out.
TIMEFORMAT='%3R %3U %3S'
measure() {
    { time "$@" >"$scratch/out" 2>"$scratch/err"; } 2>"$scratch/time" || return 1
    awk '{ cpu = $2 + $3; print (cpu > 0 ? cpu : ($1 > 0 ? $1 : 0.001)) }' "$scratch/time"
}

median() {
    sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

# How many times the numbers of the first file are those of the second, line by
# line: turns that another program disturbed are disturbed in both.
median_ratio() { # file file
    paste "$1" "$2" | awk '{ print $1 / $2 }' | median
}

# ---- perft -----------------------------------------------------------------

# Adds the CPU seconds to $scratch/$label.$generator and sets $nodes.
perft() { # label generator depth times sfen
    local command
    case $2 in
        enbu) command=("$enbu" perft "$3" --repeat "$4" --sfen "$5") ;;
        enbu-lists) command=("$enbu" perft "$3" --lists --repeat "$4" --sfen "$5") ;;
        native) command=("$native" perft "$3" --repeat "$4" --sfen "$5") ;;
        native-lists) command=("$native" perft "$3" --lists --repeat "$4" --sfen "$5") ;;
        *) command=("$yardsticks" perft "$2" "$3" "$4" "$5") ;;
    esac
    measure "${command[@]}" >>"$scratch/$1.$2" || die "perft of $2 failed: $(cat "$scratch/err")"
    nodes=$(sed -n 's/^nodes \([0-9][0-9]*\).*$/\1/p' "$scratch/out" | tail -n 1)
}

perft_turns() { # label depth times sfen expected generator...
    local label=$1 depth=$2 times=$3 sfen=$4 expected=$5 turn generator
    shift 5
    for turn in $(seq "$runs"); do
        for generator in "$@"; do
            perft "$label" "$generator" "$depth" "$times" "$sfen"
            [ "$nodes" = "$expected" ] || die "$generator counts $nodes nodes in $label at depth $depth, not $expected"
        done
    done
}

# Million leaves per CPU second.
mnps() { # label generator leaves
    median <"$scratch/$1.$2" | awk -v leaves="$3" '{ printf "%.1f", leaves / $1 / 1e6 }'
}

# How many times faster the second is than the first.
faster() { # label slower faster
    median_ratio "$scratch/$1.$2" "$scratch/$1.$3"
}

smaller() { # number number
    awk -v a="$1" -v b="$2" 'BEGIN { print (a < b ? a : b) }'
}

compare_perft() { # name depth sfen expected
    local name=$1 generators='enbu enbu-lists' generator
    [ -z "$yardsticks" ] || generators='enbu enbu-lists haitaka haitaka-lists rsshogi'
    # shellcheck disable=SC2086 # a list of words
    perft_turns "$name" "$2" 1 "$3" "$4" $generators
    for generator in $generators; do
        printf '%-10s %5d  %-16s %9s %11.2f %11.2f\n' "$name" "$2" "$generator" "$(mnps "$name" "$generator" "$4")" \
            "$(faster "$name" "$generator" enbu)" "$(faster "$name" "$generator" enbu-lists)"
    done
    [ -n "$yardsticks" ] || return 0
    printf '%-10s %5d  by sets %.2f x the faster of haitaka and rsshogi, by lists %.2f x the faster of haitaka-lists and rsshogi\n' \
        "$name" "$2" \
        "$(smaller "$(faster "$name" haitaka enbu)" "$(faster "$name" rsshogi enbu)")" \
        "$(smaller "$(faster "$name" haitaka-lists enbu-lists)" "$(faster "$name" rsshogi enbu-lists)")"
}

perft_section() {
    echo "perft, one thread, median of $runs turns, million leaves per CPU second; ratio = enbu / this one"
    printf '%-10s %5s  %-16s %9s %11s %11s\n' position depth generator Mnps 'sets/this' 'lists/this'
    compare_perft startpos 6 "$startpos" 547581517
    compare_perft matsuri 4 "$matsuri" 516925165
}

# ---- perft of random positions ---------------------------------------------

random_positions=20
random_depth=4
leaves_per_turn=100000000 # small trees are counted over and over, up to this

# Every k-th distinct position of the table.
random_sfens() {
    awk -F '\t' -v wanted="$random_positions" '
        NR > 1 && !seen[$1]++ { sfen[count++] = $1 }
        END { step = int(count / wanted); for (i = 0; i < wanted; i++) print sfen[i * step] }' tests/data/perft-random.tsv
}

# rsshogi must agree with us; haitaka is left out where it takes a pawn-drop mate for legal.
compare_random() { # number sfen
    local label=random-$1 sfen=$2 generators='enbu rsshogi' expected theirs times haitaka=miscounts rsshogi slowest
    perft "check-$1" rsshogi "$random_depth" 1 "$sfen"
    expected=$nodes
    perft "check-$1" haitaka "$random_depth" 1 "$sfen"
    theirs=$nodes
    [ "$theirs" != "$expected" ] || generators='enbu haitaka rsshogi'
    times=$(((leaves_per_turn + expected - 1) / expected))
    # shellcheck disable=SC2086 # a list of words
    perft_turns "$label" "$random_depth" "$times" "$sfen" "$expected" $generators
    rsshogi=$(faster "$label" rsshogi enbu)
    slowest=$rsshogi
    if [ "$theirs" = "$expected" ]; then
        haitaka=$(faster "$label" haitaka enbu)
        slowest=$(smaller "$haitaka" "$rsshogi")
        haitaka=$(printf '%.2f' "$haitaka")
    else
        miscounted=$((miscounted + 1))
    fi
    if awk -v ratio="$slowest" 'BEGIN { exit !(ratio > 1) }'; then won=$((won + 1)); fi
    printf '%11d %9s %9s %9.2f  %s\n' "$expected" "$(mnps "$label" enbu $((expected * times)))" "$haitaka" "$rsshogi" "$sfen"
}

random_section() {
    local number=0 won=0 miscounted=0 sfen
    [ -n "$yardsticks" ] || return 0
    echo "perft $random_depth of $random_positions positions of perft-random.tsv, by sets, median of $runs turns; ratio = enbu / this one"
    printf '%11s %9s %9s %9s  %s\n' nodes Mnps haitaka rsshogi position
    while IFS= read -r sfen; do
        number=$((number + 1))
        compare_random "$number" "$sfen"
    done < <(random_sfens)
    echo "faster than both: $won/$number"
    [ "$miscounted" -eq 0 ] || echo "haitaka miscounts on $miscounted of them (pawn-drop mates): compared with rsshogi only there"
}

# ---- the default build against a native one ---------------------------------

compare_native() { # name depth times sfen expected
    local suffix label=default-$1 # not the label of the perft section
    perft_turns "$label" "$2" "$3" "$4" "$5" enbu native enbu-lists native-lists
    for suffix in '' -lists; do
        native_row "$1 $2${suffix/-/ by }" "$(mnps "$label" "enbu$suffix" $(($5 * $3)))" \
            "$(mnps "$label" "native$suffix" $(($5 * $3)))" "$(faster "$label" "native$suffix" "enbu$suffix")"
    done
}

native_row() { # what default native ratio
    printf '%-26s %9s %9s %8.3f\n' "perft $1" "$2" "$3" "$4"
}

# Nodes per CPU second.
bench_nps() { # binary label
    local cpu
    cpu=$(measure "$1" bench) || die "\`$1 bench' failed"
    grep -q "^Bench: $signature" "$scratch/out" || die "$1 has another signature than $signature"
    awk -v cpu="$cpu" -v nodes="$signature" 'BEGIN { print nodes / cpu }' >>"$scratch/bench.$2"
}

native_section() {
    local turn
    RUSTFLAGS="${RUSTFLAGS:-} -C target-cpu=native" cargo build --quiet --release --package enbu --bin enbu --target-dir "$target/native"
    native=$(executable "$target/native/release/enbu")
    echo "default build and one for this CPU alone, median of $runs turns; ratio = default / native"
    printf '%-26s %9s %9s %8s\n' what default native ratio
    compare_native startpos 5 5 "$startpos" 19861490
    compare_native matsuri 3 20 "$matsuri" 4809015
    for turn in $(seq "$runs"); do
        bench_nps "$enbu" default
        bench_nps "$native" native
    done
    printf '%-26s %9.0f %9.0f %8.3f\n' 'enbu bench, nps' "$(median <"$scratch/bench.default")" \
        "$(median <"$scratch/bench.native")" "$(median_ratio "$scratch/bench.default" "$scratch/bench.native")"
}

# ---- search ----------------------------------------------------------------

search_seconds=5

# Nodes per millisecond that an engine reaches in $search_seconds, from its last report.
search() { # engine sfen option...
    local engine=$1 sfen=$2 heard=$scratch/search
    shift 2
    : >"$heard"
    {
        printf 'usi\n'
        printf 'setoption name %s\n' 'Threads value 1' "$@"
        printf 'isready\nusinewgame\nposition sfen %s\ngo movetime %s\n' "$sfen" "$((search_seconds * 1000))"
        local waited=0
        sleep "$search_seconds"
        until grep -q '^bestmove' "$heard" || [ "$waited" -ge 10 ]; do
            sleep 1
            waited=$((waited + 1))
        done
        printf 'quit\n'
    } | "$engine" >"$heard" 2>/dev/null
    awk '
        $1 == "info" {
            for (i = 2; i < NF && $i != "pv" && $i != "string"; i++) {
                if ($i == "nodes") nodes = $(i + 1)
                if ($i == "time") time = $(i + 1)
            }
        }
        END { if (time > 0) printf "%.1f\n", nodes / time; else exit 1 }' "$heard" || die "$engine reported no nodes"
}

compare_search() { # name sfen
    local turn
    for turn in $(seq "$runs"); do
        search "$enbu" "$2" 'USI_Hash value 64' 'Eval value PieceSquare' >>"$scratch/search.$1.enbu"
        [ -z "$fairy" ] || search "$fairy" "$2" 'Hash value 64' >>"$scratch/search.$1.fairy"
    done
    search_row "$1" enbu "$scratch/search.$1.enbu" "$scratch/search.$1.enbu"
    [ -z "$fairy" ] || search_row "$1" fairy-stockfish "$scratch/search.$1.fairy" "$scratch/search.$1.enbu"
}

search_row() { # position engine its-speeds our-speeds
    printf '%-10s %-23s %9.1f %8.2f\n' "$1" "$2" "$(median <"$3")" "$(median_ratio "$4" "$3")"
}

find_fairy() {
    fairy=$(command -v fairy-stockfish || true)
    [ -n "$fairy" ] || [ ! -x /usr/games/fairy-stockfish ] || fairy=/usr/games/fairy-stockfish
    [ -n "$fairy" ] || echo "fairy-stockfish: skipped, it is not installed"
}

search_section() {
    find_fairy
    echo "search by piece-square tables, one thread, $search_seconds s, median of $runs turns, thousand nodes per second; ratio = enbu / this one"
    printf '%-10s %-23s %9s %8s\n' position engine knps ratio
    compare_search startpos "$startpos"
    compare_search matsuri "$matsuri"
}

# ---- networks ----------------------------------------------------------------

halfkp=halfkp-256x2-32-32
wide=halfkp-1024x2-8-64
stacks=sfnn-halfkahm2-1536-15-32-k3k3
own=enbu-128

write_networks() {
    local shape
    networks=$target/networks
    mkdir -p "$networks"
    cargo build --quiet --release --package enbu-tests --example write_network
    for shape in "$own" "$halfkp" "$wide" "$stacks"; do
        [ -s "$networks/$shape.bin" ] || "$target/release/examples/write_network" "$shape" "$networks/$shape.bin"
    done
    networks=$(cd "$networks" && pwd)
}

# Speed of one kind of evaluation.
kind() { # kind sfen
    case $1 in
        fairy-stockfish) search "$fairy" "$2" 'Hash value 64' ;;
        piece-square) search "$enbu" "$2" 'USI_Hash value 64' 'Eval value PieceSquare' ;;
        *) search "$enbu" "$2" 'USI_Hash value 64' 'Eval value File' "EvalDir value $networks" "EvalFile value $1.bin" ;;
    esac
}

compare_kinds() { # name sfen
    local name=$1 kinds="piece-square $own $halfkp $wide $stacks" turn kind
    [ -z "$fairy" ] || kinds="$kinds fairy-stockfish"
    for turn in $(seq "$runs"); do
        for kind in $kinds; do
            kind "$kind" "$2" >>"$scratch/kinds.$name.$kind"
        done
    done
    for kind in $kinds; do
        printf '%-10s %-31s %9.1f\n' "$name" "$kind" "$(median <"$scratch/kinds.$name.$kind")"
    done
    kind_ratio "$name" "$own" piece-square
    kind_ratio "$name" "$wide" "$halfkp"
    kind_ratio "$name" "$stacks" "$halfkp"
    [ -z "$fairy" ] || kind_ratio "$name" "$halfkp" fairy-stockfish
}

kind_ratio() { # name this other
    printf '%-10s %s / %s %.2f\n' "$1" "$2" "$3" "$(median_ratio "$scratch/kinds.$1.$2" "$scratch/kinds.$1.$3")"
}

networks_section() {
    find_fairy
    write_networks
    echo "search by random networks, one thread, $search_seconds s, median of $runs turns, thousand nodes per second, then ratios"
    printf '%-10s %-31s %9s\n' position evaluation knps
    compare_kinds startpos "$startpos"
    compare_kinds matsuri "$matsuri"
}

# ---- reading records ---------------------------------------------------------

# What is compared: the texts of all games are in memory, each is read by one thread,
# with headers, moves, times and the end, into what the library keeps of a game, and
# the moves of the main line are counted. What differs: enbu begins with bytes, finds
# encoding and format, and judges every move by all rules; tsshogi judges no move;
# cshogi does, but keeps no variations, and of KIF neither boards nor fouls.
# Enbu is also measured with the games shared out among all processors, which the
# others cannot do; that is wall time, and only means something on an idle machine.

record_games=10000

# What a program took by its own count, without its start; it must have read every move.
record_turn() { # format program command...
    local format=$1 program=$2 told
    shift 2
    told=$("$@") || die "$program does not read our $format"
    [ "${told##* }" = "$record_moves" ] || die "$program reads ${told##* } moves in $format, not $record_moves"
    case $told in *' threads '*) record_threads=${told#* threads } record_threads=${record_threads%% *} ;; *) record_threads=1 ;; esac
    told=${told#seconds }
    echo "${told%% *}" >>"$scratch/records-$format.$program"
    echo "$record_threads" >"$scratch/records-$format.$program.threads"
}

compare_records() { # format
    local format=$1 games="$scratch/records/$1" turn program
    for turn in $(seq "$runs"); do
        record_turn "$format" enbu "$read_records" "$games"
        record_turn "$format" enbu-all "$read_records" "$games" 0
        [ -z "$tsshogi" ] || record_turn "$format" tsshogi node scripts/compare/speed.mjs "$games"
        [ -z "$cshogi" ] || record_turn "$format" cshogi "$cshogi" scripts/compare/speed.py "$games"
        # For comparison the whole command: its start, the files, and writing the moves.
        measure "$enbu" convert "$games" --to usi >>"$scratch/records-$format.convert" || die "\`enbu convert' failed"
        echo all >"$scratch/records-$format.convert.threads"
    done
    for program in enbu enbu-all convert ${tsshogi:+tsshogi} ${cshogi:+cshogi}; do
        printf '%-8s %-10s %8s %9.3f %8.2f %12.2f\n' "$format" "$program" \
            "$(cat "$scratch/records-$format.$program.threads")" \
            "$(median <"$scratch/records-$format.$program")" \
            "$(median_ratio "$scratch/records-$format.$program" "$scratch/records-$format.enbu")" \
            "$(median_ratio "$scratch/records-$format.$program" "$scratch/records-$format.enbu-all")"
    done
}

records_section() {
    local random_records read_records python
    tsshogi= cshogi=
    if (cd scripts/compare && node -e 'import("tsshogi").catch(() => process.exit(1))') 2>/dev/null; then tsshogi=yes; fi
    for python in python3 python; do
        if [ -z "$cshogi" ] && "$python" -c 'import cshogi' 2>/dev/null; then cshogi=$python; fi
    done
    [ -n "$tsshogi" ] || echo "tsshogi: skipped, it is not installed"
    [ -n "$cshogi" ] || echo "cshogi: skipped, it is not installed"
    cargo build --quiet --release --package enbu-tests --example random_records --example read_records
    random_records=$(executable "$target/release/examples/random_records")
    read_records=$(executable "$target/release/examples/read_records")
    record_moves=$("$random_records" "$record_games" "$scratch/records")
    record_moves=${record_moves#moves }
    echo "reading $record_games games of $record_moves moves, median of $runs turns, CPU seconds (enbu-all: wall time)"
    printf '%-8s %-10s %8s %9s %8s %12s\n' format program threads seconds /enbu /enbu-all
    compare_records kif
    compare_records csa
}

# ---- mate ------------------------------------------------------------------

mate_section() {
    if ! python3 -c 'import cshogi' 2>/dev/null; then
        echo "cshogi: skipped, python3 does not have it"
        return 0
    fi
    echo "mate problems of 1 to 17 plies, CPU time; ratio = cshogi / enbu"
    python3 scripts/mate.py "$enbu" tests/data/tsume.tsv --runs "$runs"
}

# ---- the sections that are wanted --------------------------------------------

# For this CPU: the yardsticks at their best, our binary as users get it.
build_yardsticks() {
    if RUSTFLAGS="${RUSTFLAGS:-} -C target-cpu=native" cargo build --quiet --release \
        --manifest-path bench/yardsticks/Cargo.toml --target-dir "$target/yardsticks" 2>"$scratch/err"; then
        yardsticks=$(executable "$target/yardsticks/release/yardsticks")
    else
        echo "haitaka, rsshogi: skipped, they do not build here:"
        tail -n 3 "$scratch/err"
    fi
}

yardsticks=
if wanted perft || wanted random; then build_yardsticks; fi
for section in perft random native search networks records mate; do
    if wanted "$section"; then
        echo
        "${section}_section"
    fi
done

echo
echo "Bench: $signature"
