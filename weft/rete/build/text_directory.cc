#include "weft/rete/build/text_directory.h"

#include <algorithm>

#include "weft/codec/varint.h"

namespace weft::rete::build {
namespace {

size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t end = std::min(a.size(), b.size());
  size_t at = 0;
  while (at < end && a[at] == b[at]) {
    ++at;
  }
  return at;
}

void append_entry(std::string& raw, std::string_view previous, const TokenEntry& entry) {
  const size_t shared = common_prefix(previous, entry.token);
  codec::append_varint(raw, shared);
  codec::append_length_prefixed(raw, entry.token.substr(shared));
  codec::append_varint(raw, entry.posting_offset);
  codec::append_varint(raw, entry.posting_bytes);
}

size_t size_alone(const TokenEntry& entry) {
  return 1 + codec::varint_size(entry.token.size()) + entry.token.size() +
         codec::varint_size(entry.posting_offset) + codec::varint_size(entry.posting_bytes);
}

}  // namespace

Status for_each_token(const TextParts& text, const std::function<Status(const TokenEntry&)>& take) {
  SpoolReader tokens(text.tokens);
  SpoolReader lengths(text.posting_lengths);
  TokenEntry entry;
  for (uint64_t i = 0; i < text.token_count; ++i) {
    WEFT_TRY(entry.token, tokens.length_prefixed());
    WEFT_TRY(entry.posting_bytes, lengths.varint());
    WEFT_TRY_STATUS(take(entry));
    entry.posting_offset += entry.posting_bytes;
  }
  return ok_status();
}

Result<LeafBlocks> cut_token_leaves(const TextParts& text, uint64_t target, const BlockCodec& codec,
                                    std::vector<std::string>& first_tokens) {
  LeafBlocks result;
  first_tokens.clear();
  std::string raw;
  std::string stored;
  std::string previous;
  uint64_t sum = 0;
  uint64_t count = 0;
  uint64_t done = 0;
  WEFT_TRY_STATUS(for_each_token(text, [&](const TokenEntry& entry) {
    if (count == 0) {
      previous.clear();
      raw.clear();
      first_tokens.emplace_back(entry.token);
    }
    append_entry(raw, previous, entry);
    previous.assign(entry.token);
    sum += size_alone(entry);
    ++count;
    ++done;
    if (sum < target && done < text.token_count) {
      return ok_status();
    }
    codec.store(as_bytes(raw), stored);
    result.raw_max = std::max<uint64_t>(result.raw_max, raw.size());
    result.leaves.push_back({done - count, count, result.blocks.size(), stored.size()});
    result.blocks += stored;
    sum = 0;
    count = 0;
    return ok_status();
  }));
  return result;
}

}  // namespace weft::rete::build
