#!/usr/bin/env bash
# Mutation testing: a random sample of changes to the source, each run on the tests of its package. A change that no test
# notices is a hole in the tests, or matters to nobody: that is for a reader to judge.
#
#   tests/mutants.sh [N [SEED [FILE..]]]
#
# N changes (10) are drawn by a seed (random, and printed) from files (those below; globs). For each: caught, and by which
# tests, or missed. Needs cargo-mutants (`cargo install cargo-mutants --locked`). Status 1 if any was missed.
set -euo pipefail
cd "$(dirname "$0")/.."

number=${1:-10}
seed=${2:-$RANDOM}
files=("${@:3}")
if [ ${#files[@]} -eq 0 ]; then
  files=('src/run/**' 'src/schedule/**' 'src/cluster/**' 'src/checkpoint/**' 'src/engine/**'
    'algorithms/lasso/src/run/**' 'algorithms/lasso/src/data/**' 'algorithms/mf/src/sgd/**' 'algorithms/mf/src/alternating/**'
    'algorithms/lda/src/counts/**' 'datasets/src/table/**' 'datasets/src/ratings/**' 'datasets/src/corpus/**')
fi
case $number in '' | *[!0-9]* | 0) echo "the number of changes, $number, is no whole number above 0" >&2; exit 2 ;; esac
cargo mutants --version >/dev/null 2>&1 || {
  echo "cargo-mutants is missing: cargo install cargo-mutants --locked" >&2
  exit 2
}

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
from=()
for file in "${files[@]}"; do from+=(--file "$file"); done

# A line a change, in an order that the seed alone decides.
cargo mutants --list --workspace --no-config --colors never "${from[@]}" >"$out/all"
awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.12f\t%s\n", rand(), $0 }' "$out/all" | sort -n | cut -f2- |
  awk -v number="$number" 'NR <= number' >"$out/chosen"
[ -s "$out/chosen" ] || { echo "no change is possible in ${files[*]}: name files or globs from the root" >&2; exit 2; }
echo "seed $seed: $(wc -l <"$out/chosen") of $(wc -l <"$out/all") changes"

# Programs of tests that need nothing but their own package.
of_engine=(--lib)
for test in failure hands limits measures mistakes processes resume schedule; do of_engine+=(--test "$test"); done
total=0 missed=0
of_package() { # the folder of its sources, and the arguments of its tests
  grep "^$1" "$out/chosen" >"$out/of" || return 0
  local name log list
  # All others pass for caught before: to choose by name, regular expressions do not do for every kind of change.
  rm -rf "$out"/mutants.out*
  mkdir "$out/mutants.out"
  grep -vxFf "$out/of" "$out/all" >"$out/mutants.out/caught.txt" || true
  cargo mutants --workspace --iterate --no-config --colors never --no-times --no-shuffle --baseline skip --timeout 900 \
    --output "$out" "${from[@]}" -- "${@:2}" --no-fail-fast >"$out/log" 2>&1 || true
  [ -f "$out/mutants.out/outcomes.json" ] || { cat "$out/log" >&2; exit 2; }
  for list in caught timeout unviable missed; do
    while IFS= read -r name; do
      printf '%-8s %s\n' "$list" "$name"
      case $list in missed) missed=$((missed + 1)) ;& caught | timeout) total=$((total + 1)) ;; esac
      log=$(grep -lF -- "$name" "$out"/mutants.out/log/*.log 2>/dev/null | head -n 1 || true)
      [ -z "$log" ] || sed -n 's/^test \(.*\) \.\.\. FAILED$/           by \1/p' "$log" | sort -u
    done <"$out/mutants.out/$list.txt"
  done
}
of_package src/ "${of_engine[@]}"
for folder in datasets algorithms/lasso algorithms/mf algorithms/lda; do
  of_package "$folder/" --lib --bins --tests
done
printf '\n%s changes, %s missed\n' "$total" "$missed"
[ "$missed" -eq 0 ]
