// Reads the rows of one version of a table: fragments in order, columns joined from several data
// files, deleted rows left out.
//
//     WEFT_TRY(const Snapshot snapshot, open_latest(location));
//     WEFT_TRY(const auto table, TableReader::open(snapshot, {.executor = &pool}));
//     WEFT_TRY(const auto scan, table->scan({"id", "text"}));
//     while (...) { WEFT_TRY(const std::optional<TableRows> rows, scan->next()); … }
//
// B1  The rows are those that every Lance engine shows for this version, in its order (by fragment,
//     then by position).
// B2  A field that no data file of a fragment has is null there.
// B3  Data files are opened when they are first needed, deletion files once.
// Thread-safe; scans are not. Store, executor and budget must outlive the reader, the reader its
// scans; batches own their memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/table/snapshot.h"

namespace weft::lance {

// Some live rows of one fragment.
struct TableRows {
  columns::Batch batch;
  uint64_t fragment_id = 0;
  // Positions in the fragment, ascending: row i of the batch has the address
  // row_address(fragment_id, offsets[i]).
  std::vector<uint32_t> offsets;
};

class TableScan {
 public:
  virtual ~TableScan() = default;
  // Nothing at the end. After an error only destruction is useful.
  virtual Result<std::optional<TableRows>> next(std::stop_token stop = {}) = 0;
};

struct TableVerification {
  uint64_t fragments = 0;
  uint64_t data_files = 0;
  uint64_t deletion_files = 0;
  uint64_t rows = 0;  // live
  uint64_t rows_deleted = 0;
  uint64_t bytes = 0;  // of data files
};

class TableReader {
 public:
  // Opens no data file. Errors: kUnsupported names a type that cannot be read.
  static Result<std::unique_ptr<TableReader>> open(Snapshot snapshot,
                                                   read::ReadOptions options = {});
  virtual ~TableReader() = default;

  virtual const Snapshot& snapshot() const = 0;
  virtual const columns::SchemaPtr& schema() const = 0;
  virtual uint64_t row_count() const = 0;  // live rows

  // The columns `names` (all, if empty), in that order; the fragments `fragment_ids` only, if there
  // are any. Errors: kNotFound names the column or fragment.
  virtual Result<std::unique_ptr<TableScan>> scan(
      const std::vector<std::string>& names = {},
      const std::vector<uint64_t>& fragment_ids = {}) = 0;

  // The rows at `positions` of what scan() gives (0 is the first live row), in the order given,
  // repeats allowed. Errors: kInvalid beyond the rows; kLimit beyond kTakeRowsMax.
  virtual Result<columns::Batch> take(const std::vector<std::string>& names,
                                      std::span<const uint64_t> positions,
                                      std::stop_token stop = {}) = 0;
  // The rows with these addresses. Errors: kNotFound if one is deleted or was never there.
  virtual Result<columns::Batch> take_addresses(const std::vector<std::string>& names,
                                                std::span<const uint64_t> addresses,
                                                std::stop_token stop = {}) = 0;

  // Reads every deletion file and decodes every page of every data file of this version, also of
  // columns that the schema no longer has if their type is known from the file. Errors name the
  // object and what is wrong with it.
  virtual Result<TableVerification> verify(std::stop_token stop = {}) = 0;
};

}  // namespace weft::lance
