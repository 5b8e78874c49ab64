// Joins that could be done in several orders, on graphs large enough that the cheap ones are not
// those of the small tests: the answers, counted by hand.
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/exec/query.h"
#include "weft/exec/testing/query_fixture.h"
#include "weft/exec/testing/skewed_source.h"

namespace weft::exec {
namespace {

constexpr int kPeople = 20'000;
constexpr int kCities = 40;

std::string person(int i) {
  return "<http://e/person" + std::to_string(i) + ">";
}

struct Net {
  std::set<std::pair<int, int>> knows;
  std::unique_ptr<VectorSource> source;
};

// Half of whom one knows live next door, so that there are many triangles.
Net make_net(bool six_permutations) {
  Net net;
  base::Random random(5);
  VectorSource::Builder builder;
  for (int i = 0; i < kPeople; ++i) {
    builder.add(person(i), "<http://e/city>",
                "<http://e/city" + std::to_string(i * 7919 % kPeople % kCities) + ">");
    for (int k = 0; k < 3; ++k) {
      const int friend_of = k == 0
                                ? static_cast<int>(random.below(kPeople))
                                : (i + static_cast<int>(random.below(21)) + kPeople - 10) % kPeople;
      builder.add(person(i), "<http://e/knows>", person(friend_of));
      net.knows.emplace(i, friend_of);
    }
  }
  net.source = std::move(builder).build({.six_permutations = six_permutations});
  return net;
}

size_t triangles_of_city(const Net& net, int city) {
  size_t count = 0;
  for (const auto& [x, y] : net.knows) {
    if (x * 7919 % kPeople % kCities != city) {
      continue;
    }
    for (auto next = net.knows.lower_bound({y, 0}); next != net.knows.end() && next->first == y;
         ++next) {
      count += net.knows.count({next->second, x});
    }
  }
  return count;
}

class JoinOrder : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Orders, JoinOrder, testing::Bool());

// A lookup by another variable than the one its left side is sorted by loses that order: nothing
// may be merged by it afterwards.
TEST_P(JoinOrder, ALookupByAnotherVariableLosesTheOrder) {
  const Net net = make_net(GetParam());
  QueryRunner run(*net.source);
  for (const int city : {0, 7, 39}) {
    const std::string query = "SELECT ?x ?y ?z { ?x :city :city" + std::to_string(city) +
                              " . ?x :knows ?y . ?y :knows ?z . ?z :knows ?x }";
    EXPECT_EQ(run.rows(query).size(), triangles_of_city(net, city)) << run.last_explanation();
  }
}

// --- Random groups of patterns over a graph of a few thousand triples: the same answers whatever
// the statistics say, whatever permutations there are and whatever the order of the text.

constexpr uint64_t kNodes = 500;

std::unique_ptr<VectorSource> random_graph(uint64_t seed, bool six_permutations) {
  base::Random random(seed);
  VectorSource::Builder builder;
  const auto node = [&] { return ":n" + std::to_string(random.below(kNodes)); };
  for (uint64_t i = 0; i < 3'000; ++i) {
    builder.add(expand(node()), expand(":p" + std::to_string(random.below(3))), expand(node()));
  }
  for (uint64_t i = 0; i < kNodes; ++i) {
    const std::string subject = expand(":n" + std::to_string(i));
    builder.add(subject, expand(":in"), expand(":c" + std::to_string(random.below(12))));
    builder.add(subject, expand(":age"), expand(std::to_string(random.below(60))));
  }
  return std::move(builder).build({.six_permutations = six_permutations});
}

// Patterns that hang together, of variables ?a to ?e.
std::vector<std::string> random_patterns(base::Random& random) {
  std::vector<std::string> patterns;
  uint64_t used = 1;
  const auto variable = [](uint64_t i) { return "?" + std::string(1, static_cast<char>('a' + i)); };
  for (uint64_t left = 2 + random.below(4); left > 0; --left) {
    const std::string from = variable(random.below(used));
    const uint64_t kind = random.below(8);
    if (kind == 0) {
      patterns.push_back(from + " :in :c" + std::to_string(random.below(12)) + " .");
    } else if (kind == 1) {
      patterns.push_back("FILTER(" + from + " != :n" + std::to_string(random.below(kNodes)) + ")");
    } else if (kind == 2) {
      patterns.push_back(from + (random.chance(1, 2) ? " :age ?v ." : " :in ?v ."));
    } else {
      // Often back to a variable that is there: a circle.
      const uint64_t to = random.chance(1, 3) || used > 4 ? random.below(used) : used++;
      const std::string predicate = " :p" + std::to_string(random.below(3)) + " ";
      patterns.push_back(random.chance(1, 2) ? from + predicate + variable(to) + " ."
                                             : variable(to) + predicate + from + " .");
    }
  }
  patterns.push_back("?a :in ?z .");
  return patterns;
}

std::string query_of(const std::vector<std::string>& patterns, base::Random& random) {
  std::vector<std::string> shuffled = patterns;
  for (size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  }
  std::string text = "SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?a) AS ?m) (SUM(?v) AS ?s) {";
  for (const std::string& pattern : shuffled) {
    text += " " + pattern;
  }
  return text + " }";
}

TEST(RandomJoins, AnswersDependNeitherOnThePlanNorOnTheOrderOfTheText) {
  const bool nightly = std::getenv("WEFT_NIGHTLY") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  for (uint64_t seed = 1; seed <= (nightly ? 200 : 8) && !HasFailure(); ++seed) {
    const auto three = random_graph(seed, false);
    const auto six = random_graph(seed, true);
    base::Random random(seed);
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
      const std::vector<std::string> patterns = random_patterns(random);
      const std::string query = query_of(patterns, random);
      QueryRunner first(*three);
      const std::vector<std::string> expected = first.rows(query);
      for (uint64_t skew = 0; skew < 5; ++skew) {
        SkewedSource source(skew % 2 == 0 ? *six : *three, skew == 0 ? 0 : seed * 5 + skew);
        QueryRunner run(source);
        const std::string shuffled = query_of(patterns, random);
        EXPECT_EQ(run.rows(shuffled), expected) << "seed " << seed << "\n"
                                                << query << "\n"
                                                << first.last_explanation() << shuffled << "\n"
                                                << run.last_explanation();
      }
    }
  }
}

}  // namespace
}  // namespace weft::exec
