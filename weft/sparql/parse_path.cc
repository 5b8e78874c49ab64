// Property paths of the parser (grammar.h). SPARQL 1.1 Query grammar, rules 88 to 96.
#include <utility>

#include "weft/rdf/term.h"
#include "weft/sparql/grammar.h"

namespace weft::sparql {
namespace {

using Kind = PathExpression::Kind;

PathExpression wrap(Kind kind, PathExpression part) {
  PathExpression result;
  result.kind = kind;
  result.parts.push_back(std::move(part));
  return result;
}

}  // namespace

bool Parser::at_path_start() const {
  return at("^") || at("!") || at("(") || at_iri() ||
         (at(TokenKind::kWord) && current_.text == "a");
}

// PathAlternative
Result<PathExpression> Parser::path() {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY(PathExpression first, path_sequence());
  if (!at("|")) {
    return first;
  }
  PathExpression result = wrap(Kind::kAlternative, std::move(first));
  while (take("|")) {
    WEFT_TRY(PathExpression next, path_sequence());
    result.parts.push_back(std::move(next));
  }
  return result;
}

Result<PathExpression> Parser::path_sequence() {
  WEFT_TRY(PathExpression first, path_step());
  if (!at("/")) {
    return first;
  }
  PathExpression result = wrap(Kind::kSequence, std::move(first));
  while (take("/")) {
    WEFT_TRY(PathExpression next, path_step());
    result.parts.push_back(std::move(next));
  }
  return result;
}

// PathEltOrInverse
Result<PathExpression> Parser::path_step() {
  const bool inverse = take("^");
  WEFT_TRY(PathExpression result, path_primary());
  if (take("*")) {
    result = wrap(Kind::kZeroOrMore, std::move(result));
  } else if (take("+")) {
    result = wrap(Kind::kOneOrMore, std::move(result));
  } else if (take("?")) {
    result = wrap(Kind::kZeroOrOne, std::move(result));
  }
  return inverse ? wrap(Kind::kInverse, std::move(result)) : std::move(result);
}

Result<PathExpression> Parser::path_primary() {
  if (take("(")) {
    WEFT_TRY(PathExpression inner, path());
    WEFT_TRY_STATUS(expect(")"));
    return inner;
  }
  if (take("!")) {
    return negated_set();
  }
  PathExpression result;
  if (at(TokenKind::kWord) && current_.text == "a") {
    advance();
    result.iri = rdf::make_iri(std::string(rdf::kRdf) + "type");
    return result;
  }
  if (!at_iri()) {
    return error_here("a property path");
  }
  WEFT_TRY(const std::string name, iri());
  result.iri = rdf::make_iri(name);
  return result;
}

// PathNegatedPropertySet
Result<PathExpression> Parser::negated_set() {
  PathExpression result;
  result.kind = Kind::kNegatedSet;
  if (!take("(")) {
    WEFT_TRY(PathExpression only, negated_one());
    result.parts.push_back(std::move(only));
    return result;
  }
  if (take(")")) {
    return result;
  }
  do {
    WEFT_TRY(PathExpression next, negated_one());
    result.parts.push_back(std::move(next));
  } while (take("|"));
  WEFT_TRY_STATUS(expect(")"));
  return result;
}

// PathOneInPropertySet
Result<PathExpression> Parser::negated_one() {
  const bool inverse = take("^");
  PathExpression result;
  if (at(TokenKind::kWord) && current_.text == "a") {
    advance();
    result.iri = rdf::make_iri(std::string(rdf::kRdf) + "type");
  } else {
    WEFT_TRY(const std::string name, iri());
    result.iri = rdf::make_iri(name);
  }
  return inverse ? wrap(Kind::kInverse, std::move(result)) : std::move(result);
}

}  // namespace weft::sparql
