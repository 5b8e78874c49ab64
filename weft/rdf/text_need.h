// A text that a literal must hold before a condition on it can be true: what query execution may
// ask an index of words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::rdf {

struct TextNeed {
  enum class Letters : uint8_t {
    kAsWritten,  // the value holds `text`
    kLowered,    // the value in lower case (LCASE) holds it
    kFolded,     // the value holds it up to case, as regular expressions take the flag i
  };
  std::string text;  // unescaped
  Letters letters = Letters::kAsWritten;
  bool at_start = false;  // the value begins with it
  bool at_end = false;    // the value ends with it
  friend bool operator==(const TextNeed&, const TextNeed&) = default;
};

// What the object of a row must be for a filter to keep the row: a literal that holds all of
// `needs`, or, where that is allowed, an IRI.
struct TextDemand {
  std::vector<TextNeed> needs;
  bool literals_only = true;
  friend bool operator==(const TextDemand&, const TextDemand&) = default;
};

}  // namespace weft::rdf
