// What the text and label indexes do with literals: values, words, normalised labels. Unicode
// properties come from ICU.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace weft::rete::build {

// The unescaped lexical value of a literal token.
std::string literal_value(std::string_view token);

// Maximal runs of alphanumeric characters (Alphabetic, Nd, Nl, No) of at least two, in lower case;
// a word that occurs twice is given twice.
void for_each_word(std::string_view text, const std::function<void(std::string_view)>& take);

// Runs of white space become one space, none at the ends; cut behind the word that reaches 512
// bytes, then to 512 bytes at a character, then without spaces at the end. Empty: no label.
std::string normalize_label(std::string_view text);
inline constexpr size_t kLabelBytesMax = 512;

}  // namespace weft::rete::build
