// Loads rows into a property graph: one commit, whatever the size.
//
//     WEFT_TRY(const LoadResult result,
//              load(place, {"ana", policy}, {.mode = LoadMode::kAppend}, input, stop));
//
// L1  Nothing is published before every row has been checked against the schema, the load and the
//     graph; all violations are told together (the first 100 with their lines).
// L2  append adds rows whose ids are not there. merge replaces whole rows by id and adds the
// others;
//     it stays a merge however often it is tried. overwrite replaces all rows of the types that the
//     load has, and leaves the others.
// L3  Whoever publishes in between makes append and merge look again at what they stand on, without
//     reading the input again; overwrite is told.
// L4  Memory: 24 to 120 bytes for each row with a given id or unique values, one batch of rows, and
//     what wait in memory: up to kWaitingMax together. Larger loads are written to data files as
//     they come.
// Lines: docs/formats/ndjson-load.md. Protocol: docs/protocols/write.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "weft/base/result.h"
#include "weft/codec/stream.h"
#include "weft/graph/authority.h"
#include "weft/graph/snapshot.h"
#include "weft/txn/write.h"

namespace weft::graph {

enum class LoadMode : uint8_t { kAppend, kMerge, kOverwrite };
std::string_view load_mode_name(LoadMode mode);
// Errors: kInvalid.
Result<LoadMode> parse_load_mode(std::string_view name);

inline constexpr uint64_t kWaitingMax = uint64_t{64} << 20U;

struct LoadRequest {
  LoadMode mode = LoadMode::kAppend;
  std::string branch = std::string(kMainBranch);
  std::string message = {};
  // None: a fresh one. Repeated with the same one, the first receipt is the answer.
  base::Ulid operation = {};
  // "": none. Repeated with the same key, mode, branch and input, the first receipt is the answer
  // (txn::WriteRequest).
  std::string idempotency_key = {};
  // The commit that must still be the newest.
  std::optional<base::Ulid> expected_head = {};
  // All checks, nothing written.
  bool dry_run = false;
  // More rows of one type than this are written to data files as they come. Less than
  // kWaitingRowsMax in tests only.
  uint64_t waiting_rows_max = UINT64_MAX;
  // Called now and then with the bytes read and the rows found. May be null.
  std::function<void(uint64_t bytes, uint64_t rows)> progress = {};
};

struct LoadResult {
  std::optional<txn::Receipt> receipt;  // none: a dry run
  // Rows by type.
  std::map<std::string, uint64_t> nodes;
  std::map<std::string, uint64_t> edges;
};

// Errors: those of Violations::to_error (kAlreadyExists: nothing but ids that are there);
// kConflict: another head than expected, or one that the load does not survive; kNotFound: no graph
// or branch; kDenied; those of `input`, of txn::write and of the store.
Result<LoadResult> load(const catalog::CatalogPlace& place, const Authority& authority,
                        const LoadRequest& request, codec::InputStream& input,
                        const std::stop_token& stop);

}  // namespace weft::graph
