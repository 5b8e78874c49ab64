#include "weft/engine/reach.h"

#include <gtest/gtest.h>

namespace weft::engine {
namespace {

TEST(Reach, NothingIsReachedByDefault) {
  EXPECT_FALSE(Reach().contains("http://a.example/sparql"));
  EXPECT_FALSE(Reach().contains("file:///etc/passwd"));
  Reach any;
  any.anything = true;
  EXPECT_TRUE(any.contains("http://a.example/sparql"));
}

TEST(Reach, APrefixReachesWhatBeginsSo) {
  Reach reach;
  reach.prefixes = {"http://a.example/data/", "https://B.example:8443", "file:///srv/rdf/"};
  for (const char* const inside :
       {"http://a.example/data/x", "HTTP://A.example/data/x?y=/..", "https://b.example:8443/sparql",
        "https://b.example:8443", "file:///srv/rdf/x.ttl"}) {
    EXPECT_TRUE(reach.contains(inside)) << inside;
  }
  for (const char* const outside :
       {"http://a.example/other", "https://a.example/data/x", "http://a.example:80/data/x",
        "http://a.example/Data/x", "https://b.example:84430/", "https://b.example:8443.evil/",
        "https://b.example:8443@evil/", "http://a.example/data/../x",
        "http://a.example/data/%2e%2E/x", "http://a.example/data/.%2e/x",
        "http://a.example/data/..%2fx", "http://a.example/data\\..\\x", "http://a.example /data/x",
        "http://evil/http://a.example/data/", "file:///srv/rdf/../x", "file:/srv/rdf/x", "relative",
        "http://a.example\n/data/x", ""}) {
    EXPECT_FALSE(reach.contains(outside)) << outside;
  }
}

TEST(Reach, AStarReachesAllPlainAddresses) {
  Reach reach;
  reach.prefixes = {"*"};
  EXPECT_TRUE(reach.contains("http://anywhere.example/x"));
  EXPECT_FALSE(reach.contains("http://user@anywhere.example/x"));
}

}  // namespace
}  // namespace weft::engine
