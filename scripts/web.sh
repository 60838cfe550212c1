#!/usr/bin/env bash
# The page and the engine of dist/ tried: `cargo xtask dist --check`.
#
# In node: the rules of the ABI, USI, losses of Workers, the signature, and the tables of the program. In a headless Chromium: the page, from
# the disk and from a server. The kernels for WebAssembly against the scalar ones, where rustup has wasm32-wasip1.
# Needs node (20 or later) and Chromium; what is missing is skipped, and said.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
work=$target/dist/check/web
rm -rf "$work"
mkdir -p "$work"

archive=$(compgen -G 'dist/enbu-*-web.zip' | tail -n 1) || { echo "dist/ has no page; \`cargo xtask dist --only web\` makes it" >&2; exit 1; }
unzip -q "$archive" -d "$work"
ENBU_WEB=$(echo "$work"/enbu-*-web/enbu)
export ENBU_WEB
# The program of this commit: that of an earlier `cargo xtask dist` may be older.
cargo build --quiet --locked --profile thorough --package enbu --bin enbu
export ENBU_NATIVE=$target/thorough/enbu
! grep -q -a -F -e "$PWD" -e "$HOME/.cargo" "$ENBU_WEB/enbu.wasm" || { echo "the module names folders of this machine" >&2; exit 1; }
echo "module: $(stat -c %s "$ENBU_WEB/enbu.wasm") bytes, $(gzip -9 -c "$ENBU_WEB/enbu.wasm" | wc -c) as gzip"

if ! command -v node >/dev/null; then
    echo "skipped: the engine in node, the page (no node)"
    exit 0
fi
node --test --test-force-exit web/tests/engine.test.mjs
# The tables of the program that need neither threads nor a limit of memory.
ENBU_BIN=$PWD/web/tests/usi.mjs cargo test --locked --package enbu-tests --test all -- \
    malformed:: rules:: a_thousand_stops ponderhit_and_stop_together --skip a_hash_table_that_does_not_fit
if [ -n "${ENBU_BROWSER-}" ] || command -v chromium chromium-browser google-chrome >/dev/null; then
    node --test --test-force-exit web/tests/page.test.mjs
else
    echo "skipped: the page (no Chromium)"
fi
if [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-wasip1/lib" ]; then
    # Without panics that are caught: there are none on this target.
    RUSTFLAGS=-Ctarget-feature=+simd128 CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/web/tests/wasi.mjs" \
        cargo test --locked --package enbu-eval --lib --target wasm32-wasip1 --target-dir "$target/wasi" simd -- --skip refused
else
    echo "skipped: kernels for WebAssembly (rustup target add wasm32-wasip1)"
fi
