#include "weft/lance/table/stage.h"

#include "weft/base/check.h"
#include "weft/lance/table/composed.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/next_manifest.h"

namespace weft::lance {

namespace {

// Adds `name` and, if wanted, its copy that engines do not clean.
void add_object(std::vector<StagedObject>& objects, const TableLocation& location,
                const std::string& name, const std::string& bytes, bool keep_copy) {
  objects.emplace_back(location.object(name), bytes);
  if (keep_copy) {
    objects.emplace_back(location.object(std::string(kKeptFolder) + name), bytes);
  }
}

void upsert(StringMap& map, const std::string& key, const std::string& value) {
  for (auto& entry : map) {
    if (entry.first == key) {
      entry.second = value;
      return;
    }
  }
  map.emplace_back(key, value);
}

// The next version as bytes, under both names.
Result<StagedTransaction> seal(TableLocation location, uint64_t read_version, Naming naming,
                               NextManifest next, Operation operation, const StageOptions& options,
                               std::vector<StagedObject> objects) {
  WEFT_TRY_STATUS(check_operation_name(options.operation));
  StagedTransaction staged;
  staged.location = std::move(location);
  staged.read_version = read_version;
  staged.version = next.manifest.version;
  staged.naming = naming;
  staged.transaction.read_version = read_version;
  staged.transaction.uuid = options.uuid.empty() ? new_uuid(*options.random) : options.uuid;
  staged.transaction.properties = options.properties;
  staged.transaction.operation = std::move(operation);
  staged.objects = std::move(objects);
  const std::string message = serialize_transaction(staged.transaction);
  // Flag 32: the table has no separate files of transactions.
  const bool separate = (next.manifest.writer_flags & flags::kNoTransactionFiles) == 0;
  if (separate) {
    next.manifest.transaction_file = transaction_file_name(read_version, staged.transaction.uuid);
    add_object(staged.objects, staged.location,
               std::string(kTransactionsFolder) + next.manifest.transaction_file, message,
               options.keep_copies);
  }
  const bool inline_too =
      !separate || (options.inline_transaction && message.size() <= kInlineTransactionBytesMax);
  const auto section = [](const std::string& bytes) { return std::optional(as_bytes(bytes)); };
  staged.head = serialize_manifest_file(
      std::move(next.manifest), next.index_section ? section(*next.index_section) : std::nullopt,
      inline_too ? section(message) : std::nullopt);
  staged.head_name = staged.location.object(manifest_name(staged.version, naming));
  staged.detached_version = options.random->next() | kDetachedBit;
  staged.detached_name = staged.location.object(manifest_name(staged.detached_version));
  WEFT_TRY(staged.detached, with_version(as_bytes(staged.head), staged.detached_version));
  return staged;
}

}  // namespace

Result<Snapshot> StagedTransaction::snapshot() const {
  return Snapshot::from_bytes(location, storage::Buffer::copy_of(as_bytes(head)), naming);
}

std::vector<StagedObject> StagedTransaction::objects_detached() const {
  std::vector<StagedObject> all = objects;
  all.emplace_back(detached_name, detached);
  return all;
}

std::string new_data_path(const StageOptions& options) {
  WEFT_CHECK(options.random != nullptr);
  return options.operation + "-" + hex_text(options.random->next()) +
         std::string(options.data_ending);
}

std::string Stage::new_data_path() {
  return lance::new_data_path(options_);
}

DeletionFile Stage::add_deletions(uint64_t fragment_id, const Deletions& deletions) {
  WEFT_CHECK(options_.random != nullptr && !deletions.empty());
  DeletionFile file;
  file.kind = DeletionFile::Kind::kBitmap;
  file.read_version = base_.version();
  file.id = options_.random->next();
  file.deleted_row_count = deletions.count();
  add_object(objects_, base_.location(), deletion_file_name(fragment_id, file),
             deletions.serialize_bitmap(), options_.keep_copies);
  return file;
}

Result<StagedTransaction> Stage::finish(Operation operation) && {
  WEFT_CHECK(options_.random != nullptr && options_.clock != nullptr);
  std::optional<Snapshot> restored;
  if (const auto* restore = std::get_if<RestoreOperation>(&operation)) {
    WEFT_TRY(restored, open_version(base_.location(), restore->version, base_.naming()));
  }
  WEFT_TRY(NextManifest next,
           next_manifest(base_, operation, options_.clock->now(), restored ? &*restored : nullptr));
  for (const auto& [key, value] : options_.config) {
    upsert(next.manifest.config, key, value);
  }
  if (options_.base_paths.has_value()) {
    next.manifest.base_paths = *options_.base_paths;
  }
  recompute_flags(next.manifest);
  if (options_.says_overwrite) {
    OverwriteOperation overwrite;
    overwrite.schema = next.manifest.fields;
    overwrite.schema_metadata = next.manifest.schema_metadata;
    operation = std::move(overwrite);
  }
  WEFT_TRY(StagedTransaction staged,
           seal(base_.location(), base_.version(), base_.naming(), std::move(next),
                std::move(operation), options_, std::move(objects_)));
  staged.base_is_durable = base_.is_durable();
  return staged;
}

Result<StagedTransaction> stage_new_table(NewTable table, const StageOptions& options,
                                          std::vector<StagedObject> held) {
  WEFT_CHECK(options.random != nullptr && options.clock != nullptr);
  NextManifest next;
  Manifest& manifest = next.manifest;
  manifest.version = 1;
  manifest.fields = table.schema;
  manifest.schema_metadata = table.schema_metadata;
  manifest.config = table.config;
  for (const auto& [key, value] : options.config) {
    upsert(manifest.config, key, value);
  }
  manifest.file_format = "lance";
  manifest.file_version = table.file_version;
  if (table.stable_row_ids) {
    manifest.reader_flags |= flags::kStableRowIds;
    manifest.writer_flags |= flags::kStableRowIds;
  }
  uint64_t next_fragment_id = 0;
  for (Fragment fragment : table.fragments) {
    WEFT_TRY_STATUS(place_fragment(manifest, fragment, next_fragment_id));
    manifest.fragments.push_back(std::move(fragment));
  }
  stamp(manifest, options.clock->now());
  OverwriteOperation operation;
  operation.fragments = std::move(table.fragments);
  operation.schema = std::move(table.schema);
  operation.schema_metadata = std::move(table.schema_metadata);
  operation.config_upserts = manifest.config;
  return seal(std::move(table.location), 0, Naming::kV2, std::move(next), std::move(operation),
              options, std::move(held));
}

Result<StagedTransaction> stage_composed(const Snapshot& base, const StagedTransaction& last,
                                         const StageOptions& options) {
  WEFT_CHECK(last.version == base.version() + 1);
  WEFT_TRY(const Snapshot result, last.snapshot());
  UpdateOperation update;
  for (const Fragment& fragment : base.manifest().fragments) {
    if (result.manifest().find_fragment(fragment.id) == nullptr) {
      update.removed_fragment_ids.push_back(fragment.id);
    }
  }
  for (const Fragment& fragment : result.manifest().fragments) {
    const Fragment* const before = base.manifest().find_fragment(fragment.id);
    if (before == nullptr) {
      update.new_fragments.push_back(fragment);
    } else if (!(*before == fragment)) {
      update.updated_fragments.push_back(fragment);
    }
  }
  NextManifest next;
  next.manifest = result.manifest();
  next.manifest.transaction_file.clear();
  if (const std::optional<ByteView> section = result.index_section(); section.has_value()) {
    next.index_section = to_text(*section);
  }
  WEFT_TRY(StagedTransaction staged, seal(base.location(), base.version(), base.naming(),
                                          std::move(next), std::move(update), options, {}));
  staged.base_is_durable = base.is_durable();
  return staged;
}

namespace {

// What somebody cleans away between two looks is put again so often.
constexpr int kPutRepeatsMax = 8;

// False: something was there, and is gone again.
Result<bool> put_once(storage::ObjectStore& store, const std::vector<StagedObject>& objects,
                      const NextObjects& next) {
  std::vector<std::pair<std::string, ByteView>> puts;
  puts.reserve(objects.size());
  for (const auto& [name, bytes] : objects) {
    puts.emplace_back(name, as_bytes(bytes));
  }
  auto outcomes = store.put_many_foreseeing(puts, next);
  if (!outcomes.ok() && outcomes.error().kind() == ErrorKind::kRecoveryRequired) {
    // The names are ours alone: putting them once more shows what is there.
    outcomes = store.put_many_if_absent(puts);
  }
  if (!outcomes.ok()) {
    return std::move(outcomes).error();
  }
  std::vector<std::string> found;
  for (size_t i = 0; i < objects.size(); ++i) {
    if ((*outcomes)[i] == storage::PutOutcome::kDone) {
      continue;
    }
    const std::string& name = objects[i].first;
    const auto there = store.get(name, objects[i].second.size() + 1);
    if (!there.ok()) {
      return there.error().kind() == ErrorKind::kNotFound ? Result<bool>(false)
                                                          : Result<bool>(there.error());
    }
    if (as_text(there->bytes.view()) != objects[i].second) {
      return Error(ErrorKind::kAlreadyExists, "name of a staged object is taken")
          .with("object", name);
    }
    found.push_back(name);
  }
  if (found.empty()) {
    return true;
  }
  const Status synced = store.sync_existing(found);
  return synced.ok()                                     ? Result<bool>(true)
         : synced.error().kind() == ErrorKind::kNotFound ? Result<bool>(false)
                                                         : Result<bool>(synced.error());
}

}  // namespace

Status put_staged(storage::ObjectStore& store, const std::vector<StagedObject>& objects,
                  const NextObjects& next) {
  for (int repeat = 0; !objects.empty(); ++repeat) {
    WEFT_TRY(const bool is_whole, put_once(store, objects, repeat == 0 ? next : NextObjects()));
    if (is_whole) {
      break;
    }
    if (repeat == kPutRepeatsMax) {
      return Error(ErrorKind::kUnavailable, "what is staged is cleaned away again and again")
          .with("object", objects.front().first)
          .with("reason", "cleaned");
    }
  }
  return {};
}

}  // namespace weft::lance
