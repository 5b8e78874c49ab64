#include "weft/lance/table/next_manifest.h"

#include <algorithm>
#include <set>

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/index_section.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/row_sequence.h"

namespace weft::lance {

namespace {

constexpr std::string_view kWriterLibrary = "weft";
constexpr std::string_view kWriterVersion = "0.1.0";

Error refuse(std::string_view what) {
  return Error(ErrorKind::kInvalid, "operation does not fit the table").with("rule", what);
}

// Removes, replaces and adds fragments, keeping their order.
class FragmentEditor {
 public:
  explicit FragmentEditor(Manifest& manifest)
      : manifest_(manifest), next_id_(manifest.next_fragment_id()) {}

  Status remove(const std::vector<uint64_t>& ids) {
    const std::set<uint64_t> gone(ids.begin(), ids.end());
    const size_t before = manifest_.fragments.size();
    std::erase_if(manifest_.fragments,
                  [&](const Fragment& fragment) { return gone.contains(fragment.id); });
    if (before - manifest_.fragments.size() != gone.size()) {
      return refuse("a fragment to be removed is not there");
    }
    return {};
  }

  // A fragment without live rows is dropped.
  Status replace(const std::vector<Fragment>& updated) {
    for (const Fragment& fragment : updated) {
      const Fragment* found = manifest_.find_fragment(fragment.id);
      if (found == nullptr) {
        return refuse("a fragment to be updated is not there");
      }
      const auto at = manifest_.fragments.begin() + (found - manifest_.fragments.data());
      if (fragment.live_rows() == 0) {
        manifest_.fragments.erase(at);
      } else {
        *at = fragment;
      }
    }
    return {};
  }

  Status add(const std::vector<Fragment>& fragments) {
    for (Fragment fragment : fragments) {
      if (fragment.physical_rows == 0) {
        return refuse("a new fragment has no rows");
      }
      WEFT_TRY_STATUS(place_fragment(manifest_, fragment, next_id_));
      manifest_.fragments.push_back(std::move(fragment));
    }
    return {};
  }

 private:
  Manifest& manifest_;
  uint64_t next_id_;
};

void apply_map(const MapUpdate& update, StringMap& map) {
  if (update.replace) {
    map.clear();
  }
  for (const auto& [key, value] : update.entries) {
    std::erase_if(map, [&](const auto& entry) { return entry.first == key; });
    if (value) {
      map.emplace_back(key, *value);
    }
  }
}

std::set<int32_t> field_ids(const std::vector<layout::SchemaField>& fields) {
  std::set<int32_t> ids;
  for (const layout::SchemaField& field : fields) {
    ids.insert(field.id);
  }
  return ids;
}

// What each operation does to a manifest whose version has been raised already.
struct Apply {
  const Snapshot& base;
  const Snapshot* restored;
  NextManifest& next;

  Manifest& manifest() const { return next.manifest; }

  Status operator()(AppendOperation& operation) const {
    return FragmentEditor(manifest()).add(operation.fragments);
  }
  Status operator()(DeleteOperation& operation) const {
    FragmentEditor editor(manifest());
    WEFT_TRY_STATUS(editor.remove(operation.deleted_fragment_ids));
    return editor.replace(operation.updated_fragments);
  }
  Status operator()(OverwriteOperation& operation) const {
    if (!manifest().fragments.empty()) {
      manifest().max_fragment_id = static_cast<uint32_t>(manifest().next_fragment_id() - 1);
    }
    manifest().fragments.clear();
    manifest().fields = operation.schema;
    manifest().schema_metadata = operation.schema_metadata;
    for (const auto& [key, value] : operation.config_upserts) {
      apply_map({{{key, value}}, false}, manifest().config);
    }
    next.index_section.reset();
    return FragmentEditor(manifest()).add(operation.fragments);
  }
  Status operator()(RewriteOperation& operation) const {
    FragmentEditor editor(manifest());
    for (RewriteGroup& group : operation.groups) {
      std::vector<uint64_t> ids;
      for (const Fragment& old : group.old_fragments) {
        const Fragment* found = manifest().find_fragment(old.id);
        if (found == nullptr || found->deletion_file != old.deletion_file ||
            found->files != old.files) {
          return refuse("a fragment to be rewritten has changed");
        }
        ids.push_back(old.id);
      }
      WEFT_TRY_STATUS(editor.remove(ids));
      WEFT_TRY_STATUS(editor.add(group.new_fragments));
      // The transaction names the ids that were given.
      const auto& all = manifest().fragments;
      std::copy(all.end() - static_cast<ptrdiff_t>(group.new_fragments.size()), all.end(),
                group.new_fragments.begin());
    }
    return {};
  }
  Status operator()(MergeOperation& operation) const {
    return reshape(operation.schema, operation.fragments, &operation.schema_metadata);
  }
  Status operator()(ProjectOperation& operation) const {
    return reshape(operation.schema, manifest().fragments, nullptr);
  }
  Status operator()(RestoreOperation& operation) const {
    if (restored == nullptr || restored->version() != operation.version) {
      return refuse("the version to be restored is not at hand");
    }
    const Manifest& now = base.manifest();
    Manifest back = restored->manifest();
    back.version = manifest().version;
    if (now.max_fragment_id || !now.fragments.empty()) {
      back.max_fragment_id =
          static_cast<uint32_t>(std::max(now.next_fragment_id(), back.next_fragment_id()) - 1);
    }
    back.next_row_id = std::max(now.next_row_id, back.next_row_id);
    back.branch = now.branch;
    back.base_paths = now.base_paths;
    if (now.max_allocated_field_id) {
      back.max_allocated_field_id = now.max_allocated_field_id;
    }
    manifest() = std::move(back);
    next.index_section.reset();
    if (const auto section = restored->index_section()) {
      next.index_section = to_text(*section);
    }
    return {};
  }
  Status operator()(ReserveOperation& operation) const {
    if (operation.fragment_count > 0) {
      manifest().max_fragment_id =
          static_cast<uint32_t>(manifest().next_fragment_id() - 1 + operation.fragment_count);
    }
    return {};
  }
  Status operator()(UpdateOperation& operation) const {
    if (operation.mode != 0) {
      return Error(ErrorKind::kUnsupported, "update that rewrites columns in place");
    }
    FragmentEditor editor(manifest());
    WEFT_TRY_STATUS(editor.remove(operation.removed_fragment_ids));
    WEFT_TRY_STATUS(editor.replace(operation.updated_fragments));
    return editor.add(operation.new_fragments);
  }
  Status operator()(UpdateConfigOperation& operation) const {
    if (operation.config) {
      apply_map(*operation.config, manifest().config);
    }
    if (operation.table_metadata) {
      apply_map(*operation.table_metadata, manifest().table_metadata);
    }
    if (operation.schema_metadata) {
      apply_map(*operation.schema_metadata, manifest().schema_metadata);
    }
    for (const auto& [id, update] : operation.field_metadata) {
      auto& fields = manifest().fields;
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const auto& entry) { return entry.id == id; });
      if (field == fields.end()) {
        return refuse("metadata for a field that is not there");
      }
      apply_map(update, field->metadata);
    }
    return {};
  }
  template <typename Other>
  Status operator()(Other& operation) const {
    return Error(ErrorKind::kUnsupported, "operation that weft does not commit")
        .with("operation", operation_name(Operation(operation)));
  }

  // Another schema over the same rows. Files all of whose fields are gone are dropped, and so are
  // indices of fields that are gone.
  Status reshape(const std::vector<layout::SchemaField>& schema, std::vector<Fragment> fragments,
                 const StringMap* metadata) const {
    const std::set<int32_t> kept = field_ids(schema);
    std::vector<int32_t> dropped;
    for (const layout::SchemaField& field : manifest().fields) {
      if (!kept.contains(field.id)) {
        dropped.push_back(field.id);
      }
    }
    if (manifest().max_fragment_id.has_value() || !fragments.empty()) {
      const uint64_t next_id = manifest().next_fragment_id();
      if (!fragments.empty() && fragments.back().id >= next_id) {
        return refuse("a reshaped table has fragments that were not there");
      }
    }
    for (Fragment& fragment : fragments) {
      std::erase_if(fragment.files, [&](const DataFile& file) {
        return std::none_of(file.fields.begin(), file.fields.end(),
                            [&](int32_t id) { return kept.contains(id); });
      });
    }
    manifest().fields = schema;
    manifest().fragments = std::move(fragments);
    if (metadata != nullptr) {
      manifest().schema_metadata = *metadata;
    }
    if (next.index_section && !dropped.empty()) {
      WEFT_TRY(next.index_section, drop_indices(*next.index_section, dropped));
    }
    return {};
  }
};

}  // namespace

void stamp(Manifest& manifest, base::WallTime now) {
  if (manifest.timestamp) {
    // Time never goes back along the versions, whatever the clocks of their writers say.
    now = std::max(now, base::WallTime{to_wall_time(*manifest.timestamp).microseconds + 1});
  }
  manifest.timestamp = to_timestamp(now);
  codec::WireWriter writer;
  writer.bytes(1, kWriterLibrary);
  writer.bytes(2, kWriterVersion);
  manifest.writer_version = writer.str();
  manifest.tag.clear();
  manifest.version_aux_data = 0;
  recompute_flags(manifest);
  if (!manifest.fragments.empty()) {
    manifest.max_fragment_id = static_cast<uint32_t>(manifest.next_fragment_id() - 1);
  }
}

Status place_fragment(Manifest& manifest, Fragment& fragment, uint64_t& next_fragment_id) {
  if (next_fragment_id >= UINT32_MAX) {
    return Error(ErrorKind::kLimit, "table has no fragment ids left");
  }
  fragment.id = next_fragment_id++;
  if (!manifest.has_stable_row_ids()) {
    fragment.row_ids.reset();
    fragment.created_at_versions.reset();
    fragment.last_updated_at_versions.reset();
    return {};
  }
  const std::string carried = fragment.row_ids.value_or("");
  WEFT_TRY(const uint64_t carried_count, row_id_count(carried));
  if (carried_count > fragment.physical_rows) {
    return refuse("more row ids than rows");
  }
  // Whoever carries new ids has taken them from next_row_id on.
  WEFT_TRY(const uint64_t carried_end, row_id_end(carried));
  manifest.next_row_id = std::max(manifest.next_row_id, carried_end);
  const uint64_t fresh = fragment.physical_rows - carried_count;
  const uint64_t first = manifest.next_row_id;
  fragment.row_ids = concat_row_ids(carried, serialize_row_id_range(first, first + fresh));
  manifest.next_row_id += fresh;
  for (auto* versions : {&fragment.created_at_versions, &fragment.last_updated_at_versions}) {
    WEFT_TRY(std::vector<VersionRun> runs,
             expand_versions(versions->value_or(""), fragment.physical_rows));
    uint64_t covered = 0;
    for (const VersionRun& run : runs) {
      covered += run.count;
    }
    append_run(runs, fragment.physical_rows - covered, manifest.version);
    *versions = serialize_versions(runs);
  }
  return {};
}

Result<NextManifest> next_manifest(const Snapshot& base, Operation& operation, base::WallTime now,
                                   const Snapshot* restored) {
  WEFT_TRY_STATUS(check_writable(base.manifest()));
  NextManifest next;
  next.manifest = base.manifest();
  next.manifest.version = base.version() + 1;
  next.manifest.transaction_file.clear();
  next.manifest.transaction_section.reset();
  next.manifest.transaction_section_14.reset();
  next.manifest.index_section.reset();
  if (const auto section = base.index_section()) {
    next.index_section = to_text(*section);
  }
  WEFT_TRY_STATUS(std::visit(Apply{base, restored, next}, operation));
  next.manifest.timestamp = base.manifest().timestamp;
  stamp(next.manifest, now);
  return next;
}

Result<Snapshot> restored_under(const Snapshot& newest, const Snapshot& content) {
  Operation restore = RestoreOperation{content.version()};
  WEFT_TRY(NextManifest next, next_manifest(newest, restore, base::WallTime(), &content));
  next.manifest.version = newest.version();
  std::string bytes = serialize_manifest_file(
      std::move(next.manifest),
      next.index_section ? std::optional(as_bytes(*next.index_section)) : std::nullopt,
      std::nullopt);
  return Snapshot::from_bytes(newest.location(), storage::Buffer::from(std::move(bytes)),
                              newest.naming());
}

Status check_same_fields(const std::vector<Fragment>& fragments, const Manifest& staged,
                         const Manifest& now) {
  std::set<int32_t> used;
  for (const Fragment& fragment : fragments) {
    for (const DataFile& file : fragment.files) {
      used.insert(file.fields.begin(), file.fields.end());
    }
  }
  for (const int32_t id : used) {
    const layout::SchemaField* before = staged.find_field(id);
    const layout::SchemaField* after = now.find_field(id);
    // A field that was dropped meanwhile is ignored by readers.
    if (before != nullptr && after != nullptr &&
        (before->name != after->name || before->logical_type != after->logical_type)) {
      return Error(ErrorKind::kConflict, "a field id now means another column")
          .with("field", static_cast<uint64_t>(id))
          .with("before", before->name)
          .with("now", after->name);
    }
  }
  return {};
}

}  // namespace weft::lance
