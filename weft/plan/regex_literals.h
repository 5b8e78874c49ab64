// The texts that every match of a regular expression holds. Careful rather than complete: what it
// does not understand makes it say nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::plan {

// Texts that stand in every match of `pattern` (XPath's dialect as weft/exec/regex.h reads it, with
// `flags`), up to case with the flag i. Empty if there are none or if it cannot tell.
// (test: weft/exec/text_demand_test.cc)
std::vector<std::string> regex_literals(std::string_view pattern, std::string_view flags);

}  // namespace weft::plan
