#!/usr/bin/env bash
# The least limit on data (heap, stacks, anonymous maps; `prlimit --data`) under which one process carries a fit out, and
# the least under which each of three does, reading or generating included; to 1 %.
# RADDLE_DATA=... benches/memory.sh [PROGRAM LINE...]
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet
bin=$PWD/target/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Succeeds if a line ends with a model (0), or at its epochs (3), with so many million bytes.
fits() {
  local megabytes=$1 status=0
  shift
  prlimit --data="${megabytes}000000" "$@" >/dev/null 2>&1 || status=$?
  [ "$status" = 0 ] || [ "$status" = 3 ]
}

# The least number of million bytes.
least() {
  local low=8 high=16
  while ! fits "$high" "$@"; do low=$high high=$((2 * high)); done
  while [ $((100 * (high - low))) -gt "$high" ]; do
    local middle=$(((low + high) / 2))
    if fits "$middle" "$@"; then high=$middle; else low=$middle; fi
  done
  echo "$high"
}

compare() {
  local program=$1 one three
  shift
  one=$(least "$bin/$program" "$@" --workers 1 --quiet)
  three=$(least "$bin/raddle" launch --processes 3 --workers 1 -- "$bin/$program" "$@" --quiet)
  printf '| `%s` | %s | %s | %s.%02d |\n' "$program $*" "$one" "$three" $((three / one)) $((100 * three / one % 100))
}

echo '| | one process, MB | each of three, MB | share |'
echo '|---|---|---|---|'
if [ $# -gt 0 ]; then compare "$@"; exit; fi
compare lasso fit synth:groups:n=1000,p=100000,s=50
compare mf fit synth:ratings:users=100000,items=10000,n=10000000 --rank 32 --epochs 2
compare lda fit imdb --topics 1000 --epochs 5
