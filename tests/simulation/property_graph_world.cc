#include "tests/simulation/property_graph_world.h"

#include <utility>

#include "weft/base/check.h"
#include "weft/codec/stream.h"
#include "weft/graph/create.h"
#include "weft/graph/load.h"

namespace weft::simulation {
namespace {

constexpr uint64_t kWriters = 3;
constexpr uint64_t kRequestsEach = 3;  // of each writer, in each epoch
// Where writers are threads of one program there are more of them, and a writer beside it.
constexpr uint64_t kThreads = 5;
constexpr uint64_t kRequestsOfEachThread = 2;
constexpr uint64_t kReadings = 4;
constexpr uint64_t kRepairs = 2;
// Twice the lifetime passes each time, and keys are kept for a week.
constexpr uint64_t kCleanups = 1;
constexpr uint64_t kEpochs = 2;
constexpr uint64_t kStepsMax = 400'000;

}  // namespace

Weather weather_of(uint64_t seed) {
  base::Random random(seed ^ 0x5EA50'5EED'5EED5U);
  Weather weather;
  // A write passes a hundred points and more.
  const auto strength = static_cast<uint32_t>(random.below(3));  // 0: calm
  weather.rates = {.fail = strength,
                   .done_unanswered = strength,
                   .undone_unanswered = strength,
                   .answer_late = strength,
                   .act_late = strength,
                   .stop = strength > 0 ? 1U : 0U};
  weather.late_rate = uint64_t{strength} * 60;
  if (random.chance(2, 3)) {
    weather.power_cut_step = 300 + random.below(2'500);
  }
  weather.loses_all_unsynced = random.chance(1, 2);
  weather.has_foreigner = random.chance(2, 3);
  weather.changes_rows = random.chance(1, 3);
  weather.has_stops_at_syncs = random.chance(1, 2);
  weather.memory = random.chance(1, 2) ? Memory::kOpen : Memory::kNone;
  weather.has_repairer = weather.has_foreigner && weather.changes_rows && random.chance(3, 4);
  weather.has_cleaner = random.chance(1, 3);
  weather.shares = weather.memory == Memory::kOpen && random.chance(2, 3);
  return weather;
}

std::string Operation::describe() const {
  std::string text = message() + " on " + branch;
  text += !key.empty() ? " under " + key : id.is_none() ? " without an id" : "";
  text += expected_head ? ", upon " + expected_head->text() : "";
  text += ": " + request.describe();
  for (const catalog::CommitRecord& receipt : receipts) {
    text += " [version " + std::to_string(receipt.catalog_version) + "]";
  }
  text += unknown > 0 ? " [" + std::to_string(unknown) + " unclear]" : "";
  text += matched_nothing > 0 ? " [nothing matched]" : "";
  return text + (refused > 0 ? " [" + refusal + "]" : "");
}

World::World(uint64_t chosen)
    : seed(chosen),
      weather(weather_of(chosen)),
      random(chosen),
      disk(&clock),
      plain(disk),
      network(plain, random, clock, weather.late_rate),
      power_cut_step_(weather.power_cut_step) {}

Process& World::new_process(base::Baton& baton, const storage::FaultRates& rates, Memory memory) {
  Process& process = processes_.emplace_back(*this, baton, random.next(), rates, memory);
  alive_.push_back(&process);
  if (power_is_out) {
    process.stop();
  }
  return process;
}

bool World::ends_before_sync(std::string_view name) {
  const bool is_published =
      name.find("/_versions/") != std::string_view::npos || name.starts_with("_refs/");
  if (!weather.has_stops_at_syncs || !is_published || power_is_out || !random.chance(1, 12)) {
    return false;
  }
  if (weather.power_cut_step != 0 && random.chance(1, 3)) {
    power_cut_step_ = steps_ + 1 + random.below(200);
  }
  return true;
}

void World::step() {
  if (++steps_ == power_cut_step_) {
    power_is_out = true;
    for (Process* process : alive_) {
      process->stop();
    }
  }
  if (random.chance(1, 6)) {
    network.go_on();
  }
}

void World::violate(std::string what) {
  constexpr size_t kViolationsMax = 20;
  if (violations_.size() < kViolationsMax) {
    violations_.push_back(std::move(what));
  }
}

bool World::run_epoch(uint64_t epoch) {
  const base::WallTime start =
      epoch == 0 ? base::BatonOptions().start : base::WallTime{clock.now().microseconds + 1'000};
  // The clock of the world goes on after it, so it stays.
  base::Baton& baton = *batons_.emplace_back(
      std::make_unique<base::Baton>(random.next(), base::BatonOptions{.steps_max = kStepsMax,
                                                                      .yields_at_locks = false,
                                                                      .trace_entries_max = 100,
                                                                      .start = start}));
  clock.follow(&baton.clock());
  if (epoch == 0) {
    base::Random own(seed);
    base::InlineExecutor executor;
    const graph::AllowEverything policy;
    const auto made = graph::create_graph(
        {.store = plain, .clock = clock, .random = own, .executor = executor, .life = {}},
        {"ana", policy}, {.schema_text = kModelSchema});
    WEFT_CHECK(made.ok());
    clock.go_on(1'000);
    Operation& first = operations.emplace_back();
    first.number = ++operations_made;
    first.branch = "main";
    first.request.act = Act::kMerge;
    first.request.rows = {.people = {{"p0", 0}, {"p1", 1}, {"p2", 2}},
                          .cities = {{"c0", 0}, {"c1", 1}},
                          .knows = {{"k0", {"p0", "p1", 1}}}};
    const std::string lines = export_text(first.request.rows);
    codec::MemoryInputView rows(lines);
    const auto loaded = graph::load(
        {.store = plain, .clock = clock, .random = own, .executor = executor, .life = {}},
        {"ana", policy}, {.message = first.message()}, rows, {});
    WEFT_CHECK(loaded.ok());
    first.receipts.push_back(loaded->receipt->commit);
    main_floor = 2;
  }
  programs_.clear();
  const uint64_t programs = weather.shares ? 2 : kWriters;
  for (uint64_t number = 0; number < programs; ++number) {
    Program& program = programs_.emplace_back(*this, baton, weather.rates, weather.memory);
    const bool is_shared = weather.shares && number == 0;
    const uint64_t requests = weather.shares ? kRequestsOfEachThread : kRequestsEach;
    for (uint64_t thread = 0; thread < (is_shared ? kThreads : 1); ++thread) {
      baton.add("writer" + std::to_string(number) + "-" + std::to_string(thread),
                [this, &program, requests] { write_for_a_while(*this, program, requests); });
    }
  }
  if (weather.has_repairer) {
    Program& program = programs_.emplace_back(*this, baton, weather.rates, Memory::kNone);
    baton.add("repairer",
              [this, &baton, &program] { repair_for_a_while(*this, baton, program, kRepairs); });
  }
  if (weather.has_cleaner) {
    Program& program = programs_.emplace_back(*this, baton, weather.rates, Memory::kNone);
    baton.add("cleaner",
              [this, &baton, &program] { clean_for_a_while(*this, baton, program, kCleanups); });
  }
  baton.add("reader", [this, &baton] { read_for_a_while(*this, baton, kReadings); });
  if (weather.has_foreigner) {
    baton.add("foreigner", [this, &baton] { meddle_for_a_while(*this, baton); });
  }
  const Status status = baton.run();
  if (!status.ok()) {
    violate("stuck: " + status.error().to_string());
  }
  counts.trace_hash = counts.trace_hash * 31 + baton.trace_hash();
  return status.ok();
}

bool World::run() {
  for (uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    if (!run_epoch(epoch)) {
      return false;
    }
    alive_.clear();
    if (power_is_out) {
      if (weather.loses_all_unsynced) {
        disk.lose_unsynced();
      } else {
        disk.crash(random);
      }
      power_is_out = false;
    }
  }
  network.settle();
  check();
  counts.late_requests = network.landed();
  return true;
}

}  // namespace weft::simulation
