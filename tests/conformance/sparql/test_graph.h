// A small RDF graph for reading manifests and result sets: everything by linear search.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"

namespace weft::conformance {

class TestGraph final : public rdf::QuadSink {
 public:
  using Row = std::array<std::string, 4>;  // tokens; graph "" is the default graph

  Status accept(std::span<const rdf::QuadView> quads) override;

  std::vector<std::string> objects(std::string_view subject, std::string_view predicate) const;
  // The first object, or "".
  std::string object(std::string_view subject, std::string_view predicate) const;
  std::vector<std::string> subjects(std::string_view predicate, std::string_view object) const;
  std::vector<std::string> list(std::string head) const;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

// Reads a file of RDF by its extension.
Status read_rdf(const std::string& path, const std::string& base_iri, rdf::QuadSink& sink);
Result<std::string> read_text(const std::string& path);

// The text of a literal token, "" for others.
std::string literal_text(std::string_view token);

}  // namespace weft::conformance
