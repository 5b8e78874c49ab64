// For tests: what a parser hands to its sink, as lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "weft/rdf/term.h"
#include "weft/rdfio/parse.h"

namespace weft::rdfio {

// Every quad as "s p o" or "s p o g". Fails the test if a token is not canonical.
class CollectingSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      std::string line;
      for (const std::string_view token : {quad.subject, quad.predicate, quad.object, quad.graph}) {
        if (token.data() == quad.graph.data() && token.empty()) {
          continue;
        }
        EXPECT_TRUE(rdf::is_canonical(token)) << token;
        line.append(line.empty() ? "" : " ").append(token);
      }
      lines.push_back(std::move(line));
    }
    return ok_status();
  }

  std::vector<std::string> lines;
};

// Gives `step_bytes` at a time, so that every token is cut somewhere.
class SlowMemoryInput final : public InputStream {
 public:
  SlowMemoryInput(std::string_view bytes, size_t step_bytes)
      : view_(bytes), step_bytes_(step_bytes) {}
  Result<size_t> read(std::span<std::byte> out) override {
    return view_.read(out.first(std::min(out.size(), step_bytes_)));
  }

 private:
  codec::MemoryInputView view_;
  size_t step_bytes_;
};

// The quads of `text`; or one line "error KIND: message".
inline std::vector<std::string> quads_of(std::string_view text, Format format,
                                         const ParseOptions& options = {}) {
  CollectingSink sink;
  codec::MemoryInputView input(text);
  const Result<ParseReport> report = parse(input, format, options, sink);
  if (!report.ok()) {
    return {"error " + std::string(error_kind_name(report.error().kind())) + ": " +
            report.error().message()};
  }
  EXPECT_EQ(report->statements, sink.lines.size());
  EXPECT_EQ(report->bytes, text.size());
  return sink.lines;
}

}  // namespace weft::rdfio
