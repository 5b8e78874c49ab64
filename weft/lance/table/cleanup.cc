#include "weft/lance/table/cleanup.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "weft/lance/table/index_section.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/refs.h"

namespace weft::lance {

namespace {

// Objects of one part of the table: main or a branch.
struct Part {
  TableLocation location;
  VersionList versions;
  std::map<uint64_t, const VersionEntry*> kept;
  std::vector<const VersionEntry*> dropped;

  bool knows(uint64_t version) const {
    return kept.contains(version) ||
           std::any_of(dropped.begin(), dropped.end(),
                       [&](const VersionEntry* entry) { return entry->version == version; });
  }
};

std::string without_extension(std::string_view path) {
  const size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(0, dot));
}

// What a table calls a file of its own: only these are ever removed.
bool is_table_file(std::string_view inside) {
  if (inside.starts_with(kKeptFolder)) {
    inside.remove_prefix(kKeptFolder.size());
    return (inside.starts_with(kDeletionsFolder) && inside.ends_with(".bin")) ||
           (inside.starts_with(kTransactionsFolder) && inside.ends_with(".txn"));
  }
  if (inside.starts_with(kDataFolder)) {
    return inside.ends_with(kEngineDataEnding) || inside.ends_with(kDataEnding) ||
           inside.ends_with(".blob");
  }
  if (inside.starts_with(kDeletionsFolder)) {
    return inside.ends_with(".bin") || inside.ends_with(".arrow");
  }
  if (inside.starts_with(kTransactionsFolder)) {
    return inside.ends_with(".txn");
  }
  // Below a folder that is called like an index.
  constexpr size_t kUuidText = 36;
  return inside.starts_with(kIndicesFolder) &&
         inside.find('/', kIndicesFolder.size()) == kIndicesFolder.size() + kUuidText;
}

class Cleaner {
 public:
  Cleaner(const TableLocation& table, const CleanupOptions& options)
      : root_(table), options_(options) {
    root_.branch.clear();
  }

  Result<CleanupReport> run() {
    WEFT_TRY_STATUS(find_parts());
    for (Part& part : parts_) {
      WEFT_TRY_STATUS(choose_versions(part));
      for (const auto& [version, entry] : part.kept) {
        WEFT_TRY_STATUS(reach(part, *entry));
      }
    }
    // Every file is listed before a version goes: what is put later is younger than any grace.
    WEFT_TRY(const std::vector<storage::ObjectInfo> objects, root_.store->list(root_.object("")));
    WEFT_TRY_STATUS(remove_versions());
    WEFT_TRY_STATUS(reach_newcomers());
    WEFT_TRY_STATUS(remove_files(objects));
    return std::move(report_);
  }

 private:
  Status find_branches() {
    WEFT_TRY(branches_, list_branches(root_));
    std::erase_if(branches_, [&](const Branch& branch) {
      return options_.ignore_branches.contains(branch.name);
    });
    return {};
  }

  Status find_parts() {
    WEFT_TRY_STATUS(find_branches());
    WEFT_TRY(tags_, list_tags(root_));
    std::vector<std::string> names = {""};
    for (const Branch& branch : branches_) {
      names.push_back(branch.name);
    }
    for (const std::string& name : names) {
      Part& part = parts_.emplace_back();
      part.location = root_;
      part.location.branch = name;
    }
    for (Part& part : parts_) {
      WEFT_TRY(part.versions, list_versions(part.location));
    }
    return {};
  }

  bool is_pinned(const Part& part, uint64_t version) const {
    const std::string& name = part.location.branch;
    return options_.keep_versions.contains({name, version}) ||
           std::any_of(
               tags_.begin(), tags_.end(),
               [&](const Tag& tag) { return tag.branch == name && tag.version == version; }) ||
           std::any_of(branches_.begin(), branches_.end(), [&](const Branch& branch) {
             return branch.parent == name && branch.parent_version == version;
           });
  }

  Status choose_versions(Part& part) {
    const std::vector<VersionEntry>& versions = part.versions.versions;
    for (const VersionEntry& entry : versions) {
      bool keep = &entry == &versions.back() || is_pinned(part, entry.version) ||
                  entry.stored > options_.put_before;
      const bool given_up = options_.drop_versions.contains({part.location.branch, entry.version});
      if (!keep && !given_up) {
        WEFT_TRY(const Snapshot snapshot, open_version(part.location, entry.version, entry.naming));
        const auto& made = snapshot.manifest().timestamp;
        keep = !made || to_wall_time(*made) >= options_.keep_since;
      }
      if (keep) {
        part.kept[entry.version] = &entry;
      } else {
        part.dropped.push_back(&entry);
      }
    }
    report_.versions_kept += part.kept.size();
    for (const VersionEntry& entry : part.versions.detached) {
      const bool given_up =
          options_.drop_detached.contains({part.location.branch, entry.version}) &&
          entry.stored <= options_.put_before;
      if (given_up) {
        part.dropped.push_back(&entry);
      } else {
        part.kept[entry.version] = &entry;
        ++report_.detached_kept;
      }
    }
    return {};
  }

  Status reach(const Part& part, const VersionEntry& entry) {
    WEFT_TRY(const Snapshot snapshot, open_version(part.location, entry.version, entry.naming));
    WEFT_TRY(std::vector<std::string> files, reachable_files(snapshot));
    for (std::string& file : files) {
      (file.ends_with('/') ? folders_ : files_).insert(std::move(file));
    }
    if (options_.extra_files) {
      WEFT_TRY(std::vector<std::string> extra, options_.extra_files(snapshot));
      files_.insert(std::make_move_iterator(extra.begin()), std::make_move_iterator(extra.end()));
    }
    return {};
  }

  // Versions that were made meanwhile may name old files (a restore, a branch).
  Status reach_newcomers() {
    WEFT_TRY_STATUS(find_branches());
    std::vector<std::string> names = {""};
    for (const Branch& branch : branches_) {
      names.push_back(branch.name);
    }
    for (const std::string& name : names) {
      Part now;
      now.location = root_;
      now.location.branch = name;
      WEFT_TRY(now.versions, list_versions(now.location));
      const auto before = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
        return part.location.branch == name;
      });
      for (const auto* list : {&now.versions.versions, &now.versions.detached}) {
        for (const VersionEntry& entry : *list) {
          if (before == parts_.end() || !before->knows(entry.version)) {
            WEFT_TRY_STATUS(reach(now, entry));
          }
        }
      }
    }
    return {};
  }

  Status remove(const std::string& name, uint64_t size) {
    if (!options_.dry_run) {
      WEFT_TRY_STATUS(root_.store->remove(name));
    }
    report_.removed.push_back(name);
    report_.removed_bytes += size;
    return {};
  }

  Status remove_versions() {
    for (const Part& part : parts_) {
      for (const VersionEntry* entry : part.dropped) {
        WEFT_TRY_STATUS(remove(part.location.object(manifest_name(entry->version, entry->naming)),
                               entry->size_bytes));
      }
    }
    return {};
  }

  // The rest of the name inside the part it belongs to, if it is a file of a part that is known.
  std::string_view inside_part(std::string_view name) const {
    const size_t root_size = root_.object("").size();
    std::string_view inside = name.substr(root_size);
    if (!inside.starts_with(kTreeFolder)) {
      return inside;
    }
    size_t longest = 0;
    for (const Part& part : parts_) {
      const std::string folder = part.location.object("");
      if (!part.location.branch.empty() && name.starts_with(folder)) {
        longest = std::max(longest, folder.size());
      }
    }
    return longest == 0 ? std::string_view() : name.substr(longest);
  }

  bool is_reachable(const std::string& name) const {
    if (files_.contains(name)) {
      return true;
    }
    // The folders a name lies in, from the inside out.
    for (size_t slash = name.rfind('/'); slash != std::string::npos && slash > 0;
         slash = name.rfind('/', slash - 1)) {
      if (folders_.contains(name.substr(0, slash + 1))) {
        return true;
      }
    }
    return false;
  }

  bool may_go(const storage::ObjectInfo& object) const {
    const std::string_view inside = inside_part(object.name);
    const bool is_own = is_table_file(inside) || (options_.is_extra && options_.is_extra(inside));
    const bool is_engines = inside.starts_with(kDataFolder) && inside.ends_with(kEngineDataEnding);
    const base::WallTime before =
        is_engines ? options_.engine_put_before.value_or(options_.put_before) : options_.put_before;
    return is_own && object.modified <= before && !is_reachable(object.name);
  }

  Status remove_files(const std::vector<storage::ObjectInfo>& objects) {
    for (const storage::ObjectInfo& object : objects) {
      if (may_go(object)) {
        WEFT_TRY_STATUS(remove(object.name, object.size));
      }
    }
    return {};
  }

  TableLocation root_;
  const CleanupOptions& options_;
  std::vector<Branch> branches_;
  std::vector<Tag> tags_;
  std::vector<Part> parts_;
  std::set<std::string> files_;
  std::set<std::string> folders_;  // with a '/' at the end
  CleanupReport report_;
};

}  // namespace

Result<std::vector<std::string>> reachable_files(const Snapshot& snapshot) {
  std::vector<std::string> names;
  const TableLocation& location = snapshot.location();
  const auto keep_copy = [&](const std::string& name) {
    names.push_back(location.object(std::string(kKeptFolder) + name));
  };
  const Manifest& manifest = snapshot.manifest();
  // What main finds outside of the store is not ours to remove. A branch that looks outside may
  // have been moved with its table: what it needs lies here, under a name that is not known.
  const bool may_lie_outside = !manifest.branch;
  const auto add = [&](Result<std::string> name, bool with_folder) -> Status {
    if (!name.ok()) {
      return may_lie_outside && name.error().kind() == ErrorKind::kUnsupported
                 ? Status()
                 : std::move(name).error();
    }
    if (with_folder) {
      names.push_back(without_extension(*name) + "/");
    }
    names.push_back(std::move(*name));
    return {};
  };
  for (const Fragment& fragment : manifest.fragments) {
    for (const DataFile& file : fragment.files) {
      WEFT_TRY_STATUS(add(snapshot.data_file_name(file), true));
    }
    if (fragment.deletion_file) {
      const std::string name = deletion_file_name(fragment.id, *fragment.deletion_file);
      WEFT_TRY_STATUS(add(snapshot.deletion_name(fragment.id, *fragment.deletion_file), false));
      WEFT_TRY_STATUS(add(
          [&]() -> Result<std::string> {
            WEFT_TRY(const std::string folder,
                     snapshot.base_folder(fragment.deletion_file->base_id, kKeptFolder));
            return join_name(folder, name);
          }(),
          false));
    }
  }
  if (!manifest.transaction_file.empty()) {
    const std::string name = std::string(kTransactionsFolder) + manifest.transaction_file;
    names.push_back(location.object(name));
    keep_copy(name);
  }
  if (const auto section = snapshot.index_section()) {
    WEFT_TRY(const std::vector<IndexEntry> entries, parse_index_section(*section));
    for (const IndexEntry& entry : entries) {
      auto folder = snapshot.base_folder(entry.base_id, kIndicesFolder);
      if (folder.ok()) {
        names.push_back(join_name(*folder, entry.uuid) + "/");
      } else if (!may_lie_outside || folder.error().kind() != ErrorKind::kUnsupported) {
        return std::move(folder).error();
      }
    }
  }
  return names;
}

Result<CleanupReport> clean_table(const TableLocation& table, const CleanupOptions& options) {
  return Cleaner(table, options).run();
}

}  // namespace weft::lance
