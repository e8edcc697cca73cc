#!/usr/bin/env bash
# A release for x86-64 Linux as its users get it; tests/anywhere.sh runs those for other machines. Without --archive it is made
# first, which takes minutes; with --twice it is made again in another checkout and another build folder, and the bytes are
# compared.
#
#   tests/release.sh [--archive FILE] [--twice]
#
# An archive is unpacked in an empty root, where `raddle lasso --json` must end with 0; each page must render without a
# warning, each completion be accepted by its shell; `raddle mf` must run the mf beside it; a program may have 13 MB.
# What this machine lacks is said (NOT CHECKED).
set -euo pipefail
cd "$(dirname "$0")/.."
most=$((13 * 1000 * 1000))
archive=
twice=
while [ $# -gt 0 ]; do
  case $1 in
    --archive) archive=${2:?--archive FILE}; shift 2 ;;
    --twice) twice=yes; shift ;;
    *) echo "usage: tests/release.sh [--archive FILE] [--twice]" >&2; exit 2 ;;
  esac
done

folder=$(mktemp -d)
trap 'chmod -R u+w "$folder" 2>/dev/null || true; rm -rf "$folder"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
skip() { echo "NOT CHECKED: $*"; }
ok() { echo "ok: $*"; }
has() { command -v "$1" >/dev/null 2>&1; }

if [ -z "$archive" ]; then
  .ci/release "$folder/first"
  archive=$(echo "$folder"/first/*.tar.gz)
fi

if [ -n "$twice" ]; then
  # What is committed, in a folder of another depth, built in a folder of its own.
  mkdir -p "$folder/a/longer/way" "$folder/second"
  git clone --quiet --no-hardlinks . "$folder/a/longer/way/checkout"
  (cd "$folder/a/longer/way/checkout" && CARGO_TARGET_DIR=$folder/elsewhere .ci/release "$folder/second")
  again=$(echo "$folder"/second/*.tar.gz)
  if cmp "$archive" "$again"; then ok "the same bytes twice: $(sha256sum <"$archive" | cut -c1-64)"; else
    fail "two archives of one commit differ"
    mkdir -p "$folder/one" "$folder/other"
    tar -xzf "$archive" -C "$folder/one"
    tar -xzf "$again" -C "$folder/other"
    diff -rq "$folder/one" "$folder/other" || true
  fi
  rm -rf "$folder/elsewhere"
fi

# An empty root: nothing but the archive.
empty=$folder/root
mkdir "$empty"
tar -xzf "$archive" -C "$empty"
name=$(cd "$empty" && echo *)
tree=$empty/$name
case $name in raddle-*-x86_64-linux) ok "one folder: $name" ;; *) fail "the archive holds $name" ;; esac

(cd "$tree" && sha256sum --quiet --check SHA256SUMS) || fail "SHA256SUMS"
listed=$(cut -c67- "$tree/SHA256SUMS" | sort)
there=$(cd "$tree" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort)
[ "$listed" = "$there" ] || fail "SHA256SUMS does not list all files"
for file in README.md CHANGELOG.md LICENSES LICENSE-MIT LICENSE-APACHE; do
  [ -s "$tree/$file" ] || fail "$file is missing"
done
if tar -tvzf "$archive" | awk '{print $2}' | grep -qvx '0/0'; then fail "a file has an owner"; fi

programs=(raddle lasso mf lda linear pool raddle-data)
for program in "${programs[@]}"; do
  file=$tree/bin/$program
  size=$(stat --format %s "$file")
  if [ "$size" -le "$most" ]; then ok "$program: $size bytes"; else fail "$program: $size bytes, more than $most"; fi
  # A program that is linked statically asks for no interpreter.
  if has readelf; then
    if readelf -l "$file" | grep -q INTERP; then fail "$program is linked dynamically"; fi
    if readelf -S "$file" | grep -q '\.debug_\|\.symtab'; then fail "$program has symbols"; fi
  else skip "how $program is linked (readelf)"; fi
  for path in "$PWD" "${CARGO_HOME:-$HOME/.cargo}" "$HOME/"; do
    if [ "${#path}" -gt 3 ] && grep -qaF "$path" "$file"; then fail "$program names $path"; fi
  done
  case $program in
    raddle) ;;
    raddle-data) "$file" --version | grep -q fetch || fail "$program has no client of http" ;;
    *) "$file" --version | grep -q parquet || fail "$program reads no Parquet" ;;
  esac
done

# In the empty root there are no libraries, no /proc, no /tmp.
inside() { if [ "$(id -u)" -eq 0 ]; then chroot "$empty" "$@"; else unshare --map-root-user chroot "$empty" "$@"; fi; }
if inside "/$name/bin/raddle" --version >/dev/null 2>&1 || [ "$(id -u)" -eq 0 ] || unshare --map-root-user true 2>/dev/null; then
  if inside "/$name/bin/raddle" lasso --json >"$folder/report.json" 2>"$folder/said"; then
    if python3 -c 'import json, sys; report = json.load(open(sys.argv[1])); sys.exit(report["ending"] != "target")' \
      "$folder/report.json"; then ok "raddle lasso --json in an empty root"; else fail "its report"; fi
  else
    fail "raddle lasso --json in an empty root: $(tail -n 3 "$folder/said")"
  fi
else
  skip "an empty root (chroot needs root or user namespaces)"
fi

# With TeX, mf on PATH is Metafont: the one beside raddle runs.
mkdir "$folder/path"
printf '#!/bin/sh\necho Metafont\n' >"$folder/path/mf"
chmod +x "$folder/path/mf"
said=$(PATH=$folder/path:$PATH "$tree/bin/raddle" mf --version | head -n 1)
case $said in mf\ *) ok "raddle mf runs the mf beside it" ;; *) fail "raddle mf runs: $said" ;; esac

pages=0
for page in "$tree"/share/man/man1/*.1; do
  pages=$((pages + 1))
  has man || continue
  if ! warned=$(MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null) || [ -n "$warned" ]; then
    fail "$(basename "$page"): $warned"
  fi
done
# A page for each program, and one for each verb of its help.
verbs() { "$tree/bin/$1" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' | grep -vx help; }
expected=$(for program in "${programs[@]}"; do
  echo "$program.1"
  verbs "$program" | sed "s/.*/$program-&.1/"
done | sort)
[ "$(cd "$tree/share/man/man1" && printf '%s\n' *.1 | sort)" = "$expected" ] || fail "pages other than: $expected"
if has man; then ok "$pages pages"; else skip "$pages pages (man-db)"; fi

accepted() {
  local shell=$1 count=0 file
  shift
  for file in "$@"; do
    [ -s "$file" ] || fail "$file is empty or missing"
    count=$((count + 1))
    has "$shell" || continue
    "$shell" -n "$file" || fail "$shell: $(basename "$file")"
  done
  [ "$count" -eq "${#programs[@]}" ] || fail "$count completions for $shell"
  if has "$shell"; then ok "completions for $shell"; else skip "completions ($shell)"; fi
}
accepted bash "$tree"/share/bash-completion/completions/*
accepted zsh "$tree"/share/zsh/site-functions/*
accepted fish "$tree"/share/fish/vendor_completions.d/*
if has pwsh; then
  for file in "$tree"/share/powershell/*.ps1; do
    pwsh -NoProfile -Command "\$e = \$null; [void][Management.Automation.Language.Parser]::ParseFile('$file', [ref]\$null, [ref]\$e); exit \$e.Count" ||
      fail "pwsh: $(basename "$file")"
  done
else
  skip "completions (pwsh)"
fi

[ "$failed" -eq 0 ] && echo "ok: $(basename "$archive")"
exit "$failed"
