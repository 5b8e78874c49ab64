#include "weft/catalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/fork.h"
#include "weft/catalog/known_state.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/rows/row_writer.h"
#include "weft/lance/rows/tail_fold.h"
#include "weft/storage/memory_store.h"

namespace weft::catalog {
namespace {

using lance::Fragment;

constexpr std::string_view kFormatKey = "weft:catalog_format";
// What begins the names of data files tells what is in them, so that an open leaves out the
// history.
constexpr std::string_view kPointersPrefix = "pointers-";
constexpr std::string_view kCommitsPrefix = "commits-";
// Files of rows are small unless there are very many tables.
constexpr uint64_t kHeldBytesMax = uint64_t{4} << 20U;

struct Fragments {
  std::vector<Fragment> pointers;
  std::vector<Fragment> commits;  // oldest first
};

Result<Fragments> sort_fragments(const lance::Snapshot& snapshot) {
  Fragments sorted;
  for (const Fragment& fragment : snapshot.manifest().fragments) {
    const std::string_view path =
        fragment.files.size() == 1 ? std::string_view(fragment.files[0].path) : "";
    if (path.starts_with(kPointersPrefix) && !fragment.deletion_file) {
      sorted.pointers.push_back(fragment);
    } else if (path.starts_with(kCommitsPrefix) && !fragment.deletion_file) {
      sorted.commits.push_back(fragment);
    } else {
      return Error(ErrorKind::kCorrupt,
                   "a program other than weft has changed the graph's catalog; restore "
                   "the version before it")
          .with("table", snapshot.location().to_string())
          .with("version", snapshot.version())
          .with("fragment", fragment.id);
    }
  }
  return sorted;
}

Status check_format(const lance::Snapshot& snapshot) {
  const std::string* const found =
      lance::find_entry(snapshot.manifest().schema_metadata, kFormatKey);
  uint64_t format = 0;
  if (found != nullptr) {
    std::from_chars(found->data(), found->data() + found->size(), format);
  }
  if (format == kCatalogFormat) {
    return ok_status();
  }
  const std::string_view remedy =
      found == nullptr          ? "a folder `__manifest` that weft did not make stands here"
      : format > kCatalogFormat ? "a newer weft made this graph: use it, or a later one"
                                : "an older weft made this graph: export it with that one, "
                                  "then init and load it with this one";
  return Error(ErrorKind::kUnsupported, "this graph's catalog has another format")
      .with("table", snapshot.location().to_string())
      .with("format", found == nullptr ? std::string_view("none") : std::string_view(*found))
      .with("supported", kCatalogFormat)
      .with("remedy", remedy);
}

// Rows of the catalog are read whole, in one call for each file.
Result<columns::Batch> read_fragment(const lance::Snapshot& snapshot, const Fragment& fragment) {
  const lance::DataFile& file = fragment.files.front();
  WEFT_TRY(const std::string name, snapshot.data_file_name(file));
  storage::ObjectStore& store = *snapshot.location().store;
  std::unique_ptr<storage::ObjectReader> object;
  const bool is_small = file.size_bytes != 0 && file.size_bytes <= kHeldBytesMax;
  auto whole = is_small ? store.get(name, kHeldBytesMax)
                        : Result<storage::VersionedObject>(storage::VersionedObject());
  if (whole.ok() && is_small) {
    object = storage::read_buffer(name, std::move(whole->bytes));
  } else if (whole.ok() || whole.error().kind() == ErrorKind::kLimit) {
    WEFT_TRY(object, store.open(name));
  } else if (whole.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kCorrupt, "a data file of the graph's catalog is gone")
        .with("object", name);
  } else {
    return std::move(whole).error();
  }
  WEFT_TRY(const auto reader, lance::read::DataFileReader::open(std::move(object)));
  if ((file.size_bytes != 0 && reader->size_bytes() != file.size_bytes) ||
      reader->row_count() != fragment.physical_rows) {
    return Error(ErrorKind::kCorrupt, "a data file of the graph's catalog is not what it was")
        .with("object", name)
        .with("rows", reader->row_count())
        .with("expected", fragment.physical_rows);
  }
  WEFT_TRY(const lance::read::Projection all,
           reader->project(snapshot.manifest().fields, file.fields, file.column_indices));
  if (!(*all.schema == *catalog_schema())) {
    return Error(ErrorKind::kCorrupt, "the graph's catalog has other columns than its format")
        .with("table", snapshot.location().to_string())
        .with("version", snapshot.version());
  }
  return reader->read(all, {0, fragment.physical_rows});
}

Result<std::vector<columns::Batch>> read_fragments(const lance::Snapshot& snapshot,
                                                   const std::vector<Fragment>& fragments) {
  std::vector<columns::Batch> batches;
  for (const Fragment& fragment : fragments) {
    WEFT_TRY(batches.emplace_back(), read_fragment(snapshot, fragment));
  }
  return batches;
}

Result<CatalogView> view_of(lance::TableLocation chain, lance::Snapshot snapshot) {
  WEFT_TRY_STATUS(check_format(snapshot));
  WEFT_TRY(const Fragments fragments, sort_fragments(snapshot));
  WEFT_TRY(const auto batches, read_fragments(snapshot, fragments.pointers));
  WEFT_TRY(CatalogState state, parse_pointers(batches));
  if (state.head.catalog_version != snapshot.version()) {
    return Error(ErrorKind::kCorrupt,
                 "a program other than weft has added a version to the graph's catalog; restore "
                 "the version before it")
        .with("table", snapshot.location().to_string())
        .with("version", snapshot.version())
        .with("commit_of_version", state.head.catalog_version);
  }
  return CatalogView(std::move(chain), std::move(snapshot), std::move(state));
}

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

// Of branches above that have the same version, the one furthest up, where all its bytes are.
lance::TableLocation inherited_location(const CatalogPlace& place, uint64_t version) {
  lance::TableLocation location = place.location();
  for (const ForkPoint& fork : place.lineage) {
    if (version <= fork.version) {
      location.branch = fork.life;
    }
  }
  return location;
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

namespace {

// The commits that the head comes from, newest first and itself first, until `take` says false.
// Others in the fragments shared a version with one of them and came after it.
template <typename Take>
Status walk_back(const CatalogView& view, Take take) {
  WEFT_TRY(const Fragments fragments, sort_fragments(view.snapshot()));
  std::optional<base::Ulid> next = view.state().head.id;
  for (auto fragment = fragments.commits.rbegin(); fragment != fragments.commits.rend();
       ++fragment) {
    WEFT_TRY(const auto batches, read_fragments(view.snapshot(), {*fragment}));
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      WEFT_TRY(std::vector<CommitRecord> found, parse_commits(*batch));
      for (auto commit = found.rbegin(); commit != found.rend(); ++commit) {
        if (commit->id != next) {
          continue;
        }
        next = commit->parent;
        if (!take(std::move(*commit)) || !next.has_value()) {
          return ok_status();
        }
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<std::vector<CommitRecord>> CatalogView::commits(uint64_t limit) const {
  std::vector<CommitRecord> commits;
  if (limit > 0) {
    WEFT_TRY_STATUS(walk_back(*this, [&](CommitRecord&& commit) {
      commits.push_back(std::move(commit));
      return commits.size() < limit;
    }));
  }
  return commits;
}

Result<std::vector<CommitRecord>> CatalogView::commits_since(uint64_t version) const {
  WEFT_TRY(Fragments fragments, sort_fragments(snapshot_));
  std::vector<CommitRecord> commits;
  bool is_older = false;
  for (auto fragment = fragments.commits.rbegin();
       fragment != fragments.commits.rend() && !is_older; ++fragment) {
    WEFT_TRY(const auto batches, read_fragments(snapshot_, {*fragment}));
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      WEFT_TRY(std::vector<CommitRecord> found, parse_commits(*batch));
      for (auto commit = found.rbegin(); commit != found.rend(); ++commit) {
        is_older = is_older || commit->catalog_version <= version;
        if (!is_older) {
          commits.push_back(std::move(*commit));
        }
      }
    }
  }
  return commits;
}

namespace {

// The newest commit that is the wanted one, of those since `earliest` and the head.
template <typename IsWanted>
Result<std::optional<CommitRecord>> find_commit(const CatalogView& view, int64_t earliest,
                                                IsWanted is_wanted) {
  const CommitRecord& head = view.state().head;
  if (is_wanted(head)) {
    return std::optional(head);
  }
  std::optional<CommitRecord> found;
  if (head.created_at.microseconds < earliest) {
    return found;
  }
  WEFT_TRY_STATUS(walk_back(view, [&](CommitRecord&& commit) {
    const bool is_late_enough = commit.created_at.microseconds >= earliest;
    if (is_late_enough && is_wanted(commit)) {
      found = std::move(commit);
    }
    return is_late_enough && !found.has_value();
  }));
  return found;
}

}  // namespace

Result<std::optional<CommitRecord>> CatalogView::find_operation(base::Ulid operation) const {
  return find_commit(*this, operation.time().microseconds - kClockSkewMaxUs,
                     [&](const CommitRecord& commit) { return commit.operation == operation; });
}

Result<std::optional<CommitRecord>> CatalogView::find_idempotency_key(
    std::string_view key, base::WallTime earliest) const {
  return find_commit(*this, earliest.microseconds, [&](const CommitRecord& commit) {
    return commit.idempotency_key == key && commit.created_at >= earliest;
  });
}

namespace {

// What a branch begins with.
Result<CatalogView> open_inherited(const CatalogPlace& place) {
  const uint64_t version = place.lineage.front().version;
  WEFT_TRY(CatalogView view, open_version(place, version));
  if (view.state().head.id == place.forked_from || place.forked_from.is_none() ||
      base::planted(base::Bug::kBranchOfVersion)) {
    return view;
  }
  WEFT_TRY(const std::vector<CommitRecord> commits, view.commits_since(version - 1));
  const auto from = std::ranges::find(commits, place.forked_from, &CommitRecord::id);
  if (from == commits.end()) {
    return Error(ErrorKind::kCorrupt, "the commit that a branch was made from is not there")
        .with("branch", place.life)
        .with("commit", place.forked_from.text());
  }
  return open_commit(place, *from);
}

Result<CatalogView> find_latest(const CatalogPlace& place) {
  Result<lance::Snapshot> latest = lance::open_latest(place.location());
  // A first write that was not published may have left the beginning of the chain, a whole version.
  if (!place.lineage.empty() && (latest.ok() ? latest->version() <= place.lineage.front().version
                                             : latest.error().kind() == ErrorKind::kNotFound)) {
    return open_inherited(place);
  }
  return latest.ok() ? view_of(place.location(), std::move(latest).value())
                     : Result<CatalogView>(std::move(latest).error());
}

}  // namespace

Result<CatalogView> open_latest(const CatalogPlace& place) {
  if (place.known == nullptr) {
    return find_latest(place);
  }
  const std::optional<CatalogView> known = place.known->newest(place.life);
  WEFT_TRY(CatalogView latest, known ? open_latest_after(*known) : find_latest(place));
  place.known->note_newest(place.life, latest);
  return latest;
}

Result<CatalogView> open_latest_after(const CatalogView& known) {
  if (known.is_inherited()) {
    Result<lance::Snapshot> first = lance::open_latest(known.chain());
    if (!first.ok()) {
      return first.error().kind() == ErrorKind::kNotFound
                 ? Result<CatalogView>(known)
                 : Result<CatalogView>(std::move(first).error());
    }
    return first->version() <= known.version() ? Result<CatalogView>(known)
                                               : view_of(known.chain(), std::move(first).value());
  }
  WEFT_TRY(lance::Snapshot snapshot, lance::open_latest_after(known.snapshot()));
  return snapshot.version() == known.version() ? Result<CatalogView>(known)
                                               : view_of(known.chain(), std::move(snapshot));
}

Result<CatalogView> open_version(const CatalogPlace& place, uint64_t version) {
  WEFT_TRY(lance::Snapshot snapshot,
           lance::open_version(inherited_location(place, version), version));
  return view_of(place.location(), std::move(snapshot));
}

Result<CatalogView> open_commit(const CatalogPlace& place, const CommitRecord& commit) {
  WEFT_TRY(CatalogView view, open_version(place, commit.catalog_version));
  if (view.state().head.id == commit.id) {
    return view;
  }
  CatalogState state = view.state();
  state.head = commit;
  for (const EarlierPin& earlier : commit.earlier_pins) {
    const auto table = std::ranges::find(state.tables, earlier.identity, &TableEntry::identity);
    if (table == state.tables.end()) {
      return Error(ErrorKind::kCorrupt, "a commit names a table that its version does not have")
          .with("commit", commit.id.text())
          .with("version", commit.catalog_version);
    }
    table->pin = earlier.pin;
  }
  return CatalogView(view.chain(), view.snapshot(), std::move(state));
}

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
    table.schema_metadata = {{std::string(kFormatKey), std::to_string(kCatalogFormat)}};
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
