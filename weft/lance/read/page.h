// Pages of one column in file version 2.1 or 2.2: where the bytes of some rows lie, and decoding
// them. A page itself does no input; whoever drives a request reads what it asks for.
//
//     std::unique_ptr<PageRequest> request = page->request(rows, memory);
//     while (ranges are wanted: request->next_ranges(ranges)) { request->give(read(ranges)); }
//     request->decode(output);
//
// P1  Only bytes that the wanted rows (or finding them) need are asked for: the chunks they stand
//     in, their slots.
// P2  What is needed to find rows at all (chunk words, row index, dictionary) is read once and
// kept. P3  Every offset, size and count is checked before it is used; nothing is allocated for one
// but
//     through the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/base/result.h"
#include "weft/lance/layout/encoding.h"
#include "weft/lance/layout/file_layout.h"
#include "weft/lance/read/leaf_output.h"
#include "weft/storage/object_store.h"

namespace weft::lance::read {

// More rows in one page are damage.
inline constexpr uint64_t kPageRowsMax = uint64_t{1} << 40U;

// One reading of some rows of a page. Not thread-safe.
class PageRequest {
 public:
  virtual ~PageRequest() = default;
  // Appends what must be read next; nothing if all is there.
  virtual Status next_ranges(std::vector<storage::Range>& out) = 0;
  // The bytes of the ranges asked for last, in their order.
  virtual Status give(std::span<const storage::Buffer> buffers) = 0;
  // Appends the rows.
  virtual Status decode(LeafOutput& out) = 0;
};

// Thread-safe; requests may outlive nothing but the page.
class Page {
 public:
  virtual ~Page() = default;
  uint64_t row_count() const { return row_count_; }
  // A bound on what the page keeps in memory besides its description.
  virtual uint64_t kept_bytes() const = 0;
  // True if rows are plain bytes in the file, best read page by page without copying.
  virtual bool is_plain() const { return false; }
  // `rows` ascend, do not touch one another, and lie inside the page. `memory` must outlive the
  // request.
  virtual std::unique_ptr<PageRequest> request(std::vector<IndexRange> rows,
                                               ReadMemory& memory) = 0;

 protected:
  explicit Page(uint64_t row_count) : row_count_(row_count) {}

 private:
  uint64_t row_count_;
};

// Makes the page for a description. `kept` is charged for what the page keeps; both must outlive
// the page. Errors: kUnsupported names layout or encoding; kCorrupt.
Result<std::unique_ptr<Page>> make_page(const LeafPath& path,
                                        const layout::PageDescription& description,
                                        ReadMemory& kept);

Result<std::unique_ptr<Page>> make_mini_block_page(const LeafPath& path,
                                                   const layout::PageDescription& description,
                                                   layout::MiniBlockLayout layout,
                                                   ReadMemory& kept);
Result<std::unique_ptr<Page>> make_full_zip_page(const LeafPath& path,
                                                 const layout::PageDescription& description,
                                                 layout::FullZipLayout layout, ReadMemory& kept);
Result<std::unique_ptr<Page>> make_constant_page(const LeafPath& path,
                                                 const layout::PageDescription& description,
                                                 layout::ConstantLayout layout, ReadMemory& kept);

// The events of rows: which events belong to which row, from repetition levels.
// Finds for every range of `rows` (counted from the first row that begins in `repetition`, at event
// `first_event`) the range of events; the last row ends with the levels. Errors: kCorrupt if there
// are fewer rows.
Result<std::vector<IndexRange>> events_of_rows(std::span<const uint16_t> repetition,
                                               unsigned list_count, uint64_t first_event,
                                               std::span<const IndexRange> rows);

// The range of a buffer of the page: bytes [from, from + size) of `extent`, which must hold them.
Result<storage::Range> part_of(const layout::Extent& extent, uint64_t from, uint64_t size);

}  // namespace weft::lance::read
