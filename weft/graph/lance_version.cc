#include "weft/graph/lance_version.h"

#include "weft/catalog/pinned_table.h"
#include "weft/codec/blake3.h"
#include "weft/lance/table/kept_copies.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/refs.h"

namespace weft::graph {
namespace {

std::string hash_of(ByteView bytes) {
  return codec::to_hex(codec::blake3_16(bytes));
}

Result<bool> has_head(storage::ObjectStore& store, const catalog::TableEntry& table) {
  const lance::TableLocation location{&store, table.path, table.pin.ref};
  const auto head = store.get(location.object(lance::manifest_name(table.pin.head_version)),
                              lance::kManifestFileBytesMax);
  if (!head.ok()) {
    return head.error().kind() == ErrorKind::kNotFound ? Result<bool>(false)
                                                       : Result<bool>(head.error());
  }
  return hash_of(head->bytes.view()) == table.pin.head_hash;
}

}  // namespace

Result<LanceVersion> find_lance_version(const TypeTable& table) {
  const catalog::TablePin& pin = table.entry().pin;
  LanceVersion found{.native_branch = pin.ref, .version = pin.head_version};
  WEFT_TRY(found.is_there, has_head(*table.store(), table.entry()));
  return found;
}

Result<LanceVersion> keep_lance_version(const catalog::CatalogPlace& place,
                                        const Authority& authority, const TypeTable& table) {
  WEFT_TRY_STATUS(check_authority(authority, Action::kKeep, kMainBranch));
  WEFT_TRY(LanceVersion found, find_lance_version(table));
  if (found.is_there) {
    return found;
  }
  WEFT_TRY(const lance::Snapshot pinned, catalog::open_pinned(place, table.entry()));
  // Its deletion files may have gone with it.
  WEFT_TRY_STATUS(lance::restore_kept(pinned));
  lance::StageOptions options;
  options.operation = "keep";
  options.clock = &place.clock;
  options.random = &place.random;
  const std::string name = std::string(kSnapshotPrefix) + std::to_string(pinned.version()) + "." +
                           hash_of(pinned.file().view()).substr(0, 16);
  const auto created = lance::create_branch(pinned, name, options);
  if (!created.ok() && created.error().kind() != ErrorKind::kAlreadyExists) {
    return created.error();
  }
  return LanceVersion{.native_branch = name, .version = pinned.version(), .is_there = true};
}

}  // namespace weft::graph
