#!/usr/bin/env bash
# The Python package on another machine, run here by an emulator: the unit tests of the Rust libraries that it is made of, and
# the package itself, whose models have the digests of this machine's programs.
#
#   tests/anywhere_python.sh aarch64-linux|x86_64-windows [--wheel FILE] [--native FOLDER] [--only libraries,package]
#
# Needs what .ci/release names for the target, and qemu-aarch64-static or wine. Python and its packages for ARM come from Debian
# and the package index, into a folder of their own; for Windows nobody packs a Python that could be installed here, so that
# its libraries alone are run. Without --wheel .ci/release makes it; --native names the programs of this machine,
# target/debug unless given.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
target=${1:-}
case $target in
  aarch64-linux) emulator=qemu-aarch64-static triple=aarch64-unknown-linux-musl cargo=cargo-zigbuild ;;
  x86_64-windows) emulator=wine triple=x86_64-pc-windows-gnu cargo=cargo ;;
  *) usage ;;
esac
shift
wheel='' native=${CARGO_TARGET_DIR:-$root/target}/debug only=libraries,package
while [ $# -gt 0 ]; do
  case $1 in
    --wheel) wheel=$(realpath "$2") ;;
    --native) native=$(cd "$2" && pwd) ;;
    --only) only=$2 ;;
    *) usage ;;
  esac
  shift 2
done
command -v "$emulator" >/dev/null || { echo "NOT CHECKED: $target (it needs $emulator)" && exit 0; }
work=$(mktemp -d)
. "$root/tests/wine.sh"
trap 'end_wine; rm -rf "$work"' EXIT
[ "$target" != x86_64-windows ] || begin_wine

libraries() {
  local variable=CARGO_TARGET_${triple^^}_RUNNER
  # Names of variables have no hyphens.
  export "${variable//-/_}=$emulator" CARGO_INCREMENTAL=0 CARGO_PROFILE_TEST_DEBUG=0
  local name libraries=()
  for name in base kernels datasets tabular lasso mf lda linear; do libraries+=(--package "raddle-$name"); done
  # Public sets are read by the tests of this machine.
  env -u RADDLE_DATA CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}/anywhere" \
    "$cargo" test --locked --lib --no-fail-fast --target "$triple" "${libraries[@]}"
}

# An interpreter for ARM and what it loads, out of packages that are unpacked and not installed.
interpreter() {
  mkdir -p "$work"/{state,lists/partial,cache/archives/partial,root,site}
  touch "$work/status"
  local options=(-o Dir::State="$work/state" -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status"
    -o Dir::Cache="$work/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=0 -o APT::Sandbox::User=root)
  apt-get --quiet "${options[@]}" update >/dev/null
  apt-get --quiet "${options[@]}" --yes --download-only install python3-minimal libpython3-stdlib libstdc++6 libgomp1 >/dev/null
  local package
  for package in "$work"/cache/archives/*.deb; do dpkg-deb --extract "$package" "$work/root"; done
  python=$(basename "$work"/root/usr/bin/python3.[0-9]*)
  # Those of requirements-test.lock that the tests below import.
  local names='cloudpickle|implicit|iniconfig|joblib|narwhals|numpy|packaging|pandas|pluggy|polars|polars-runtime-32|Pygments|pytest'
  names=$names'|python-dateutil|scikit-learn|scipy|threadpoolctl|tqdm|tzdata'
  grep -E "^($names)==" algorithms/python/requirements-test.lock >"$work/names"
  local platform platforms=()
  for platform in manylinux2014 manylinux_2_17 manylinux_2_24 manylinux_2_27 manylinux_2_28; do platforms+=(--platform "${platform}_aarch64"); done
  python3 -m pip download --quiet --no-deps --only-binary :all: "${platforms[@]}" --python-version "${python#python}" \
    --dest "$work/wheels" --requirement "$work/names"
  for package in "$work"/wheels/*.whl "$wheel"; do unzip -qo "$package" -d "$work/site"; done
}

package() {
  [ "$target" = aarch64-linux ] || { echo "NOT CHECKED: the package on $target (no Python of it is to be had)" && return 0; }
  if [ -z "$wheel" ]; then
    .ci/release --wheels "$work/release" "$target"
    wheel=$(echo "$work"/release/*.whl)
  fi
  local python
  interpreter
  cp -r algorithms/python/{tests,docs,pyproject.toml} "$work"
  # Those that compare with programs and files; of them two start an interpreter, which the emulator cannot, one counts
  # milliseconds, and in one the emulator makes numpy warn of its own product.
  local left_out='not search_over and not eight_bytes and not millisecond and not equal_factors'
  (cd "$work" && RADDLE_BIN=$native "$emulator" -L "$work/root" -E "PYTHONPATH=$work/site" -E PYTHONHOME=/usr \
    "$work/root/usr/bin/$python" -m pytest --quiet -p no:cacheprovider -k "$left_out" \
    tests/test_{same_model,same_answers,linear,linear_runs,mf,lda,saved}.py)
}

for part in ${only//,/ }; do
  echo "== $part"
  "$part"
done
