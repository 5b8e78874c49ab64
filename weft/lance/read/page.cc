#include "weft/lance/read/page.h"

#include <utility>

namespace weft::lance::read {

Result<std::unique_ptr<Page>> make_page(const LeafPath& path,
                                        const layout::PageDescription& description,
                                        ReadMemory& kept) {
  if (description.layout_url != layout::kPageLayoutUrl) {
    return Error(ErrorKind::kUnsupported, "a page layout is not supported")
        .with("layout", description.layout_url);
  }
  if (description.length > kPageRowsMax) {
    return page_damaged("the number of rows of a page is possible");
  }
  WEFT_TRY(layout::PageLayout parsed, layout::parse_page_layout(as_bytes(description.layout)));
  if (auto* const mini = std::get_if<layout::MiniBlockLayout>(&parsed); mini != nullptr) {
    return make_mini_block_page(path, description, std::move(*mini), kept);
  }
  if (auto* const zip = std::get_if<layout::FullZipLayout>(&parsed); zip != nullptr) {
    return make_full_zip_page(path, description, std::move(*zip), kept);
  }
  return make_constant_page(path, description, std::move(std::get<layout::ConstantLayout>(parsed)),
                            kept);
}

Result<std::vector<IndexRange>> events_of_rows(std::span<const uint16_t> repetition,
                                               unsigned list_count, uint64_t first_event,
                                               std::span<const IndexRange> rows) {
  std::vector<IndexRange> events;
  uint64_t row = 0;  // the row whose first event is looked for
  uint64_t event = first_event;
  const auto seek = [&](uint64_t wanted) {
    // Moves to the first event of row `wanted`, or to the end if the rows end there.
    while (event < repetition.size()) {
      if (repetition[event] == list_count) {
        if (row == wanted) {
          return true;
        }
        ++row;
      }
      ++event;
    }
    return row == wanted;
  };
  for (const IndexRange range : rows) {
    if (!seek(range.begin)) {
      return page_damaged("a page has all its rows");
    }
    const uint64_t begin = event;
    if (!seek(range.end)) {
      return page_damaged("a page has all its rows");
    }
    events.push_back({begin, event});
  }
  return events;
}

Result<storage::Range> part_of(const layout::Extent& extent, uint64_t from, uint64_t size) {
  if (from > extent.size || size > extent.size - from) {
    return page_damaged("what a page points at lies inside its buffer");
  }
  return storage::Range{extent.position + from, size};
}

}  // namespace weft::lance::read
