#!/usr/bin/env bash
# A release for another machine, run here by an emulator: models have the bytes of tests/digests.tsv, and the command lines do
# what they do on x86-64 Linux.
#
#   tests/anywhere.sh TARGET [--programs FOLDER] [--native FOLDER] [--rows here|all] [--only PART,..] [--fits TEXT]
#
# TARGET is aarch64-linux (qemu-aarch64-static), x86_64-windows (wine) or x86_64-linux (as it is). Without --programs
# .ci/release makes its archive first; --native names the programs of this machine, target/debug unless given, of the same
# sources. Rows of public sets need RADDLE_DATA. Parts: first, digests, refused, resume, uses, unlike (two processes, one of
# them emulated), manners (of Windows). Of the runs that are killed, --fits takes those whose line has TEXT. macOS has no
# emulator here: its programs are built, and not run.
set -euo pipefail
# Here alone the system starts ARM's programs, by qemu: the binary formats of a user's namespace are its own. So `raddle` runs
# those next to it, as on ARM, and needs nothing in an empty root.
formats=/proc/sys/fs/binfmt_misc
if [ "${1:-}" = aarch64-linux ] && [ -z "${RADDLE_NAMESPACE:-}" ]; then
  qemu=$(command -v qemu-aarch64-static) && unshare --map-root-user --mount mount -t binfmt_misc none $formats 2>/dev/null ||
    { echo "NOT CHECKED: $1 (apt-get install qemu-user-static; Linux 6.7, with namespaces of users)" && exit 0; }
  RADDLE_NAMESPACE=$qemu exec unshare --map-root-user --mount "$0" "$@"
fi
if [ -n "${RADDLE_NAMESPACE:-}" ]; then
  mount -t binfmt_misc none $formats
  # The first bytes of a program of ARM and what of them counts; F: the emulator is opened now.
  elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  counts='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":aarch64:M::$elf:$counts:$RADDLE_NAMESPACE:F" >$formats/register
fi
cd "$(dirname "$0")/.."
root=$PWD
target=${1:?usage: tests/anywhere.sh TARGET, as its head says}
shift
programs='' native=${CARGO_TARGET_DIR:-$root/target}/debug rows=all fits='' only=first,digests,refused,resume,uses,unlike,manners
while [ $# -gt 0 ]; do
  case $1 in
    --programs) programs=$(cd "$2" && pwd) ;;
    --native) native=$(cd "$2" && pwd) ;;
    --rows) rows=$2 ;;
    --only) only=$2 ;;
    --fits) fits=$2 ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
  shift 2
done
suffix=''
case $target in
  x86_64-linux | aarch64-linux) emulator=() ;;
  x86_64-windows) emulator=(wine) suffix=.exe ;;
  *) echo "$target cannot be run here" >&2 && exit 2 ;;
esac
for tool in "${emulator[@]}"; do
  command -v "$tool" >/dev/null || { echo "NOT CHECKED: $target (apt-get install $tool)" && exit 0; }
done

work=$(mktemp -d)
. "$root/tests/wine.sh"
trap 'end_wine; rm -rf "$work"' EXIT
if [ -z "$programs" ]; then
  .ci/release "$work/release" "$target"
  (cd "$work" && case $target in *windows) unzip -q release/*.zip ;; *) tar -xzf release/*.tar.gz ;; esac)
  programs=$(echo "$work"/raddle-*/bin)
fi
cd "$work"
[ "$target" != x86_64-windows ] || begin_wine
passed=0 failed=0
ok() { passed=$((passed + 1)); echo "ok: $*"; }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }
# A command that must give a text, and what of it is looked for.
same() { if [ "$2" = "$3" ]; then ok "$1"; else fail "$1: $2, and not $3"; fi; }

there() { local program=$1; shift; "${emulator[@]}" "$programs/$program$suffix" "$@"; }
here() { local program=$1; shift; "$native/$program" "$@"; }
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
# The digest of a line's model, made there or here, whatever its status.
digest_of() {
  local kind=$1
  shift
  { "$kind" "$@" --json --quiet 2>complaint </dev/null || true; } | field model_digest 2>/dev/null || tail -n 1 complaint
}
digest_in() { field model_digest <"$1/report.json"; }
# The exit status of a command, whose texts go to files.
status() { local code=0; "$@" >said 2>complaint || code=$?; echo "$code"; }
# Epochs long enough to be killed in.
slow=(--slowdown slow)
printf '0 0 20\n1 0 20\n' >slow

# In a root without anything else, or a prefix that is new.
alone() {
  case $target in
    *windows) there "$@" | tr -d '\r' ;;
    *)
      [ -d alone ] || { mkdir alone && cp -r "$programs" alone/bin; }
      chroot alone "/bin/$1" "${@:2}"
      ;;
  esac
}
# A text whose last line ends with a time.
timeless() { sed 's/[0-9.]* s$/T s/'; }
first() {
  same 'the first command' "$({ alone raddle lasso --json 2>complaint || true; } | field model_digest 2>/dev/null || tail -n 1 complaint)" \
    "$(sed -n 's/^lasso\tfit diabetes\t//p' "$root/tests/digests.tsv")"
  sed -n '/^The first command prints/,/^```$/p' "$root/README.md" | sed '1,/^```text$/d; /^```$/d' | timeless >shown
  { alone raddle lasso 2>/dev/null || true; } | timeless >printed
  if [ -s shown ] && diff shown printed; then ok 'prints what README shows'; else fail 'prints what README shows'; fi
  same 'the sources' "$(there lda --version | tr -d '\r' | tail -n 1)" "$(here lda --version | tail -n 1)"
}

digests() {
  local program line digest data workers
  while IFS=$'\t' read -r program line digest; do
    data=${line#* } data=${data%% *}
    case $data in
      diabetes | pydoc | synth:*) ;;
      *) [ "$rows" = all ] && [ -n "${RADDLE_DATA:-}" ] || { echo "NOT CHECKED: $program $line (--rows all, RADDLE_DATA)" && continue; } ;;
    esac
    for workers in 1 3; do
      # shellcheck disable=SC2086 # A line of words.
      same "$program $line --workers $workers" "$(digest_of there "$program" $line --workers "$workers")" "$digest"
    done
  done < <(grep -v '^#' "$root/tests/digests.tsv")
}

refused() {
  printf 'a,y\n1,2\n3,x\n' >bad.csv
  local program line words
  while IFS='|' read -r program line words; do
    # shellcheck disable=SC2086
    same "$program $line" "$(status there "$program" $line) $(grep -q -- "$words" complaint && echo named)" '2 named'
  done <<'LINES'
lasso|fit bad.csv|bad.csv:3
lasso|fit missing.csv|missing.csv
mf|fit synth:ratings:users=30,items=12,n=90 --rank 0|--rank
lda|fit --topicz 5|--topic
linear|fit diabetes --C -1|--C
lasso|predict nowhere diabetes|nowhere
LINES
}

# A run that is killed in its middle and goes on, by commands that may be of two kinds of machine.
killed() {
  local name=$1 begins=$2 goes_on=$3 expected pid code=0
  shift 3
  expected=$(digest_of here "$@")
  rm -rf run
  (exec_of "$begins" "$@" --out run --checkpoint-every 1 "${slow[@]}" --quiet) >/dev/null 2>complaint &
  pid=$!
  wait_for_epochs run 3 $pid
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || code=$?
  # A program that Wine runs ends with a status of its own.
  [ "$code" != 0 ] && [ "$code" != 3 ] || fail "$name: it had ended: $(tail -n 1 complaint)"
  "$goes_on" "$@" --out run --resume run --quiet >/dev/null 2>complaint || true
  same "$name" "$(digest_in run 2>/dev/null || tail -n 1 complaint)" "$expected"
}
exec_of() {
  local kind=$1 program=$2
  shift 2
  case $kind in
    there) exec "${emulator[@]}" "$programs/$program$suffix" "$@" ;;
    here) exec "$native/$program" "$@" ;;
  esac
}
# Lines of the trace: of the beginning, and of each boundary. With the third the checkpoint of the first is whole.
wait_for_epochs() {
  local tries=0
  until [ "$({ wc -l <"$1/trace.jsonl" || echo 0; } 2>/dev/null)" -ge "$2" ]; do
    sleep 0.02
    tries=$((tries + 1))
    kill -0 "$3" 2>/dev/null && [ $tries -lt 10000 ] || return 0
  done
}

mf_line=(mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --validation none)
fits() {
  printf '%s\n' "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 20 --tol 1e-15" \
    "linear fit diabetes --scale --loss hinge --C 100 --tol 1e-14 --parts 4 --epochs 40" \
    "${mf_line[*]} --epochs 12 --shards 4" "${mf_line[*]} --epochs 12 --solver als --shards 4" \
    "${mf_line[*]} --epochs 12 --solver ccd --shards 4" "lda fit pydoc --topics 8 --epochs 12 --shards 4 --validation none" |
    grep -e "$fits"
}

resume() {
  local -a line
  killed 'killed there, resumed there' there there "${mf_line[@]}" --epochs 12 --solver als
  while read -ra line; do
    killed "killed here, resumed there: ${line[*]}" here there "${line[@]}"
    killed "killed there, resumed here: ${line[*]}" there here "${line[@]}"
  done < <(fits)
}

uses() {
  same 'cross-validation' "$(digest_of there lasso cv diabetes --folds 5)" \
    "$(sed -n 's/^lasso\tcv diabetes --folds 5\t//p' "$root/tests/digests.tsv")"
  rm -rf model
  there lasso fit diabetes --out model --quiet >/dev/null
  there lasso predict model diabetes 2>/dev/null | tr -d '\r' | sha256sum >there.sum
  here lasso predict model diabetes 2>/dev/null | sha256sum >here.sum
  same 'predictions' "$(cat there.sum)" "$(cat here.sum)"
  here lasso fit diabetes --out other --quiet >/dev/null
  local file
  for file in coef.tsv model.json; do
    if cmp "model/$file" "other/$file"; then ok "the bytes of $file"; else fail "the bytes of $file"; fi
  done
  there linear fit diabetes --out lines --quiet >/dev/null
  same 'a classifier read here' "$(here linear predict lines diabetes | sha256sum)" \
    "$(there linear predict lines diabetes | tr -d '\r' | sha256sum)"
}

# One process of this machine and one that is emulated: killed once, shards handed over, and resumed by the other kind.
unlike() {
  [ "$target" = aarch64-linux ] || return 0
  local -a line
  local expected launcher join at victim
  while read -ra line; do
    expected=$(digest_of here "${line[@]}")
    rm -rf run
    here raddle launch --processes 1 --wait-for 2 --deadline 30 -- "${line[@]}" --out run --checkpoint-every 1 \
      "${slow[@]}" >said 2>complaint &
    launcher=$!
    until [ -s run/coordinator ]; do sleep 0.1; kill -0 $launcher 2>/dev/null || break; done
    at=$(sed -n 's/^coordinator //p' run/coordinator)
    there raddle join "$at" --token-file run/token >/dev/null 2>joined &
    join=$!
    wait_for_epochs run 3 $launcher
    here raddle status run >standing 2>/dev/null || true
    victim=$(pgrep -f " $programs/${line[0]} fit" | head -n 1 || true)
    [ -z "$victim" ] || kill -9 "$victim"
    # What the other machine had is taken over from the checkpoint, and it joins again.
    wait $launcher || true
    wait $join 2>/dev/null || true
    same "one process of each kind, killed once: ${line[*]}" "$(digest_in run 2>/dev/null || tail -n 1 complaint)" "$expected"
    same "  machines of ${line[0]}" "$(grep -o 'x86_64-linux\|aarch64-linux' standing | sort -u | paste -sd ' ')" \
      'aarch64-linux x86_64-linux'
    [ -n "$victim" ] || fail "  nobody was killed"
    if grep -q '"bytes_moved": [1-9]' run/report.json; then ok '  shards were handed over'; else fail '  no shard was handed over'; fi
  done < <(fits)
}

# Sends Ctrl-C to a program of its console after so many tenths of a second, or holds a file open so long.
helper() {
  cat >helper.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
static BOOL WINAPI ignore(DWORD event) { (void)event; return TRUE; }
int main(int count, char **words) {
    DWORD code = 99;
    if (!strcmp(words[1], "hold")) {
        HANDLE file = CreateFileA(words[2], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
        Sleep(100 * atoi(words[3]));
        return file == INVALID_HANDLE_VALUE;
    }
    char line[8192] = "";
    for (int at = 3; at < count; at++) { strcat(line, "\""); strcat(line, words[at]); strcat(line, "\" "); }
    STARTUPINFOA start = { .cb = sizeof start };
    PROCESS_INFORMATION child;
    SetConsoleCtrlHandler(ignore, TRUE);
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) return 98;
    Sleep(100 * atoi(words[2]));
    GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
    if (WaitForSingleObject(child.hProcess, 60000)) TerminateProcess(child.hProcess, 97);
    GetExitCodeProcess(child.hProcess, &code);
    return code;
}
C
  x86_64-w64-mingw32-gcc -O1 -o helper.exe helper.c
}

manners() {
  [ "$target" = x86_64-windows ] || return 0
  helper
  local long=(fit synth:ratings:users=300,items=120,n=9000 --rank 8 --validation none --epochs 100000 --quiet)
  local code=0
  # A console is there where a terminal is. Wine does not pass the end of a console on.
  printf '%q ' wine helper.exe press 40 "$(winepath -w "$programs/mf.exe")" "${long[@]}" --out pressed >press
  script -qec "$(cat press)" /dev/null >/dev/null 2>complaint </dev/null || code=$?
  same 'Ctrl-C ends with its model written' \
    "$code $(test -s pressed/model.json && field ending <pressed/report.json)" '130 interrupted'
  # Blanks and umlauts, and lines that end as those of Windows.
  local folder='Grüße an alle, 1 & 2'
  mkdir -p "$folder"
  printf 'größe,y\n1,2\n2,4\n3,6.5\n4,7\n' >"$folder/daten ä.csv"
  sed 's/$/\r/' "$folder/daten ä.csv" >"$folder/crlf.csv"
  there lasso fit "$folder/daten ä.csv" --out "$folder/modell ö" --quiet >/dev/null 2>complaint ||
    fail "a path of blanks and umlauts: $(tail -n 1 complaint)"
  same 'a path of blanks and umlauts' "$(digest_in "$folder/modell ö")" \
    "$(digest_of here lasso fit "$folder/daten ä.csv")"
  same 'lines that end with CR and LF' "$(digest_of there lasso fit "$folder/crlf.csv")" \
    "$(digest_in "$folder/modell ö")"
  same 'names in UTF-8' "$(grep -c 'größe' "$folder/modell ö/coef.tsv")" 1
  # A file that another program has open, and the device that takes all.
  there lasso predict "$folder/modell ö" "$folder/crlf.csv" --out open.txt --quiet 2>complaint >/dev/null || true
  cp open.txt before.txt
  wine helper.exe hold open.txt 100 &
  sleep 4
  code=$(status there lasso predict "$folder/modell ö" "$folder/crlf.csv" --out open.txt --quiet)
  same '--out of a file in use is refused by name' "$code $(grep -c 'open.txt' complaint)" '1 1'
  if cmp open.txt before.txt && [ ! -e open.txt.partial ]; then ok '  and stays as it was'; else fail '  it changed'; fi
  wait
  same '--out NUL' "$(status there lasso predict "$folder/modell ö" "$folder/crlf.csv" --out NUL --quiet)" 0
  local line
  while read -r line; do
    # shellcheck disable=SC2086 # A line of words.
    same "$line" "$(status there $line) $(grep -c 'needs the sockets of Unix' complaint)" '2 1'
  done <<'LINES'
raddle launch -- lasso fit diabetes
raddle join 127.0.0.1:1 --token-file none
pool run jobs.toml --out pool
LINES
  kills
}

# Kills while a model is written over another: the folder has the one or the other. Each comes when one more file has been
# written, or moved into place.
kills() {
  local at count=${RADDLE_KILLS:-30} torn=0 old new found kept=0 replaced=0
  local line=(fit synth:ratings:users=300,items=120,n=9000 --rank 8 --quiet)
  there mf "${line[@]}" --epochs 1 --out one >/dev/null 2>&1 || true
  there mf "${line[@]}" --epochs 2 --out two >/dev/null 2>&1 || true
  old=$(digest_in one) new=$(digest_in two)
  cat >kill.py <<'PY'
import os, subprocess, sys, time
def files(folder):
    try: return len(os.listdir(folder))
    except FileNotFoundError: return 0
def done():
    left = files("torn/.next")
    return 22 - left if left else files("torn/.raddle-staging")
run = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while run.poll() is None and done() < int(sys.argv[1]): time.sleep(0.0002)
run.kill()
run.wait()
PY
  for at in $(seq "$count"); do
    rm -rf torn
    cp -r one torn
    python3 kill.py $((1 + at * 20 / count)) "${emulator[@]}" "$programs/mf$suffix" "${line[@]}" --epochs 2 --out torn --force
    found=$(status there mf predict torn "${line[@]:1:1}" --quiet)
    case $found:$(digest_in torn) in
      0:"$old") kept=$((kept + 1)) ;;
      0:"$new") replaced=$((replaced + 1)) ;;
      *) torn=$((torn + 1)) && tail -n 1 complaint ;;
    esac
  done
  same "$at kills while a model is written: torn" "$torn" 0
  # Otherwise no kill has come near the moment.
  if [ $kept -gt 0 ] && [ $replaced -gt 0 ]; then ok "  $kept kept, $replaced replaced"; else fail "  $kept kept, $replaced replaced"; fi
}

for part in ${only//,/ }; do
  echo "== $part"
  "$part"
done
echo "$target: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
