// Runs mutations of `.gq`: insert, update, delete; one commit, or none if nothing matched.
//
//     WEFT_TRY(const MutationResult result,
//              mutate(place, {"ana", policy}, {.text = text, .parameters = R"({"n":"Mina"})"},
//              stop));
//
// M1  Statements see what the ones before them did. The rows as they are after the last one are
//     checked like those of a load: types, ranges, patterns, uniqueness, ends of edges, number of
//     edges; nothing is published before all of it.
// M2  insert of an id that is there replaces the whole row. delete of nodes takes their edges
// along,
//     each counted once.
// M3  A mutation inserts and updates, or deletes (D2): refused before anything is read.
// M4  Inserts alone look again at what another writer published in between and go on; updates and
//     deletes are told (kConflict, reason=read-set-changed).
// M5  At most kMutationRowsMax rows and kMutationBytesMax of them, kLimit beyond.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "weft/base/result.h"
#include "weft/graph/authority.h"
#include "weft/graph/snapshot.h"
#include "weft/txn/write.h"

namespace weft::gqexec {

inline constexpr uint64_t kMutationRowsMax = 8'192;
inline constexpr uint64_t kMutationBytesMax = uint64_t{32} << 20U;

struct MutationRequest {
  std::string_view text;             // of a `.gq` file
  std::string_view name = {};        // of the query; empty: the only one
  std::string_view parameters = {};  // JSON
  std::string branch = std::string(graph::kMainBranch);
  std::string message = {};
  // None: a fresh one. Repeated with the same one, the first receipt is the answer.
  base::Ulid operation = {};
  // "": none. Repeated with the same key, text, name, parameters and branch, the first receipt is
  // the answer (txn::WriteRequest).
  std::string idempotency_key = {};
  // The commit that must still be the newest.
  std::optional<base::Ulid> expected_head = {};
  // All checks, nothing written.
  bool dry_run = false;
};

struct MutationResult {
  std::string name;    // of the query
  uint64_t nodes = 0;  // affected by each statement, summed
  uint64_t edges = 0;
  std::vector<std::string> unknown_parameters;
  std::optional<txn::Receipt> receipt;  // none: nothing matched, or a dry run
};

// Errors: kInvalid: the text, parameters or rows; kLimit; kConflict; kNotFound; kDenied; those of
// txn::write and of the store.
Result<MutationResult> mutate(const catalog::CatalogPlace& place, const graph::Authority& authority,
                              const MutationRequest& request, const std::stop_token& stop);

}  // namespace weft::gqexec
