#include "weft/lance/table/names.h"

#include <algorithm>
#include <charconv>

namespace weft::lance {

namespace {

constexpr size_t kV2Digits = 20;
constexpr size_t kOperationNameMax = 64;
constexpr size_t kRefNameMax = 200;

std::optional<uint64_t> parse_decimal(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

// One segment of a branch, or a tag. Letters of other scripts are accepted in branches, as engines
// do: every byte of their UTF-8 is above 0x7f.
Status check_ref_segment(std::string_view segment, std::string_view name, bool other_scripts) {
  const auto refuse = [&](std::string_view rule) {
    return Error(ErrorKind::kInvalid, "bad name of a branch or tag")
        .with("name", name)
        .with("rule", rule);
  };
  if (segment.empty()) {
    return refuse("no part may be empty");
  }
  if (segment.front() == '.' || segment.back() == '.' ||
      segment.find("..") != std::string_view::npos) {
    return refuse("no '.' at an end, no '..'");
  }
  if (segment.ends_with(".lock")) {
    return refuse("must not end in .lock");
  }
  for (const char c : segment) {
    const bool other = other_scripts && static_cast<unsigned char>(c) >= 0x80;
    if (!is_word_character(c) && c != '.' && !other) {
      return refuse("letters, digits, '.', '-' and '_' only, no '..'");
    }
  }
  return {};
}

}  // namespace

std::string manifest_name(uint64_t version, Naming naming) {
  std::string name(kVersionsFolder);
  if (is_detached(version)) {
    name += "d" + std::to_string(version);
  } else if (naming == Naming::kV1) {
    name += std::to_string(version);
  } else {
    const std::string digits = std::to_string(UINT64_MAX - version);
    name.append(kV2Digits - digits.size(), '0').append(digits);
  }
  return name.append(kManifestEnding);
}

std::optional<ManifestName> parse_manifest_name(std::string_view file_name) {
  if (!file_name.ends_with(kManifestEnding)) {
    return std::nullopt;
  }
  std::string_view stem = file_name.substr(0, file_name.size() - kManifestEnding.size());
  const bool detached = stem.starts_with('d');
  if (detached) {
    stem.remove_prefix(1);
  }
  const std::optional<uint64_t> number = parse_decimal(stem);
  if (!number) {
    return std::nullopt;
  }
  if (detached) {
    return is_detached(*number) ? std::optional(ManifestName{*number, Naming::kV2}) : std::nullopt;
  }
  const bool v2 = stem.size() == kV2Digits;
  const ManifestName name{v2 ? UINT64_MAX - *number : *number, v2 ? Naming::kV2 : Naming::kV1};
  return name.version == 0 || is_detached(name.version) ? std::nullopt : std::optional(name);
}

std::string transaction_file_name(uint64_t read_version, std::string_view uuid) {
  return std::to_string(read_version) + "-" + std::string(uuid) + ".txn";
}

std::string hex_text(uint64_t value, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = "0123456789abcdef"[value & 15U];
    value >>= 4U;
  }
  return text;
}

std::string new_uuid(base::Random& random) {
  constexpr uint64_t kVersion4 = 0x4000;
  constexpr uint64_t kVariant = uint64_t{2} << 62U;
  const uint64_t high = (random.next() & ~uint64_t{0xf000}) | kVersion4;
  const uint64_t low = (random.next() & ~(uint64_t{3} << 62U)) | kVariant;
  const std::string a = hex_text(high);
  const std::string b = hex_text(low);
  return a.substr(0, 8) + "-" + a.substr(8, 4) + "-" + a.substr(12) + "-" + b.substr(0, 4) + "-" +
         b.substr(4);
}

std::string join_name(std::string_view folder, std::string_view rest) {
  std::string name(folder);
  if (!name.empty() && !name.ends_with('/')) {
    name += '/';
  }
  return name.append(rest);
}

Status check_tag_name(std::string_view name) {
  if (name.size() > kRefNameMax) {
    return Error(ErrorKind::kLimit, "name of a tag too long").with("bytes_max", kRefNameMax);
  }
  return check_ref_segment(name, name, false);
}

Status check_branch_name(std::string_view name) {
  if (name.size() > kRefNameMax) {
    return Error(ErrorKind::kLimit, "name of a branch too long").with("bytes_max", kRefNameMax);
  }
  if (name == "main") {
    return Error(ErrorKind::kInvalid, "no branch may be called main");
  }
  std::string_view rest = name;
  while (true) {
    const size_t slash = rest.find('/');
    WEFT_TRY_STATUS(check_ref_segment(rest.substr(0, slash), name, true));
    if (slash == std::string_view::npos) {
      return {};
    }
    rest.remove_prefix(slash + 1);
  }
}

Status check_operation_name(std::string_view name) {
  if (name.empty() || name.size() > kOperationNameMax ||
      !std::all_of(name.begin(), name.end(), is_word_character)) {
    return Error(ErrorKind::kInvalid, "bad name of an operation")
        .with("name", name)
        .with("rule", "1 to 64 letters, digits, '-' and '_'");
  }
  return {};
}

std::string branch_file_name(std::string_view branch) {
  std::string name;
  for (const char c : branch) {
    name += c == '/' ? std::string("%2F") : std::string(1, c);
  }
  return name;
}

std::string branch_of_file_name(std::string_view file_name) {
  std::string branch;
  while (!file_name.empty()) {
    const bool slash = file_name.starts_with("%2F");
    branch += slash ? '/' : file_name.front();
    file_name.remove_prefix(slash ? 3 : 1);
  }
  return branch;
}

}  // namespace weft::lance
