// One line of a journal: an operation and a statement. No state.
#pragma once

#include <string>
#include <string_view>

#include "weft/base/result.h"

namespace weft::journal {

struct JournalLine {
  bool insert = false;
  // Canonical tokens; `graph` is empty for the default graph.
  std::string subject;
  std::string predicate;
  std::string object;
  std::string graph;
};

// `text` without white space around it, not empty. Errors: kInvalid; the message is the reason.
Result<JournalLine> parse_line(std::string_view text);

}  // namespace weft::journal
