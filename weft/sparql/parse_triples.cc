// Triples of the parser (grammar.h). SPARQL 1.1 Query grammar, rules 52, 55, 75 to 87 and 98 to
// 109; reified triples and annotations of SPARQL 1.2 are expanded here.
#include <utility>

#include "weft/rdf/term.h"
#include "weft/sparql/grammar.h"

namespace weft::sparql {
namespace {

std::string rdf_iri(std::string_view local) {
  return rdf::make_iri(std::string(rdf::kRdf).append(local));
}

TemplateTerm token_term(std::string token) {
  return TemplateTerm{std::move(token)};
}

// The triple term of three terms: a token if it has no variables.
TemplateTerm triple_of(TemplateTerm subject, TemplateTerm predicate, TemplateTerm object) {
  const auto* s = std::get_if<std::string>(&subject.form);
  const auto* p = std::get_if<std::string>(&predicate.form);
  const auto* o = std::get_if<std::string>(&object.form);
  if (s != nullptr && p != nullptr && o != nullptr) {
    return token_term(rdf::make_triple(*s, *p, *o));
  }
  TemplateTerm::Triple triple;
  triple.parts.push_back(std::move(subject));
  triple.parts.push_back(std::move(predicate));
  triple.parts.push_back(std::move(object));
  return TemplateTerm{std::move(triple)};
}

}  // namespace

bool Parser::at_triples() const {
  return at(TokenKind::kVariable) || at_iri() || at_literal() || at(TokenKind::kBlankLabel) ||
         at("(") || at("[") || at("<<") || at("<<(");
}

Status Parser::triples_block(TripleMode mode, std::vector<ParsedTriple>& out) {
  while (at_triples()) {
    WEFT_TRY_STATUS(same_subject(mode, out));
    if (!take(".")) {
      break;
    }
  }
  return ok_status();
}

// TriplesSameSubject and TriplesSameSubjectPath
Status Parser::same_subject(TripleMode mode, std::vector<ParsedTriple>& out) {
  bool may_stand_alone = false;
  TemplateTerm subject;
  if (at("[")) {
    WEFT_TRY(subject, bracketted_node(mode, out, may_stand_alone));
  } else if (at("(")) {
    const size_t before = out.size();
    WEFT_TRY(subject, collection(mode, out));
    may_stand_alone = out.size() > before;
  } else if (at("<<")) {
    WEFT_TRY(subject, reified_triple(mode, out));
    may_stand_alone = true;
  } else {
    WEFT_TRY(subject, simple_term(mode));
  }
  if (may_stand_alone && !at_verb(mode)) {
    return ok_status();
  }
  return property_list(subject, mode, out);
}

bool Parser::at_verb(TripleMode mode) const {
  const bool simple =
      at(TokenKind::kVariable) || at_iri() || (at(TokenKind::kWord) && current_.text == "a");
  return simple || (mode == TripleMode::kPattern && at_path_start());
}

// PropertyListNotEmpty and PropertyListPathNotEmpty
Status Parser::property_list(const TemplateTerm& subject, TripleMode mode,
                             std::vector<ParsedTriple>& out) {
  if (!at_verb(mode)) {
    return error_here("a predicate");
  }
  while (at_verb(mode)) {
    WEFT_TRY(const auto predicate, verb(mode));
    WEFT_TRY_STATUS(object_list(subject, predicate, mode, out));
    if (!at(";")) {
      break;
    }
    while (take(";")) {
    }
  }
  return ok_status();
}

Status Parser::object_list(const TemplateTerm& subject,
                           const std::variant<TemplateTerm, PathExpression>& verb, TripleMode mode,
                           std::vector<ParsedTriple>& out) {
  do {
    // The triple comes before those of its object, as it is written.
    const size_t place = out.size();
    WEFT_TRY(const TemplateTerm object, node(mode, out));
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), {subject, verb, object});
    WEFT_TRY_STATUS(annotations(subject, verb, object, mode, out));
  } while (take(","));
  return ok_status();
}

// Annotation: every reifier, and every block without one, states one more `r rdf:reifies triple`.
Status Parser::annotations(const TemplateTerm& subject,
                           const std::variant<TemplateTerm, PathExpression>& verb,
                           const TemplateTerm& object, TripleMode mode,
                           std::vector<ParsedTriple>& out) {
  std::optional<TemplateTerm> open;  // a reifier that a block may still follow
  while (at("~") || at("{|")) {
    const auto* predicate = std::get_if<TemplateTerm>(&verb);
    if (predicate == nullptr) {
      return error_at(current_.place, "parse query: a property path cannot be annotated");
    }
    const bool block = at("{|");
    if (!block || !open.has_value()) {
      if (block) {
        open = fresh_blank(mode);
      } else {
        WEFT_TRY(open, reifier(mode));
      }
      out.push_back(
          {*open, token_term(rdf_iri("reifies")), triple_of(subject, *predicate, object)});
    }
    if (take("{|")) {
      const Nesting nesting(*this);
      WEFT_TRY_STATUS(nesting.entered());
      WEFT_TRY_STATUS(property_list(*open, mode, out));
      WEFT_TRY_STATUS(expect("|}"));
      open.reset();
    }
  }
  return ok_status();
}

// Verb, VerbPath and VerbSimple
Result<std::variant<TemplateTerm, PathExpression>> Parser::verb(TripleMode mode) {
  using Verb = std::variant<TemplateTerm, PathExpression>;
  if (mode != TripleMode::kPattern || at(TokenKind::kVariable)) {
    WEFT_TRY(TemplateTerm term, simple_verb());
    return Verb(std::move(term));
  }
  WEFT_TRY(PathExpression parsed, path());
  if (parsed.kind == PathExpression::Kind::kIri) {
    return Verb(token_term(std::move(parsed.iri)));
  }
  return Verb(std::move(parsed));
}

Result<TemplateTerm> Parser::simple_verb() {
  if (at(TokenKind::kVariable)) {
    WEFT_TRY(const VariableIndex name, variable());
    return TemplateTerm{name};
  }
  if (at(TokenKind::kWord) && current_.text == "a") {
    advance();
    return token_term(rdf_iri("type"));
  }
  if (!at_iri()) {
    return error_here("a predicate");
  }
  WEFT_TRY(const std::string name, iri());
  return token_term(rdf::make_iri(name));
}

// GraphNode and GraphNodePath
Result<TemplateTerm> Parser::node(TripleMode mode, std::vector<ParsedTriple>& out) {
  if (at("[")) {
    bool had_properties = false;
    return bracketted_node(mode, out, had_properties);
  }
  if (at("(")) {
    return collection(mode, out);
  }
  if (at("<<")) {
    return reified_triple(mode, out);
  }
  return simple_term(mode);
}

Result<TemplateTerm> Parser::bracketted_node(TripleMode mode, std::vector<ParsedTriple>& out,
                                             bool& had_properties) {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY_STATUS(expect("["));
  const TemplateTerm blank = fresh_blank(mode);
  had_properties = !at("]");
  if (had_properties) {
    WEFT_TRY_STATUS(property_list(blank, mode, out));
  }
  WEFT_TRY_STATUS(expect("]"));
  return blank;
}

Result<TemplateTerm> Parser::collection(TripleMode mode, std::vector<ParsedTriple>& out) {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY_STATUS(expect("("));
  const TemplateTerm nil = token_term(rdf_iri("nil"));
  if (take(")")) {
    return nil;
  }
  const TemplateTerm head = fresh_blank(mode);
  TemplateTerm cell = head;
  while (true) {
    const size_t place = out.size();
    WEFT_TRY(TemplateTerm member, node(mode, out));
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place),
               {cell, token_term(rdf_iri("first")), std::move(member)});
    if (take(")")) {
      out.push_back({cell, token_term(rdf_iri("rest")), nil});
      return head;
    }
    TemplateTerm next = fresh_blank(mode);
    out.push_back({cell, token_term(rdf_iri("rest")), next});
    cell = std::move(next);
  }
}

// VarOrTerm, and triple terms.
Result<TemplateTerm> Parser::simple_term(TripleMode mode) {
  if (at(TokenKind::kVariable)) {
    WEFT_TRY(const VariableIndex name, variable());
    return TemplateTerm{name};
  }
  if (at_iri()) {
    WEFT_TRY(const std::string name, iri());
    return token_term(rdf::make_iri(name));
  }
  if (at(TokenKind::kBlankLabel)) {
    return labelled_blank(mode);
  }
  if (take("<<(")) {
    return triple_term(mode);
  }
  if (take("[")) {
    if (!take("]")) {
      return error_here("']': no properties may stand here");
    }
    return fresh_blank(mode);
  }
  if (at("(")) {
    advance();
    if (!take(")")) {
      return error_here("')': no list may stand here");
    }
    return token_term(rdf_iri("nil"));
  }
  if (!at_literal()) {
    return error_here("a variable or a term");
  }
  WEFT_TRY(std::string token, literal_token());
  return token_term(std::move(token));
}

// After "<<(". Neither lists nor properties may stand inside.
Result<TemplateTerm> Parser::triple_term(TripleMode mode) {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  if (at("(")) {
    return error_here("a variable or a term");
  }
  WEFT_TRY(TemplateTerm subject, simple_term(mode));
  WEFT_TRY(TemplateTerm predicate, simple_verb());
  if (at("(")) {
    return error_here("a variable or a term");
  }
  WEFT_TRY(TemplateTerm object, simple_term(mode));
  WEFT_TRY_STATUS(expect(")>>"));
  return triple_of(std::move(subject), std::move(predicate), std::move(object));
}

// ReifiedTriple: << s p o ~ r >>, which stands for r.
Result<TemplateTerm> Parser::reified_triple(TripleMode mode, std::vector<ParsedTriple>& out) {
  const Nesting nesting(*this);
  WEFT_TRY_STATUS(nesting.entered());
  WEFT_TRY_STATUS(expect("<<"));
  const auto part = [&]() -> Result<TemplateTerm> {
    if (at("<<")) {
      return reified_triple(mode, out);
    }
    if (at("(")) {
      return error_here("a variable or a term");
    }
    return simple_term(mode);
  };
  WEFT_TRY(TemplateTerm subject, part());
  WEFT_TRY(TemplateTerm predicate, simple_verb());
  WEFT_TRY(TemplateTerm object, part());
  TemplateTerm name;
  if (at("~")) {
    WEFT_TRY(name, reifier(mode));
  } else {
    name = fresh_blank(mode);
  }
  WEFT_TRY_STATUS(expect(">>"));
  out.push_back({name, token_term(rdf_iri("reifies")),
                 triple_of(std::move(subject), std::move(predicate), std::move(object))});
  return name;
}

Result<TemplateTerm> Parser::reifier(TripleMode mode) {
  WEFT_TRY_STATUS(expect("~"));
  if (at(TokenKind::kVariable) || at_iri() || at(TokenKind::kBlankLabel)) {
    return simple_term(mode);
  }
  if (take("[")) {
    WEFT_TRY_STATUS(expect("]"));
  }
  return fresh_blank(mode);
}

TemplateTerm Parser::fresh_blank(TripleMode mode) {
  if (mode == TripleMode::kTemplate) {
    return TemplateTerm{TemplateTerm::Blank{template_blank_count_++}};
  }
  return TemplateTerm{query_.variables.add_hidden()};
}

Result<TemplateTerm> Parser::labelled_blank(TripleMode mode) {
  const std::string label = current_.value;
  const Place place = current_.place;
  advance();
  if (mode == TripleMode::kTemplate) {
    const auto [found, added] = template_blanks_.try_emplace(label, template_blank_count_);
    template_blank_count_ += added ? 1 : 0;
    return TemplateTerm{TemplateTerm::Blank{found->second}};
  }
  Status status;
  const VariableIndex hidden = blank_variable(label, place, status);
  WEFT_TRY_STATUS(std::move(status));
  return TemplateTerm{hidden};
}

}  // namespace weft::sparql
