// Transactions: what a version did to the one before it. They decide what a writer that lost a race
// may do (conflict.h) and how the next manifest follows from the last (next_manifest.h).
// Format: docs/formats/lance.md, "Transactions".
//
// T1  parse(serialize(x)) equals x. Fields that are not understood are kept in the transaction, its
//     fragments, files and columns; those inside of an operation are not: nobody writes an
//     operation of others again, but for the carried ones.
// T2  An operation that is not known parses as UnknownOperation; it is never taken for harmless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/result.h"
#include "weft/lance/layout/field.h"
#include "weft/lance/table/fragment.h"
#include "weft/lance/table/manifest.h"

namespace weft::lance {

// New fragments have id 0: it is assigned when the manifest is built.
struct AppendOperation {
  std::vector<Fragment> fragments;
};

struct DeleteOperation {
  std::vector<Fragment> updated_fragments;
  std::vector<uint64_t> deleted_fragment_ids;
  std::string predicate;  // for people
};

// Also creates a table.
struct OverwriteOperation {
  std::vector<Fragment> fragments;
  std::vector<layout::SchemaField> schema;
  StringMap schema_metadata;
  StringMap config_upserts;
};

struct CreateIndexOperation {};  // carried in Transaction::raw_operation

struct RewriteGroup {
  std::vector<Fragment> old_fragments;
  std::vector<Fragment> new_fragments;
  friend bool operator==(const RewriteGroup&, const RewriteGroup&) = default;
};
struct RewriteOperation {
  std::vector<RewriteGroup> groups;
  // Indices that were rewritten with it (messages). Ours has none.
  std::vector<std::string> rewritten_indices;
};

// Columns added, cast or joined. `fragments` is the complete final list.
struct MergeOperation {
  std::vector<Fragment> fragments;
  std::vector<layout::SchemaField> schema;
  StringMap schema_metadata;
};

struct RestoreOperation {
  uint64_t version = 0;
};

struct ReserveOperation {
  uint32_t fragment_count = 0;
};

struct UpdateOperation {
  std::vector<uint64_t> removed_fragment_ids;
  std::vector<Fragment> updated_fragments;
  std::vector<Fragment> new_fragments;
  std::vector<uint32_t> fields_modified;
  std::vector<uint32_t> fields_for_preserving_bitmap;
  uint32_t mode = 0;  // 0: rows are rewritten, 1: columns
  // KeyExistenceFilter of the inserted keys (key_filter.h), a message.
  std::optional<std::string> inserted_keys;
};

// Columns dropped or renamed.
struct ProjectOperation {
  std::vector<layout::SchemaField> schema;
};

struct MapUpdate {
  std::vector<std::pair<std::string, std::optional<std::string>>> entries;  // nothing: removed
  bool replace = false;
};
struct UpdateConfigOperation {
  std::optional<MapUpdate> config;
  std::optional<MapUpdate> table_metadata;
  std::optional<MapUpdate> schema_metadata;
  std::vector<std::pair<int32_t, MapUpdate>> field_metadata;
};

struct DataReplacementOperation {
  std::vector<std::pair<uint64_t, DataFile>> replacements;  // by fragment
};

struct CloneOperation {
  bool is_shallow = true;
  std::optional<std::string> ref_name;  // the source branch; absent: main
  uint64_t ref_version = 0;
  std::string ref_path;
  std::optional<std::string> branch_name;
};

struct UpdateBasesOperation {
  std::vector<std::string> new_bases;  // messages
};

struct UnknownOperation {
  uint32_t number = 0;  // 0: there is none
};

using Operation =
    std::variant<AppendOperation, DeleteOperation, OverwriteOperation, CreateIndexOperation,
                 RewriteOperation, MergeOperation, RestoreOperation, ReserveOperation,
                 UpdateOperation, ProjectOperation, UpdateConfigOperation, DataReplacementOperation,
                 CloneOperation, UpdateBasesOperation, UnknownOperation>;
// "Append", "Rewrite", …; "unknown".
std::string_view operation_name(const Operation& operation);

struct Transaction {
  uint64_t read_version = 0;
  std::string uuid;
  std::string tag;
  StringMap properties;
  Operation operation = UnknownOperation{};
  // The operation as it was read, for those that are only carried (CreateIndex, unknown ones).
  std::string raw_operation;
  std::string unknown;
};

// Errors: kCorrupt.
Result<Transaction> parse_transaction(ByteView message);
std::string serialize_transaction(const Transaction& transaction);

}  // namespace weft::lance
