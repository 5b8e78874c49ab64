#include "weft/txn/head.h"

#include <utility>
#include <variant>
#include <vector>

#include "weft/codec/blake3.h"
#include "weft/lance/table/live_rows.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/refs.h"
#include "weft/lance/table/stage.h"

namespace weft::txn {
namespace {

using catalog::TableEntry;

Result<bool> exists(storage::ObjectStore& store, const std::string& name) {
  const auto opened = store.open(name);
  if (opened.ok()) {
    return true;
  }
  return opened.error().kind() == ErrorKind::kNotFound ? Result<bool>(false)
                                                       : Result<bool>(opened.error());
}

enum class Number : uint8_t { kPinned, kTaken, kGone };

// Who has the number of the pin, once it was followed if nothing stands there and above. A head
// that a cleanup removed together with versions above it leaves no gap to be seen from below, so
// that the newest one is looked for before.
Result<Number> follow_pin(const catalog::CatalogPlace& place, const TableEntry& table) {
  const lance::TableLocation location = catalog::location_of(place, table);
  const auto head = place.store.get(location.object(lance::manifest_name(table.pin.head_version)),
                                    lance::kManifestFileBytesMax);
  if (head.ok()) {
    const bool is_pin = codec::to_hex(codec::blake3_16(head->bytes.view())) == table.pin.head_hash;
    return is_pin ? Number::kPinned : Number::kTaken;
  }
  if (head.error().kind() != ErrorKind::kNotFound) {
    return head.error();
  }
  WEFT_TRY(const lance::VersionList list, lance::list_versions(location));
  if (!list.versions.empty() && list.versions.back().version > table.pin.head_version) {
    return Number::kGone;
  }
  WEFT_TRY(const lance::FollowResult followed,
           lance::follow(location, table.pin.detached_version, table.pin.head_version));
  return followed.outcome == lance::FollowOutcome::kTaken ? Number::kTaken : Number::kPinned;
}

bool is_harmless(const lance::Operation& operation) {
  return std::holds_alternative<lance::CreateIndexOperation>(operation) ||
         std::holds_alternative<lance::RewriteOperation>(operation) ||
         std::holds_alternative<lance::ReserveOperation>(operation) ||
         std::holds_alternative<lance::UpdateConfigOperation>(operation);
}

// What the versions of others, from `first` to `last`, say that they did.
struct Testimony {
  bool is_complete = true;  // every version says so
  uint64_t harmful_version = 0;
  std::string harmful_operation;
};

Result<Testimony> hear(const lance::TableLocation& location, uint64_t first, uint64_t last) {
  Testimony heard;
  if (last - first >= kForeignTransactionsMax) {
    heard.is_complete = false;
    first = last - kForeignTransactionsMax + 1;
  }
  for (uint64_t number = first; number <= last; ++number) {
    const auto version = lance::open_version(location, number);
    if (!version.ok()) {
      if (version.error().kind() != ErrorKind::kNotFound &&
          version.error().kind() != ErrorKind::kCorrupt) {
        return version.error();
      }
      heard.is_complete = false;
      continue;
    }
    WEFT_TRY(const std::optional<lance::Transaction> transaction, version->transaction());
    if (!transaction) {
      heard.is_complete = false;
    } else if (!is_harmless(transaction->operation)) {
      heard.harmful_version = number;
      heard.harmful_operation = lance::operation_name(transaction->operation);
      return heard;
    }
  }
  return heard;
}

Status add_file_names(const lance::Snapshot& version, const lance::Fragment& fragment,
                      std::vector<std::string>& names) {
  for (const lance::DataFile& file : fragment.files) {
    WEFT_TRY(names.emplace_back(), version.data_file_name(file));
  }
  if (fragment.deletion_file) {
    WEFT_TRY(names.emplace_back(), version.deletion_name(fragment.id, *fragment.deletion_file));
  }
  return ok_status();
}

}  // namespace

Result<HeadReport> examine_head(const catalog::CatalogPlace& place, const TableEntry& table,
                                const lance::Snapshot& pinned) {
  const lance::TableLocation location = catalog::location_of(place, table);
  const uint64_t number = table.pin.head_version;
  WEFT_TRY(const Number who, follow_pin(place, table));
  HeadReport report;
  if (who == Number::kPinned) {
    WEFT_TRY(const bool is_beyond,
             exists(place.store, location.object(lance::manifest_name(number + 1))));
    if (!is_beyond) {
      return report;
    }
  }
  WEFT_TRY(report.head, lance::open_latest(location));
  const uint64_t first = who == Number::kPinned ? number + 1 : number;
  WEFT_TRY(Testimony heard, hear(location, first, report.head->version()));
  report.state = HeadState::kOtherRows;
  report.other_version = heard.harmful_version;
  report.other_operation = std::move(heard.harmful_operation);
  if (report.other_version != 0) {
    return report;
  }
  const lance::RowTraits traits =
      heard.is_complete ? lance::RowTraits::kIds : lance::RowTraits::kIdsAndVersions;
  WEFT_TRY(const bool has_pinned, lance::has_same_rows(*report.head, pinned, traits));
  if (has_pinned) {
    report.state = HeadState::kSameRows;
    return report;
  }
  WEFT_TRY(report.base, catalog::open_pin_base(place, table));
  if (report.base) {
    WEFT_TRY(const bool has_base, lance::has_same_rows(*report.head, *report.base, traits));
    report.state = has_base ? HeadState::kTaken : HeadState::kOtherRows;
  }
  if (report.state == HeadState::kOtherRows) {
    report.other_version = report.head->version();
  }
  return report;
}

Status guard_version(const catalog::CatalogPlace& place, const lance::Snapshot& version,
                     const lance::Snapshot& pinned, const lance::StageOptions& options) {
  std::vector<std::string> names = {
      version.location().object(lance::manifest_name(version.version(), version.naming()))};
  for (const lance::Fragment& fragment : version.manifest().fragments) {
    const lance::Fragment* const known = pinned.manifest().find_fragment(fragment.id);
    if (known == nullptr || !(*known == fragment)) {
      WEFT_TRY_STATUS(add_file_names(version, fragment, names));
    }
  }
  WEFT_TRY_STATUS(place.store.sync_existing(names));
  // One name for one content, so that several writers, or attempts of one, leave one branch.
  const std::string hash = codec::to_hex(codec::blake3_16(version.file().view()));
  const std::string name =
      "weft-keep." + std::to_string(version.version()) + "." + hash.substr(0, 16);
  const auto created = lance::create_branch(version, name, options);
  return created.ok() || created.error().kind() == ErrorKind::kAlreadyExists ? ok_status()
                                                                             : created.error();
}

}  // namespace weft::txn
