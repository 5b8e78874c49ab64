// The page of --with-query-page: one document, nothing from elsewhere.
#pragma once

#include <string_view>

namespace weft::server {

inline constexpr std::string_view kQueryPage = R"html(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>weft</title>
<style>
body{font:15px/1.4 system-ui,sans-serif;margin:1.5rem auto;max-width:72rem;padding:0 1rem;color:#222;background:#fff}
textarea{width:100%;height:11rem;font:14px/1.4 ui-monospace,monospace;padding:.5rem;box-sizing:border-box;border:1px solid #888;border-radius:4px}
.bar{display:flex;gap:.75rem;align-items:center;margin:.6rem 0;flex-wrap:wrap}
button{font:inherit;padding:.35rem 1.1rem;border:1px solid #246;border-radius:4px;background:#246;color:#fff;cursor:pointer}
button.plain{background:#fff;color:#246}
#note{color:#555}#note.bad{color:#a00;white-space:pre-wrap}
.scroll{overflow-x:auto}table{border-collapse:collapse;font:13px/1.35 ui-monospace,monospace}
th,td{border:1px solid #ccc;padding:.2rem .5rem;text-align:left;vertical-align:top;max-width:32rem;overflow-wrap:anywhere}
th{background:#eef2f6;position:sticky;top:0}pre{font-size:13px;overflow-x:auto}
@media(prefers-color-scheme:dark){body{background:#181a1d;color:#ddd}textarea,button.plain{background:#222;color:#ddd}th{background:#2a3038}td,th{border-color:#444}#note{color:#aaa}#note.bad{color:#f88}}
</style>
<h1>weft</h1>
<textarea id="text" spellcheck="false" aria-label="SPARQL query">SELECT * WHERE { ?s ?p ?o } LIMIT 25</textarea>
<div class="bar"><button id="run">Run (Ctrl+Enter)</button><button id="stop" class="plain" hidden>Stop</button>
<label>Rows shown <input id="max" type="number" value="1000" min="1" max="100000"></label>
<label>Token <input id="token" type="password" autocomplete="off"></label><span id="note" role="status"></span></div>
<div class="scroll" id="out"></div>
<script>
"use strict";
const el = id => document.getElementById(id);
let running = null;
function show(term) {
  if (!term) return "";
  if (term.type === "uri") return "<" + term.value + ">";
  if (term.type === "bnode") return "_:" + term.value;
  if (term.type === "triple") { const v = term.value;
    return "<<( " + [v.subject, v.predicate, v.object].map(show).join(" ") + " )>>"; }
  return '"' + term.value + '"' + (term["xml:lang"] ? "@" + term["xml:lang"] : term.datatype ? "^^<" + term.datatype + ">" : "");
}
function table(answer, max) {
  const t = document.createElement("table"), names = answer.head.vars || [];
  const head = t.createTHead().insertRow();
  for (const name of names) { const th = document.createElement("th"); th.textContent = "?" + name; head.append(th); }
  const body = t.createTBody();
  for (const row of answer.results.bindings.slice(0, max)) {
    const tr = body.insertRow();
    for (const name of names) tr.insertCell().textContent = show(row[name]);
  }
  return t;
}
async function run() {
  if (running) running.abort();
  running = new AbortController();
  const mine = running, note = el("note"), begin = performance.now();
  note.className = ""; note.textContent = "running…"; el("out").replaceChildren(); el("stop").hidden = false;
  try {
    const headers = {"Content-Type": "application/sparql-query", "Accept": "application/sparql-results+json, text/turtle"};
    if (el("token").value) headers.Authorization = "Bearer " + el("token").value;
    const base = location.pathname.replace(/\/$/, "");
    const answer = await fetch(base + "/query", {method: "POST", headers, body: el("text").value, signal: mine.signal});
    const text = await answer.text(), ms = Math.round(performance.now() - begin);
    if (!answer.ok) {
      note.className = "bad";
      try { const e = JSON.parse(text).error; note.textContent = e.message + "\n" + e.facts.map(f => f.key + ": " + f.value).join("\n"); }
      catch { note.textContent = answer.status + " " + text; }
    } else if ((answer.headers.get("Content-Type") || "").includes("json")) {
      const json = JSON.parse(text);
      if ("boolean" in json) note.textContent = json.boolean + " in " + ms + " ms";
      else { const n = json.results.bindings.length, max = +el("max").value || 1000;
        note.textContent = n + " rows in " + ms + " ms" + (n > max ? ", the first " + max + " shown" : "");
        el("out").append(table(json, max)); }
    } else {
      const pre = document.createElement("pre"); pre.textContent = text; el("out").append(pre);
      note.textContent = ms + " ms";
    }
  } catch (e) { note.className = "bad"; note.textContent = e.name === "AbortError" ? "stopped" : String(e); }
  if (running === mine) { running = null; el("stop").hidden = true; }
}
el("run").onclick = run;
el("stop").onclick = () => running && running.abort();
el("text").onkeydown = e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) run(); };
</script>
</html>
)html";

}  // namespace weft::server
