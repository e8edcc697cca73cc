# For scripts that run programs of Windows: makes a prefix of Wine in $work, unless WINEPREFIX names one, and ends its servers.
export WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='

begin_wine() {
  export WINEPREFIX=${WINEPREFIX:-$work/prefix}
  wineboot --init >/dev/null 2>&1
  # Wine before 9 lacks a library that Rust's random numbers come from.
  cat >"$work/random.c" <<'C'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG count);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return SystemFunction036(bytes, (ULONG)count); }
C
  local libraries=$WINEPREFIX/drive_c/windows/system32
  [ -e "$libraries/bcryptprimitives.dll" ] ||
    x86_64-w64-mingw32-gcc -shared -O1 -o "$libraries/bcryptprimitives.dll" "$work/random.c" -ladvapi32
}

end_wine() {
  case ${WINEPREFIX:-} in "$work"/*) wineserver -k 2>/dev/null || true ;; esac
}
