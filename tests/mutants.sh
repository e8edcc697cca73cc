#!/usr/bin/env bash
# Mutation testing: a random sample of changes to the source, each run on the tests of its package. A change that no test
# notices is a hole in the tests, or matters to nobody: that is for a reader to judge.
#
#   tests/mutants.sh [N [SEED [FILE..]]]
#
# N changes (10) that compile are drawn by a seed (random, and printed) from files (globs; all of libraries and
# programs). For each: caught, and by which test, missed, or reached by no test. All stand in one build (mutants.py), in
# target/mutants, where the next sample goes on from. The draw hardly moves when the source does;
# RADDLE_MUTANTS_AGAIN=REPORT runs only those that the lines of a former report name. Status 1 if any was missed, 2 on
# bad input.
# Needs Python 3.11 and cargo-mutants (`cargo install cargo-mutants --locked`).
set -euo pipefail
cd "$(dirname "$0")/.."

number=${1:-10}
seed=${2:-$RANDOM}
files=("${@:3}")
if [ ${#files[@]} -eq 0 ]; then
  files=('src/**' 'algorithms/*/src/**' 'datasets/**')
fi
case $number in '' | *[!0-9]* | 0) echo "the number of changes, $number, is no whole number above 0" >&2; exit 2 ;; esac
cargo mutants --version >/dev/null 2>&1 || {
  echo "cargo-mutants is missing: cargo install cargo-mutants --locked" >&2
  exit 2
}

scratch=${CARGO_TARGET_DIR:-$PWD/target}/mutants
mkdir -p "$scratch"
python=$scratch/venv/bin/python
"$python" -c 'import tree_sitter, tree_sitter_rust' 2>/dev/null || {
  python3 -m venv "$scratch/venv"
  "$python" -m pip --quiet install 'tree-sitter>=0.26,<0.27' 'tree-sitter-rust>=0.24,<0.25'
}
exec "$python" tests/mutants.py "$scratch" "$number" "$seed" "${files[@]}"
