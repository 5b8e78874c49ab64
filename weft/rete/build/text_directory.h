// The directory of the text index's tokens. Format: docs/formats/rete.md, "Text index".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/rete/build/directory_leaves.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {

struct TokenEntry {
  std::string_view token;
  uint64_t posting_offset = 0;
  uint64_t posting_bytes = 0;
};

// Hands over all tokens in order, from the spool.
Status for_each_token(const TextParts& text, const std::function<Status(const TokenEntry&)>& take);

// Leaves of the token table; `first_tokens` is replaced with the first token of each.
Result<LeafBlocks> cut_token_leaves(const TextParts& text, uint64_t target, const BlockCodec& codec,
                                    std::vector<std::string>& first_tokens);

}  // namespace weft::rete::build
