// The directories of a file of generation 5: there they lie among the data, are found by walking,
// and are kept in memory once read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/base/result.h"
#include "weft/rete/checked_file.h"
#include "weft/rete/dict_directory.h"
#include "weft/rete/file_reader.h"
#include "weft/rete/format.h"
#include "weft/rete/tile_directory.h"

namespace weft::rete {

// The four sections of the dictionary.
Result<std::vector<DictDirectory>> read_dictionary5(CheckedFile& file, const SectionEntry5& entry);

struct IndexContainer5 {
  std::vector<TileDirectory> directories;  // as the mask says
  std::string seal;  // the 21 bytes that stand for the quad index; empty if there is none
};

// An index container: of the default graph, or of one graph of a named-graphs section.
// `has_seal`: a seal must follow the permutations (default graph of a file with a quad index).
Result<IndexContainer5> read_index_container5(CheckedFile& file, storage::Range container,
                                              std::string_view section, const Header5& header,
                                              bool has_seal,
                                              const TileDirectoryParameters& parameters);

// The quad index section (kind 10).
Result<QuadIndex> read_quad_index5(CheckedFile& file, const SectionEntry5& entry,
                                   const Header5& header,
                                   const TileDirectoryParameters& parameters);

// One graph of a named-graphs section (kind 5).
struct NamedContainer5 {
  std::string name;  // token
  storage::Range container;
};
Result<std::vector<NamedContainer5>> read_named_graphs5(CheckedFile& file,
                                                        const SectionEntry5& entry);

}  // namespace weft::rete
