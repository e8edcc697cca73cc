#!/usr/bin/env bash
# Does structure-aware scheduling pay? Updates per variable that each schedule of rounds needs to a relative gap of
# 1e-4, on groups of correlated columns. Counted, not timed: the numbers are the same on every machine.
#
#   benches/scheduling.sh            # the five seeds: some minutes
#   benches/scheduling.sh 1 1        # seed 1 alone
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --bin lasso
first=${1:-1} last=${2:-5}
echo "| seed | schedule | rho | ending | relative gap | epochs | updates a variable | rejected / candidates |"
echo "|---|---|---|---|---|---|---|---|"
for seed in $(seq "$first" "$last"); do
  for run in "priority 0.1" "shuffled off" "priority off" "cyclic off"; do
    read -r schedule rho <<<"$run"
    target/release/lasso fit "synth:groups:n=500,p=20000,g=20,r=0.9,s=50,snr=5,seed=$seed" --mode dense-std --ratio 10 \
      --tol 1e-4 --parallelism 100 --guard off --schedule "$schedule" --rho "$rho" --epochs 400 --quiet --json |
      python3 -c '
import json, sys
r = json.load(sys.stdin); seed, schedule, rho = sys.argv[1:]
print("| %s | %s | %s | %s | %.2g | %d | %.1f | %d / %d |" % (seed, schedule, rho, r["ending"],
      r["metric"]["value"] if r["metric"]["value"] is not None else float("nan"), r["epochs"],
      r["updates"] / r["data"]["sizes"]["columns"], r["rejected"], r["candidates"]))' "$seed" "$schedule" "$rho" || true
  done
done
