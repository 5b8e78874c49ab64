// insert, update, delete
#include <utility>

#include "weft/gq/parser.h"

namespace weft::gq {

using schema::Scanner;
using schema::TokenKind;

bool Parser::mutation(Mutation& out) {
  while (!scanner_.peek().is_mark("}") || out.statements.empty()) {
    construct_ = {nullptr, {}};
    if (!room(out.statements.size())) {
      return false;
    }
    if (accept_word("insert")) {
      Insert statement;
      if (!upper_name(statement.type, "the name of a type") || !assignments(statement.values)) {
        return false;
      }
      out.statements.emplace_back(std::move(statement));
    } else if (accept_word("update")) {
      Update statement;
      if (!upper_name(statement.type, "the name of a type") || !word("set") ||
          !assignments(statement.values) || !word("where") || !predicate(statement.where)) {
        return false;
      }
      out.statements.emplace_back(std::move(statement));
    } else if (accept_word("delete")) {
      Delete statement;
      if (!upper_name(statement.type, "the name of a type") || !word("where") ||
          !predicate(statement.where)) {
        return false;
      }
      out.statements.emplace_back(std::move(statement));
    } else {
      return fail(out.statements.empty() ? "match, insert, update or delete"
                                         : "'}', insert, update or delete");
    }
  }
  return true;
}

bool Parser::assignments(std::vector<Assignment>& out) {
  if (!mark("{")) {
    return false;
  }
  do {
    if (!room(out.size())) {
      return false;
    }
    out.emplace_back();
    Assignment& assignment = out.back();
    construct_ = {"assignment", scanner_.peek().place};
    if (!lower_name(assignment.property, "the name of a property") || !mark(":") ||
        !value(assignment.value)) {
      return false;
    }
    accept(",");
    construct_ = {"end of the values", scanner_.peek().place, true};
  } while (!accept("}"));
  return true;
}

bool Parser::value(Expression& out) {
  out.place = scanner_.peek().place;
  if (scanner_.peek().kind == TokenKind::kVariable) {
    Name name;
    if (!variable(name)) {
      return false;
    }
    out.kind = ExpressionKind::kVariable;
    out.name = std::move(name.text);
    return true;
  }
  if (scanner_.peek().is_word("now") && is_next_after_word("(")) {
    return call(out, ExpressionKind::kNow, 0, 0);
  }
  out.kind = ExpressionKind::kLiteral;
  return literal(out.literal);
}

bool Parser::predicate(Predicate& out) {
  if (!lower_name(out.property, "the name of a property")) {
    return false;
  }
  const Scanner::Mark here = scanner_.mark();
  if (!find_operator(out.op) || out.op == Operator::kContains || out.op == Operator::kStartsWith) {
    scanner_.reset(here);
    return fail("an operator: = != < <= > >=");
  }
  return value(out.value);
}

}  // namespace weft::gq
