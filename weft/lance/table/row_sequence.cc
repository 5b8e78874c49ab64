#include "weft/lance/table/row_sequence.h"

#include <algorithm>

#include "weft/codec/protobuf_wire.h"

namespace weft::lance {

namespace {

using codec::WireField;
using codec::WireReaderView;
using codec::WireWriter;

// Shorter runs of neighbours stay in an array.
constexpr size_t kRangeMin = 4;

Error damaged(std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "damaged row sequence").with("rule", rule);
}

Error too_many(uint64_t rows_max) {
  return Error(ErrorKind::kLimit, "row sequence longer than its fragment")
      .with("rows_max", rows_max);
}

uint64_t load_little(ByteView bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(bytes[at + i]) << (8 * i);
  }
  return value;
}

// EncodedU64Array: a base and offsets of 2 or 4 bytes, or plain values.
Result<std::vector<uint64_t>> read_encoded(ByteView message, uint64_t rows_max) {
  std::vector<uint64_t> values;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.number < 1 || field.number > 3 || field.type != codec::WireType::kBytes) {
      return damaged("array");
    }
    const size_t width = size_t{1} << field.number;  // 2, 4, 8
    uint64_t base = 0;
    ByteView bytes;
    WireReaderView parts(field.bytes);
    WireField part;
    while (parts.next(part)) {
      if (part.number == 1 && field.number != 3) {
        parts.expect(part.as_u64(base));
      } else if (part.number == 2) {
        parts.expect(part.as_bytes(bytes));
      }
    }
    if (!parts.ok() || bytes.size() % width != 0) {
      return damaged("array");
    }
    if (bytes.size() / width > rows_max) {
      return too_many(rows_max);
    }
    values.clear();
    for (size_t at = 0; at < bytes.size(); at += width) {
      values.push_back(base + load_little(bytes, at, width));
    }
  }
  return reader.ok() ? Result<std::vector<uint64_t>>(std::move(values)) : damaged("array");
}

struct Segment {
  uint32_t kind = 0;  // 1 range, 2 with holes, 3 with a bitmap, 4 sorted array, 5 array
  uint64_t start = 0;
  uint64_t end = 0;
  ByteView bytes;  // holes, bitmap or the array
};

Result<Segment> read_segment(ByteView message) {
  Segment segment;
  WireReaderView reader(message);
  WireField field;
  while (reader.next(field)) {
    if (field.number < 1 || field.number > 5 || field.type != codec::WireType::kBytes) {
      return Error(ErrorKind::kUnsupported, "unknown segment of row ids")
          .with("segment", field.number);
    }
    segment = {};
    segment.kind = field.number;
    if (segment.kind >= 4) {
      segment.bytes = field.bytes;
      continue;
    }
    WireReaderView parts(field.bytes);
    WireField part;
    while (parts.next(part)) {
      if (part.number == 1) {
        parts.expect(part.as_u64(segment.start));
      } else if (part.number == 2) {
        parts.expect(part.as_u64(segment.end));
      } else if (part.number == 3) {
        parts.expect(part.as_bytes(segment.bytes));
      }
    }
    if (!parts.ok() || segment.end < segment.start) {
      return damaged("range");
    }
  }
  if (!reader.ok() || segment.kind == 0) {
    return damaged("segment");
  }
  return segment;
}

// Calls take(id) for each id of the segment; more than `rows_max` are an error.
template <typename Take>
Status each_id(const Segment& segment, uint64_t rows_max, Take take) {
  uint64_t left = rows_max;
  const auto give = [&](uint64_t id) {
    if (left == 0) {
      return false;
    }
    --left;
    take(id);
    return true;
  };
  if (segment.kind >= 4) {
    WEFT_TRY(const std::vector<uint64_t> values, read_encoded(segment.bytes, rows_max));
    std::for_each(values.begin(), values.end(), take);
    return {};
  }
  std::vector<uint64_t> holes;
  if (segment.kind == 2) {
    WEFT_TRY(holes, read_encoded(segment.bytes, UINT64_MAX));
    std::sort(holes.begin(), holes.end());
  }
  auto hole = holes.begin();
  for (uint64_t id = segment.start; id < segment.end; ++id) {
    const uint64_t bit = id - segment.start;
    if (segment.kind == 3) {
      if (bit / 8 >= segment.bytes.size()) {
        return damaged("bitmap");
      }
      if (((as_octets(segment.bytes)[bit / 8] >> (bit % 8)) & 1U) == 0) {
        continue;
      }
    }
    while (hole != holes.end() && *hole < id) {
      ++hole;
    }
    if (hole != holes.end() && *hole == id) {
      continue;
    }
    if (!give(id)) {
      return too_many(rows_max);
    }
  }
  return {};
}

// Calls take(segment) for each segment of a RowIdSequence.
template <typename Take>
Status each_segment(std::string_view sequence, Take take) {
  WireReaderView reader(as_bytes(sequence));
  WireField field;
  while (reader.next(field)) {
    if (field.number != 1 || field.type != codec::WireType::kBytes) {
      return damaged("sequence");
    }
    WEFT_TRY(const Segment segment, read_segment(field.bytes));
    WEFT_TRY_STATUS(take(segment));
  }
  return reader.ok() ? Status() : damaged("sequence");
}

std::string range_segment(uint64_t start, uint64_t end) {
  WireWriter range;
  range.u64(1, start);
  range.u64(2, end);
  WireWriter segment;
  segment.message(1, range);
  return segment.str();
}

// An array of what is not a range, in the narrowest form.
std::string array_segment(const std::vector<uint64_t>& ids, size_t from, size_t to) {
  const auto [least, greatest] = std::minmax_element(ids.begin() + static_cast<ptrdiff_t>(from),
                                                     ids.begin() + static_cast<ptrdiff_t>(to));
  const uint64_t spread = *greatest - *least;
  const uint32_t form = spread <= UINT16_MAX ? 1 : spread <= UINT32_MAX ? 2 : 3;
  const uint64_t base = form == 3 ? 0 : *least;
  std::string bytes;
  for (size_t i = from; i < to; ++i) {
    for (size_t byte = 0; byte < (size_t{1} << form); ++byte) {
      bytes.push_back(static_cast<char>((ids[i] - base) >> (8 * byte)));
    }
  }
  WireWriter parts;
  parts.u64(1, base);
  parts.bytes(2, bytes);
  WireWriter encoded;
  encoded.message(form, parts);
  WireWriter segment;
  segment.message(5, encoded);
  return segment.str();
}

}  // namespace

Result<std::vector<uint64_t>> expand_row_ids(std::string_view sequence, uint64_t rows_max) {
  std::vector<uint64_t> ids;
  WEFT_TRY_STATUS(each_segment(sequence, [&](const Segment& segment) {
    return each_id(segment, rows_max - ids.size(), [&](uint64_t id) { ids.push_back(id); });
  }));
  return ids;
}

Result<uint64_t> row_id_count(std::string_view sequence) {
  uint64_t count = 0;
  WEFT_TRY_STATUS(each_segment(sequence, [&](const Segment& segment) -> Status {
    const uint64_t length = segment.end - segment.start;
    if (segment.kind == 1) {
      count += length;
    } else if (segment.kind == 2) {
      WEFT_TRY(const std::vector<uint64_t> holes, read_encoded(segment.bytes, length));
      count += length - holes.size();
    } else {
      // At most as many as there are bits in the bytes.
      return each_id(segment, UINT64_MAX, [&](uint64_t) { ++count; });
    }
    return {};
  }));
  return count;
}

Result<std::vector<RowIdRun>> row_id_runs(std::string_view sequence, uint64_t rows_max) {
  std::vector<RowIdRun> runs;
  uint64_t position = 0;
  const auto extend = [&](uint64_t start, uint64_t end) {
    if (!runs.empty() && runs.back().end == start) {
      runs.back().end = end;
    } else if (start < end) {
      runs.push_back({start, end, position});
    }
    position += end - start;
  };
  WEFT_TRY_STATUS(each_segment(sequence, [&](const Segment& segment) -> Status {
    if (segment.kind != 1) {
      return each_id(segment, rows_max - position, [&](uint64_t id) { extend(id, id + 1); });
    }
    if (segment.end - segment.start > rows_max - position) {
      return too_many(rows_max);
    }
    extend(segment.start, segment.end);
    return {};
  }));
  return runs;
}

Result<uint64_t> row_id_end(std::string_view sequence) {
  uint64_t end = 0;
  WEFT_TRY_STATUS(each_segment(sequence, [&](const Segment& segment) -> Status {
    if (segment.kind == 1 || segment.kind == 2) {
      end = std::max(end, segment.end);
      return {};
    }
    return each_id(segment, UINT64_MAX, [&](uint64_t id) { end = std::max(end, id + 1); });
  }));
  return end;
}

std::string serialize_row_id_range(uint64_t start, uint64_t end) {
  WireWriter sequence;
  if (start < end) {
    sequence.bytes_always(1, range_segment(start, end));
  }
  return sequence.str();
}

std::string serialize_row_ids(const std::vector<uint64_t>& ids) {
  WireWriter sequence;
  size_t array_from = 0;
  const auto flush = [&](size_t to) {
    if (array_from < to) {
      sequence.bytes_always(1, array_segment(ids, array_from, to));
    }
  };
  for (size_t i = 0; i < ids.size();) {
    size_t end = i + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) {
      ++end;
    }
    if (end - i >= kRangeMin || (i == 0 && end == ids.size())) {
      flush(i);
      sequence.bytes_always(1, range_segment(ids[i], ids[end - 1] + 1));
      array_from = end;
    }
    i = end;
  }
  flush(ids.size());
  return sequence.str();
}

std::string concat_row_ids(std::string_view sequence, std::string_view more) {
  return std::string(sequence).append(more);  // segments are a repeated field
}

Result<std::vector<VersionRun>> expand_versions(std::string_view sequence, uint64_t rows_max) {
  std::vector<VersionRun> runs;
  uint64_t covered = 0;
  WireReaderView reader(as_bytes(sequence));
  WireField field;
  while (reader.next(field)) {
    if (field.number != 1 || field.type != codec::WireType::kBytes) {
      return damaged("versions");
    }
    ByteView span;
    uint64_t version = 0;
    WireReaderView parts(field.bytes);
    WireField part;
    while (parts.next(part)) {
      if (part.number == 1) {
        parts.expect(part.as_bytes(span));
      } else if (part.number == 2) {
        parts.expect(part.as_u64(version));
      }
    }
    if (!parts.ok()) {
      return damaged("versions");
    }
    WEFT_TRY(const Segment segment, read_segment(span));
    // Only the length of a span counts, how many positions it has: compactions of engine 14 put
    // runs behind one another with the spans they had before, without those of deleted rows.
    uint64_t length = segment.end - segment.start;
    if (segment.kind != 1) {
      length = 0;
      WEFT_TRY_STATUS(each_id(segment, rows_max - covered, [&](uint64_t) { ++length; }));
    }
    if (length > rows_max - covered) {
      return too_many(rows_max);
    }
    covered += length;
    append_run(runs, length, version);
  }
  if (!reader.ok()) {
    return damaged("versions");
  }
  return runs;
}

std::string serialize_versions(const std::vector<VersionRun>& runs) {
  WireWriter sequence;
  for (const VersionRun& run : runs) {
    WireWriter entry;
    // From 0: eleven bytes for a run of one row, four less than with its position.
    entry.bytes_always(1, range_segment(0, run.count));
    entry.u64(2, run.version);
    sequence.message(1, entry);
  }
  return sequence.str();
}

void append_run(std::vector<VersionRun>& runs, uint64_t count, uint64_t version) {
  if (count == 0) {
    return;
  }
  if (!runs.empty() && runs.back().version == version) {
    runs.back().count += count;
  } else {
    runs.push_back({count, version});
  }
}

uint64_t version_at(const std::vector<VersionRun>& runs, uint64_t row) {
  for (const VersionRun& run : runs) {
    if (row < run.count) {
      return run.version;
    }
    row -= run.count;
  }
  return 0;
}

}  // namespace weft::lance
