// The fragments of a version of the catalog: one with its pointers, and those of its commits. What
// begins the names of their data files tells which is which, so that an open leaves out the
// history. For the files of this folder.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/lance/table/snapshot.h"

namespace weft::catalog {

// Metadata of the schema of every version: kCatalogFormat.
inline constexpr std::string_view kCatalogFormatKey = "weft:catalog_format";
inline constexpr std::string_view kPointersPrefix = "pointers-";
inline constexpr std::string_view kCommitsPrefix = "commits-";
// Files of rows are small unless there are very many tables: such ones are read in one call, and
// held until they are put.
inline constexpr uint64_t kHeldBytesMax = uint64_t{4} << 20U;

struct Fragments {
  std::vector<lance::Fragment> pointers;
  std::vector<lance::Fragment> commits;  // oldest first
};
// Errors: kCorrupt: a program other than weft has made one.
Result<Fragments> sort_fragments(const lance::Snapshot& snapshot);

// The rows of each. Errors: kCorrupt: a file is gone, or not what it was; those of the store.
Result<std::vector<columns::Batch>> read_fragments(const lance::Snapshot& snapshot,
                                                   const std::vector<lance::Fragment>& fragments);

}  // namespace weft::catalog
