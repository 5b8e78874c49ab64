#!/usr/bin/env bash
# The quickstart, end to end. usage: demo/run.sh WEFT FOLDER [FILE...]
#   WEFT    the program            FOLDER  is made anew, and holds the result
#   FILE    your own RDF, instead of the data of this folder
# Prints each command as you would type it, what it answered, and how long it took. Stops at the first
# that fails.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1")
folder=$2
shift 2
files=()
for file in "$@"; do
  [[ $file == http*://* || -r $file ]] || { echo "demo: cannot read $file" >&2; exit 4; }
  files+=("$(realpath "$file")")
done
# The folder is removed, so it must be one of ours.
if [[ -e $folder && ! -e $folder/.weft-demo ]]; then
  echo "demo: $folder is there and was not made by the demo; name another folder" >&2
  exit 5
fi
rm -rf "$folder"
mkdir -p "$folder"
touch "$folder/.weft-demo"
cd "$folder"

say() { printf '\n# %s\n' "$*"; }
# A word as one would type it.
quoted() {
  if [[ $1 == *[\"\$]* ]]; then
    printf "'%s'" "$1"
  elif [[ $1 =~ [^A-Za-z0-9_./=:-] ]]; then
    printf '"%s"' "$1"
  else
    printf '%s' "$1"
  fi
}
weft() {
  local words=() word begin
  for word in "$@"; do words+=("$(quoted "$word")"); done
  printf '$ weft %s\n' "${words[*]}"
  begin=$(date +%s%3N)
  "$program" "$@" || { local status=$?; echo "demo: that failed with exit code $status" >&2; exit "$status"; }
  printf '  (%d ms)\n' $(($(date +%s%3N) - begin))
}

manifest=my.rete-manifest.json

# curl_ WORDS...: a request to the server, printed as you would type it.
curl_() {
  local words=() word begin
  for word in "$@"; do words+=("$(quoted "$word")"); done
  printf '$ curl %s\n' "${words[*]}"
  begin=$(date +%s%3N)
  curl -sS --fail-with-body --max-time 60 "$@" || { echo "demo: that failed" >&2; exit 1; }
  printf '  (%d ms)\n' $(($(date +%s%3N) - begin))
}

server=''
stop_server() {
  [[ -z $server ]] && return 0
  kill -TERM "$server" 2>/dev/null || true
  local status=0
  wait "$server" || status=$?
  server=''
  return "$status"
}

# The manifest over HTTP: what is inserted is there at once, while it is sealed, and after the end.
served() {
  command -v curl >/dev/null || { say "Serving needs curl, which is not here: skipped."; return 0; }
  local log=serve.log url='' count='SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }'
  say "The graph is served over HTTP, and changes while it is asked."
  printf '$ weft serve %s --bind 127.0.0.1:0 &\n' "$manifest"
  : >"$log"
  "$program" serve "$manifest" --bind 127.0.0.1:0 --access-log none 2>"$log" &
  server=$!
  trap 'stop_server || true' EXIT
  for _ in $(seq 200); do
    url=$(sed -n 's/^weft: serving .* at \(http:[^ ]*\)\/sparql$/\1/p' "$log")
    [[ -n $url ]] && break
    kill -0 "$server" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.05
  done
  [[ -n $url ]] || { cat "$log" >&2; exit 1; }
  cat "$log"
  curl_ "$url/sparql" -H "Accept: text/csv" --data-urlencode "query=$count"
  say "An update is durable when it is answered, and the next query sees it."
  curl_ "$url/update" --data-urlencode "update=INSERT DATA { <http://ex/demo> <http://ex/says> 'written over HTTP' }"
  curl_ "$url/sparql" -H "Accept: text/csv" --data-urlencode "query=SELECT ?what { <http://ex/demo> <http://ex/says> ?what }"
  say "The journal becomes a segment while the server goes on."
  curl_ -X POST "$url/admin/seal"
  curl_ "$url/sparql" -H "Accept: text/csv" --data-urlencode "query=$count"
  say "The server ends in order; what it was told is in the files."
  printf '$ kill -TERM %s\n' "$server"
  stop_server
  weft query "$manifest" "SELECT ?what { <http://ex/demo> <http://ex/says> ?what }"
}

own_data() {
  say "Your data becomes a segment: one immutable file that can be queried where it lies."
  weft build "${files[@]}" -o base.rete
  weft info base.rete
  weft query base.rete "SELECT (COUNT(*) AS ?statements) WHERE { ?s ?p ?o }"
  say "What it is made of: its ten most frequent predicates."
  weft query base.rete "SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) ?p LIMIT 10"
  say "A manifest makes it a graph that can be changed. One statement is taken out, then put back."
  weft manifest init "$manifest" base.rete
  "$program" dump base.rete >all.nq
  head -n 1 all.nq >one.nq
  if [[ -s one.nq ]]; then
    weft manifest add "$manifest" --dels one.nq
    weft count "$manifest"
    "$program" build one.nq --blank-nodes keep -o one.rete
    weft manifest add "$manifest" --adds one.rete
  fi
  weft manifest status "$manifest" --count --verify
  say "The log is folded into one segment again."
  weft manifest compact "$manifest"
  weft manifest status "$manifest" --count
}

quickstart() {
  cp "$here"/{people.ttl,more.nt,new.nq,obsolete.nq} .
  say "RDF text becomes a segment: one immutable file that can be queried where it lies."
  weft build people.ttl -o base.rete
  say "A manifest makes it a graph that can be changed."
  weft manifest init "$manifest" base.rete
  say "A second file arrives, is built into a segment of its own, and is added."
  weft build more.nt -o session2.rete
  weft manifest add "$manifest" --adds session2.rete
  say "News is added and what it replaces is deleted, in one step."
  weft manifest add "$manifest" --adds new.nq --dels obsolete.nq
  say "Whom does Ada know? One is known from the first file, one from the second, one has a new name."
  weft manifest query "$manifest" "SELECT ?n WHERE { <http://ex/a> <http://ex/knows> ?x . ?x <http://ex/name> ?n }"
  say "The notes of each day are a named graph."
  weft manifest query "$manifest" "SELECT ?day ?who ?text WHERE { GRAPH ?g { ?note <http://ex/on> ?day ; <http://ex/by> ?p ; <http://ex/text> ?text } ?p <http://ex/name> ?who } ORDER BY ?day ?text"
  say "Every segment, its pin, and every byte of it."
  weft manifest status "$manifest" --count --verify
  say "What did the last entry change?"
  weft manifest diff "$manifest" --from 2 --to 3
  say "The log is folded into one segment again; the old ones stay until gc."
  weft manifest compact "$manifest"
  weft manifest status "$manifest" --count
  say "A segment answers alone, too."
  weft query base.rete "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }" --format csv
}

# shellcheck source=demo/property_graph.sh
source "$here/property_graph.sh"
if ((${#files[@]})); then own_data; else quickstart; fi
served
((${#files[@]})) || property_graph
printf '\nThe result lies in %s\n' "$PWD"
ls -l --time-style=+ . | awk 'NR > 1 {printf "  %9d  %s\n", $5, $6}'
