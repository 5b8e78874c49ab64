// A live graph, crashed at every storage step of updates, seals and compactions: each acknowledged
// update is there, whole; none that was refused is; it opens without anybody's help, and goes on.
#include <set>
#include <string>
#include <vector>

#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

#include "weft/base/random.h"
#include "weft/engine/live_store.h"
#include "weft/quads/dump_fold.h"
#include "weft/storage/memory_store.h"

namespace weft::crash {
namespace {

constexpr const char* kManifest = "m.json";
constexpr const char* kJournal = "m.json.changes";

class StoreOpener final : public manifest::ObjectOpener {
 public:
  explicit StoreOpener(storage::ObjectStore& store) : store_(store) {}
  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& address) override {
    return store_.open(address.starts_with("./") ? address.substr(2) : address);
  }

 private:
  storage::ObjectStore& store_;
};

class StandingClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {1'767'225'600'000'000}; }
  int64_t monotonic_microseconds() const override { return 0; }
  void sleep_microseconds(int64_t /*duration*/) const override {}
};

// What one process works with.
struct Process {
  explicit Process(storage::ObjectStore& store_to_use) : store(store_to_use), opener(store) {}

  Result<std::unique_ptr<engine::LiveGraph>> open(engine::Access access) {
    rete::BuildOptions build;
    build.memory_bytes = rete::kBuildMemoryBytesMin;
    engine::LiveOptions options;
    options.access = access;
    return engine::LiveStore::open({.graph = {.store = store,
                                              .name = kManifest,
                                              .address = kManifest,
                                              .folder = "/",
                                              .working_folder = "/"},
                                    .tools = {.opener = opener,
                                              .executor = executor,
                                              .scratch = *scratch,
                                              .clock = clock,
                                              .random = random,
                                              .fold = {},
                                              .build = build,
                                              .ingest = {},
                                              .retry = {.attempts_max = 3}},
                                    .is_manifest = true,
                                    .journal_store = store,
                                    .journal_name = kJournal,
                                    .journal_address = kJournal,
                                    .query_budget = budget,
                                    .owner = nullptr},
                                   options);
  }

  storage::ObjectStore& store;
  StoreOpener opener;
  base::InlineExecutor executor;
  std::unique_ptr<storage::ScratchSpace> scratch = storage::memory_scratch();
  StandingClock clock;
  base::Random random{1};
  base::MemoryBudget budget{"test", uint64_t{64} << 20U};
};

struct Objects final : rdf::QuadSink {
  std::set<int> applied;
  std::set<int> current;
  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      const std::string object(quad.object);
      (quad.predicate == "<x:n>" ? applied : current).insert(std::stoi(object.substr(1)));
    }
    return ok_status();
  }
};

// Update number i adds i to the list of all, and makes it the current one.
std::string update_text(int number) {
  const std::string i = "'" + std::to_string(number) + "'";
  return "DELETE { <x:c> <x:v> ?old } INSERT { <x:c> <x:v> " + i +
         " } WHERE { OPTIONAL { <x:c> <x:v> ?old } } ; INSERT DATA { <x:k> <x:n> " + i + " }";
}

class Live : public CrashScenario {
 public:
  Status prepare(storage::ObjectStore& store) override {
    base::SystemClock clock;
    manifest::ManifestStore manifests(store, kManifest, clock);
    return manifests.create(manifest::Manifest::create("m", {}));
  }

  void verify(storage::ObjectStore& store) override {
    const std::set<int> left = check(store, engine::Access::kReadOnly);
    EXPECT_EQ(check(store, engine::Access::kReadWrite), left);
    Process process(store);
    auto graph = process.open(engine::Access::kReadWrite);
    ASSERT_TRUE(graph.ok()) << graph.error().to_string();
    ASSERT_TRUE((*graph)->update(update_text(99), {}).ok());
    ASSERT_TRUE((*graph)->seal({}).ok());
    ASSERT_TRUE((*graph)->compact({}).ok());
    graph->reset();
    std::set<int> after = left;
    after.insert(99);
    EXPECT_EQ(check(store, engine::Access::kReadOnly), after);
  }

 protected:
  void update(engine::LiveGraph& graph, int number) {
    const auto receipt = graph.update(update_text(number), {});
    if (receipt.ok()) {
      acknowledged_.insert(number);
    } else if (receipt.error().kind() != ErrorKind::kRecoveryRequired) {
      refused_.insert(number);
    }
  }

 private:
  std::set<int> check(storage::ObjectStore& store, engine::Access access) {
    Process process(store);
    const auto graph = process.open(access);
    EXPECT_TRUE(graph.ok()) << graph.error().to_string();
    if (!graph.ok()) {
      return {};
    }
    Objects found;
    EXPECT_TRUE(quads::dump_fold((*graph)->snapshot()->fold(), found, {}, {}).ok());
    for (const int number : acknowledged_) {
      EXPECT_TRUE(found.applied.contains(number)) << "lost " << number;
    }
    for (const int number : refused_) {
      EXPECT_FALSE(found.applied.contains(number)) << "refused, and there: " << number;
    }
    const std::set<int> last =
        found.applied.empty() ? std::set<int>() : std::set<int>{*found.applied.rbegin()};
    EXPECT_EQ(found.current, last) << "half an update";
    return found.applied;
  }

  std::set<int> acknowledged_;
  std::set<int> refused_;
};

class Updates final : public Live {
 public:
  Status run(storage::ObjectStore& store) override {
    Process process(store);
    WEFT_TRY(const auto graph, process.open(engine::Access::kReadWrite));
    for (int i = 1; i <= 3; ++i) {
      update(*graph, i);
    }
    return graph->close();
  }
};

class Seals final : public Live {
 public:
  Status run(storage::ObjectStore& store) override {
    Process process(store);
    WEFT_TRY(const auto graph, process.open(engine::Access::kReadWrite));
    update(*graph, 1);
    update(*graph, 2);
    static_cast<void>(graph->seal({}).ok());
    update(*graph, 3);
    static_cast<void>(graph->seal({}).ok());
    return graph->close();
  }
};

class Compactions final : public Live {
 public:
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY_STATUS(Live::prepare(store));
    Process process(store);
    WEFT_TRY(const auto graph, process.open(engine::Access::kReadWrite));
    update(*graph, 1);
    WEFT_TRY_STATUS(graph->seal({}));
    return graph->close();
  }
  Status run(storage::ObjectStore& store) override {
    Process process(store);
    WEFT_TRY(const auto graph, process.open(engine::Access::kReadWrite));
    update(*graph, 2);
    static_cast<void>(graph->compact({}).ok());
    update(*graph, 3);
    return graph->close();
  }
};

// A journal of rete, taken over.
class TakeOver final : public Live {
 public:
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY_STATUS(Live::prepare(store));
    WEFT_TRY_STATUS(
        store.put_if_absent(kJournal, as_bytes("+ <x:k> <x:n> \"0\" .\n+ <x:c> <x:v> \"0\" .\n")));
    return ok_status();
  }
  Status run(storage::ObjectStore& store) override {
    Process process(store);
    WEFT_TRY(const auto graph, process.open(engine::Access::kReadWrite));
    update(*graph, 1);
    return graph->close();
  }
};

TEST(LiveGraphCrash, UpdatesAreThereOrNot) {
  EXPECT_GT(crash_everywhere([] { return std::make_unique<Updates>(); }).steps, 8U);
}

TEST(LiveGraphCrash, SealIsBeforeOrAfter) {
  EXPECT_GT(crash_everywhere([] { return std::make_unique<Seals>(); }, {.seeds_per_step = 2}).steps,
            20U);
}

TEST(LiveGraphCrash, CompactionIsBeforeOrAfter) {
  EXPECT_GT(
      crash_everywhere([] { return std::make_unique<Compactions>(); }, {.seeds_per_step = 2}).steps,
      20U);
}

TEST(LiveGraphCrash, TakingOverIsBeforeOrAfter) {
  EXPECT_GT(crash_everywhere([] { return std::make_unique<TakeOver>(); }).steps, 5U);
}

}  // namespace
}  // namespace weft::crash
