#include <string>
#include <utility>

#include "weft/remote/http_client.h"
#include "weft/remote/transfers.h"

namespace weft::remote {
namespace {

// Unreserved characters (RFC 3986 §2.3), and '/', stay.
std::string percent_encoded(const std::string& name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char letter : name) {
    const auto octet = static_cast<uint8_t>(letter);
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       std::string_view("-._~/").find(letter) != std::string_view::npos;
    if (plain) {
      text += letter;
    } else {
      text += '%';
      text += kDigits[octet >> 4U];
      text += kDigits[octet & 15U];
    }
  }
  return text;
}

class HttpStore final : public storage::ObjectStore {
 public:
  HttpStore(HttpClient& client, std::string base_url)
      : client_(client), base_url_(std::move(base_url)) {
    if (!base_url_.ends_with('/')) {
      base_url_ += '/';
    }
  }

  storage::Capabilities capabilities() const override { return {}; }
  std::string location() const override { return shown_url(base_url_); }

  Result<std::unique_ptr<storage::ObjectReader>> open(const std::string& name) override {
    WEFT_TRY_STATUS(storage::check_object_name(name));
    return client_.open_url(url_of(name));
  }
  void prefetch(const std::vector<std::string>& names) override {
    std::vector<std::string> urls;
    urls.reserve(names.size());
    for (const std::string& name : names) {
      urls.push_back(url_of(name));
    }
    client_.prefetch(urls);
  }
  Result<storage::VersionedObject> get(const std::string& name, uint64_t size_max_bytes) override {
    WEFT_TRY_STATUS(storage::check_object_name(name));
    return client_.get_url(url_of(name), size_max_bytes);
  }

  Result<storage::PutOutcome> put_if_absent(const std::string& name, ByteView /*bytes*/) override {
    return refuse("write", name);
  }
  Result<std::vector<storage::PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) override {
    return refuse("write", objects.empty() ? std::string() : objects.front().first);
  }
  Result<std::unique_ptr<storage::ObjectWriter>> create(const std::string& name) override {
    return refuse("write", name);
  }
  Result<storage::PutOutcome> put_if_match(const std::string& name, ByteView /*bytes*/,
                                           const storage::Etag& /*expected*/) override {
    return refuse("write", name);
  }
  Status sync_existing(const std::vector<std::string>& names) override {
    return refuse("sync", names.empty() ? std::string() : names.front());
  }
  Status remove(const std::string& name) override { return refuse("remove", name); }
  Result<std::vector<storage::ObjectInfo>> list(const std::string& prefix,
                                                bool /*with_temporaries*/) override {
    return refuse("list", prefix);
  }

 private:
  std::string url_of(const std::string& name) const { return base_url_ + percent_encoded(name); }
  Error refuse(std::string_view action, const std::string& name) const {
    return Error(ErrorKind::kUnsupported, "a store behind HTTP is only read")
        .with("action", action)
        .with("store", location())
        .with("object", name);
  }

  HttpClient& client_;
  std::string base_url_;
};

}  // namespace

std::unique_ptr<storage::ObjectStore> http_store(HttpClient& client, std::string base_url) {
  return std::make_unique<HttpStore>(client, std::move(base_url));
}

}  // namespace weft::remote
