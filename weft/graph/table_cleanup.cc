#include "weft/graph/table_cleanup.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "weft/graph/key_index.h"
#include "weft/graph/lance_version.h"
#include "weft/graph/unfinished_branch.h"
#include "weft/lance/table/refs.h"
#include "weft/txn/head.h"

namespace weft::graph {
namespace {

constexpr std::string_view kRunPrefix = "_weft/keys-";
constexpr std::string_view kRunEnding = ".run";

// Engines never remove our data files and copies, so that these need no guard; of sidecars in a
// folder beside a data file that file tells.
bool is_safe_from_engines(std::string_view name, std::string_view root) {
  const bool is_sidecars =
      name.ends_with('/') && name.find("/" + std::string(lance::kDataFolder)) != name.npos;
  return is_sidecars || name.ends_with(lance::kDataEnding) ||
         name.substr(root.size()).starts_with("/" + std::string(lance::kKeptFolder));
}

// Native branches that weft makes of single versions.
bool is_guard(std::string_view branch) {
  return branch.starts_with(txn::kKeepPrefix) || branch.starts_with(txn::kDiscardedPrefix) ||
         branch.starts_with(kSnapshotPrefix);
}

class TableCleaner final : public TableCleanup {
 public:
  TableCleaner(lance::TableLocation table, const TableCleanupInput& input)
      : table_(std::move(table)),
        retained_(input.retained),
        ended_(input.ended),
        lives_(input.lives),
        times_(input.times),
        objects_(input.objects),
        dry_run_(input.dry_run) {}

  // What the published versions name. All of them are read: what is not there any more stops the
  // cleanup before it has removed anything.
  Status find_needed() {
    for (const auto& [ref, version] : retained_.pins) {
      const auto opened = lance::open_version(at(ref), version);
      if (!opened.ok()) {
        return opened.error().kind() == ErrorKind::kNotFound
                   ? Status(Error(ErrorKind::kCorrupt, "a published version of a table is gone")
                                .with("table", at(ref).to_string())
                                .with("object", at(ref).object(lance::manifest_name(version))))
                   : Status(opened.error());
      }
      WEFT_TRY_STATUS(need(*opened));
    }
    for (const auto& [ref, version] : retained_.bases) {
      const auto opened = lance::open_version(at(ref), version);
      if (opened.ok()) {
        WEFT_TRY_STATUS(need(*opened));
      } else if (opened.error().kind() != ErrorKind::kNotFound) {
        return opened.error();
      }
    }
    WEFT_TRY(branches_, lance::list_branches(table_));
    return ok_status();
  }

  Result<TableCleanupReport> run() override {
    // Guards stand upon lives, never the other way round.
    for (const lance::Branch& branch : std::vector(branches_)) {
      WEFT_TRY(const bool is_useless, guards_nothing(branch));
      if (is_useless) {
        WEFT_TRY_STATUS(drop(branch.name));
      }
    }
    for (const std::string& life : ended_) {
      WEFT_TRY_STATUS(drop_life(life));
    }
    WEFT_TRY_STATUS(drop_leftovers());
    return clean_files();
  }

 private:
  lance::TableLocation at(std::string_view branch) const {
    return {table_.store, table_.root, std::string(branch)};
  }

  Status need(const lance::Snapshot& version) {
    WEFT_TRY(std::vector<std::string> files, lance::reachable_files(version));
    needed_.insert(std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
    return ok_status();
  }

  const storage::ObjectInfo* find_object(const std::string& name) const {
    const auto found = std::ranges::lower_bound(objects_, name, {}, &storage::ObjectInfo::name);
    return found != objects_.end() && found->name == name ? &*found : nullptr;
  }

  Result<bool> guards_nothing(const lance::Branch& branch) const {
    const bool is_keep = branch.name.starts_with(txn::kKeepPrefix);
    if (!is_guard(branch.name)) {
      return false;
    }
    const storage::ObjectInfo* const ref = find_object(table_.object(
        std::string(lance::kBranchesFolder) + lance::branch_file_name(branch.name) + ".json"));
    if (ref == nullptr || ref->modified > (is_keep ? times_.put_before : times_.kept_before)) {
      return false;
    }
    WEFT_TRY(const lance::VersionList own, lance::list_versions(at(branch.name)));
    // Somebody works on it.
    if (own.versions.size() != 1) {
      return own.versions.empty();
    }
    if (!is_keep) {
      return true;
    }
    WEFT_TRY(const lance::Snapshot guarded,
             lance::open_version(at(branch.name), own.versions[0].version, own.versions[0].naming));
    WEFT_TRY(const std::vector<std::string> files, lance::reachable_files(guarded));
    return std::ranges::none_of(files, [&](const std::string& name) {
      return needed_.contains(name) && !is_safe_from_engines(name, table_.root);
    });
  }

  bool needs_tree_of(const std::string& life) const {
    const std::string folder = at(life).object("");
    const auto first = needed_.lower_bound(folder);
    return first != needed_.end() && first->starts_with(folder);
  }

  bool has_objects(const std::string& folder) const {
    const auto first = std::ranges::lower_bound(objects_, folder, {}, &storage::ObjectInfo::name);
    return first != objects_.end() && first->name.starts_with(folder);
  }

  // Guards whose refs a stopped cleanup has removed, or a stopped writer has not made; and what
  // first writes of a branch left that has not come to have this table.
  Status drop_leftovers() {
    const std::string trees = table_.object(lance::kTreeFolder);
    std::set<std::string> names;
    auto object = std::ranges::lower_bound(objects_, trees, {}, &storage::ObjectInfo::name);
    for (; object != objects_.end() && object->name.starts_with(trees); ++object) {
      const std::string_view inside = std::string_view(object->name).substr(trees.size());
      const std::string name(inside.substr(0, inside.find('/')));
      const bool has_ref =
          std::ranges::find(branches_, name, &lance::Branch::name) != branches_.end();
      const bool was_dropped =
          std::ranges::find(report_.native_branches, name) != report_.native_branches.end();
      if (is_guard(name) && !has_ref && !was_dropped) {
        names.insert(name);
      }
    }
    for (const std::string& name : names) {
      WEFT_TRY_STATUS(drop_tree(name, times_.put_before));
    }
    for (const std::string& life : lives_) {
      const bool has_ref =
          std::ranges::find(branches_, life, &lance::Branch::name) != branches_.end();
      if (has_ref || !has_objects(at(life).object(""))) {
        continue;
      }
      WEFT_TRY(const std::vector<storage::ObjectInfo> left,
               left_by_first_writes(at(life), objects_, times_.put_before));
      for (const storage::ObjectInfo& each : left) {
        if (!needed_.contains(each.name)) {
          WEFT_TRY_STATUS(remove(each));
        }
      }
    }
    return ok_status();
  }

  Status drop_life(const std::string& life) {
    const bool is_there =
        std::ranges::find(branches_, life, &lance::Branch::name) != branches_.end();
    const bool is_pinned =
        std::ranges::any_of(retained_.pins, [&](const auto& pin) { return pin.first == life; });
    if (is_pinned || needs_tree_of(life)) {
      return ok_status();
    }
    return is_there ? drop(life) : drop_tree(life, times_.put_before);
  }

  // A branch that another branch or a tag starts from stays.
  Status drop(const std::string& name) {
    const bool is_parent =
        std::ranges::find(branches_, name, &lance::Branch::parent) != branches_.end();
    WEFT_TRY(const std::vector<lance::Tag> tags, lance::list_tags(table_));
    if (is_parent || std::ranges::find(tags, name, &lance::Tag::branch) != tags.end()) {
      return ok_status();
    }
    const std::string ref = table_.object(std::string(lance::kBranchesFolder) +
                                          lance::branch_file_name(name) + ".json");
    if (!dry_run_) {
      WEFT_TRY_STATUS(lance::delete_branch(table_, name));
    }
    if (const storage::ObjectInfo* const object = find_object(ref)) {
      tell(*object);
    }
    report_.native_branches.push_back(name);
    std::erase_if(branches_, [&](const lance::Branch& branch) { return branch.name == name; });
    // delete_branch has removed them already.
    return drop_tree(name, base::WallTime{INT64_MAX}, true);
  }

  Status drop_tree(const std::string& name, base::WallTime put_before, bool is_gone = false) {
    const std::string folder = at(name).object("");
    const auto is_of_another = [&](const std::string& object) {
      return std::ranges::any_of(branches_, [&](const lance::Branch& other) {
        return other.name.starts_with(name + "/") && object.starts_with(at(other.name).object(""));
      });
    };
    auto object = std::ranges::lower_bound(objects_, folder, {}, &storage::ObjectInfo::name);
    for (; object != objects_.end() && object->name.starts_with(folder); ++object) {
      if (object->modified > put_before || is_of_another(object->name)) {
        continue;
      }
      if (is_gone) {
        tell(*object);
      } else {
        WEFT_TRY_STATUS(remove(*object));
      }
    }
    return ok_status();
  }

  Status remove(const storage::ObjectInfo& object) {
    if (!dry_run_) {
      WEFT_TRY_STATUS(table_.store->remove(object.name));
    }
    tell(object);
    return ok_status();
  }

  void tell(const storage::ObjectInfo& object) {
    report_.files.removed.push_back(object.name);
    report_.files.removed_bytes += object.size;
  }

  Result<TableCleanupReport> clean_files() {
    lance::CleanupOptions options;
    options.keep_since = base::WallTime{INT64_MIN};
    options.put_before = times_.put_before;
    options.engine_put_before = times_.engine_put_before;
    options.dry_run = dry_run_;
    options.ignore_branches.insert(report_.native_branches.begin(), report_.native_branches.end());
    options.is_extra = [](std::string_view inside) {
      return inside.starts_with(kRunPrefix) && inside.ends_with(kRunEnding);
    };
    const std::string root = table_.root;
    options.extra_files =
        [root](const lance::Snapshot& version) -> Result<std::vector<std::string>> {
      WEFT_TRY(const std::vector<KeyRun> runs, runs_of(version));
      std::vector<std::string> names;
      names.reserve(runs.size());
      for (const KeyRun& run : runs) {
        names.push_back(lance::join_name(root, run.path));
      }
      return names;
    };
    WEFT_TRY_STATUS(find_unpublished("", options.drop_detached));
    for (const lance::Branch& branch : branches_) {
      WEFT_TRY_STATUS(find_unpublished(branch.name, options.drop_detached));
    }
    WEFT_TRY(lance::CleanupReport cleaned, lance::clean_table(table_, options));
    report_.files.versions_kept = cleaned.versions_kept;
    report_.files.detached_kept = cleaned.detached_kept;
    report_.files.removed_bytes += cleaned.removed_bytes;
    std::ranges::move(cleaned.removed, std::back_inserter(report_.files.removed));
    return std::move(report_);
  }

  // Detached versions that nobody has published. Of those that were put after the listing nothing
  // is known yet, and clean_table leaves them as too young.
  Status find_unpublished(const std::string& branch, DetachedVersions& unpublished) const {
    WEFT_TRY(const lance::VersionList list, lance::list_versions(at(branch)));
    for (const lance::VersionEntry& entry : list.detached) {
      const std::pair<std::string, uint64_t> version(branch, entry.version);
      const bool was_listed =
          find_object(at(branch).object(lance::manifest_name(entry.version))) != nullptr;
      if (was_listed && !retained_.pins.contains(version) && !retained_.bases.contains(version)) {
        unpublished.insert(version);
      }
    }
    return ok_status();
  }

  const lance::TableLocation table_;
  const RetainedTable& retained_;
  const std::vector<std::string>& ended_;
  const std::set<std::string>& lives_;
  const CleanupTimes& times_;
  const std::vector<storage::ObjectInfo>& objects_;
  const bool dry_run_;
  std::set<std::string> needed_;
  std::vector<lance::Branch> branches_;
  TableCleanupReport report_;
};

}  // namespace

Result<std::unique_ptr<TableCleanup>> prepare_table_cleanup(const lance::TableLocation& table,
                                                            const TableCleanupInput& input) {
  auto cleaner = std::make_unique<TableCleaner>(table, input);
  WEFT_TRY_STATUS(cleaner->find_needed());
  return std::unique_ptr<TableCleanup>(std::move(cleaner));
}

}  // namespace weft::graph
