#include "weft/rdfio/line_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/rdfio/characters.h"
#include "weft/rdfio/place.h"
#include "weft/rdfio/report.h"

namespace weft::rdfio {
namespace {

constexpr std::string_view kXsdString = "<http://www.w3.org/2001/XMLSchema#string>";

const char* skip_spaces(const char* at) {
  while (*at == ' ' || *at == '\t') {
    ++at;
  }
  return at;
}

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

LineParser::LineParser(Format format, const ParseOptions& options, DocumentPrefix& prefix)
    : options_(options),
      quads_(format == Format::kNQuads),
      older_triples_(!options.strict || options.triple_terms == TripleTermSyntax::kRdfStar),
      labels_(prefix) {
  batch_.reserve(kBatchQuads);
}

const char* LineParser::fail(const char* at, std::string_view reason, ErrorKind kind) {
  failure_ = {at, reason, kind};
  return nullptr;
}

Status LineParser::parse(const LineBlock& block, rdf::QuadSink& sink, ParseReport& report) {
  const char* at = block.text().data();
  end_ = at + block.text().size();
  while (at != end_) {
    at = read_batch(at);
    if (failed_line_ != nullptr) [[unlikely]] {
      WEFT_TRY(at, recover(block, std::exchange(failed_line_, nullptr), report));
    }
    WEFT_TRY_STATUS(flush(sink, report));
  }
  return ok_status();
}

// Fills the batch, and returns where to go on; or sets failed_line_.
const char* LineParser::read_batch(const char* at) {
  while (at != end_ && batch_.size() < kBatchQuads) {
    const char* const next = read_line(at);
    if (next == nullptr) [[unlikely]] {
      failed_line_ = at;
      return at;
    }
    at = next;
  }
  return at;
}

Status LineParser::flush(rdf::QuadSink& sink, ParseReport& report) {
  if (!batch_.empty()) {
    WEFT_TRY_STATUS(sink.accept(batch_));
    report.statements += batch_.size();
    batch_.clear();
  }
  arena_.clear();
  return ok_status();
}

// The start of the next line, if bad ones are to be skipped.
Result<const char*> LineParser::recover(const LineBlock& block, const char* line,
                                        ParseReport& report) {
  if (outside_error_) {
    return *outside_error_;
  }
  const char* const bad = std::min(failure_.at, end_);
  const char* const begin = block.text().data();
  const std::string_view before = between(begin, bad);
  const LineCount lines = count_lines(before);
  const std::string_view in_line = before.substr(lines.last_line_start);
  const Place place{block.first_line() + lines.line_ends, rdf::count_code_points(in_line) + 1};
  Error error = error_at(failure_.kind, options_.file_name, place, failure_.reason);
  if (!options_.lenient) {
    return error;
  }
  skip_statement(report, options_, std::move(error));
  const char* next = std::find_if(std::max(line, bad), end_, is_line_end);
  return next == end_ ? next : next + 1;
}

// One line, empty ones and comments included, and where the next begins.
const char* LineParser::read_line(const char* at) {
  at = skip_spaces(at);
  if (*at == '<' || *at == '_') [[likely]] {
    return read_statement(at);
  }
  if (*at == 'V') {
    return read_version(at);
  }
  if (*at == '"') {
    return fail(at, "a literal cannot be a subject");
  }
  return read_line_end(at);
}

// The rest of a line that may hold only a comment.
const char* LineParser::read_line_end(const char* at) {
  at = skip_spaces(at);
  if (*at == '#') {
    const char* const comment_end = std::find_if(at, end_, is_line_end);
    const std::string_view comment = between(at, comment_end);
    if (const size_t bad = rdf::find_invalid_utf8(comment); bad != comment.size()) {
      return fail(at + bad, "not UTF-8");
    }
    at = comment_end;
  }
  if (at == end_) {
    return at;
  }
  return is_line_end(*at) ? at + 1 : fail(at, "expected the end of the line");
}

// VERSION "1.2": says what to expect, and changes nothing. (RDF 1.2 N-Triples, versionDirective)
const char* LineParser::read_version(const char* at) {
  constexpr std::string_view kVersion = "VERSION";
  if (!between(at, end_).starts_with(kVersion)) {
    return fail(at, "expected a subject");
  }
  at = skip_spaces(at + kVersion.size());
  if (*at != '"' && *at != '\'') {
    return fail(at, "expected a version in quotes");
  }
  const char quote = *at;
  const char* const stop =
      std::find_if(at + 1, end_, [quote](char c) { return c == quote || is_line_end(c); });
  if (stop == end_ || *stop != quote || std::find(at, stop, '\\') != stop) {
    return fail(at, "malformed version");
  }
  if (!rdf::is_valid_utf8(between(at, stop))) {
    return fail(at, "not UTF-8");
  }
  return read_line_end(stop + 1);
}

const char* LineParser::read_statement(const char* at) {
  rdf::QuadView quad;
  at = read_subject(at, quad.subject, 0);
  if (at == nullptr) {
    return nullptr;
  }
  at = read_predicate(skip_spaces(at), quad.predicate);
  if (at == nullptr) {
    return nullptr;
  }
  at = read_object(skip_spaces(at), quad.object, 0);
  if (at == nullptr) {
    return nullptr;
  }
  at = skip_spaces(at);
  if (quads_ && *at != '.') {
    at = read_graph(at, quad.graph);
    if (at == nullptr) {
      return nullptr;
    }
    at = skip_spaces(at);
  }
  if (*at != '.') {
    return fail(at, "expected '.' at the end of the statement");
  }
  ++at;
  // The common case first: nothing behind the dot.
  at = *at == '\n' ? at + 1 : read_line_end(at);
  if (at != nullptr) {
    batch_.push_back(quad);
  }
  return at;
}

const char* LineParser::read_subject(const char* at, std::string_view& token, size_t depth) {
  if (*at == '<') {
    if (at[1] != '<') {
      return read_iri(at, token);
    }
    if (!older_triples_) {
      return fail(at, "a triple term cannot be a subject");
    }
    return read_triple(at, token, depth);
  }
  if (*at == '_') {
    return read_blank_node(at, token);
  }
  return fail(at, *at == '"' ? "a literal cannot be a subject"
                             : "expected a subject: an IRI or a blank node");
}

const char* LineParser::read_predicate(const char* at, std::string_view& token) {
  if (*at == '<' && at[1] != '<') {
    return read_iri(at, token);
  }
  return fail(at, "expected a predicate: an IRI");
}

const char* LineParser::read_object(const char* at, std::string_view& token, size_t depth) {
  switch (*at) {
    case '<':
      return at[1] == '<' ? read_triple(at, token, depth) : read_iri(at, token);
    case '"':
      return read_literal(at, token);
    case '_':
      return read_blank_node(at, token);
    default:
      return fail(at, "expected an object: an IRI, a blank node or a literal");
  }
}

const char* LineParser::read_graph(const char* at, std::string_view& token) {
  if (*at == '<' && at[1] != '<') {
    return read_iri(at, token);
  }
  if (*at == '_') {
    return read_blank_node(at, token);
  }
  return fail(at, "expected '.' or a graph name: an IRI or a blank node");
}

const char* LineParser::read_iri(const char* at, std::string_view& token) {
  bool non_ascii = false;
  // The padding behind the text ends any IRI, so that the scan needs no tail.
  const char* const stop = rdf::find_iri_end(at + 1, end_ + kPaddingBytes, non_ascii);
  token = between(at, stop + 1);
  if (*stop != '>') [[unlikely]] {
    return read_raw_iri(at, stop, token);
  }
  if (token.size() > kIriSizeMaxBytes) {
    return fail(at, "IRI is too long (iri_size_max_bytes)", ErrorKind::kLimit);
  }
  if (non_ascii) {
    if (const size_t bad = rdf::find_invalid_utf8(token); bad != token.size()) {
      return fail(at + bad, "not UTF-8");
    }
  }
  if (std::memcmp(at + 1, "http:", 5) != 0 && !has_scheme(token.substr(1))) {
    return fail(at, "expected an absolute IRI");
  }
  return stop + 1;
}

// An IRI with escapes; or one that is bad, at `stop` perhaps.
const char* LineParser::read_raw_iri(const char* at, const char* stop, std::string_view& token) {
  if (stop >= end_ || *stop != '\\') {
    if (stop >= end_ || is_line_end(*stop)) {
      return fail(at, "IRI without closing '>'");
    }
    return fail(stop, *stop == ' ' ? "space in an IRI" : "character that an IRI cannot hold");
  }
  const char* const close = std::find_if(stop, end_, [](char c) { return c == '>' || c == '\n'; });
  const std::string_view raw = between(at + 1, close);
  if (raw.size() > kIriSizeMaxBytes) {
    return fail(at, "IRI is too long (iri_size_max_bytes)", ErrorKind::kLimit);
  }
  scratch_.assign("<");
  if (const size_t bad = append_unescaped_iri(scratch_, raw); bad != raw.size()) {
    return fail(at + 1 + bad,
                raw[bad] == '\\' ? "bad escape in an IRI" : "character that an IRI cannot hold");
  }
  if (close == end_ || *close != '>') {
    return fail(at, "IRI without closing '>'");
  }
  if (const size_t bad = rdf::find_invalid_utf8(raw); bad != raw.size()) {
    return fail(at + 1 + bad, "not UTF-8");
  }
  if (!has_scheme(std::string_view(scratch_).substr(1))) {
    return fail(at, "expected an absolute IRI");
  }
  scratch_.push_back('>');
  token = arena_.keep(scratch_);
  return close + 1;
}

const char* LineParser::read_blank_node(const char* at, std::string_view& token) {
  if (at[1] != ':') {
    return fail(at, "expected a term");
  }
  const char* const stop = scan_blank_node_label(at + 2, end_);
  if (stop == at + 2) {
    return fail(at, "malformed blank-node label");
  }
  if (!asked_labels_) {
    Result<bool> keeps = labels_.keeps_labels();
    if (!keeps.ok()) {
      outside_error_ = std::move(keeps).error();
      return nullptr;
    }
    keeps_labels_ = *keeps;
    asked_labels_ = true;
  }
  token = between(at, stop);
  if (!keeps_labels_) {
    scratch_.clear();
    const Status status = labels_.append_labelled(scratch_, token.substr(2));
    WEFT_CHECK(status.ok());  // the prefix is known, and no node is unlabelled here
    token = arena_.keep(scratch_);
  }
  return stop;
}

const char* LineParser::read_literal(const char* at, std::string_view& token) {
  const char* next = at + 1;
  bool non_ascii = false;
  bool is_plain = true;  // as the canonical form has it, up to here
  while (true) {
    next = rdf::find_literal_end(next, end_ + kPaddingBytes, non_ascii);
    if (*next == '"') [[likely]] {
      break;
    }
    if (next >= end_ || is_line_end(*next)) {
      return fail(at, "literal without closing quote");
    }
    if (*next == '\\') {
      const bool is_short = next[1] != '\0' && std::strchr("tnr\"\\bf", next[1]) != nullptr;
      is_plain = is_plain && is_short;
      next += is_short || next[1] == '\'' ? 2 : 1;
    } else {
      is_plain = false;  // a raw control character
      ++next;
    }
  }
  if (static_cast<uint64_t>(next - at) > options_.literal_size_max_bytes) {
    return fail(at, "literal is too long (literal_size_max_bytes)", ErrorKind::kLimit);
  }
  if (non_ascii) {
    const std::string_view raw = between(at, next);
    if (const size_t bad = rdf::find_invalid_utf8(raw); bad != raw.size()) {
      return fail(at + bad, "not UTF-8");
    }
  }
  return read_literal_suffix(at, next, is_plain, token);
}

// What follows the closing quote. Whether the literal as a whole stands in canonical form decides
// between a view and a copy.
const char* LineParser::read_literal_suffix(const char* open, const char* quote, bool is_plain,
                                            std::string_view& token) {
  const char* const behind = quote + 1;
  const std::string_view raw = between(open + 1, quote);
  const char* const at = skip_spaces(behind);
  if (*at == '@') {
    const ScannedTag tag = scan_language_tag(at + 1, end_);
    if (tag.end == nullptr) {
      return fail(at, "malformed language tag");
    }
    if (is_plain && tag.is_lower && at == behind) {
      token = between(open, tag.end);
      return tag.end;
    }
    return keep_literal(raw, open, between(at, tag.end), token) ? tag.end : nullptr;
  }
  if (*at == '^' && at[1] == '^') {
    const char* const begin = skip_spaces(at + 2);
    if (*begin != '<') {
      return fail(begin, "expected a datatype IRI");
    }
    std::string_view datatype;
    const char* const end = read_iri(begin, datatype);
    if (end == nullptr) {
      return nullptr;
    }
    if (needs_language(datatype)) {
      return fail(begin, "rdf:langString and rdf:dirLangString need a language tag");
    }
    if (is_plain && datatype != kXsdString && datatype.data() == behind + 2) {
      token = between(open, end);
      return end;
    }
    const bool kept = keep_literal(raw, open, datatype == kXsdString ? "" : datatype, token);
    return kept ? end : nullptr;
  }
  if (is_plain) {
    token = between(open, behind);
    return behind;
  }
  return keep_literal(raw, open, "", token) ? behind : nullptr;
}

// Copies a literal in canonical form. `suffix` is "", "@tag" or "<datatype>".
bool LineParser::keep_literal(std::string_view raw, const char* open, std::string_view suffix,
                              std::string_view& token) {
  scratch_.assign("\"");
  if (const size_t bad = append_canonical_literal(scratch_, raw); bad != raw.size()) {
    fail(open + 1 + bad, "bad escape in a literal");
    return false;
  }
  scratch_.push_back('"');
  if (suffix.starts_with('@')) {
    rdf::append_literal_suffix(scratch_, suffix.substr(1), {}, {});
  } else if (!suffix.empty()) {
    scratch_.append("^^").append(suffix);
  }
  token = arena_.keep(scratch_);
  return true;
}

const char* LineParser::read_triple(const char* at, std::string_view& token, size_t depth) {
  if (depth >= rdf::kTripleNestingMax) {
    return fail(at, "triple terms nest too deep (triple_nesting_max)", ErrorKind::kLimit);
  }
  const bool round = at[2] == '(';
  if (!round && !older_triples_) {
    return fail(at, "expected '<<('; '<<' is not of RDF 1.2 in this format");
  }
  rdf::QuadView triple;
  const char* next = read_subject(skip_spaces(at + (round ? 3 : 2)), triple.subject, depth + 1);
  if (next == nullptr) {
    return nullptr;
  }
  next = read_predicate(skip_spaces(next), triple.predicate);
  if (next == nullptr) {
    return nullptr;
  }
  next = read_object(skip_spaces(next), triple.object, depth + 1);
  if (next == nullptr) {
    return nullptr;
  }
  next = skip_spaces(next);
  const std::string_view close = round ? ")>>" : ">>";
  if (!between(next, end_).starts_with(close)) {
    return fail(next, round ? "expected ')>>'" : "expected '>>'");
  }
  token = arena_.keep(rdf::make_triple(triple.subject, triple.predicate, triple.object));
  return next + close.size();
}

}  // namespace weft::rdfio
