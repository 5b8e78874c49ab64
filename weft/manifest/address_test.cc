#include "weft/manifest/address.h"

#include <string>

#include <gtest/gtest.h>

namespace weft::manifest {
namespace {

TEST(Address, UrlsResolveAgainstTheManifestsDirectory) {
  struct Case {
    std::string_view manifest;
    std::string_view url;
    std::string_view address;
  };
  for (const Case& each : {
           Case{"m.json", "base.rete", "./base.rete"},
           Case{"data/m.json", "base.rete", "data/base.rete"},
           Case{"data/m.json", "data/base.rete", "data/data/base.rete"},
           Case{"data/m.json", "../base.rete", "data/../base.rete"},
           Case{"data/m.json", "/abs/base.rete", "/abs/base.rete"},
           Case{"/m.json", "a%20b.rete", "/a%20b.rete"},
           Case{"m.json", "http://h/x.rete", "http://h/x.rete"},
           Case{"m.json", "HTTP://h/x.rete", "./HTTP://h/x.rete"},
           Case{"https://h:1/d/m.json?v=2#f", "a b%.rete", "https://h:1/d/a%20b%25.rete"},
           Case{"https://h/d/m.json", "../é?.rete", "https://h/d/../%C3%A9%3F.rete"},
           Case{"https://h/d/m.json", "/x.rete", "https://h/x.rete"},
           Case{"https://h", "x.rete", "https://h/x.rete"},
           Case{"https://h/m.json", "http://k/y", "http://k/y"},
       }) {
    EXPECT_EQ(resolve(each.manifest, each.url), each.address) << each.manifest << " " << each.url;
  }
}

TEST(Address, RelativeUrlsResolveBack) {
  EXPECT_EQ(relative_url("/a/b", "/a/b/c.rete"), "c.rete");
  EXPECT_EQ(relative_url("/a/b/", "/a/b/c/d.rete"), "c/d.rete");
  EXPECT_EQ(relative_url("/a/b", "/a/bc/d.rete"), "../bc/d.rete");
  EXPECT_EQ(relative_url("/a/b/c", "/x/d.rete"), "../../../x/d.rete");
  EXPECT_EQ(relative_url("/", "/x/d.rete"), "x/d.rete");
  EXPECT_EQ(relative_url("/a", "/d.rete"), "../d.rete");
}

TEST(Address, TheDefaultNameDropsRepeatedSuffixes) {
  EXPECT_EQ(default_name("my.rete-manifest.json"), "my");
  EXPECT_EQ(default_name("a.rete-manifest.rete-manifest.json.json"), "a");
  EXPECT_EQ(default_name("plain"), "plain");
  EXPECT_EQ(default_name("x.json.rete-manifest"), "x.json");
  EXPECT_EQ(default_name(".json"), "");
}

TEST(Address, SegmentNamesStayInTheirDirectory) {
  codec::Digest16 hash = {};
  hash[0] = std::byte{0x12};
  EXPECT_EQ(segment_name("g", 3, hash, Role::kAdds).value(), "g-g3-12000000.rete");
  EXPECT_EQ(segment_name("..", 3, hash, Role::kDels).value(), "..-g3-12000000.tomb.rete");
  for (const std::string_view name : {"../evil", "a/b", "a\\b", "a\nb", "\x7F"}) {
    EXPECT_EQ(segment_name(name, 1, hash, Role::kAdds).error().kind(), ErrorKind::kInvalid) << name;
  }
}

}  // namespace
}  // namespace weft::manifest
