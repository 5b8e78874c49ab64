// Whole queries of the parser (grammar.h). SPARQL 1.1 Query grammar, rules 1 to 17.
#include <algorithm>
#include <utility>

#include "weft/rdf/iri.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/sparql/grammar.h"
#include "weft/sparql/group_builder.h"
#include "weft/sparql/unsupported.h"

namespace weft::sparql {
namespace {

// The template of CONSTRUCT WHERE: the pattern, its blank nodes made fresh.
class ShortFormTemplate {
 public:
  explicit ShortFormTemplate(const VariableTable& variables) : variables_(variables) {}

  TemplateTerm convert(const TemplateTerm& term) {
    if (const auto* variable = std::get_if<VariableIndex>(&term.form)) {
      if (!variables_[*variable].hidden) {
        return TemplateTerm{*variable};
      }
      const auto [found, added] =
          numbers_.try_emplace(*variable, static_cast<uint32_t>(numbers_.size()));
      return TemplateTerm{TemplateTerm::Blank{found->second}};
    }
    if (const auto* triple = std::get_if<TemplateTerm::Triple>(&term.form)) {
      TemplateTerm::Triple copy;
      for (const TemplateTerm& part : triple->parts) {
        copy.parts.push_back(convert(part));
      }
      return TemplateTerm{std::move(copy)};
    }
    return term;
  }

 private:
  const VariableTable& variables_;
  std::unordered_map<VariableIndex, uint32_t> numbers_;
};

}  // namespace

Result<Query> Parser::query() {
  WEFT_TRY_STATUS(prologue());
  const Place place = current_.place;
  if (take_word("SELECT")) {
    WEFT_TRY_STATUS(select_query());
  } else if (take_word("ASK")) {
    WEFT_TRY_STATUS(ask_query());
  } else if (take_word("CONSTRUCT")) {
    WEFT_TRY_STATUS(construct_query());
  } else if (take_word("DESCRIBE")) {
    WEFT_TRY_STATUS(describe_query());
  } else {
    for (const std::string_view word :
         {"INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"}) {
      if (at_word(word)) {
        return error_at(place, "parse query: this is a SPARQL Update, not a query");
      }
    }
    return error_here("SELECT, ASK, CONSTRUCT or DESCRIBE");
  }
  if (!at(TokenKind::kEnd)) {
    return error_here("the end of the query");
  }
  return std::move(query_);
}

Status Parser::prologue() {
  while (true) {
    if (take_word("BASE")) {
      if (!at(TokenKind::kIri)) {
        return error_here("an IRI in angle brackets");
      }
      query_.base_iri = rdf::resolve_iri(query_.base_iri, current_.value);
      advance();
    } else if (take_word("PREFIX")) {
      WEFT_TRY_STATUS(prefix_declaration());
    } else if (take_word("VERSION")) {
      WEFT_TRY_STATUS(version());
    } else {
      return ok_status();
    }
  }
}

Status Parser::prefix_declaration() {
  if (!at(TokenKind::kPrefixedName) || current_.prefix_length + 1 != current_.text.size()) {
    return error_here("a prefix and ':'");
  }
  const std::string prefix(current_.text.substr(0, current_.prefix_length));
  advance();
  if (!at(TokenKind::kIri)) {
    return error_here("an IRI in angle brackets");
  }
  prefixes_[prefix] = rdf::resolve_iri(query_.base_iri, current_.value);
  advance();
  return ok_status();
}

Status Parser::version() {
  if (!at(TokenKind::kString) || current_.long_quotes) {
    return error_here("a version in single or double quotes");
  }
  if (current_.value != "1.1" && current_.value != "1.2" && current_.value != "1.2-basic") {
    return unsupported(current_.place, "SPARQL version " + current_.value);
  }
  advance();
  return ok_status();
}

Status Parser::dataset() {
  while (take_word("FROM")) {
    const bool named = take_word("NAMED");
    WEFT_TRY(const std::string name, iri());
    std::vector<std::string>& graphs = named ? query_.named_graphs : query_.default_graphs;
    std::string token = rdf::make_iri(name);
    if (std::find(graphs.begin(), graphs.end(), token) == graphs.end()) {
      graphs.push_back(std::move(token));
    }
  }
  return ok_status();
}

Result<NodePtr> Parser::where_clause() {
  take_word("WHERE");
  std::vector<Aggregate>* const outer = std::exchange(aggregates_, nullptr);
  Result<NodePtr> result = group_node();
  aggregates_ = outer;
  return result;
}

Status Parser::select_query() {
  query_.form = QueryForm::kSelect;
  WEFT_TRY(query_.pattern, select_body(true));
  return ok_status();
}

Status Parser::ask_query() {
  query_.form = QueryForm::kAsk;
  WEFT_TRY_STATUS(dataset());
  WEFT_TRY(NodePtr pattern, where_clause());
  Modifiers modifiers;
  WEFT_TRY_STATUS(solution_modifiers(modifiers));
  WEFT_TRY(query_.pattern, compose_rest(std::move(pattern), std::move(modifiers)));
  return ok_status();
}

Status Parser::construct_query() {
  query_.form = QueryForm::kConstruct;
  if (!at("{")) {
    return construct_short_form();
  }
  advance();
  std::vector<ParsedTriple> triples;
  WEFT_TRY_STATUS(triples_block(TripleMode::kTemplate, triples));
  WEFT_TRY_STATUS(expect("}"));
  for (ParsedTriple& triple : triples) {
    query_.construct_template.push_back({std::move(triple.subject),
                                         std::move(std::get<TemplateTerm>(triple.verb)),
                                         std::move(triple.object)});
  }
  WEFT_TRY_STATUS(dataset());
  WEFT_TRY(NodePtr pattern, where_clause());
  Modifiers modifiers;
  WEFT_TRY_STATUS(solution_modifiers(modifiers));
  WEFT_TRY(query_.pattern, compose_rest(std::move(pattern), std::move(modifiers)));
  return ok_status();
}

// CONSTRUCT WHERE { … }
Status Parser::construct_short_form() {
  WEFT_TRY_STATUS(dataset());
  WEFT_TRY_STATUS(expect_word("WHERE"));
  const Place place = current_.place;
  WEFT_TRY_STATUS(expect("{"));
  next_pattern();
  std::vector<ParsedTriple> triples;
  WEFT_TRY_STATUS(triples_block(TripleMode::kShortForm, triples));
  WEFT_TRY_STATUS(expect("}"));
  ShortFormTemplate converter(query_.variables);
  for (const ParsedTriple& triple : triples) {
    query_.construct_template.push_back({converter.convert(triple.subject),
                                         converter.convert(std::get<TemplateTerm>(triple.verb)),
                                         converter.convert(triple.object)});
  }
  GroupBuilder builder(query_.variables);
  builder.add_triples(triples, place);
  WEFT_TRY(NodePtr pattern, bounded(builder.finish().pattern));
  Modifiers modifiers;
  WEFT_TRY_STATUS(solution_modifiers(modifiers));
  WEFT_TRY(query_.pattern, compose_rest(std::move(pattern), std::move(modifiers)));
  return ok_status();
}

Status Parser::describe_query() {
  query_.form = QueryForm::kDescribe;
  const bool star = take("*");
  if (!star) {
    do {
      WEFT_TRY_STATUS(describe_target());
    } while (at(TokenKind::kVariable) || at_iri());
  }
  WEFT_TRY_STATUS(dataset());
  NodePtr pattern;
  if (at("{") || at_word("WHERE")) {
    WEFT_TRY(pattern, where_clause());
  } else {
    pattern = make_node(Bgp{}, current_.place);
  }
  if (star) {
    for (const VariableIndex variable : pattern->scope) {
      if (!query_.variables[variable].hidden) {
        query_.projection.push_back(variable);
      }
    }
  }
  Modifiers modifiers;
  WEFT_TRY_STATUS(solution_modifiers(modifiers));
  WEFT_TRY(query_.pattern, compose_rest(std::move(pattern), std::move(modifiers)));
  return ok_status();
}

Status Parser::describe_target() {
  if (at(TokenKind::kVariable)) {
    WEFT_TRY(const VariableIndex name, variable());
    auto& columns = query_.projection;
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) {
      columns.push_back(name);
    }
    return ok_status();
  }
  if (!at_iri()) {
    return error_here("'*', a variable or an IRI");
  }
  WEFT_TRY(const std::string name, iri());
  query_.describe_terms.push_back(rdf::make_iri(name));
  return ok_status();
}

Result<std::string_view> checked_text(std::string_view text, size_t bytes_max,
                                      std::string_view what) {
  const std::string name(what);
  if (text.size() > bytes_max) {
    return Error(ErrorKind::kLimit, "parse " + name + ": the text is too long")
        .with("limit", name + " text")
        .with(name + "_bytes_max", bytes_max);
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (const size_t bad = rdf::find_invalid_utf8(text); bad != text.size()) {
    const std::string_view before = text.substr(0, bad);
    const auto lines = static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
    const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return Error(ErrorKind::kInvalid, "parse " + name + ": the text is not UTF-8")
        .with("line", lines + 1)
        .with("column", rdf::count_code_points(before.substr(line_begin)) + 1);
  }
  return text;
}

Result<Query> parse_query(std::string_view text, const ParseOptions& options) {
  WEFT_TRY(text, checked_text(text, kQueryBytesMax, "query"));
  Parser parser(text, options);
  WEFT_TRY(Query query, parser.query());
  if (options.refuse_unsupported) {
    WEFT_TRY_STATUS(check_supported(query));
  }
  return query;
}

}  // namespace weft::sparql
