#include <bit>

#include "weft/base/check.h"
#include "weft/codec/varint.h"
#include "weft/lance/write/encoded_page.h"
#include "weft/lance/write/words.h"

namespace weft::lance::write {

using layout::FileVersion;

namespace {

constexpr char kFiller = '\xfe';
constexpr size_t kChunkUnit = 8;

struct Chunk {
  uint64_t item = 0;
  size_t item_count = 0;
  LevelRange events;
};

// Where `count` items end that begin at `event`: behind the last of them. Invisible events that
// follow come into the next chunk, which begins with them.
uint64_t end_of_items(const Levels& levels, uint64_t event, size_t count) {
  if (!levels.has_repetition) {
    return event + count;
  }
  for (size_t seen = 0; seen < count; ++event) {
    seen += levels.is_visible(event) ? 1 : 0;
  }
  return event;
}

std::optional<std::vector<Chunk>> plan(const PageRows& rows, const Levels& levels,
                                       const ChunkValues& values) {
  std::vector<Chunk> chunks;
  uint64_t item = 0;
  uint64_t event = 0;
  while (item < rows.slot_count) {
    size_t count = values.chunk_items(item);
    while (true) {
      const bool last = item + count == rows.slot_count;
      const uint64_t end = last ? rows.event_count : end_of_items(levels, event, count);
      if (end - event <= kChunkEventsMax) {
        chunks.push_back({item, count, {event, end}});
        event = end;
        break;
      }
      // The next smaller power of two; chunks but the last have two items at least.
      count = last ? std::bit_floor(count - 1) : count / 2;
      if (count < 2) {
        return std::nullopt;
      }
    }
    item += count;
  }
  return chunks;
}

// Two numbers a chunk: rows that end in it, and events of the row that goes on in the next.
class RepetitionIndex {
 public:
  explicit RepetitionIndex(const Levels& levels) : levels_(levels) {}

  void add(const LevelRange& events, bool last) {
    if (!entries_.empty() && levels_.begins_row(events.begin)) {
      // The row before ended together with its chunk.
      ++entries_[entries_.size() - 2];
      entries_.back() = 0;
    }
    uint64_t ended = last ? 1 : 0;
    uint64_t last_begin = events.begin;
    for (uint64_t event = events.begin + 1; event < events.end; ++event) {
      if (levels_.begins_row(event)) {
        ++ended;
        last_begin = event;
      }
    }
    entries_.push_back(ended);
    entries_.push_back(last ? 0 : events.end - last_begin);
  }

  std::string bytes() const {
    std::string out;
    append_words<uint64_t>(out, entries_);
    return out;
  }

 private:
  const Levels& levels_;
  std::vector<uint64_t> entries_;
};

class PageWriter {
 public:
  PageWriter(const Levels& levels, const ChunkValues& values, const std::vector<Chunk>& chunks,
             FileVersion version, size_t bytes_expected)
      : levels_(levels), values_(values), large_(version == FileVersion::kV22) {
    std::vector<LevelRange> ranges;
    ranges.reserve(chunks.size());
    for (const Chunk& chunk : chunks) {
      ranges.push_back(chunk.events);
    }
    if (levels.has_repetition) {
      repetition_ = LevelEncoder::choose(levels.repetition, levels.repetition_max, ranges, version);
    }
    if (levels.has_definition) {
      definition_ = LevelEncoder::choose(levels.definition, levels.definition_max, ranges, version);
    }
    data_.reserve(bytes_expected);
  }

  void add(const Chunk& chunk, bool last) {
    const size_t begin = data_.size();
    const LevelRange& events = chunk.events;
    const uint64_t level_count = events.end - events.begin;
    codec::append_u16(data_, static_cast<uint16_t>(repetition_ || definition_ ? level_count : 0));
    repetition_bytes_.clear();
    definition_bytes_.clear();
    if (repetition_) {
      repetition_->append(std::span(levels_.repetition).subspan(events.begin, level_count),
                          repetition_bytes_);
      codec::append_u16(data_, static_cast<uint16_t>(repetition_bytes_.size()));
    }
    if (definition_) {
      definition_->append(std::span(levels_.definition).subspan(events.begin, level_count),
                          definition_bytes_);
      codec::append_u16(data_, static_cast<uint16_t>(definition_bytes_.size()));
    }
    // The sizes of the value buffers are filled in when these stand behind them.
    const size_t sizes_at = data_.size();
    const size_t size_bytes = large_ ? 4 : 2;
    data_.resize(sizes_at + size_bytes * values_.buffer_count());
    // Chunks begin at multiples of 8 in the page's buffer.
    pad(data_, kChunkUnit, kFiller);
    append_padded(repetition_bytes_);
    append_padded(definition_bytes_);
    output_.clear_sizes();
    values_.append(chunk.item, chunk.item_count, output_);
    output_.end_buffers();
    WEFT_CHECK(output_.sizes().size() == values_.buffer_count());
    for (size_t i = 0; i < output_.sizes().size(); ++i) {
      for (size_t byte = 0; byte < size_bytes; ++byte) {
        data_[sizes_at + i * size_bytes + byte] =
            static_cast<char>(output_.sizes()[i] >> (8 * byte) & 0xffU);
      }
    }
    const size_t units = (data_.size() - begin) / kChunkUnit;
    WEFT_CHECK(large_ || units <= kChunkBytesMax / kChunkUnit);
    const auto log = last ? 0U : static_cast<uint32_t>(std::countr_zero(chunk.item_count));
    const uint32_t word = static_cast<uint32_t>(units - 1) << 4U | log;
    if (large_) {
      codec::append_u32(words_, word);
    } else {
      codec::append_u16(words_, static_cast<uint16_t>(word));
    }
  }

  EncodedPage finish(const PageRows& rows, std::optional<PageDictionary> dictionary) && {
    layout::MiniBlockLayout out;
    if (repetition_) {
      out.repetition = repetition_->encoding();
    }
    if (definition_) {
      out.definition = definition_->encoding();
    }
    out.values = values_.encoding();
    out.layers = levels_.layers;
    out.buffers_per_chunk = values_.buffer_count();
    out.repetition_index_depth = levels_.has_repetition ? 1 : 0;
    out.item_count = rows.slot_count;
    out.large_chunks = large_;
    EncodedPage page;
    page.first_row = rows.first_row;
    page.row_count = rows.row_count;
    page.buffers.emplace_back(std::move(words_));
    page.buffers.emplace_back(std::move(data_));
    if (dictionary) {
      out.dictionary = std::move(dictionary->encoding);
      out.dictionary_items = dictionary->item_count;
      page.buffers.emplace_back(std::move(dictionary->bytes));
    }
    page.layout = std::move(out);
    return page;
  }

 private:
  void append_padded(const std::string& part) {
    data_ += part;
    pad(data_, kChunkUnit, kFiller);
  }

  const Levels& levels_;
  const ChunkValues& values_;
  bool large_;
  std::optional<LevelEncoder> repetition_;
  std::optional<LevelEncoder> definition_;
  std::string words_;
  std::string data_;
  std::string repetition_bytes_;
  std::string definition_bytes_;
  ChunkOutput output_{data_, kChunkUnit, kFiller};
};

}  // namespace

uint64_t EncodedPage::bytes() const {
  uint64_t sum = 0;
  for (const PageBuffer& buffer : buffers) {
    sum += buffer.size();
  }
  return sum;
}

std::optional<EncodedPage> mini_block_page(const PageRows& rows, const Levels& levels,
                                           const ChunkValues& values,
                                           std::optional<PageDictionary> dictionary,
                                           FileVersion version) {
  const std::optional<std::vector<Chunk>> chunks = plan(rows, levels, values);
  if (!chunks) {
    return std::nullopt;
  }
  // Pages grow large: nothing shall be copied while they do.
  PageWriter writer(levels, values, *chunks, version,
                    values.estimated_bytes() + (levels.has_definition ? rows.event_count / 4 : 0));
  RepetitionIndex index(levels);
  for (const Chunk& chunk : *chunks) {
    const bool last = &chunk == &chunks->back();
    writer.add(chunk, last);
    if (levels.has_repetition) {
      index.add(chunk.events, last);
    }
  }
  EncodedPage page = std::move(writer).finish(rows, std::move(dictionary));
  if (levels.has_repetition) {
    page.buffers.emplace_back(index.bytes());
  }
  return page;
}

}  // namespace weft::lance::write
