// What must hold for any bytes read as RDF text. Each *_fuzz.cc of a syntax calls it.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "weft/rdf/term.h"
#include "weft/rdfio/parse.h"
#include "weft/rdfio/write.h"

namespace weft::fuzz {

using Quad = std::array<std::string, 4>;

inline void require(bool good, std::string_view what) {
  if (!good) {
    std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
  }
}

class CheckingSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> batch) override {
    for (const rdf::QuadView& quad : batch) {
      quads.push_back({std::string(quad.subject), std::string(quad.predicate),
                       std::string(quad.object), std::string(quad.graph)});
      for (size_t i = 0; i < 4; ++i) {
        const std::string& token = quads.back()[i];
        require(i == 3 && token.empty() ? true : rdf::is_canonical(token), "tokens are canonical");
      }
    }
    return {};
  }
  std::vector<Quad> quads;
};

// Gives one byte at a time, or everything.
class SteppedInput final : public codec::InputStream {
 public:
  SteppedInput(std::string_view bytes, size_t step_bytes) : view_(bytes), step_(step_bytes) {}
  Result<size_t> read(std::span<std::byte> out) override {
    return view_.read(out.first(out.size() < step_ ? out.size() : step_));
  }

 private:
  codec::MemoryInputView view_;
  size_t step_;
};

struct Outcome {
  std::vector<Quad> quads;
  std::string error;  // "" if all was read
};

inline Outcome read_text(std::string_view text, rdfio::Format format,
                         const rdfio::ParseOptions& options, size_t step_bytes = 1 << 20) {
  SteppedInput input(text, step_bytes);
  CheckingSink sink;
  const auto report = rdfio::parse(input, format, options, sink);
  if (!report.ok()) {
    const bool in_text =
        report.error().kind() == ErrorKind::kInvalid || report.error().kind() == ErrorKind::kLimit;
    require(in_text, "bad text is invalid or beyond a limit");
    require(!report.error().fact("line").empty(), "errors have a place");
    return {std::move(sink.quads), report.error().to_string()};
  }
  require(report->statements == sink.quads.size(), "the report counts the quads");
  return {std::move(sink.quads), ""};
}

// `quads` must come back from `format` as they are, if it can hold them.
inline void check_written(const std::vector<Quad>& quads, rdfio::Format format,
                          rdfio::TripleTermSyntax syntax) {
  rdfio::WriteOptions write_options;
  write_options.triple_terms = syntax;
  write_options.gather_prefixes = true;
  codec::StringOutput output;
  const auto writer = rdfio::make_quad_writer(format, output, write_options);
  for (const Quad& quad : quads) {
    const rdf::QuadView view{quad[0], quad[1], quad[2], quad[3]};
    if (!writer->accept({&view, 1}).ok()) {
      require(format != rdfio::Format::kNQuads, "N-Quads holds everything");
      return;
    }
  }
  const Status finished = writer->finish();
  if (!finished.ok()) {
    require(format != rdfio::Format::kNQuads, "N-Quads holds everything");
    return;
  }
  rdfio::ParseOptions read_options;
  read_options.triple_terms = syntax;
  const Outcome again = read_text(output.text(), format, read_options);
  require(again.error.empty(), "what we write we read");
  if (format != rdfio::Format::kRdfXml) {  // which renames some labels
    require(again.quads == quads, "what we write is what we had");
  } else {
    require(again.quads.size() == quads.size(), "what we write is as much as we had");
  }
}

inline void check_round_trip(std::string_view text, rdfio::Format format) {
  constexpr size_t kSteppedBytesMax = 4096;
  for (const auto syntax : {rdfio::TripleTermSyntax::kRdf12, rdfio::TripleTermSyntax::kRdfStar}) {
    rdfio::ParseOptions options;
    options.base_iri = "http://example.org/base";
    options.triple_terms = syntax;
    options.nesting_max = 200;
    const Outcome whole = read_text(text, format, options);
    if (text.size() <= kSteppedBytesMax) {
      const Outcome stepped = read_text(text, format, options, 1);
      require(stepped.error == whole.error, "cuts in the input do not change the error");
      require(stepped.quads == whole.quads, "cuts in the input do not change the quads");
    }
    if (whole.error.empty()) {
      check_written(whole.quads, rdfio::Format::kNQuads, rdfio::TripleTermSyntax::kRdfStar);
      check_written(whole.quads, rdfio::Format::kTriG, syntax);
      check_written(whole.quads, rdfio::Format::kRdfXml, syntax);
    }
    options.lenient = true;
    const Outcome lenient = read_text(text, format, options);
    require(lenient.error.empty() || format == rdfio::Format::kRdfXml,
            "lenient reading gets to the end");
    require(!whole.error.empty() || lenient.quads == whole.quads,
            "lenient reading of good text changes nothing");
  }
}

}  // namespace weft::fuzz
