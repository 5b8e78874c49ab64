// Quads as text, and who takes them.
#pragma once

#include <span>
#include <string_view>

#include "weft/base/result.h"

namespace weft::rdf {

// Views of canonical tokens (term.h). `graph` is empty for the default graph. Valid only as long as
// whoever handed it out says.
struct QuadView {
  std::string_view subject;
  std::string_view predicate;
  std::string_view object;
  std::string_view graph;
  friend bool operator==(const QuadView&, const QuadView&) = default;
};

// Takes quads in batches; the views are valid during the call only. An error stops the producer and
// is handed to its caller. Not thread-safe.
class QuadSink {
 public:
  virtual ~QuadSink() = default;
  virtual Status accept(std::span<const QuadView> quads) = 0;
};

}  // namespace weft::rdf
