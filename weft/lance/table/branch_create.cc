#include <algorithm>

#include "weft/json/value.h"
#include "weft/lance/table/base_paths.h"
#include "weft/lance/table/index_section.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/next_manifest.h"
#include "weft/lance/table/refs.h"

namespace weft::lance {

namespace {

uint32_t free_base_id(const Manifest& manifest) {
  uint32_t id = 0;
  for (const BasePath& base : manifest.base_paths) {
    id = std::max(id, base.id + 1);
  }
  return id;
}

// Everything inherited that has no base yet lies at `base`.
void inherit(Manifest& manifest, uint32_t base) {
  for (Fragment& fragment : manifest.fragments) {
    for (DataFile& file : fragment.files) {
      file.base_id = file.base_id.value_or(base);
    }
    if (fragment.deletion_file) {
      fragment.deletion_file->base_id = fragment.deletion_file->base_id.value_or(base);
    }
  }
}

std::string ref_text(const Snapshot& snapshot,
                     const std::vector<std::pair<uint64_t, std::string>>& lives,
                     uint64_t manifest_size, const StageOptions& options) {
  const TableLocation& source = snapshot.location();
  json::Value mapping = json::Value::array();
  for (const auto& [version, life] : lives) {
    mapping.mutable_items().push_back(
        json::Value::array({json::Value::number(version), json::Value::string(life)}));
  }
  json::Value identifier = json::Value::object();
  identifier.set("version_mapping", std::move(mapping));
  json::Value document = json::Value::object();
  document.set("parentBranch",
               source.branch.empty() ? json::Value() : json::Value::string(source.branch));
  document.set("identifier", std::move(identifier));
  document.set("parentVersion", json::Value::number(snapshot.version()));
  document.set("createAt", json::Value::number(options.clock->now().microseconds / 1'000'000));
  document.set("manifestSize", json::Value::number(manifest_size));
  document.set("metadata", json::Value::object());
  return json::write(document);
}

// What an unfinished creation or deletion under this name left, without what belongs to branches
// below. A single first version of the same source is left for us to take over.
Status remove_leftovers(const StagedTransaction& staged, const std::string& name) {
  const TableLocation& location = staged.location;
  WEFT_TRY(const std::vector<Branch> branches, list_branches(location));
  const std::string folder = location.folder() + "/";
  WEFT_TRY(const std::vector<storage::ObjectInfo> objects, location.store->list(folder));
  std::vector<std::string> leftovers;
  size_t versions = 0;
  for (const storage::ObjectInfo& object : objects) {
    const bool of_another = std::any_of(branches.begin(), branches.end(), [&](const Branch& other) {
      return other.name.starts_with(name + "/") &&
             object.name.starts_with(folder + other.name.substr(name.size() + 1) + "/");
    });
    if (!of_another) {
      leftovers.push_back(object.name);
      versions += object.name.ends_with(kManifestEnding) ? 1U : 0U;
    }
  }
  if (versions == 1) {
    auto there = open_version(location, staged.version, staged.naming);
    if (there.ok()) {
      WEFT_TRY(const std::optional<Transaction> made, there->transaction());
      const auto* theirs = made ? std::get_if<CloneOperation>(&made->operation) : nullptr;
      const auto& ours = std::get<CloneOperation>(staged.transaction.operation);
      if (theirs != nullptr && theirs->ref_name == ours.ref_name &&
          theirs->ref_version == ours.ref_version && theirs->ref_path == ours.ref_path) {
        return {};
      }
    }
  }
  for (const std::string& leftover : leftovers) {
    WEFT_TRY_STATUS(location.store->remove(leftover));
  }
  return {};
}

}  // namespace

Result<StagedTransaction> stage_branch(const Snapshot& snapshot, const std::string& name,
                                       const StageOptions& options) {
  WEFT_TRY_STATUS(check_branch_name(name));
  WEFT_TRY_STATUS(check_writable(snapshot.manifest()));
  WEFT_TRY(const std::string place, absolute_place(snapshot.location()));
  const TableLocation& source = snapshot.location();
  CloneOperation clone;
  clone.ref_version = snapshot.version();
  clone.ref_path = place;
  clone.branch_name = name;
  BasePath base;
  base.id = free_base_id(snapshot.manifest());
  base.is_dataset_root = true;
  base.path = place;
  if (!source.branch.empty()) {
    clone.ref_name = source.branch;
    base.name = source.branch;
  }
  StagedTransaction staged;
  staged.location = source;
  staged.location.branch = name;
  staged.read_version = snapshot.version();
  staged.version = snapshot.version();
  staged.naming = snapshot.naming();
  staged.transaction.read_version = snapshot.version();
  staged.transaction.uuid = options.uuid.empty() ? new_uuid(*options.random) : options.uuid;
  staged.transaction.properties = options.properties;
  staged.transaction.operation = std::move(clone);

  Manifest manifest = snapshot.manifest();
  inherit(manifest, base.id);
  manifest.branch = name;
  const uint32_t base_id = base.id;
  manifest.base_paths.push_back(std::move(base));
  stamp(manifest, options.clock->now());
  std::optional<std::string> index_section;
  if (const auto section = snapshot.index_section()) {
    WEFT_TRY(index_section, rebase_indices(*section, base_id));
  }
  const std::string message = serialize_transaction(staged.transaction);
  manifest.transaction_file = transaction_file_name(snapshot.version(), staged.transaction.uuid);
  staged.objects.emplace_back(
      staged.location.object(std::string(kTransactionsFolder) + manifest.transaction_file),
      message);
  staged.head = serialize_manifest_file(
      std::move(manifest), index_section ? std::optional(as_bytes(*index_section)) : std::nullopt,
      as_bytes(message));
  staged.head_name = staged.location.object(manifest_name(staged.version, staged.naming));
  staged.detached_version = options.random->next() | kDetachedBit;
  staged.detached_name = staged.location.object(manifest_name(staged.detached_version));
  WEFT_TRY(staged.detached, with_version(as_bytes(staged.head), staged.detached_version));
  return staged;
}

Result<StagedObject> stage_branch_ref(const Snapshot& snapshot, const StagedTransaction& branch,
                                      const std::string& life, const StageOptions& options) {
  TableLocation root = branch.location;
  root.branch.clear();
  std::vector<std::pair<uint64_t, std::string>> lives;
  if (!snapshot.location().branch.empty()) {
    WEFT_TRY(const Branch parent, find_branch(root, snapshot.location().branch));
    lives = parent.lives;
  }
  lives.emplace_back(snapshot.version(), life);
  return StagedObject(root.object(std::string(kBranchesFolder) +
                                  branch_file_name(branch.location.branch) + ".json"),
                      ref_text(snapshot, lives, branch.head.size(), options));
}

Result<Snapshot> create_branch(const Snapshot& snapshot, const std::string& name,
                               const StageOptions& options) {
  WEFT_TRY(const StagedTransaction staged, stage_branch(snapshot, name, options));
  storage::ObjectStore& store = *staged.location.store;
  TableLocation root = staged.location;
  root.branch.clear();
  auto existing = find_branch(root, name);
  if (existing.ok()) {
    return Error(ErrorKind::kAlreadyExists, "branch exists").with("branch", name);
  }
  if (existing.error().kind() != ErrorKind::kNotFound) {
    return std::move(existing).error();
  }
  const std::string life = hex_text(options.random->next()) + hex_text(options.random->next());
  WEFT_TRY(const StagedObject ref, stage_branch_ref(snapshot, staged, life, options));
  WEFT_TRY_STATUS(remove_leftovers(staged, name));
  WEFT_TRY_STATUS(put_staged(store, staged.objects));
  // Lost: the first version of an unfinished creation from the same place, which serves as well.
  WEFT_TRY(const storage::PutOutcome head,
           store.put_if_absent(staged.head_name, as_bytes(staged.head)));
  if (head == storage::PutOutcome::kLost) {
    WEFT_TRY_STATUS(store.sync_existing({staged.head_name}));
  }
  WEFT_TRY(const storage::PutOutcome made, store.put_if_absent(ref.first, as_bytes(ref.second)));
  if (made == storage::PutOutcome::kLost) {
    return Error(ErrorKind::kAlreadyExists, "branch exists").with("branch", name);
  }
  return open_version(staged.location, staged.version, staged.naming);
}

}  // namespace weft::lance
