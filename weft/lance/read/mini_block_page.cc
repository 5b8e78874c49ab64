// Mini-block pages: small chunks of up to some thousand values, each decoded as a whole.
#include <algorithm>
#include <cstring>
#include <optional>

#include "weft/base/mutex.h"
#include "weft/lance/read/chunk_table.h"
#include "weft/lance/read/dictionary_lookup.h"
#include "weft/lance/read/page.h"
#include "weft/lance/read/value_decoder.h"

namespace weft::lance::read {
namespace {

using layout::Extent;
using layout::MiniBlockLayout;

// The chunks [first, last] and the rows wanted of them.
struct ChunkRun {
  size_t first = 0;
  size_t last = 0;
  std::vector<IndexRange> rows;
};

class MiniBlockPage final : public Page {
 public:
  MiniBlockPage(const LeafPath& path, const layout::PageDescription& description,
                MiniBlockLayout layout, LevelMap map, ValueDecoder values, LeafShape index_shape,
                ReadMemory& kept)
      : Page(description.length),
        path_(path),
        buffers_(description.buffers),
        layout_(std::move(layout)),
        map_(std::move(map)),
        values_(std::move(values)),
        value_shape_(std::move(index_shape)),
        kept_(kept) {}

  uint64_t kept_bytes() const override {
    uint64_t bytes = buffers_[0].size * 12;
    for (size_t i = 2; i < buffers_.size(); ++i) {
      bytes += buffers_[i].size * 2;
    }
    return bytes;
  }

  std::unique_ptr<PageRequest> request(std::vector<IndexRange> rows, ReadMemory& memory) override;

  std::shared_ptr<const ChunkTable> table() {
    const base::MutexLock lock(mutex_);
    return table_;
  }

  // The buffers that table() is made from.
  void table_ranges(std::vector<storage::Range>& out) const {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (i != 1) {
        out.push_back({buffers_[i].position, buffers_[i].size});
      }
    }
  }

  Result<std::shared_ptr<const ChunkTable>> make_table(std::span<const storage::Buffer> buffers);

  const LeafPath& path() const { return path_; }
  const MiniBlockLayout& layout() const { return layout_; }
  const LevelMap& map() const { return map_; }
  const ValueDecoder& values() const { return values_; }
  // Of what chunks hold: the column's, or indices into the dictionary.
  const LeafShape& value_shape() const { return value_shape_; }
  const Extent& chunk_buffer() const { return buffers_[1]; }
  bool has_repetition() const { return layout_.repetition.has_value(); }
  // Null: there are none.
  const layout::Encoding* definition() const {
    return layout_.definition.has_value() ? &*layout_.definition : nullptr;
  }
  const layout::Encoding* repetition() const {
    return layout_.repetition.has_value() ? &*layout_.repetition : nullptr;
  }

 private:
  const LeafPath& path_;
  std::vector<Extent> buffers_;
  MiniBlockLayout layout_;
  LevelMap map_;
  ValueDecoder values_;
  LeafShape value_shape_;
  ReadMemory& kept_;
  base::Mutex mutex_;
  std::shared_ptr<const ChunkTable> table_ WEFT_GUARDED_BY(mutex_);
};

Result<std::shared_ptr<const ChunkTable>> MiniBlockPage::make_table(
    std::span<const storage::Buffer> buffers) {
  auto made = std::make_shared<ChunkTable>();
  WEFT_TRY_STATUS(kept_.grow(kept_bytes()));
  WEFT_TRY_STATUS(read_chunk_words(layout_, buffers[0].view(), buffers_[1].size, *made));
  size_t next = 1;
  if (layout_.dictionary) {
    LeafValues& dictionary = made->dictionary.emplace(path_.shape, &kept_);
    WEFT_TRY_STATUS(decode_dictionary(*layout_.dictionary, buffers[next++].view(),
                                      layout_.dictionary_items, kept_, dictionary));
  }
  if (has_repetition()) {
    WEFT_TRY_STATUS(read_row_index(layout_, buffers[next].view(), row_count(), *made));
  } else if (layout_.item_count != row_count()) {
    return page_damaged("a page without lists has an item for every row");
  }
  const base::MutexLock lock(mutex_);
  if (table_ == nullptr) {
    table_ = std::move(made);
  }
  return table_;
}

class MiniBlockRequest final : public PageRequest {
 public:
  MiniBlockRequest(MiniBlockPage& page, std::vector<IndexRange> rows, ReadMemory& memory)
      : page_(page), rows_(std::move(rows)), memory_(memory), table_(page.table()) {}

  Status next_ranges(std::vector<storage::Range>& out) override {
    if (table_ == nullptr) {
      page_.table_ranges(out);
      return ok_status();
    }
    if (!runs_.empty() || rows_.empty()) {
      return ok_status();
    }
    find_runs();
    for (const ChunkRun& run : runs_) {
      const uint64_t from = ChunkTable::before(table_->byte_ends, run.first);
      WEFT_TRY(const storage::Range range,
               part_of(page_.chunk_buffer(), from, table_->byte_ends[run.last] - from));
      out.push_back(range);
    }
    return ok_status();
  }

  Status give(std::span<const storage::Buffer> buffers) override {
    if (table_ == nullptr) {
      WEFT_TRY(table_, page_.make_table(buffers));
      return ok_status();
    }
    buffers_.assign(buffers.begin(), buffers.end());
    return ok_status();
  }

  Status decode(LeafOutput& out) override {
    const std::optional<LeafValues>& kept = table_->dictionary;
    const LeafValues* const dictionary = kept.has_value() ? &*kept : nullptr;
    if (dictionary != nullptr) {
      LeafValues indices(page_.value_shape(), &memory_);
      WEFT_TRY_STATUS(decode_runs(out, indices));
      return look_up(indices, *dictionary, out.values);
    }
    return decode_runs(out, out.values);
  }

 private:
  void find_runs() {
    const bool repeated = page_.has_repetition();
    for (const IndexRange range : rows_) {
      const size_t first = first_chunk_of(*table_, repeated, range.begin);
      const size_t last = last_chunk_of(*table_, repeated, range.end - 1);
      if (!runs_.empty() && first <= runs_.back().last + 1) {
        runs_.back().last = std::max(runs_.back().last, last);
        runs_.back().rows.push_back(range);
      } else {
        runs_.push_back({first, last, {range}});
      }
    }
  }

  Status decode_runs(LeafOutput& out, LeafValues& values) {
    uint64_t wanted = 0;
    for (const IndexRange range : rows_) {
      wanted += range.size();
    }
    if (!page_.has_repetition() && values.shape().kind != LeafShape::Kind::kText) {
      // Up to a whole block more, which unpacking may write before it takes it back.
      WEFT_TRY_STATUS(values.reserve(wanted + 1024));
    }
    for (size_t i = 0; i < runs_.size(); ++i) {
      WEFT_TRY_STATUS(page_.has_repetition()
                          ? decode_repeated(runs_[i], buffers_[i].view(), out, values)
                          : decode_plain(runs_[i], buffers_[i].view(), out, values));
    }
    return ok_status();
  }

  Result<ChunkParts> chunk_at(const ChunkRun& run, size_t chunk, ByteView bytes) const {
    const uint64_t base = ChunkTable::before(table_->byte_ends, run.first);
    const uint64_t from = ChunkTable::before(table_->byte_ends, chunk) - base;
    return take_apart(page_.layout(), bytes.subspan(from, table_->byte_ends[chunk] - base - from));
  }

  // Every row is an item.
  Status decode_plain(const ChunkRun& run, ByteView bytes, LeafOutput& out, LeafValues& values) {
    size_t next = 0;
    std::vector<IndexRange> ranges;
    Levels levels;
    for (size_t chunk = run.first; chunk <= run.last; ++chunk) {
      const uint64_t begin = ChunkTable::before(table_->item_ends, chunk);
      const uint64_t end = table_->item_ends[chunk];
      ranges.clear();
      for (size_t i = next; i < run.rows.size() && run.rows[i].begin < end; ++i) {
        const IndexRange range{std::max(run.rows[i].begin, begin) - begin,
                               std::min(run.rows[i].end, end) - begin};
        ranges.push_back(range);
        if (run.rows[i].end <= end) {
          next = i + 1;
        }
      }
      WEFT_TRY(const ChunkParts parts, chunk_at(run, chunk, bytes));
      levels.clear();
      if (page_.definition() != nullptr) {
        if (parts.level_count != end - begin) {
          return page_damaged("a chunk without lists has a level for every item");
        }
        WEFT_TRY_STATUS(decode_levels(*page_.definition(), parts.definition, parts.level_count,
                                      memory_, levels));
      }
      for (const IndexRange range : ranges) {
        const std::span<const uint16_t> part =
            levels.empty() ? std::span<const uint16_t>()
                           : std::span<const uint16_t>(levels).subspan(range.begin, range.size());
        WEFT_TRY_STATUS(out.append_levels(page_.map(), {}, part, range.size()));
      }
      WEFT_TRY_STATUS(page_.values().decode(parts.values, end - begin, ranges, memory_, values));
    }
    return ok_status();
  }

  struct RunLevels {
    Levels repetition;
    Levels definition;
    std::vector<ChunkParts> chunks;
  };
  Status read_levels(const ChunkRun& run, ByteView bytes, RunLevels& levels) const {
    for (size_t chunk = run.first; chunk <= run.last; ++chunk) {
      WEFT_TRY(ChunkParts parts, chunk_at(run, chunk, bytes));
      WEFT_TRY_STATUS(memory_.grow(parts.level_count * 2 * sizeof(uint16_t)));
      WEFT_TRY_STATUS(decode_levels(*page_.repetition(), parts.repetition, parts.level_count,
                                    memory_, levels.repetition));
      if (page_.definition() != nullptr) {
        WEFT_TRY_STATUS(decode_levels(*page_.definition(), parts.definition, parts.level_count,
                                      memory_, levels.definition));
      }
      levels.chunks.push_back(std::move(parts));
    }
    return ok_status();
  }

  Status decode_repeated(const ChunkRun& run, ByteView bytes, LeafOutput& out, LeafValues& values) {
    RunLevels levels;
    WEFT_TRY_STATUS(read_levels(run, bytes, levels));
    const std::span<const uint16_t> repetition(levels.repetition);
    // A row that began before the run has its first events here: they are not ours.
    const bool enters = run.first > 0 && table_->goes_on[run.first - 1];
    const uint64_t first_row = ChunkTable::before(table_->row_ends, run.first) + (enters ? 1 : 0);
    uint64_t first_event = 0;
    if (enters) {
      while (first_event < repetition.size() &&
             repetition[first_event] != page_.map().list_count()) {
        ++first_event;
      }
    }
    std::vector<IndexRange> rows = run.rows;
    for (IndexRange& range : rows) {
      if (range.begin < first_row) {
        return page_damaged("a row index says where rows begin");
      }
      range.begin -= first_row;
      range.end -= first_row;
    }
    WEFT_TRY(const std::vector<IndexRange> events,
             events_of_rows(repetition, page_.map().list_count(), first_event, rows));
    std::vector<IndexRange> items;
    WEFT_TRY_STATUS(take_events(levels, events, out, items));
    return decode_items(run, levels, items, values);
  }

  // Hands out the levels of `events`, and which visible items (counted from the run's first) they
  // are.
  Status take_events(const RunLevels& levels, std::span<const IndexRange> events, LeafOutput& out,
                     std::vector<IndexRange>& items) const {
    const std::span<const uint16_t> repetition(levels.repetition);
    const std::span<const uint16_t> definition(levels.definition);
    uint64_t event = 0;
    uint64_t item = 0;
    const auto count_to = [&](uint64_t end) {
      if (definition.empty()) {
        item += end - event;
      } else {
        for (; event < end; ++event) {
          item += definition[event] <= page_.map().visible_max() ? 1 : 0;
        }
      }
      event = end;
    };
    for (const IndexRange range : events) {
      count_to(range.begin);
      const uint64_t begin = item;
      count_to(range.end);
      if (item > begin) {
        items.push_back({begin, item});
      }
      WEFT_TRY_STATUS(out.append_levels(
          page_.map(), repetition.subspan(range.begin, range.size()),
          definition.empty() ? definition : definition.subspan(range.begin, range.size()),
          range.size()));
    }
    return ok_status();
  }

  Status decode_items(const ChunkRun& run, const RunLevels& levels,
                      std::span<const IndexRange> items, LeafValues& values) const {
    const uint64_t base = ChunkTable::before(table_->item_ends, run.first);
    size_t next = 0;
    std::vector<IndexRange> ranges;
    for (size_t chunk = run.first; chunk <= run.last && next < items.size(); ++chunk) {
      const uint64_t begin = ChunkTable::before(table_->item_ends, chunk) - base;
      const uint64_t end = table_->item_ends[chunk] - base;
      ranges.clear();
      for (size_t i = next; i < items.size() && items[i].begin < end; ++i) {
        ranges.push_back(
            {std::max(items[i].begin, begin) - begin, std::min(items[i].end, end) - begin});
        if (items[i].end <= end) {
          next = i + 1;
        }
      }
      WEFT_TRY_STATUS(page_.values().decode(levels.chunks[chunk - run.first].values, end - begin,
                                            ranges, memory_, values));
    }
    return next == items.size() ? ok_status()
                                : Status(page_damaged("chunks have the items their levels name"));
  }

  MiniBlockPage& page_;
  std::vector<IndexRange> rows_;
  ReadMemory& memory_;
  std::shared_ptr<const ChunkTable> table_;
  std::vector<ChunkRun> runs_;
  std::vector<storage::Buffer> buffers_;
};

std::unique_ptr<PageRequest> MiniBlockPage::request(std::vector<IndexRange> rows,
                                                    ReadMemory& memory) {
  return std::make_unique<MiniBlockRequest>(*this, std::move(rows), memory);
}

// The width of the fixed-width values that an encoding gives; 0: not known.
uint64_t value_bits(const layout::Encoding& encoding) {
  using layout::EncodingKind;
  switch (encoding.kind) {
    case EncodingKind::kFlat:
    case EncodingKind::kInlineBitpacking:
      return encoding.number;
    case EncodingKind::kRunLength:
    case EncodingKind::kByteStreamSplit:
    case EncodingKind::kGeneral:
      return value_bits(encoding.children[0]);
    default:
      return 0;
  }
}

}  // namespace

Result<std::unique_ptr<Page>> make_mini_block_page(const LeafPath& path,
                                                   const layout::PageDescription& description,
                                                   MiniBlockLayout layout, ReadMemory& kept) {
  const bool repeated = layout.repetition.has_value();
  const size_t buffers = 2 + (layout.dictionary ? 1U : 0U) + (repeated ? 1U : 0U);
  if (description.buffers.size() != buffers) {
    return page_damaged("a mini-block page has the buffers of its parts");
  }
  if (layout.buffers_per_chunk < 1) {
    return page_damaged("a chunk has a value buffer");
  }
  // Nested fixed-size lists have one for the validity of each level, and that of the values.
  if (layout.buffers_per_chunk > std::max<uint64_t>(2, path.shape.level_items.size() + 1)) {
    return encoding_refused(layout.values, "so many value buffers in a chunk");
  }
  if (path.shape.kind == LeafShape::Kind::kNothing) {
    return page_damaged("a column of type null has constant pages");
  }
  WEFT_TRY(LevelMap map, LevelMap::make(path, layout.layers));
  if (repeated != (map.list_count() != 0)) {
    return page_damaged("a page has repetition levels if it has lists");
  }
  LeafShape shape = path.shape;
  if (layout.dictionary) {
    const uint64_t bits = value_bits(layout.values);
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
      return encoding_refused(layout.values, "indices into a dictionary");
    }
    if (path.shape.kind == LeafShape::Kind::kBits) {
      return encoding_refused(*layout.dictionary, "dictionary of bits");
    }
    shape = LeafShape::fixed(bits);
  }
  WEFT_TRY(ValueDecoder values, ValueDecoder::make(layout.values, shape));
  return std::make_unique<MiniBlockPage>(path, description, std::move(layout), std::move(map),
                                         std::move(values), shape, kept);
}

}  // namespace weft::lance::read
