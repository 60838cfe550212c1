#!/usr/bin/env bash
# The bench signature of each kind of evaluation on other processors and systems.
#
# Takes the programs of `cargo xtask dist` and compares the one for Linux x86-64 with:
# itself on older processors (qemu-user: Nehalem without AVX2, Haswell with it), the
# one for aarch64 (qemu-user), and the Windows executable (wine). Part of
# `cargo xtask dist --check`, not of CI: it needs Debian packages (see `packages` below)
# and some minutes. What is missing is skipped, and said.
set -euo pipefail

packages='qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross rustc-web cargo-web
rust-web-src wine64 gcc-mingw-w64-x86-64-posix'

usage() {
    cat <<USAGE
usage: scripts/ports.sh [levels] [arm] [windows]

Without arguments: all of them. ENBU_PORTS_DEPTH sets the depth of the bench (2).
Debian packages (levels needs only qemu-user):
$packages
USAGE
}

for word in "$@"; do
    case $word in
        levels | arm | windows) ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
wanted=" ${*:-levels arm windows} "
depth=${ENBU_PORTS_DEPTH:-2}
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
work=$target/ports
rm -rf "$work/programs"
mkdir -p "$work/programs"
failures=0

# program NAME FILE: path of the program for a target, unpacked from dist/.
program() {
    local archive
    archive=$(compgen -G "dist/enbu-*-$1.*" | tail -n 1) || true
    [ -n "$archive" ] || { echo "dist/ has nothing for $1; \`cargo xtask dist\` fills it" >&2; return 1; }
    case $archive in
        *.zip) unzip -q -o "$archive" -d "$work/programs" ;;
        *) tar --extract --file "$archive" --directory "$work/programs" ;;
    esac
    echo "$work/programs"/enbu-*-"$1/$2"
}

# Debian's compiler can build the standard library from its own sources, without
# a network. The tests of the kernels for aarch64 use it.
foreign() {
    PATH=/usr/bin:$PATH RUSTC_BOOTSTRAP=1 nice -n 10 /usr/bin/cargo "$@" --target-dir "$work/build"
}

have() {
    command -v "$1" >/dev/null 2>&1
}

skip() {
    echo "skipped: $1"
}

# ---- the native build, and networks of every kind --------------------------------

native=$(program linux-x86_64 enbu)
nice -n 10 cargo build --quiet --locked --profile thorough --package enbu-tests --example write_network
shapes='piece-square kp-256x2-32-32 halfkpvm-256x2-32-32 sfnn-ka2-256-8-32-hand16-k9k9-progress4 enbu-128-b4 enbu-64-attacks'
for shape in $shapes; do
    [ "$shape" = piece-square ] || [ -s "$work/$shape.bin" ] || "$target/thorough/examples/write_network" "$shape" "$work/$shape.bin"
done

# signature SHAPE COMMAND...: the last line of the bench.
signature() {
    local shape=$1
    shift
    set -- "$@" bench --depth "$depth" --hash 4
    [ "$shape" = piece-square ] || set -- "$@" --network "$work/$shape.bin"
    "$@" 2>"$work/errors" | tr -d '\r' | sed -n 's/^Bench: //p' | tail -n 1
}

declare -A expected
for shape in $shapes; do
    expected[$shape]=$(signature "$shape" "$native") || true
    [ -n "${expected[$shape]}" ] || { cat "$work/errors" >&2; exit 1; }
    echo "native $shape: ${expected[$shape]}"
done

# check NAME COMMAND...: every kind has the native signature.
check() {
    local name=$1 shape found
    shift
    for shape in $shapes; do
        found=$(signature "$shape" "$@" || true)
        if [ "$found" = "${expected[$shape]}" ]; then
            echo "$name $shape: equal"
        else
            echo "$name $shape: ${found:-nothing} instead of ${expected[$shape]}"
            tail -n 3 "$work/errors"
            failures=$((failures + 1))
        fi
    done
}

for path in scalar avx2 avx512 neon; do
    if ENBU_SIMD=$path signature enbu-128-b4 "$native" >/dev/null 2>&1 && ! [ -s "$work/errors" ]; then
        check "native $path" env "ENBU_SIMD=$path" "$native"
    fi
done

# ---- older processors --------------------------------------------------------------

if [[ $wanted == *' levels '* ]]; then
    if have qemu-x86_64; then
        for cpu in Nehalem Haswell; do
            check "$cpu" qemu-x86_64 -cpu "$cpu" "$native"
        done
    else
        skip "older processors (qemu-x86_64 is not installed)"
    fi
fi

# ---- aarch64 -----------------------------------------------------------------------

if [[ $wanted == *' arm '* ]]; then
    if have qemu-aarch64 && have aarch64-linux-gnu-gcc && [ -x /usr/bin/cargo ]; then
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER='qemu-aarch64 -L /usr/aarch64-linux-gnu'
        foreign test --quiet --profile thorough --package enbu-eval --lib --target aarch64-unknown-linux-gnu -Zbuild-std
        arm=$(program linux-aarch64 enbu)
        check aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu cortex-a53 "$arm"
    else
        skip "aarch64 (qemu-aarch64, aarch64-linux-gnu-gcc or /usr/bin/cargo is not installed)"
    fi
fi

# ---- Windows -----------------------------------------------------------------------

. scripts/wine.sh

if [[ $wanted == *' windows '* ]]; then
    if [ -x /usr/lib/wine/wine64 ] && have x86_64-w64-mingw32-gcc; then
        prepare_wine "$work/wine"
        windows=$(program windows-x86_64 enbu.exe)
        check windows /usr/lib/wine/wine64 "$windows"
    else
        skip "Windows (wine64 or mingw is not installed)"
    fi
fi

[ "$failures" -eq 0 ] || { echo "$failures signatures differ"; exit 1; }
echo "all signatures are equal"
