#include "weft/txn/turn.h"

#include <gmock/gmock.h>

#include "weft/storage/local_store.h"
#include "weft/storage/testing/test_folder.h"
#include "weft/txn/testing/graph_fixture.h"

namespace weft::txn {
namespace {

class TurnTest : public testing::Test {
 protected:
  catalog::CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }

  base::SystemClock clock_;
  base::Random random_{5};
  base::ThreadPool executor_{1};
};

TEST_F(TurnTest, AHolderThatHangsStopsNobody) {
  const storage::TestFolder folder;
  const auto one = storage::open_local_store(folder.path(), {}).value();
  const auto other = storage::open_local_store(folder.path(), {}).value();
  ASSERT_TRUE(insert(place(*one), {{"node:A", {1}}}).ok());
  auto held = take_turn(place(*one));
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(take_turn(place(*other)), nullptr);
  const auto written = insert(place(*other), {{"node:A", {2}}});
  ASSERT_TRUE(written.ok()) << written.error().to_string();
  held.reset();
  held = take_turn(place(*other));
  EXPECT_NE(held, nullptr);
}

}  // namespace
}  // namespace weft::txn
