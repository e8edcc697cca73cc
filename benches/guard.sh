#!/usr/bin/env bash
# Effect of the guard where a pairwise threshold is no guarantee: eight epochs of rounds with it and without. Counted,
# not timed. Needs RADDLE_DATA.
#
#   RADDLE_DATA=... benches/guard.sh
#   benches/guard.sh DATA MODE RATIO PARALLELISM # of other data
#
# RADDLE_BIN names a folder with programs that are built already.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${RADDLE_BIN:-}" ] || cargo build --release --quiet --bin lasso
lasso=${RADDLE_BIN:-target/release}/lasso
problems=("farmads sparse-raw 10 32" "farmads sparse-raw 100 32" "mice dense-std 10 64")
[ $# -eq 0 ] || problems=("$*")

# The report of a run that reached its gap (0) or ended before (3); any other end is that of this script.
report() {
  local status=0
  "$lasso" "$@" --quiet --json || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

row='
import json, sys
r = json.loads(sys.argv[1]); number = lambda x: "none" if x is None else "%.4g" % x
print("| " + " | ".join(sys.argv[2:] + [r["ending"], number(r["metric"]["value"]), number(r["objective"]), str(r["rollbacks"])]) + " |")'

echo "| data | ratio | parallelism | schedule | guard | ending | relative gap | objective | rollbacks |"
echo "|---|---|---|---|---|---|---|---|---|"
for problem in "${problems[@]}"; do
  read -r data mode ratio parallelism <<<"$problem"
  # Only priority looks at dependencies: the others know no rho.
  for run in "priority --rho 0.3" cyclic shuffled; do
    read -r schedule limit <<<"$run"
    for guard in off on; do
      # shellcheck disable=SC2086 # the option and its value are two words
      found=$(report fit "$data" --mode "$mode" --ratio "$ratio" --parallelism "$parallelism" --schedule "$schedule" $limit \
        --guard "$guard" --epochs 8 --tol 1e-4)
      python3 -c "$row" "$found" "$data" "$ratio" "$parallelism" "$schedule" "$guard"
    done
  done
done
