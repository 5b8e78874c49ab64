// The file around the pages: puts buffers where they belong and writes what describes them.
#pragma once

#include <memory>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/lance/write/encoded_page.h"
#include "weft/storage/object_store.h"

namespace weft::lance::write {

// Not thread-safe.
class FileOutput {
 public:
  FileOutput(std::unique_ptr<storage::ObjectWriter> object, size_t column_count)
      : object_(std::move(object)), columns_(column_count) {}

  // Pages of one column come in the order of their rows.
  Status add_page(size_t column, const EncodedPage& page);
  // Everything behind the pages; then the file gets its name.
  Result<storage::PutOutcome> finish(const layout::FileDescriptor& descriptor,
                                     layout::FileVersion version);
  // Also after finish, when the object may not know any more.
  uint64_t size() const { return published_bytes_ != 0 ? published_bytes_ : object_->size(); }

 private:
  Status align();
  // Appends `bytes` and says where they are.
  Result<layout::Extent> put(ByteView bytes);

  std::unique_ptr<storage::ObjectWriter> object_;
  std::vector<layout::ColumnDescription> columns_;
  uint64_t published_bytes_ = 0;
};

}  // namespace weft::lance::write
