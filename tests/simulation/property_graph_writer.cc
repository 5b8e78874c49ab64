// Writers and readers of the simulation.
#include <algorithm>
#include <utility>

#include "tests/simulation/property_graph_world.h"

#include "weft/codec/stream.h"
#include "weft/gqexec/mutation.h"
#include "weft/graph/branch.h"
#include "weft/graph/export.h"
#include "weft/graph/load.h"
#include "weft/graph/snapshot.h"

namespace weft::simulation {
namespace {

constexpr int kTriesMax = 5;

enum class Answer : uint8_t { kDone, kRefused, kUnclear };

class Writer {
 public:
  Writer(World& world, base::Baton& baton)
      : world_(world), baton_(baton), process_(&new_process()) {}

  void run(uint64_t requests) {
    for (uint64_t i = 0; i < requests && !world_.power_is_out; ++i) {
      base::Random& random = process_->random();
      const uint64_t kind = random.below(20);
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
  Process& new_process() { return world_.new_process(baton_, world_.weather.rates); }

  Operation* repeatable() {
    std::vector<Operation*> found;
    for (Operation& operation : world_.operations) {
      if (operation.can_repeat()) {
        found.push_back(&operation);
      }
    }
    return found.empty() ? nullptr : found[process_->random().below(found.size())];
  }

  Operation& new_operation() {
    base::Random& random = process_->random();
    // A key that another request has already: one of both is refused.
    const std::string stolen = random.chance(1, 10) ? some_key() : std::string();
    Operation operation;
    operation.number = ++world_.operations_made;
    operation.request = random_request(random);
    operation.branch = "main";
    if (!world_.created.empty() && random.chance(2, 5)) {
      operation.branch = world_.created[random.below(world_.created.size())].branch;
    }
    if (operation.request.is_load() && (!stolen.empty() || random.chance(1, 2))) {
      operation.key = stolen.empty() ? "key-" + std::to_string(operation.number) : stolen;
    } else if (random.chance(3, 4)) {
      operation.id = base::Ulid::make(world_.clock.now(), random);
    }
    if (random.chance(1, 8)) {
      const auto place = catalog::open_branch(process_->place(), operation.branch);
      const auto view =
          place.ok() ? catalog::open_latest(*place) : Result<catalog::CatalogView>(place.error());
      if (view.ok()) {
        operation.expected_head = view->state().head.id;
      }
    }
    return world_.operations.emplace_back(std::move(operation));
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
               graph::load(process_->place(), process_->ana(),
                           {.mode = static_cast<graph::LoadMode>(operation.request.act),
                            .branch = operation.branch,
                            .message = operation.message(),
                            .operation = operation.id,
                            .idempotency_key = operation.key,
                            .expected_head = operation.expected_head},
                           input, {}));
      return std::move(result.receipt);
    }
    const std::string text = operation.request.mutation_text();
    WEFT_TRY(gqexec::MutationResult result,
             gqexec::mutate(process_->place(), process_->ana(),
                            {.text = text,
                             .branch = operation.branch,
                             .message = operation.message(),
                             .operation = operation.id,
                             .expected_head = operation.expected_head},
                            {}));
    return std::move(result.receipt);
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
      if (process_->is_stopped()) {
        process_ = &new_process();
      }
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
    if (reason == "idempotency-key") {
      return std::ranges::count(world_.operations, operation.key, &Operation::key) > 1;
    }
    return reason == "foreign-version" && world_.weather.has_foreigner &&
           error.fact("table") == "node:City" && world_.may_have_foreign_rows;
  }

  void work_on_branches(uint64_t kind) {
    base::Random& random = process_->random();
    const std::string name = random.chance(1, 4) ? "c" : "b";
    const std::string from = name == "c" && random.chance(1, 2) ? "b" : "main";
    if (kind < 2 || world_.created.empty()) {
      const auto life =
          graph::create_branch(process_->place(), process_->ana(), name,
                               graph::GraphPoint{.branch = from, .at = graph::Newest()});
      if (life.ok()) {
        world_.created.push_back(*life);
      } else {
        judge_branch("creation of " + name, life.error());
      }
    } else {
      const auto last = graph::delete_branch(process_->place(), process_->ana(), name);
      if (last.ok()) {
        world_.deleted.push_back(last->commit);
      } else {
        judge_branch("deletion of " + name, last.error());
      }
    }
    if (process_->is_stopped()) {
      process_ = &new_process();
    }
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
  base::Baton& baton_;
  Process* process_;
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

void write_for_a_while(World& world, base::Baton& baton, uint64_t requests) {
  Writer(world, baton).run(requests);
  --world.writers_left;
}

void read_for_a_while(World& world, base::Baton& baton, uint64_t readings) {
  // Nothing ends a reader but the power; what fails it reads again.
  storage::FaultRates rates;
  rates.fail = world.weather.rates.fail;
  Process& process = world.new_process(baton, rates);
  for (uint64_t i = 0; i < readings && !world.power_is_out; ++i) {
    const std::string branch = process.random().chance(1, 3) ? "b" : "main";
    const uint64_t floor = world.main_floor;
    const auto snapshot = graph::open_snapshot(
        process.place(), graph::GraphPoint{.branch = branch, .at = graph::Newest()});
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
                                    : graph::open_snapshot(process.place(), view);
      const auto text = later.ok() ? text_of(**later) : Result<std::string>(later.error());
      if (text.ok()) {
        world.readings.push_back({view.snapshot().location().branch, view.version(), *text});
      } else if (!is_fair_for_reader(text.error(), branch)) {
        world.violate("a reader of version " + std::to_string(view.version()) + " of " + branch +
                      " was answered by: " + text.error().to_string());
      }
    }
  }
}

}  // namespace weft::simulation
