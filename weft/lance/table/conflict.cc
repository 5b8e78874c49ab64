#include "weft/lance/table/conflict.h"

#include <algorithm>
#include <set>

#include "weft/lance/table/key_filter.h"

namespace weft::lance {

namespace {

constexpr Judgement kFine = {Verdict::kCompatible, ""};

Judgement retry(std::string_view reason) {
  return {Verdict::kRetry, reason};
}
Judgement fail(std::string_view reason) {
  return {Verdict::kFail, reason};
}

// Fragments whose rows or files an operation changes or takes away.
struct Touched {
  std::set<uint64_t> ids;

  void add(const std::vector<Fragment>& fragments) {
    for (const Fragment& fragment : fragments) {
      ids.insert(fragment.id);
    }
  }
  void operator()(const DeleteOperation& operation) {
    add(operation.updated_fragments);
    ids.insert(operation.deleted_fragment_ids.begin(), operation.deleted_fragment_ids.end());
  }
  void operator()(const UpdateOperation& operation) {
    add(operation.updated_fragments);
    ids.insert(operation.removed_fragment_ids.begin(), operation.removed_fragment_ids.end());
  }
  void operator()(const RewriteOperation& operation) {
    for (const RewriteGroup& group : operation.groups) {
      add(group.old_fragments);
    }
  }
  void operator()(const DataReplacementOperation& operation) {
    for (const auto& [fragment, file] : operation.replacements) {
      ids.insert(fragment);
    }
  }
  template <typename Other>
  void operator()(const Other& /*operation*/) {}
};

bool touch_same(const Operation& ours, const Operation& theirs) {
  Touched left;
  Touched right;
  std::visit([&](const auto& operation) { left(operation); }, ours);
  std::visit([&](const auto& operation) { right(operation); }, theirs);
  return std::any_of(left.ids.begin(), left.ids.end(),
                     [&](uint64_t id) { return right.ids.contains(id); });
}

template <typename T>
bool is(const Operation& operation) {
  return std::holds_alternative<T>(operation);
}

bool changes_rows(const Operation& operation) {
  return is<DeleteOperation>(operation) || is<UpdateOperation>(operation);
}

bool same_key(const std::optional<MapUpdate>& ours, const std::optional<MapUpdate>& theirs) {
  if (!ours || !theirs) {
    return false;
  }
  if (ours->replace || theirs->replace) {
    return true;
  }
  return std::any_of(ours->entries.begin(), ours->entries.end(), [&](const auto& entry) {
    return std::any_of(theirs->entries.begin(), theirs->entries.end(),
                       [&](const auto& other) { return other.first == entry.first; });
  });
}

bool same_config_key(const UpdateConfigOperation& ours, const Operation& theirs) {
  if (const auto* config = std::get_if<UpdateConfigOperation>(&theirs)) {
    const bool same_field =
        std::any_of(ours.field_metadata.begin(), ours.field_metadata.end(), [&](const auto& entry) {
          return std::any_of(
              config->field_metadata.begin(), config->field_metadata.end(), [&](const auto& other) {
                return other.first == entry.first && same_key(entry.second, other.second);
              });
        });
    return same_field || same_key(ours.config, config->config) ||
           same_key(ours.table_metadata, config->table_metadata) ||
           same_key(ours.schema_metadata, config->schema_metadata);
  }
  if (const auto* overwrite = std::get_if<OverwriteOperation>(&theirs)) {
    MapUpdate upserts;
    for (const auto& [key, value] : overwrite->config_upserts) {
      upserts.entries.emplace_back(key, value);
    }
    return ours.schema_metadata || !ours.field_metadata.empty() ||
           same_key(ours.config, std::optional(upserts));
  }
  return false;
}

// An upsert of ours (an update that inserts, with or without a filter) against rows of theirs.
Judgement judge_keys(const UpdateOperation& ours, const Operation& theirs) {
  if (!ours.inserted_keys) {
    return kFine;  // inserts nothing by key: fragments decide
  }
  if (is<AppendOperation>(theirs)) {
    return retry("appended rows may hold the keys");
  }
  const auto* update = std::get_if<UpdateOperation>(&theirs);
  if (update == nullptr || update->new_fragments.empty()) {
    return kFine;
  }
  if (!update->inserted_keys) {
    return retry("an update without key filter may hold the keys");
  }
  const auto mine = KeyFilter::parse(as_bytes(*ours.inserted_keys));
  const auto other = KeyFilter::parse(as_bytes(*update->inserted_keys));
  if (!mine.ok() || !other.ok() || mine->may_intersect(*other)) {
    return retry("an update inserted one of the keys");
  }
  return kFine;
}

struct Judge {
  const Operation& ours_operation;
  const Operation& theirs;

  Judgement operator()(const AppendOperation&) const {
    if (is<MergeOperation>(theirs)) {
      const auto& schema = std::get<MergeOperation>(theirs).schema;
      const bool strict = std::any_of(schema.begin(), schema.end(),
                                      [](const auto& field) { return !field.nullable; });
      // Whether the column is new is checked when the fragments are placed; recomputing is cheap.
      return strict ? retry("columns that must not be null may have been added") : kFine;
    }
    return replaced_all();
  }
  Judgement operator()(const DeleteOperation&) const { return rows(); }
  Judgement operator()(const UpdateOperation& ours) const {
    const Judgement keys = judge_keys(ours, theirs);
    return keys.verdict == Verdict::kCompatible ? rows() : keys;
  }
  Judgement operator()(const RewriteOperation&) const {
    if (is<MergeOperation>(theirs)) {
      return retry("columns were added");
    }
    if (is<CreateIndexOperation>(theirs)) {
      return retry("an index was built over the fragments");
    }
    return touch_same(ours_operation, theirs) ? retry("a fragment was changed") : replaced_all();
  }
  Judgement operator()(const OverwriteOperation& ours) const {
    if (const auto* config = std::get_if<UpdateConfigOperation>(&theirs)) {
      const Judgement same = same_config_key(*config, Operation(ours))
                                 ? fail("the same configuration was changed")
                                 : kFine;
      return ours.config_upserts.empty() ? kFine : same;
    }
    return kFine;
  }
  Judgement operator()(const MergeOperation&) const {
    if (is<AppendOperation>(theirs) || changes_rows(theirs) || is<RewriteOperation>(theirs) ||
        is<MergeOperation>(theirs) || is<DataReplacementOperation>(theirs)) {
      return retry("rows were changed");
    }
    return is<ProjectOperation>(theirs) ? fail("the schema was changed") : replaced_all();
  }
  Judgement operator()(const ProjectOperation&) const {
    if (is<MergeOperation>(theirs) || is<ProjectOperation>(theirs)) {
      return retry("the schema was changed");
    }
    return replaced_all();
  }
  Judgement operator()(const RestoreOperation&) const { return kFine; }
  Judgement operator()(const ReserveOperation&) const { return replaced_all(); }
  Judgement operator()(const UpdateConfigOperation& ours) const {
    return same_config_key(ours, theirs) ? fail("the same configuration was changed") : kFine;
  }
  template <typename Other>
  Judgement operator()(const Other&) const {
    return fail("operation is not known to weft");
  }

 private:
  Judgement replaced_all() const {
    if (is<OverwriteOperation>(theirs) || is<RestoreOperation>(theirs)) {
      return fail("the table was replaced");
    }
    return kFine;
  }
  // Deletes and updates.
  Judgement rows() const {
    if (is<MergeOperation>(theirs)) {
      return retry("columns were added");
    }
    return touch_same(ours_operation, theirs) ? retry("a fragment was changed") : replaced_all();
  }
};

}  // namespace

Judgement judge(const Operation& ours, const Operation& theirs) {
  if (is<UnknownOperation>(theirs) || is<CloneOperation>(theirs) ||
      is<UpdateBasesOperation>(theirs)) {
    return fail("operation of the other is not known to weft");
  }
  return std::visit(Judge{ours, theirs}, ours);
}

}  // namespace weft::lance
