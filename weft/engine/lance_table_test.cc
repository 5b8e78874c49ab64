#include "weft/engine/lance_table.h"

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/columns/builder.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/remote/testing/test_server.h"
#include "weft/storage/memory_store.h"

namespace weft::engine {
namespace {

using remote::ServerRequest;
using remote::ServerResponse;

// A table of two versions, in memory, behind a server.
class LanceTableOverHttp : public testing::Test {
 protected:
  LanceTableOverHttp() : server_([this](const ServerRequest& request) { return serve(request); }) {
    lance::RowOptions options;
    options.stage.clock = &clock_;
    options.stage.random = &random_;
    options.write.executor = &executor_;
    const lance::TableLocation location{&store_, "people.lance", ""};
    const auto fields = lance::layout::schema_fields(*schema()).value();
    const lance::CommitOptions commit{options.stage, 0, false};
    const auto first =
        lance::stage_create(location, fields, {numbers(0, 100)}, false, options).value();
    const lance::Snapshot made = *lance::commit(first, commit).value().snapshot;
    options.fold = false;
    const auto second = lance::stage_append(made, {numbers(100, 50)}, options).value();
    EXPECT_TRUE(lance::commit(second, commit).ok());
  }

  static columns::SchemaPtr schema() {
    auto made = std::make_shared<columns::Schema>();
    made->fields = {{"id", columns::simple_type(columns::TypeId::kInt64), false, {}}};
    return made;
  }
  static columns::Batch numbers(int64_t first, size_t count) {
    columns::ArrayBuilder builder(columns::simple_type(columns::TypeId::kInt64));
    for (size_t i = 0; i < count; ++i) {
      builder.append_integer(first + static_cast<int64_t>(i));
    }
    return columns::Batch::make(schema(), {builder.finish()}, count).value();
  }

  ServerResponse serve(const ServerRequest& request) {
    const auto object = store_.get(request.path.substr(1), uint64_t{1} << 20U);
    if (!object.ok()) {
      ServerResponse missing;
      missing.status = 404;
      return missing;
    }
    const ByteView bytes = object->bytes.view();
    return remote::serve_object(
        request, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "\"1\"");
  }
  Result<std::unique_ptr<LanceTable>> open(std::optional<uint64_t> version) {
    LanceTableOptions options;
    options.version = version;
    options.executor = &executor_;
    return LanceTable::open(server_.url("/people.lance"), options);
  }

  base::SystemClock clock_;
  base::Random random_{3};
  base::InlineExecutor executor_;
  storage::MemoryDisk disk_{&clock_};
  storage::MemoryStore store_{disk_};
  remote::TestServer server_;
};

TEST_F(LanceTableOverHttp, OpeningAVersionIsOneRequest) {
  const auto table = open(2);
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ(server_.requests().size(), 1U);
  EXPECT_EQ((*table)->http_counters().requests, 1U);
  EXPECT_EQ((*table)->http_counters().rounds, 1U);
  EXPECT_EQ((*table)->reader().row_count(), 150U);
}

TEST_F(LanceTableOverHttp, TakingARowReadsItsFileOnly) {
  const auto table = open(2);
  ASSERT_TRUE(table.ok());
  const uint64_t position = 120;
  const auto rows = (*table)->reader().take({"id"}, std::span(&position, 1));
  ASSERT_TRUE(rows.ok()) << rows.error().to_string();
  EXPECT_EQ(rows->column(0)->integer(0), 120);
  // A small file is at hand whole with its first request.
  EXPECT_EQ(server_.requests().size(), 2U);
}

TEST_F(LanceTableOverHttp, AVersionMustBeNamedAndBeThere) {
  EXPECT_EQ(open(std::nullopt).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(server_.requests().size(), 0U);
  EXPECT_EQ(open(3).error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace weft::engine
