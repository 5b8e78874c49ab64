// One run of the simulation of property graphs: several processes over one disk, what each was
// told, and what must hold of it in the end. Deterministic: all chance comes from the seed.
//
//   actor      does
//   writer     loads, mutations, creation and deletion of branches; retries after unclear answers;
//              dies and starts anew; sends some requests twice, also those of others; a program of
//              its own, or one of several threads of a program that share publications
//   reader     opens snapshots, reads them, and reads them again later
//   repairer   adopts or discards the rows that the foreigner has written, again after unclear
//              answers
//   cleaner    lets twice the lifetime of a writer pass, in the middle of what others do, and
//              removes what nobody needs
//   foreigner  works on heads without weft, as LanceDB does: compactions, other versions without
//              changes, tags, cleanup at once; in some runs rows of its own
//   network    lets creations land late or never (late_store.h)
//   power      in the middle of it all processes stop and what was not synced is lost
//
// What must hold (World::check): docs/protocols/write.md, T1 to T10.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulation/late_store.h"
#include "tests/simulation/property_graph_model.h"
#include "tests/simulation/property_graph_process.h"

#include "weft/base/baton.h"
#include "weft/catalog/branches.h"
#include "weft/storage/fault_store.h"
#include "weft/storage/memory_store.h"

namespace weft::simulation {

// How much goes wrong; all of it chosen by the seed.
struct Weather {
  storage::FaultRates rates;
  uint64_t late_rate = 0;       // of creations, out of 1,000
  uint64_t power_cut_step = 0;  // 0: none
  bool loses_all_unsynced = false;
  bool has_foreigner = false;
  bool changes_rows = false;  // the foreigner does
  bool has_stops_at_syncs = false;
  Memory memory = Memory::kNone;  // of writers and readers
  bool shares = false;            // most writers are threads of one program
  bool has_repairer = false;
  bool has_cleaner = false;
};
Weather weather_of(uint64_t seed);

// What a caller wants done once, and all that it was told about it.
struct Operation {
  size_t number = 0;
  ModelRequest request;
  std::string branch;
  base::Ulid id;    // none: it cannot be asked for again by it
  std::string key;  // the same
  std::optional<base::Ulid> expected_head;
  uint64_t floor = 0;  // of main: published before it was first sent
  int unknown = 0;     // ends without a clear answer
  int matched_nothing = 0;
  int refused = 0;  // by rules
  std::string refusal;
  std::vector<catalog::CommitRecord> receipts;

  std::string message() const { return "operation-" + std::to_string(number); }
  bool can_repeat() const { return !id.is_none() || !key.empty(); }
  // The request and the answers, on one line or a few.
  std::string describe() const;
};

// One commit, as it is read by its id, and a version with its commits, oldest first.
struct ReadCommit {
  catalog::CommitRecord record;
  std::string text;
};
struct ReadVersion {
  catalog::CatalogView view;
  std::vector<ReadCommit> commits;
};

// What a reader saw.
struct Reading {
  std::string life;
  uint64_t version = 0;
  base::Ulid commit;
  std::string text;
};

class World {
 public:
  explicit World(uint64_t seed);

  // Everything. True: nobody is left behind and the world may go.
  bool run();
  // What did not hold, with what is needed to understand it.
  const std::vector<std::string>& violations() const { return violations_; }

  struct Counts {
    uint64_t acknowledged = 0;
    uint64_t unknown = 0;
    uint64_t readings = 0;
    uint64_t versions = 0;
    uint64_t rebases = 0;
    uint64_t shared = 0;  // commits that share their version with a later one
    uint64_t foreign_versions = 0;
    uint64_t late_requests = 0;
    uint64_t adopted = 0;
    uint64_t discarded = 0;
    uint64_t removed = 0;  // objects, by cleanups
    uint64_t struck = 0;   // lives of branches, the same
    uint64_t branches = 0;
    uint64_t trace_hash = 0;
  };
  Counts counts;

  // For processes and actors.
  void step();
  // Whether a process ends where others see a version or a ref that may not survive yet; soon
  // after that the power may fail.
  bool ends_before_sync(std::string_view name);
  void violate(std::string what);
  // Before a cleanup: it may take branches that have ended.
  void archive_ended();
  Process& new_process(base::Baton& baton, const storage::FaultRates& rates,
                       Memory memory = Memory::kNone);

  const uint64_t seed;
  const Weather weather;
  base::Random random;
  MachineClock clock;
  storage::MemoryDisk disk;
  storage::MemoryStore plain;
  Network network;
  bool power_is_out = false;
  bool may_have_foreign_rows = false;  // some may be under way

  size_t operations_made = 0;
  uint64_t processes_made = 0;
  std::deque<Operation> operations;
  std::vector<Reading> readings;
  std::vector<catalog::BranchLife> created;                 // acknowledged
  std::vector<catalog::CommitRecord> deleted;               // the same
  uint64_t main_floor = 0;                                  // the newest acknowledged version
  std::map<std::string, std::vector<ReadVersion>> archive;  // of ended lives
  std::vector<lance::TableLocation> discarded;  // native branches that were said to keep rows
  uint64_t removed = 0;                         // objects, by cleanups
  // Rows that the foreigner has written, or may have: by their sizes, of which each has its own.
  struct ForeignRow {
    std::string table;
    std::string name;
  };
  std::map<int64_t, ForeignRow> foreign_attempts;
  // Of tables by path and native branch: rows of the foreigner, id -> size.
  std::map<std::string, std::map<std::string, int64_t>> foreign_rows;

 private:
  bool run_epoch(uint64_t epoch);
  void check();

  std::vector<std::unique_ptr<base::Baton>> batons_;
  std::deque<Process> processes_;
  std::deque<Program> programs_;  // of the epoch
  std::vector<Process*> alive_;
  uint64_t steps_ = 0;
  uint64_t power_cut_step_;
  std::vector<std::string> violations_;
};

// The actors, until their work is done or the power is out.
void write_for_a_while(World& world, Program& program, uint64_t requests);
void repair_for_a_while(World& world, base::Baton& baton, Program& program, uint64_t repairs);
void clean_for_a_while(World& world, base::Baton& baton, Program& program, uint64_t cleanups);
void read_for_a_while(World& world, base::Baton& baton, uint64_t readings);
void meddle_for_a_while(World& world, base::Baton& baton);

// "path@branch" of a table.
std::string table_name(const lance::TableLocation& location);
// The transaction of versions that the foreigner makes has this property.
inline constexpr std::string_view kForeignProperty = "made-by";

}  // namespace weft::simulation
