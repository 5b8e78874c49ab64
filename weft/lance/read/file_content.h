// An open data file: its tables, the metadata of its columns, and how fields are read from it. What
// DataFileReader and Scan share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/lance/read/column_pages.h"
#include "weft/lance/read/data_file_reader.h"

namespace weft::lance::read {

// Thread-safe.
class FileContent {
 public:
  static Result<std::unique_ptr<FileContent>> open(std::unique_ptr<storage::ObjectReader> object,
                                                   ReadOptions options);

  storage::ObjectReader& object() { return *object_; }
  const ReadOptions& options() const { return options_; }
  const layout::Footer& footer() const { return footer_; }
  const layout::FileDescriptor& descriptor() const { return descriptor_; }
  uint64_t row_count() const { return descriptor_.row_count; }
  uint64_t gap_bytes() const {
    return object_->is_remote() ? options_.remote_gap_bytes : options_.local_gap_bytes;
  }

  // The metadata of these columns, read at once and kept.
  Result<std::vector<std::shared_ptr<const layout::ColumnDescription>>> describe(
      std::span<const uint32_t> columns);
  // The pages of the columns of a field, one per leaf (2.1 and later).
  Result<std::vector<std::shared_ptr<ColumnPages>>> pages_of(const ProjectedField& field);

  // Rows `rows` (ascending, not touching) of one field, `row_count` in all.
  Result<columns::ArrayPtr> read_field(const ProjectedField& field,
                                       std::span<const IndexRange> rows, uint64_t row_count,
                                       ReadMemory& memory, std::stop_token stop);

  // Adds the file's name to an error about its content.
  Error in_file(Error error) const;

 private:
  FileContent(std::unique_ptr<storage::ObjectReader> object, ReadOptions options);
  Status read_tables();
  // Bytes of the file, from the end that was read first if they lie there.
  Result<storage::Buffer> bytes_at(const layout::Extent& extent);

  std::unique_ptr<storage::ObjectReader> object_;
  ReadOptions options_;
  KeptBudget kept_;
  layout::Footer footer_;
  layout::FileDescriptor descriptor_;
  std::vector<layout::Extent> column_extents_;
  uint64_t tail_position_ = 0;
  storage::Buffer tail_;
  base::Mutex mutex_;
  std::map<uint32_t, std::shared_ptr<const layout::ColumnDescription>> described_
      WEFT_GUARDED_BY(mutex_);
  std::map<uint32_t, std::shared_ptr<ColumnPages>> pages_ WEFT_GUARDED_BY(mutex_);
};

// A field of a file of version 2.0 (array_encoding.h).
Result<columns::ArrayPtr> read_field_2_0(FileContent& file, const ProjectedField& field,
                                         std::span<const IndexRange> rows, ReadMemory& memory,
                                         std::stop_token stop);

std::unique_ptr<Scan> make_scan(FileContent& file, Projection projection, IndexRange rows);

}  // namespace weft::lance::read
