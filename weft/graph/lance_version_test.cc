// Versions of tables that other Lance readers open.
#include "weft/graph/lance_version.h"

#include <gmock/gmock.h>

#include "weft/codec/stream.h"
#include "weft/graph/create.h"
#include "weft/graph/load.h"
#include "weft/graph/testing/graph_place.h"
#include "weft/lance/table/names.h"

namespace weft::graph {
namespace {

using testing::StartsWith;

class LanceVersionTest : public testing::Test, public GraphPlace {
 protected:
  void SetUp() override {
    ASSERT_TRUE(create_graph(place(), ana(), {.schema_text = kPeople}).ok());
    for (const std::string_view line : {R"({"type":"Person","data":{"name":"Ada"}})",
                                        R"({"type":"Person","data":{"name":"Ben"}})"}) {
      codec::MemoryInputView input(line);
      ASSERT_TRUE(load(place(), ana(), {.mode = LoadMode::kAppend}, input, {}).ok());
    }
  }
  const TypeTable& people() {
    if (graph_ == nullptr) {
      graph_ = *open_snapshot(place());
    }
    return *graph_->find_node("Person");
  }
  std::shared_ptr<const GraphSnapshot> graph_;
};

TEST_F(LanceVersionTest, AHeadThatIsThereIsNamedAndNothingIsMade) {
  const auto objects = store_.list("", true)->size();
  const auto kept = keep_lance_version(place(), ana(), people());
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE(kept->is_there);
  EXPECT_EQ(kept->native_branch, "");
  EXPECT_EQ(kept->version, 3U);
  EXPECT_EQ(store_.list("", true)->size(), objects);
}

TEST_F(LanceVersionTest, AHeadThatIsGoneBecomesANativeBranch) {
  const lance::TableLocation main{&store_, people().entry().path, ""};
  ASSERT_TRUE(store_.remove(main.object(lance::manifest_name(3))).ok());
  EXPECT_FALSE(find_lance_version(people())->is_there);
  const auto kept = keep_lance_version(place(), ana(), people());
  ASSERT_TRUE(kept.ok()) << kept.error().to_string();
  EXPECT_THAT(kept->native_branch, StartsWith("weft-snapshot.3."));
  const auto opened = lance::open_version({&store_, main.root, kept->native_branch}, kept->version);
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  const auto reader = lance::TableReader::open(*opened);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->verify()->rows, 2U);
  // Once.
  EXPECT_EQ(keep_lance_version(place(), ana(), people())->native_branch, kept->native_branch);
}

TEST_F(LanceVersionTest, SomebodyMustSayWhoTheyAre) {
  EXPECT_EQ(keep_lance_version(place(), {"", everything_}, people()).error().kind(),
            ErrorKind::kInvalid);
}

}  // namespace
}  // namespace weft::graph
