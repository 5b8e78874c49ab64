// Tests only: reads N-Quads the way the golden files were made from them, tokens as they stand (but
// for quoted triples and xsd:string), builds a segment in memory, and gives its bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/rdf/quad.h"
#include "weft/rete/build/segment_builder.h"

namespace weft::rete {

struct TextQuad {
  std::string subject;
  std::string predicate;
  std::string object;
  std::string graph;
  rdf::QuadView view() const { return {subject, predicate, object, graph}; }
};

std::vector<TextQuad> parse_quad_lines(std::string_view text);

struct BuiltSegment {
  std::string bytes;
  BuildReport report;
  std::string hash() const;
  // Stored bytes of a section, "" if there is none.
  std::string section(uint8_t kind) const;
};

struct BuildSetting {
  size_t threads = 1;
  // Quads go to the sinks in turn, this many at a time.
  size_t batch_quads = 1000;
  storage::ScratchSpace* scratch = nullptr;
};

Result<BuiltSegment> build_segment(const std::vector<TextQuad>& quads, BuildOptions options,
                                   const BuildSetting& setting = {});

// What the check values of the format document are of: no record, no schema, no block digests.
BuildOptions bare_options();

}  // namespace weft::rete
