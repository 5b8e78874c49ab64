// Prefixes of writers: IRIs to prefix and local name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::rdfio {

struct SplitName {
  std::string_view prefix;
  std::string_view local;
};

// Not thread-safe.
class Namespaces {
 public:
  // Prefix without colon, IRI. Of two with one prefix the later counts, as in a document.
  explicit Namespaces(const std::vector<std::pair<std::string, std::string>>& prefixes);

  // With the longest namespace that leaves a local name that needs no escape; nullopt if there is
  // none. Views of this object and of `iri`.
  std::optional<SplitName> split(std::string_view iri) const;
  // In the order given, without those that count no more.
  const std::vector<std::pair<std::string, std::string>>& prefixes() const { return prefixes_; }

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::vector<std::pair<std::string, std::string>> prefixes_;
  std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> prefix_of_;
  std::vector<size_t> sizes_;  // of namespaces, longest first, each once
};

// Whether `local` may stand behind a colon in Turtle without any escape.
bool is_plain_local_name(std::string_view local);

// The namespace of an IRI as most people would cut it: up to the last '#', else the last '/' or
// ':'.
// "" if nothing is left in front or behind.
std::string_view usual_namespace(std::string_view iri);

// The well-known prefix of a namespace ("rdf", "foaf", …), or "".
std::string_view well_known_prefix(std::string_view iri);

}  // namespace weft::rdfio
