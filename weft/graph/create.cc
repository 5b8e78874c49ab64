#include "weft/graph/create.h"

#include <utility>

#include "weft/codec/blake3.h"
#include "weft/graph/snapshot.h"
#include "weft/schema/accepted.h"

namespace weft::graph {
namespace {

using schema::AcceptedSchema;
using schema::DeclarationIds;

Status stage_table(txn::Capture& capture, std::string_view name, std::string key,
                   const DeclarationIds& ids, const columns::Schema& columns, txn::Change& change) {
  txn::TableChange& table = change.tables.emplace_back();
  table.key = std::move(key);
  table.identity = {ids.id, ids.incarnation};
  WEFT_TRY(auto fields, table_fields(columns));
  WEFT_TRY(table.staged, lance::stage_create({&capture.place().store,
                                              catalog::table_path(name, table.identity), ""},
                                             std::move(fields), {}, true, capture.row_options()));
  return ok_status();
}

Result<txn::Change> stage_graph(txn::Capture& capture, const AcceptedSchema& accepted,
                                const catalog::SchemaPin& pin) {
  if (capture.view() != nullptr) {
    return Error(ErrorKind::kAlreadyExists, "a graph is there already; nothing was changed")
        .with("store", capture.place().store.location())
        .with("commit", capture.view()->state().head.id.text());
  }
  txn::Change change;
  change.schema = pin;
  for (const schema::NodeType& type : accepted.schema.nodes()) {
    WEFT_TRY_STATUS(stage_table(capture, type.name, node_key(type.name),
                                accepted.nodes.find(type.name)->second, *ndjson::node_columns(type),
                                change));
  }
  for (const schema::EdgeType& type : accepted.schema.edges()) {
    WEFT_TRY_STATUS(stage_table(capture, type.name, edge_key(type.name),
                                accepted.edges.find(type.name)->second, *ndjson::edge_columns(type),
                                change));
  }
  return change;
}

}  // namespace

Result<std::vector<lance::layout::SchemaField>> table_fields(const columns::Schema& columns) {
  WEFT_TRY(auto fields, lance::layout::schema_fields(columns));
  fields.front().unenforced_primary_key = true;
  fields.front().unenforced_primary_key_position = 1;
  return fields;
}

Status probe_store(const catalog::CatalogPlace& place) {
  storage::ObjectStore& store = place.store;
  const auto refuse = [&](std::string_view reason) {
    return Error(ErrorKind::kUnsupported,
                 "this store cannot create an object only if it is absent, which graphs need")
        .with("store", store.location())
        .with("reason", reason);
  };
  const storage::Capabilities able = store.capabilities();
  if (!able.writable || !able.put_if_absent || !able.list) {
    return refuse(!able.writable ? "read-only" : !able.list ? "no listing" : "no such creation");
  }
  const std::string name = "_probe/" + base::random_name(place.random);
  WEFT_TRY(const storage::PutOutcome first, store.put_if_absent(name, as_bytes("first")));
  WEFT_TRY(const storage::PutOutcome second, store.put_if_absent(name, as_bytes("second")));
  WEFT_TRY(const storage::VersionedObject found, store.get(name, 16));
  WEFT_TRY_STATUS(store.remove(name));
  const bool holds = first == storage::PutOutcome::kDone && second == storage::PutOutcome::kLost &&
                     as_text(found.bytes.view()) == "first";
  return holds ? ok_status() : Status(refuse("an object that was there was replaced"));
}

Result<txn::Receipt> create_graph(const catalog::CatalogPlace& place, const Authority& authority,
                                  const CreateRequest& request) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kInit, kMainBranch, request.message));
  WEFT_TRY(const AcceptedSchema accepted,
           schema::accept(request.schema_text, nullptr, place.clock.now(), place.random));
  WEFT_TRY_STATUS(probe_store(place));
  const std::string document = accepted.document();
  catalog::SchemaPin pin;
  pin.size_bytes = document.size();
  pin.hash = codec::to_hex(codec::blake3_16(as_bytes(document)));
  pin.path = std::string(kSchemaFolder) + "/" + pin.hash + ".json";
  const auto prepare = [&](txn::Capture& capture) -> Result<txn::Change> {
    WEFT_TRY(txn::Change change, stage_graph(capture, accepted, pin));
    // Its ids are fresh, so that whatever has the name is an earlier attempt's.
    WEFT_TRY_STATUS(lance::put_staged(place.store, {{pin.path, document}}));
    return change;
  };
  return txn::write(place,
                    {.operation = request.operation,
                     .kind = std::string(action_name(Action::kInit)),
                     .actor = authority.actor,
                     .message = request.message},
                    prepare);
}

}  // namespace weft::graph
