// Our own cleanup beside everybody else, by the rule about time that it stands on: what it may take
// is twice as old as a writer may be (docs/protocols/write.md, "Cleanup").
#include "tests/simulation/property_graph_world.h"

#include "weft/graph/cleanup.h"

namespace weft::simulation {
namespace {

constexpr uint64_t kTurnsMax = 400;  // of others, before each nap
constexpr int64_t kMarginUs = 1'000'000;

// In one go, or in naps between which writers may still publish what they began before the first.
void pass_grace(World& world, base::Baton& baton, base::Random& random) {
  const int64_t naps = static_cast<int64_t>(random.below(4)) + 1;
  for (int64_t nap = 0; nap < naps && !world.power_is_out; ++nap) {
    for (uint64_t turn = random.below(kTurnsMax); turn > 0 && !world.power_is_out; --turn) {
      baton.yield("the cleaner waits");
    }
    baton.clock().sleep_microseconds(graph::kCleanupGraceUs / naps + kMarginUs);
  }
}

// Another program cleans at the same time, and takes versions away that were just listed.
bool is_fair(const World& world, const Error& error) {
  const bool is_gone = error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kCorrupt;
  return error.kind() == ErrorKind::kUnavailable || error.kind() == ErrorKind::kRecoveryRequired ||
         (is_gone && world.weather.has_foreigner);
}

}  // namespace

void clean_for_a_while(World& world, base::Baton& baton, Program& program, uint64_t cleanups) {
  base::Random random(world.random.next());
  for (uint64_t i = 0; i < cleanups && !world.power_is_out; ++i) {
    pass_grace(world, baton, random);
    if (world.power_is_out) {
      return;
    }
    world.archive_ended();
    // What was deleted or discarded goes as early as it may.
    const auto cleaned = graph::clean_graph(program.process().place(random),
                                            program.process().ana(), {.keep_us = 0}, {});
    if (cleaned.ok()) {
      world.removed += cleaned->removed.size();
    } else if (!is_fair(world, cleaned.error())) {
      world.violate("a cleanup was answered by: " + cleaned.error().to_string());
    }
    program.start_again_if_stopped();
  }
}

}  // namespace weft::simulation
