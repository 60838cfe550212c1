# shellcheck shell=bash
# Sourced by the scripts that run Windows executables by wine.

# prepare_wine FOLDER: a prefix of wine in FOLDER, for the calls of wine that follow.
# Wine 8 lacks a library function that Windows has had since 2007 under another name;
# the stand-in is for tests only.
prepare_wine() {
    export WINEPREFIX=$1 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
    local stand_in=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
    [ -e "$stand_in" ] && return
    /usr/lib/wine/wine64 wineboot -i >/dev/null 2>&1
    printf '%s\n' '#include <windows.h>' 'BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);' \
        '__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE p, SIZE_T n) { return SystemFunction036(p, (ULONG)n); }' \
        >"$WINEPREFIX/prng.c"
    x86_64-w64-mingw32-gcc -shared -O2 -s -o "$stand_in" "$WINEPREFIX/prng.c" -ladvapi32
}
