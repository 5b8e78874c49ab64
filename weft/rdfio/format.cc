#include "weft/rdfio/format.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace weft::rdfio {
namespace {

using enum Format;

constexpr std::array<std::pair<std::string_view, Format>, 21> kNames = {{
    {"ntriples", kNTriples},
    {"n-triples", kNTriples},
    {"nt", kNTriples},
    {"application/n-triples", kNTriples},
    {"nquads", kNQuads},
    {"n-quads", kNQuads},
    {"nq", kNQuads},
    {"application/n-quads", kNQuads},
    {"turtle", kTurtle},
    {"ttl", kTurtle},
    {"text/turtle", kTurtle},
    {"trig", kTriG},
    {"application/trig", kTriG},
    {"rdfxml", kRdfXml},
    {"rdf/xml", kRdfXml},
    {"rdf-xml", kRdfXml},
    {"rdf", kRdfXml},
    {"xml", kRdfXml},
    {"owl", kRdfXml},
    {"application/rdf+xml", kRdfXml},
    {"application/xml", kRdfXml},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return out;
}

}  // namespace

std::string_view format_name(Format format) {
  switch (format) {
    case kNTriples:
      return "ntriples";
    case kNQuads:
      return "nquads";
    case kTurtle:
      return "turtle";
    case kTriG:
      return "trig";
    case kRdfXml:
      return "rdfxml";
  }
  return "";
}

std::optional<Format> format_by_name(std::string_view name) {
  const std::string wanted = lower(name);
  for (const auto& [known, format] : kNames) {
    if (known == wanted) {
      return format;
    }
  }
  return std::nullopt;
}

std::optional<Format> format_by_file_name(std::string_view file_name) {
  const std::string name = lower(file_name);
  std::string_view rest = name;
  for (const std::string_view packed : {".gz", ".zst", ".bz2"}) {
    if (rest.ends_with(packed)) {
      rest.remove_suffix(packed.size());
      break;
    }
  }
  const size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos || rest.find('/', dot) != std::string_view::npos) {
    return std::nullopt;
  }
  return format_by_name(rest.substr(dot + 1));
}

bool has_named_graphs(Format format) {
  return format == kNQuads || format == kTriG;
}

bool is_line_format(Format format) {
  return format == kNTriples || format == kNQuads;
}

}  // namespace weft::rdfio
