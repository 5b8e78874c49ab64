// Writers and readers of the simulation.
#include <algorithm>
#include <utility>

#include "tests/simulation/property_graph_world.h"

#include "weft/codec/stream.h"
#include "weft/gqexec/mutation.h"
#include "weft/graph/branch.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/repair.h"
#include "weft/graph/snapshot.h"

namespace weft::simulation {
namespace {

constexpr int kTriesMax = 5;
// Of others, before each repair: until the foreigner has done something.
constexpr uint64_t kRepairerTurnsMax = 3'000;

enum class Answer : uint8_t { kDone, kRefused, kUnclear };

class Writer {
 public:
  Writer(World& world, Program& program)
      : world_(world), program_(program), random_(world.random.next()) {}

  void repair(base::Baton& baton, uint64_t repairs) {
    for (uint64_t i = 0; i < repairs && !world_.power_is_out; ++i) {
      uint64_t turns = random_.below(kRepairerTurnsMax);
      while (turns-- > 0 && !world_.power_is_out && world_.foreign_rows.empty()) {
        baton.yield("the repairer waits");
      }
      Operation operation;
      operation.number = ++world_.operations_made;
      operation.request.act = random_.chance(1, 2) ? Act::kAdopt : Act::kDiscard;
      operation.branch = random_.chance(1, 4) ? "b" : "main";
      operation.id = base::Ulid::make(world_.clock.now(), random_);
      plan(operation.branch);
      submit(world_.operations.emplace_back(std::move(operation)));
    }
  }

  void run(uint64_t requests) {
    for (uint64_t i = 0; i < requests && !world_.power_is_out; ++i) {
      const uint64_t kind = random_.below(20);
      if (kind < 3) {
        work_on_branches(kind);
      } else if (Operation* const earlier = kind < 6 ? repeatable() : nullptr) {
        submit(*earlier);
      } else {
        submit(new_operation());
      }
    }
  }

 private:
  catalog::CatalogPlace place() { return program_.process().place(random_); }

  Operation* repeatable() {
    std::vector<Operation*> found;
    for (Operation& operation : world_.operations) {
      if (operation.can_repeat() && !operation.request.is_repair()) {
        found.push_back(&operation);
      }
    }
    return found.empty() ? nullptr : found[random_.below(found.size())];
  }

  Operation& new_operation() {
    // A key that another request has already: one of both is refused.
    const std::string stolen = random_.chance(1, 10) ? some_key() : std::string();
    Operation operation;
    operation.number = ++world_.operations_made;
    operation.request = random_request(random_);
    operation.branch = "main";
    if (!world_.created.empty() && random_.chance(2, 5)) {
      operation.branch = world_.created[random_.below(world_.created.size())].branch;
    }
    if (operation.request.is_load() && (!stolen.empty() || random_.chance(1, 2))) {
      operation.key = stolen.empty() ? "key-" + std::to_string(operation.number) : stolen;
    } else if (random_.chance(3, 4)) {
      operation.id = base::Ulid::make(world_.clock.now(), random_);
    }
    if (random_.chance(1, 8)) {
      const auto at = catalog::open_branch(place(), operation.branch);
      const auto view =
          at.ok() ? catalog::open_latest(*at) : Result<catalog::CatalogView>(at.error());
      if (view.ok()) {
        operation.expected_head = view->state().head.id;
      }
    }
    return world_.operations.emplace_back(std::move(operation));
  }

  std::optional<base::Ulid> some_commit(const std::string& branch) {
    std::vector<base::Ulid> found;
    for (const Operation& operation : world_.operations) {
      if (operation.branch == branch && !operation.receipts.empty()) {
        found.push_back(operation.receipts.back().id);
      }
    }
    return found.empty() ? std::nullopt : std::optional(found[random_.below(found.size())]);
  }

  std::string some_key() {
    const Operation* const other = repeatable();
    return other == nullptr ? std::string() : other->key;
  }

  Result<std::optional<txn::Receipt>> send(const Operation& operation) {
    if (operation.request.is_load()) {
      const std::string lines = export_text(operation.request.rows);
      codec::MemoryInputView input(lines);
      WEFT_TRY(graph::LoadResult result,
               graph::load(place(), program_.process().ana(),
                           {.mode = static_cast<graph::LoadMode>(operation.request.act),
                            .branch = operation.branch,
                            .message = operation.message(),
                            .operation = operation.id,
                            .idempotency_key = operation.key,
                            .expected_head = operation.expected_head},
                           input, {}));
      return std::move(result.receipt);
    }
    if (operation.request.is_repair()) {
      return send_repair(operation);
    }
    const std::string text = operation.request.mutation_text();
    WEFT_TRY(gqexec::MutationResult result,
             gqexec::mutate(place(), program_.process().ana(),
                            {.text = text,
                             .branch = operation.branch,
                             .message = operation.message(),
                             .operation = operation.id,
                             .expected_head = operation.expected_head},
                            {}));
    return std::move(result.receipt);
  }

  Result<std::optional<txn::Receipt>> send_repair(const Operation& operation) {
    const bool adopts = operation.request.act == Act::kAdopt;
    WEFT_TRY(graph::RepairResult result,
             graph::repair(place(), program_.process().ana(),
                           {.remedy = adopts ? graph::Remedy::kAdopt : graph::Remedy::kDiscard,
                            .branch = operation.branch,
                            .message = operation.message(),
                            .operation = operation.id},
                           {}));
    for (size_t i = 0; i < result.kept.size(); ++i) {
      if (!result.kept[i].empty()) {
        world_.discarded.push_back({&world_.plain, result.tables[i].path, result.kept[i]});
      }
    }
    return std::move(result.receipt);
  }

  // What a plan names are the foreigner's rows.
  void plan(const std::string& branch) {
    const auto found = graph::plan_repair(place(), branch, {}, {});
    if (!found.ok()) {
      Operation nothing;
      nothing.branch = branch;
      nothing.request.act = Act::kDiscard;
      judge(nothing, found.error());
    } else if (!found->empty() && (found->size() > 1 || found->front().key != "node:City" ||
                                   !world_.may_have_foreign_rows)) {
      world_.violate("a plan of repair names the table " + found->back().key);
    }
    program_.start_again_if_stopped();
  }

  void submit(Operation& operation) {
    if (operation.floor == 0) {
      operation.floor = world_.main_floor;
    }
    for (int tries = 0; tries < kTriesMax && !world_.power_is_out; ++tries) {
      const auto result = send(operation);
      const Answer answer =
          result.ok() ? note(operation, *result) : judge(operation, result.error());
      operation.unknown += answer == Answer::kUnclear ? 1 : 0;
      program_.start_again_if_stopped();
      if (answer != Answer::kUnclear || !operation.can_repeat()) {
        return;
      }
    }
  }

  Answer note(Operation& operation, const std::optional<txn::Receipt>& receipt) {
    if (!receipt) {
      ++operation.matched_nothing;
      return Answer::kDone;
    }
    operation.receipts.push_back(receipt->commit);
    if (receipt->commit.message != operation.message()) {
      world_.violate(operation.message() + " got the receipt of " + receipt->commit.message);
    }
    if (operation.branch == "main") {
      world_.main_floor = std::max(world_.main_floor, receipt->commit.catalog_version);
    }
    return Answer::kDone;
  }

  // What an error says about the request, and whether it may be told at all.
  Answer judge(Operation& operation, const Error& error) {
    const std::string_view reason = error.fact("reason");
    switch (error.kind()) {
      case ErrorKind::kRecoveryRequired:
        return Answer::kUnclear;
      case ErrorKind::kUnavailable:
        return reason == "stopped" ? Answer::kUnclear : Answer::kRefused;
      case ErrorKind::kInvalid:
      case ErrorKind::kAlreadyExists:
        ++operation.refused;
        operation.refusal = error.to_string();
        return Answer::kRefused;
      case ErrorKind::kConflict:
        if (is_fair_conflict(operation, error)) {
          return Answer::kRefused;
        }
        break;
      case ErrorKind::kNotFound:
        if (operation.branch != "main" && error.message().find("branch") != std::string::npos) {
          return Answer::kRefused;
        }
        break;
      default:
        break;
    }
    world_.violate(operation.message() + " (" + operation.request.describe() +
                   ") was answered by: " + error.to_string());
    return Answer::kRefused;
  }

  bool is_fair_conflict(const Operation& operation, const Error& error) const {
    const std::string_view reason = error.fact("reason");
    if (reason == "read-set-changed") {
      return operation.request.is_strict();
    }
    if (reason == "precondition") {
      return operation.expected_head.has_value();
    }
    if (operation.request.act == Act::kAdopt && reason == "unknown-beginning") {
      return true;  // the foreigner has cleaned
    }
    if (reason == "idempotency-key") {
      return std::ranges::count(world_.operations, operation.key, &Operation::key) > 1;
    }
    return reason == "foreign-version" && world_.weather.has_foreigner &&
           error.fact("table") == "node:City" && world_.may_have_foreign_rows;
  }

  void work_on_branches(uint64_t kind) {
    const std::string name = random_.chance(1, 4) ? "c" : "b";
    const std::string from = name == "c" && random_.chance(1, 2) ? "b" : "main";
    if (kind < 2 || world_.created.empty()) {
      graph::GraphPoint point{.branch = from, .at = graph::Newest()};
      if (const auto commit = some_commit(from); commit && random_.chance(1, 3)) {
        point.at = *commit;
      }
      const auto life = graph::create_branch(place(), program_.process().ana(), name, point);
      if (life.ok()) {
        world_.created.push_back(*life);
      } else {
        judge_branch("creation of " + name, life.error());
      }
    } else {
      const auto last = graph::delete_branch(place(), program_.process().ana(), name);
      if (last.ok()) {
        world_.deleted.push_back(last->commit);
      } else {
        judge_branch("deletion of " + name, last.error());
      }
    }
    program_.start_again_if_stopped();
  }

  void judge_branch(const std::string& what, const Error& error) {
    switch (error.kind()) {
      case ErrorKind::kRecoveryRequired:
      case ErrorKind::kUnavailable:
      case ErrorKind::kAlreadyExists:
      case ErrorKind::kNotFound:
        return;
      default:
        world_.violate(what + " was answered by: " + error.to_string());
    }
  }

  World& world_;
  Program& program_;
  base::Random random_;
};

Result<std::string> text_of(const graph::GraphSnapshot& snapshot) {
  codec::StringOutput out;
  WEFT_TRY_STATUS(graph::export_graph(snapshot, {}, out, {}));
  return std::move(out).text();
}

bool is_fair_for_reader(const Error& error, const std::string& branch) {
  return error.kind() == ErrorKind::kUnavailable ||
         (error.kind() == ErrorKind::kNotFound && branch != "main" &&
          error.message().find("branch") != std::string::npos);
}

}  // namespace

void write_for_a_while(World& world, Program& program, uint64_t requests) {
  Writer(world, program).run(requests);
}

void repair_for_a_while(World& world, base::Baton& baton, Program& program, uint64_t repairs) {
  Writer(world, program).repair(baton, repairs);
}

void read_for_a_while(World& world, base::Baton& baton, uint64_t readings) {
  // Nothing ends a reader but the power; what fails it reads again.
  storage::FaultRates rates;
  rates.fail = world.weather.rates.fail;
  Process& process = world.new_process(baton, rates, world.weather.memory);
  base::Random random(world.random.next());
  for (uint64_t i = 0; i < readings && !world.power_is_out; ++i) {
    const std::string branch = random.chance(1, 3) ? "b" : "main";
    const uint64_t floor = world.main_floor;
    const auto snapshot = graph::open_snapshot(
        process.place(random), graph::GraphPoint{.branch = branch, .at = graph::Newest()});
    if (!snapshot.ok()) {
      if (!is_fair_for_reader(snapshot.error(), branch)) {
        world.violate("a reader of " + branch +
                      " was answered by: " + snapshot.error().to_string());
      }
      continue;
    }
    const catalog::CatalogView& view = (*snapshot)->view();
    if (branch == "main" && view.version() < floor) {
      world.violate("a reader found version " + std::to_string(view.version()) + " after " +
                    std::to_string(floor) + " was acknowledged");
    }
    for (int again = 0; again < 2; ++again) {
      // The second time as one who opens the same version later.
      const auto later = again == 0 ? Result<std::shared_ptr<const graph::GraphSnapshot>>(*snapshot)
                                    : graph::open_snapshot(process.place(random), view);
      const auto text = later.ok() ? text_of(**later) : Result<std::string>(later.error());
      if (text.ok()) {
        world.readings.push_back(
            {view.snapshot().location().branch, view.version(), view.state().head.id, *text});
      } else if (!is_fair_for_reader(text.error(), branch)) {
        world.violate("a reader of version " + std::to_string(view.version()) + " of " + branch +
                      " was answered by: " + text.error().to_string());
      }
    }
  }
}

}  // namespace weft::simulation
