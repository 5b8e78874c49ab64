#include "weft/quads/graph_log.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "weft/storage/local_file.h"
#include "weft/storage/local_store.h"

namespace weft::quads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class LocalOpener final : public manifest::ObjectOpener {
 public:
  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& address) override {
    return storage::open_local_file(address);
  }
};

// Time that a test moves.
class TestClock final : public base::Clock {
 public:
  int64_t ahead_us = 0;
  base::WallTime now() const override { return {real_.now().microseconds + ahead_us}; }
  int64_t monotonic_microseconds() const override { return real_.monotonic_microseconds(); }
  void sleep_microseconds(int64_t us) const override { real_.sleep_microseconds(us); }

 private:
  base::SystemClock real_;
};

// A folder, and what one process has.
class Process {
 public:
  explicit Process(std::string folder, const std::string& name = "g.rete-manifest.json")
      : folder_(std::move(folder)),
        store_(storage::open_local_store(folder_).value()),
        scratch_(storage::local_scratch("/tmp")),
        random_(base::Random::from_system()) {
    address_ = folder_ + "/" + name;
    open({});
  }
  void limit(base::MemoryBudget& budget) {
    FoldResources resources;
    resources.budget = &budget;
    open(resources);
  }
  void open(const FoldResources& resources) {
    const std::string name = address_.substr(folder_.size() + 1);
    rete::BuildOptions build;
    build.memory_bytes = rete::kBuildMemoryBytesMin;
    log_ = std::make_unique<GraphLog>(GraphPlace{.store = *store_,
                                                 .name = name,
                                                 .address = folder_ + "/" + name,
                                                 .folder = folder_,
                                                 .working_folder = folder_ + "/work"},
                                      GraphTools{.opener = opener_,
                                                 .executor = executor_,
                                                 .scratch = *scratch_,
                                                 .clock = clock_,
                                                 .random = random_,
                                                 .fold = resources,
                                                 .build = build,
                                                 .ingest = {},
                                                 .retry = {}});
  }
  GraphLog* operator->() { return log_.get(); }
  TestClock& clock() { return clock_; }

  manifest::Manifest manifest() {
    return manifest::ManifestStore(*store_, address_.substr(folder_.size() + 1), clock_)
        .load()
        .value()
        .manifest;
  }
  // Of the log as it stands, as lines.
  std::set<std::string> visible() {
    auto fold = Fold::open(manifest().log(), address_, true, opener_, {});
    EXPECT_TRUE(fold.ok()) << fold.error().to_string();
    std::set<std::string> lines;
    for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
      auto cursor = (*fold)->scan({.scope = scope}, rdf::Permutation::kSpo, {}).value();
      rdf::IdBatch batch;
      do {
        EXPECT_TRUE(cursor->next(batch).ok());
        for (size_t i = 0; i < batch.size(); ++i) {
          std::vector<std::string> tokens;
          std::vector<rdf::TermId> ids = {batch.subject[i], batch.predicate[i], batch.object[i]};
          if (!batch.graph.empty()) {
            ids.push_back(batch.graph[i]);
          }
          EXPECT_TRUE((*fold)->tokens(ids, tokens, {}).ok());
          std::string line;
          for (const std::string& token : tokens) {
            line += (line.empty() ? "" : " ") + token;
          }
          lines.insert(line);
        }
      } while (batch.size() > 0);
    }
    EXPECT_EQ((*fold)->quad_count({}).value(), lines.size());
    return lines;
  }
  std::set<std::string> changes(uint64_t from, uint64_t to) {
    std::set<std::string> lines;
    const Status status =
        log_->diff(from, to,
                   [&](bool added, const rdf::QuadView& quad) {
                     lines.insert((added ? "+" : "-") + std::string(quad.subject) + " " +
                                  std::string(quad.object));
                     return ok_status();
                   },
                   {});
    EXPECT_TRUE(status.ok()) << status.error().to_string();
    return lines;
  }

 private:
  std::string folder_;
  std::string address_;
  LocalOpener opener_;
  base::ThreadPool executor_{2};
  TestClock clock_;
  std::unique_ptr<storage::ObjectStore> store_;
  std::unique_ptr<storage::ScratchSpace> scratch_;
  base::Random random_;
  std::unique_ptr<GraphLog> log_;
};

class GraphLogTest : public testing::Test {
 protected:
  GraphLogTest() {
    char pattern[] = "/tmp/weft-graph-log-XXXXXX";
    folder = ::mkdtemp(pattern);
    std::filesystem::create_directory(folder + "/work");
  }
  ~GraphLogTest() override { std::filesystem::remove_all(folder); }
  GraphLogTest(const GraphLogTest&) = delete;
  GraphLogTest& operator=(const GraphLogTest&) = delete;

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
    return name;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with(".weft-lock-")) {
        names.push_back(entry.path().filename());
      }
    }
    std::ranges::sort(names);
    return names;
  }

  std::string folder;
};

template <typename T>
void expect_ok(const Result<T>& result) {
  EXPECT_TRUE(result.ok()) << result.error().to_string();
}

TEST_F(GraphLogTest, RdfFilesAreAddedAndDeleted) {
  Process process(folder);
  write("base.nt", "<x:s> <x:p> \"1\" .\n<x:s> <x:p> \"2\" .\n_:b <x:p> <x:s> .\n");
  write("more.nq", "<x:s> <x:p> \"3\" <x:g> .\n_:b <x:p> <x:t> .\n");
  const auto init = process->init({.base = "base.nt", .name = {}});
  ASSERT_TRUE(init.ok()) << init.error().to_string();
  EXPECT_EQ(init->generation, 1U);
  EXPECT_THAT(init->segments.at(0).pin.url, testing::MatchesRegex("g-g1-[0-9a-f]{8}.rete"));
  expect_ok(process->add({.adds = "more.nq", .dels = {}}));
  const std::set<std::string> before = process.visible();
  EXPECT_EQ(before.size(), 5U);
  // Labels of documents never meet; those in dels are what the graph has.
  std::string node;
  for (const std::string& line : before) {
    if (line.ends_with("<x:p> <x:t>")) {
      node = line.substr(0, line.find(' '));
    }
  }
  write("gone.nt", node + " <x:p> <x:t> .\n<x:s> <x:p> \"1\" .\n");
  const auto deleted = process->add({.adds = {}, .dels = "gone.nt"});
  ASSERT_TRUE(deleted.ok()) << deleted.error().to_string();
  EXPECT_THAT(deleted->segments.at(0).pin.url, testing::EndsWith(".tomb.rete"));
  EXPECT_EQ(deleted->log_entries, 3U);
  EXPECT_EQ(process.visible().size(), 3U);
  EXPECT_EQ(process.changes(2, 3), (std::set<std::string>{"-" + node + " <x:t>", "-<x:s> \"1\""}));
}

TEST_F(GraphLogTest, AnEmptyGraphCanBegin) {
  Process process(folder);
  expect_ok(process->init({.base = {}, .name = "n"}));
  EXPECT_THAT(process.visible(), IsEmpty());
  write("a.nt", "<x:s> <x:p> <x:o> .\n");
  expect_ok(process->add({.adds = "a.nt", .dels = {}}));
  EXPECT_EQ(process.visible().size(), 1U);
  EXPECT_EQ(process.changes(1, 2), std::set<std::string>{"+<x:s> <x:o>"});
  EXPECT_EQ(process.changes(0, 2), std::set<std::string>{"+<x:s> <x:o>"});
}

TEST_F(GraphLogTest, WhatIsWrongChangesNothing) {
  Process process(folder);
  write("a.nt", "<x:s> <x:p> <x:o> .\n");
  write("bad.nt", "<x:s> <x:p> <x:o> .\n<x:s> <p\n");
  write("what.xyz", "what");
  EXPECT_EQ(process->add({.adds = "a.nt", .dels = {}}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(process->init({.base = "none.nt", .name = {}}).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(process->init({.base = "a.nt", .name = "../evil"}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(process->init({.base = "bad.nt", .name = {}}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(process->init({.base = "what.xyz", .name = {}}).error().kind(), ErrorKind::kInvalid);
  EXPECT_THAT(files(), ElementsAre("a.nt", "bad.nt", "what.xyz"));
  expect_ok(process->init({.base = "a.nt", .name = {}, .dry_run = true}));
  EXPECT_THAT(files(), ElementsAre("a.nt", "bad.nt", "what.xyz"));
  expect_ok(process->init({.base = "a.nt", .name = {}}));
  const auto present = files();
  EXPECT_EQ(process->init({.base = "a.nt", .name = {}}).error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(process->add({}).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(process->add({.adds = "bad.nt", .dels = {}}).error().kind(), ErrorKind::kInvalid);
  expect_ok(process->add({.adds = "a.nt", .dels = {}, .dry_run = true}));
  expect_ok(
      process->compact({.output_file = {}, .output_folder = {}, .dry_run = true, .stop = {}}));
  EXPECT_EQ(files(), present);
}

TEST_F(GraphLogTest, CompactKeepsTheQuadsAndTheHistory) {
  Process process(folder);
  write("base.nq", "<x:a> <x:p> \"1\" .\n<x:b> <x:p> \"2\" <x:g> .\n<x:c> <x:p> \"3\" .\n");
  write("del.nq", "<x:b> <x:p> \"2\" <x:g> .\n");
  write("add.nq", "<x:d> <x:p> \"4\" <x:h> .\n");
  expect_ok(process->init({.base = "base.nq", .name = {}}));
  expect_ok(process->add({.adds = "add.nq", .dels = "del.nq"}));
  const auto before = process.visible();
  const auto compacted = process->compact({});
  ASSERT_TRUE(compacted.ok()) << compacted.error().to_string();
  EXPECT_EQ(compacted->generation, 3U);
  EXPECT_EQ(compacted->log_entries, 1U);
  EXPECT_EQ(process.visible(), before);
  expect_ok(process->add({.adds = "del.nq", .dels = {}}));
  EXPECT_EQ(process.changes(1, 4), std::set<std::string>{"+<x:d> \"4\""});
  EXPECT_EQ(process.changes(2, 3), std::set<std::string>{});
  EXPECT_EQ(process.changes(3, 4), std::set<std::string>{"+<x:b> \"2\""});
  // The same quads, whatever the history, are the same bytes.
  const auto again = process->compact({}).value();
  const auto once_more = process->compact({}).value();
  EXPECT_EQ(again.segments[0].pin.hash, once_more.segments[0].pin.hash);
  EXPECT_EQ(again.segments[0].pin.size_bytes, once_more.segments[0].pin.size_bytes);
}

TEST_F(GraphLogTest, CompactWritesElsewhereAndTheUrlResolves) {
  Process process(folder);
  write("base.nt", "<x:a> <x:p> \"1\" .\n");
  expect_ok(process->init({.base = "base.nt", .name = {}}));
  const auto before = process.visible();
  expect_ok(process->compact({.output_file = "out.rete", .output_folder = {}, .stop = {}}));
  EXPECT_EQ(process.manifest().log()[0].adds->url, "work/out.rete");
  EXPECT_EQ(process.visible(), before);
  const auto to_folder =
      process->compact({.output_file = {}, .output_folder = "../deep/er", .stop = {}});
  ASSERT_TRUE(to_folder.ok()) << to_folder.error().to_string();
  EXPECT_THAT(process.manifest().log()[0].adds->url, testing::StartsWith("deep/er/g-g3-"));
  EXPECT_EQ(process.visible(), before);
  // A live segment, or any file, is never replaced.
  const auto taken = process->compact({.output_file = "out.rete", .output_folder = {}, .stop = {}});
  EXPECT_EQ(taken.error().kind(), ErrorKind::kAlreadyExists);
  EXPECT_EQ(process.manifest().generation(), 3U);
}

TEST_F(GraphLogTest, CompactFitsInMemoryThatTheOverlaysDoNot) {
  Process process(folder);
  std::string base;
  std::string more;
  std::string gone;
  for (int i = 0; i < 3'000; ++i) {
    const std::string n = std::to_string(i);
    base += "<x:a" + n + "> <x:p> \"" + n + "\" .\n";
    more += "<x:b" + n + "> <x:q> \"" + n + "\" <x:g> .\n";
    gone += i % 100 == 0 ? "<x:b" + n + "> <x:q> \"" + n + "\" <x:g> .\n" : "";
  }
  write("base.nt", base);
  write("more.nq", more);
  write("gone.nq", gone);
  expect_ok(process->init({.base = "base.nt", .name = {}}));
  expect_ok(process->add({.adds = "more.nq", .dels = {}}));
  expect_ok(process->add({.adds = {}, .dels = "gone.nq"}));
  const auto before = process.visible();
  EXPECT_EQ(before.size(), 5'970U);
  base::MemoryBudget small("overlays", 200'000);
  Process limited(folder, "g.rete-manifest.json");
  limited.limit(small);
  expect_ok(limited->compact({}));
  EXPECT_EQ(process.visible(), before);
}

TEST_F(GraphLogTest, CompactWarnsOfAJournal) {
  Process process(folder);
  write("base.nt", "<x:a> <x:p> \"1\" .\n");
  expect_ok(process->init({.base = "base.nt", .name = {}}));
  write("g.rete-manifest.json.changes", "+ <x:a> <x:p> \"2\" .\n");
  EXPECT_EQ(process.visible().size(), 2U);
  const auto compacted = process->compact({}).value();
  EXPECT_THAT(compacted.warnings, ElementsAre(HasSubstr("1 changes that are not sealed")));
  EXPECT_EQ(compacted.segments[0].quad_count, 1U);
  EXPECT_EQ(process.visible().size(), 2U);
}

TEST_F(GraphLogTest, StatusTellsOfEachSegmentAndTheJournal) {
  Process process(folder);
  write("base.nt", "<x:a> <x:p> \"1\" .\n<x:a> <x:p> \"2\" .\n");
  write("more.nt", "<x:a> <x:p> \"3\" .\n");
  expect_ok(process->init({.base = "base.nt", .name = {}}));
  const auto added = process->add({.adds = "more.nt", .dels = {}}).value();
  write("g.rete-manifest.json.changes", "- <x:a> <x:p> \"1\" .\n+ <x:a> <x:p> \"t");
  auto status = process->status({.count = true, .verify = true, .stop = {}}).value();
  EXPECT_TRUE(status.verified());
  EXPECT_EQ(status.visible_quads, 2U);
  EXPECT_EQ(status.journal->change_count, 1U);
  EXPECT_GT(status.journal->cut_bytes, 0U);
  EXPECT_TRUE(status.segments.at(1).is_checked);

  const std::string path = folder + "/" + added.segments[0].pin.url;
  const std::string whole = [&] {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() - 1);
  status = process->status({.count = true, .stop = {}}).value();
  EXPECT_FALSE(status.verified());
  EXPECT_FALSE(status.visible_quads.has_value());
  EXPECT_FALSE(status.segments[0].error.has_value());
  EXPECT_EQ(status.segments[1].error->kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(status.segments[1].error->fact("size_bytes"), std::to_string(whole.size() - 1));
  std::filesystem::remove(path);
  status = process->status({}).value();
  EXPECT_EQ(status.segments[1].error->kind(), ErrorKind::kNotFound);
  EXPECT_THAT(status.segments[1].error->to_string(), HasSubstr(added.segments[0].pin.url));
  write("g.rete-manifest.json.changes", "? <x:a> <x:p> \"1\" .\n");
  EXPECT_TRUE(process->status({}).value().journal_error.has_value());
}

TEST_F(GraphLogTest, GcRemovesOnlyOldLeftoversOfThisGraph) {
  Process process(folder);
  write("base.nt", "<x:a> <x:p> \"1\" .\n");
  expect_ok(process->init({.base = "base.nt", .name = {}}));
  expect_ok(process->compact({}));
  const auto live = process.manifest().log()[0].adds->url;
  write("g-g9-00112233.rete", "x");
  write("g-g9-00112233-2.tomb.rete", "x");
  write("other-g9-00112233.rete", "x");
  write("g-g9-0011223.rete", "x");
  write("g-gx-00112233.rete", "x");
  write("mine.rete", "x");
  write(".weft-tmp-0123", "x");
  write("g.rete-manifest.json.tmp", "x");
  write("keep-g2-00112233.rete", "x");
  write("notes.json", "{}");
  EXPECT_THAT(process->gc({}).value().leftovers, IsEmpty());
  EXPECT_EQ(process->gc({}).value().young, 5U);
  process.clock().ahead_us = int64_t{25} * 3'600'000'000;
  const auto before = files();
  const auto told = process->gc({}).value();
  EXPECT_EQ(told.leftovers.size(), 5U);
  EXPECT_EQ(files(), before);
  const auto done = process->gc({.dry_run = false}).value();
  EXPECT_EQ(done.leftovers.size(), 5U);
  EXPECT_THAT(files(), UnorderedElementsAre("base.nt", "g-g9-0011223.rete", "g-gx-00112233.rete",
                                            "g.rete-manifest.json", "keep-g2-00112233.rete", live,
                                            "mine.rete", "notes.json", "other-g9-00112233.rete"));
  EXPECT_EQ(process.visible().size(), 1U);
}

TEST_F(GraphLogTest, GcKeepsWhatAnyManifestInTheFolderNames) {
  Process process(folder);
  write("base.nt", "<x:a> <x:p> \"1\" .\n");
  expect_ok(process->init({.base = "base.nt", .name = {}}));
  std::filesystem::copy(folder + "/g.rete-manifest.json", folder + "/old.json");
  expect_ok(process->compact({}));
  process.clock().ahead_us = int64_t{25} * 3'600'000'000;
  EXPECT_THAT(process->gc({.dry_run = false}).value().leftovers, IsEmpty());
  write("broken.json", "{\"rete_manifest\":1,");
  std::filesystem::remove(folder + "/old.json");
  EXPECT_EQ(process->gc({.dry_run = false}).error().kind(), ErrorKind::kCorrupt);
  std::filesystem::remove(folder + "/broken.json");
  EXPECT_EQ(process->gc({.dry_run = false}).value().leftovers.size(), 1U);
}

class GraphLogThreads : public GraphLogTest {};

TEST_F(GraphLogThreads, ConcurrentAddsAllArriveBesideCompactions) {
  constexpr int kWriters = 6;
  constexpr int kAdds = 8;
  {
    Process process(folder);
    expect_ok(process->init({.base = {}, .name = {}}));
  }
  std::vector<std::jthread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      Process process(folder);
      for (int i = 0; i < kAdds; ++i) {
        const std::string name = "w" + std::to_string(writer) + "-" + std::to_string(i);
        write(name + ".nt", "<x:" + name + "> <x:p> <x:o> .\n");
        expect_ok(process->add({.adds = name + ".nt", .dels = {}}));
      }
    });
  }
  threads.emplace_back([&] {
    Process process(folder);
    for (int i = 0; i < 4; ++i) {
      expect_ok(process->compact({}));
    }
  });
  threads.clear();
  Process process(folder);
  EXPECT_EQ(process.visible().size(), static_cast<size_t>(kWriters * kAdds));
  EXPECT_EQ(process.manifest().generation(), static_cast<uint64_t>(1 + kWriters * kAdds + 4));
}

}  // namespace
}  // namespace weft::quads
