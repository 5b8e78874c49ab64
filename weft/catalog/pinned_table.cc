#include "weft/catalog/pinned_table.h"

#include <utility>

#include "weft/base/planted.h"
#include "weft/catalog/known_state.h"
#include "weft/codec/blake3.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/names.h"

namespace weft::catalog {
namespace {

std::string hash_of(ByteView bytes) {
  return codec::to_hex(codec::blake3_16(bytes));
}

// What stands under the number of the pin, if that is the pinned version; a writer who looks at the
// head next needs no second read.
Result<std::optional<lance::Snapshot>> open_numbered(const CatalogPlace& place,
                                                     const TableEntry& table) {
  std::optional<lance::Snapshot> found;
  const lance::TableLocation location{&place.store, table.path, table.pin.ref};
  auto read = place.store.get(location.object(lance::manifest_name(table.pin.head_version)),
                              lance::kManifestFileBytesMax);
  if (!read.ok()) {
    const ErrorKind kind = read.error().kind();
    return kind == ErrorKind::kNotFound || kind == ErrorKind::kLimit
               ? Result<std::optional<lance::Snapshot>>(std::move(found))
               : Result<std::optional<lance::Snapshot>>(std::move(read).error());
  }
  if (hash_of(read->bytes.view()) != table.pin.head_hash) {
    return found;
  }
  WEFT_TRY(found,
           lance::Snapshot::from_bytes(location, std::move(read->bytes), lance::Naming::kV2));
  // Its detached copy was synced before the publication that pins it.
  found->set_durable();
  if (place.known != nullptr) {
    place.known->note_pinned(table, *found);
    place.known->note_numbered(table);
  }
  return found;
}

}  // namespace

lance::TableLocation location_of(const CatalogPlace& place, const TableEntry& table) {
  return {&place.store, table.path, table.pin.ref};
}

Result<lance::Snapshot> open_pinned(const CatalogPlace& place, const TableEntry& table) {
  const auto corrupt = [&](std::string_view reason) {
    return Error(ErrorKind::kCorrupt, "a published version of a table is not what it was")
        .with("table", table.key)
        .with("path", table.path)
        .with("version", table.pin.head_version)
        .with("reason", reason);
  };
  if (place.known != nullptr) {
    if (std::optional<lance::Snapshot> known = place.known->pinned(table); known.has_value()) {
      return *std::move(known);
    }
  }
  const lance::TableLocation location = location_of(place, table);
  if (base::planted(base::Bug::kReadTheHead)) {
    if (auto head = lance::open_latest(location); head.ok()) {
      return head;
    }
  }
  WEFT_TRY(std::optional<lance::Snapshot> numbered, open_numbered(place, table));
  if (numbered.has_value()) {
    return *std::move(numbered);
  }
  const auto read =
      place.store.get(location.object(lance::manifest_name(table.pin.detached_version)),
                      lance::kManifestFileBytesMax);
  if (!read.ok()) {
    return read.error().kind() == ErrorKind::kNotFound ? corrupt("gone") : read.error();
  }
  const ByteView detached = read->bytes.view();
  if (detached.size() != table.pin.size_bytes || hash_of(detached) != table.pin.detached_hash) {
    return corrupt("another content");
  }
  WEFT_TRY(std::string head, lance::with_version(detached, table.pin.head_version));
  if (hash_of(as_bytes(head)) != table.pin.head_hash) {
    return corrupt("another head");
  }
  WEFT_TRY(lance::Snapshot snapshot,
           lance::Snapshot::from_bytes(location, storage::Buffer::from(std::move(head)),
                                       lance::Naming::kV2));
  // It was synced before the publication that pins it.
  snapshot.set_durable();
  if (place.known != nullptr) {
    place.known->note_pinned(table, snapshot);
  }
  return snapshot;
}

Result<std::optional<lance::Snapshot>> open_pin_base(const CatalogPlace& place,
                                                     const TableEntry& table) {
  std::optional<lance::Snapshot> base;
  if (table.pin.base_version == 0) {
    return base;
  }
  const lance::TableLocation location = location_of(place, table);
  auto read = place.store.get(location.object(lance::manifest_name(table.pin.base_version)),
                              lance::kManifestFileBytesMax);
  if (!read.ok()) {
    return read.error().kind() == ErrorKind::kNotFound
               ? Result<std::optional<lance::Snapshot>>(std::move(base))
               : Result<std::optional<lance::Snapshot>>(std::move(read).error());
  }
  if (hash_of(read->bytes.view()) == table.pin.base_hash) {
    WEFT_TRY(base,
             lance::Snapshot::from_bytes(location, std::move(read->bytes), lance::Naming::kV2));
  }
  return base;
}

Result<TablePin> pin_of(const lance::StagedTransaction& staged, const DetachedVersion& base) {
  WEFT_TRY(const lance::Snapshot snapshot, staged.snapshot());
  TablePin pin;
  pin.ref = staged.location.branch;
  pin.detached_version = staged.detached_version;
  pin.size_bytes = staged.detached.size();
  pin.detached_hash = hash_of(as_bytes(staged.detached));
  pin.head_hash = hash_of(as_bytes(staged.head));
  pin.head_version = staged.version;
  pin.row_count = snapshot.manifest().row_count();
  pin.base_version = base.version;
  pin.base_hash = base.hash;
  return pin;
}

Result<DetachedCopy> detached_copy(const lance::Snapshot& version, base::Random& random) {
  DetachedCopy copy;
  copy.as.version = random.next() | lance::kDetachedBit;
  WEFT_TRY(copy.object.second, lance::with_version(version.file().view(), copy.as.version));
  copy.object.first = version.location().object(lance::manifest_name(copy.as.version));
  copy.as.hash = hash_of(as_bytes(copy.object.second));
  return copy;
}

}  // namespace weft::catalog
