// Which addresses SERVICE and LOAD may reach.
//
// R1  An IRI is within a prefix only if scheme, host and port are the prefix's and what follows
//     begins as it does: "http://a" does not reach "http://a.example" or "http://a@example".
// R2  No dots, escaped or not, lead out of a prefix; redirects are not followed (http_service.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::engine {

// Values.
struct Reach {
  bool anything = false;
  std::vector<std::string> prefixes;

  // `iri` is absolute, without brackets.
  bool contains(std::string_view iri) const;
};

}  // namespace weft::engine
