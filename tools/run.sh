#!/usr/bin/env bash
# The goals of the Makefile, as steps that are timed. usage: tools/run.sh GOAL [ARGUMENT...]
#   build  demo [FILE]  test  check  bench [ARGUMENT...]  nightly  install PREFIX
# A goal of several steps runs them all, names those that failed, and ends with a line that counts the
# tests. JOBS (default: all processors) bounds what runs at once.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export JOBS=${JOBS:-$(nproc)}
export WEFT_TESTDATA=${WEFT_TESTDATA:-$(cd .. && pwd)/shared/testdata}
export WEFT_PEERS=${WEFT_PEERS:-$HOME/.cache/weft-peers}

failed=()
failed_tests=()
tests_passed=0
tests_failed=0
tests_skipped=0
begin=$SECONDS

# step NAME COMMAND...: runs it, prints how long it took, remembers a failure. `must` also ends the run.
step() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || status=$?
  if ((status == 0)); then
    printf -- '-- %s: done in %d s\n' "$name" $((SECONDS - start))
  else
    printf -- '-- %s: FAILED (exit %d) after %d s\n' "$name" "$status" $((SECONDS - start))
    failed+=("$name")
  fi
  return "$status"
}
must() { step "$@" || finish; }

# The last line, and the exit status, of a run.
finish() {
  local steps=''
  ((${#failed[@]})) && steps="; failed steps: ${failed[*]}"
  ((${#failed_tests[@]})) && printf '\nfailed: %s' "${failed_tests[@]:0:40}" && printf '\n'
  printf '\nweft %s: %d tests passed, %d failed, %d skipped in %d min %d s%s\n' "$goal" \
    "$tests_passed" "$tests_failed" "$tests_skipped" $(((SECONDS - begin) / 60)) \
    $(((SECONDS - begin) % 60)) "$steps"
  exit $((${#failed[@]} > 0))
}

configure() { cmake --preset "$1" -Wno-dev >"build/$1.configure.log" 2>&1 || { cat "build/$1.configure.log"; return 1; }; }
compile() {  # compile PRESET [TARGET...]
  local preset=$1
  shift
  mkdir -p build && configure "$preset" && ninja -C "build/$preset" -j "$JOBS" "${@:-all}" |
    tail -n 30
}

# tests PRESET [ctest argument...]: runs ctest and adds its figures to the count.
tests() {
  local preset=$1 log=build/$1.ctest.log status=0
  shift
  ctest --preset "$preset" -j "$JOBS" --timeout 900 "$@" >"$log" 2>&1 || status=$?
  local total failures skipped
  total=$(sed -n 's/.*tests failed out of \([0-9]*\)$/\1/p' "$log" | tail -n 1)
  failures=$(sed -n 's/.*, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$log" | tail -n 1)
  skipped=$(grep -cE '\*\*\*Skipped|\(Skipped\)$' "$log" || true)
  [[ -n $total ]] || { tail -n 30 "$log"; echo "ctest printed no summary"; return 1; }
  # ctest names skipped tests twice: where they ran and in the list at the end.
  skipped=$((skipped / 2))
  grep -E '\*\*\*|^[0-9]+% tests|^Label Time|sec\*proc|^Total Test' "$log" | grep -v 'Label Time' | head -n 150
  if ((status != 0)); then
    printf '\n'
    grep -nE 'FAILED|Failure|error:|Error:|Traceback|^E  ' "$log" | head -n 100
  fi
  if ((skipped)); then
    echo "skipped, with their reasons:"
    grep -hE 'SKIP' "$log" | sort | uniq -c | sort -rn | head -n 20
  fi
  mapfile -t -O "${#failed_tests[@]}" failed_tests < <(sed -n '/tests FAILED:/,$s/^\t *[0-9]* - //p' "$log")
  tests_passed=$((tests_passed + total - failures - skipped))
  tests_failed=$((tests_failed + failures))
  tests_skipped=$((tests_skipped + skipped))
  echo "full output: $log"
  ((total > 0)) || { echo "ctest found no tests"; return 1; }
  return "$status"
}

need_setup() { must setup tools/setup.sh "$@"; }
report_ccache() { command -v ccache >/dev/null && ccache -s 2>/dev/null | grep -iE 'hits|misses|cache size' | head -n 4; }

compile_benchmarks() {
  cmake --preset release -Wno-dev -DWEFT_BUILD_BENCHMARKS=ON >/dev/null && ninja -C build/release -j "$JOBS" weft bench/all
}
build_release() { must "build (release)" compile release; }

run_test() {
  need_setup build test
  step "peers" tools/peers.sh
  build_release
  export WEFT_SLOW_TESTS=1
  step "tests (release)" tests release
  step "layout" python3 tools/tidy.py
  step "format" tools/format.sh --check
  step "fuzzers, ${WEFT_FUZZ_SECONDS:-30} s each" ci_fuzz
  report_ccache
}

# From one seed and from the corpora of the project alone, so that a failure can be repeated.
ci_fuzz() { WEFT_FUZZ_RUNS=${WEFT_FUZZ_RUNS:-400000} tools/fuzz.sh "${WEFT_FUZZ_SECONDS:-30}"; }

run_check() {
  need_setup build test
  step "build (asan)" compile asan && step "tests (address, undefined)" tests asan -LE 'interop|slow'
  step "build (tsan)" compile tsan && step "tests (thread)" tests tsan
  step "layout" python3 tools/tidy.py
  step "format" tools/format.sh --check
  step "clang-tidy" tools/lint.sh
  step "fuzzers, ${WEFT_FUZZ_SECONDS:-30} s each" tools/fuzz.sh "${WEFT_FUZZ_SECONDS:-30}"
}

# In parts that run side by side; a failure prints the seed.
simulate_property_graphs() {
  seq 0 7 |
    WEFT_SEEDS=${WEFT_NIGHTLY_SEEDS:-100000} xargs -P "$JOBS" -I PART \
      build/release/tests/simulation/simulation_property_graph_tests --gtest_filter="Seeds/*/PART"
}

run_nightly() {
  need_setup build test
  step "peers" tools/peers.sh
  build_release
  export WEFT_NIGHTLY=1 WEFT_SLOW_TESTS=1
  step "tests (release, long)" tests release --timeout 14400
  step "simulation of property graphs, 100,000 seeds" simulate_property_graphs
  step "build (asan)" compile asan && step "tests (address, undefined)" tests asan -LE interop --timeout 14400
  step "build (tsan)" compile tsan && step "tests (thread)" tests tsan --timeout 14400
  step "clang-tidy" tools/lint.sh
  step "fuzzers, ${WEFT_FUZZ_SECONDS:-1800} s each" tools/fuzz.sh "${WEFT_FUZZ_SECONDS:-1800}"
  step "benchmarks" compile_benchmarks && step "benchmarks, large" python3 bench/run.py --large
}

goal=${1:-}
shift || true
mkdir -p build
case $goal in
  build)
    need_setup build
    build_release
    echo "the program: build/release/weft"
    exit $((${#failed[@]} > 0))
    ;;
  demo)
    need_setup build
    must "build (release)" compile release weft
    exec demo/run.sh build/release/weft build/demo "$@"
    ;;
  install)
    need_setup build
    must "build (release)" compile release
    exec cmake --install build/release --prefix "$1"
    ;;
  bench)
    need_setup build test
    step "peers" tools/peers.sh
    must "build (release)" compile_benchmarks
    exec python3 bench/run.py "$@"
    ;;
  test) run_test ;;
  check) run_check ;;
  nightly) run_nightly ;;
  *)
    sed -n '2,5p' "$0"
    exit 2
    ;;
esac
finish
