#include "weft/entail/entailed_source.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/entail/axioms.h"
#include "weft/exec/query.h"
#include "weft/rdf/term.h"
#include "weft/sparql/parser.h"

namespace weft::entail {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

// "a" is <http://e/a>, "=a" rdf:a, "+a" rdfs:a, tokens are themselves.
std::string expand(std::string_view name) {
  if (name.starts_with('=')) {
    return rdf_token(name.substr(1));
  }
  if (name.starts_with('+')) {
    return rdfs_token(name.substr(1));
  }
  if (name.starts_with('"') || name.starts_with('<') || name.starts_with("_:")) {
    return std::string(name);
  }
  return rdf::make_iri("http://e/" + std::string(name));
}

std::string abbreviate(std::string token) {
  const std::pair<std::string_view, std::string_view> prefixes[] = {
      {"<http://e/", ""},
      {"<http://www.w3.org/1999/02/22-rdf-syntax-ns#", "="},
      {"<http://www.w3.org/2000/01/rdf-schema#", "+"}};
  for (const auto& [prefix, name] : prefixes) {
    if (token.starts_with(prefix)) {
      token.replace(0, prefix.size(), name);
      token.pop_back();
    }
  }
  return token;
}

using Triple = std::array<std::string, 3>;  // abbreviated

class EntailedSourceTest : public testing::Test {
 protected:
  exec::QuadSource& entail(const std::set<Triple>& triples, Regime regime = Regime::kRdfs,
                           std::string_view graph = {}) {
    exec::VectorSource::Builder builder;
    for (const Triple& t : triples) {
      builder.add(expand(t[0]), expand(t[1]), expand(t[2]),
                  graph.empty() ? std::string() : expand(graph));
    }
    stated_ = std::move(builder).build({.six_permutations = six_, .batch_rows = 3});
    entailed_ = EntailedSource::create(regime, *stated_, &budget_).value();
    return *entailed_;
  }

  std::vector<std::string> rows(std::string_view query) {
    exec::QueryOptions options;
    options.budget = &budget_;
    options.executor = &executor_;
    options.clock = &clock_;
    options.random = &random_;
    sparql::ParseOptions parse;
    parse.prefixes = {
        {"", "http://e/"}, {"rdf", std::string(rdf::kRdf)}, {"rdfs", std::string(rdf::kRdfs)}};
    auto prepared =
        exec::prepare(sparql::parse_query(query, parse).value(), *entailed_, options).value();
    const auto solutions = prepared->select().value();
    std::vector<std::string> lines;
    exec::RowBatch batch;
    while (true) {
      EXPECT_TRUE(solutions->next(batch).ok());
      if (batch.empty()) {
        std::sort(lines.begin(), lines.end());
        return lines;
      }
      std::vector<std::vector<std::string>> columns(batch.columns.size());
      for (size_t c = 0; c < columns.size(); ++c) {
        EXPECT_TRUE(solutions->tokens(batch.columns[c], columns[c]).ok());
      }
      for (size_t r = 0; r < batch.rows; ++r) {
        std::string line;
        for (const auto& column : columns) {
          line += (line.empty() ? "" : " ") + abbreviate(column[r]);
        }
        lines.push_back(line);
      }
    }
  }

  bool six_ = true;
  base::MemoryBudget budget_{"test", uint64_t{64} << 20U};
  base::InlineExecutor executor_;
  base::SystemClock clock_;
  base::Random random_{1};
  std::unique_ptr<exec::VectorSource> stated_;
  std::unique_ptr<EntailedSource> entailed_;
};

TEST_F(EntailedSourceTest, InstancesAreInTheClassesAbove) {
  entail({{"x", "=type", "cat"}, {"cat", "+subClassOf", "pet"}, {"pet", "+subClassOf", "animal"}});
  EXPECT_THAT(rows("SELECT ?x { ?x a :animal }"), ElementsAre("x"));
  EXPECT_THAT(rows("SELECT ?c { :x a ?c }"), ElementsAre("+Resource", "animal", "cat", "pet"));
  EXPECT_THAT(rows("SELECT ?c { ?c rdfs:subClassOf :animal }"),
              ElementsAre("animal", "cat", "pet"));
}

TEST_F(EntailedSourceTest, PropertiesInheritStatementsDomainsAndRanges) {
  entail({{"a", "son", "b"},
          {"son", "+subPropertyOf", "child"},
          {"child", "+domain", "parent"},
          {"child", "+range", "person"},
          {"a", "named", "\"A\""},
          {"named", "+range", "name"}});
  EXPECT_THAT(rows("SELECT ?x ?y { ?x :child ?y }"), ElementsAre("a b"));
  EXPECT_THAT(rows("SELECT ?x { ?x a :parent }"), ElementsAre("a"));
  EXPECT_THAT(rows("SELECT ?x { ?x a :person }"), ElementsAre("b"));
  EXPECT_THAT(rows("SELECT ?p { :a ?p :b }"), ElementsAre("child", "son"));
  EXPECT_THAT(rows("SELECT ?x { ?x a :name }"), IsEmpty()) << "literals are no subjects";
}

TEST_F(EntailedSourceTest, EachEntailedTripleMatchesOnce) {
  entail({{"x", "=type", "a"},
          {"x", "=type", "b"},
          {"a", "+subClassOf", "c"},
          {"b", "+subClassOf", "c"},
          {"x", "p", "y"},
          {"p", "+domain", "c"},
          {"x", "=type", "c"}});
  EXPECT_THAT(rows("SELECT ?x { ?x a :c }"), ElementsAre("x"));
  EXPECT_THAT(rows("SELECT (COUNT(*) AS ?n) { :x a :c }"),
              ElementsAre("\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>"));
}

TEST_F(EntailedSourceTest, WithoutASchemaAnswersAreThoseOfTheGraph) {
  entail({{"x", "p", "y"}, {"y", "p", "z"}}, Regime::kSimple);
  EXPECT_THAT(rows("SELECT * { ?s ?p ?o }").size(), 2U);
  EXPECT_THAT(rows("SELECT ?p { ?p a rdf:Property }"), IsEmpty());
}

TEST_F(EntailedSourceTest, RdfKnowsThatPredicatesAreProperties) {
  entail({{"x", "p", "y"}, {"x", "=type", "c"}, {"c", "+subClassOf", "d"}}, Regime::kRdf);
  EXPECT_THAT(rows("SELECT ?p { ?p a rdf:Property . FILTER(STRSTARTS(STR(?p), 'http://e/')) }"),
              ElementsAre("p"));
  EXPECT_THAT(rows("SELECT ?x { ?x a :d }"), IsEmpty());
}

TEST_F(EntailedSourceTest, PathsAndNegationSeeWhatFollows) {
  entail({{"a", "p", "b"},
          {"b", "q", "c"},
          {"p", "+subPropertyOf", "r"},
          {"q", "+subPropertyOf", "r"}});
  EXPECT_THAT(rows("SELECT ?x { :a :r+ ?x }"), ElementsAre("b", "c"));
  EXPECT_THAT(rows("SELECT ?x { ?x :p|:q ?y FILTER NOT EXISTS { ?x :r :b } }"), ElementsAre("b"));
}

TEST_F(EntailedSourceTest, ContainerMembersAreMembers) {
  entail({{"s", "=_2", "x"}});
  EXPECT_THAT(rows("SELECT ?x { :s rdfs:member ?x }"), ElementsAre("x"));
}

TEST_F(EntailedSourceTest, NamedGraphsEntailByThemselves) {
  entail({{"x", "=type", "cat"}, {"cat", "+subClassOf", "pet"}}, Regime::kRdfs, "g");
  EXPECT_THAT(rows("SELECT ?g ?x { GRAPH ?g { ?x a :pet } }"), ElementsAre("g x"));
  EXPECT_THAT(rows("SELECT ?x { GRAPH :g { ?x a :pet } }"), ElementsAre("x"));
  EXPECT_THAT(rows("SELECT ?x { ?x a :pet }"), IsEmpty());
  EXPECT_THAT(rows("SELECT ?x FROM :g { ?x a :pet }"), ElementsAre("x"));
}

TEST_F(EntailedSourceTest, ASubpropertyOfTheVocabularyCounts) {
  entail({{"isA", "+subPropertyOf", "=type"},
          {"kindOf", "+subPropertyOf", "+subClassOf"},
          {"x", "isA", "cat"},
          {"cat", "kindOf", "pet"}});
  EXPECT_THAT(rows("SELECT ?x { ?x a :pet }"), ElementsAre("x"));
}

TEST_F(EntailedSourceTest, ACircleOfClassesEnds) {
  entail({{"a", "+subClassOf", "b"}, {"b", "+subClassOf", "a"}, {"x", "=type", "a"}});
  EXPECT_THAT(rows("SELECT ?c { :x a ?c }"), ElementsAre("+Resource", "a", "b"));
}

// ---- Against the rules, run to their end over a set of triples
// -----------------------------------

// RDF 1.1 Semantics, section 9.2.1, without generalised triples.
std::set<Triple> close(std::set<Triple> triples) {
  const auto is_literal = [](const std::string& term) { return term.starts_with('"'); };
  bool grew = true;
  while (grew) {
    std::set<Triple> more;
    const auto add = [&](const std::string& s, const std::string& p, const std::string& o) {
      if (!is_literal(s)) {
        more.insert({s, p, o});
      }
    };
    for (const Triple& t : triples) {
      add(t[1], "=type", "=Property");
      for (const std::string& term : t) {
        add(term, "=type", "+Resource");
      }
      if (t[1] == "=type" && t[2] == "+Class") {
        add(t[0], "+subClassOf", "+Resource");
        add(t[0], "+subClassOf", t[0]);
      }
      if (t[1] == "=type" && t[2] == "=Property") {
        add(t[0], "+subPropertyOf", t[0]);
      }
      if (t[1] == "=type" && t[2] == "+Datatype") {
        add(t[0], "+subClassOf", "+Literal");
      }
      for (const Triple& u : triples) {
        if (u[1] == "+domain" && u[0] == t[1]) {
          add(t[0], "=type", u[2]);
        }
        if (u[1] == "+range" && u[0] == t[1]) {
          add(t[2], "=type", u[2]);
        }
        if (u[1] == "+subPropertyOf" && u[0] == t[1]) {
          add(t[0], u[2], t[2]);
        }
        if (t[2] == u[0] && t[1] == u[1] && (t[1] == "+subClassOf" || t[1] == "+subPropertyOf")) {
          add(t[0], t[1], u[2]);
        }
        if (u[1] == "+subClassOf" && t[1] == "=type" && t[2] == u[0]) {
          add(t[0], "=type", u[2]);
        }
      }
    }
    const size_t before = triples.size();
    triples.merge(more);
    grew = triples.size() != before;
  }
  return triples;
}

std::set<Triple> all_axioms() {
  exec::VectorSource::Builder builder;
  add_axioms(Regime::kRdfs, {}, builder);
  const auto source = std::move(builder).build();
  const auto cursor = source->scan({}, rdf::Permutation::kSpo, {}).value();
  std::set<Triple> triples;
  rdf::IdBatch batch;
  while (true) {
    EXPECT_TRUE(cursor->next(batch).ok());
    if (batch.size() == 0) {
      return triples;
    }
    std::vector<std::string> s;
    std::vector<std::string> p;
    std::vector<std::string> o;
    EXPECT_TRUE(source->tokens(batch.subject, s).ok());
    EXPECT_TRUE(source->tokens(batch.predicate, p).ok());
    EXPECT_TRUE(source->tokens(batch.object, o).ok());
    for (size_t i = 0; i < s.size(); ++i) {
      triples.insert({abbreviate(s[i]), abbreviate(p[i]), abbreviate(o[i])});
    }
  }
}

TEST_F(EntailedSourceTest, AnswersAreThoseOfTheRulesRunToTheirEnd) {
  const std::set<Triple> axioms = all_axioms();
  const std::vector<std::string> things = {"x", "y", "z"};
  const std::vector<std::string> classes = {"a", "b", "c", "d"};
  const std::vector<std::string> properties = {"p", "q", "r"};
  const auto pick = [&](const std::vector<std::string>& from) {
    return from[random_.below(from.size())];
  };
  for (int round = 0; round < 40; ++round) {
    std::set<Triple> stated;
    for (uint64_t i = 3 + random_.below(8); i > 0; --i) {
      switch (random_.below(7)) {
        case 0:
          stated.insert({pick(things), "=type", pick(classes)});
          break;
        case 1:
          stated.insert({pick(classes), "+subClassOf", pick(classes)});
          break;
        case 2:
          stated.insert({pick(properties), "+subPropertyOf", pick(properties)});
          break;
        case 3:
          stated.insert({pick(properties), "+domain", pick(classes)});
          break;
        case 4:
          stated.insert({pick(properties), "+range", pick(classes)});
          break;
        case 5:
          stated.insert({pick(things), pick(properties), "\"text\""});
          break;
        default:
          stated.insert({pick(things), pick(properties), pick(things)});
      }
    }
    std::set<Triple> with_axioms = stated;
    with_axioms.insert(axioms.begin(), axioms.end());
    const std::set<Triple> expected = close(with_axioms);
    six_ = random_.chance(1, 2);
    entail(stated);
    const auto line = [](const Triple& t) { return t[0] + " " + t[1] + " " + t[2]; };
    std::vector<std::string> all;
    for (const Triple& t : expected) {
      all.push_back(line(t));
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(rows("SELECT ?s ?p ?o { ?s ?p ?o }"), all) << "round " << round;
    // Patterns with some of their terms given.
    const auto iri = [](const std::string& name) {
      return name.starts_with('"') ? name : expand(name);
    };
    for (int asked = 0; asked < 12; ++asked) {
      auto chosen = expected.begin();
      std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(expected.size())));
      const uint64_t given = 1 + random_.below(7);
      std::string pattern;
      for (size_t i = 0; i < 3; ++i) {
        pattern += (given >> i) % 2 == 1 ? iri((*chosen)[i]) : "?v" + std::to_string(i);
        pattern += ' ';
      }
      std::vector<std::string> wanted;
      for (const Triple& t : expected) {
        bool fits = true;
        for (size_t i = 0; i < 3; ++i) {
          fits = fits && ((given >> i) % 2 == 0 || t[i] == (*chosen)[i]);
        }
        if (fits) {
          wanted.push_back(line(t));
        }
      }
      std::sort(wanted.begin(), wanted.end());
      // A literal or IRI cannot be selected as it stands: bind it.
      std::string select = "SELECT";
      std::string binds;
      for (size_t i = 0; i < 3; ++i) {
        if ((given >> i) % 2 == 1) {
          select += " ?w" + std::to_string(i);
          binds += " BIND(" + iri((*chosen)[i]) + " AS ?w" + std::to_string(i) + ")";
        } else {
          select += " ?v" + std::to_string(i);
        }
      }
      ASSERT_EQ(rows(select + " { " + pattern + " ." + binds + " }"), wanted)
          << "round " << round << " " << pattern;
    }
  }
}

TEST(Regime, OthersAreRefusedByName) {
  EXPECT_EQ(regime_by_name("RDFS").value(), Regime::kRdfs);
  EXPECT_EQ(regime_by_name("owl-direct").error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(regime_by_name("RIF").error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(regime_by_name("D").error().kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(regime_by_name("magic").error().kind(), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace weft::entail
