#include "weft/rdf/iri.h"

namespace weft::rdf {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_scheme(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) {
    return false;
  }
  for (const char c : text) {
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') {
      return false;
    }
  }
  return true;
}

// RFC 3986 §5.2.4, by segments instead of a copy of the input.
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  const auto drop_last = [&out] {
    const size_t slash = out.rfind('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last();
    } else if (path == "/..") {
      path = "/";
      drop_last();
    } else if (path == "." || path == "..") {
      break;
    } else {
      const size_t end = path.find('/', 1);
      out.append(path.substr(0, end));
      path.remove_prefix(end == std::string_view::npos ? path.size() : end);
    }
  }
  return out;
}

std::string merge_paths(const IriParts& base, std::string_view path) {
  if (base.has_authority && base.path.empty()) {
    return std::string("/").append(path);
  }
  const size_t slash = base.path.rfind('/');
  std::string merged(base.path.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  merged.append(path);
  return merged;
}

std::string recompose(const IriParts& parts, std::string_view path) {
  std::string out;
  if (parts.has_scheme) {
    out.append(parts.scheme).push_back(':');
  }
  if (parts.has_authority) {
    out.append("//").append(parts.authority);
  }
  out.append(path);
  if (parts.has_query) {
    out.append("?").append(parts.query);
  }
  if (parts.has_fragment) {
    out.append("#").append(parts.fragment);
  }
  return out;
}

}  // namespace

IriParts split_iri(std::string_view reference) {
  IriParts parts;
  if (const size_t hash = reference.find('#'); hash != std::string_view::npos) {
    parts.has_fragment = true;
    parts.fragment = reference.substr(hash + 1);
    reference = reference.substr(0, hash);
  }
  if (const size_t mark = reference.find('?'); mark != std::string_view::npos) {
    parts.has_query = true;
    parts.query = reference.substr(mark + 1);
    reference = reference.substr(0, mark);
  }
  const size_t colon = reference.find(':');
  if (colon != std::string_view::npos && is_scheme(reference.substr(0, colon))) {
    parts.has_scheme = true;
    parts.scheme = reference.substr(0, colon);
    reference = reference.substr(colon + 1);
  }
  if (reference.starts_with("//")) {
    parts.has_authority = true;
    const size_t slash = reference.find('/', 2);
    parts.authority = reference.substr(2, slash == std::string_view::npos ? slash : slash - 2);
    reference = slash == std::string_view::npos ? std::string_view() : reference.substr(slash);
  }
  parts.path = reference;
  return parts;
}

std::string resolve_iri(std::string_view base, std::string_view reference) {
  if (base.empty()) {
    return std::string(reference);
  }
  IriParts parts = split_iri(reference);
  if (parts.has_scheme) {
    return std::string(reference);
  }
  const IriParts from = split_iri(base);
  parts.has_scheme = from.has_scheme;
  parts.scheme = from.scheme;
  if (parts.has_authority) {
    return recompose(parts, remove_dot_segments(parts.path));
  }
  parts.has_authority = from.has_authority;
  parts.authority = from.authority;
  if (!parts.path.empty()) {
    const std::string path =
        parts.path.front() == '/' ? std::string(parts.path) : merge_paths(from, parts.path);
    return recompose(parts, remove_dot_segments(path));
  }
  if (!parts.has_query) {
    parts.has_query = from.has_query;
    parts.query = from.query;
  }
  return recompose(parts, from.path);
}

}  // namespace weft::rdf
