#include "weft/lance/write/file_output.h"

#include <array>

namespace weft::lance::write {

using layout::Extent;

Status FileOutput::align() {
  static constexpr std::array<std::byte, layout::kPageAlignmentBytes> kZeros{};
  const uint64_t beyond = object_->size() % layout::kPageAlignmentBytes;
  if (beyond == 0) {
    return ok_status();
  }
  return object_->append(ByteView(kZeros).first(layout::kPageAlignmentBytes - beyond));
}

Result<Extent> FileOutput::put(ByteView bytes) {
  const Extent extent{object_->size(), bytes.size()};
  WEFT_TRY_STATUS(object_->append(bytes));
  return extent;
}

Status FileOutput::add_page(size_t column, const EncodedPage& page) {
  layout::PageDescription description;
  for (const PageBuffer& buffer : page.buffers) {
    WEFT_TRY_STATUS(align());
    WEFT_TRY(const Extent extent, put(buffer.view()));
    description.buffers.push_back(extent);
  }
  description.length = page.row_count;
  description.first_row = page.first_row;
  description.layout_url = layout::kPageLayoutUrl;
  description.layout = layout::serialize_page_layout(page.layout);
  if (columns_[column].pages.size() >= layout::kColumnPagesMax) {
    return Error(ErrorKind::kLimit, "too many pages in a column of a data file")
        .with("column", column)
        .with("pages_max", layout::kColumnPagesMax);
  }
  columns_[column].pages.push_back(std::move(description));
  return ok_status();
}

Result<storage::PutOutcome> FileOutput::finish(const layout::FileDescriptor& descriptor,
                                               layout::FileVersion version) {
  WEFT_TRY_STATUS(align());
  layout::Footer footer;
  footer.version = version;
  footer.global_buffer_count = 1;
  footer.column_count = static_cast<uint32_t>(columns_.size());
  WEFT_TRY(const Extent global, put(as_bytes(layout::serialize_file_descriptor(descriptor))));
  footer.column_metadata_position = object_->size();
  std::vector<Extent> extents;
  extents.reserve(columns_.size());
  for (const layout::ColumnDescription& column : columns_) {
    WEFT_TRY(const Extent extent, put(as_bytes(layout::serialize_column(column))));
    extents.push_back(extent);
  }
  footer.column_table_position = object_->size();
  WEFT_TRY_STATUS(object_->append(as_bytes(layout::serialize_extents(extents))));
  footer.global_table_position = object_->size();
  WEFT_TRY_STATUS(object_->append(as_bytes(layout::serialize_extents({global}))));
  WEFT_TRY_STATUS(object_->append(as_bytes(layout::serialize_footer(footer))));
  published_bytes_ = object_->size();
  return object_->publish();
}

}  // namespace weft::lance::write
