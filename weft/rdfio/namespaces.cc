#include "weft/rdfio/namespaces.h"

#include <algorithm>
#include <array>

#include "weft/rdfio/characters.h"

namespace weft::rdfio {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kWellKnown = {{
    {"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
    {"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
    {"xsd", "http://www.w3.org/2001/XMLSchema#"},
    {"owl", "http://www.w3.org/2002/07/owl#"},
    {"skos", "http://www.w3.org/2004/02/skos/core#"},
    {"foaf", "http://xmlns.com/foaf/0.1/"},
    {"dc", "http://purl.org/dc/elements/1.1/"},
    {"dcterms", "http://purl.org/dc/terms/"},
    {"dcat", "http://www.w3.org/ns/dcat#"},
    {"prov", "http://www.w3.org/ns/prov#"},
    {"sh", "http://www.w3.org/ns/shacl#"},
    {"void", "http://rdfs.org/ns/void#"},
    {"schema", "https://schema.org/"},
    {"sdo", "http://schema.org/"},
    {"geo", "http://www.opengis.net/ont/geosparql#"},
    {"wd", "http://www.wikidata.org/entity/"},
}};

}  // namespace

Namespaces::Namespaces(const std::vector<std::pair<std::string, std::string>>& prefixes) {
  for (size_t i = 0; i < prefixes.size(); ++i) {
    const auto& [prefix, iri] = prefixes[i];
    const bool replaced =
        std::any_of(prefixes.begin() + static_cast<ptrdiff_t>(i) + 1, prefixes.end(),
                    [&prefix](const auto& later) { return later.first == prefix; });
    if (!replaced) {
      prefixes_.push_back(prefixes[i]);
      prefix_of_.insert_or_assign(iri, prefix);
      sizes_.push_back(iri.size());
    }
  }
  std::ranges::sort(sizes_, std::greater<>());
  const auto repeated = std::ranges::unique(sizes_);
  sizes_.erase(repeated.begin(), repeated.end());
}

std::optional<SplitName> Namespaces::split(std::string_view iri) const {
  for (const size_t size : sizes_) {
    if (size > iri.size()) {
      continue;
    }
    const auto found = prefix_of_.find(iri.substr(0, size));
    if (found != prefix_of_.end() && is_plain_local_name(iri.substr(size))) {
      return SplitName{found->second, iri.substr(size)};
    }
  }
  return std::nullopt;
}

bool is_plain_local_name(std::string_view local) {
  // A blank-node label may begin as a local name may, and has no ':' and no '%'.
  const char* const begin = local.data();
  const char* const end = begin + local.size();
  return local.empty() || scan_blank_node_label(begin, end) == end;
}

std::string_view usual_namespace(std::string_view iri) {
  size_t cut = iri.rfind('#');
  if (cut == std::string_view::npos) {
    cut = iri.find_last_of("/:");
  }
  if (cut == std::string_view::npos || cut + 1 == iri.size()) {
    return {};
  }
  return iri.substr(0, cut + 1);
}

std::string_view well_known_prefix(std::string_view iri) {
  for (const auto& [prefix, known] : kWellKnown) {
    if (known == iri) {
      return prefix;
    }
  }
  return {};
}

}  // namespace weft::rdfio
