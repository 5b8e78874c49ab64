#!/usr/bin/env bash
# Installs the test-only peers, at fixed versions, into a cache outside the tree:
# ${WEFT_PEERS:-$HOME/.cache/weft-peers}. What is there already costs nothing.
# usage: tools/peers.sh [rete|python|lance|lance-js|graph|vocabularies]...       default: all
#   rete          crate rete-cli 0.5.0             -> rete-cli-0.5.0/bin/rete (about 7 minutes on 2 cores)
#   python        tools/peers-requirements.txt     -> python/bin/python
#   lance         tools/peers-lance-requirements.txt -> lance/bin/python (pylance 14, lancedb 0.40)
#   graph         tools/peers-graph-requirements.txt -> graph/bin/python (kuzu 0.11)
#   lance-js      npm @lancedb/lancedb 0.31.0    -> lancedb-0.31.0/node_modules
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

# python_packages NAME REQUIREMENTS: a Python environment of its own at NAME.
python_packages() {
  local name=$1 to=$peers/$1 requirements=$here/$2
  if [[ -x $to/bin/python ]] && cmp -s "$requirements" "$to/requirements.txt"; then
    echo "peers: Python packages of $name are there"
    return
  fi
  echo "peers: installing Python packages of $name"
  rm -rf "$to"
  if python3 -m venv "$to" >"$peers/$name.log" 2>&1 &&
    "$to/bin/pip" install --no-input --disable-pip-version-check --only-binary :all: \
      -r "$requirements" >>"$peers/$name.log" 2>&1; then
    cp "$requirements" "$to/requirements.txt"
  else
    rm -rf "$to"
    skip "$name" "$(tail -n 2 "$peers/$name.log" | tr '\n' ' ')"
  fi
}
python() { python_packages python peers-requirements.txt; }
lance() { python_packages lance peers-lance-requirements.txt; }
graph() { python_packages graph peers-graph-requirements.txt; }

# npm_packages NAME VERSION PACKAGE...: Node packages at NAME-VERSION; the first is the peer.
npm_packages() {
  local name=$1 to=$peers/$1-$2
  shift 2
  [[ -d $to/node_modules ]] && { echo "peers: $1 is there"; return; }
  command -v npm >/dev/null || apt_install npm || { skip "$name" "no npm"; return; }
  echo "peers: installing $1"
  rm -rf "$to.part"
  if npm install --no-audit --no-fund --ignore-scripts --omit=dev --prefix "$to.part" \
    "$@" </dev/null >"$peers/$name.log" 2>&1; then
    mv "$to.part" "$to"
  else
    skip "$name" "$(tail -n 2 "$peers/$name.log" | tr '\n' ' ')"
  fi
}
vocabularies() { npm_packages vocabularies 4.0.0 @zazuko/vocabularies@4.0.0; }
# apache-arrow is a peer dependency of lancedb: the newest that it accepts. The tests run it with node.
lance-js() {
  command -v node >/dev/null || apt_install nodejs || { skip lance-js "no node"; return; }
  npm_packages lancedb 0.31.0 @lancedb/lancedb@0.31.0 apache-arrow@18.1.0
}

for peer in "${@:-rete python lance lance-js graph vocabularies}"; do
  for name in $peer; do
    case $name in
      rete | python | lance | lance-js | graph | vocabularies) "$name" ;;
      *) echo "tools/peers.sh: unknown peer $name" >&2; exit 2 ;;
    esac
  done
done
[[ ${WEFT_PEERS_REQUIRED:-0} == 1 ]] && exit "$failed"
exit 0
