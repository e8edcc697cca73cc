#!/usr/bin/env bash
# Gathers the pages that SUMMARY.md names, each at its place in the repository, for mdbook:
#   examples/guide/book.sh DIR && mdbook build DIR
set -euo pipefail
to=${1:?give a folder for the book}
cd "$(dirname "$0")/../.."
here=examples/guide
mkdir -p "$to/pages"
cp "$here/book.toml" "$to/"
# Its links begin at the guide; those of the book begin at the repository.
sed -e "s#](#]($here/#" -e "s#]($here/\.\./\.\./#](#" "$here/SUMMARY.md" >"$to/pages/SUMMARY.md"
sed -n 's/.*](\(.*\.md\)).*/\1/p' "$to/pages/SUMMARY.md" | while read -r page; do
  mkdir -p "$to/pages/$(dirname "$page")"
  cp "$page" "$to/pages/$page"
done
# Sources that the guide points to are files of the book, too.
cp examples/*.rs "$to/pages/examples/"
