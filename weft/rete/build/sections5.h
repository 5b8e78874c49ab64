// The payloads of generation 5's sections. Format: docs/formats/rete.md, "Generation 5".
#pragma once

#include <deque>
#include <string>

#include "weft/rete/build/file_layout.h"
#include "weft/rete/build/segment_parts.h"

namespace weft::rete::build {

// Builds sections out of spools and of texts that it keeps. Must outlive the sections.
class Sections5 {
 public:
  Sections5(const SegmentParts& parts, uint64_t restart_interval, const BuildSpace& space)
      : parts_(&parts),
        restart_interval_(restart_interval),
        space_(&space),
        graphs_(space.scratch, space.spools) {}

  SectionSource dictionary();
  SectionSource index();
  // Copies the tiles, since those of one graph lie apart in the orders' spools.
  Result<SectionSource> named_graphs();
  Result<SectionSource> text();
  SectionSource labels();

 private:
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  void add_dictionary_section(SectionSource& section, const DictionarySection& from);

  const SegmentParts* parts_;
  uint64_t restart_interval_;
  const BuildSpace* space_;
  std::deque<std::string> texts_;
  Spool graphs_;
};

}  // namespace weft::rete::build
