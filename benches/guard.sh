#!/usr/bin/env bash
# Effect of the guard where a pairwise threshold is no guarantee: eight epochs of rounds with it and without. Counted,
# not timed. Needs RADDLE_DATA.
#
#   RADDLE_DATA=... benches/guard.sh
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --bin lasso
echo "| data | ratio | parallelism | schedule, rho 0.3 | guard | ending | relative gap | objective | rollbacks |"
echo "|---|---|---|---|---|---|---|---|---|"
for problem in "farmads sparse-raw 10 32" "farmads sparse-raw 100 32" "mice dense-std 10 64"; do
  read -r data mode ratio parallelism <<<"$problem"
  for schedule in priority cyclic shuffled; do
    for guard in off on; do
      report=$(target/release/lasso fit "$data" --mode "$mode" --ratio "$ratio" --parallelism "$parallelism" --rho 0.3 \
        --schedule "$schedule" --guard "$guard" --epochs 8 --tol 1e-4 --quiet --json || true)
      python3 -c '
import json, sys
r = json.loads(sys.argv[1]); number = lambda x: "none" if x is None else "%.4g" % x
print("| " + " | ".join(sys.argv[2:] + [r["ending"], number(r["metric"]["value"]), number(r["objective"]), str(r["rollbacks"])]) + " |")
' "$report" "$data" "$ratio" "$parallelism" "$schedule" "$guard"
    done
  done
done
