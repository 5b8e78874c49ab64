#include "server/field_values.h"

#include <algorithm>
#include <charconv>

#include "server/http_message.h"

#include "weft/rdf/iri.h"
#include "weft/rdf/term.h"

namespace weft::server {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// Takes the part in front of the next `separator` that stands in no quoted string.
std::string_view take_part(std::string_view& rest, char separator) {
  bool quoted = false;
  size_t i = 0;
  for (; i < rest.size(); ++i) {
    if (quoted && rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && rest[i] == separator) {
      break;
    }
  }
  const std::string_view part = rest.substr(0, i);
  rest = i < rest.size() ? rest.substr(i + 1) : std::string_view();
  return trimmed(part);
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    return std::string(text);
  }
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) {
      ++i;
    }
    out += text[i];
  }
  return out;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
}

// "0.75" in thousandths; nullopt if it is no qvalue.
std::optional<int> quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1') ||
      (text.size() > 1 && text[1] != '.')) {
    return std::nullopt;
  }
  int value = (text[0] - '0') * 1000;
  int unit = 100;
  for (const char c : text.substr(std::min<size_t>(2, text.size()))) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value += (c - '0') * unit;
    unit /= 10;
  }
  return std::min(value, 1000);
}

// One element of Accept or Accept-Encoding: its name, and q in thousandths.
struct Preference {
  std::string name;
  int q = 1000;
};

std::vector<Preference> preferences(std::string_view text) {
  std::vector<Preference> found;
  for (size_t i = 0; i < kAcceptRangesMax && !text.empty(); ++i) {
    std::string_view element = take_part(text, ',');
    Preference preference{lowered(take_part(element, ';')), 1000};
    bool valid = !preference.name.empty();
    while (!element.empty()) {
      const std::string_view parameter = take_part(element, ';');
      if (parameter.size() > 2 && (parameter[0] == 'q' || parameter[0] == 'Q') &&
          parameter[1] == '=') {
        const std::optional<int> q = quality(trimmed(parameter.substr(2)));
        valid = valid && q.has_value();
        preference.q = q.value_or(0);
      }
    }
    if (valid) {
      found.push_back(std::move(preference));
    }
  }
  return found;
}

// How precisely a media range names `offer`: 0 not at all, 1 by */*, 2 by type/*, 3 in full.
int precision(std::string_view range, std::string_view offer) {
  if (range == offer) {
    return 3;
  }
  if (range == "*/*" || range == "*") {
    return 1;
  }
  return range.ends_with("/*") && offer.starts_with(range.substr(0, range.size() - 1)) ? 2 : 0;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool form) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) {
        return std::nullopt;
      }
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += form && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

Result<std::vector<Parameter>> parse_form(std::string_view text) {
  std::vector<Parameter> parameters;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) {
      continue;
    }
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = percent_decoded(pair.substr(0, equals), true);
    std::optional<std::string> value =
        percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name.has_value() || !value.has_value() || !rdf::is_valid_utf8(*name) ||
        !rdf::is_valid_utf8(*value)) {
      return Error(ErrorKind::kInvalid, "a parameter is not percent-encoded UTF-8")
          .with("parameter", std::string(pair.substr(0, std::min<size_t>(equals, 64))));
    }
    if (parameters.size() == kFormParametersMax) {
      return Error(ErrorKind::kLimit, "too many parameters")
          .with("limit", "form parameters")
          .with("max", kFormParametersMax);
    }
    parameters.push_back({std::move(*name), std::move(*value)});
  }
  return parameters;
}

const std::string* MediaType::parameter(std::string_view name_wanted) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name_wanted) {
      return &parameter.value;
    }
  }
  return nullptr;
}

std::optional<MediaType> parse_media_type(std::string_view text) {
  MediaType type;
  type.name = lowered(take_part(text, ';'));
  const size_t slash = type.name.find('/');
  if (slash == std::string::npos || !is_token(std::string_view(type.name).substr(0, slash)) ||
      !is_token(std::string_view(type.name).substr(slash + 1))) {
    return std::nullopt;
  }
  while (!text.empty()) {
    const std::string_view part = take_part(text, ';');
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      type.parameters.push_back(
          {lowered(trimmed(part.substr(0, equals))), unquoted(trimmed(part.substr(equals + 1)))});
    }
  }
  return type;
}

std::optional<size_t> best_media_type(std::string_view accept,
                                      std::span<const std::string_view> offers) {
  const std::vector<Preference> ranges = preferences(accept);
  if (ranges.empty()) {
    return offers.empty() ? std::nullopt : std::optional<size_t>(0);
  }
  std::optional<size_t> best;
  int best_q = 0;
  for (size_t i = 0; i < offers.size(); ++i) {
    int q = 0;
    int most = 0;
    for (const Preference& range : ranges) {
      const int how = precision(range.name, offers[i]);
      if (how > most) {
        most = how;
        q = range.q;
      } else if (how == most && how > 0) {
        q = std::max(q, range.q);
      }
    }
    if (q > best_q) {
      best_q = q;
      best = i;
    }
  }
  return best;
}

std::string_view coding_name(Coding coding) {
  switch (coding) {
    case Coding::kIdentity:
      return "identity";
    case Coding::kGzip:
      return "gzip";
    case Coding::kZstd:
      return "zstd";
  }
  std::unreachable();
}

Coding best_coding(std::string_view accept_encoding) {
  int gzip = 0;
  int zstd = 0;
  for (const Preference& preference : preferences(accept_encoding)) {
    if (preference.name == "zstd") {
      zstd = preference.q;
    } else if (preference.name == "gzip" || preference.name == "x-gzip") {
      gzip = preference.q;
    }
  }
  if (zstd > 0 && zstd >= gzip) {
    return Coding::kZstd;
  }
  return gzip > 0 ? Coding::kGzip : Coding::kIdentity;
}

namespace {

std::optional<uint64_t> digits(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return text.empty() || error != std::errc() || end != text.data() + text.size()
             ? std::nullopt
             : std::optional<uint64_t>(value);
}

}  // namespace

RangeOutcome parse_range(std::string_view text, uint64_t size, ByteRange& range) {
  constexpr std::string_view kUnit = "bytes=";
  text = trimmed(text);
  if (text.size() < kUnit.size() || !equals_without_case(text.substr(0, kUnit.size()), kUnit)) {
    return RangeOutcome::kWhole;
  }
  text = trimmed(text.substr(kUnit.size()));
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.contains(',')) {
    return RangeOutcome::kWhole;
  }
  const std::string_view before = text.substr(0, dash);
  const std::string_view after = text.substr(dash + 1);
  const std::optional<uint64_t> first = digits(before);
  const std::optional<uint64_t> last = digits(after);
  if ((!before.empty() && !first) || (!after.empty() && !last) || (!first && !last)) {
    return RangeOutcome::kWhole;
  }
  if (!first) {  // the last N bytes
    if (*last == 0 || size == 0) {
      return RangeOutcome::kUnsatisfiable;
    }
    range = {size - std::min(*last, size), size - 1};
    return RangeOutcome::kPart;
  }
  if (last && *last < *first) {
    return RangeOutcome::kWhole;
  }
  if (*first >= size) {
    return RangeOutcome::kUnsatisfiable;
  }
  range = {*first, std::min(last.value_or(size - 1), size - 1)};
  return RangeOutcome::kPart;
}

EntityTags parse_entity_tags(std::string_view text) {
  EntityTags tags;
  while (!text.empty()) {
    std::string_view part = take_part(text, ',');
    const bool weak = part.starts_with("W/");
    part.remove_prefix(weak ? 2 : 0);
    if (part == "*") {
      tags.any = true;
    } else if (part.size() >= 2 && part.front() == '"' && part.back() == '"') {
      (weak ? tags.weak : tags.strong).emplace_back(part.substr(1, part.size() - 2));
    }
  }
  return tags;
}

std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  authorization = trimmed(authorization);
  if (authorization.size() <= kScheme.size() ||
      !equals_without_case(authorization.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  return trimmed(authorization.substr(kScheme.size()));
}

std::optional<uint64_t> parse_seconds(std::string_view text) {
  constexpr double kYear = 366.0 * 86'400;
  text = trimmed(text);
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) ||
      seconds > kYear) {
    return std::nullopt;
  }
  return std::max<uint64_t>(1, static_cast<uint64_t>(seconds * 1000));
}

bool is_absolute_iri(std::string_view text) {
  const rdf::IriParts parts = rdf::split_iri(text);
  if (!parts.has_scheme || parts.scheme.empty() || !rdf::is_valid_utf8(text)) {
    return false;
  }
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || std::string_view("<>\"{}|^`\\").contains(c);
  });
}

}  // namespace weft::server
