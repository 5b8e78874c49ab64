#!/usr/bin/env bash
# Installs what is missing of the Debian 12 packages that weft is built and tested with.
# usage: tools/setup.sh [build|test]...        default: build
#   build  compiler and libraries
#   test   and the test libraries, clang 19 (tidy, format, fuzzers), serdi, Python
# Asks for nothing; uses sudo if not root; does nothing, in well under a second, if all is there.
set -euo pipefail

build=(g++ cmake ninja-build ccache make git ca-certificates curl python3
  libzstd-dev liblz4-dev libroaring-dev zlib1g-dev libbz2-dev libcurl4-openssl-dev libssl-dev libicu-dev libre2-dev
  nlohmann-json3-dev libexpat1-dev libboost-dev libcli11-dev libfmt-dev
  libgtest-dev libgmock-dev libbenchmark-dev)
test=(clang-19 clang-tools-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev python3-venv serdi libserd-dev strace spin)

packages=("${build[@]}")
for profile in "$@"; do
  case $profile in
    build) ;;
    test) packages+=("${test[@]}") ;;
    *) echo "tools/setup.sh: unknown profile $profile" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup: no dpkg here; needed are the equivalents of: ${packages[*]}"
  exit 0
fi
missing=()
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/^installed //p' || true)
for package in "${packages[@]}"; do
  grep -qx "$package" <<<"$installed" || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "setup: all ${#packages[@]} packages are there"
  exit 0
fi
echo "setup: installing ${missing[*]}"
root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "setup: not root and no sudo" >&2; exit 1; }
  root=(sudo)
fi
apt() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -qq "$@" </dev/null
}
apt update
apt install -y --no-install-recommends "${missing[@]}"
