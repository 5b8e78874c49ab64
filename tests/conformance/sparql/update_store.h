// A graph store in memory that carries out SPARQL Update, for the suites: what the algebra and
// weft/exec/update.h say, applied in the plainest way.
#pragma once

#include <array>
#include <set>
#include <span>
#include <string>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/sparql/update.h"

namespace weft::conformance {

class UpdateStore final : public rdf::QuadSink {
 public:
  using Quad = std::array<std::string, 4>;  // tokens; graph "" is the default graph

  Status accept(std::span<const rdf::QuadView> quads) override;
  // All operations in order, or, on an error, none.
  Status run(sparql::Update update);
  const std::set<Quad>& quads() const { return quads_; }

 private:
  Status apply(sparql::UpdateOperation& operation);
  Status apply(sparql::Modify& modify);
  Status apply(const sparql::InsertData& data);
  Status apply(const sparql::DeleteData& data);
  Status apply(const sparql::Load& load);
  Status apply(const sparql::Clear& clear) { return clear_target(clear.target); }
  Status apply(const sparql::Drop& drop) { return clear_target(drop.target); }
  Status apply(const sparql::Create& create);
  Status apply(const sparql::Transfer& transfer);
  Status clear_target(const sparql::GraphTarget& target);
  void remove_graph(const std::string& graph);
  bool has_graph(const std::string& graph) const;

  std::set<Quad> quads_;
  uint64_t seed_ = 1;
};

}  // namespace weft::conformance
