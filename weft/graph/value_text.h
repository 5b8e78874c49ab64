// Texts of stored values as keys and unique tuples write them (docs/formats/ndjson-load.md, "Ids"):
// equal texts are equal values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weft/codec/blake3.h"
#include "weft/columns/batch.h"

namespace weft::graph {

// The value at `row`, which is not null.
std::string value_text(const columns::Array& column, size_t row);

// The digest of the values of `columns` (positions in the batch) at `row` as one tuple; nullopt if
// one of them is null: such a row is exempt from @unique.
std::optional<codec::Digest16> tuple_digest(const columns::Batch& batch,
                                            const std::vector<size_t>& columns, size_t row);
// "a, 3": for messages.
std::string tuple_text(const columns::Batch& batch, const std::vector<size_t>& columns, size_t row);

// The digest of an id.
codec::Digest16 id_digest(std::string_view id);

// At most some of a text, for messages.
std::string cut(std::string_view text);

}  // namespace weft::graph
