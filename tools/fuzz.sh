#!/usr/bin/env bash
# Builds the fuzzers with clang, address and undefined-behaviour sanitizers, replays each corpus and then
# fuzzes each for a while. usage: tools/fuzz.sh SECONDS [NAME...]      two at a time (JOBS)
# WEFT_FUZZ_RUNS=N: at most so many inputs each, from one seed and from the corpus of the project alone, so that a
# run can be repeated. Else new inputs stay in build/fuzz/corpus/NAME. What crashes is left in build/fuzz/artifacts and named.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
cmake --preset fuzz -Wno-dev >/dev/null
ninja -C build/fuzz -j "${JOBS:-2}" fuzzers | tail -n 3
if (($#)); then
  names=("$@")
else
  mapfile -t names < <(sed -n 's/^weft_fuzz(\([a-z0-9_]*\) .*/\1/p' fuzz/CMakeLists.txt)
fi
((${#names[@]})) || { echo "fuzz: no targets"; exit 1; }
mkdir -p build/fuzz/artifacts
export seconds

fuzz_findings() {
  grep -E 'ERROR|SUMMARY|runtime error|what\(\):|#[0-9]+ .* in .*weft|Test unit written|WEFT_CHECK|check failed' "build/fuzz/$1.log" |
    cut -c 1-300 | head -n 25 || true  # a log without such lines must not end the list
}

fuzz_one() {
  local name=$1 log=build/fuzz/$1.log status=0 begin=$SECONDS
  local folder=build/fuzz/corpus/$name repeatable=()
  if ((${WEFT_FUZZ_RUNS:-0})); then
    folder=build/fuzz/repeated/$name
    rm -rf "$folder"
    repeatable=(-seed=1 -runs="$WEFT_FUZZ_RUNS")
  fi
  mkdir -p "$folder"
  # The seeds come second: libFuzzer writes new inputs to the first folder only.
  build/fuzz/fuzz/"$name"_fuzz "$folder" "fuzz/corpus/$name" "${repeatable[@]}" -max_total_time="$seconds" \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -timeout=20 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/artifacts/$name-" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then
    printf 'fuzz %s: FAILED after %d s (exit %d)\n' "$name" $((SECONDS - begin)) "$status"
    echo "$name" >>build/fuzz/failed
    fuzz_findings "$name"
    return 1
  fi
  printf 'fuzz %s: %s runs, %s new inputs, coverage %s, %d s\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/^stat::new_units_added: *//p' "$log")" \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)" $((SECONDS - begin))
}
export -f fuzz_one fuzz_findings
rm -f build/fuzz/failed
printf '%s\0' "${names[@]}" | xargs -0 -n 1 -P "${JOBS:-2}" bash -c 'fuzz_one "$1"' fuzz ||
  {
    # Once more at the end, where a log that is cut short still shows it.
    while read -r name; do
      echo "fuzz: $name failed:"
      fuzz_findings "$name"
    done <build/fuzz/failed
    echo "fuzz: failed: $(tr '\n' ' ' <build/fuzz/failed)"
    exit 1
  }
echo "fuzz: ${#names[@]} targets held for $seconds s each"
