#include "weft/engine/run_update.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "weft/engine/graph.h"
#include "weft/engine/retarget_update.h"
#include "weft/exec/update.h"
#include "weft/quads/dump_fold.h"
#include "weft/rdfio/parse.h"

namespace weft::engine {
namespace {

constexpr size_t kRowsAtOnce = size_t{1} << 14U;
constexpr int64_t kMicrosecondsPerMs = 1'000;

// Hands quads on with another graph.
class IntoGraph final : public rdf::QuadSink {
 public:
  IntoGraph(std::string_view graph, rdf::QuadSink& next) : graph_(graph), next_(next) {}
  Status accept(std::span<const rdf::QuadView> quads) override {
    moved_.assign(quads.begin(), quads.end());
    for (rdf::QuadView& quad : moved_) {
      quad.graph = graph_;
    }
    return next_.accept(moved_);
  }

 private:
  std::string_view graph_;
  rdf::QuadSink& next_;
  std::vector<rdf::QuadView> moved_;
};

class UpdateRun {
 public:
  UpdateRun(quads::FoldDraft& draft, const UpdateOptions& options, const exec::QueryOptions& query)
      : draft_(draft),
        options_(options),
        query_(query),
        begin_(query.clock->monotonic_microseconds()) {}

  Status run(sparql::Update request) {
    for (sparql::UpdateOperation& operation : request.operations) {
      WEFT_TRY_STATUS(check_time());
      WEFT_TRY_STATUS(std::visit([this](auto& each) { return run_one(each); }, operation));
      WEFT_TRY_STATUS(draft_.apply(query_.stop));
    }
    return check_time();
  }

 private:
  quads::Fold& state() { return *draft_.state(); }

  Status check_time() const {
    if (query_.stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "stopped on request");
    }
    if (options_.timeout_ms > 0 && left_ms() == 0) {
      return Error(ErrorKind::kLimit, "the update took too long; nothing was changed")
          .with("timeout_ms", options_.timeout_ms);
    }
    return ok_status();
  }
  uint64_t left_ms() const {
    const int64_t used = query_.clock->monotonic_microseconds() - begin_;
    const auto used_ms = static_cast<uint64_t>(std::max<int64_t>(used, 0) / kMicrosecondsPerMs);
    return options_.timeout_ms > used_ms ? options_.timeout_ms - used_ms : 0;
  }

  Status run_one(sparql::InsertData& data) {
    quads::InsertingSink sink(draft_);
    return exec::instantiate(data, *query_.random, sink);
  }

  Status run_one(sparql::DeleteData& data) {
    quads::RemovingSink sink(draft_);
    return exec::instantiate(data, sink);
  }

  Status run_one(sparql::Modify& modify) {
    if (!options_.using_graphs.empty() || !options_.using_named_graphs.empty()) {
      if (!modify.where.default_graphs.empty() || !modify.where.named_graphs.empty() ||
          !modify.where.with_graph.empty()) {
        return Error(ErrorKind::kInvalid,
                     "the protocol names graphs, and the request has USING or WITH");
      }
      for (const std::string& iri : options_.using_graphs) {
        modify.where.default_graphs.push_back("<" + iri + ">");
      }
      for (const std::string& iri : options_.using_named_graphs) {
        modify.where.named_graphs.push_back("<" + iri + ">");
      }
    }
    exec::QueryOptions query = query_;
    query.timeout_ms = options_.timeout_ms > 0 ? std::max<uint64_t>(left_ms(), 1) : 0;
    const std::shared_ptr<quads::Fold> before = draft_.state();
    const std::unique_ptr<exec::QuadSource> source = source_of_fold(*before);
    quads::RemovingSink deletes(draft_);
    quads::InsertingSink inserts(draft_);
    return exec::run_modify(std::move(modify), *source, query, deletes, inserts);
  }

  Status run_one(sparql::Load& load) {
    const Status status = try_load(load);
    const bool is_forgiven = load.silent && !status.ok() &&
                             status.error().kind() != ErrorKind::kCancelled &&
                             status.error().kind() != ErrorKind::kLimit;
    if (is_forgiven) {
      // What of the document was read is not inserted.
      return draft_.forget();
    }
    return status;
  }

  Status try_load(const sparql::Load& load) {
    if (!options_.loader) {
      return Error(ErrorKind::kDenied, "LOAD is not allowed here").with("source", load.source);
    }
    const std::string iri = load.source.substr(1, load.source.size() - 2);
    WEFT_TRY(const LoadedDocument document, options_.loader(iri, query_.stop));
    quads::InsertingSink sink(draft_);
    return insert_document(*document.input, document.format, iri, iri, load.into.value_or(""),
                           *query_.random, sink, query_.stop);
  }

  Status remove_graphs(const sparql::GraphTarget& target) {
    quads::RemovingSink sink(draft_);
    using enum sparql::GraphTarget::Kind;
    switch (target.kind) {
      case kDefault:
        return quads::dump_fold(state(), sink, {.default_graph = true, .named_graphs = false},
                                query_.stop);
      case kNamed:
        return quads::dump_fold(state(), sink, {.default_graph = false, .named_graphs = true},
                                query_.stop);
      case kAll:
        return quads::dump_fold(state(), sink, {}, query_.stop);
      case kOne:
        return graph_quads(state(), target.graph, sink, query_.stop);
    }
    std::unreachable();
  }

  // Empty graphs are not kept, so clearing one that is not there is as clearing an empty one.
  Status run_one(sparql::Clear& clear) { return remove_graphs(clear.target); }
  Status run_one(sparql::Drop& drop) { return remove_graphs(drop.target); }

  Status run_one(sparql::Create& create) {
    WEFT_TRY(const bool is_there, has_graph(state(), create.graph, query_.stop));
    if (is_there && !create.silent) {
      return Error(ErrorKind::kAlreadyExists, "the graph exists already")
          .with("graph", create.graph);
    }
    return ok_status();
  }

  Status run_one(sparql::Transfer& transfer) {
    if (transfer.from == transfer.to) {
      return ok_status();
    }
    if (transfer.from.has_value()) {
      WEFT_TRY(const bool is_there, has_graph(state(), *transfer.from, query_.stop));
      if (!is_there) {
        return transfer.silent
                   ? ok_status()
                   : Status(Error(ErrorKind::kNotFound, "the source graph does not exist")
                                .with("graph", *transfer.from));
      }
    }
    const std::string from = transfer.from.value_or("");
    const std::string to = transfer.to.value_or("");
    quads::RemovingSink removed(draft_);
    if (transfer.kind != sparql::Transfer::Kind::kAdd) {
      WEFT_TRY_STATUS(graph_quads(state(), to, removed, query_.stop));
    }
    quads::InsertingSink inserted(draft_);
    IntoGraph moved(to, inserted);
    WEFT_TRY_STATUS(graph_quads(state(), from, moved, query_.stop));
    return transfer.kind == sparql::Transfer::Kind::kMove
               ? graph_quads(state(), from, removed, query_.stop)
               : ok_status();
  }

  quads::FoldDraft& draft_;
  const UpdateOptions& options_;
  const exec::QueryOptions& query_;
  int64_t begin_;
};

}  // namespace

Status run_update(sparql::Update request, quads::FoldDraft& draft, const UpdateOptions& options,
                  const exec::QueryOptions& query) {
  if (!options.target_graph.empty()) {
    retarget(request, "<" + options.target_graph + ">");
  }
  return UpdateRun(draft, options, query).run(std::move(request));
}

Result<bool> has_graph(quads::Fold& fold, std::string_view graph, std::stop_token stop) {
  std::vector<rdf::TermId> ids;
  WEFT_TRY_STATUS(fold.find(std::span(&graph, 1), ids, stop));
  if (ids[0] == rdf::kNoTerm) {
    return false;
  }
  WEFT_TRY(const auto cursor, fold.scan({.scope = rdf::GraphScope::kOne, .graph = ids[0]},
                                        rdf::Permutation::kSpo, stop));
  rdf::IdBatch batch;
  WEFT_TRY_STATUS(cursor->next(batch));
  return batch.size() > 0;
}

Status graph_quads(quads::Fold& fold, std::string_view graph, rdf::QuadSink& sink,
                   std::stop_token stop) {
  if (graph.empty()) {
    return quads::dump_fold(fold, sink, {.default_graph = true, .named_graphs = false}, stop);
  }
  std::vector<rdf::TermId> ids;
  WEFT_TRY_STATUS(fold.find(std::span(&graph, 1), ids, stop));
  if (ids[0] == rdf::kNoTerm) {
    return ok_status();
  }
  WEFT_TRY(const auto cursor, fold.scan({.scope = rdf::GraphScope::kOne, .graph = ids[0]},
                                        rdf::Permutation::kSpo, stop));
  quads::TokenRows names(fold);
  std::vector<quads::TokenRows::Row> rows;
  const auto flush = [&]() -> Status {
    WEFT_TRY(const std::span<const rdf::QuadView> quads, names.name(rows, stop));
    rows.clear();
    return sink.accept(quads);
  };
  rdf::IdBatch batch;
  do {
    WEFT_TRY_STATUS(cursor->next(batch));
    for (size_t i = 0; i < batch.size(); ++i) {
      rows.push_back({.subject = batch.subject[i],
                      .predicate = batch.predicate[i],
                      .object = batch.object[i],
                      .graph = ids[0]});
    }
    WEFT_TRY_STATUS(rows.size() >= kRowsAtOnce ? flush() : ok_status());
  } while (batch.size() > 0);
  return rows.empty() ? ok_status() : flush();
}

Status insert_document(codec::InputStream& input, rdfio::Format format, const std::string& base_iri,
                       const std::string& name, const std::optional<std::string>& graph,
                       base::Random& random, rdf::QuadSink& sink, std::stop_token stop) {
  rdfio::ParseOptions parse;
  parse.base_iri = base_iri;
  parse.file_name = name;
  parse.stop = std::move(stop);
  parse.blank_node_prefix = [&random]() -> Result<std::string> {
    return "w" + base::random_name(random) + "_";
  };
  std::optional<IntoGraph> moved;
  if (graph.has_value()) {
    moved.emplace(*graph, sink);
  }
  rdf::QuadSink& target = moved.has_value() ? static_cast<rdf::QuadSink&>(*moved) : sink;
  const Result<rdfio::ParseReport> report = rdfio::parse(input, format, parse, target);
  return report.ok() ? ok_status() : Status(report.error());
}

}  // namespace weft::engine
