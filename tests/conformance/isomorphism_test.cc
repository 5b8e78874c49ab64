#include "tests/conformance/isomorphism.h"

#include <gmock/gmock.h>

namespace weft::conformance {
namespace {

Quad edge(const std::string& from, const std::string& to) {
  return {"_:" + from, "<a:p>", "_:" + to, ""};
}

// A ring of nodes with the given names.
std::vector<Quad> ring(const std::vector<std::string>& names) {
  std::vector<Quad> quads;
  for (size_t i = 0; i < names.size(); ++i) {
    quads.push_back(edge(names[i], names[(i + 1) % names.size()]));
  }
  return quads;
}

TEST(Isomorphism, LabelsDoNotMatterAndShapeDoes) {
  EXPECT_TRUE(are_isomorphic({}, {}));
  EXPECT_TRUE(are_isomorphic(ring({"a", "b", "c"}), ring({"x", "z", "y"})));
  EXPECT_FALSE(are_isomorphic(ring({"a", "b", "c"}), ring({"a", "b", "c", "d"})));
  EXPECT_FALSE(are_isomorphic({edge("a", "b")}, {edge("a", "a")}));
  EXPECT_FALSE(
      are_isomorphic({{"<a:s>", "<a:p>", "<a:o>", ""}}, {{"<a:s>", "<a:p>", "<a:x>", ""}}));
  EXPECT_FALSE(
      are_isomorphic({{"<a:s>", "<a:p>", "_:b", ""}}, {{"<a:s>", "<a:p>", "_:b", "<a:g>"}}));
}

TEST(Isomorphism, SymmetricShapesAreTriedNotGuessed) {
  // Two rings of three against one of six: every node looks alike from nearby.
  std::vector<Quad> two = ring({"a", "b", "c"});
  const std::vector<Quad> other = ring({"d", "e", "f"});
  two.insert(two.end(), other.begin(), other.end());
  EXPECT_FALSE(are_isomorphic(two, ring({"1", "2", "3", "4", "5", "6"})));
  std::vector<Quad> again = ring({"q", "r", "s"});
  const std::vector<Quad> more = ring({"t", "u", "v"});
  again.insert(again.end(), more.begin(), more.end());
  EXPECT_TRUE(are_isomorphic(two, again));
}

TEST(Isomorphism, NodesWithinTripleTermsAndGraphNamesCount) {
  const std::vector<Quad> left = {{"_:r", "<a:reifies>", "<<_:x <a:p> _:y>>", "_:g"},
                                  {"_:x", "<a:q>", "\"1\"", "_:g"}};
  const std::vector<Quad> right = {{"_:1", "<a:reifies>", "<<_:2 <a:p> _:3>>", "_:4"},
                                   {"_:2", "<a:q>", "\"1\"", "_:4"}};
  const std::vector<Quad> swapped = {{"_:1", "<a:reifies>", "<<_:2 <a:p> _:3>>", "_:4"},
                                     {"_:3", "<a:q>", "\"1\"", "_:4"}};
  EXPECT_TRUE(are_isomorphic(left, right));
  EXPECT_FALSE(are_isomorphic(left, swapped));
}

TEST(Isomorphism, RepeatedQuadsCountOnce) {
  EXPECT_TRUE(are_isomorphic({edge("a", "b"), edge("a", "b")}, {edge("x", "y")}));
}

}  // namespace
}  // namespace weft::conformance
