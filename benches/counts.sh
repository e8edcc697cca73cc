#!/usr/bin/env bash
# Instructions that runs execute on one worker, counted by valgrind, beside the baseline in counts.tsv: in the kernels,
# in reading, and in the rest. More than 0.3 % above the baseline in any part fails; fewer are reported, and so
# is another compiler or processor than the baseline's. Counts of one build differ by at most 0.1 %, whatever else the
# machine does. Those of the empty engine differ by up to 0.5 %, for timely steps its operators in the order of hash maps
# with random seeds: the least of three is compared, and may be 1 % above. A part of less than a million
# is not judged.
#
#   RADDLE_DATA=... benches/counts.sh [--only TEXT] [FOLDER]   # FOLDER of programs with names: target/debug, as tests build
#   RADDLE_DATA=... benches/counts.sh --accept                 # a new baseline; the commit says why
set -euo pipefail
cd "$(dirname "$0")/.."
baseline=benches/counts.tsv
limit=0.3 # percent
limit_empty=1
small=1000000 # instructions of a part that is too small to be judged

runs='lasso fit leukemia --mode dense-std --ratio 10
lasso fit leukemia --mode dense-std --ratio 100
lasso fit farmads --mode sparse-raw --ratio 10
lasso fit leukemia --ratio 10 --loss logistic
mf fit ml-100k --epochs 3
lda fit ap --topics 100 --epochs 5
linear fit leukemia
linear fit leukemia --loss hinge
linear fit leukemia --loss logistic
linear fit w8a --epochs 1
examples/empty rounds
examples/empty tasks'

accept='' only=''
while [ $# -gt 0 ]; do
  case $1 in
    --accept) accept=yes ;;
    --only) only=$2 && shift ;;
    -*) echo "counts.sh: $1 is no option: --accept, --only TEXT" >&2 && exit 2 ;;
    *) break ;;
  esac
  shift
done
bin=${1:-${CARGO_TARGET_DIR:-target}/debug}
[ -z "$accept" ] || [ -z "$only" ] || { echo "counts.sh: a baseline holds every run: --accept without --only" >&2 && exit 2; }

# Valgrind shows programs no AVX-512, and other instructions where the processor lacks AVX2.
grep -qw avx2 /proc/cpuinfo || { echo "NOT COUNTED: a processor without AVX2" && exit 0; }
command -v valgrind >/dev/null || { echo "NOT COUNTED: no valgrind" && exit 0; }
if [ -z "${RADDLE_DATA:-}" ]; then
  echo "counted without public sets: RADDLE_DATA is not set"
  runs=$(grep '^examples/' <<<"$runs")
  [ -z "$accept" ] || { echo "counts.sh: a baseline holds every run: set RADDLE_DATA" >&2 && exit 2; }
fi
runs=$(grep -F -- "$only" <<<"$runs") || { echo "counts.sh: --only $only matches no run" >&2 && exit 2; }
for program in $(cut -d' ' -f1 <<<"$runs" | sort -u); do
  [ -x "$bin/$program" ] || { echo "counts.sh: $bin/$program is not there: cargo test --workspace --no-run" >&2 && exit 2; }
done

# As the programs say it themselves, and the C library, whose copying is counted too and depends on the processor.
first=$bin/$(head -n 1 <<<"$runs" | cut -d' ' -f1)
compiler=$(readelf -p .comment "$first" | sed -n 's/.*rustc version \([^ ]*\).*/rustc \1/p' | head -n 1)
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
compiler="${compiler:-rustc unknown}, $(getconf GNU_LIBC_VERSION), ${processor:-unknown}"
profile=$(basename "$bin")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export bin work
# How many boundaries a run keeps for an early end depends on the clock: here the first alone.
export RADDLE_KEEP=first

# Counts one run in one form: a line of run, form, and instructions in kernels, in reading, and elsewhere.
count() {
  local form=${1%% *} run=${1#* } times=1
  case $run in examples/*) times=3 ;; esac
  for ((; times > 0; times--)); do count_once "$form" "$run" || return 1; done | sort -t '	' -k5,5n | head -n 1
}
count_once() {
  local form=$1 run=$2 status=0 options='' of
  of=$(mktemp "$work/XXXXXX")
  case $run in examples/*) ;; *) options='--workers 1 --quiet' ;; esac
  # shellcheck disable=SC2086
  RADDLE_LEVEL=$form valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$of" $bin/$run $options \
    >"$of.out" 2>&1 || status=$?
  # A run of so many epochs ends with 3.
  case $status in 0 | 3) ;; *) echo "counts.sh: $run ended with $status:" >&2 && cat "$of.out" >&2 && return 1 ;; esac
  awk -v run="$run" -v form="$form" '
    /^fn=/ { part = "rest" }
    /^fn=.*(raddle_kernels::|core_arch::)/ { part = "kernels" }
    /^fn=.*(raddle_datasets::|zlib_rs::|flate2::|sha2::)/ { part = "reading" }
    /^fn=.*::/ { named = 1 }
    /^[0-9]/ { sum[part] += $2 }
    END {
      if (!named) exit 1
      printf "%s\t%s\t%.0f\t%.0f\t%.0f\n", run, form, sum["kernels"], sum["reading"], sum["rest"]
    }' "$of" || { echo "counts.sh: $bin/$run has no names of functions: cargo build --profile profiling" >&2 && return 1; }
}
export -f count count_once
for form in avx2 portable; do sed "s/^/$form /" <<<"$runs"; done |
  xargs -d '\n' -P "$(nproc)" -I{} bash -c 'count "$1"' - {} >"$work/counted"
# In the order of the runs, whichever came to its end first.
while read -r run; do
  for form in avx2 portable; do grep "^$run	$form	" "$work/counted"; done
done <<<"$runs" | awk -F'\t' -v OFS='\t' -v profile="$profile" -v compiler="$compiler" \
  '{ print $1, $2, profile, compiler, $3, $4, $5 }' >"$work/rows"

if [ -n "$accept" ]; then
  {
    echo "# Instructions of runs, by benches/counts.sh --accept. A commit that changes them says why."
    printf 'run\tform\tprofile\tcompiler, processor\tkernels\treading\trest\n'
    cat "$work/rows"
  } >"$baseline"
fi
awk -F'\t' -v limit="$limit" -v limit_empty="$limit_empty" -v small="$small" '
  FNR == 1 { file++ }
  /^#/ || $1 == "run" { next }
  file == 1 { known[$1, $2, $3] = $4; for (i = 5; i <= 7; i++) before[$1, $2, $3, i] = $i; next }
  FNR == 1 {
    print "| run | form | profile, compiler, processor | kernels | reading | rest | beside the baseline, % |"
    print "|---|---|---|---|---|---|---|"
    name[5] = "kernels"; name[6] = "reading"; name[7] = "rest"
  }
  {
    change = ""
    for (i = 5; i <= 7; i++) {
      was = before[$1, $2, $3, i]
      if (was > 0) {
        by = 100 * ($i - was) / was
        change = change sprintf("%s%+.3f", i > 5 ? ", " : "", by)
        over = $i >= small && by > ($1 ~ /^examples\// ? limit_empty : limit) && known[$1, $2, $3] == $4
        if (over) failed = failed sprintf("FAILED: %s, %s: %+.2f %% instructions in %s\n", $1, $2, by, name[i])
        if (by < -limit) fewer = 1
      }
    }
    if (!(($1, $2, $3) in known)) change = "no baseline"
    else if (known[$1, $2, $3] != $4) { change = change " (of " known[$1, $2, $3] ")"; other = 1 }
    printf "| %s | %s | %s, %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, change
  }
  END {
    if (other) print "NOT COMPARED: the baseline is of another compiler or processor"
    if (fewer) print "Fewer than the baseline has: benches/counts.sh --accept holds on to it."
    if (failed) {
      printf "%s", failed
      print "If it is meant: benches/counts.sh --accept, and the reason in the commit."
      exit 1
    }
  }' "$baseline" "$work/rows"
