#include "weft/rete/damage.h"

#include <string>

namespace weft::rete {

Error damage(std::string_view what, std::string_view file, std::string_view section,
             uint64_t offset) {
  return Error(ErrorKind::kCorrupt, "cannot trust .rete file: " + std::string(what))
      .with("file", file)
      .with("section", section)
      .with("offset", offset);
}

}  // namespace weft::rete
