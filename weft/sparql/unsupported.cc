#include "weft/sparql/unsupported.h"

#include <optional>
#include <string_view>

#include "weft/sparql/traversal.h"

namespace weft::sparql {
namespace {

// The first thing in the tree that cannot be answered.
class Checker {
 public:
  void node(const Node& node) {
    for_each_part(
        node, [this](const Node& child) { this->node(child); },
        [this](const Expression& part) { expression(part); });
  }

  Status status() const {
    if (!feature_.has_value()) {
      return ok_status();
    }
    return Error(ErrorKind::kUnsupported, "this version does not answer " + std::string(*feature_))
        .with("feature", *feature_)
        .with("line", place_.line)
        .with("column", place_.column);
  }

 private:
  void expression(const Expression& whole) {
    for_each_expression(whole, [this](const Expression& part) {
      // --- Expressions that are refused.
      if (const auto* exists = std::get_if<Expression::Exists>(&part.form)) {
        node(*exists->pattern);
      } else if (std::holds_alternative<Expression::Extension>(part.form)) {
        refuse(part.place, "functions named by an IRI that is no XSD cast");
      }
    });
  }

  void refuse(Place place, std::string_view feature) {
    if (!feature_.has_value()) {
      feature_ = feature;
      place_ = place;
    }
  }

  std::optional<std::string_view> feature_;
  Place place_;
};

}  // namespace

Status check_supported(const Query& query) {
  Checker checker;
  checker.node(*query.pattern);
  return checker.status();
}

}  // namespace weft::sparql
