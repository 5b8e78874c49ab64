#include "server/tokens.h"

#include <algorithm>
#include <charconv>

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace weft::server {
namespace {

constexpr std::string_view kDigestPrefix = "sha256:";

bool is_token_text(std::string_view token) {
  return !token.empty() && std::all_of(token.begin(), token.end(),
                                       [](char c) { return c > ' ' && c != ',' && c < '\x7f'; });
}

bool parse_digest(std::string_view hex, TokenDigest& digest) {
  if (hex.size() != digest.size() * 2) {
    return false;
  }
  for (size_t i = 0; i < digest.size(); ++i) {
    const char* const first = hex.data() + i * 2;
    const auto [end, error] = std::from_chars(first, first + 2, digest[i], 16);
    if (error != std::errc() || end != first + 2) {
      return false;
    }
  }
  return true;
}

}  // namespace

TokenDigest token_digest(std::string_view token) {
  TokenDigest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

Status TokenTable::add(std::string_view token, Right right) {
  if (!is_token_text(token)) {
    return Error(ErrorKind::kInvalid,
                 "a token is one or more printable ASCII characters without space and comma");
  }
  entries_.push_back({token_digest(token), right});
  return ok_status();
}

Status TokenTable::add_lines(std::string_view text) {
  for (uint64_t line_number = 1; !text.empty(); ++line_number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
      line.remove_suffix(1);
    }
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, space);
    std::string_view right = line.substr(space);
    right.remove_prefix(std::min(right.find_first_not_of(" \t"), right.size()));
    Entry entry{{}, right == "read" ? Right::kRead : Right::kWrite};
    bool valid = right.empty() || right == "read" || right == "write";
    if (word.starts_with(kDigestPrefix)) {
      valid = valid && parse_digest(word.substr(kDigestPrefix.size()), entry.digest);
    } else {
      valid = valid && is_token_text(word);
      entry.digest = token_digest(word);
    }
    if (!valid) {
      return Error(ErrorKind::kInvalid, "this line of the token file is no token")
          .with("line", line_number);
    }
    entries_.push_back(entry);
  }
  return ok_status();
}

Right TokenTable::right_of(std::string_view token) const {
  const TokenDigest digest = token_digest(token);
  Right right = Right::kNone;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) {
      right = std::max(right, entry.right);
    }
  }
  return right;
}

}  // namespace weft::server
