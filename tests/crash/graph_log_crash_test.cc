// What changes a graph, crashed at every storage step: the graph is as before or as after, and
// always opens without anybody's help.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/crash/crash_harness.h"
#include <gmock/gmock.h>

#include "weft/base/random.h"
#include "weft/quads/graph_log.h"
#include "weft/storage/memory_store.h"

namespace weft::crash {
namespace {

using Quads = std::vector<rdf::QuadView>;

constexpr const char* kManifest = "m.json";

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

rete::BuildOptions build_options() {
  rete::BuildOptions options;
  options.memory_bytes = rete::kBuildMemoryBytesMin;
  return options;
}

// One process's tools over a store.
struct Tools {
  explicit Tools(storage::ObjectStore& store)
      : opener(store),
        log({.store = store,
             .name = kManifest,
             .address = kManifest,
             .folder = "/",
             .working_folder = "/"},
            {.opener = opener,
             .executor = executor,
             .scratch = *scratch,
             .clock = clock,
             .random = random,
             .fold = {},
             .build = build_options(),
             .ingest = {},
             .retry = {.attempts_max = 3}}) {}

  StoreOpener opener;
  base::InlineExecutor executor;
  std::unique_ptr<storage::ScratchSpace> scratch = storage::memory_scratch();
  StandingClock clock;
  base::Random random{1};
  quads::GraphLog log;
};

// A segment of these quads, built once.
Bytes built(const Quads& quads) {
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  base::InlineExecutor executor;
  const auto scratch = storage::memory_scratch();
  auto builder = rete::SegmentBuilder::create(build_options(), executor, *scratch).value();
  WEFT_CHECK(builder->sink(0).accept(quads).ok());
  auto writer = store.create("s").value();
  WEFT_CHECK(builder->finish(*writer).ok());
  WEFT_CHECK(writer->publish().ok());
  const auto object = store.get("s", UINT64_MAX).value();
  return {object.bytes.view().begin(), object.bytes.view().end()};
}

std::set<std::string> visible(storage::ObjectStore& store) {
  base::SystemClock clock;
  const auto loaded = manifest::ManifestStore(store, kManifest, clock).load();
  EXPECT_TRUE(loaded.ok()) << loaded.error().to_string();
  if (!loaded.ok()) {
    return {"no manifest"};
  }
  StoreOpener opener(store);
  const auto fold = quads::Fold::open(loaded->manifest.log(), kManifest, true, opener, {});
  EXPECT_TRUE(fold.ok()) << fold.error().to_string();
  if (!fold.ok()) {
    return {"no fold"};
  }
  std::set<std::string> lines;
  const auto cursor = (*fold)->scan({}, rdf::Permutation::kSpo, {}).value();
  rdf::IdBatch batch;
  while (cursor->next(batch).ok() && batch.size() > 0) {
    for (size_t i = 0; i < batch.size(); ++i) {
      std::vector<std::string> tokens;
      const rdf::TermId ids[] = {batch.subject[i], batch.object[i]};
      EXPECT_TRUE((*fold)->tokens(ids, tokens, {}).ok());
      lines.insert(tokens[0] + " " + tokens[1]);
    }
  }
  return lines;
}

const Quads kBase = {{.subject = "<x:a>", .predicate = "<x:p>", .object = "\"1\"", .graph = {}},
                     {.subject = "<x:b>", .predicate = "<x:p>", .object = "\"2\"", .graph = {}}};
const Quads kMore = {{.subject = "<x:c>", .predicate = "<x:p>", .object = "\"3\"", .graph = {}}};
const Quads kGone = {{.subject = "<x:a>", .predicate = "<x:p>", .object = "\"1\"", .graph = {}}};
const std::set<std::string> kBefore = {"<x:a> \"1\"", "<x:b> \"2\""};
const std::set<std::string> kAfter = {"<x:b> \"2\"", "<x:c> \"3\""};

class Change : public CrashScenario {
 public:
  Status prepare(storage::ObjectStore& store) override {
    static const Bytes base = built(kBase);
    static const Bytes more = built(kMore);
    static const Bytes gone = built(kGone);
    for (const auto& [name, bytes] : {std::pair("base.rete", &base), std::pair("more.rete", &more),
                                      std::pair("gone.rete", &gone)}) {
      WEFT_TRY_STATUS(store.put_if_absent(name, *bytes));
    }
    Tools tools(store);
    WEFT_TRY_STATUS(tools.log.init({.base = "base.rete", .name = "g"}));
    return ok_status();
  }
};

class Add final : public Change {
 public:
  Status run(storage::ObjectStore& store) override {
    Tools tools(store);
    const auto added = tools.log.add({.adds = "more.rete", .dels = "gone.rete"});
    acknowledged_ = added.ok();
    return added.ok() ? ok_status() : Status(added.error());
  }
  void verify(storage::ObjectStore& store) override {
    const std::set<std::string> left = visible(store);
    EXPECT_TRUE(left == kAfter || (left == kBefore && !acknowledged_))
        << testing::PrintToString(left);
  }

 private:
  bool acknowledged_ = false;
};

class Compact final : public Change {
 public:
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY_STATUS(Change::prepare(store));
    Tools tools(store);
    WEFT_TRY_STATUS(tools.log.add({.adds = "more.rete", .dels = "gone.rete"}));
    return ok_status();
  }
  Status run(storage::ObjectStore& store) override {
    Tools tools(store);
    const auto compacted = tools.log.compact({});
    acknowledged_ = compacted.ok();
    return compacted.ok() ? ok_status() : Status(compacted.error());
  }
  void verify(storage::ObjectStore& store) override {
    EXPECT_EQ(visible(store), kAfter);
    Tools tools(store);
    const auto status = tools.log.status({.count = true, .verify = true, .stop = {}});
    ASSERT_TRUE(status.ok());
    EXPECT_TRUE(status->verified());
    EXPECT_TRUE(status->log_entries == 1 || (status->log_entries == 2 && !acknowledged_));
    // Leftovers go, and nothing that is needed.
    const auto swept = tools.log.gc({.grace_ms = 0, .dry_run = false});
    EXPECT_TRUE(swept.ok()) << swept.error().to_string();
    EXPECT_EQ(visible(store), kAfter);
    // Nobody is wedged: the next change works.
    EXPECT_TRUE(tools.log.compact({}).ok());
    EXPECT_EQ(visible(store), kAfter);
  }

 private:
  bool acknowledged_ = false;
};

class Init final : public CrashScenario {
 public:
  Status prepare(storage::ObjectStore& store) override {
    WEFT_TRY_STATUS(store.put_if_absent("base.rete", built(kBase)));
    return ok_status();
  }
  Status run(storage::ObjectStore& store) override {
    Tools tools(store);
    const auto made = tools.log.init({.base = "base.rete", .name = "g"});
    acknowledged_ = made.ok();
    return made.ok() ? ok_status() : Status(made.error());
  }
  void verify(storage::ObjectStore& store) override {
    const bool present = store.open(kManifest).ok();
    EXPECT_TRUE(present || !acknowledged_);
    if (present) {
      EXPECT_EQ(visible(store), kBefore);
    } else {
      Tools tools(store);
      EXPECT_TRUE(tools.log.init({.base = "base.rete", .name = "g"}).ok());
    }
  }

 private:
  bool acknowledged_ = false;
};

TEST(GraphLogCrash, InitIsBeforeOrAfter) {
  EXPECT_GT(crash_everywhere([] { return std::make_unique<Init>(); }).steps, 3U);
}

TEST(GraphLogCrash, AddIsBeforeOrAfter) {
  EXPECT_GT(crash_everywhere([] { return std::make_unique<Add>(); }).steps, 6U);
}

TEST(GraphLogCrash, CompactIsBeforeOrAfter) {
  EXPECT_GT(crash_everywhere([] { return std::make_unique<Compact>(); }).steps, 10U);
}

}  // namespace
}  // namespace weft::crash
