// Character classes of XPath regular expressions that take others away, [a-z-[aeiou]], as plain
// classes for RE2, which knows no such thing: the set is computed, and written as ranges.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::exec {

// How deep classes take each other away (limit "class_nesting_max").
inline constexpr size_t kClassNestingMax = 16;

// Whether the class that begins at `pattern[at]` ('[') has another one inside.
bool takes_away(std::string_view pattern, size_t at);

// Appends the class that begins at `pattern[at]`, and moves `at` behind it. Errors: kInvalid (a
// malformed class), kLimit.
Status append_difference(std::string& out, std::string_view pattern, size_t& at);

// The inside of a class of the characters of \i, \I, \c or \C, by that letter.
void append_name_characters(std::string& out, char letter);

}  // namespace weft::exec
