#include "weft/lance/rows/row_writer.h"

#include <algorithm>

#include "weft/base/check.h"
#include "weft/lance/rows/held_file.h"

namespace weft::lance {

RowWriter::RowWriter(Stage& stage, std::vector<layout::SchemaField> fields,
                     const RowWriteOptions& options)
    : RowWriter(stage.base().location(), stage.base().manifest().file_version, stage.options(),
                std::move(fields), options, &stage.held_objects()) {}

RowWriter::RowWriter(TableLocation location, std::string file_version, StageOptions names,
                     std::vector<layout::SchemaField> fields, const RowWriteOptions& options,
                     std::vector<StagedObject>* held)
    : location_(std::move(location)),
      file_version_(std::move(file_version)),
      names_(std::move(names)),
      fields_(std::move(fields)),
      options_(options),
      held_(held) {
  WEFT_CHECK(options_.executor != nullptr && options_.file_rows_max > 0);
}

Status RowWriter::open() {
  write::DataFileOptions options;
  WEFT_TRY(options.version, layout::parse_file_version(file_version_));
  path_ = new_data_path(names_);
  const std::string name = location_.object(std::string(kDataFolder) + path_);
  if (options_.held_bytes_max == 0 || held_ == nullptr) {
    WEFT_TRY(file_, write::DataFileWriter::create(*location_.store, name, fields_, options,
                                                  *options_.executor, options_.budget));
    return {};
  }
  WEFT_TRY(file_, write::DataFileWriter::create(
                      held_file(*location_.store, name, options_.held_bytes_max, *held_), name,
                      fields_, options, *options_.executor, options_.budget));
  return {};
}

Status RowWriter::close() {
  WEFT_TRY(const write::DataFileSummary summary, file_->finish());
  file_.reset();
  Fragment& fragment = fragments_.emplace_back();
  fragment.physical_rows = summary.row_count;
  DataFile& file = fragment.files.emplace_back();
  file.path = path_;
  file.fields = summary.field_ids;
  file.column_indices = summary.column_indices;
  file.major_version = 2;
  file.minor_version = summary.version == layout::FileVersion::kV20   ? 0
                       : summary.version == layout::FileVersion::kV21 ? 1
                                                                      : 2;
  file.size_bytes = summary.size_bytes;
  return {};
}

Status RowWriter::append(const columns::Batch& batch) {
  size_t from = 0;
  while (from < batch.row_count()) {
    if (file_ == nullptr) {
      WEFT_TRY_STATUS(open());
    }
    const uint64_t room = options_.file_rows_max - file_->row_count();
    const size_t count = std::min<uint64_t>(room, batch.row_count() - from);
    WEFT_TRY_STATUS(file_->append(batch.slice(from, count)));
    from += count;
    if (file_->row_count() == options_.file_rows_max) {
      WEFT_TRY_STATUS(close());
    }
  }
  return {};
}

Result<std::vector<Fragment>> RowWriter::finish() {
  if (file_ != nullptr) {
    WEFT_TRY_STATUS(close());
  }
  return std::move(fragments_);
}

}  // namespace weft::lance
