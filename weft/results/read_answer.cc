#include "weft/results/read_answer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "weft/json/value.h"
#include "weft/rdf/term.h"

namespace weft::results {
namespace {

Error no_answer(std::string_view what) {
  return Error(ErrorKind::kInvalid, "the endpoint's answer is no SPARQL result")
      .with("reason", what);
}

std::string text_of(const json::Value& object, std::string_view member) {
  const json::Value* value = object.find(member);
  const std::string* text = value != nullptr ? value->as_string() : nullptr;
  return text != nullptr ? *text : std::string();
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

Result<std::string> token_of(const json::Value& term, int depth);

Result<std::string> triple_token(const json::Value& term, int depth) {
  const json::Value* parts = term.find("value");
  if (parts == nullptr || depth >= static_cast<int>(rdf::kTripleNestingMax)) {
    return no_answer("a triple term without parts");
  }
  const json::Value* subject = parts->find("subject");
  const json::Value* predicate = parts->find("predicate");
  const json::Value* object = parts->find("object");
  if (subject == nullptr || predicate == nullptr || object == nullptr) {
    return no_answer("a triple term without parts");
  }
  WEFT_TRY(const std::string s, token_of(*subject, depth + 1));
  WEFT_TRY(const std::string p, token_of(*predicate, depth + 1));
  WEFT_TRY(const std::string o, token_of(*object, depth + 1));
  return rdf::make_triple(s, p, o);
}

Result<std::string> token_of(const json::Value& term, int depth) {
  const std::string type = text_of(term, "type");
  if (type == "triple") {
    return triple_token(term, depth);
  }
  const std::string value = text_of(term, "value");
  std::string token;
  if (type == "bnode") {
    return "_:" + value;  // a name in this answer alone
  }
  if (type == "uri") {
    token = rdf::make_iri(value);
  }
  if (type == "literal" || type == "typed-literal") {
    const std::string language = lower(text_of(term, "xml:lang"));
    token = rdf::make_literal(value, language, text_of(term, "its:dir"),
                              language.empty() ? text_of(term, "datatype") : "");
  }
  if (token.empty() || !rdf::is_canonical(token)) {
    return no_answer("something that is no term");
  }
  return token;
}

}  // namespace

Result<exec::ServiceAnswer> read_json_answer(std::string_view text) {
  WEFT_TRY(const json::Value document, json::parse(text));
  const json::Value* head = document.find("head");
  const json::Value* results = document.find("results");
  const json::Value* bindings = results != nullptr ? results->find("bindings") : nullptr;
  const json::Value* names = head != nullptr ? head->find("vars") : nullptr;
  if (names == nullptr || bindings == nullptr || !bindings->is_array()) {
    return no_answer("no head or bindings");
  }
  exec::ServiceAnswer answer;
  std::unordered_map<std::string, size_t> columns;
  for (const json::Value& name : names->items()) {
    const std::string* variable = name.as_string();
    if (variable == nullptr || !columns.emplace(*variable, answer.variables.size()).second) {
      return no_answer("a variable without a name, or twice");
    }
    answer.variables.push_back(*variable);
  }
  answer.rows.reserve(bindings->items().size());
  for (const json::Value& binding : bindings->items()) {
    auto& row = answer.rows.emplace_back(answer.variables.size());
    for (const json::Member& member : binding.members()) {
      const auto column = columns.find(member.name);
      if (column == columns.end()) {
        return no_answer("a binding of a variable that the head lacks");
      }
      WEFT_TRY(row[column->second], token_of(member.value, 0));
    }
  }
  return answer;
}

}  // namespace weft::results
