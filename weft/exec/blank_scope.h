// Labels of blank nodes as several graphs side by side have them: a label is that of its graph
// only, so where tokens of several graphs meet, each says whose it is: `_:x` of graph 2 is
// `_:s2-x`. Blank nodes inside of triple terms are renamed as well.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::exec {

// Appends `token`, a canonical token of graph `graph`, as it is called outside of it.
void append_scoped(std::string& out, std::string_view token, size_t graph);
// The reverse: appends what graph `graph` calls it. False if a blank node of another graph is in
// it, or of none; `out` is then of no use.
bool append_unscoped(std::string& out, std::string_view token, size_t graph);

}  // namespace weft::exec
