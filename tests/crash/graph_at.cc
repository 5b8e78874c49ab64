#include "tests/crash/graph_at.h"

#include <map>
#include <set>
#include <utility>

#include "weft/catalog/pinned_table.h"
#include "weft/codec/blake3.h"
#include "weft/codec/stream.h"
#include "weft/gqexec/mutation.h"
#include "weft/graph/branch.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/refs.h"

namespace weft::crash {
namespace {

constexpr std::string_view kSchema = R"(
node Person { name: String @key age: I32? }
node Note { text: String }
edge Knows: Person -> Person { since: I32? }
)";
constexpr std::string_view kForeignProperty = "made-by";

}  // namespace

Status GraphAt::init(base::Ulid operation) {
  WEFT_TRY(const txn::Receipt receipt,
           graph::create_graph(place(), {"ana", policy_},
                               {.schema_text = kSchema, .operation = operation}));
  is_repeated_ = receipt.is_repeated;
  return ok_status();
}

Status GraphAt::load(std::string_view lines, graph::LoadRequest request) {
  codec::MemoryInputView input(lines);
  WEFT_TRY(const graph::LoadResult result,
           graph::load(place(), {"ana", policy_}, request, input, {}));
  is_repeated_ = result.receipt->is_repeated;
  return ok_status();
}

Status GraphAt::mutate(std::string_view body, base::Ulid operation, std::string_view branch) {
  const std::string text = "query m() { " + std::string(body) + " }";
  WEFT_TRY(
      const gqexec::MutationResult result,
      gqexec::mutate(place(), {"ana", policy_},
                     {.text = text, .branch = std::string(branch), .operation = operation}, {}));
  is_repeated_ = result.receipt.has_value() && result.receipt->is_repeated;
  return ok_status();
}

Status GraphAt::branch(std::string_view name, const graph::GraphPoint& from) {
  const auto life = graph::create_branch(place(), {"ana", policy_}, name, from);
  return life.ok() || life.error().kind() == ErrorKind::kAlreadyExists ? ok_status() : life.error();
}

Status GraphAt::delete_branch(std::string_view name) {
  const auto last = graph::delete_branch(place(), {"ana", policy_}, name);
  return last.ok() || last.error().kind() == ErrorKind::kNotFound ? ok_status() : last.error();
}

Result<lance::Snapshot> GraphAt::head(std::string_view key) {
  WEFT_TRY(const catalog::CatalogView view, catalog::open_latest(place()));
  return lance::open_latest(catalog::location_of(place(), *view.state().find(key)));
}

lance::RowOptions GraphAt::foreign() {
  lance::RowOptions options;
  options.stage.operation = "foreign";
  options.stage.clock = &clock_;
  options.stage.random = &random_;
  options.stage.properties = {{std::string(kForeignProperty), "lancedb"}};
  options.write.executor = &executor_;
  return options;
}

Status GraphAt::commit(Result<lance::StagedTransaction> staged) {
  if (!staged.ok()) {
    return std::move(staged).error();
  }
  WEFT_TRY_STATUS(lance::commit(*staged, {foreign().stage, 10, true}));
  return ok_status();
}

Status GraphAt::compact(std::string_view key) {
  WEFT_TRY(const lance::Snapshot newest, head(key));
  WEFT_TRY(auto staged, lance::stage_compaction(newest, {}, foreign()));
  return staged ? commit(std::move(*staged)) : ok_status();
}

Status GraphAt::touch(std::string_view key) {
  WEFT_TRY(const lance::Snapshot newest, head(key));
  lance::UpdateConfigOperation operation;
  operation.config = lance::MapUpdate{{{"touched", "yes"}}, false};
  return commit(lance::Stage(newest, foreign().stage).finish(std::move(operation)));
}

Status GraphAt::tag(std::string_view key) {
  WEFT_TRY(const lance::Snapshot newest, head(key));
  return lance::create_tag(newest, "kept", foreign().stage);
}

Status GraphAt::append_foreign_row(std::string_view key) {
  WEFT_TRY(const lance::Snapshot newest, head(key));
  WEFT_TRY(const auto reader, lance::TableReader::open(newest));
  WEFT_TRY(const auto scan, reader->scan());
  WEFT_TRY(const std::optional<lance::TableRows> rows, scan->next());
  return commit(lance::stage_append(newest, {rows->batch.slice(0, 1)}, foreign()));
}

Status GraphAt::clean(std::string_view key) {
  WEFT_TRY(const lance::Snapshot newest, head(key));
  WEFT_TRY(const lance::VersionList list, lance::list_versions(newest.location()));
  for (const lance::VersionEntry& entry : list.versions) {
    if (entry.version != newest.version()) {
      WEFT_TRY_STATUS(store_.remove(
          newest.location().object(lance::manifest_name(entry.version, entry.naming))));
    }
  }
  return ok_status();
}

Status GraphAt::lose_head(std::string_view key) {
  WEFT_TRY(const lance::Snapshot newest, head(key));
  return store_.remove(
      newest.location().object(lance::manifest_name(newest.version(), newest.naming())));
}

Result<std::string> GraphAt::state() {
  const auto is_there = catalog::open_latest(place());
  if (!is_there.ok() && is_there.error().kind() == ErrorKind::kNotFound) {
    return std::string("no graph");
  }
  std::vector<std::string> names = {"main"};
  WEFT_TRY(const auto branches, catalog::list_branches(place()));
  for (const catalog::BranchEntry& entry : branches) {
    names.push_back(entry.life.branch);
  }
  std::string text;
  for (const std::string& name : names) {
    WEFT_TRY(const auto snapshot, graph::open_snapshot(place(), {.branch = name, .at = {}}));
    codec::StringOutput out;
    WEFT_TRY_STATUS(graph::export_graph(*snapshot, {}, out, {}));
    text += "-- " + name + "\n" + out.text();
  }
  return text;
}

Status GraphAt::add_published(const catalog::CatalogPlace& at,
                              std::map<std::string, bool>& hashes) {
  WEFT_TRY(const catalog::CatalogView newest, catalog::open_latest(at));
  for (uint64_t version = 1; version <= newest.version(); ++version) {
    WEFT_TRY(const catalog::CatalogView view, catalog::open_version(at, version));
    for (const catalog::TableEntry& table : view.state().tables) {
      hashes[table.pin.head_hash] = true;
    }
  }
  return ok_status();
}

std::string GraphAt::bad_heads() {
  const auto newest = catalog::open_latest(place());
  if (!newest.ok()) {
    return newest.error().kind() == ErrorKind::kNotFound ? "" : newest.error().to_string();
  }
  std::map<std::string, bool> hashes;
  if (const Status added = add_published(place(), hashes); !added.ok()) {
    return added.error().to_string();
  }
  std::string bad;
  const auto branches = catalog::list_branches(place());
  if (!branches.ok()) {
    return branches.error().to_string();
  }
  for (const catalog::BranchEntry& entry : *branches) {
    // What other programs find a branch by, once its own chain has begun.
    if (entry.head.version() > entry.life.lineage.front().version &&
        !lance::find_branch(place().location(), entry.life.life).ok()) {
      bad += "no native branch " + entry.life.life + "\n";
    }
  }
  for (const catalog::TableEntry& table : newest->state().tables) {
    const auto list = lance::list_versions(catalog::location_of(place(), table));
    if (!list.ok()) {
      return list.error().to_string();
    }
    for (const lance::VersionEntry& entry : list->versions) {
      const auto snapshot =
          lance::open_version(catalog::location_of(place(), table), entry.version, entry.naming);
      if (!snapshot.ok()) {
        return snapshot.error().to_string();
      }
      const auto transaction = snapshot->transaction();
      const bool is_foreign =
          transaction.ok() && *transaction &&
          lance::find_entry((*transaction)->properties, kForeignProperty) != nullptr;
      if (!is_foreign &&
          !hashes.contains(codec::to_hex(codec::blake3_16(snapshot->file().view())))) {
        bad += table.key + " version " + std::to_string(entry.version) + "\n";
      }
    }
  }
  return bad;
}

}  // namespace weft::crash
