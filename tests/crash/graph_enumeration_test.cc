// Every storage operation of many scripted scenarios is where a process, the machine or the answer
// is lost (crash_harness.h): after that the graph, opened by a fresh process, is in one of the
// states that a script without faults goes through, what was acknowledged is there, heads hold
// published versions only, and the same script, and then another write, come to their end without
// help. A sample of the states is left for other programs (crash_states.h), with the
// script's name and the exports that may be found.
#include <array>
#include <mutex>

#include "tests/crash/crash_harness.h"
#include "tests/crash/crash_states.h"
#include "tests/crash/graph_at.h"
#include <gmock/gmock.h>

#include "weft/json/value.h"
#include "weft/storage/fault_plan.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::crash {
namespace {

constexpr std::string_view kBefore =
    R"({"type":"Person","data":{"name":"ada","age":1}}
{"type":"Person","data":{"name":"ben","age":2}}
{"type":"Person","data":{"name":"cy","age":3}}
{"edge":"Knows","from":"ada","to":"ben","data":{"id":"k1","since":1}}
{"edge":"Knows","from":"ben","to":"cy","data":{"id":"k2","since":2}}
)";

constexpr uint64_t kSampled = 151;

using Objects = std::vector<std::pair<std::string, storage::Buffer>>;

// What all runs of one script share: the objects to begin with, and the states without faults.
struct Course {
  Script script;
  Objects objects;
  std::vector<std::string> states;  // before, and after each step
};

Status prepare(const Script& script, GraphAt& graph) {
  if (!script.has_graph) {
    return ok_status();
  }
  WEFT_TRY_STATUS(graph.init({}));
  WEFT_TRY_STATUS(graph.load(kBefore, {}));
  return script.before ? script.before(graph) : ok_status();
}

Result<std::shared_ptr<const Course>> course_of(Script script) {
  base::SystemClock clock;
  storage::MemoryDisk disk(&clock);
  storage::MemoryStore store(disk);
  GraphAt graph(store);
  WEFT_TRY_STATUS(prepare(script, graph));
  auto course = std::make_shared<Course>();
  WEFT_TRY(const auto listed, store.list("", false));
  for (const storage::ObjectInfo& object : listed) {
    WEFT_TRY(storage::VersionedObject read, store.get(object.name, uint64_t{1} << 30U));
    course->objects.emplace_back(object.name, std::move(read.bytes));
  }
  WEFT_TRY(course->states.emplace_back(), graph.state());
  for (const Script::Step& step : script.steps) {
    WEFT_TRY_STATUS(step(graph, graph.ulid()));
    WEFT_TRY(course->states.emplace_back(), graph.state());
  }
  course->script = std::move(script);
  return std::shared_ptr<const Course>(std::move(course));
}

class CourseScenario final : public CrashScenario {
 public:
  explicit CourseScenario(std::shared_ptr<const Course> course) : course_(std::move(course)) {}

  Status prepare(storage::ObjectStore& store) override {
    for (const auto& [name, bytes] : course_->objects) {
      WEFT_TRY_STATUS(store.put_if_absent(name, bytes.view()));
    }
    GraphAt graph(store);
    for (size_t i = 0; i < course_->script.steps.size(); ++i) {
      operations_.push_back(graph.ulid());
    }
    return ok_status();
  }

  Status run(storage::ObjectStore& store) override {
    GraphAt graph(store);
    if (course_->script.run) {
      WEFT_TRY_STATUS(course_->script.run(graph, operations_));
      acknowledged_ = operations_.size();
      return ok_status();
    }
    for (size_t i = 0; i < operations_.size(); ++i) {
      WEFT_TRY_STATUS(course_->script.steps[i](graph, operations_[i]));
      acknowledged_ = i + 1;
    }
    return ok_status();
  }

  void verify(storage::ObjectStore& store) override {
    leave_state(store, expected(), kSampled);
    GraphAt graph(store, 10);
    const auto found = graph.state();
    ASSERT_TRUE(found.ok()) << found.error().to_string();
    const auto& states = course_->states;
    EXPECT_NE(std::find(states.begin() + static_cast<std::ptrdiff_t>(acknowledged_), states.end(),
                        *found),
              states.end())
        << "after " << acknowledged_ << " acknowledged steps:\n"
        << *found;
    EXPECT_EQ(graph.bad_heads(), "");
    for (size_t i = 0; i < operations_.size(); ++i) {
      const Status again = course_->script.steps[i](graph, operations_[i]);
      ASSERT_TRUE(again.ok()) << again.error().to_string();
    }
    const auto after = graph.state();
    ASSERT_TRUE(after.ok()) << after.error().to_string();
    EXPECT_EQ(*after, states.back());
    const Status next = graph.load(R"({"type":"Person","data":{"name":"next"}})",
                                   {.mode = graph::LoadMode::kMerge});
    EXPECT_TRUE(next.ok()) << next.error().to_string();
    EXPECT_EQ(graph.bad_heads(), "");
  }

 private:
  std::string expected() const {
    json::Value::Array states;
    for (const std::string& state : course_->states) {
      states.push_back(json::Value::string(state));
    }
    json::Value all = json::Value::object();
    all.set("script", json::Value::string(course_->script.name));
    all.set("states", json::Value::array(std::move(states)));
    return json::write(all);
  }

  std::shared_ptr<const Course> course_;
  std::vector<base::Ulid> operations_;
  size_t acknowledged_ = 0;
};

std::vector<Script> all_scripts() {
  std::vector<Script> scripts = scripts_of_writes();
  for (auto more : {scripts_of_branches(), scripts_with_others()}) {
    std::ranges::move(more, std::back_inserter(scripts));
  }
  return scripts;
}

class GraphEnumeration : public testing::TestWithParam<size_t> {};

TEST_P(GraphEnumeration, IsInAStateOfTheScript) {
  const auto course = course_of(all_scripts().at(GetParam()));
  ASSERT_TRUE(course.ok()) << course.error().to_string();
  const CrashSummary summary = crash_everywhere(
      [&] { return std::make_unique<CourseScenario>(*course); }, {.seeds_per_step = 1});
  std::printf("%s: %llu points, %llu runs\n", (*course)->script.name.c_str(),
              static_cast<unsigned long long>(summary.steps),
              static_cast<unsigned long long>(summary.runs));
  EXPECT_GE(summary.steps, 2U);
}
INSTANTIATE_TEST_SUITE_P(Scripts, GraphEnumeration, testing::Range<size_t>(0, all_scripts().size()),
                         [](const testing::TestParamInfo<size_t>& script) {
                           return all_scripts().at(script.param).name;
                         });

// The points of all scripts: each of them is crashed above.
TEST(GraphEnumerationCounts, ThereAreThirtyScriptsAndMore) {
  const std::vector<Script> scripts = all_scripts();
  EXPECT_GE(scripts.size(), 30U);
  uint64_t points = 0;
  for (const Script& script : scripts) {
    const auto course = course_of(script);
    ASSERT_TRUE(course.ok()) << script.name << ": " << course.error().to_string();
    base::SystemClock clock;
    storage::MemoryDisk disk(&clock);
    storage::MemoryStore plain(disk);
    CourseScenario scenario(*course);
    ASSERT_TRUE(scenario.prepare(plain).ok());
    storage::FaultPlan plan;
    storage::MemoryStore inner(disk, &plan);
    const auto store = storage::fault_store(inner, plan, clock);
    const Status done = scenario.run(*store);
    EXPECT_TRUE(done.ok()) << script.name << ": " << done.error().to_string();
    scenario.verify(plain);
    points += plan.point_count();
  }
  std::printf("%llu scenarios, %llu crash points\n",
              static_cast<unsigned long long>(scripts.size()),
              static_cast<unsigned long long>(points));
}

}  // namespace
}  // namespace weft::crash
