#include "weft/remote/http_client.h"

#include <algorithm>
#include <map>

#include "weft/base/mutex.h"
#include "weft/remote/http_reader.h"
#include "weft/remote/transfers.h"
#include "weft/storage/block_cache.h"
#include "weft/storage/names.h"

namespace weft::remote {
namespace {

using storage::BlockCache;
using storage::Buffer;
using storage::ObjectReader;
using storage::Range;

constexpr uint64_t kHeadBytes = 128 << 10;
constexpr size_t kExpectedUrlsMax = 4096;

// Reads of an object that is in memory, but came from a URL.
class WholeReader final : public ObjectReader {
 public:
  WholeReader(std::string name, std::string identity, Buffer bytes)
      : name_(std::move(name)), identity_(std::move(identity)), bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  std::string identity() const override { return identity_; }
  bool is_remote() const override { return false; }
  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token /*stop*/) override {
    WEFT_TRY_STATUS(storage::check_ranges(ranges, size(), name_));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    for (const Range& range : ranges) {
      answers.push_back(bytes_.slice(range.offset, range.size));
    }
    return answers;
  }

 private:
  std::string name_;
  std::string identity_;
  Buffer bytes_;
};

// Keeps the cache alive as long as its reader.
class OwningReader final : public ObjectReader {
 public:
  OwningReader(std::shared_ptr<BlockCache> cache, std::unique_ptr<ObjectReader> inner)
      : cache_(std::move(cache)), inner_(std::move(inner)) {}
  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  std::string identity() const override { return inner_->identity(); }
  bool is_remote() const override { return true; }
  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    return inner_->read_many(ranges, std::move(stop));
  }
  void prefetch(const std::vector<Range>& ranges) override { inner_->prefetch(ranges); }

 private:
  std::shared_ptr<BlockCache> cache_;
  std::unique_ptr<ObjectReader> inner_;
};

class CurlClient final : public HttpClient {
 public:
  CurlClient(const HttpOptions& options, std::shared_ptr<Transfers> transfers)
      : options_(options),
        head_bytes_(
            (std::max(kHeadBytes, options.block_size_bytes) + options.block_size_bytes - 1) /
            options.block_size_bytes * options.block_size_bytes),
        transfers_(std::move(transfers)),
        cache_(std::make_shared<BlockCache>(options.cache_bytes_max)) {}
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;
  ~CurlClient() override {
    std::vector<TransferHandle> left;
    left.reserve(expected_.size());
    for (auto& [url, transfer] : expected_) {
      left.push_back(std::move(transfer));
    }
    transfers_->drop(left);
  }

  Result<std::unique_ptr<ObjectReader>> open_url(const std::string& url,
                                                 std::stop_token stop) override {
    WEFT_TRY(Head head, fetch_head(url, options_.whole_object_bytes_max, stop));
    return reader_of(url, std::move(head));
  }

  void prefetch(const std::vector<std::string>& urls) override {
    const base::MutexLock lock(mutex_);
    for (const std::string& url : urls) {
      if (is_url(url) && expected_.size() < kExpectedUrlsMax && !expected_.contains(url)) {
        expected_.emplace(url, request_head(url));
      }
    }
  }

  Result<storage::VersionedObject> get_url(const std::string& url, uint64_t size_max_bytes,
                                           std::stop_token stop) override {
    WEFT_TRY(Head head, fetch_head(url, options_.whole_object_bytes_max, stop));
    if (head.validators.size > size_max_bytes) {
      return Error(ErrorKind::kLimit, "an object is too long to be read as a whole")
          .with("url", shown_url(url))
          .with("size", head.validators.size)
          .with("size_max_bytes", size_max_bytes);
    }
    std::string etag = head.validators.strong_etag();
    WEFT_TRY(const std::unique_ptr<ObjectReader> reader, reader_of(url, std::move(head)));
    WEFT_TRY(Buffer bytes, reader->read({0, reader->size()}, stop));
    storage::Etag known =
        etag.empty() ? storage::content_etag(bytes.view()) : storage::Etag{std::move(etag)};
    return storage::VersionedObject{std::move(bytes), std::move(known)};
  }

  Result<Reply> ask(const Question& question, std::stop_token stop) override {
    if (!is_url(question.url)) {
      return Error(ErrorKind::kInvalid, "not an http:// or https:// URL")
          .with("url", shown_url(question.url));
    }
    Request request;
    request.url = question.url;
    request.whole_bytes_max = question.answer_bytes_max;
    request.body = question.body;
    request.content_type = question.content_type;
    request.accept = question.accept;
    request.fields = question.fields;
    request.timeout_ms = question.timeout_ms;
    const TransferHandle transfer = transfers_->submit(std::move(request));
    WEFT_TRY_STATUS(transfers_->wait({transfer}, stop));
    WEFT_TRY(Answer answer, transfers_->take(transfer));
    return read_reply(question, std::move(answer));
  }

  HttpCounters counters() const override { return transfers_->counters(); }

 private:
  TransferHandle request_head(const std::string& url) {
    Request request;
    request.url = url;
    request.range = {0, head_bytes_};
    request.whole_bytes_max = options_.whole_object_bytes_max;
    return transfers_->submit(std::move(request));
  }

  Result<Head> fetch_head(const std::string& url, uint64_t whole_max, const std::stop_token& stop) {
    if (!is_url(url)) {
      return Error(ErrorKind::kInvalid, "not an http:// or https:// URL")
          .with("url", shown_url(url));
    }
    TransferHandle transfer;
    {
      const base::MutexLock lock(mutex_);
      if (const auto at = expected_.find(url); at != expected_.end()) {
        transfer = std::move(at->second);
        expected_.erase(at);
      }
    }
    if (!transfer) {
      transfer = request_head(url);
    }
    WEFT_TRY_STATUS(transfers_->wait({transfer}, stop));
    WEFT_TRY(Answer answer, transfers_->take(transfer));
    return read_head(url, std::move(answer), head_bytes_, whole_max);
  }

  Result<std::unique_ptr<ObjectReader>> reader_of(const std::string& url, Head head) {
    if (head.is_whole) {
      const std::string etag = head.validators.strong_etag();
      return std::make_unique<WholeReader>(shown_url(url),
                                           etag.empty() ? etag : "url:" + url + "#" + etag,
                                           Buffer::from(std::move(head.bytes)));
    }
    auto plain =
        http_reader(transfers_, url, std::move(head.validators), options_.request_bytes_max);
    return std::make_unique<OwningReader>(
        cache_, storage::cached_reader(std::move(plain), *cache_,
                                       {.block_size_bytes = options_.block_size_bytes,
                                        .gap_bytes_max = options_.gap_bytes_max},
                                       head.bytes));
  }

  const HttpOptions options_;
  const uint64_t head_bytes_;
  const std::shared_ptr<Transfers> transfers_;
  const std::shared_ptr<BlockCache> cache_;
  base::Mutex mutex_;
  std::map<std::string, TransferHandle> expected_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace

bool is_url(std::string_view text) {
  const auto begins = [&](std::string_view scheme) {
    return text.size() > scheme.size() &&
           std::ranges::equal(text.substr(0, scheme.size()), scheme, [](char a, char b) {
             return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
           });
  };
  return begins("http://") || begins("https://");
}

Result<std::unique_ptr<HttpClient>> HttpClient::create(HttpOptions options) {
  if (options.block_size_bytes == 0 || options.request_bytes_max == 0 ||
      options.requests_in_flight_max == 0 || options.attempts_max == 0) {
    return Error(ErrorKind::kInvalid, "an HTTP option that must not be zero is zero");
  }
  WEFT_TRY(std::unique_ptr<Transfers> transfers, Transfers::create(options));
  return std::make_unique<CurlClient>(options, std::move(transfers));
}

}  // namespace weft::remote
