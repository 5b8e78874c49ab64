// SPARQL Update of the parser (grammar.h). SPARQL 1.1 Update grammar, rules 29 to 52.
#include <algorithm>
#include <utility>

#include "weft/rdf/term.h"
#include "weft/sparql/grammar.h"
#include "weft/sparql/traversal.h"
#include "weft/sparql/unsupported.h"
#include "weft/sparql/update.h"

namespace weft::sparql {
namespace {

// What may not stand in the templates of an operation.
class TemplateCheck {
 public:
  void quads(const std::vector<QuadTemplate>& quads) {
    for (const QuadTemplate& quad : quads) {
      if (quad.graph && std::holds_alternative<VariableIndex>(*quad.graph)) {
        variables_.push_back(std::get<VariableIndex>(*quad.graph));
      }
      term(quad.triple.subject);
      term(quad.triple.predicate);
      term(quad.triple.object);
    }
  }
  bool has_blank() const { return has_blank_; }
  // Ascending, each once.
  std::vector<VariableIndex> variables() && {
    std::sort(variables_.begin(), variables_.end());
    variables_.erase(std::unique(variables_.begin(), variables_.end()), variables_.end());
    return std::move(variables_);
  }

 private:
  void term(const TemplateTerm& term) {
    if (const auto* variable = std::get_if<VariableIndex>(&term.form)) {
      variables_.push_back(*variable);
    } else if (const auto* triple = std::get_if<TemplateTerm::Triple>(&term.form)) {
      for (const TemplateTerm& part : triple->parts) {
        this->term(part);
      }
    } else if (std::holds_alternative<TemplateTerm::Blank>(term.form)) {
      has_blank_ = true;
    }
  }

  std::vector<VariableIndex> variables_;
  bool has_blank_ = false;
};

}  // namespace

Result<Update> Parser::update() {
  Update result;
  while (true) {
    WEFT_TRY_STATUS(prologue());
    if (at(TokenKind::kEnd)) {
      return result;
    }
    begin_operation();
    WEFT_TRY(UpdateOperation operation, update_operation());
    result.operations.push_back(std::move(operation));
    if (!take(";")) {
      break;
    }
  }
  if (!at(TokenKind::kEnd)) {
    return error_here("';' or the end of the update");
  }
  return result;
}

// Variables and templates are an operation's own. Labels of patterns are not forgotten: one may not
// stand in two of them, not even in different operations (SPARQL 1.1 Query §19.6).
void Parser::begin_operation() {
  std::string base = std::move(query_.base_iri);
  query_ = Query();
  query_.base_iri = std::move(base);
  template_blanks_.clear();
  template_blank_count_ = 0;
  with_graph_.clear();
}

Result<UpdateOperation> Parser::update_operation() {
  if (take_word("INSERT")) {
    return take_word("DATA") ? insert_data() : modify(false);
  }
  if (take_word("DELETE")) {
    if (take_word("DATA")) {
      return delete_data();
    }
    return at_word("WHERE") ? delete_where() : modify(true);
  }
  if (take_word("WITH")) {
    WEFT_TRY(const std::string graph, iri());
    with_graph_ = rdf::make_iri(graph);
    if (take_word("DELETE")) {
      return modify(true);
    }
    WEFT_TRY_STATUS(expect_word("INSERT"));
    return modify(false);
  }
  return graph_operation();
}

Result<UpdateOperation> Parser::graph_operation() {
  if (take_word("LOAD")) {
    return load();
  }
  if (take_word("CLEAR")) {
    Clear clear;
    clear.silent = take_word("SILENT");
    WEFT_TRY(clear.target, graph_target());
    return UpdateOperation(std::move(clear));
  }
  if (take_word("DROP")) {
    Drop drop;
    drop.silent = take_word("SILENT");
    WEFT_TRY(drop.target, graph_target());
    return UpdateOperation(std::move(drop));
  }
  if (take_word("CREATE")) {
    Create create;
    create.silent = take_word("SILENT");
    WEFT_TRY_STATUS(expect_word("GRAPH"));
    WEFT_TRY(const std::string graph, iri());
    create.graph = rdf::make_iri(graph);
    return UpdateOperation(std::move(create));
  }
  if (take_word("ADD")) {
    return transfer(Transfer::Kind::kAdd);
  }
  if (take_word("MOVE")) {
    return transfer(Transfer::Kind::kMove);
  }
  if (take_word("COPY")) {
    return transfer(Transfer::Kind::kCopy);
  }
  return error_here("INSERT, DELETE, WITH, LOAD, CLEAR, DROP, CREATE, ADD, MOVE or COPY");
}

Result<UpdateOperation> Parser::load() {
  Load load;
  load.silent = take_word("SILENT");
  WEFT_TRY(const std::string source, iri());
  load.source = rdf::make_iri(source);
  if (take_word("INTO")) {
    WEFT_TRY_STATUS(expect_word("GRAPH"));
    WEFT_TRY(const std::string graph, iri());
    load.into = rdf::make_iri(graph);
  }
  return UpdateOperation(std::move(load));
}

Result<UpdateOperation> Parser::transfer(Transfer::Kind kind) {
  Transfer transfer;
  transfer.kind = kind;
  transfer.silent = take_word("SILENT");
  WEFT_TRY(transfer.from, graph_or_default());
  WEFT_TRY_STATUS(expect_word("TO"));
  WEFT_TRY(transfer.to, graph_or_default());
  return UpdateOperation(std::move(transfer));
}

// GraphOrDefault
Result<std::optional<std::string>> Parser::graph_or_default() {
  if (take_word("DEFAULT")) {
    return std::optional<std::string>();
  }
  take_word("GRAPH");
  if (!at_iri()) {
    return error_here("DEFAULT or the IRI of a graph");
  }
  WEFT_TRY(const std::string graph, iri());
  return std::optional<std::string>(rdf::make_iri(graph));
}

// GraphRefAll
Result<GraphTarget> Parser::graph_target() {
  GraphTarget target;
  if (take_word("DEFAULT")) {
    target.kind = GraphTarget::Kind::kDefault;
  } else if (take_word("NAMED")) {
    target.kind = GraphTarget::Kind::kNamed;
  } else if (take_word("ALL")) {
    target.kind = GraphTarget::Kind::kAll;
  } else if (take_word("GRAPH")) {
    target.kind = GraphTarget::Kind::kOne;
    WEFT_TRY(const std::string graph, iri());
    target.graph = rdf::make_iri(graph);
  } else {
    return error_here("GRAPH, DEFAULT, NAMED or ALL");
  }
  return target;
}

// '{' Quads '}'
Result<std::vector<QuadTemplate>> Parser::quads() {
  std::vector<QuadTemplate> result;
  WEFT_TRY_STATUS(expect("{"));
  std::optional<PatternTerm> standard;
  if (!with_graph_.empty()) {
    standard = with_graph_;
  }
  WEFT_TRY_STATUS(template_triples(standard, result));
  while (take_word("GRAPH")) {
    WEFT_TRY(PatternTerm graph, variable_or_iri());
    WEFT_TRY_STATUS(expect("{"));
    WEFT_TRY_STATUS(template_triples(std::move(graph), result));
    WEFT_TRY_STATUS(expect("}"));
    take(".");
    WEFT_TRY_STATUS(template_triples(standard, result));
  }
  if (!take("}")) {
    return error_here("a triple, GRAPH or '}'");
  }
  return result;
}

Status Parser::template_triples(const std::optional<PatternTerm>& graph,
                                std::vector<QuadTemplate>& out) {
  std::vector<ParsedTriple> triples;
  WEFT_TRY_STATUS(triples_block(TripleMode::kTemplate, triples));
  for (ParsedTriple& triple : triples) {
    out.push_back({graph, TripleTemplate{std::move(triple.subject),
                                         std::move(std::get<TemplateTerm>(triple.verb)),
                                         std::move(triple.object)}});
  }
  return ok_status();
}

Result<UpdateOperation> Parser::insert_data() {
  const Place place = current_.place;
  InsertData data;
  WEFT_TRY(data.quads, quads());
  TemplateCheck check;
  check.quads(data.quads);
  if (!std::move(check).variables().empty()) {
    return error_at(place, "parse update: INSERT DATA may not have variables");
  }
  for (const auto& [label, number] : template_blanks_) {
    if (!data_labels_.insert(label).second) {
      return error_at(
          place, "parse update: the blank node label _:" + label + " is used in two INSERT DATA");
    }
  }
  return UpdateOperation(std::move(data));
}

Result<UpdateOperation> Parser::delete_data() {
  const Place place = current_.place;
  DeleteData data;
  WEFT_TRY(data.quads, quads());
  TemplateCheck check;
  check.quads(data.quads);
  if (check.has_blank()) {
    return error_at(place, "parse update: DELETE DATA may not have blank nodes");
  }
  if (!std::move(check).variables().empty()) {
    return error_at(place, "parse update: DELETE DATA may not have variables");
  }
  return UpdateOperation(std::move(data));
}

// The quads are read twice: as a template, and as a pattern.
Result<UpdateOperation> Parser::delete_where() {
  WEFT_TRY_STATUS(expect_word("WHERE"));
  const Place place = current_.place;
  const Lexer lexer = lexer_;
  const Token token = current_;
  Modify modify;
  WEFT_TRY(modify.deletes, quads());
  TemplateCheck check;
  check.quads(modify.deletes);
  if (check.has_blank()) {
    return error_at(place, "parse update: DELETE WHERE may not have blank nodes");
  }
  lexer_ = lexer;
  current_ = token;
  WEFT_TRY(NodePtr pattern, group_node());
  WEFT_TRY_STATUS(finish_modify(modify, std::move(pattern)));
  return UpdateOperation(std::move(modify));
}

Result<UpdateOperation> Parser::modify(bool deletes) {
  Modify modify;
  const Place place = current_.place;
  if (deletes) {
    WEFT_TRY(modify.deletes, quads());
    TemplateCheck check;
    check.quads(modify.deletes);
    if (check.has_blank()) {
      return error_at(place, "parse update: DELETE may not have blank nodes");
    }
  }
  if (!deletes || take_word("INSERT")) {
    WEFT_TRY(modify.inserts, quads());
  }
  while (take_word("USING")) {
    const bool named = take_word("NAMED");
    WEFT_TRY(const std::string name, iri());
    std::vector<std::string>& graphs = named ? query_.named_graphs : query_.default_graphs;
    std::string token = rdf::make_iri(name);
    if (std::find(graphs.begin(), graphs.end(), token) == graphs.end()) {
      graphs.push_back(std::move(token));
    }
  }
  if (query_.named_graphs.empty() && query_.default_graphs.empty()) {
    query_.with_graph = with_graph_;
  }
  WEFT_TRY_STATUS(expect_word("WHERE"));
  WEFT_TRY(NodePtr pattern, group_node());
  WEFT_TRY_STATUS(finish_modify(modify, std::move(pattern)));
  return UpdateOperation(std::move(modify));
}

Status Parser::finish_modify(Modify& modify, NodePtr pattern) {
  TemplateCheck check;
  check.quads(modify.deletes);
  check.quads(modify.inserts);
  query_.form = QueryForm::kSelect;
  query_.projection = std::move(check).variables();
  const Place place = pattern->place;
  WEFT_TRY(query_.pattern,
           bounded(make_node(Project{std::move(pattern), query_.projection}, place)));
  modify.where = std::move(query_);
  query_ = Query();
  query_.base_iri = modify.where.base_iri;
  if (options_.refuse_unsupported) {
    WEFT_TRY_STATUS(check_supported(modify.where));
  }
  return ok_status();
}

namespace {

// What queries and updates have in common speaks of queries.
Error of_update(const Error& error) {
  constexpr std::string_view kOfQuery = "parse query: ";
  constexpr std::string_view kEnd = " but the query ends";
  std::string message = error.message();
  if (message.starts_with(kOfQuery)) {
    message.replace(0, kOfQuery.size(), "parse update: ");
  }
  if (message.ends_with(kEnd)) {
    message.replace(message.size() - kEnd.size(), kEnd.size(), " but the update ends");
  }
  Error renamed(error.kind(), std::move(message));
  for (const Error::Fact& fact : error.facts()) {
    renamed.add(fact.key, fact.value);
  }
  return renamed;
}

}  // namespace

Result<Update> parse_update(std::string_view text, const ParseOptions& options) {
  WEFT_TRY(text, checked_text(text, kUpdateBytesMax, "update"));
  Result<Update> update = Parser(text, options).update();
  if (!update.ok()) {
    return of_update(update.error());
  }
  return update;
}

}  // namespace weft::sparql
