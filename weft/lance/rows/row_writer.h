// Writes rows as new fragments of a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/budget.h"
#include "weft/base/executor.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/stage.h"
#include "weft/lance/write/data_file_writer.h"

namespace weft::lance {

struct RowWriteOptions {
  base::Executor* executor = nullptr;    // must be given
  base::MemoryBudget* budget = nullptr;  // may be null
  uint64_t file_rows_max = uint64_t{1} << 20U;
  // Files up to this size are not written at once but wait among the staged objects, so that they
  // are put with them under one barrier; nothing can be read of them before. 0: all are written at
  // once.
  uint64_t held_bytes_max = 0;
};

// Writes rows of some fields into new fragments, one data file each, under names of a stage.
class RowWriter {
 public:
  // `fields` in depth-first pre-order (a manifest's, or new top-level ones of it). All references
  // must outlive the writer.
  RowWriter(Stage& stage, std::vector<layout::SchemaField> fields, const RowWriteOptions& options);
  // `held` gets the files that wait; it is only used if some may.
  RowWriter(TableLocation location, std::string file_version, StageOptions names,
            std::vector<layout::SchemaField> fields, const RowWriteOptions& options,
            std::vector<StagedObject>* held = nullptr);

  // The columns are the top-level fields in order. Errors: those of DataFileWriter.
  Status append(const columns::Batch& batch);
  // The fragments, ids 0, in the order of the rows.
  Result<std::vector<Fragment>> finish();

 private:
  Status open();
  Status close();

  TableLocation location_;
  std::string file_version_;
  StageOptions names_;
  std::vector<layout::SchemaField> fields_;
  RowWriteOptions options_;
  std::vector<StagedObject>* held_;
  std::unique_ptr<write::DataFileWriter> file_;
  std::string path_;
  std::vector<Fragment> fragments_;
};

}  // namespace weft::lance
