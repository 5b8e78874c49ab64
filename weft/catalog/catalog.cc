#include "weft/catalog/catalog.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/fragments.h"
#include "weft/catalog/known_state.h"

namespace weft::catalog {
namespace {

Status check_format(const lance::Snapshot& snapshot) {
  const std::string* const found =
      lance::find_entry(snapshot.manifest().schema_metadata, kCatalogFormatKey);
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

}  // namespace

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
  if (!latest.ok() && latest.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kNotFound, "there is no property graph here; weft init makes one")
        .with("store", place.store.location());
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

}  // namespace weft::catalog
