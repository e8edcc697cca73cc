#!/usr/bin/env bash
# Does structure-aware scheduling pay? Updates per variable that each schedule of rounds needs to a relative gap of
# 1e-4, on groups of correlated columns. Counted, not timed: the numbers are the same on every machine.
#
#   benches/scheduling.sh                  # the five seeds: some minutes
#   benches/scheduling.sh 1 1              # seed 1 alone
#   benches/scheduling.sh 1 1 n=100,p=400,g=20,r=0.9,s=10,snr=5 # of other groups
#
# RADDLE_BIN names a folder with programs that are built already.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -n "${RADDLE_BIN:-}" ] || cargo build --release --quiet --bin lasso
lasso=${RADDLE_BIN:-target/release}/lasso
first=${1:-1} last=${2:-5} groups=${3:-n=500,p=20000,g=20,r=0.9,s=50,snr=5}

# The report of a run that reached its gap (0) or ended before (3); any other end is that of this script.
report() {
  local status=0
  "$lasso" "$@" --quiet --json || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
}

row='
import json, sys
r = json.loads(sys.argv[1]); gap = r["metric"]["value"]
print("| %s | %s | %s | %s | %.2g | %d | %.1f | %d / %d |" % (*sys.argv[2:], r["ending"], float("nan") if gap is None else gap,
      r["epochs"], r["updates"] / r["data"]["sizes"]["columns"], r["rejected"], r["candidates"]))'

echo "| seed | schedule | rho | ending | relative gap | epochs | updates a variable | rejected / candidates |"
echo "|---|---|---|---|---|---|---|---|"
for seed in $(seq "$first" "$last"); do
  # Only priority looks at dependencies: the others know no rho.
  for run in "priority 0.1" "shuffled -" "priority off" "cyclic -"; do
    read -r schedule rho <<<"$run"
    limit=()
    [ "$rho" = - ] || limit=(--rho "$rho")
    found=$(report fit "synth:groups:$groups,seed=$seed" --mode dense-std --ratio 10 --tol 1e-4 --parallelism 100 --guard off \
      --schedule "$schedule" ${limit[@]+"${limit[@]}"} --epochs 400)
    python3 -c "$row" "$found" "$seed" "$schedule" "$rho"
  done
done
