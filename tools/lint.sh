#!/usr/bin/env bash
# clang-tidy over the sources of weft/, server/ and cli/ that are no tests, or over the given ones.
# usage: tools/lint.sh [FILE...]
# Compile commands are those of the preset `clang`, which is configured and not built.
# Prints what it finds, nothing for a clean file; exit 1 on findings. A file that was clean is not looked at
# again while its text, the headers of the project that it includes and the rules stay as they were
# (verdicts in build/clang/lint).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/clang
mkdir -p build
cmake --preset clang -Wno-dev >build/clang.configure.log 2>&1 || { cat build/clang.configure.log; exit 2; }
mkdir -p "$folder/lint"
rules=$({ clang-tidy-19 --version; cat .clang-tidy; } | sha256sum | cut -c1-16)
# One line per source: its path, then the headers of the project that it includes, directly or not.
clang-scan-deps-19 --compilation-database="$folder/compile_commands.json" -j "${JOBS:-2}" -format=make |
  sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' | tr -s ' ' | sed 's/^[^:]*: //' |
  awk -v root="$PWD/" '{line = ""; for (i = 1; i <= NF; ++i) if (index($i, root) == 1) line = line " " substr($i, length(root) + 1); print substr(line, 2)}' \
  >"$folder/lint/includes"
export folder rules

lint_one() {
  local verdict status=0 log includes
  includes=$(awk -v file="$1" '$1 == file {print; exit}' "$folder/lint/includes")
  [[ -n $includes ]] || { echo "lint: $1 is in no target"; return 1; }
  # shellcheck disable=SC2086 — paths of the project have no spaces
  verdict=$folder/lint/$({ printf '%s %s' "$rules" "$includes"; cat $includes; } | sha256sum | cut -c1-32)
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
