#!/usr/bin/env bash
# Installs the test-only peers, at fixed versions, into a cache outside the tree:
# ${WEFT_PEERS:-$HOME/.cache/weft-peers}. What is there already costs nothing.
# usage: tools/peers.sh [rete|python|vocabularies]...       default: all three
#   rete          crate rete-cli 0.5.0             -> rete-cli-0.5.0/bin/rete (about 7 minutes on 2 cores)
#   python        tools/peers-requirements.txt     -> python/bin/python
#   vocabularies  npm @zazuko/vocabularies 4.0.0   -> vocabularies-4.0.0/node_modules
# A peer that cannot be had is named on standard error with the reason, and the tests that need it are
# skipped: exit 0. With WEFT_PEERS_REQUIRED=1 that is a failure.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
peers=${WEFT_PEERS:-$HOME/.cache/weft-peers}
mkdir -p "$peers" || exit 1
# One installation at a time; whoever waited finds the work done.
exec 9>"$peers/.lock"
flock 9
failed=0

skip() {
  echo "peers: SKIPPED $1: $2; the tests that need it will be skipped" >&2
  failed=1
}

root=()
((EUID != 0)) && command -v sudo >/dev/null && root=(sudo)
apt_install() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" </dev/null
}

rust_is_new_enough() {
  local version
  version=$(rustc --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\).*/\1/p')
  command -v cargo >/dev/null && [[ -n $version ]] && ((version >= 87))
}

rete() {
  local to=$peers/rete-cli-0.5.0
  [[ -x $to/bin/rete ]] && { echo "peers: rete-cli 0.5.0 is there"; return; }
  if ! rust_is_new_enough; then
    apt_install rustc-web cargo-web pkg-config libssl-dev || { skip rete "no Rust 1.87 and none from apt"; return; }
    rust_is_new_enough || { skip rete "Rust is older than 1.87: $(rustc --version 2>&1)"; return; }
  fi
  echo "peers: building rete-cli 0.5.0"
  rm -rf "$to.part"
  if cargo install rete-cli --version 0.5.0 --locked --root "$to.part" </dev/null >"$peers/rete.log" 2>&1; then
    mv "$to.part" "$to"
  else
    skip rete "cargo install failed: $(tail -n 3 "$peers/rete.log" | tr '\n' ' ')"
  fi
}

python() {
  local to=$peers/python
  if [[ -x $to/bin/python ]] && cmp -s "$here/peers-requirements.txt" "$to/requirements.txt"; then
    echo "peers: Python packages are there"
    return
  fi
  echo "peers: installing Python packages"
  rm -rf "$to"
  if python3 -m venv "$to" >"$peers/python.log" 2>&1 &&
    "$to/bin/pip" install --no-input --disable-pip-version-check --only-binary :all: \
      -r "$here/peers-requirements.txt" >>"$peers/python.log" 2>&1; then
    cp "$here/peers-requirements.txt" "$to/requirements.txt"
  else
    rm -rf "$to"
    skip python "$(tail -n 2 "$peers/python.log" | tr '\n' ' ')"
  fi
}

vocabularies() {
  local to=$peers/vocabularies-4.0.0
  [[ -d $to/node_modules ]] && { echo "peers: @zazuko/vocabularies 4.0.0 is there"; return; }
  command -v npm >/dev/null || apt_install npm || { skip vocabularies "no npm"; return; }
  echo "peers: installing @zazuko/vocabularies 4.0.0"
  rm -rf "$to.part"
  if npm install --no-audit --no-fund --ignore-scripts --omit=dev --prefix "$to.part" \
    @zazuko/vocabularies@4.0.0 </dev/null >"$peers/vocabularies.log" 2>&1; then
    mv "$to.part" "$to"
  else
    skip vocabularies "$(tail -n 2 "$peers/vocabularies.log" | tr '\n' ' ')"
  fi
}

for peer in "${@:-rete python vocabularies}"; do
  for name in $peer; do
    case $name in
      rete | python | vocabularies) "$name" ;;
      *) echo "tools/peers.sh: unknown peer $name" >&2; exit 2 ;;
    esac
  done
done
[[ ${WEFT_PEERS_REQUIRED:-0} == 1 ]] && exit "$failed"
exit 0
