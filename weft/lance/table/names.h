// The names of a table's objects, relative to its folder. Format: docs/formats/lance.md, "Folder".
//
// N1  What parse_manifest_name takes for a version is what engines take for one: staging names,
//     other endings and folders are no versions.
// N2  Our data files never end in ".lance": engines read and rewrite them, but their cleanup, which
//     knows nothing of detached versions, leaves them alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/random.h"
#include "weft/base/result.h"

namespace weft::lance {

inline constexpr std::string_view kVersionsFolder = "_versions/";
inline constexpr std::string_view kDataFolder = "data/";
inline constexpr std::string_view kDeletionsFolder = "_deletions/";
inline constexpr std::string_view kTransactionsFolder = "_transactions/";
inline constexpr std::string_view kIndicesFolder = "_indices/";
inline constexpr std::string_view kTagsFolder = "_refs/tags/";
inline constexpr std::string_view kBranchesFolder = "_refs/branches/";
inline constexpr std::string_view kTreeFolder = "tree/";
// Copies of deletion files and transactions that no engine's cleanup touches (design §4).
inline constexpr std::string_view kKeptFolder = "_weft/";
inline constexpr std::string_view kManifestEnding = ".manifest";
inline constexpr std::string_view kEngineDataEnding = ".lance";
inline constexpr std::string_view kDataEnding = ".weft";

// Versions with this bit are detached: readable by number, never the latest.
inline constexpr uint64_t kDetachedBit = uint64_t{1} << 63U;
constexpr bool is_detached(uint64_t version) {
  return (version & kDetachedBit) != 0;
}

// How a table names its versions; never mixed in one table.
enum class Naming : uint8_t {
  kV1,  // "7.manifest"
  kV2,  // "18446744073709551608.manifest": the newest is first
};

struct ManifestName {
  uint64_t version = 0;
  Naming naming = Naming::kV2;
};

// "_versions/…"; the name of a detached version does not depend on `naming`.
std::string manifest_name(uint64_t version, Naming naming = Naming::kV2);
// `file_name` is what follows "_versions/". Nothing: not a version. Detached versions have naming
// kV2.
std::optional<ManifestName> parse_manifest_name(std::string_view file_name);

// "_transactions/<read version>-<uuid>.txn" and "<read version>-<uuid>.txn".
std::string transaction_file_name(uint64_t read_version, std::string_view uuid);

// A random UUID (version 4) as text.
std::string new_uuid(base::Random& random);
// `digits` of hexadecimal, at most 16.
std::string hex_text(uint64_t value, int digits = 16);

// Folder and rest with exactly one '/' between them; an empty folder gives `rest`.
std::string join_name(std::string_view folder, std::string_view rest);

// Errors: kInvalid says which rule of the format a name breaks. Tags and branches share them but
// for '/', which only branches have.
Status check_tag_name(std::string_view name);
Status check_branch_name(std::string_view name);
// A prefix for staged names: 1 to 64 letters, digits, '-' or '_'.
Status check_operation_name(std::string_view name);
// "feature%2Fx" from "feature/x", and back.
std::string branch_file_name(std::string_view branch);
std::string branch_of_file_name(std::string_view file_name);

}  // namespace weft::lance
