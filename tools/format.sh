#!/usr/bin/env bash
# Brings all C++ sources, or the given ones, into the one format. usage: tools/format.sh [--check] [FILE...]
set -euo pipefail
cd "$(dirname "$0")/.."
arguments=(-i)
if [[ ${1:-} == --check ]]; then
  arguments=(--dry-run -Werror)
  shift
fi
if (($#)); then
  printf '%s\0' "$@"
else
  git ls-files -z -- '*.cc' '*.h'
fi | xargs -0 -r -n 32 -P "${JOBS:-2}" clang-format-19 "${arguments[@]}"
