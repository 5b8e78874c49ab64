#include "weft/rete/chunk.h"

#include <algorithm>
#include <utility>

#include "weft/codec/varint.h"

namespace weft::rete {
namespace {

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged dictionary chunk").with("reason", reason);
}

struct Entry {
  uint64_t shared = 0;
  std::string_view suffix;
};

// An entry at `offset`, which moves behind it; checked before.
Entry entry_at(const std::string& raw, size_t& offset) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(raw.data());
  const uint8_t* cursor = begin + offset;
  const uint8_t* const end = begin + raw.size();
  Entry entry;
  uint64_t size = 0;
  codec::decode_varint(cursor, end, entry.shared);
  codec::decode_varint(cursor, end, size);
  entry.suffix = {reinterpret_cast<const char*>(cursor), static_cast<size_t>(size)};
  offset = static_cast<size_t>(cursor - begin) + static_cast<size_t>(size);
  return entry;
}

}  // namespace

Result<std::shared_ptr<const Chunk>> Chunk::from_raw(std::string&& raw, const ChunkPlace& place) {
  constexpr uint64_t kEntryBytesMin = 2;
  if (raw.size() > kRawBytesMax || place.term_count == 0 ||
      place.term_count > raw.size() / kEntryBytesMin) {
    return bad("term count is impossible");
  }
  auto chunk = std::make_shared<Chunk>();
  chunk->run_offsets_.reserve(place.term_count / place.run_terms + 1);
  codec::ByteReaderView reader(as_bytes(raw));
  std::string term;
  uint64_t left_in_run = 0;
  for (uint64_t i = 0; i < place.term_count; ++i) {
    if (left_in_run == 0) {
      chunk->run_offsets_.push_back(static_cast<uint32_t>(reader.position()));
      left_in_run = place.run_terms;
    }
    const bool starts_run = left_in_run-- == place.run_terms;
    const uint64_t shared = reader.varint();
    const std::string_view suffix = as_text(reader.length_prefixed());
    if (!reader.ok()) {
      return bad("cut short");
    }
    if (shared > term.size() || (starts_run && shared != 0)) {
      return bad("front coding is impossible");
    }
    // The part behind the shared one decides; char_traits compares bytes as unsigned.
    if (std::string_view(term).substr(shared) >= suffix) {
      return bad("terms do not ascend");
    }
    term.resize(shared);
    term.append(suffix);
    if (i == 0 && term < place.key) {
      return bad("first term lies before the routing key");
    }
  }
  if (reader.remaining() != 0) {
    return bad("bytes behind the last term");
  }
  if (place.next_key.has_value() && term >= *place.next_key) {
    return bad("last term does not lie before the next routing key");
  }
  chunk->raw_ = std::move(raw);
  chunk->raw_.shrink_to_fit();
  chunk->first_term_ = place.first_term;
  chunk->term_count_ = place.term_count;
  chunk->run_terms_ = place.run_terms;
  return std::shared_ptr<const Chunk>(std::move(chunk));
}

size_t Chunk::memory_bytes() const {
  return sizeof(*this) + raw_.capacity() + run_offsets_.capacity() * sizeof(uint32_t);
}

std::string_view Chunk::run_head(size_t run) const {
  size_t offset = run_offsets_[run];
  return entry_at(raw_, offset).suffix;
}

std::optional<uint64_t> Chunk::find(std::string_view token) const {
  // The last run whose head is not above the token.
  size_t low = 0;
  size_t high = run_offsets_.size();
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    (run_head(middle) <= token ? low : high) = middle;
  }
  ChunkCursor cursor(*this);
  const uint64_t end = std::min<uint64_t>((low + 1) * run_terms_, term_count_);
  for (uint64_t i = low * run_terms_; i < end; ++i) {
    const std::string_view term = cursor.term(first_term_ + i);
    if (term >= token) {
      return term == token ? std::optional<uint64_t>(first_term_ + i) : std::nullopt;
    }
  }
  return std::nullopt;
}

void ChunkCursor::decode_next() {
  const Entry entry = entry_at(chunk_->raw_, offset_);
  term_.resize(entry.shared);
  term_.append(entry.suffix);
  ++next_;
}

std::string_view ChunkCursor::term(uint64_t index) & {
  WEFT_CHECK(index >= chunk_->first_term_ && index - chunk_->first_term_ < chunk_->term_count_);
  const uint64_t wanted = index - chunk_->first_term_;
  const uint64_t run = wanted / chunk_->run_terms_;
  const bool is_behind = started_ && wanted + 1 >= next_;
  if (!is_behind || (next_ - 1) / chunk_->run_terms_ != run) {
    offset_ = chunk_->run_offsets_[run];
    next_ = run * chunk_->run_terms_;
    term_.clear();
    started_ = true;
    decode_next();
  }
  while (next_ <= wanted) {
    decode_next();
  }
  return term_;
}

}  // namespace weft::rete
