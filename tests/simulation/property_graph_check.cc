// Whether what writers and readers were told is true.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/simulation/property_graph_history.h"

#include "weft/lance/table/refs.h"

namespace weft::simulation {
namespace {

// Nothing, if the map has no such key.
template <typename Map>
const typename Map::mapped_type& values_of(const Map& map, const typename Map::key_type& key) {
  static const typename Map::mapped_type kNothing;
  const auto found = map.find(key);
  return found == map.end() ? kNothing : found->second;
}

class AnswerChecker {
 public:
  AnswerChecker(World& world, const History& history, base::Executor& executor)
      : world_(world), history_(history), executor_(executor) {}

  void run() {
    check_operations();
    check_branches();
    check_readings();
  }

 private:
  const State* find_state(const std::string& life, base::Ulid commit) const {
    const auto chain = history_.chains.find(life);
    if (chain == history_.chains.end()) {
      return nullptr;
    }
    const auto found = std::ranges::find(chain->second.states, commit, &State::commit);
    return found == chain->second.states.end() ? nullptr : &*found;
  }

  void check_operations() {
    std::map<std::pair<std::string, std::string>, std::string> keys;  // by life
    for (const Operation& operation : world_.operations) {
      world_.counts.acknowledged += operation.receipts.empty() ? 0 : 1;
      world_.counts.unknown += operation.unknown > 0 && operation.receipts.empty() ? 1 : 0;
      const std::vector<Publication>& published = values_of(history_.published, operation.number);
      std::set<std::string> lives;
      for (const Publication& publication : published) {
        if (operation.can_repeat() && !lives.insert(publication.life).second) {
          world_.violate(operation.message() + " was published more than once");
        }
        if (!operation.key.empty() &&
            !keys.try_emplace({publication.life, operation.key}, operation.message()).second) {
          world_.violate("two requests with the key " + operation.key + " were published");
        }
      }
      if (!operation.can_repeat() && published.size() > 1) {
        world_.violate(operation.message() + ", sent once, was published more than once");
      }
      if (!published.empty() && operation.receipts.empty() && operation.unknown == 0) {
        world_.violate(operation.message() + " was published, and its callers were told otherwise");
      }
      for (const catalog::CommitRecord& receipt : operation.receipts) {
        if (std::ranges::none_of(published, [&](const Publication& publication) {
              return publication.commit == receipt;
            })) {
          world_.violate(operation.message() + " was acknowledged as " + receipt.id.text() +
                         " and is not there");
        }
      }
      check_refusals(operation);
    }
  }

  // Somebody may have been told so in some state that the branch was in.
  void check_refusals(const Operation& operation) {
    const auto is_possible = [&](Effect effect) {
      for (const auto& [life, chain] : history_.chains) {
        for (const State& state : chain.states) {
          ModelRows rows = state.rows;
          if (chain.branch == operation.branch &&
              (!life.empty() || state.version >= operation.floor) &&
              simulation::apply(operation.request, rows) == effect) {
            return true;
          }
        }
      }
      return false;
    };
    if (operation.request.is_repair()) {
      return;
    }
    if (operation.refused > 0 && !is_possible(Effect::kRefused)) {
      world_.violate(operation.message() + " was refused (" + operation.refusal +
                     "), and fits: " + operation.request.describe());
    }
    if (operation.matched_nothing > 0 && !is_possible(Effect::kNothing)) {
      world_.violate(operation.message() +
                     " was told that nothing matches: " + operation.request.describe());
    }
  }

  void check_branches() {
    for (const catalog::BranchLife& life : world_.created) {
      const std::vector<std::string>& lives = values_of(history_.refs, life.branch);
      if (life.number > lives.size() || lives[life.number - 1] != life.life) {
        world_.violate("branch " + life.life + " was acknowledged and is not there");
      }
    }
    for (const catalog::CommitRecord& last : world_.deleted) {
      if (!history_.ends.contains(last.id)) {
        world_.violate("the deletion " + last.id.text() + " was acknowledged and is not there");
      }
    }
    for (const auto& [branch, lives] : history_.refs) {
      for (size_t i = 0; i + 1 < lives.size(); ++i) {
        const auto chain = history_.chains.find(lives[i]);
        if (chain == history_.chains.end() || !chain->second.has_ended) {
          world_.violate("branch " + lives[i] + " has a successor and has not ended");
        }
      }
    }
    for (const auto& [life, chain] : history_.chains) {
      if (!life.empty() && chain.states.size() > 1 && !chain.is_struck) {
        holds(world_, lance::find_branch(plain_place(world_, executor_).location(), life),
              "the native branch of \"" + life + "\"");
      }
    }
  }

  void check_readings() {
    world_.counts.readings = world_.readings.size();
    for (const Reading& reading : world_.readings) {
      const State* const state = find_state(reading.life, reading.commit);
      if (state == nullptr) {
        continue;  // seen, and lost in a crash before it was acknowledged
      }
      if (reading.text != export_text(state->rows)) {
        world_.violate("a reader saw version " + std::to_string(reading.version) + " of \"" +
                       reading.life + "\" as\n" + reading.text + "and it is\n" +
                       export_text(state->rows));
      }
    }
  }

  World& world_;
  const History& history_;
  base::Executor& executor_;
};

}  // namespace

void check_answers(World& world, const History& history, base::Executor& executor) {
  AnswerChecker(world, history, executor).run();
}

void World::check() {
  base::InlineExecutor executor;
  const History history = check_chains(*this, executor);
  check_answers(*this, history, executor);
  check_tables(*this, history, executor);
}

}  // namespace weft::simulation
