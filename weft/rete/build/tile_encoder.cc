#include "weft/rete/build/tile_encoder.h"

#include <algorithm>

#include "weft/base/check.h"
#include "weft/codec/varint.h"

namespace weft::rete::build {
namespace {

// Room for the longest encoding of a row: deltas of a, b and c and the counts of b and c.
constexpr size_t kRowBytesMax = 25;
// Per segment: graph, first a, length, count; and the head of a tile.
constexpr size_t kHeadBytesMax = 96;

char* put(char* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(static_cast<uint8_t>(value | 0x80U));
    value >>= 7U;
  }
  *at++ = static_cast<char>(static_cast<uint8_t>(value));
  return at;
}

// Gives `raw` the size that `write` returns the end of; nothing is zeroed beforehand.
template <typename Write>
void write_into(std::string& raw, size_t size_max, const Write& write) {
  raw.resize_and_overwrite(size_max, [&write](char* start, size_t) {
    return static_cast<size_t>(write(start) - start);
  });
}

template <size_t N>
void summarize(std::span<const Row<N>> rows, const TileColumns& columns, TileSummary& summary) {
  const auto [a, b, c] = columns;
  summary.first_a = rows.front().at[a];
  summary.last_a = rows.back().at[a];
  uint32_t b_min = UINT32_MAX;
  uint32_t b_max = 0;
  uint32_t c_min = UINT32_MAX;
  uint32_t c_max = 0;
  for (const Row<N>& row : rows) {
    b_min = std::min(b_min, row.at[b]);
    b_max = std::max(b_max, row.at[b]);
    c_min = std::min(c_min, row.at[c]);
    c_max = std::max(c_max, row.at[c]);
  }
  summary.b_min = b_min;
  summary.b_max = b_max;
  summary.c_min = c_min;
  summary.c_max = c_max;
}

// The first row from `at` on whose `column` differs.
template <size_t N>
size_t run_end(std::span<const Row<N>> rows, size_t at, size_t column) {
  const uint32_t value = rows[at].at[column];
  size_t end = at + 1;
  while (end < rows.size() && rows[end].at[column] == value) {
    ++end;
  }
  return end;
}

template <size_t N>
uint64_t distinct_runs(std::span<const Row<N>> rows, size_t column) {
  uint64_t count = 1;
  for (size_t i = 1; i < rows.size(); ++i) {
    count += rows[i].at[column] != rows[i - 1].at[column] ? 1U : 0U;
  }
  return count;
}

template <size_t N>
char* put_triples(char* out, std::span<const Row<N>> rows, const TileColumns& columns) {
  const auto [a, b, c] = columns;
  uint32_t previous_a = 0;
  for (size_t at = 0; at < rows.size();) {
    const size_t group_end = run_end(rows, at, a);
    const std::span<const Row<N>> group = rows.subspan(at, group_end - at);
    out = put(out, group.front().at[a] - previous_a);
    previous_a = group.front().at[a];
    out = put(out, distinct_runs(group, b));
    uint32_t previous_b = 0;
    for (size_t i = 0; i < group.size();) {
      const size_t end = run_end(group, i, b);
      out = put(out, group[i].at[b] - previous_b);
      previous_b = group[i].at[b];
      out = put(out, end - i);
      uint32_t previous_c = 0;
      for (; i < end; ++i) {
        out = put(out, group[i].at[c] - previous_c);
        previous_c = group[i].at[c];
      }
    }
    at = group_end;
  }
  return out;
}

template <size_t N>
void encode_zoned(std::span<const Row<N>> rows, const TileColumns& columns, std::string& raw,
                  TileSummary& summary) {
  WEFT_CHECK(!rows.empty());
  summarize(rows, columns, summary);
  write_into(raw, rows.size() * kRowBytesMax + kHeadBytesMax, [&](char* out) {
    out = put(out, summary.first_a);
    out = put(out, summary.last_a);
    out = put(out, summary.b_min);
    out = put(out, summary.b_max);
    out = put(out, summary.c_min);
    out = put(out, summary.c_max);
    out = put(out, rows.size());
    out = put(out, distinct_runs(rows, columns[0]));
    return put_triples(out, rows, columns);
  });
  summary.raw_bytes = raw.size();
}

int64_t signed_difference(uint32_t value, uint32_t previous) {
  return static_cast<int64_t>(value) - static_cast<int64_t>(previous);
}

// One graph's rows within a quad tile. The column that holds the subject counts its first values
// from those of the group before: subjects of one graph lie close together.
char* put_segment_body(char* out, std::span<const Row<4>> rows, const TileColumns& columns) {
  constexpr size_t kSubjectColumn = 1;
  const auto [a, b, c] = columns;
  const bool b_is_subject = b == kSubjectColumn;
  const bool c_is_subject = c == kSubjectColumn;
  out = put(out, distinct_runs(rows, a));
  uint32_t previous_a = 0;
  uint32_t base_b = 0;
  uint32_t base_c = 0;
  for (size_t at = 0; at < rows.size();) {
    const size_t group_end = run_end(rows, at, a);
    const std::span<const Row<4>> group = rows.subspan(at, group_end - at);
    if (at > 0) {
      out = put(out, group.front().at[a] - previous_a);
    }
    previous_a = group.front().at[a];
    out = put(out, distinct_runs(group, b));
    uint32_t previous_b = 0;
    for (size_t i = 0; i < group.size();) {
      const size_t end = run_end(group, i, b);
      const uint32_t value_b = group[i].at[b];
      if (b_is_subject && i == 0) {
        out = put(out, codec::zigzag(signed_difference(value_b, base_b)));
        base_b = value_b;
      } else {
        out = put(out, value_b - previous_b);
      }
      previous_b = value_b;
      out = put(out, end - i);
      uint32_t previous_c = 0;
      for (size_t first = i; i < end; ++i) {
        const uint32_t value_c = group[i].at[c];
        if (c_is_subject && i == first) {
          out = put(out, codec::zigzag(signed_difference(value_c, base_c)));
          base_c = value_c;
        } else {
          out = put(out, value_c - previous_c);
        }
        previous_c = value_c;
      }
    }
    at = group_end;
  }
  return out;
}

}  // namespace

TileColumns triple_columns(rdf::Permutation permutation) {
  const auto order = rdf::positions(permutation);
  return {static_cast<size_t>(order[0]), static_cast<size_t>(order[1]),
          static_cast<size_t>(order[2])};
}

TileColumns quad_columns(rdf::Permutation permutation) {
  const TileColumns columns = triple_columns(permutation);
  return {columns[0] + 1, columns[1] + 1, columns[2] + 1};
}

void encode_triple_tile(std::span<const Row<3>> rows, const TileColumns& columns, std::string& raw,
                        TileSummary& summary) {
  encode_zoned<3>(rows, columns, raw, summary);
}

void encode_graph_tile(std::span<const Row<4>> rows, const TileColumns& columns, std::string& raw,
                       TileSummary& summary) {
  encode_zoned<4>(rows, columns, raw, summary);
}

void encode_quad_tile(std::span<const Row<4>> rows, const TileColumns& columns, std::string& raw,
                      TileSummary& summary) {
  WEFT_CHECK(!rows.empty());
  summarize(rows, columns, summary);
  summary.first_g = rows.front().at[0];
  summary.last_g = rows.back().at[0];
  std::string body;
  raw.clear();
  codec::append_varint(raw, distinct_runs(rows, 0));
  uint32_t previous_g = summary.first_g;
  uint32_t previous_first_a = 0;
  for (size_t at = 0; at < rows.size();) {
    const size_t end = run_end(rows, at, 0);
    const std::span<const Row<4>> segment = rows.subspan(at, end - at);
    write_into(body, segment.size() * kRowBytesMax + kHeadBytesMax,
               [&](char* out) { return put_segment_body(out, segment, columns); });
    const uint32_t first_a = segment.front().at[columns[0]];
    codec::append_varint(raw, segment.front().at[0] - previous_g);
    codec::append_varint(raw, codec::zigzag(signed_difference(first_a, previous_first_a)));
    codec::append_length_prefixed(raw, body);
    previous_g = segment.front().at[0];
    previous_first_a = first_a;
    at = end;
  }
  summary.raw_bytes = raw.size();
}

}  // namespace weft::rete::build
