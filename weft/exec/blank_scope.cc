#include "weft/exec/blank_scope.h"

#include "weft/rdf/term.h"

namespace weft::exec {
namespace {

constexpr std::string_view kBlank = "_:";

std::string prefix_of(size_t graph) {
  return "_:s" + std::to_string(graph) + "-";
}

// Appends `token` with the mark of each blank node exchanged: `from` in front by `to`. Triple terms
// nest at most rdf::kTripleNestingMax deep, which whoever made the token has seen to.
bool append_exchanged(std::string& out, std::string_view token, std::string_view from,
                      std::string_view to) {
  if (token.starts_with(kBlank)) {
    if (!token.starts_with(from)) {
      return false;
    }
    out += to;
    out += token.substr(from.size());
    return true;
  }
  if (token.empty() || rdf::kind_of(token) != rdf::TermKind::kTriple) {
    out += token;
    return true;
  }
  const std::optional<rdf::TripleParts> parts = rdf::split_triple(token);
  if (!parts) {
    return false;
  }
  out += "<<";
  if (!append_exchanged(out, parts->subject, from, to)) {
    return false;
  }
  out += ' ';
  out += parts->predicate;
  out += ' ';
  if (!append_exchanged(out, parts->object, from, to)) {
    return false;
  }
  out += ">>";
  return true;
}

}  // namespace

void append_scoped(std::string& out, std::string_view token, size_t graph) {
  const size_t begin = out.size();
  if (!append_exchanged(out, token, kBlank, prefix_of(graph))) {
    out.resize(begin);  // a triple term that is none: as it stands
    out += token;
  }
}

bool append_unscoped(std::string& out, std::string_view token, size_t graph) {
  return append_exchanged(out, token, prefix_of(graph), kBlank);
}

}  // namespace weft::exec
