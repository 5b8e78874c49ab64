// For tests: the recorded values of golden tables, compared with arrays.
#pragma once

#include <cstdlib>
#include <string>

#include <sys/stat.h>

#include "weft/columns/array.h"
#include "weft/json/value.h"

namespace weft::lance {

// "", if the data of others is absent.
inline std::string golden_folder() {
  const char* const set = std::getenv("WEFT_TESTDATA");  // NOLINT(concurrency-mt-unsafe): tests
  std::string folder = std::string(set != nullptr ? set : WEFT_TESTDATA_DEFAULT) + "/lance-golden";
  struct stat found{};
  return ::stat(folder.c_str(), &found) == 0 ? folder : std::string();
}

// "" if element `index` is what the README of the golden tables says for `value`; else both.
std::string golden_difference(const columns::Array& array, size_t index, const json::Value& value);

}  // namespace weft::lance
