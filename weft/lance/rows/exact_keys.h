// Keys of rows as bytes, for finding equal ones. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"

namespace weft::lance {

// The columns `names` of a batch. Errors: kInvalid names one that is missing, or says that none is
// named.
Result<std::vector<columns::ArrayPtr>> columns_named(const columns::Batch& batch,
                                                     const std::vector<std::string>& names);

// One key as bytes that no other key has: every value with its length in front. Nothing: a null.
std::optional<std::string> exact_key(const std::vector<columns::ArrayPtr>& key_columns, size_t row);

// Keys of some rows and where they stand. Errors: kInvalid if one is null or occurs twice.
using KeyPlaces = std::unordered_map<std::string, size_t>;
Result<KeyPlaces> keys_of(const std::vector<columns::ArrayPtr>& key_columns, size_t rows);

}  // namespace weft::lance
