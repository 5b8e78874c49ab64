#include "weft/manifest/address.h"

#include <algorithm>

namespace weft::manifest {
namespace {

// Up to and including the last '/', or "".
std::string_view directory_of(std::string_view address) {
  const size_t slash = address.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : address.substr(0, slash + 1);
}

// RFC 3986, section 3.3: pchar and '/', without '%'.
bool is_path_character(char c) {
  constexpr std::string_view kOther = "-._~!$&'()*+,;=:@/";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kOther.find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : path) {
    if (is_path_character(c)) {
      encoded += c;
    } else {
      const auto octet = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kHex[octet >> 4U];
      encoded += kHex[octet & 15U];
    }
  }
  return encoded;
}

std::string resolve_beside_url(std::string_view manifest_url, std::string_view url) {
  const std::string_view bare = manifest_url.substr(0, manifest_url.find_first_of("?#"));
  const size_t host = bare.find("://") + 3;
  const size_t path = std::min(bare.find('/', host), bare.size());
  if (url.starts_with('/')) {
    return std::string(bare.substr(0, path)) + percent_encoded(url);
  }
  const std::string_view folder = path == bare.size() ? bare : directory_of(bare);
  return std::string(folder) + (path == bare.size() ? "/" : "") + percent_encoded(url);
}

}  // namespace

bool is_remote(std::string_view address) {
  return address.starts_with("http://") || address.starts_with("https://");
}

std::string resolve(std::string_view manifest_address, std::string_view url) {
  if (is_remote(url)) {
    return std::string(url);
  }
  if (is_remote(manifest_address)) {
    return resolve_beside_url(manifest_address, url);
  }
  if (url.starts_with('/')) {
    return std::string(url);
  }
  const std::string_view directory = directory_of(manifest_address);
  return (directory.empty() ? "./" : std::string(directory)) + std::string(url);
}

std::string relative_url(std::string_view manifest_directory, std::string_view path) {
  while (manifest_directory.size() > 1 && manifest_directory.ends_with('/')) {
    manifest_directory.remove_suffix(1);
  }
  if (manifest_directory == "/") {
    return std::string(path.substr(1));
  }
  // The longest common directory, then one "../" for each component that is left of the manifest's.
  std::string rise;
  for (std::string_view common = manifest_directory;;) {
    if (path.size() > common.size() && path.starts_with(common) && path[common.size()] == '/') {
      return rise + std::string(path.substr(common.size() + 1));
    }
    if (common.empty()) {
      return std::string(path);
    }
    common = common.substr(0, common.rfind('/'));
    rise += "../";
  }
}

std::string default_name(std::string_view file_name) {
  for (const std::string_view suffix : {".json", ".rete-manifest"}) {
    while (file_name.ends_with(suffix)) {
      file_name.remove_suffix(suffix.size());
    }
  }
  return std::string(file_name);
}

Result<std::string> segment_name(std::string_view name, uint64_t generation,
                                 const codec::Digest16& hash, Role role) {
  const bool escapes = std::ranges::any_of(name, [](char c) {
    return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (escapes) {
    return Error(ErrorKind::kInvalid,
                 "the graph's name cannot be used in file names: it holds a path separator or a "
                 "control character")
        .with("name", name);
  }
  return std::string(name) + "-g" + std::to_string(generation) + "-" +
         hash_text(hash).substr(0, 8) + (role == Role::kDels ? ".tomb.rete" : ".rete");
}

}  // namespace weft::manifest
