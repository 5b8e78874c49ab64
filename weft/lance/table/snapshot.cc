#include "weft/lance/table/snapshot.h"

#include <algorithm>

#include "weft/lance/table/manifest_file.h"

namespace weft::lance {

namespace {

constexpr uint64_t kTransactionBytesMax = uint64_t{256} << 20U;

bool is_missing(const Error& error) {
  return error.kind() == ErrorKind::kNotFound;
}

// "people.lance" of "/data/people.lance/" or "file:///data/people.lance".
std::string_view last_component(std::string_view path) {
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return path.starts_with("file://") ? path.substr(7) : path;
}

// The folder of main or of a branch of the table at `root`.
std::string branch_folder(const std::string& root, std::string_view branch) {
  return branch.empty() ? root : join_name(root, std::string(kTreeFolder) + std::string(branch));
}

}  // namespace

std::string TableLocation::folder() const {
  return branch_folder(root, branch);
}

std::string TableLocation::to_string() const {
  std::string text = root.empty() ? std::string(last_component(store->location())) : root;
  return branch.empty() ? text : text + "@" + branch;
}

Result<Snapshot> Snapshot::from_bytes(TableLocation location, storage::Buffer file, Naming naming) {
  auto parsed = parse_manifest_file(file.view());
  if (!parsed.ok()) {
    return std::move(parsed).error().with("table", location.to_string());
  }
  auto data = std::make_shared<Data>();
  data->location = std::move(location);
  data->naming = naming;
  data->file = std::move(file);
  data->manifest = std::move(parsed->manifest);
  data->index_section = parsed->index_section;
  data->transaction = parsed->transaction;
  return Snapshot(std::move(data));
}

Result<std::optional<storage::Buffer>> Snapshot::transaction_bytes() const {
  if (data_->transaction) {
    const auto offset = static_cast<size_t>(data_->transaction->data() - file().view().data());
    return std::optional(file().slice(offset, data_->transaction->size()));
  }
  const std::string& name = manifest().transaction_file;
  if (name.empty() || name.find('/') != std::string::npos) {
    return std::optional<storage::Buffer>();
  }
  const std::string inside = std::string(kTransactionsFolder) + name;
  for (const std::string& candidate : {inside, std::string(kKeptFolder) + inside}) {
    auto object = location().store->get(location().object(candidate), kTransactionBytesMax);
    if (object.ok()) {
      return std::optional(object->bytes);
    }
    if (!is_missing(object.error())) {
      return std::move(object).error();
    }
  }
  return std::optional<storage::Buffer>();
}

Result<std::optional<Transaction>> Snapshot::transaction() const {
  WEFT_TRY(const std::optional<storage::Buffer> bytes, transaction_bytes());
  if (!bytes) {
    return std::optional<Transaction>();
  }
  auto transaction = parse_transaction(bytes->view());
  if (!transaction.ok()) {
    return std::move(transaction)
        .error()
        .with("table", location().to_string())
        .with("version", version());
  }
  return std::optional(std::move(transaction).value());
}

Result<std::string> Snapshot::base_folder(std::optional<uint32_t> base_id,
                                          std::string_view kind) const {
  if (!base_id) {
    return location().object(kind);
  }
  const auto& bases = manifest().base_paths;
  const auto base = std::find_if(bases.begin(), bases.end(),
                                 [&](const BasePath& entry) { return entry.id == *base_id; });
  if (base == bases.end()) {
    return Error(ErrorKind::kCorrupt, "base path is missing in the manifest")
        .with("table", location().to_string())
        .with("version", version())
        .with("base", *base_id);
  }
  const std::string_view inside = base->is_dataset_root ? kind : std::string_view();
  const std::string_view path = without_slash(base->path);
  // A branch reads its own table, wherever that lies now: a copy must not read the original.
  if (base->is_dataset_root && manifest().branch) {
    const std::string folder = branch_folder(location().root, base->name.value_or(""));
    const std::string whole =
        location().root.empty() ? location().store->location() : location().root;
    const std::string_view table = last_component(whole);
    const std::string ending =
        base->name ? join_name(join_name(table, kTreeFolder), *base->name) : std::string(table);
    if (path == ending || path.ends_with("/" + ending)) {
      return join_name(folder, inside);
    }
  }
  const std::string where = location().store->location();
  const std::string_view store = without_slash(where);
  if (path == store) {
    return std::string(inside);
  }
  if (path.starts_with(store) && path[store.size()] == '/') {
    return join_name(path.substr(store.size() + 1), inside);
  }
  return Error(ErrorKind::kUnsupported, "files of the table lie outside of its store")
      .with("table", location().to_string())
      .with("base", base->path)
      .with("store", where);
}

Result<std::string> Snapshot::data_file_name(const DataFile& file) const {
  WEFT_TRY(const std::string folder, base_folder(file.base_id, kDataFolder));
  return join_name(folder, file.path);
}

Result<std::string> Snapshot::deletion_name(uint64_t fragment_id, const DeletionFile& file) const {
  WEFT_TRY(const std::string folder, base_folder(file.base_id, kDeletionsFolder));
  return join_name(folder, deletion_file_name(fragment_id, file).substr(kDeletionsFolder.size()));
}

namespace {

Result<Snapshot> open_named(const TableLocation& location, uint64_t version, Naming naming) {
  WEFT_TRY(
      const storage::VersionedObject object,
      location.store->get(location.object(manifest_name(version, naming)), kManifestFileBytesMax));
  auto snapshot = Snapshot::from_bytes(location, object.bytes, naming);
  if (!snapshot.ok()) {
    return std::move(snapshot).error().with("version", version);
  }
  if (snapshot->version() != version) {
    return Error(ErrorKind::kCorrupt, "manifest holds another version than its name says")
        .with("table", location.to_string())
        .with("version", version)
        .with("found", snapshot->version());
  }
  return snapshot;
}

}  // namespace

Result<Snapshot> open_version(const TableLocation& location, uint64_t version, Naming naming) {
  auto snapshot = open_named(location, version, naming);
  if (!snapshot.ok() && is_missing(snapshot.error()) && !is_detached(version)) {
    snapshot = open_named(location, version, naming == Naming::kV2 ? Naming::kV1 : Naming::kV2);
  }
  if (!snapshot.ok() && is_missing(snapshot.error())) {
    return Error(ErrorKind::kNotFound, "no such version of the table")
        .with("table", location.to_string())
        .with("version", version);
  }
  return snapshot;
}

Result<VersionList> list_versions(const TableLocation& location) {
  const std::string folder = location.object(kVersionsFolder);
  WEFT_TRY(const std::vector<storage::ObjectInfo> objects, location.store->list(folder));
  VersionList list;
  for (const storage::ObjectInfo& object : objects) {
    const auto name = parse_manifest_name(std::string_view(object.name).substr(folder.size()));
    if (name) {
      const VersionEntry entry{name->version, name->naming, object.size, object.modified};
      (is_detached(name->version) ? list.detached : list.versions).push_back(entry);
    }
  }
  const auto by_version = [](const VersionEntry& left, const VersionEntry& right) {
    return left.version < right.version;
  };
  std::sort(list.versions.begin(), list.versions.end(), by_version);
  std::sort(list.detached.begin(), list.detached.end(), by_version);
  const bool mixed = std::any_of(
      list.versions.begin(), list.versions.end(),
      [&](const VersionEntry& entry) { return entry.naming != list.versions.front().naming; });
  if (mixed) {
    return Error(ErrorKind::kCorrupt, "table has both kinds of manifest names")
        .with("table", location.to_string());
  }
  return list;
}

Result<Snapshot> open_latest(const TableLocation& location) {
  WEFT_TRY(const VersionList list, list_versions(location));
  if (list.versions.empty()) {
    return Error(ErrorKind::kNotFound, "no table here").with("table", location.to_string());
  }
  const VersionEntry& newest = list.versions.back();
  auto snapshot = open_named(location, newest.version, newest.naming);
  if (!snapshot.ok() && snapshot.error().kind() == ErrorKind::kCorrupt &&
      list.versions.size() > 1) {
    return std::move(snapshot).error().with("previous",
                                            list.versions[list.versions.size() - 2].version);
  }
  return snapshot;
}

Result<Snapshot> open_latest_after(const Snapshot& known) {
  Snapshot latest = known;
  for (uint64_t probe = 0; probe < kProbesMax; ++probe) {
    auto next = open_named(known.location(), latest.version() + 1, known.naming());
    if (!next.ok()) {
      if (is_missing(next.error())) {
        return latest;
      }
      if (next.error().kind() == ErrorKind::kCorrupt) {
        return std::move(next).error().with("previous", latest.version());
      }
      return next;
    }
    latest = std::move(next).value();
  }
  return open_latest(known.location());
}

Result<Snapshot> open_at(const TableLocation& location, base::WallTime time) {
  WEFT_TRY(const VersionList list, list_versions(location));
  // Versions in [0, low) are not younger than `time`.
  size_t low = 0;
  size_t high = list.versions.size();
  std::optional<Snapshot> found;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const VersionEntry& entry = list.versions[middle];
    WEFT_TRY(Snapshot snapshot, open_named(location, entry.version, entry.naming));
    const auto& timestamp = snapshot.manifest().timestamp;
    if (!timestamp || to_wall_time(*timestamp) <= time) {
      found = std::move(snapshot);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (!found) {
    return Error(ErrorKind::kNotFound, "no version of the table is that old")
        .with("table", location.to_string());
  }
  return std::move(*found);
}

}  // namespace weft::lance
