#include "tests/conformance/sparql/update_store.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/conformance/sparql/manifest.h"
#include "tests/conformance/sparql/test_graph.h"

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/exec/update.h"
#include "weft/exec/vector_source.h"
#include "weft/rdf/term.h"

namespace weft::conformance {
namespace {

class QuadSet final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> views) override {
    for (const rdf::QuadView& quad : views) {
      quads.insert({std::string(quad.subject), std::string(quad.predicate),
                    std::string(quad.object), std::string(quad.graph)});
    }
    return ok_status();
  }
  std::set<UpdateStore::Quad> quads;
};

}  // namespace

Status UpdateStore::accept(std::span<const rdf::QuadView> quads) {
  QuadSet taken;
  WEFT_TRY_STATUS(taken.accept(quads));
  quads_.merge(taken.quads);
  return ok_status();
}

Status UpdateStore::run(sparql::Update update) {
  const std::set<Quad> before = quads_;
  for (sparql::UpdateOperation& operation : update.operations) {
    const Status status = apply(operation);
    if (!status.ok()) {
      quads_ = before;
      return status;
    }
  }
  return ok_status();
}

Status UpdateStore::apply(sparql::UpdateOperation& operation) {
  return std::visit([this](auto& one) { return apply(one); }, operation);
}

Status UpdateStore::apply(sparql::Modify& modify) {
  exec::VectorSource::Builder builder;
  for (const Quad& quad : quads_) {
    builder.add(quad[0], quad[1], quad[2], quad[3]);
  }
  const std::unique_ptr<exec::VectorSource> source = std::move(builder).build();
  constexpr uint64_t kBudgetBytes = uint64_t{256} << 20U;
  base::MemoryBudget budget("memory", kBudgetBytes);
  base::InlineExecutor executor;
  const base::SystemClock clock;
  base::Random random(seed_++);
  exec::QueryOptions options;
  options.budget = &budget;
  options.executor = &executor;
  options.clock = &clock;
  options.random = &random;
  QuadSet deletes;
  QuadSet inserts;
  WEFT_TRY_STATUS(exec::run_modify(std::move(modify), *source, options, deletes, inserts));
  for (const Quad& quad : deletes.quads) {
    quads_.erase(quad);
  }
  quads_.merge(inserts.quads);
  return ok_status();
}

Status UpdateStore::apply(const sparql::InsertData& data) {
  base::Random random(seed_++);
  return exec::instantiate(data, random, *this);
}

Status UpdateStore::apply(const sparql::DeleteData& data) {
  QuadSet deletes;
  WEFT_TRY_STATUS(exec::instantiate(data, deletes));
  for (const Quad& quad : deletes.quads) {
    quads_.erase(quad);
  }
  return ok_status();
}

Status UpdateStore::apply(const sparql::Load& load) {
  TestGraph graph;
  const std::string path = file_path(rdf::iri_of(load.source));
  const Status status = path.empty() ? Error(ErrorKind::kNotFound, "no such file")
                                     : read_rdf(path, file_iri(path), graph);
  if (!status.ok()) {
    return load.silent ? ok_status() : status;
  }
  for (const TestGraph::Row& row : graph.rows()) {
    quads_.insert({row[0], row[1], row[2], load.into.value_or("")});
  }
  return ok_status();
}

// A graph without quads is not remembered.
Status UpdateStore::apply(const sparql::Create& create) {
  return !create.silent && has_graph(create.graph)
             ? Status(Error(ErrorKind::kAlreadyExists, "the graph is there already"))
             : ok_status();
}

Status UpdateStore::apply(const sparql::Transfer& transfer) {
  const std::string from = transfer.from.value_or("");
  const std::string to = transfer.to.value_or("");
  if (from == to) {
    return ok_status();
  }
  if (transfer.from && !has_graph(from)) {
    return transfer.silent ? ok_status() : Error(ErrorKind::kNotFound, "there is no such graph");
  }
  std::vector<Quad> moved;
  std::copy_if(quads_.begin(), quads_.end(), std::back_inserter(moved),
               [&](const Quad& quad) { return quad[3] == from; });
  if (transfer.kind != sparql::Transfer::Kind::kAdd) {
    remove_graph(to);
  }
  if (transfer.kind == sparql::Transfer::Kind::kMove) {
    remove_graph(from);
  }
  for (Quad& quad : moved) {
    quad[3] = to;
    quads_.insert(std::move(quad));
  }
  return ok_status();
}

Status UpdateStore::clear_target(const sparql::GraphTarget& target) {
  using Kind = sparql::GraphTarget::Kind;
  std::erase_if(quads_, [&](const Quad& quad) {
    switch (target.kind) {
      case Kind::kDefault:
        return quad[3].empty();
      case Kind::kOne:
        return quad[3] == target.graph;
      case Kind::kNamed:
        return !quad[3].empty();
      case Kind::kAll:
        return true;
    }
    return false;
  });
  return ok_status();
}

void UpdateStore::remove_graph(const std::string& graph) {
  std::erase_if(quads_, [&](const Quad& quad) { return quad[3] == graph; });
}

bool UpdateStore::has_graph(const std::string& graph) const {
  return std::any_of(quads_.begin(), quads_.end(),
                     [&](const Quad& quad) { return quad[3] == graph; });
}

}  // namespace weft::conformance
