// Group commit at every crash point: several threads of one process share a publication, and the
// process, the machine or the answer is lost at each storage operation of it. Each write that was
// acknowledged is there, none is there by half, one that was refused left nothing, each commit can
// be read by its id, and all of them can be sent again.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "tests/crash/crash_harness.h"
#include "tests/crash/graph_at.h"
#include "tests/crash/hook_store.h"
#include <gmock/gmock.h>

#include "weft/base/baton.h"
#include "weft/codec/stream.h"
#include "weft/graph/export.h"
#include "weft/storage/fault_plan.h"
#include "weft/storage/memory_store.h"

namespace weft::crash {
namespace {

using Lines = std::set<std::string>;

constexpr std::string_view kBefore =
    R"({"type":"Person","data":{"name":"ada","age":1}}
{"type":"Person","data":{"name":"ben","age":2}}
{"type":"Person","data":{"name":"cy","age":3}}
{"edge":"Knows","from":"ada","to":"ben","data":{"id":"k1","since":1}}
)";

std::string person(const std::string& name, const std::string& age) {
  return R"({"type":"Person","data":{"id":")" + name + R"(","age":)" + age + R"(,"name":")" + name +
         R"("}})";
}

// One member of the group: what it does, and which lines of an export come and go with it.
struct Member {
  std::string load = {};    // lines, or
  std::string mutate = {};  // a body
  std::string key = {};
  Lines adds = {};
  Lines removes = {};
  bool is_refused = false;
};

std::vector<Member> members() {
  return {
      {.load = R"({"type":"Person","data":{"name":"first","age":0}})",
       .adds = {person("first", "0")}},
      {.load = R"({"type":"Person","data":{"name":"dee","age":4}}
{"edge":"Knows","from":"dee","to":"ada","data":{"id":"k2","since":2}})",
       .adds = {person("dee", "4"),
                R"({"edge":"Knows","from":"dee","to":"ada","data":{"id":"k2","since":2}})"}},
      {.mutate = R"(insert Person { name: "eve", age: 5 })", .adds = {person("eve", "5")}},
      {.load = person("ada", "9"), .is_refused = true},
      {.mutate = R"(update Person set { age: 7 } where name = "ben")",
       .adds = {person("ben", "7")},
       .removes = {person("ben", "2")}},
      {.mutate = R"(delete Person where name = "cy")", .removes = {person("cy", "3")}},
      {.load = R"({"type":"Note","data":{"id":"n1","text":"x"}})",
       .key = "once",
       .adds = {R"({"type":"Note","data":{"id":"n1","text":"x"}})"}},
  };
}

// Beside what others do in the meantime.
struct Course {
  std::string branch = "main";
  std::function<Status(GraphAt&)> before = {};
  // Just before the group publishes, for the first time.
  std::function<Status(GraphAt&)> rival = {};
  std::string publications = "__manifest/_versions/";  // begins their names
};

class GroupScenario final : public CrashScenario {
 public:
  explicit GroupScenario(const Course& course) : course_(course) {}

  Status prepare(storage::ObjectStore& store) override {
    GraphAt graph(store);
    WEFT_TRY_STATUS(graph.init({}));
    WEFT_TRY_STATUS(graph.load(kBefore, {}));
    if (course_.before) {
      WEFT_TRY_STATUS(course_.before(graph));
    }
    WEFT_TRY(before_, lines_of(store, {.branch = course_.branch, .at = graph::Newest()}));
    for (size_t i = 0; i < members_.size(); ++i) {
      operations_.push_back(graph.ulid());
    }
    acknowledged_.resize(members_.size(), false);
    return ok_status();
  }

  // The first member publishes alone, while all others come to wait for the next publication.
  Status run(storage::ObjectStore& store) override {
    base::Baton baton(1, {.yields_at_locks = false, .start = base::SystemClock().now()});
    base::InlineExecutor executor;
    HookStore rivals(store, course_.publications, [&] { return meet_rival(store); }, 1);
    HookStore hooked(rivals, course_.publications, [&] {
      has_led_ = true;
      for (size_t turn = 0; begun_ < members_.size() && turn < kTurnsMax; ++turn) {
        baton.yield("the others come");
      }
      return ok_status();
    });
    graph::OpenGraph open(hooked, baton.clock(), executor);
    std::vector<Status> ends(members_.size());
    for (size_t i = 0; i < members_.size(); ++i) {
      baton.add("member" + std::to_string(i), [&, i] {
        while (i > 0 && !has_led_) {
          baton.yield("after the first");
        }
        ++begun_;
        GraphAt graph(hooked, open, 100 + i);
        ends[i] = send(graph, i);
        acknowledged_[i] = ends[i].ok();
        has_led_ = true;
      });
    }
    WEFT_TRY_STATUS(baton.run());
    publications_ = open.queue().counts().publications;
    for (size_t i = 0; i < members_.size(); ++i) {
      // Strict work that was overtaken is told so.
      const bool is_told =
          course_.rival && !ends[i].ok() && ends[i].error().fact("reason") == "read-set-changed";
      if (members_[i].is_refused) {
        EXPECT_FALSE(ends[i].ok());
      } else if (!ends[i].ok() && !is_told) {
        return ends[i];
      }
    }
    return ok_status();
  }

  void verify(storage::ObjectStore& store) override {
    GraphAt graph(store, 10);
    std::vector<bool> there = acknowledged_;
    expect_whole(store, {.branch = course_.branch, .at = graph::Newest()}, there);
    expect_commits_whole(store);
    EXPECT_EQ(graph.bad_heads(), "");
    for (size_t i = 0; i < members_.size(); ++i) {
      const Status again = send(graph, i);
      EXPECT_EQ(again.ok(), !members_[i].is_refused)
          << i << ": " << (again.ok() ? "" : again.error().to_string());
      EXPECT_TRUE(!again.ok() || !there[i] || graph.is_repeated()) << i;
      there[i] = again.ok();
    }
    expect_whole(store, {.branch = course_.branch, .at = graph::Newest()}, there);
    const Status next = graph.load(R"({"type":"Person","data":{"name":"next"}})",
                                   {.mode = graph::LoadMode::kMerge, .branch = course_.branch});
    EXPECT_TRUE(next.ok()) << next.error().to_string();
    EXPECT_EQ(graph.bad_heads(), "");
  }

  uint64_t publications() const { return publications_; }

 private:
  static constexpr size_t kTurnsMax = 10'000;

  Status send(GraphAt& graph, size_t i) {
    const Member& member = members_[i];
    return member.load.empty()
               ? graph.mutate(member.mutate, operations_[i], course_.branch)
               : graph.load(member.load,
                            {.mode = graph::LoadMode::kAppend,
                             .branch = course_.branch,
                             .operation = member.key.empty() ? operations_[i] : base::Ulid(),
                             .idempotency_key = member.key});
  }
  Status meet_rival(storage::ObjectStore& store) {
    GraphAt rival(store, 77);
    return course_.rival ? course_.rival(rival) : ok_status();
  }
  static Result<Lines> lines_of(storage::ObjectStore& store, const graph::GraphPoint& point) {
    GraphAt graph(store);
    WEFT_TRY(const auto snapshot, graph::open_snapshot(graph.place(), point));
    codec::StringOutput out;
    WEFT_TRY_STATUS(graph::export_graph(*snapshot, {}, out, {}));
    std::istringstream text(std::move(out).text());
    Lines lines;
    for (std::string line; std::getline(text, line);) {
      lines.insert(line);
    }
    return lines;
  }

  // No member is there by half, those of `there` are, and nothing else is but what was there and
  // what rivals added. `there` becomes which are.
  void expect_whole(storage::ObjectStore& store, const graph::GraphPoint& point,
                    std::vector<bool>& there) {
    const auto lines = lines_of(store, point);
    ASSERT_TRUE(lines.ok()) << lines.error().to_string();
    Lines expected = before_;
    for (size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      const auto is_there = [&](const std::string& line) { return lines->contains(line); };
      const bool is_done = !member.is_refused && std::ranges::all_of(member.adds, is_there) &&
                           std::ranges::none_of(member.removes, is_there);
      EXPECT_TRUE(is_done || !there[i]) << "member " << i << " was acknowledged";
      there[i] = is_done;
      if (is_done) {
        expected.insert(member.adds.begin(), member.adds.end());
        for (const std::string& line : member.removes) {
          expected.erase(line);
        }
      }
    }
    for (const std::string& line : *lines) {
      EXPECT_TRUE(expected.contains(line) || line.find("\"rival") != std::string::npos) << line;
    }
    EXPECT_TRUE(std::ranges::includes(*lines, expected));
  }

  // As each commit left it; and each operation is there once.
  void expect_commits_whole(storage::ObjectStore& store) {
    GraphAt graph(store);
    const auto newest =
        graph::open_snapshot(graph.place(), {.branch = course_.branch, .at = graph::Newest()});
    ASSERT_TRUE(newest.ok()) << newest.error().to_string();
    const auto commits = (*newest)->view().commits(UINT64_MAX);
    ASSERT_TRUE(commits.ok()) << commits.error().to_string();
    std::set<base::Ulid> operations;
    EXPECT_LE(
        std::ranges::count(*commits, std::string("once"), &catalog::CommitRecord::idempotency_key),
        1);
    for (const catalog::CommitRecord& commit : *commits) {
      EXPECT_TRUE(operations.insert(commit.operation).second) << commit.operation.text();
      if (commit.kind == "load" || commit.kind == "mutate") {
        std::vector<bool> any(members_.size(), false);
        expect_known_lines(store, commit, any);
      }
    }
  }
  void expect_known_lines(storage::ObjectStore& store, const catalog::CommitRecord& commit,
                          std::vector<bool>& any) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "at commit " + commit.id.text());
    if (std::ranges::find(operations_, commit.operation) != operations_.end()) {
      expect_whole(store, {.branch = course_.branch, .at = commit.id}, any);
      const auto i = std::ranges::find(operations_, commit.operation) - operations_.begin();
      EXPECT_TRUE(any[static_cast<size_t>(i)]) << "the commit of member " << i;
    }
  }

  const Course& course_;
  const std::vector<Member> members_ = members();
  std::vector<base::Ulid> operations_;
  Lines before_;
  std::vector<bool> acknowledged_;
  size_t begun_ = 0;
  bool has_led_ = false;
  uint64_t publications_ = 0;
};

// All ways of a crash take minutes: outside of nights only `thorough` ones.
void crash_group(const Course& course, bool thorough = false) {
  const bool is_night = std::getenv("WEFT_NIGHTLY") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  const CrashSummary summary = crash_everywhere(
      [&] { return std::make_unique<GroupScenario>(course); },
      {.seeds_per_step = thorough || is_night ? 1U : 0U, .with_faults = thorough || is_night});
  std::printf("%llu points, %llu runs\n", static_cast<unsigned long long>(summary.steps),
              static_cast<unsigned long long>(summary.runs));
  EXPECT_GE(summary.steps, 40U);
}

Status insert_rival(GraphAt& graph, const std::string& branch) {
  return graph.load(R"({"type":"Person","data":{"name":"rival","age":8}})",
                    {.mode = graph::LoadMode::kMerge, .branch = branch});
}

TEST(GroupCrashThreads, AGroupOnMain) {
  crash_group({}, true);
}

TEST(GroupCrashThreads, TheFirstWritesOfABranch) {
  crash_group({.branch = "b",
               .before = [](GraphAt& graph) { return graph.branch("b"); },
               .publications = "__manifest/tree/"});
}

TEST(GroupCrashThreads, AGroupThatLosesItsPublication) {
  crash_group({.rival = [](GraphAt& graph) { return insert_rival(graph, "main"); }});
}

TEST(GroupCrashThreads, AGroupUponACompactionOfOthers) {
  crash_group({.rival = [](GraphAt& graph) { return graph.compact("node:Person"); }});
}

// Without faults: six of the seven share one publication.
TEST(GroupCrashThreads, TheOthersShareOnePublication) {
  const Course course;
  base::SystemClock clock;
  storage::MemoryDisk disk(&clock);
  storage::MemoryStore store(disk);
  GroupScenario scenario(course);
  ASSERT_TRUE(scenario.prepare(store).ok());
  const Status done = scenario.run(store);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  EXPECT_EQ(scenario.publications(), 2U);
  scenario.verify(store);
  GraphAt graph(store);
  const auto view = catalog::open_latest(graph.place());
  // init, the first load, the first member, the group, the next write.
  EXPECT_EQ(view->version(), 5U);
  EXPECT_THAT(*view->commits_since(3), testing::SizeIs(6));
}

}  // namespace
}  // namespace weft::crash
