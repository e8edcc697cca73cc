#!/usr/bin/env bash
# The gate of the Python package: format, lints, what may enter the tree, then its tests on the wheel as it is installed,
# with doctests. The wheel is built as the tests of the workspace are; environment and build lie in
# target/python/. Without a Python it says what was not checked.
#
#   check.sh [--release | --build]
#
# With --release the wheel is built as it is published, into target/python/wheels, which takes longer; with --build all is
# there for the tests, and none is run.
set -euo pipefail
profile=dev tests=true
case ${1:-} in
  --release) profile=release ;;
  --build) tests=false ;;
  '') ;;
  *) echo "check.sh: $1 is no option: --release, --build" >&2 && exit 2 ;;
esac
cd "$(dirname "$0")"
package=$PWD
root=$(cd ../.. && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
python=${PYTHON:-python3}

if ! "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "NOT CHECKED: algorithms/python (it needs a Python of 3.11 or later, with venv)"
  exit 0
fi

# Tests on public sets read them from here, and compare models with those of the programs; without, they are skipped and
# say so.
if [ -z "${RADDLE_DATA:-}" ] && [ -d "$root/../shared/datasets" ]; then
  RADDLE_DATA=$(cd "$root/../shared/datasets" && pwd)
  export RADDLE_DATA
fi
if [ -z "${RADDLE_BIN:-}" ]; then
  newest=$(ls -t "$target"/{debug,release}/lasso 2>/dev/null | head -n 1 || true)
  if [ -n "$newest" ]; then
    RADDLE_BIN=$(dirname "$newest")
    export RADDLE_BIN
  else
    echo "NOT CHECKED: models against those of the programs (cargo build --release, or RADDLE_BIN)"
  fi
fi

mkdir -p "$target/python"
environment=$(cd "$target/python" && pwd)/environment
# Apart from the tests of the workspace, which look at their own libraries there.
export CARGO_TARGET_DIR=$environment/../build
# It is built once and not looked into.
[ "$profile" = release ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_STRIP=true
step() { printf '\n== %s\n' "$*"; "$@"; }

# Made anew where the pinned versions are others.
if ! cmp -s requirements-test.lock "$environment/installed.lock"; then
  rm -rf "$environment"
  step "$python" -m venv "$environment"
  step "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement requirements-test.lock
  cp requirements-test.lock "$environment/installed.lock"
fi

# The same for lints and wheel, so that one builds on what the other did.
export PYO3_PYTHON=$environment/bin/python
step cargo fmt --check
step cargo clippy --profile $profile --locked --all-targets -- -D warnings
if cargo deny --version >/dev/null 2>&1; then
  step cargo deny --log-level error --locked --config deny.toml check bans licenses sources
else
  step "$python" ../../.ci/allowed.py deny.toml
fi

wheels=$environment/../wheels
[ "$profile" = release ] || wheels=$environment/../tested
rm -rf "$wheels"
step "$environment/bin/maturin" build --profile $profile --locked --quiet --out "$wheels"
wheel=$(echo "$wheels"/*.whl)
size=$(stat --format %s "$wheel" 2>/dev/null || stat -f %z "$wheel")
printf '%s: %s bytes\n' "$(basename "$wheel")" "$size"
case $wheel in *-abi3-*) ;; *) echo "FAILED: the wheel is not abi3"; exit 1 ;; esac
[ "$profile" != release ] || [ "$size" -le 6291456 ] || { echo "FAILED: the wheel is to have at most 6 MB"; exit 1; }
step "$environment/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"

# A source distribution builds by itself: its manifests lead to packages that it holds, with all their sources, and its page
# is that of the package.
step "$environment/bin/maturin" sdist --out "$wheels"
sources=$wheels/sources
mkdir -p "$sources"
tar -xzf "$wheels"/*.tar.gz -C "$sources" --strip-components 1
folders=$(cargo metadata --locked --format-version 1 --manifest-path "$sources/algorithms/python/Cargo.toml" |
  "$python" -c '
import json, os, sys
ours = [p for p in json.load(sys.stdin)["packages"] if p["source"] is None]
print(*sorted(os.path.relpath(os.path.dirname(p["manifest_path"]), sys.argv[1]) for p in ours))' "$(cd "$sources" && pwd -P)")
for folder in $folders; do
  # Sources lie in src, or beside the manifest; those of a package within another's folder are that package's.
  of=src
  [ -d "$root/$folder/src" ] || of=.
  inner=$(git -C "$root/$folder" ls-files "$of/*/Cargo.toml" | sed 's/Cargo\.toml$/**/; s/^/:!/')
  # shellcheck disable=SC2086 # Its words are patterns without blanks.
  missing=$(set -f; comm -23 <(git -C "$root/$folder" ls-files "$of/*.rs" $inner | sort) \
    <(cd "$sources/$folder" && find "$of" -name '*.rs' | sed 's,^\./,,' | sort))
  [ -z "$missing" ] || { echo "FAILED: the source distribution lacks, of $folder,"$'\n'"$missing"; exit 1; }
done
cmp README.md "$sources/PACKAGE.markdown"
echo "the source distribution holds $folders"
# It installs, in an environment of its own; that takes as long as the wheel.
if [ "$profile" = release ]; then
  step "$python" -m venv --clear --system-site-packages "$wheels/installed"
  step "$wheels/installed/bin/pip" install --quiet --disable-pip-version-check --no-deps "$wheels"/*.tar.gz
  (cd "$wheels/installed" && step bin/python -c 'import raddle; print(raddle.__version__)')
fi

$tests || exit 0
# From elsewhere, so that the wheel is imported and not the sources beside it.
cd "$environment"
step "$environment/bin/python" -m pytest --quiet -rs --rootdir "$package" --config-file "$package/pyproject.toml" \
  -p no:cacheprovider "$package/tests"
step "$environment/bin/python" -m pytest --quiet --rootdir "$package" --config-file "$package/pyproject.toml" \
  -p no:cacheprovider --doctest-modules --pyargs raddle
