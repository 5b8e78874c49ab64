#include "weft/rdf/iri.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace weft::rdf {
namespace {

// RFC 3986 §5.4.1 and §5.4.2, all examples.
TEST(ResolveIri, ExamplesOfTheStandardHold) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"http:g", "http:g"},
  };
  for (const auto& [reference, expected] : cases) {
    EXPECT_EQ(resolve_iri("http://a/b/c/d;p?q", reference), expected) << reference;
  }
}

TEST(ResolveIri, WithoutABaseAReferenceStaysAsItIs) {
  EXPECT_EQ(resolve_iri("", "a/../b"), "a/../b");
}

TEST(ResolveIri, AnAbsoluteIriIsNotNormalised) {
  EXPECT_EQ(resolve_iri("http://a/", "eXAMPLE://a/./b/../b/%63"), "eXAMPLE://a/./b/../b/%63");
}

TEST(ResolveIri, AnAuthorityWithoutAPathTakesASlash) {
  EXPECT_EQ(resolve_iri("http://example.org", "x"), "http://example.org/x");
  EXPECT_EQ(resolve_iri("urn:a:b", "#c"), "urn:a:b#c");
}

}  // namespace
}  // namespace weft::rdf
