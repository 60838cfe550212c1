#!/usr/bin/env bash
# The files of a release, each tried where it will run: `cargo xtask dist --check`.
#
# Unpacks dist/ and tries: the program for Linux in a root folder without any other file,
# that for aarch64 by qemu-user, that for Windows by wine, the Debian package in a root
# folder of its own, manual pages, completions, and the source archive. Needs root (chroot, dpkg)
# and Debian packages (see `packages`); what is missing is skipped, and said.
set -euo pipefail

packages='qemu-user wine64 gcc-mingw-w64-x86-64-posix unzip zsh fish man-db lintian file'

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/wine.sh
root=$PWD
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$root/$target ;; esac
work=$target/dist/check
rm -rf "$work"
mkdir -p "$work"
failures=0

if [ $# -gt 0 ]; then
    printf 'usage: scripts/dist.sh\n\nDebian packages: %s\n' "$packages" >&2
    exit 2
fi

have() {
    command -v "$1" >/dev/null 2>&1
}

skip() {
    echo "skipped: $1"
}

# report NAME COMMAND...: runs the command and counts it if it fails.
report() {
    local name=$1 status
    shift
    # Not as a condition: any command of a check that fails ends it.
    set +e
    (set -e; "$@") >"$work/output" 2>&1
    status=$?
    set -e
    if [ "$status" = 0 ]; then
        echo "passed: $name"
    else
        echo "FAILED: $name"
        tail -n 20 "$work/output"
        failures=$((failures + 1))
    fi
}

# file_of PATTERN: the file in dist/ with this name.
file_of() {
    local found
    found=$(compgen -G "dist/$1" | tail -n 1) || true
    [ -n "$found" ] || { echo "dist/ has no $1; \`cargo xtask dist\` fills it" >&2; exit 1; }
    echo "$found"
}

# A short session: every answer that is due before `quit` comes.
session='usi\nisready\nusinewgame\nposition startpos moves 7g7f\ngo depth 5\nquit\n'

# speaks_usi COMMAND...: the session has its answers.
speaks_usi() {
    printf '%b' "$session" | "$@" | tr -d '\r' >"$work/session"
    cat "$work/session"
    grep -q '^id name Enbu [0-9]' "$work/session"
    grep -qx usiok "$work/session"
    grep -qx readyok "$work/session"
    grep -q '^bestmove [1-9PLNSGBR]' "$work/session"
}

# signature COMMAND...: the last line of the bench of a program.
signature() {
    "$@" bench --depth "${depth:-6}" --hash 16 2>/dev/null | tr -d '\r' | sed -n 's/^Bench: //p' | tail -n 1
}

# ---- archives ------------------------------------------------------------------------

unpacked() {
    local name=$1 archive=$2 folder file
    case $archive in
        *.zip) unzip -q "$archive" -d "$work" ;;
        *) tar --extract --file "$archive" --directory "$work" ;;
    esac
    folder=$(echo "$work"/enbu-*-"$name")
    for file in README.md README.ja.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY-LICENSES.txt \
        docs/install.md docs/install.ja.md docs/game.kif examples/csa/csa.toml completions; do
        [ -s "$folder/$file" ] || { echo "$file is missing"; return 1; }
    done
    # No folder of the machine that made it is in the program.
    if grep -q -a -F -e "$root" -e "$HOME/.cargo" "$folder"/enbu*; then
        echo "the program names folders of this machine"
        return 1
    fi
}

for name in linux-x86_64 linux-aarch64; do
    report "archive for $name" unpacked "$name" "$(file_of "enbu-*-$name.tar.gz")"
done
report "archive for windows-x86_64" unpacked windows-x86_64 "$(file_of 'enbu-*-windows-x86_64.zip')"
linux=$(echo "$work"/enbu-*-linux-x86_64)
arm=$(echo "$work"/enbu-*-linux-aarch64)
windows=$(echo "$work"/enbu-*-windows-x86_64)

source_archive() {
    mkdir -p "$work/source"
    tar --extract --file "$1" --directory "$work/source"
    grep -qE '^[0-9a-f]{40}$' "$work"/source/enbu-*/engine/commit.txt
    cargo metadata --locked --no-deps --format-version 1 --manifest-path "$work"/source/enbu-*/Cargo.toml >/dev/null
}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
report "source archive" source_archive "$(file_of "enbu-$version.tar.gz")"

# ---- Linux x86-64: alone in a root folder ---------------------------------------------

static() {
    file "$1/enbu" | grep 'statically linked' | grep -v interpreter
}
have file && report "linux: static" static "$linux" && report "aarch64: static" static "$arm"

empty=$work/empty
mkdir -p "$empty"
cp "$linux/enbu" "$empty/"
expected=$(signature "$linux/enbu")
equal() {
    local found
    found=$(signature "$@")
    echo "$found, expected $expected"
    [ -n "$found" ] && [ "$found" = "$expected" ]
}
if [ "$(id -u)" = 0 ]; then
    report "linux: usi in an empty root" speaks_usi chroot "$empty" /enbu
    report "linux: bench in an empty root ($expected)" equal chroot "$empty" /enbu
else
    skip "empty root (not root)"
fi
committed() {
    local wanted
    wanted=$(git log -n 1 --format=%B --grep '^Bench: [0-9]*$' | sed -n 's/^Bench: //p' | tail -n 1)
    [ "$("$linux/enbu" bench | sed -n 's/^Bench: //p')" = "$wanted" ]
}
report "linux: the signature of the commit" committed
report "linux: perft 4" grep -qx 'nodes 719731' <("$linux/enbu" perft 4)

# ---- aarch64 ---------------------------------------------------------------------------

if have qemu-aarch64; then
    emulated=(qemu-aarch64 "$arm/enbu")
    report "aarch64: usi" speaks_usi "${emulated[@]}"
    depth=3
    expected=$(signature "$linux/enbu")
    report "aarch64: bench ($expected)" equal "${emulated[@]}"
    unset depth
    expected=$(signature "$linux/enbu")
else
    skip "aarch64 (qemu-user is not installed)"
fi

# ---- Windows ---------------------------------------------------------------------------

wine() {
    /usr/lib/wine/wine64 "$@"
}

four_games() {
    wine "$windows/enbu.exe" match --engine self --engine self name=other --tc nodes=500 --games 4 \
        --concurrency 1 --out "$work/match.jsonl" >"$work/match" 2>&1
    cat "$work/match"
    [ "$(grep -c '"moves"' "$work/match.jsonl")" = 4 ]
}

# Blanks, Japanese letters and backslashes: in the path of the program and in that of a network.
japanese() {
    local folder="$work/将棋 エンジン"
    mkdir -p "$folder/評価 関数/一"
    cp "$windows/enbu.exe" "$folder/"
    "$target/thorough/examples/write_network" enbu-128-b4 "$folder/評価 関数/一/nn.bin"
    cd "$work"
    printf 'usi\nsetoption name EvalDir value 評価 関数\\一\nisready\neval\ngo depth 3\nquit\n' |
        wine "$folder/enbu.exe" | tr -d '\r' >"$work/session"
    cat "$work/session"
    grep -qx readyok "$work/session"
    grep -q '^bestmove [1-9PLNSGBR]' "$work/session"
    grep -q '評価 関数\\一.nn.bin' "$work/session"
    [ "$(grep -c error "$work/session")" = 0 ]
}

converts() {
    cp docs/game.kif "$work/棋譜 一.kif"
    wine "$windows/enbu.exe" convert "$work/棋譜 一.kif" -o "$work/棋譜 二.csa"
    cmp "$work/棋譜 二.csa" <("$linux/enbu" convert docs/game.kif --to csa)
}

if [ -x /usr/lib/wine/wine64 ] && have x86_64-w64-mingw32-gcc; then
    prepare_wine "$target/wine"
    report "windows: usi" speaks_usi wine "$windows/enbu.exe"
    report "windows: bench ($expected)" equal wine "$windows/enbu.exe"
    report "windows: a match of four games" four_games
    nice -n 10 cargo build --quiet --locked --profile thorough --package enbu-tests --example write_network
    report "windows: Japanese and blanks in paths, EvalDir with backslashes" japanese
    report "windows: a record with a Japanese name" converts
else
    skip "Windows (wine64 or mingw is not installed)"
fi

# ---- the Debian package ----------------------------------------------------------------

package=$(file_of 'enbu_*_amd64.deb')
clean=$work/clean
installs() {
    mkdir -p "$clean/var/lib/dpkg/info" "$clean/var/lib/dpkg/updates"
    touch "$clean/var/lib/dpkg/status" "$clean/var/lib/dpkg/available"
    dpkg --root="$clean" --install "$package"
    dpkg --root="$clean" --verify enbu
    local file
    for file in bin/enbu share/man/man1/enbu-bench.1.gz share/bash-completion/completions/enbu share/doc/enbu/copyright \
        share/doc/enbu/THIRD-PARTY-LICENSES.txt.gz share/doc/enbu/examples/csa/csa.toml; do
        [ -s "$clean/usr/$file" ] || { echo "$file is missing"; return 1; }
    done
}
purges() {
    dpkg --root="$clean" --purge enbu
    [ -z "$(find "$clean" -path "$clean/var" -prune -o ! -type d -print)" ]
}
if [ "$(id -u)" = 0 ]; then
    report "deb: installs" installs
    report "deb: usi in the clean root" speaks_usi chroot "$clean" /usr/bin/enbu
    report "deb: purges" purges
else
    skip "Debian package (not root)"
fi
# A static program and the lack of a bug in Debian's tracker are meant.
have lintian && report "deb: lintian" lintian --allow-root --fail-on error \
    --suppress-tags statically-linked-binary,initial-upload-closes-no-bugs "$package"

# ---- manual pages and completions --------------------------------------------------------

manual() {
    local page
    for page in "$linux"/man/man1/*.1; do
        MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -l "$page" >"$work/page" 2>"$work/warnings"
        cat "$work/warnings"
        [ ! -s "$work/warnings" ]
        grep -q '^SYNOPSIS' "$work/page"
    done
    [ -s "$linux/man/man1/enbu-completions.1" ]
}
have man && report "manual pages" manual

# shellcheck disable=SC2016 # the other shells expand their arguments
in_bash() {
    bash --norc -c 'set -eu; . "$1"; COMP_WORDS=(enbu ben); COMP_CWORD=1; _enbu enbu ben enbu
        echo "${COMPREPLY[@]}"; [ "${COMPREPLY[0]}" = bench ]' _ "$linux/completions/enbu.bash"
}
# shellcheck disable=SC2016
in_zsh() {
    zsh -f -c 'fpath=("$1" $fpath); autoload -U compinit; compinit -u -D; [ "$_comps[enbu]" = _enbu ] &&
        autoload +X _enbu && functions _enbu | grep -q bench' _ "$linux/completions"
}
# shellcheck disable=SC2016
in_fish() {
    fish --no-config -c 'source $argv[1]; complete -C "enbu ben"' "$linux/completions/enbu.fish" | grep -q '^bench'
}
for shell in bash zsh fish; do
    if have "$shell"; then
        report "completions in $shell" "in_$shell"
    else
        skip "completions in $shell (not installed)"
    fi
done
if have pwsh; then
    report "completions in PowerShell" pwsh -NoProfile -File "$windows/completions/_enbu.ps1"
else
    skip "completions in PowerShell (not installed)"
fi

[ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
echo "all files of the release work"
