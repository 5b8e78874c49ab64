#include "weft/lance/read/file_content.h"

#include <algorithm>
#include <utility>

#include "weft/columns/builder.h"
#include "weft/lance/read/assemble.h"
#include "weft/lance/read/page_source.h"

namespace weft::lance::read {
namespace {

// Read at once when a file is opened: with it the tables and the metadata of some hundred columns.
constexpr uint64_t kTailBytes = uint64_t{32} << 10U;
// Longer schemas or column metadata are kLimit.
constexpr uint64_t kMetadataBytesMax = uint64_t{1} << 30U;

Status check_metadata_size(const layout::Extent& extent) {
  if (extent.size > kMetadataBytesMax) {
    return Error(ErrorKind::kLimit, "metadata of a data file is too long")
        .with("bytes", extent.size)
        .with("bytes_max", kMetadataBytesMax);
  }
  return ok_status();
}

// A small file, read whole when it was opened.
class HeldObject final : public storage::ObjectReader {
 public:
  HeldObject(std::unique_ptr<storage::ObjectReader> inner, storage::Buffer bytes)
      : inner_(std::move(inner)), bytes_(std::move(bytes)) {}
  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return bytes_.size(); }
  std::string identity() const override { return inner_->identity(); }
  bool is_remote() const override { return false; }
  Result<std::vector<storage::Buffer>> read_many(const std::vector<storage::Range>& ranges,
                                                 std::stop_token /*stop*/) override {
    WEFT_TRY_STATUS(storage::check_ranges(ranges, size(), name()));
    std::vector<storage::Buffer> answers;
    answers.reserve(ranges.size());
    for (const storage::Range& range : ranges) {
      answers.push_back(bytes_.slice(range.offset, range.size));
    }
    return answers;
  }

 private:
  std::unique_ptr<storage::ObjectReader> inner_;
  storage::Buffer bytes_;
};

}  // namespace

FileContent::FileContent(std::unique_ptr<storage::ObjectReader> object, ReadOptions options)
    : object_(std::move(object)), options_(options) {
  kept_.budget = options_.budget;
  kept_.page_bytes_max = options_.memory_bytes_max;
  kept_.bytes_max = options_.kept_bytes_max;
}

Error FileContent::in_file(Error error) const {
  if (error.fact("object").empty()) {
    error.add("object", object_->name());
  }
  return error;
}

Result<std::unique_ptr<FileContent>> FileContent::open(
    std::unique_ptr<storage::ObjectReader> object, ReadOptions options) {
  std::unique_ptr<FileContent> file(new FileContent(std::move(object), options));
  Status status = file->read_tables();
  if (!status.ok()) {
    return file->in_file(std::move(status).error());
  }
  return file;
}

Result<storage::Buffer> FileContent::bytes_at(const layout::Extent& extent) {
  if (extent.position >= tail_position_) {
    return tail_.slice(extent.position - tail_position_, extent.size);
  }
  return object_->read({extent.position, extent.size});
}

Status FileContent::read_tables() {
  const uint64_t size = object_->size();
  if (size < layout::kFooterBytes) {
    return Error(ErrorKind::kCorrupt, "not a Lance data file: too short").with("size", size);
  }
  tail_position_ = size - std::min(size, kTailBytes);
  WEFT_TRY(tail_, object_->read({tail_position_, size - tail_position_}));
  WEFT_TRY(footer_, layout::parse_footer(tail_.view().last(layout::kFooterBytes), size));
  WEFT_TRY(
      const storage::Buffer columns,
      bytes_at({footer_.column_table_position, footer_.column_count * layout::kTableEntryBytes}));
  WEFT_TRY(column_extents_, layout::parse_extents(columns.view(), footer_.column_count, size));
  if (footer_.global_buffer_count == 0) {
    return Error(ErrorKind::kCorrupt, "a data file has no schema");
  }
  WEFT_TRY(const storage::Buffer first,
           bytes_at({footer_.global_table_position, layout::kTableEntryBytes}));
  WEFT_TRY(const std::vector<layout::Extent> globals, layout::parse_extents(first.view(), 1, size));
  WEFT_TRY_STATUS(check_metadata_size(globals[0]));
  WEFT_TRY(const storage::Buffer descriptor, bytes_at(globals[0]));
  WEFT_TRY(descriptor_, layout::parse_file_descriptor(descriptor.view()));
  if (tail_position_ == 0) {
    object_ = std::make_unique<HeldObject>(std::move(object_), tail_);
  }
  return ok_status();
}

Result<std::vector<std::shared_ptr<const layout::ColumnDescription>>> FileContent::describe(
    std::span<const uint32_t> columns) {
  std::vector<std::shared_ptr<const layout::ColumnDescription>> out(columns.size());
  std::vector<size_t> missing;
  std::vector<storage::Range> ranges;
  {
    const base::MutexLock lock(mutex_);
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto found = described_.find(columns[i]);
      if (found != described_.end()) {
        out[i] = found->second;
        continue;
      }
      if (columns[i] >= column_extents_.size()) {
        return Error(ErrorKind::kInvalid, "a data file does not have this column")
            .with("column", uint64_t{columns[i]})
            .with("columns", column_extents_.size());
      }
      missing.push_back(i);
    }
  }
  ReadMemory memory(options_.budget, kMetadataBytesMax);
  for (const size_t i : missing) {
    const layout::Extent& extent = column_extents_[columns[i]];
    WEFT_TRY_STATUS(check_metadata_size(extent));
    if (extent.position < tail_position_) {
      ranges.push_back({extent.position, extent.size});
    }
  }
  WEFT_TRY(const std::vector<storage::Buffer> buffers,
           read_coalesced(*object_, ranges, gap_bytes(), memory, {}));
  size_t next = 0;
  for (const size_t i : missing) {
    const layout::Extent& extent = column_extents_[columns[i]];
    const storage::Buffer bytes = extent.position < tail_position_
                                      ? buffers[next++]
                                      : tail_.slice(extent.position - tail_position_, extent.size);
    WEFT_TRY(layout::ColumnDescription parsed, layout::parse_column(bytes.view(), object_->size()));
    out[i] = std::make_shared<const layout::ColumnDescription>(std::move(parsed));
    const base::MutexLock lock(mutex_);
    described_.emplace(columns[i], out[i]);
  }
  return out;
}

Result<std::vector<std::shared_ptr<ColumnPages>>> FileContent::pages_of(
    const ProjectedField& field) {
  std::vector<LeafPath> paths;
  WEFT_TRY_STATUS(append_leaf_paths(field.field.type, paths));
  if (paths.size() != field.columns.size()) {
    return Error(ErrorKind::kInvalid, "a field has another number of leaves than columns")
        .with("field", field.field.name);
  }
  std::vector<std::shared_ptr<ColumnPages>> out(paths.size());
  std::vector<uint32_t> missing;
  {
    const base::MutexLock lock(mutex_);
    for (size_t i = 0; i < paths.size(); ++i) {
      const auto found = pages_.find(field.columns[i]);
      if (found != pages_.end() && *found->second->path().type == *paths[i].type &&
          found->second->path().layer_is_list == paths[i].layer_is_list) {
        out[i] = found->second;
      } else {
        missing.push_back(field.columns[i]);
      }
    }
  }
  if (missing.empty()) {
    return out;
  }
  WEFT_TRY(const auto descriptions, describe(missing));
  size_t next = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (out[i] == nullptr) {
      WEFT_TRY(out[i],
               ColumnPages::make(std::move(paths[i]), *descriptions[next++], row_count(), kept_));
      const base::MutexLock lock(mutex_);
      pages_[field.columns[i]] = out[i];
    }
  }
  return out;
}

Result<columns::ArrayPtr> FileContent::read_field(const ProjectedField& field,
                                                  std::span<const IndexRange> rows,
                                                  uint64_t row_count, ReadMemory& memory,
                                                  std::stop_token stop) {
  if (field.columns.empty()) {
    WEFT_TRY_STATUS(memory.grow(row_count * 8));
    return columns::null_array(field.field.type, row_count);
  }
  if (footer_.version == layout::FileVersion::kV20) {
    return read_field_2_0(*this, field, rows, memory, std::move(stop));
  }
  WEFT_TRY(const std::vector<std::shared_ptr<ColumnPages>> leaves, pages_of(field));
  std::vector<ColumnRead> reads;
  std::vector<PageRequest*> requests;
  std::vector<LeafPath> paths;
  for (const std::shared_ptr<ColumnPages>& leaf : leaves) {
    WEFT_TRY(ColumnRead read, leaf->request(rows, memory));
    for (const std::unique_ptr<PageRequest>& request : read.requests) {
      requests.push_back(request.get());
    }
    reads.push_back(std::move(read));
    paths.push_back(leaf->path());
  }
  WEFT_TRY_STATUS(fetch(*object_, requests, gap_bytes(), memory, stop));
  std::vector<LeafOutput> outputs;
  outputs.reserve(leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    outputs.emplace_back(paths[i], &memory);
    for (const std::unique_ptr<PageRequest>& request : reads[i].requests) {
      if (stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "stopped on request");
      }
      WEFT_TRY_STATUS(request->decode(outputs.back()));
    }
  }
  return assemble(field.field, paths, outputs, row_count, memory);
}

}  // namespace weft::lance::read
