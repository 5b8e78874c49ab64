// Joins that could be done in several orders, on graphs large enough that the cheap ones are not
// those of the small tests: the answers, counted by hand.
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/exec/query.h"
#include "weft/exec/testing/query_fixture.h"

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

}  // namespace
}  // namespace weft::exec
