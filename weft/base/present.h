// present(optional): the value of an optional that has one here by the logic of the program. Its
// absence is our own mistake, and stops the process (check.h).
#pragma once

#include <optional>

#include "weft/base/check.h"

namespace weft::base {

template <typename T>
T& present(std::optional<T>& value) {
  WEFT_CHECK(value.has_value());
  return *value;
}

template <typename T>
const T& present(const std::optional<T>& value) {
  WEFT_CHECK(value.has_value());
  return *value;
}

}  // namespace weft::base
