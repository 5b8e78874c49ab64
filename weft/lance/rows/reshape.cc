// Operations that leave the rows as they are: compaction, columns added and dropped.
#include <algorithm>
#include <array>
#include <set>

#include "weft/lance/rows/fragment_reader.h"
#include "weft/lance/rows/new_columns.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/rows/tail_fold.h"

namespace weft::lance {

namespace {

bool wants_rewriting(const Fragment& fragment, const CompactOptions& compact) {
  const uint64_t deleted = fragment.physical_rows - fragment.live_rows();
  return fragment.live_rows() < compact.rows_per_fragment / 2 ||
         deleted * 100 >=
             fragment.physical_rows * std::max<uint64_t>(1, compact.deleted_percent_min);
}

// Runs of neighbours [first, second) that become one fragment each.
std::vector<std::pair<size_t, size_t>> choose_groups(const std::vector<Fragment>& fragments,
                                                     const CompactOptions& compact) {
  std::vector<std::pair<size_t, size_t>> groups;
  for (size_t i = 0; i < fragments.size();) {
    if (!wants_rewriting(fragments[i], compact)) {
      ++i;
      continue;
    }
    size_t end = i;
    uint64_t rows = 0;
    bool deletions = false;
    while (end < fragments.size() && wants_rewriting(fragments[end], compact) &&
           (end == i || rows + fragments[end].live_rows() <= compact.rows_per_fragment)) {
      rows += fragments[end].live_rows();
      deletions |= fragments[end].deletion_file.has_value();
      ++end;
    }
    if (end - i > 1 || deletions) {
      groups.emplace_back(i, end);
    }
    i = end;
  }
  return groups;
}

// Writes the live rows of some fragments into new ones.
Result<std::vector<Fragment>> rewrite(Stage& stage, const std::vector<Fragment>& old,
                                      const RowOptions& options) {
  constexpr uint64_t kRowsAtOnce = 16'384;
  const Snapshot& base = stage.base();
  RowWriteOptions write = options.write;
  uint64_t rows = 0;
  for (const Fragment& fragment : old) {
    rows += fragment.live_rows();
  }
  write.file_rows_max = std::max<uint64_t>(rows, 1);  // one file: sequences stay whole
  RowWriter writer(stage, base.manifest().fields, write);
  MovedRows moved;
  WEFT_TRY(const columns::SchemaPtr schema, columns_of(base, {}));
  for (const Fragment& fragment : old) {
    FragmentReader reader(base, fragment, options.read);
    WEFT_TRY(const FragmentProjection all, reader.project(schema));
    std::vector<uint32_t> live;
    for (uint64_t from = 0; from < fragment.physical_rows; from += kRowsAtOnce) {
      const uint64_t to = std::min(from + kRowsAtOnce, fragment.physical_rows);
      WEFT_TRY(const LiveRows some, reader.read_live(all, {from, to}, {}));
      WEFT_TRY_STATUS(writer.append(some.batch));
      live.insert(live.end(), some.offsets.begin(), some.offsets.end());
    }
    if (base.manifest().has_stable_row_ids()) {
      WEFT_TRY_STATUS(move_sequences(fragment, live, moved));
    }
  }
  WEFT_TRY(std::vector<Fragment> made, writer.finish());
  if (base.manifest().has_stable_row_ids() && !made.empty()) {
    carry(moved, true, made.front());
  }
  return made;
}

std::set<int32_t> with_children(const std::vector<layout::SchemaField>& fields, int32_t id) {
  std::set<int32_t> ids = {id};
  for (const layout::SchemaField& field : fields) {  // parents stand before their children
    if (ids.contains(field.parent_id)) {
      ids.insert(field.id);
    }
  }
  return ids;
}

}  // namespace

Result<std::optional<StagedTransaction>> stage_compaction(const Snapshot& base,
                                                          const CompactOptions& compact,
                                                          const RowOptions& options) {
  const std::vector<Fragment>& fragments = base.manifest().fragments;
  const auto groups = choose_groups(fragments, compact);
  if (groups.empty()) {
    return std::optional<StagedTransaction>();
  }
  Stage stage(base, options.stage);
  RewriteOperation operation;
  for (const auto& [first, end] : groups) {
    RewriteGroup& group = operation.groups.emplace_back();
    group.old_fragments.assign(fragments.begin() + static_cast<ptrdiff_t>(first),
                               fragments.begin() + static_cast<ptrdiff_t>(end));
    WEFT_TRY(group.new_fragments, rewrite(stage, group.old_fragments, options));
  }
  WEFT_TRY(StagedTransaction staged, std::move(stage).finish(std::move(operation)));
  return std::optional(std::move(staged));
}

Result<std::vector<layout::SchemaField>> fields_to_add(const Snapshot& base,
                                                       const columns::Schema& added) {
  static constexpr std::array<std::string_view, 5> kReserved = {"_rowid", "_rowaddr", "_rowoffset",
                                                                "_row_created_at_version",
                                                                "_row_last_updated_at_version"};
  for (size_t i = 0; i < added.fields.size(); ++i) {
    const columns::Field& field = added.fields[i];
    if (base.manifest().find_top_field(field.name) != nullptr || added.index_of(field.name) != i) {
      return Error(ErrorKind::kAlreadyExists, "column exists").with("column", field.name);
    }
    if (field.name.empty() || field.name.find('.') != std::string::npos ||
        std::find(kReserved.begin(), kReserved.end(), field.name) != kReserved.end()) {
      return Error(ErrorKind::kInvalid, "bad name of a column").with("column", field.name);
    }
  }
  return layout::schema_fields(added, base.manifest().next_field_id());
}

Result<StagedTransaction> stage_add_columns(const Snapshot& base, const columns::Schema& added,
                                            const RowOptions& options) {
  MergeOperation operation;
  operation.fragments = base.manifest().fragments;
  operation.schema = base.manifest().fields;
  operation.schema_metadata = base.manifest().schema_metadata;
  for (const columns::Field& field : added.fields) {
    if (!field.nullable && base.manifest().row_count() > 0) {
      return Error(ErrorKind::kInvalid, "new column must be nullable: rows have no value for it")
          .with("column", field.name);
    }
  }
  WEFT_TRY(const std::vector<layout::SchemaField> fields, fields_to_add(base, added));
  operation.schema.insert(operation.schema.end(), fields.begin(), fields.end());
  return Stage(base, options.stage).finish(std::move(operation));
}

Result<StagedTransaction> stage_drop_columns(const Snapshot& base,
                                             const std::vector<std::string>& names,
                                             const RowOptions& options) {
  const std::vector<layout::SchemaField>& fields = base.manifest().fields;
  const std::vector<int32_t> key = primary_key(fields);
  std::set<int32_t> dropped;
  for (const std::string& name : names) {
    const layout::SchemaField* field = base.manifest().find_top_field(name);
    if (field == nullptr) {
      return Error(ErrorKind::kNotFound, "no such column in the table").with("column", name);
    }
    dropped.merge(with_children(fields, field->id));
  }
  ProjectOperation operation;
  for (const layout::SchemaField& field : fields) {
    if (!dropped.contains(field.id)) {
      operation.schema.push_back(field);
    } else if (std::find(key.begin(), key.end(), field.id) != key.end()) {
      return Error(ErrorKind::kInvalid, "column of the primary key cannot be dropped")
          .with("column", field.name);
    }
  }
  if (operation.schema.empty()) {
    return Error(ErrorKind::kInvalid, "no column would be left");
  }
  return Stage(base, options.stage).finish(std::move(operation));
}

}  // namespace weft::lance
