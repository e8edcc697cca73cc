#!/usr/bin/env bash
# The twelve packages as they are published.
#   tests/packages.sh --pack   packs them, in a minute: each holds sources, licences and a page, no data but the samples, and
#                              depends on what is published
#   tests/packages.sh          builds and tests each, too, where it is unpacked, which has no other file of this repository;
#                              dependencies come from the registry. About 20 minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(
  raddle-base raddle-datasets raddle raddle-cli raddle-common raddle-kernels raddle-tabular raddle-lasso raddle-mf raddle-lda raddle-linear raddle-pool
)

folder() {
  case $1 in
    raddle) echo . ;;
    raddle-base | raddle-cli) echo "src/${1#raddle-}" ;;
    raddle-datasets) echo datasets ;;
    *) echo "algorithms/${1#raddle-}" ;;
  esac
}

# What a package may hold, line by line.
may_hold() {
  cat <<'PATTERNS'
\.cargo_vcs_info\.json
Cargo\.(lock|toml|toml\.orig)
LICENSE-(APACHE|MIT)
src/.*\.(rs|tsv)
PATTERNS
  case $1 in
    raddle) printf '%s\n' 'src/.*\.md' '(README|CHANGELOG)\.md' ;;
    raddle-base) printf '%s\n' '.*\.rs' 'README\.md' ;;
    raddle-cli) printf '%s\n' '.*\.rs' 'options/foreign/.*\.tsv' 'page/.*\.(css|js)' '(README|REPORT)\.md' ;;
    raddle-common | raddle-kernels | raddle-tabular) echo 'README\.md' ;;
    raddle-datasets)
      printf '%s\n' 'README\.md' 'examples/.*\.rs' \
        'data/(README\.md|diabetes\.csv|docword\.pydoc\.txt\.gz|vocab\.pydoc\.txt|stop-words-english\.txt|pydoc\.py|sets\.json)'
      ;;
    *) printf '%s\n' '(README|ADMISSION|CHANGES|PARTS|POOL)\.md' 'examples/.*\.rs' ;;
  esac
}

failed=0
fail() {
  echo "FAILED: $*" >&2
  failed=1
}

check_list() {
  local package=$1 at listed strays missing licence
  at=$(folder "$package")
  listed=$(cargo package --quiet --list --locked --allow-dirty --package "$package" | tr '\\' / | sort)
  strays=$(grep -Evx -f <(may_hold "$package") <<<"$listed" || true)
  [ -z "$strays" ] || fail "$package would publish"$'\n'"$strays"
  # Every source that is tracked, and what every package must have. Two packages lie in
  # folders of the engine's.
  missing=$(comm -23 <({
    case $package in
      raddle) git ls-files src ':!src/base' ':!src/cli' && echo src/lib.rs ;;
      raddle-base | raddle-cli) git -C "$at" ls-files && echo lib.rs ;;
      *) git -C "$at" ls-files src && echo src/lib.rs ;;
    esac
    printf '%s\n' Cargo.toml LICENSE-APACHE LICENSE-MIT README.md
  } | sort -u) <(printf '%s\n' "$listed"))
  [ -z "$missing" ] || fail "$package would lack"$'\n'"$missing"
  for licence in LICENSE-APACHE LICENSE-MIT; do
    cmp "$licence" "$at/$licence" || fail "$at/$licence is another text than $licence"
  done
  printf '%-16s %4d files\n' "$package" "$(wc -l <<<"$listed")"
}

for package in "${packages[@]}"; do check_list "$package"; done
# Which packages are published is said in two places: here and in the manifests.
published=$(cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
print(" ".join(sorted(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] != [])))')
[ "$published" = "$(printf '%s\n' "${packages[@]}" | sort | paste -sd' ')" ] ||
  fail "the manifests publish $published, and tests/packages.sh looks at ${packages[*]}"
[ "$failed" = 0 ] || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# zstd stands in for the registry's, which is what is asked for where a package is unpacked.
cargo package --quiet --workspace --exclude zstd --no-verify --allow-dirty --target-dir "$work/packed"
for package in "${packages[@]}"; do
  crate=$(echo "$work/packed/package/$package"-[0-9]*.crate)
  printf '%-16s %7d bytes packed\n' "$package" "$(wc -c <"$crate")"
done
[ "${1:-}" != --pack ] || exit 0

mkdir -p "$work/unpacked/.cargo"
# Of each other they take what is unpacked beside them.
echo '[patch.crates-io]' >"$work/unpacked/.cargo/config.toml"
for package in "${packages[@]}"; do
  crate=$(echo "$work/packed/package/$package"-[0-9]*.crate)
  tar -xzf "$crate" -C "$work/unpacked"
  mv "$work/unpacked/$(basename "$crate" .crate)" "$work/unpacked/$package"
  echo "$package = { path = \"$package\" }" >>"$work/unpacked/.cargo/config.toml"
done
# Random tests try the cases that they try in the repository.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-20240229}
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_TEST_DEBUG=0
export CARGO_PROFILE_DEV_OPT_LEVEL=${CARGO_PROFILE_DEV_OPT_LEVEL:-1} CARGO_PROFILE_TEST_OPT_LEVEL=${CARGO_PROFILE_TEST_OPT_LEVEL:-1}
export CARGO_TARGET_DIR=${RADDLE_PACKAGES_TARGET:-$work/target}
for package in "${packages[@]}"; do
  printf '\n== %s\n' "$package"
  (cd "$work/unpacked/$package" && cargo test) || fail "$package does not build and pass its tests where it is unpacked"
done
exit "$failed"
