#include "weft/graph/cleanup.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "weft/catalog/branches.h"
#include "weft/graph/create.h"
#include "weft/graph/retained.h"
#include "weft/graph/table_cleanup.h"
#include "weft/graph/unfinished_branch.h"
#include "weft/lance/table/cleanup.h"
#include "weft/lance/table/refs.h"
#include "weft/storage/names.h"

namespace weft::graph {
namespace {

constexpr std::string_view kProbeFolder = "_probe/";

// "Person-01ARZ3…-01ARZ4….lance"
bool is_table_folder(std::string_view name) {
  constexpr std::string_view kEnding = ".lance";
  constexpr size_t kUlidText = 26;
  constexpr size_t kIds = 2 * (kUlidText + 1);
  if (!name.ends_with(kEnding) || name.size() <= kEnding.size() + kIds) {
    return false;
  }
  name.remove_suffix(kEnding.size());
  const std::string_view ids = name.substr(name.size() - kIds);
  return ids[0] == '-' && ids[kUlidText + 1] == '-' &&
         base::Ulid::parse(ids.substr(1, kUlidText)).ok() &&
         base::Ulid::parse(ids.substr(kUlidText + 2)).ok();
}

bool is_temporary(std::string_view name) {
  return name.substr(name.rfind('/') + 1).starts_with(storage::kTemporaryPrefix);
}

class GraphCleaner {
 public:
  GraphCleaner(const catalog::CatalogPlace& place, const CleanupRequest& request,
               const std::stop_token& stop)
      : place_(place), request_(request), stop_(stop) {}

  Result<CleanupReport> run() {
    WEFT_TRY(const catalog::CatalogView newest, catalog::open_latest(place_));
    static_cast<void>(newest);
    WEFT_TRY(const base::WallTime now, store_time());
    const auto before = [&](int64_t age_us) { return base::WallTime{now.microseconds - age_us}; };
    times_.put_before = before(request_.grace_us);
    times_.kept_before = before(std::max(request_.keep_us, request_.grace_us));
    times_.engine_put_before =
        before(request_.grace_us < kCleanupGraceUs ? request_.grace_us : kEngineGraceUs);
    // Before anything that is published is looked at: what comes later is younger than any grace.
    WEFT_TRY(objects_, place_.store.list("", true));
    WEFT_TRY(const Retained retained, find_retained(place_, times_.kept_before));
    report_.commits_kept = retained.commits;
    std::vector<std::string> ended;
    ended.reserve(retained.ended.size());
    for (const EndedLife& life : retained.ended) {
      ended.push_back(life.life.life);
    }
    std::vector<std::pair<std::string, std::unique_ptr<TableCleanup>>> tables;
    tables.reserve(retained.tables.size());
    for (const auto& [path, table] : retained.tables) {
      WEFT_TRY_STATUS(check_stop());
      WEFT_TRY(auto prepared,
               prepare_table_cleanup({&place_.store, path, ""}, {.retained = table,
                                                                 .ended = ended,
                                                                 .lives = retained.lives,
                                                                 .times = times_,
                                                                 .objects = objects_,
                                                                 .dry_run = request_.dry_run}));
      tables.emplace_back(path, std::move(prepared));
    }
    for (const auto& [path, table] : tables) {
      WEFT_TRY_STATUS(check_stop());
      WEFT_TRY(TableCleanupReport cleaned, table->run());
      take(std::move(cleaned.files));
      for (const std::string& branch : cleaned.native_branches) {
        report_.native_branches.push_back(std::string(path).append("@").append(branch));
      }
    }
    WEFT_TRY_STATUS(clean_catalog(retained));
    WEFT_TRY_STATUS(clean_rest(retained));
    return std::move(report_);
  }

 private:
  Status check_stop() const {
    return stop_.stop_requested() ? Status(Error(ErrorKind::kCancelled, "cleanup was stopped"))
                                  : ok_status();
  }

  // By the clock that says when objects were put.
  Result<base::WallTime> store_time() {
    if (request_.dry_run) {
      return place_.clock.now();
    }
    const std::string name =
        std::string(kProbeFolder) + "clock-" + base::random_name(place_.random);
    // Without content, so that it goes on a full disk, too.
    WEFT_TRY(const storage::PutOutcome put, place_.store.put_if_absent(name, ByteView()));
    static_cast<void>(put);
    WEFT_TRY(const std::vector<storage::ObjectInfo> found, place_.store.list(name));
    WEFT_TRY_STATUS(place_.store.remove(name));
    if (found.size() != 1 || found[0].modified.microseconds <= 0) {
      return Error(ErrorKind::kUnsupported,
                   "this store does not tell when objects were put, which a cleanup needs")
          .with("store", place_.store.location());
    }
    return found[0].modified;
  }

  void take(lance::CleanupReport&& cleaned) {
    report_.removed_bytes += cleaned.removed_bytes;
    std::ranges::move(cleaned.removed, std::back_inserter(report_.removed));
  }

  // Every version stays but those of lives that have ended: of these the last one says so.
  Status clean_catalog(const Retained& retained) {
    lance::CleanupOptions options;
    options.keep_since = base::WallTime{INT64_MIN};
    options.put_before = times_.put_before;
    options.engine_put_before = times_.engine_put_before;
    options.dry_run = request_.dry_run;
    for (const EndedLife& life : retained.ended) {
      for (const uint64_t version : life.versions) {
        options.drop_versions.emplace(life.life.life, version);
      }
      if (!life.versions.empty()) {
        report_.ended.push_back(life.life.life);
      }
    }
    WEFT_TRY(
        lance::CleanupReport cleaned,
        lance::clean_table({&place_.store, std::string(catalog::kCatalogFolder), ""}, options));
    take(std::move(cleaned));
    return clean_unwritten(retained);
  }

  // What first writes of branches left that nobody has written in the end.
  Status clean_unwritten(const Retained& retained) {
    const lance::TableLocation main{&place_.store, std::string(catalog::kCatalogFolder), ""};
    WEFT_TRY(const std::vector<lance::Branch> branches, lance::list_branches(main));
    for (const std::string& life : retained.lives) {
      if (std::ranges::find(branches, life, &lance::Branch::name) != branches.end()) {
        continue;
      }
      WEFT_TRY(const std::vector<storage::ObjectInfo> left,
               left_by_first_writes({main.store, main.root, life}, objects_, times_.put_before));
      for (const storage::ObjectInfo& object : left) {
        WEFT_TRY_STATUS(remove(object));
      }
    }
    return ok_status();
  }

  Status remove(const storage::ObjectInfo& object) {
    if (!request_.dry_run) {
      WEFT_TRY_STATUS(place_.store.remove(object.name));
    }
    report_.removed.push_back(object.name);
    report_.removed_bytes += object.size;
    return ok_status();
  }

  // Tables that were never published, schemas, probes, and what killed processes left.
  Status clean_rest(const Retained& retained) {
    std::map<std::string_view, base::WallTime> orphans;  // folder -> its youngest object
    for (const storage::ObjectInfo& object : objects_) {
      const std::string_view folder =
          std::string_view(object.name).substr(0, object.name.find('/'));
      if (is_table_folder(folder) && !retained.tables.contains(std::string(folder))) {
        base::WallTime& youngest = orphans[folder];
        youngest = std::max(youngest, object.modified);
      }
    }
    for (const storage::ObjectInfo& object : objects_) {
      const std::string_view name = object.name;
      const auto orphan = orphans.find(name.substr(0, name.find('/')));
      const bool is_orphan = orphan != orphans.end() && orphan->second <= times_.put_before;
      const bool is_schema = name.starts_with(std::string(kSchemaFolder) + "/") &&
                             !retained.schemas.contains(object.name);
      const bool is_leftover = is_temporary(name) || name.starts_with(kProbeFolder);
      if (object.modified <= times_.put_before && (is_orphan || is_schema || is_leftover)) {
        WEFT_TRY_STATUS(check_stop());
        WEFT_TRY_STATUS(remove(object));
      }
    }
    return ok_status();
  }

  const catalog::CatalogPlace& place_;
  const CleanupRequest& request_;
  const std::stop_token& stop_;
  CleanupTimes times_;
  std::vector<storage::ObjectInfo> objects_;
  CleanupReport report_;
};

}  // namespace

Result<CleanupReport> clean_graph(const catalog::CatalogPlace& place, const Authority& authority,
                                  const CleanupRequest& request, const std::stop_token& stop) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kCleanup, kMainBranch));
  if (request.keep_us < 0 || request.grace_us < 0) {
    return Error(ErrorKind::kInvalid, "a cleanup keeps things for a time that is not negative");
  }
  WEFT_TRY(const catalog::CatalogPlace main, catalog::open_branch(place, kMainBranch));
  return GraphCleaner(main, request, stop).run();
}

}  // namespace weft::graph
