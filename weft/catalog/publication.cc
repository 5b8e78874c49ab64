// The next version of the catalog: computed, put, and created if it is absent.
#include <algorithm>
#include <iterator>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/catalog.h"
#include "weft/catalog/fork.h"
#include "weft/catalog/fragments.h"
#include "weft/catalog/known_state.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/rows/row_writer.h"
#include "weft/lance/rows/tail_fold.h"

namespace weft::catalog {
namespace {

using lance::Fragment;

lance::StageOptions stage_options(const CatalogPlace& place, const CommitRecord& head,
                                  std::string_view prefix) {
  lance::StageOptions options;
  options.operation = std::string(prefix) + head.operation.text();
  options.clock = &place.clock;
  options.random = &place.random;
  options.properties = {{"weft.operation", head.operation.text()}, {"weft.commit", head.id.text()}};
  return options;
}

Result<std::vector<lance::layout::SchemaField>> catalog_fields() {
  WEFT_TRY(auto fields, lance::layout::schema_fields(*catalog_schema()));
  fields[0].unenforced_primary_key = true;
  fields[0].unenforced_primary_key_position = 1;
  return fields;
}

Result<std::vector<Fragment>> write_rows(const CatalogPlace& place, std::string file_version,
                                         lance::StageOptions names,
                                         const std::vector<columns::Batch>& batches,
                                         std::vector<lance::StagedObject>& held) {
  WEFT_TRY(const auto fields, catalog_fields());
  lance::RowWriteOptions options;
  options.executor = &place.executor;
  options.held_bytes_max = kHeldBytesMax;
  lance::RowWriter writer(place.location(), std::move(file_version), std::move(names), fields,
                          options, &held);
  for (const columns::Batch& batch : batches) {
    WEFT_TRY_STATUS(writer.append(batch));
  }
  return writer.finish();
}

// `before` is null for the first commit of a graph.
Status check_follows(const CommitRecord* before, const CommitRecord& next) {
  const auto refuse = [](std::string_view rule) {
    return Error(ErrorKind::kInvalid, "a commit does not follow the one before it")
        .with("rule", rule);
  };
  if (next.id.is_none() || next.operation.is_none()) {
    return refuse("it has an id and an operation");
  }
  if (before == nullptr) {
    return next.parent.has_value() ? Status(refuse("the first one has no parent")) : ok_status();
  }
  if (next.parent != before->id) {
    return refuse("its parent is the head");
  }
  return next.created_at > before->created_at ? ok_status()
                                              : Status(refuse("it is younger than the head"));
}

Status check_all_follow(const CatalogView* base, const std::vector<CommitRecord>& commits) {
  const CommitRecord* last = base != nullptr ? &base->state().head : nullptr;
  for (const CommitRecord& commit : commits) {
    WEFT_TRY_STATUS(check_follows(last, commit));
    last = &commit;
  }
  return ok_status();
}

// The beginning of a branch's own chain, for its first write: also where somebody has put it before
// and came to his end. Nothing: the chain goes on.
Result<std::optional<Fork>> fork_upon(const CatalogPlace& place, const CatalogView& base) {
  if (!base.is_inherited()) {
    return std::optional<Fork>();
  }
  WEFT_TRY(Fork fork, fork_of(place, base.snapshot()));
  return std::optional<Fork>(std::move(fork));
}

}  // namespace

Result<StagedPublication> stage_publication(const CatalogPlace& place, const CatalogView* base,
                                            CatalogState next, std::vector<CommitRecord> before) {
  std::ranges::sort(next.tables, {}, &TableEntry::key);
  next.head.catalog_version = base == nullptr ? 1 : base->version() + 1;
  std::vector<CommitRecord> all = std::move(before);
  all.push_back(next.head);
  WEFT_TRY_STATUS(check_all_follow(base, all));
  for (CommitRecord& commit : all) {
    commit.catalog_version = next.head.catalog_version;
  }
  const lance::StageOptions options = stage_options(place, next.head, "");
  const std::string file_version =
      base == nullptr ? "2.1" : base->snapshot().manifest().file_version;
  std::vector<lance::StagedObject> held;
  WEFT_TRY(std::vector<Fragment> pointers,
           write_rows(place, file_version, stage_options(place, next.head, kPointersPrefix),
                      {pointer_rows(next)}, held));
  lance::UpdateOperation update;
  lance::MovedRows moved;
  if (base != nullptr) {
    WEFT_TRY(const Fragments there, sort_fragments(base->snapshot()));
    const size_t folded = lance::fragments_to_fold(there.commits, all.size());
    for (size_t i = there.commits.size() - folded; i < there.commits.size(); ++i) {
      WEFT_TRY_STATUS(lance::move_fragment(base->snapshot(), there.commits[i], {}, {}, moved));
      update.removed_fragment_ids.push_back(there.commits[i].id);
    }
    for (const Fragment& fragment : there.pointers) {
      update.removed_fragment_ids.push_back(fragment.id);
    }
  }
  moved.batches.push_back(commit_rows(all));
  WEFT_TRY(std::vector<Fragment> commits,
           write_rows(place, file_version, stage_options(place, next.head, kCommitsPrefix),
                      moved.batches, held));
  update.new_fragments = std::move(pointers);
  update.new_fragments.insert(update.new_fragments.end(), commits.begin(), commits.end());
  StagedPublication staged;
  if (base == nullptr) {
    lance::NewTable table;
    table.location = place.location();
    WEFT_TRY(table.schema, catalog_fields());
    table.fragments = std::move(update.new_fragments);
    table.file_version = file_version;
    table.schema_metadata = {{std::string(kCatalogFormatKey), std::to_string(kCatalogFormat)}};
    WEFT_TRY(staged.transaction,
             lance::stage_new_table(std::move(table), options, std::move(held)));
  } else {
    lance::Snapshot upon = base->snapshot();
    WEFT_TRY(std::optional<Fork> fork, fork_upon(place, *base));
    if (fork) {
      // Seen is not yet durable: who made the branch may have come to his end before his sync.
      if (!place.ref.empty() && !base::planted(base::Bug::kWriteOfUnsyncedRef)) {
        WEFT_TRY_STATUS(place.store.sync_existing({place.ref}));
      }
      std::ranges::move(fork->objects, std::back_inserter(held));
      upon = std::move(fork->snapshot);
    }
    lance::Stage stage(std::move(upon), options);
    stage.held_objects() = std::move(held);
    WEFT_TRY(staged.transaction, std::move(stage).finish(std::move(update)));
  }
  staged.state = std::move(next);
  return staged;
}

Result<PublishResult> publish(const CatalogPlace& place, const StagedPublication& staged) {
  const lance::CommitOptions options{.stage = stage_options(place, staged.state.head, ""),
                                     .rebases_max = 0,
                                     .rebase = false,
                                     .next = staged.heads,
                                     .may_create = staged.may_publish};
  Result<lance::CommitResult> committed = lance::commit(staged.transaction, options);
  if (!committed.ok()) {
    Error error = std::move(committed).error();
    error.add("operation", staged.state.head.operation.text());
    return error;
  }
  PublishResult result;
  if (committed->outcome == lance::CommitOutcome::kCommitted) {
    WEFT_TRY(lance::Snapshot snapshot, staged.transaction.snapshot());
    snapshot.set_durable();
    result.outcome = PublishOutcome::kPublished;
    result.view = CatalogView(place.location(), std::move(snapshot), staged.state);
    if (place.known != nullptr) {
      place.known->note_newest(place.life, *result.view);
    }
    return result;
  }
  WEFT_TRY(result.view, open_latest(place));
  return result;
}

}  // namespace weft::catalog
