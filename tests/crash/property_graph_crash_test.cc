// A property graph at every crash point of init and load: after any stop it is in the old or the
// new state, what was acknowledged is there, and the next write needs no help.
#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

#include "weft/catalog/pinned_table.h"
#include "weft/graph/create.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"

namespace weft::crash {
namespace {

constexpr std::string_view kSchema = R"(
node Person { name: String @key age: I32? }
node Note { text: String }
edge Knows: Person -> Person { since: I32? }
)";
constexpr std::string_view kBefore =
    R"({"type":"Person","data":{"name":"ada","age":1}}
{"type":"Person","data":{"name":"ben","age":2}}
{"type":"Person","data":{"name":"cy","age":3}}
{"edge":"Knows","from":"ada","to":"ben","data":{"id":"k1","since":1}}
{"edge":"Knows","from":"ben","to":"cy","data":{"id":"k2","since":2}}
)";

class GraphScenario : public CrashScenario {
 public:
  Status prepare(storage::ObjectStore& store) override {
    if (!has_graph_before()) {
      return ok_status();
    }
    WEFT_TRY_STATUS(created(store, base::Ulid()));
    for (const std::string_view lines : before()) {
      WEFT_TRY_STATUS(loaded(store, lines, {}));
    }
    WEFT_TRY(before_, exported(store));
    return ok_status();
  }
  Status run(storage::ObjectStore& store) override {
    operation_ = base::Ulid::make(clock_.now(), random_);
    const Status done = change(store, operation_);
    acknowledged_ = done.ok();
    return done;
  }
  void verify(storage::ObjectStore& store) override {
    const Result<std::string> found = exported(store);
    const bool is_there = found.ok();
    if (!is_there) {
      EXPECT_EQ(found.error().kind(), ErrorKind::kNotFound) << found.error().to_string();
      EXPECT_FALSE(has_graph_before());
      EXPECT_FALSE(acknowledged_);
    }
    check_heads(store);
    const Status again = change(store, operation_);
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    const Result<std::string> after = exported(store);
    ASSERT_TRUE(after.ok()) << after.error().to_string();
    EXPECT_EQ(*after, expected_after());
    if (is_there) {
      EXPECT_TRUE(*found == *after || (*found == before_ && !acknowledged_)) << *found;
      EXPECT_EQ(is_repeated_, *found == *after);
    }
    const Status next = loaded(store, R"({"type":"Person","data":{"name":"next"}})",
                               {.mode = graph::LoadMode::kMerge});
    ASSERT_TRUE(next.ok()) << next.error().to_string();
    check_heads(store);
  }

 protected:
  virtual bool has_graph_before() const { return true; }
  virtual std::vector<std::string_view> before() const { return {kBefore}; }
  virtual Status change(storage::ObjectStore& store, base::Ulid operation) = 0;
  virtual std::string expected_after() const = 0;

  Status created(storage::ObjectStore& store, base::Ulid operation) {
    WEFT_TRY(const txn::Receipt receipt,
             graph::create_graph(place(store), {"ana", policy_},
                                 {.schema_text = kSchema, .operation = operation}));
    is_repeated_ = receipt.is_repeated;
    return ok_status();
  }
  Status loaded(storage::ObjectStore& store, std::string_view lines, graph::LoadRequest request) {
    codec::MemoryInputView input(lines);
    WEFT_TRY(const graph::LoadResult result,
             graph::load(place(store), {"ana", policy_}, request, input, {}));
    is_repeated_ = result.receipt->is_repeated;
    return ok_status();
  }

 private:
  catalog::CatalogPlace place(storage::ObjectStore& store) {
    return {.store = store, .clock = clock_, .random = random_, .executor = executor_, .life = {}};
  }
  Result<std::string> exported(storage::ObjectStore& store) {
    WEFT_TRY(const auto snapshot, graph::open_snapshot(place(store)));
    codec::StringOutput out;
    WEFT_TRY_STATUS(graph::export_graph(*snapshot, {}, out, {}));
    return std::move(out).text();
  }
  // Heads hold published versions only.
  void check_heads(storage::ObjectStore& store) {
    const catalog::CatalogPlace at = place(store);
    const auto view = catalog::open_latest(at);
    if (!view.ok()) {
      return;
    }
    for (const catalog::TableEntry& table : view->state().tables) {
      const auto head = lance::open_latest(catalog::location_of(at, table));
      if (!head.ok()) {
        EXPECT_EQ(head.error().kind(), ErrorKind::kNotFound) << head.error().to_string();
        continue;
      }
      EXPECT_LE(head->version(), table.pin.head_version) << table.key;
      if (head->version() == table.pin.head_version) {
        const auto pinned = catalog::open_pinned(at, table);
        ASSERT_TRUE(pinned.ok()) << pinned.error().to_string();
        EXPECT_TRUE(std::ranges::equal(head->file().view(), pinned->file().view())) << table.key;
      }
    }
  }

  base::SystemClock clock_;
  base::Random random_{9};
  base::ThreadPool executor_{1};
  graph::AllowEverything policy_;
  base::Ulid operation_;
  std::string before_;
  bool acknowledged_ = false;
  bool is_repeated_ = false;
};

struct Init final : GraphScenario {
  bool has_graph_before() const override { return false; }
  Status change(storage::ObjectStore& store, base::Ulid operation) override {
    return created(store, operation);
  }
  std::string expected_after() const override { return ""; }
};

constexpr std::string_view kKnowsBefore =
    R"({"edge":"Knows","from":"ada","to":"ben","data":{"id":"k1","since":1}}
{"edge":"Knows","from":"ben","to":"cy","data":{"id":"k2","since":2}}
)";
constexpr std::string_view kPeopleBefore =
    R"({"type":"Person","data":{"id":"ada","age":1,"name":"ada"}}
{"type":"Person","data":{"id":"ben","age":2,"name":"ben"}}
{"type":"Person","data":{"id":"cy","age":3,"name":"cy"}}
)";

struct FirstLoad final : GraphScenario {
  std::vector<std::string_view> before() const override { return {}; }
  Status change(storage::ObjectStore& store, base::Ulid operation) override {
    return loaded(store, kBefore, {.operation = operation});
  }
  std::string expected_after() const override {
    return std::string(kKnowsBefore) + std::string(kPeopleBefore);
  }
};

struct Append : GraphScenario {
  Status change(storage::ObjectStore& store, base::Ulid operation) override {
    graph::LoadRequest request{.operation = operation};
    adapt(request);
    return loaded(store, R"({"type":"Person","data":{"name":"dee"}}
{"type":"Note","data":{"id":"n1","text":"x"}}
{"edge":"Knows","from":"dee","to":"ada","data":{"id":"k3"}}
)",
                  request);
  }
  std::string expected_after() const override {
    return std::string(kKnowsBefore) +
           R"({"edge":"Knows","from":"dee","to":"ada","data":{"id":"k3","since":null}}
{"type":"Note","data":{"id":"n1","text":"x"}}
)" + std::string(kPeopleBefore) +
           R"({"type":"Person","data":{"id":"dee","age":null,"name":"dee"}}
)";
  }
  virtual void adapt(graph::LoadRequest& /*request*/) const {}
};

// Rows go to data files as they come.
struct LargeAppend final : Append {
  void adapt(graph::LoadRequest& request) const override { request.waiting_rows_max = 0; }
};

struct Merge : GraphScenario {
  Status change(storage::ObjectStore& store, base::Ulid operation) override {
    graph::LoadRequest request{.mode = graph::LoadMode::kMerge, .operation = operation};
    adapt(request);
    return loaded(store, R"({"type":"Person","data":{"name":"dee","age":4}}
{"type":"Person","data":{"name":"ben"}}
{"edge":"Knows","from":"dee","to":"ada","data":{"id":"k1"}}
)",
                  request);
  }
  std::string expected_after() const override {
    return R"({"edge":"Knows","from":"dee","to":"ada","data":{"id":"k1","since":null}}
{"edge":"Knows","from":"ben","to":"cy","data":{"id":"k2","since":2}}
{"type":"Person","data":{"id":"ada","age":1,"name":"ada"}}
{"type":"Person","data":{"id":"ben","age":null,"name":"ben"}}
{"type":"Person","data":{"id":"cy","age":3,"name":"cy"}}
{"type":"Person","data":{"id":"dee","age":4,"name":"dee"}}
)";
  }
  virtual void adapt(graph::LoadRequest& /*request*/) const {}
};

struct LargeMerge final : Merge {
  void adapt(graph::LoadRequest& request) const override { request.waiting_rows_max = 0; }
};

struct Overwrite final : GraphScenario {
  Status change(storage::ObjectStore& store, base::Ulid operation) override {
    return loaded(store, R"({"type":"Person","data":{"name":"eve"}}
{"edge":"Knows","from":"eve","to":"eve","data":{"id":"k9"}}
)",
                  {.mode = graph::LoadMode::kOverwrite, .operation = operation});
  }
  std::string expected_after() const override {
    return R"({"edge":"Knows","from":"eve","to":"eve","data":{"id":"k9","since":null}}
{"type":"Person","data":{"id":"eve","age":null,"name":"eve"}}
)";
  }
};

template <typename Scenario>
void crash_scenario() {
  const CrashSummary summary =
      crash_everywhere([] { return std::make_unique<Scenario>(); }, {.seeds_per_step = 1});
  testing::Test::RecordProperty("runs", static_cast<int>(summary.runs));
  std::printf("%llu steps, %llu runs\n", static_cast<unsigned long long>(summary.steps),
              static_cast<unsigned long long>(summary.runs));
  EXPECT_GE(summary.steps, 10U);
}

TEST(PropertyGraphCrash, Init) {
  crash_scenario<Init>();
}
TEST(PropertyGraphCrash, FirstLoad) {
  crash_scenario<FirstLoad>();
}
TEST(PropertyGraphCrash, Append) {
  crash_scenario<Append>();
}
TEST(PropertyGraphCrash, LargeAppend) {
  crash_scenario<LargeAppend>();
}
TEST(PropertyGraphCrash, Merge) {
  crash_scenario<Merge>();
}
TEST(PropertyGraphCrash, LargeMerge) {
  crash_scenario<LargeMerge>();
}
TEST(PropertyGraphCrash, Overwrite) {
  crash_scenario<Overwrite>();
}

}  // namespace
}  // namespace weft::crash
