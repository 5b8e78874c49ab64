// What a version of the catalog says: which tables there are and where each stands, which schema
// holds, and the commit that made it so. Values, and their rows in `__manifest`.
// Format: docs/formats/catalog.md.
//
// R1  parse_pointers(pointer_rows(x)) equals x.
// R2  Rows of kinds that are not known are skipped, members of their metadata that are not known
// are
//     not kept: whoever adds to the format raises its number (kCatalogFormat).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/base/ulid.h"
#include "weft/columns/batch.h"

namespace weft::catalog {

// Written as the schema metadata "weft:catalog_format" of every version of `__manifest`. Another
// one is kUnsupported, with what to do about it.
inline constexpr uint64_t kCatalogFormat = 1;

// One lifetime of one type. A name that is dropped and made again is another table.
struct TableIdentity {
  base::Ulid id;           // of the type
  base::Ulid incarnation;  // of its table
  friend auto operator<=>(const TableIdentity&, const TableIdentity&) = default;
};

// Where a table stands: one version of it under its detached name, which no Lance reader takes for
// a head, and the number under which that version becomes the head.
struct TablePin {
  std::string ref;  // native branch of the table; "": main
  uint64_t detached_version = 0;
  uint64_t size_bytes = 0;    // of the detached manifest
  std::string detached_hash;  // BLAKE3, 16 bytes in hexadecimal digits
  std::string head_hash;      // of the head's bytes
  uint64_t head_version = 0;
  uint64_t row_count = 0;
  // What this version was staged upon, under its detached name; 0: nothing, the table was new. By
  // its rows a head is told that took the pin's number from one with rows of somebody else.
  uint64_t base_version = 0;
  std::string base_hash;
  friend bool operator==(const TablePin&, const TablePin&) = default;
};

struct TableEntry {
  TableIdentity identity;
  std::string key;   // "node:Person", "edge:Knows": the name of today
  std::string path;  // below the graph's root; never changes
  TablePin pin;
  friend bool operator==(const TableEntry&, const TableEntry&) = default;
};

// The accepted schema, an object named by its content.
struct SchemaPin {
  std::string path;  // below the graph's root
  uint64_t size_bytes = 0;
  std::string hash;  // as above
  friend bool operator==(const SchemaPin&, const SchemaPin&) = default;
};

// A table as it stood at a commit whose version has later ones.
struct EarlierPin {
  TableIdentity identity;
  TablePin pin;
  friend bool operator==(const EarlierPin&, const EarlierPin&) = default;
};

struct CommitRecord {
  base::Ulid id;
  // Whoever tries the same write again gives the same one, and gets this record's receipt.
  base::Ulid operation;
  std::optional<base::Ulid> parent;         // none: the first commit of the graph
  std::optional<base::Ulid> merged_parent;  // of a merge
  std::string kind;                         // "init", "load", "mutate", …
  std::string actor;
  std::string message;
  std::string idempotency_key;  // "": none
  std::string request_hash;     // of the request under that key
  base::WallTime created_at;    // after the parent's
  // The version of `__manifest` that this commit is.
  uint64_t catalog_version = 0;
  // Of a commit that shares its version with later ones (group commit): the tables that those have
  // changed, as they stood at this one. Empty for the last commit of a version, which its pointers
  // tell of.
  std::vector<EarlierPin> earlier_pins = {};
  friend bool operator==(const CommitRecord&, const CommitRecord&) = default;
};

// All that an ordinary open reads.
struct CatalogState {
  CommitRecord head;
  std::optional<SchemaPin> schema;
  std::vector<TableEntry> tables;  // ascending by key, keys and identities unique
  friend bool operator==(const CatalogState&, const CatalogState&) = default;

  // Null if there is none.
  const TableEntry* find(std::string_view key) const;
  const TableEntry* find(const TableIdentity& identity) const;
};

// The columns of `__manifest`.
columns::SchemaPtr catalog_schema();
// One row for each table, the schema and the head.
columns::Batch pointer_rows(const CatalogState& state);
columns::Batch commit_rows(const std::vector<CommitRecord>& commits);

// Errors: kCorrupt, naming the row and the rule: a head is missing or twice, a member is missing or
// malformed, two tables share a key or an identity.
Result<CatalogState> parse_pointers(const std::vector<columns::Batch>& batches);
// The commits among the rows, in their order. Errors: kCorrupt.
Result<std::vector<CommitRecord>> parse_commits(const columns::Batch& batch);

// "Person-01ARZ3…-01ARZ4….lance": where a table lies. `name` is cut to what a name may have and its
// characters other than letters, digits and '_' are left out.
std::string table_path(std::string_view name, const TableIdentity& identity);

}  // namespace weft::catalog
