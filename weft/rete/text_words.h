// From a text that literals must hold to parts that their words must hold. This is where the text
// index is proven to give the same answer; docs/decisions/0015-text-index-in-queries.md has the
// reasons at length.
//
// The index (docs/formats/rete.md, "Text index") holds, of the unescaped value of every literal in
// its scope, every maximal run of at least two alphanumeric characters, in lower case, and with it
// the subjects of quads that have the literal as object.
//
// X1  If a literal's value satisfies a need, each part of word_parts() is held by one of its words:
//     as that whole word if it begins and ends, at its begin or its end, or anywhere in it.
//     (test: text_words_test.cc)
//
// Why: a run of certain letters within the needed text lies within one maximal run of the value,
// and the lower case of the run is a piece of the lower case of the whole, because lower case goes
// character by character with one exception, the sigma, at which parts are cut. It begins a word
// if a certain separator, an ASCII character that is no letter or digit, stands before it. A run of
// two characters makes a word of two or more, so that it was indexed. What may be classified
// otherwise by another version of Unicode than ours is neither letter nor separator: it only cuts.
#pragma once

#include <string>
#include <vector>

#include "weft/rdf/text_need.h"

namespace weft::rete {

struct WordPart {
  std::string text;     // in lower case, two characters or more
  bool begins = false;  // a word begins with it
  bool ends = false;    // a word ends with it
  friend bool operator==(const WordPart&, const WordPart&) = default;
};

// Empty if the need says nothing about words.
std::vector<WordPart> word_parts(const rdf::TextNeed& need);

}  // namespace weft::rete
