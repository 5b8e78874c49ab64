// @lancedb/lancedb behind a pipe, for lance_engines.py: one JSON request a line, one JSON answer a line.
// Rows pass as Arrow files. usage: node lance_js_peer.mjs NODE_MODULES
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import path from "node:path";

const require = createRequire(path.join(process.argv[2], "x.js"));
const lancedb = require("@lancedb/lancedb");
const arrow = require("apache-arrow");

const rowsOf = (file) => arrow.tableFromIPC(readFileSync(file));
const open = async ({ folder, version, tag, branch }) => {
  const db = await lancedb.connect(path.dirname(folder));
  const table = await db.openTable(path.basename(folder).replace(/\.lance$/, ""));
  if (branch) return (await table.branches()).checkout(branch, version);
  if (version) await table.checkout(version);
  if (tag) await table.checkout(tag);
  return table;
};
const put = async (query, { columns, where, limit, out }) => {
  if (where) query = query.where(where);
  if (columns) query = query.select(columns);
  if (limit) query = query.limit(limit);
  writeFileSync(out, arrow.tableToIPC(await query.toArrow(), "file"));
};

const requests = {
  create: async ({ folder, rows }) => {
    const db = await lancedb.connect(path.dirname(folder));
    await db.createTable(path.basename(folder).replace(/\.lance$/, ""), rowsOf(rows));
  },
  rows: async (request) => put((await open(request)).query(), request),
  take: async (request) => put((await open(request)).takeOffsets(request.offsets), request),
  vector: async (request) => {
    const query = (await open(request)).vectorSearch(request.vector).nprobes(1000).refineFactor(50);
    await put(query.limit(request.k), { ...request, limit: undefined });
  },
  text: async (request) => put((await open(request)).search(request.words, "fts", "s"), request),
  count: async (request) => (await open(request)).countRows(request.where),
  version: async (request) => (await open(request)).version(),
  append: async (request) => { await (await open(request)).add(rowsOf(request.rows)); },
  delete: async (request) => { await (await open(request)).delete(request.where); },
  update: async (request) => { await (await open(request)).update({ where: request.where, valuesSql: request.values }); },
  merge: async (request) => {
    const merge = (await open(request)).mergeInsert(request.on);
    await merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rowsOf(request.rows));
  },
  add_column: async (request) => { await (await open(request)).addColumns([{ name: request.name, valueSql: request.sql }]); },
  drop_column: async (request) => { await (await open(request)).dropColumns([request.name]); },
  index: async (request) => {
    const made = {
      btree: lancedb.Index.btree,
      fts: lancedb.Index.fts,
      ivf_pq: () => lancedb.Index.ivfPq({ numPartitions: 2, numSubVectors: 4, distanceType: "l2" }),
    };
    await (await open(request)).createIndex(request.column, { config: made[request.kind](), replace: true });
  },
  make_branch: async (request) => { await (await (await open(request)).branches()).create(request.name, request.source); },
  branches: async (request) => Object.keys(await (await (await open(request)).branches()).list()),
  drop_branch: async (request) => { await (await (await open(request)).branches()).delete(request.name); },
  // All old versions, files of unfinished writes too.
  clean: async (request) => { await (await open(request)).optimize({ cleanupOlderThan: new Date(), deleteUnverified: true }); },
  optimize: async (request) => { await (await open(request)).optimize(); },
  restore: async (request) => {
    const table = await open(request);
    await table.restore();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let answer;
  try {
    answer = { ok: (await requests[request.do](request)) ?? null };
  } catch (error) {
    answer = { error: String(error?.stack ?? error).slice(0, 2000) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
