#include "weft/rdf/ids.h"

namespace weft::rdf {

std::string_view permutation_name(Permutation permutation) {
  switch (permutation) {
    case Permutation::kSpo:
      return "spo";
    case Permutation::kPos:
      return "pos";
    case Permutation::kOsp:
      return "osp";
    case Permutation::kSop:
      return "sop";
    case Permutation::kPso:
      return "pso";
    case Permutation::kOps:
      return "ops";
  }
  return "";
}

}  // namespace weft::rdf
