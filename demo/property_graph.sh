# shellcheck shell=bash
# A property graph, end to end; sourced by run.sh, which has say, weft, $program and $here.

# A load that is killed (SIGKILL) while it writes: rows come through a pipe, so that it cannot end by itself.
killed_load() {
  local files_before files=0 load status=0
  files_before=$(find graph.weft -type f | wc -l)
  mkfifo rows.fifo
  printf '$ generate 200000 rows | weft load --data - --mode append graph.weft &\n'
  "$program" load --data - --mode append --quiet graph.weft <rows.fifo &
  load=$!
  exec 9>rows.fifo
  awk 'BEGIN { for (i = 0; i < 200000; ++i) printf "{\"type\":\"Star\",\"data\":{\"name\":\"HD %d\",\"magnitude\":%d.5}}\n", i, i % 9 }' >&9 || true
  for _ in $(seq 200); do
    files=$(find graph.weft -type f | wc -l)
    ((files > files_before)) && break
    sleep 0.05
  done
  printf '$ kill -9 %d\n' "$load"
  kill -KILL "$load"
  { wait "$load" || status=$?; } 2>/dev/null
  exec 9>&-
  rm rows.fifo
  ((status == 137)) || { echo "demo: the load ended before it could be killed: $status" >&2; exit 1; }
  printf '  (it had begun %d files, which nothing names)\n' $((files - files_before))
}

property_graph() {
  local head
  cp "$here"/graph/{schema.pg,people.jsonl,more.jsonl,queries.gq} .
  say "A typed property graph: a schema, and rows that are checked against it, in one commit."
  weft init --schema schema.pg graph.weft
  weft load --data people.jsonl --mode overwrite graph.weft
  say "Questions are written in .gq: with parameters, over paths, with counts."
  weft query find_people --query queries.gq --params '{"title":"Engineer"}' --format table --store graph.weft
  weft query reach --query queries.gq --params '{"name":"Ada"}' --store graph.weft
  weft query watched --query queries.gq --store graph.weft
  say "A mutation is one commit, with somebody who made it and why."
  weft mutate --store graph.weft -e 'query add($n: String, $a: I32) { insert Person { name: $n, age: $a } }' --params '{"n":"Mina","a":28}' --as ana -m "new hire"
  weft mutate birthday --query queries.gq --params '{"name":"Ada","age":37}' --store graph.weft --as ben
  say "A load is killed in the middle of its writing. Nobody has to repair anything: the graph is as it was."
  weft query people --query queries.gq --store graph.weft
  killed_load
  weft query people --query queries.gq --store graph.weft
  weft query -e 'query stars() { match { $s: Star } return { count($s) as stars } }' --store graph.weft
  say "And it goes on."
  weft mutate --store graph.weft -e 'query add($n: String, $t: String) { insert Person { name: $n, title: $t } insert Knows { from: $n, to: "Ada" } }' --params '{"n":"Noor","t":"Student"}' --as ana
  say "A branch costs nothing; what is loaded there is seen there."
  weft branch create review --store graph.weft
  weft load --data more.jsonl --mode append --branch review graph.weft
  weft diff main review --store graph.weft
  say "The history, and the graph as it was at its first load."
  weft commit list --store graph.weft
  head=$("$program" commit list --store graph.weft | tail -n 2 | head -n 1)
  weft query people --query queries.gq --store graph.weft --at "${head%% *}"
  say "Bad rows: every fault with its line, and nothing is published."
  printf '%s\n' '{"type":"Person","data":{"name":"Otto","age":151}}' '{"type":"Person","data":{"name":"Pia","hue":"red"}}' \
    '{"edge":"Knows","from":"Ada","to":"nobody"}' >bad.jsonl
  printf '$ weft load --data bad.jsonl --mode append graph.weft\n'
  "$program" load --data bad.jsonl --mode append graph.weft 2>&1 && { echo "demo: bad rows were taken" >&2; exit 1; }
  say "Everything as lines again, and where other programs find the tables (LanceDB opens them)."
  weft export --branch review graph.weft -o review.jsonl
  wc -l review.jsonl
  weft snapshot --locations graph.weft
}
