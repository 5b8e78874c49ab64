#!/usr/bin/env bash
# clang-tidy over the sources of weft/, server/ and cli/ that are no tests, or over the given ones.
# usage: tools/lint.sh [FILE...]
# Compile commands are those of the preset `clang`, which is configured and not built.
# Prints what it finds, nothing for a clean file; exit 1 on findings. A file whose text, headers and rules
# are as in a clean run before is not looked at again (verdicts in build/clang/lint).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/clang
mkdir -p build
cmake --preset clang -Wno-dev >build/clang.configure.log 2>&1 || { cat build/clang.configure.log; exit 2; }
mkdir -p "$folder/lint"
# All headers count for every file: coarse, and safe.
rules=$({ clang-tidy-19 --version; cat .clang-tidy; git ls-files -z -- 'weft/*.h' 'server/*.h' 'cli/*.h' 'weft/*.inc' | xargs -0 -r cat; } | sha256sum | cut -c1-16)
export folder rules

lint_one() {
  local verdict status=0 log
  verdict=$folder/lint/$(printf '%s %s' "$1" "$rules" | cat - "$1" | sha256sum | cut -c1-32)
  [[ -e $verdict ]] && return 0
  log=$(clang-tidy-19 -p "$folder" --quiet "$1" 2>&1) || status=$?
  if ((status != 0)); then
    printf '%s\n' "$log" | grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?(generated|treated)|^Suppressed|^Use -header-filter|^Error while processing'
    return 1
  fi
  : >"$verdict"
}
export -f lint_one

if (($#)); then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- 'weft/*.cc' 'server/*.cc' 'cli/*.cc' | grep -v '_test\.cc$')
fi
printf '%s\0' "${files[@]}" | xargs -0 -r -n 1 -P "${JOBS:-2}" bash -c 'lint_one "$1"' lint || { echo "lint: findings above"; exit 1; }
echo "lint: ${#files[@]} files are clean"
