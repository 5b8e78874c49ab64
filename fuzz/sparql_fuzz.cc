// Arbitrary text as a SPARQL query and as an update: it parses or is refused, and what parses is
// sound.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "weft/base/check.h"
#include "weft/sparql/parser.h"
#include "weft/sparql/traversal.h"
#include "weft/sparql/update.h"

namespace {

using weft::sparql::Node;
using weft::sparql::VariableIndex;

void check_node(const Node& node, size_t variable_count) {
  WEFT_CHECK(node.height <= weft::sparql::kTreeHeightMax + 1);
  WEFT_CHECK(std::is_sorted(node.scope.begin(), node.scope.end()));
  WEFT_CHECK(std::adjacent_find(node.scope.begin(), node.scope.end()) == node.scope.end());
  WEFT_CHECK(std::includes(node.scope.begin(), node.scope.end(), node.certain.begin(),
                           node.certain.end()));
  for (const VariableIndex variable : node.scope) {
    WEFT_CHECK(variable < variable_count);
  }
  weft::sparql::for_each_part(
      node, [&](const Node& child) { check_node(child, variable_count); },
      [&](const weft::sparql::Expression& expression) {
        WEFT_CHECK(expression.height <= weft::sparql::kTreeHeightMax + 1);
        for (const VariableIndex variable : weft::sparql::variables_of(expression)) {
          WEFT_CHECK(variable < variable_count);
        }
      });
}

void check_update(std::string_view text, const weft::sparql::ParseOptions& options) {
  const auto update = weft::sparql::parse_update(text, options);
  if (!update.ok()) {
    const bool placed = !update.error().fact("line").empty();
    WEFT_CHECK(placed || update.error().kind() == weft::ErrorKind::kLimit);
    return;
  }
  for (const weft::sparql::UpdateOperation& operation : update->operations) {
    if (const auto* modify = std::get_if<weft::sparql::Modify>(&operation)) {
      check_node(*modify->where.pattern, modify->where.variables.size());
      for (const uint32_t variable : modify->where.projection) {
        WEFT_CHECK(variable < modify->where.variables.size());
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kBytesMax = 1 << 16;
  if (size > kBytesMax) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  weft::sparql::ParseOptions options;
  options.base_iri = "http://example.org/base/";
  options.refuse_unsupported = false;
  check_update(text, options);
  const auto query = weft::sparql::parse_query(text, options);
  if (!query.ok()) {
    const bool placed = !query.error().fact("line").empty();
    WEFT_CHECK(placed || query.error().kind() == weft::ErrorKind::kLimit);
    return 0;
  }
  check_node(*query->pattern, query->variables.size());
  const std::string first = weft::sparql::dump(*query);
  const auto again = weft::sparql::parse_query(text, options);
  WEFT_CHECK(again.ok() && weft::sparql::dump(*again) == first);
  const auto copy = weft::sparql::clone(*query->pattern);
  WEFT_CHECK(weft::sparql::dump(*copy, query->variables) ==
             weft::sparql::dump(*query->pattern, query->variables));
  return 0;
}
