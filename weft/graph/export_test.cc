#include "weft/graph/export.h"

#include <gmock/gmock.h>

#include "weft/graph/create.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"

namespace weft::graph {
namespace {

constexpr std::string_view kSchema = R"(
node V {
  k: String @key
  b: Bool?
  f: F32?
  d: F64?
  u: U64?
  day: Date?
  at: DateTime?
  li: [I32]?
  vec: Vector(2)?
}
edge E: V -> V { w: I64? }
)";
constexpr std::string_view kLines =
    R"({"edge":"E","from":"a","to":"b","data":{"id":"e1","w":-5}}
{"type":"V","data":{"id":"a","at":-1,"b":true,"d":1e+21,"day":18321,"f":0.10000000149011612,"k":"a","li":[1,2],"u":18446744073709551615,"vec":[0.5,-1.0]}}
{"type":"V","data":{"id":"b","at":null,"b":null,"d":-4.0,"day":null,"f":null,"k":"b","li":null,"u":null,"vec":null}}
)";

class ExportTest : public testing::Test, public GraphPlace {
 protected:
  std::string exported(const ExportOptions& options = {}) {
    codec::StringOutput out;
    const Status status = export_graph(**open_snapshot(place()), options, out, {});
    return status.ok() ? std::move(out).text() : status.error().to_string();
  }
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kSchema}).ok());
    codec::MemoryInputView input(kLines);
    const auto done = load(place(), ana(), {}, input, {});
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }
};

TEST_F(ExportTest, GivesTheLinesThatLoadBack) {
  EXPECT_EQ(exported(), kLines);
}

TEST_F(ExportTest, OfMoreThanFitsInMemoryIsTheSame) {
  EXPECT_EQ(exported({.memory_bytes_max = 1}), kLines);
}

TEST_F(ExportTest, OfSomeTypes) {
  EXPECT_EQ(exported({.types = {"E"}}), kLines.substr(0, kLines.find('\n') + 1));
  EXPECT_THAT(exported({.types = {"e"}}), testing::HasSubstr("type=e"));
}

}  // namespace
}  // namespace weft::graph
