#include <array>
#include <string>

#include <openssl/evp.h>

#include "weft/exec/functions/functions.h"

namespace weft::exec {
namespace {

const EVP_MD* algorithm(sparql::Function function) {
  switch (function) {
    case sparql::Function::kMd5:
      return EVP_md5();
    case sparql::Function::kSha1:
      return EVP_sha1();
    case sparql::Function::kSha256:
      return EVP_sha256();
    case sparql::Function::kSha384:
      return EVP_sha384();
    case sparql::Function::kSha512:
      return EVP_sha512();
    default:
      return nullptr;
  }
}

}  // namespace

rdf::Value hash_function(sparql::Function function, const rdf::Value& value) {
  const EVP_MD* digest = algorithm(function);
  if (digest == nullptr || value.kind() != rdf::ValueKind::kString) {
    return {};
  }
  const std::string_view text = value.text();
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, digest, nullptr) != 1) {
    return {};  // an algorithm that this OpenSSL does not allow
  }
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string result;
  for (unsigned i = 0; i < size; ++i) {
    result += kHex[bytes[i] >> 4U];
    result += kHex[bytes[i] & 15U];
  }
  return rdf::Value::string(result);
}

}  // namespace weft::exec
