#include "tests/simulation/property_graph_process.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/simulation/property_graph_world.h"

namespace weft::simulation {
namespace {

// What each process asks of the store, for whoever looks for a cause.
bool is_traced() {
  static const bool is_set = std::getenv("WEFT_TRACE") != nullptr;
  return is_set;
}

constexpr int64_t kSkewMaxUs = 60'000'000;
constexpr uint64_t kMemoryBytesMax = uint64_t{8} << 20U;

}  // namespace

Process::Process(World& world, base::Baton& baton, uint64_t seed, const storage::FaultRates& rates,
                 Memory memory)
    : random_(seed),
      clock_(static_cast<int64_t>(random_.below(2 * kSkewMaxUs)) - kSkewMaxUs),
      plan_(random_.next(), rates),
      steps_(world, plan_, rates.stop > 0, world.processes_made++),
      turns_(baton, &steps_),
      memory_(world.disk, &turns_),
      faults_(storage::fault_store(memory_, plan_, clock_)),
      store_(late_store(*faults_, world.network)) {
  clock_.follow(&baton.clock());
  if (memory == Memory::kOpen) {
    graph_.emplace(*store_, clock_, executor_,
                   graph::OpenGraphOptions{.memory_bytes_max = kMemoryBytesMax});
  }
}

Status Process::Steps::before(const storage::Step& step) {
  world_.step();
  if (is_traced()) {
    std::fprintf(stderr, "%llu %s %s\n", static_cast<unsigned long long>(number_),
                 std::string(step.action).c_str(), std::string(step.name).c_str());
  }
  if (step.action == "show" && world_.network.is_too_late()) {
    return Error(ErrorKind::kRecoveryRequired, "the store gave no answer")
        .with("object", step.name);
  }
  if (step.action == "sync" && is_mortal_ && world_.ends_before_sync(step.name)) {
    plan_.at(plan_.point_count(), storage::Fault::kStop);
  }
  return plan_.before(step);
}

Program::Program(World& world, base::Baton& baton, const storage::FaultRates& rates, Memory memory)
    : world_(world),
      baton_(baton),
      rates_(rates),
      memory_(memory),
      process_(&world.new_process(baton, rates, memory)) {}

void Program::start_again_if_stopped() {
  if (process_->is_stopped()) {
    process_ = &world_.new_process(baton_, rates_, memory_);
  }
}

}  // namespace weft::simulation
