#include "weft/sparql/update.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weft::sparql {
namespace {

Update parsed(std::string_view text) {
  Result<Update> update = parse_update(text);
  EXPECT_TRUE(update.ok()) << text << ": " << (update.ok() ? "" : update.error().to_string());
  return update.ok() ? std::move(update).value() : Update();
}

TEST(Update, OperationsStandInOrderAndShareThePrologue) {
  const Update update = parsed(
      "PREFIX : <http://e/> CREATE SILENT GRAPH :g ; BASE <http://b/> LOAD <x.ttl> INTO GRAPH :g ; "
      "CLEAR NAMED ; DROP GRAPH <y> ; DROP SILENT ALL ; COPY DEFAULT TO :g ; MOVE GRAPH :g TO :h ; "
      "ADD SILENT :h TO DEFAULT ;");
  ASSERT_EQ(update.operations.size(), 8);
  const auto& create = std::get<Create>(update.operations[0]);
  EXPECT_TRUE(create.silent);
  EXPECT_EQ(create.graph, "<http://e/g>");
  const auto& load = std::get<Load>(update.operations[1]);
  EXPECT_EQ(load.source, "<http://b/x.ttl>");
  EXPECT_EQ(load.into, "<http://e/g>");
  EXPECT_EQ(std::get<Clear>(update.operations[2]).target.kind, GraphTarget::Kind::kNamed);
  EXPECT_EQ(std::get<Drop>(update.operations[3]).target.graph, "<http://b/y>");
  EXPECT_TRUE(std::get<Drop>(update.operations[4]).silent);
  const auto& copy = std::get<Transfer>(update.operations[5]);
  EXPECT_EQ(copy.kind, Transfer::Kind::kCopy);
  EXPECT_EQ(copy.from, std::nullopt);
  EXPECT_EQ(copy.to, "<http://e/g>");
  EXPECT_EQ(std::get<Transfer>(update.operations[6]).kind, Transfer::Kind::kMove);
  EXPECT_TRUE(std::get<Transfer>(update.operations[7]).silent);
}

TEST(Update, NothingIsAnUpdateToo) {
  EXPECT_TRUE(parsed("").operations.empty());
  EXPECT_TRUE(parsed("PREFIX : <http://e/>").operations.empty());
}

TEST(Update, WithAndUsingAreResolved) {
  const Update update = parsed(
      "WITH <http://g> DELETE { ?a ?b ?c } INSERT { GRAPH ?h { ?a ?b 1 } } WHERE { ?a ?b ?c } ; "
      "WITH <http://g> INSERT { ?a ?b 1 } USING <http://u> USING NAMED <http://n> "
      "WHERE { ?a ?b ?c }");
  const auto& first = std::get<Modify>(update.operations[0]);
  EXPECT_EQ(std::get<std::string>(*first.deletes[0].graph), "<http://g>");
  EXPECT_TRUE(std::holds_alternative<VariableIndex>(*first.inserts[0].graph));
  EXPECT_EQ(first.where.with_graph, "<http://g>");
  EXPECT_EQ(first.where.projection.size(), 4);
  const auto& second = std::get<Modify>(update.operations[1]);
  EXPECT_EQ(second.where.with_graph, "");
  EXPECT_EQ(second.where.default_graphs, std::vector<std::string>{"<http://u>"});
  EXPECT_EQ(second.where.named_graphs, std::vector<std::string>{"<http://n>"});
}

TEST(Update, StaticRules) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"INSERT DATA { ?x <p> 1 }", "variables"},
      {"INSERT DATA { GRAPH ?g { <s> <p> 1 } }", "variables"},
      {"DELETE DATA { <s> <p> _:x }", "blank nodes"},
      {"DELETE DATA { <s> <p> [] }", "blank nodes"},
      {"DELETE { ?s <p> _:x } WHERE { ?s <p> 1 }", "blank nodes"},
      {"DELETE WHERE { _:x <p> ?o }", "blank nodes"},
      {"INSERT DATA { _:x <p> 1 } ; INSERT DATA { _:x <p> 1 }", "two INSERT DATA"},
      {"INSERT { } WHERE { _:x <p> 1 } ; INSERT { } WHERE { _:x <p> 1 }",
       "two basic graph patterns"},
      {"DELETE { ?s <p>+ 1 } WHERE { ?s <p> 1 }", "expected"},
      {"INSERT DATA { GRAPH <g> { GRAPH <h> { } } }", "expected"},
      {"CREATE GRAPH", "an IRI"},
      {"CREATE <g>", "expected GRAPH"},
      {"LOAD", "an IRI"},
      {"COPY <a> <b>", "expected TO"},
      {"DELETE { } USING <g> INSERT { } WHERE { }", "expected WHERE"},
      {"INSERT { <s> <p> 1 }", "expected WHERE"},
      {"CLEAR ALL CLEAR ALL", "';' or the end"},
      {"SELECT * { }", "expected INSERT"},
      {"INSERT DATA { <s> <p> 1", "'}'"},
  };
  for (const auto& [text, words] : bad) {
    const Result<Update> update = parse_update(text);
    ASSERT_FALSE(update.ok()) << text;
    EXPECT_EQ(update.error().kind(), ErrorKind::kInvalid) << text;
    EXPECT_NE(update.error().to_string().find(words), std::string::npos)
        << text << ": " << update.error().to_string();
    EXPECT_NE(update.error().fact("line"), "") << text;
    EXPECT_EQ(update.error().message().find("query"), std::string::npos)
        << update.error().to_string();
  }
}

TEST(Update, ATextBeyondTheLimitIsNotRead) {
  const std::string text(kUpdateBytesMax + 1, '?');
  const Result<Update> beyond = parse_update(text);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind(), ErrorKind::kLimit);
  EXPECT_EQ(beyond.error().fact("limit"), "update text");
  const Result<Update> at_limit = parse_update(std::string_view(text).substr(1));
  ASSERT_FALSE(at_limit.ok());
  EXPECT_EQ(at_limit.error().kind(), ErrorKind::kInvalid);  // it was read
}

}  // namespace
}  // namespace weft::sparql
