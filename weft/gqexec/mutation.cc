#include "weft/gqexec/mutation.h"

#include <algorithm>
#include <utility>

#include "weft/catalog/branches.h"
#include "weft/codec/blake3.h"
#include "weft/gqexec/mutation_image.h"
#include "weft/graph/key_lookup.h"
#include "weft/graph/load_check.h"
#include "weft/graph/stage_load.h"
#include "weft/graph/value_index.h"
#include "weft/graph/value_text.h"
#include "weft/ndjson/load_reader.h"

namespace weft::gqexec {
namespace {

constexpr std::string_view kNothing = "nothing-matched";

// D2 needs no schema.
Status check_one_kind(const gq::Query& query) {
  size_t deletes = 0;
  std::string types;
  const auto& statements = std::get<gq::Mutation>(query.body).statements;
  for (const gq::Statement& statement : statements) {
    deletes += std::holds_alternative<gq::Delete>(statement) ? 1 : 0;
    types += types.empty() ? "" : ", ";
    types += std::visit([](const auto& some) { return some.type.text; }, statement);
  }
  if (deletes == 0 || deletes == statements.size()) {
    return ok_status();
  }
  return Error(ErrorKind::kInvalid, "mutation " + query.name.text +
                                        " mixes inserts and updates with deletes; make "
                                        "them two mutations")
      .with("code", "mixed_mutation")
      .with("inserts_and_updates", uint64_t{statements.size() - deletes})
      .with("deletes", uint64_t{deletes})
      .with("types", types);
}

bool inserts_only(const gq::Query& query) {
  const auto& statements = std::get<gq::Mutation>(query.body).statements;
  return std::all_of(statements.begin(), statements.end(), [](const gq::Statement& statement) {
    return std::holds_alternative<gq::Insert>(statement);
  });
}

// Of what is asked for; each part with its length, so that no two requests have one text.
std::string request_hash(const MutationRequest& request) {
  codec::Blake3 hash;
  for (const std::string_view part :
       {std::string_view(request.branch), request.name, request.text, request.parameters}) {
    hash.update(as_bytes(std::to_string(part.size()) + ":"));
    hash.update(as_bytes(part));
  }
  return codec::to_hex(hash.digest16());
}

Error refusal(const ndjson::Violations& violations) {
  Error error(violations.to_error().kind(),
              "mutation has " + std::to_string(violations.count()) +
                  (violations.count() == 1 ? " violation" : " violations"));
  for (const ndjson::Violation& violation : violations.first()) {
    error.add("violation", violation.code + ": " + violation.message);
  }
  return error;
}

class Mutator {
 public:
  Mutator(const catalog::CatalogPlace& place, const graph::Authority& authority,
          const MutationRequest& request, const std::stop_token& stop, gq::Query query)
      : place_(place),
        authority_(authority),
        request_(request),
        stop_(stop),
        query_(std::move(query)),
        now_(place.clock.now()) {}

  Result<MutationResult> run() {
    WEFT_TRY(parameters_, read_parameters(query_, request_.parameters));
    result_.name = query_.name.text;
    result_.unknown_parameters = parameters_.unknown;
    if (request_.dry_run) {
      WEFT_TRY(catalog::CatalogView newest, catalog::open_latest(place_));
      WEFT_TRY_STATUS(catalog::check_goes_on(newest));
      WEFT_TRY(const auto snapshot, graph::open_snapshot(place_, std::move(newest)));
      WEFT_TRY_STATUS(check_head(snapshot->view()));
      WEFT_TRY(const Attempt attempt, evaluate(*snapshot));
      return std::move(result_);
    }
    Result<txn::Receipt> receipt = txn::write(
        place_, write_request(), [this](txn::Capture& capture) { return prepare(capture); });
    if (receipt.ok()) {
      result_.receipt = *std::move(receipt);
    } else if (receipt.error().fact("reason") != kNothing) {
      return std::move(receipt).error();
    }
    return std::move(result_);
  }

 private:
  // What one attempt found.
  struct Attempt {
    graph::LoadedTables tables;
    graph::CheckedLoad checked;
    std::map<std::string, std::vector<uint64_t>, std::less<>> removed;  // addresses, by key
    std::map<std::string, catalog::TableIdentity, std::less<>> identities;
    bool is_empty() const { return tables.empty() && removed.empty(); }
  };

  txn::WriteRequest write_request() const {
    txn::WriteRequest write;
    write.operation = request_.operation;
    write.kind = graph::action_name(graph::Action::kMutate);
    write.actor = authority_.actor;
    write.message = request_.message;
    write.idempotency_key = request_.idempotency_key;
    if (!request_.idempotency_key.empty()) {
      write.request_hash = request_hash(request_);
    }
    write.is_strict = !inserts_only(query_);
    write.expected_head = request_.expected_head;
    for (const gq::Statement& statement : std::get<gq::Mutation>(query_.body).statements) {
      const std::string& type = std::visit(
          [](const auto& some) -> const std::string& { return some.type.text; }, statement);
      // Which of the two it is the schema knows.
      write.tables.push_back(graph::node_key(type));
      write.tables.push_back(graph::edge_key(type));
    }
    return write;
  }

  Status check_head(const catalog::CatalogView& view) const {
    return request_.expected_head.has_value()
               ? txn::check_expected_head(&view, *request_.expected_head)
               : ok_status();
  }

  Result<txn::Change> prepare(txn::Capture& capture) {
    if (capture.view() == nullptr) {
      return Error(ErrorKind::kNotFound, "there is no graph here");
    }
    WEFT_TRY(snapshot_, graph::open_snapshot(place_, *capture.view()));
    WEFT_TRY(const gq::CheckedQuery checked, gq::check_query(query_, snapshot_->schema()));
    // Rows are found in the versions that the change is built upon.
    graph::GraphSnapshot::Bases bases;
    for (const gq::TypeUse& use : checked.writes) {
      const std::string key = use.is_edge ? graph::edge_key(use.name) : graph::node_key(use.name);
      WEFT_TRY(lance::Snapshot base, capture.table(key));
      bases.emplace(key, std::move(base));
    }
    WEFT_TRY(snapshot_, graph::GraphSnapshot::make(place_, *capture.view(),
                                                   snapshot_->shared_schema(), bases));
    WEFT_TRY(const Attempt attempt, evaluate(*snapshot_));
    if (attempt.is_empty()) {
      return Error(ErrorKind::kNotFound, "nothing matched").with("reason", kNothing);
    }
    graph::GraphSnapshot::Bases changed;
    for (const auto& [key, table] : attempt.tables) {
      changed.emplace(key, bases.find(key)->second);
    }
    WEFT_TRY(txn::Change change, graph::stage_load(capture.row_options(), graph::LoadMode::kMerge,
                                                   attempt.tables, changed, attempt.checked));
    for (const auto& [key, addresses] : attempt.removed) {
      txn::TableChange& table = change.tables.emplace_back();
      table.key = key;
      table.identity = attempt.identities.find(key)->second;
      WEFT_TRY(table.staged,
               lance::stage_delete(bases.find(key)->second, addresses, capture.row_options()));
    }
    return change;
  }

  Result<Attempt> evaluate(const graph::GraphSnapshot& snapshot) {
    WEFT_TRY(const gq::CheckedQuery checked, gq::check_query(query_, snapshot.schema()));
    MutationImage image(snapshot, checked, parameters_, now_, place_.random, stop_);
    WEFT_TRY_STATUS(image.run());
    result_.nodes = image.nodes();
    result_.edges = image.edges();
    Attempt attempt;
    WEFT_TRY_STATUS(check_changed(snapshot, image, attempt));
    WEFT_TRY_STATUS(check_removed(snapshot, image, attempt));
    return attempt;
  }

  // Rows as they will be, checked as those of a load that merges.
  Status check_changed(const graph::GraphSnapshot& snapshot, const MutationImage& image,
                       Attempt& attempt) {
    ndjson::LoadReader reader(snapshot.schema(), now_, place_.random, {.names_lines = false});
    WEFT_TRY_STATUS(reader.feed(image.lines(), stop_));
    const Status finished = reader.finish(stop_);
    if (!finished.ok()) {
      return reader.violations().empty() ? finished : Status(refusal(reader.violations()));
    }
    for (const ndjson::TypedBatch& batch : reader.take_batches()) {
      const graph::TypeTable& type =
          batch.is_edge ? *snapshot.find_edge(batch.type) : *snapshot.find_node(batch.type);
      auto& table = attempt.tables[type.key()];
      if (table == nullptr) {
        // All rows of a mutation wait (M5 bounds them): nothing is written before all is checked.
        table = std::make_unique<graph::LoadedTable>(type, place_.life, lance::RowOptions(), true,
                                                     graph::kWaitingRowsMax, UINT64_MAX);
      }
      WEFT_TRY_STATUS(table->add(batch));
    }
    for (const auto& [key, table] : attempt.tables) {
      WEFT_TRY_STATUS(table->finish());
    }
    WEFT_TRY(attempt.checked, graph::check_load(snapshot, graph::LoadMode::kMerge, attempt.tables,
                                                reader.open_endpoints(), {}, stop_));
    return attempt.checked.violations.empty() ? ok_status()
                                              : Status(refusal(attempt.checked.violations));
  }

  // What goes, and whether what stays has edges enough.
  Status check_removed(const graph::GraphSnapshot& snapshot, const MutationImage& image,
                       Attempt& attempt) {
    ndjson::Violations violations;
    for (const auto& [key, type] : image.types()) {
      if (type.removed.empty()) {
        continue;
      }
      attempt.identities.emplace(key, type.table->entry().identity);
      std::vector<uint64_t>& addresses = attempt.removed[key];
      for (const auto& [id, address] : type.removed) {
        addresses.push_back(address);
      }
      std::sort(addresses.begin(), addresses.end());
      if (type.table->is_edge() && type.table->edge()->cardinality.min > 0) {
        WEFT_TRY_STATUS(check_left(snapshot, image, type, violations));
      }
    }
    return violations.empty() ? ok_status() : Status(refusal(violations));
  }

  // Of the edges that go.
  Result<std::set<std::string>> sources_of(const graph::TypeTable& table, const TypeImage& edges) {
    std::vector<uint64_t> addresses;
    for (const auto& [id, address] : edges.removed) {
      addresses.push_back(address);
    }
    WEFT_TRY(lance::TableReader* const reader, table.reader());
    WEFT_TRY(const columns::Batch rows,
             reader->take_addresses({std::string(graph::kSourceColumn)}, addresses, stop_));
    std::set<std::string> sources;
    for (size_t row = 0; row < rows.row_count(); ++row) {
      sources.emplace(rows.column(0)->text(row));
    }
    return sources;
  }

  // Sources that lose edges and stay themselves.
  Status check_left(const graph::GraphSnapshot& snapshot, const MutationImage& image,
                    const TypeImage& edges, ndjson::Violations& violations) {
    const schema::EdgeType& type = *edges.table->edge();
    const auto sources = image.types().find(graph::node_key(type.from));
    const graph::TypeTable& table = *snapshot.find_edge(type.name);
    WEFT_TRY(const std::set<std::string> losing, sources_of(table, edges));
    graph::RowIndex wanted;
    for (const std::string& source : losing) {
      wanted.add(graph::id_digest(source), static_cast<uint32_t>(wanted.size()));
    }
    wanted.build();
    std::vector<uint64_t> left(losing.size(), 0);
    const auto count = [&](const graph::ValueRow& row) {
      const bool goes = edges.removed.contains(row.batch.columns().back()->text(row.at));
      left[row.wanted] += goes ? 0 : 1;
      return ok_status();
    };
    WEFT_TRY_STATUS(graph::find_by_value(table, {std::string(graph::kSourceColumn)},
                                         graph::ValueDigest::kId, wanted, count, stop_));
    size_t at = 0;
    for (const std::string& source : losing) {
      const bool goes = sources != image.types().end() && sources->second.removed.contains(source);
      const uint64_t edges_left = left[at++];
      if (!goes && edges_left < type.cardinality.min) {
        violations.add(0, "cardinality",
                       "@card of " + type.name + ": " + type.from + " \"" + source +
                           "\" would have " + std::to_string(edges_left) + " edges, not " +
                           std::to_string(type.cardinality.min) + " or more");
      }
    }
    return ok_status();
  }

  const catalog::CatalogPlace& place_;
  const graph::Authority& authority_;
  const MutationRequest& request_;
  const std::stop_token& stop_;
  const gq::Query query_;
  const base::WallTime now_;  // of all statements and attempts
  ParameterValues parameters_;
  MutationResult result_;
  std::shared_ptr<const graph::GraphSnapshot> snapshot_;
};

}  // namespace

Result<MutationResult> mutate(const catalog::CatalogPlace& place, const graph::Authority& authority,
                              const MutationRequest& request, const std::stop_token& stop) {
  WEFT_TRY_STATUS(
      graph::check_authority(authority, graph::Action::kMutate, request.branch, request.message));
  WEFT_TRY(std::vector<gq::Query> queries, gq::parse_file(request.text));
  WEFT_TRY(gq::Query query, gq::select_query(std::move(queries), request.name));
  WEFT_TRY_STATUS(gq::require_mutation(query));
  WEFT_TRY_STATUS(check_one_kind(query));
  WEFT_TRY(const catalog::CatalogPlace branch, catalog::open_branch(place, request.branch));
  return Mutator(branch, authority, request, stop, std::move(query)).run();
}

}  // namespace weft::gqexec
