#include "weft/graph/retained.h"

#include <algorithm>
#include <optional>

#include "weft/base/planted.h"
#include "weft/lance/table/names.h"

namespace weft::graph {
namespace {

using catalog::BranchLife;
using catalog::CatalogPlace;

struct Life {
  BranchLife life;
  lance::VersionList own;  // versions of its own chain; none: nobody has written it
  bool is_retained = false;
};

class Finder {
 public:
  Finder(const CatalogPlace& place, base::WallTime ended_since)
      : place_(place), ended_since_(ended_since) {}

  Result<Retained> run() {
    WEFT_TRY_STATUS(find_lives());
    WEFT_TRY(const lance::VersionList main, lance::list_versions(place_.location()));
    for (const lance::VersionEntry& entry : main.versions) {
      WEFT_TRY_STATUS(read(place_, entry.version));
    }
    for (const Life& life : lives_) {
      if (!life.is_retained) {
        add_ended(life);
        continue;
      }
      retained_.lives.insert(life.life.life);
      // Up to where it branched off, versions are those of another chain.
      const CatalogPlace at = catalog::place_of(place_, life.life);
      for (const lance::VersionEntry& entry : life.own.versions) {
        if (entry.version > life.life.lineage.front().version) {
          WEFT_TRY_STATUS(read(at, entry.version));
        }
      }
    }
    std::ranges::sort(retained_.ended, [](const EndedLife& left, const EndedLife& right) {
      return left.life.lineage.size() > right.life.lineage.size();
    });
    return std::move(retained_);
  }

 private:
  Status find_lives() {
    WEFT_TRY(std::vector<BranchLife> all, catalog::list_lives(place_));
    std::set<std::string> needed;
    for (BranchLife& each : all) {
      Life& life = lives_.emplace_back();
      life.life = std::move(each);
      const CatalogPlace at = catalog::place_of(place_, life.life);
      WEFT_TRY(life.own, lance::list_versions(at.location()));
      WEFT_TRY(const bool has_ended, has_ended_long_ago(at, life));
      if (!has_ended) {
        life.is_retained = true;
        for (const catalog::ForkPoint& fork : life.life.lineage) {
          needed.insert(fork.life);
        }
      }
    }
    // The lineage of a branch holds all chains that it comes from.
    for (Life& life : lives_) {
      life.is_retained = life.is_retained || needed.contains(life.life.life);
    }
    return ok_status();
  }

  Result<bool> has_ended_long_ago(const CatalogPlace& at, const Life& life) const {
    const auto& versions = life.own.versions;
    if (versions.empty() || versions.back().stored > ended_since_) {
      return false;
    }
    WEFT_TRY(const catalog::CatalogView last, catalog::open_version(at, versions.back().version));
    if (catalog::check_goes_on(last).ok()) {
      return false;
    }
    // Seen is not yet durable: else the branch could come back without what is taken from it now.
    if (base::planted(base::Bug::kEndOfUnsynced)) {
      return true;
    }
    WEFT_TRY_STATUS(place_.store.sync_existing({last.snapshot().location().object(
        lance::manifest_name(last.version(), last.snapshot().naming()))}));
    return true;
  }

  void add_ended(const Life& life) {
    EndedLife& ended = retained_.ended.emplace_back();
    ended.life = life.life;
    ended.last_version = life.own.versions.back().version;
    for (const lance::VersionEntry& entry : life.own.versions) {
      if (entry.version != ended.last_version) {
        ended.versions.push_back(entry.version);
      }
    }
  }

  Status read(const CatalogPlace& at, uint64_t version) {
    WEFT_TRY(const catalog::CatalogView view, catalog::open_version(at, version));
    ++retained_.commits;
    const std::optional<catalog::SchemaPin>& schema = view.state().schema;
    if (schema.has_value()) {
      retained_.schemas.insert(schema->path);
    }
    for (const catalog::TableEntry& table : view.state().tables) {
      add(table.path, table.pin);
    }
    // Commits that share the version: tables as they stood at each.
    WEFT_TRY(const std::vector<catalog::CommitRecord> commits, view.commits_since(version - 1));
    if (base::planted(base::Bug::kEarlierPinsForgotten)) {
      return ok_status();
    }
    for (const catalog::CommitRecord& commit : commits) {
      for (const catalog::EarlierPin& earlier : commit.earlier_pins) {
        const catalog::TableEntry* const table = view.state().find(earlier.identity);
        if (table != nullptr) {
          add(table->path, earlier.pin);
        }
      }
    }
    return ok_status();
  }

  void add(const std::string& path, const catalog::TablePin& pin) {
    RetainedTable& retained = retained_.tables[path];
    retained.pins.emplace(pin.ref, pin.detached_version);
    if (pin.base_version != 0) {
      retained.bases.emplace(pin.ref, pin.base_version);
    }
  }

  const CatalogPlace& place_;
  const base::WallTime ended_since_;
  std::vector<Life> lives_;
  Retained retained_;
};

}  // namespace

Result<Retained> find_retained(const CatalogPlace& place, base::WallTime ended_since) {
  return Finder(place, ended_since).run();
}

}  // namespace weft::graph
