// The bytes of the statistics and schema section. Format: docs/formats/rete.md, "Statistics and
// schema".
#pragma once

#include <string>
#include <string_view>

#include "weft/rete/build/schema_counter.h"

namespace weft::rete::build {

struct SchemaWriterOptions {
  std::string type_predicate;  // token
  uint32_t restart_interval = 16;
  bool is_compressed = true;
};

// Raw, uncompressed.
Result<std::string> write_schema(const SchemaCounts& counts, const Dictionary& dictionary,
                                 const SchemaWriterOptions& options);

}  // namespace weft::rete::build
