#include "weft/rdfio/turtle_lexer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/rdf/iri.h"
#include "weft/rdf/scan.h"
#include "weft/rdf/term.h"
#include "weft/rdf/utf8.h"
#include "weft/rdfio/characters.h"

namespace weft::rdfio {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

bool is_line_end(char byte) {
  return byte == '\n' || byte == '\r';
}

bool is_hex(char byte) {
  return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

}  // namespace

TurtleLexer::TurtleLexer(InputStream& input, const ParseOptions& options, DocumentPrefix& prefix,
                         TextArena& arena)
    : options_(options), window_(input), arena_(arena), labels_(prefix) {}

Status TurtleLexer::start() {
  if (!options_.base_iri.empty()) {
    std::string checked;
    if (!has_scheme(options_.base_iri) || !rdf::is_valid_utf8(options_.base_iri) ||
        append_unescaped_iri(checked, options_.base_iri) != options_.base_iri.size()) {
      return Error(ErrorKind::kInvalid, "base is not an absolute IRI")
          .with("base", options_.base_iri);
    }
    base_ = options_.base_iri;
  }
  return window_.fill();
}

bool TurtleLexer::fail_at(const char* at, std::string_view reason, ErrorKind kind) {
  failure_.emplace(Failure{error_at(kind, options_.file_name, window_.place_of(at), reason)});
  return false;
}

bool TurtleLexer::fail_outside(Error error) {
  failure_.emplace(Failure{std::move(error), false});
  return false;
}

TurtleLexer::Failure TurtleLexer::take_failure() {
  WEFT_CHECK(failure_.has_value());
  Failure failure = std::move(*failure_);
  failure_.reset();
  return failure;
}

bool TurtleLexer::fill() {
  const Status status = window_.fill();
  return status.ok() || fail_outside(status.error());
}

bool TurtleLexer::starts_with(std::string_view text) const {
  return between(window_.at(), window_.end()).starts_with(text);
}

bool TurtleLexer::expect(char byte, std::string_view reason) {
  if (!skip_space()) {
    return false;
  }
  if (peek() != byte) {
    return fail(reason);
  }
  skip(1);
  return true;
}

bool TurtleLexer::skip_space() {
  if (!fill()) {
    return false;
  }
  const char* at = window_.at();
  bool in_comment = false;
  while (true) {
    if (in_comment) {
      const char* const stop = std::find_if(at, window_.end(), is_line_end);
      const std::string_view piece = between(at, stop);
      const size_t valid = rdf::find_invalid_utf8(piece);
      // Where the window cuts a comment it may cut a character.
      in_comment = stop == window_.end() && !window_.ended();
      if (valid != piece.size() && (!in_comment || piece.size() - valid > 3)) {
        return fail_at(at + valid, "not UTF-8");
      }
      at += valid;
    } else {
      while (*at == ' ' || *at == '\t' || is_line_end(*at)) {
        ++at;
      }
      if (*at == '#') {
        in_comment = true;
        continue;
      }
    }
    window_.advance_to(at);
    const bool at_token = !in_comment && at != window_.end() && !is_line_end(*at);
    if (!fill()) {
      return false;
    }
    if (at_token || at_end()) {
      return true;
    }
    at = window_.at();
  }
}

std::string_view TurtleLexer::bare_word() const {
  const char* const stop = scan_prefix(window_.at(), window_.end());
  return *stop == ':' ? std::string_view() : between(window_.at(), stop);
}

std::string_view TurtleLexer::letters() const {
  return between(window_.at(), std::find_if_not(window_.at(), window_.end(), is_ascii_letter));
}

bool TurtleLexer::at_prefixed_name() const {
  return *scan_prefix(window_.at(), window_.end()) == ':';
}

// A token that reaches the end of the window is longer than the room it was promised.
bool TurtleLexer::check_token(const char* stop) {
  return stop != window_.end() || window_.ended() ||
         fail("token is too long (iri_size_max_bytes)", ErrorKind::kLimit);
}

bool TurtleLexer::check_utf8(std::string_view raw) {
  const size_t bad = rdf::find_invalid_utf8(raw);
  return bad == raw.size() || fail_at(raw.data() + bad, "not UTF-8");
}

bool TurtleLexer::read_iri_reference(std::string_view& token) {
  const char* const at = window_.at();
  bool non_ascii = false;
  const char* const stop = rdf::find_iri_end(at + 1, window_.end() + kPaddingBytes, non_ascii);
  if (*stop != '>') {
    return read_raw_iri(stop) && keep_iri(iri_, at, token);
  }
  const std::string_view iri = between(at + 1, stop);
  if (non_ascii && !check_utf8(iri)) {
    return false;
  }
  window_.advance_to(stop + 1);
  return keep_iri(iri, at, token);
}

// Fills iri_ from an IRI with escapes; or says what is bad, at `stop` perhaps.
bool TurtleLexer::read_raw_iri(const char* stop) {
  const char* const at = window_.at();
  if (stop >= window_.end() || is_line_end(*stop)) {
    return check_token(std::min(stop, window_.end())) && fail("IRI without closing '>'");
  }
  if (*stop != '\\') {
    return fail_at(stop, *stop == ' ' ? "space in an IRI" : "character that an IRI cannot hold");
  }
  const char* const close =
      std::find_if(stop, window_.end(), [](char c) { return c == '>' || is_line_end(c); });
  const std::string_view raw = between(at + 1, close);
  iri_.clear();
  if (const size_t bad = append_unescaped_iri(iri_, raw); bad != raw.size()) {
    return fail_at(at + 1 + bad,
                   raw[bad] == '\\' ? "bad escape in an IRI" : "character that an IRI cannot hold");
  }
  if (!check_token(close) || !check_utf8(raw)) {
    return false;
  }
  if (*close != '>') {
    return fail("IRI without closing '>'");
  }
  window_.advance_to(close + 1);
  return true;
}

bool TurtleLexer::keep_iri(std::string_view iri, const char* at, std::string_view& token) {
  if (!has_scheme(iri)) {
    if (base_.empty()) {
      return fail_at(at, "relative IRI, and there is no base");
    }
    iri_ = rdf::resolve_iri(base_, iri);
    iri = iri_;
  }
  if (iri.size() + 2 > kIriSizeMaxBytes) {
    return fail_at(at, "IRI is too long (iri_size_max_bytes)", ErrorKind::kLimit);
  }
  char* const memory = arena_.allocate(iri.size() + 2);
  memory[0] = '<';
  std::memcpy(memory + 1, iri.data(), iri.size());
  memory[iri.size() + 1] = '>';
  token = {memory, iri.size() + 2};
  return true;
}

// [PN_LOCAL]; nullptr if an escape is malformed.
const char* TurtleLexer::scan_local_name(const char* at, bool& has_escapes) const {
  constexpr std::string_view kEscapable = "_~.-!$&'()*+,;=/?#@%";
  const char* name_end = at;
  const char* const begin = at;
  while (at != window_.end()) {
    const char byte = *at;
    if (is_ascii_letter(byte) || is_digit(byte) || byte == '_' || byte == ':' ||
        (byte == '-' && at != begin)) {
      name_end = ++at;
    } else if (byte == '.' && at != begin) {
      ++at;
    } else if (byte == '%') {
      if (!is_hex(at[1]) || !is_hex(at[2])) {
        return nullptr;
      }
      name_end = at += 3;
    } else if (byte == '\\') {
      if (at[1] == '\0' || kEscapable.find(at[1]) == std::string_view::npos) {
        return nullptr;
      }
      has_escapes = true;
      name_end = at += 2;
    } else if (static_cast<uint8_t>(byte) >= 0x80) {
      const auto decoded = rdf::decode_code_point(between(at, window_.end()));
      if (decoded.size_bytes == 0 ||
          !(at == begin ? is_name_start(decoded.value) : is_name_char(decoded.value))) {
        break;
      }
      name_end = at += decoded.size_bytes;
    } else {
      break;
    }
  }
  return name_end;
}

bool TurtleLexer::read_prefixed_name(std::string_view& token) {
  const char* const at = window_.at();
  const char* const colon = scan_prefix(at, window_.end());
  if (!check_token(colon)) {
    return false;
  }
  if (*colon != ':') {
    return fail("expected a term");
  }
  const auto found = prefixes_.find(between(at, colon));
  if (found == prefixes_.end()) {
    return fail("prefix is not declared");
  }
  bool has_escapes = false;
  const char* const stop = scan_local_name(colon + 1, has_escapes);
  if (stop == nullptr) {
    return fail("bad escape in a name");
  }
  if (!check_token(stop)) {
    return false;
  }
  const std::string& space = found->second;
  const std::string_view local = between(colon + 1, stop);
  if (space.size() + local.size() + 1 > kIriSizeMaxBytes) {
    return fail("IRI is too long (iri_size_max_bytes)", ErrorKind::kLimit);
  }
  char* const memory = arena_.allocate(space.size() + local.size() + 1);
  char* next = std::copy(space.begin(), space.end(), memory);
  if (!has_escapes) {
    next = std::copy(local.begin(), local.end(), next);
  } else {
    next = std::copy_if(local.begin(), local.end(), next, [](char c) { return c != '\\'; });
  }
  *next++ = '>';
  token = between(memory, next);
  window_.advance_to(stop);
  return true;
}

bool TurtleLexer::read_iri(std::string_view& token) {
  return peek() == '<' ? read_iri_reference(token) : read_prefixed_name(token);
}

bool TurtleLexer::read_blank_node(std::string_view& token) {
  const char* const label = window_.at() + 2;
  if (peek(1) != ':') {
    return fail("expected a term");
  }
  const char* const stop = scan_blank_node_label(label, window_.end());
  if (stop == label) {
    return fail("malformed blank-node label");
  }
  if (!check_token(stop)) {
    return false;
  }
  scratch_.clear();
  const Status status = labels_.append_labelled(scratch_, between(label, stop));
  if (!status.ok()) {
    return status.error().kind() == ErrorKind::kInvalid ? fail(status.error().message())
                                                        : fail_outside(status.error());
  }
  token = arena_.keep(scratch_);
  window_.advance_to(stop);
  return true;
}

bool TurtleLexer::make_blank_node(std::string_view& token) {
  scratch_.clear();
  const Status status = labels_.append_anonymous(scratch_);
  token = arena_.keep(scratch_);
  return status.ok() || fail_outside(status.error());
}

bool TurtleLexer::read_prefix_declaration() {
  if (!skip_space()) {
    return false;
  }
  const char* const colon = scan_prefix(window_.at(), window_.end());
  if (!check_token(colon)) {
    return false;
  }
  if (*colon != ':') {
    return fail("expected a prefix with a colon");
  }
  std::string prefix(between(window_.at(), colon));
  window_.advance_to(colon + 1);
  std::string_view token;
  if (!skip_space()) {
    return false;
  }
  if (peek() != '<') {
    return fail("expected an IRI in angle brackets");
  }
  if (!read_iri_reference(token)) {
    return false;
  }
  if (prefixes_.size() >= kPrefixesMax && !prefixes_.contains(prefix)) {
    return fail("too many prefixes (prefixes_max)", ErrorKind::kLimit);
  }
  if (options_.on_prefix) {
    options_.on_prefix(prefix, rdf::iri_of(token));
  }
  token.remove_suffix(1);
  prefixes_.insert_or_assign(std::move(prefix), std::string(token));
  return true;
}

bool TurtleLexer::read_base_declaration() {
  if (!skip_space()) {
    return false;
  }
  std::string_view token;
  if (peek() != '<') {
    return fail("expected an IRI in angle brackets");
  }
  if (!read_iri_reference(token)) {
    return false;
  }
  base_ = rdf::iri_of(token);
  return true;
}

}  // namespace weft::rdfio
