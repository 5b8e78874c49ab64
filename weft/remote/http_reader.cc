#include "weft/remote/http_reader.h"

#include <algorithm>
#include <map>

#include "weft/base/mutex.h"
#include "weft/remote/content_range.h"

namespace weft::remote {
namespace {

using storage::Buffer;
using storage::Range;

Error answer_error(ErrorKind kind, std::string_view message, const std::string& url, long status) {
  return Error(kind, std::string(message))
      .with("url", shown_url(url))
      .with("status", static_cast<uint64_t>(status));
}

Error changed(const std::string& url, long status) {
  return answer_error(ErrorKind::kCorrupt, "a remote object changed since it was opened", url,
                      status)
      .with("reason", "changed");
}

Error status_error(const std::string& url, long status) {
  switch (status) {
    case 401:
    case 403:
    case 407:
      return answer_error(ErrorKind::kDenied, "the server does not let us read", url, status);
    case 404:
    case 410:
      return answer_error(ErrorKind::kNotFound, "no such object on the server", url, status);
    case 501:
    case 505:
      return answer_error(ErrorKind::kUnsupported, "the server cannot do this", url, status);
    default:
      return answer_error(ErrorKind::kInvalid, "the server refused the request", url, status);
  }
}

Status check_encoding(const std::string& url, const Answer& answer) {
  if (!answer.content_encoding.empty() && answer.content_encoding != "identity") {
    return answer_error(ErrorKind::kUnsupported, "the server sends encoded bytes", url,
                        answer.status)
        .with("encoding", answer.content_encoding);
  }
  return ok_status();
}

Error wrong_range(const std::string& url, const Answer& answer, Range asked) {
  return answer_error(ErrorKind::kCorrupt, "the server sent another range than was asked for", url,
                      answer.status)
      .with("reason", "wrong-range")
      .with("content_range", answer.content_range)
      .with("body_size", answer.body.size())
      .with("offset", asked.offset)
      .with("size", asked.size);
}

bool is_same_state(const Validators& then, const Answer& now) {
  // A server that sent a validator at first goes on sending it.
  return now.etag == then.etag && (!then.etag.empty() || now.last_modified == then.last_modified);
}

// The bytes of `asked`, of the state `validators`, or an error.
Result<Bytes> read_part(const std::string& url, const Validators& validators, Answer answer,
                        Range asked) {
  const bool refused = answer.status == 412 || answer.status == 416;
  if (refused || (answer.status == 200 && !is_same_state(validators, answer))) {
    return changed(url, answer.status);
  }
  if (answer.status == 200) {
    return answer_error(ErrorKind::kUnsupported, "the server stopped answering by range", url,
                        answer.status);
  }
  if (answer.status != 206) {
    return status_error(url, answer.status);
  }
  WEFT_TRY_STATUS(check_encoding(url, answer));
  const std::optional<ContentRange> range = parse_content_range(answer.content_range);
  if (!is_same_state(validators, answer) ||
      (range && range->size && *range->size != validators.size)) {
    return changed(url, answer.status);
  }
  if (!range || range->first != asked.offset || range->last != asked.offset + asked.size - 1 ||
      answer.cut_off || answer.body.size() != asked.size) {
    return wrong_range(url, answer, asked);
  }
  return std::move(answer.body);
}

class HttpReader final : public storage::ObjectReader {
 public:
  HttpReader(std::shared_ptr<Transfers> transfers, std::string url, Validators validators,
             uint64_t request_bytes_max)
      : transfers_(std::move(transfers)),
        url_(std::move(url)),
        name_(shown_url(url_)),
        validators_(std::move(validators)),
        request_bytes_max_(request_bytes_max) {}
  HttpReader(const HttpReader&) = delete;
  HttpReader& operator=(const HttpReader&) = delete;
  ~HttpReader() override {
    std::vector<TransferHandle> left;
    left.reserve(expected_.size());
    for (auto& [piece, transfer] : expected_) {
      left.push_back(std::move(transfer));
    }
    transfers_->drop(left);
  }

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return validators_.size; }
  std::string identity() const override {
    const std::string etag = validators_.strong_etag();
    return etag.empty() ? std::string() : "url:" + url_ + "#" + etag;
  }
  bool is_remote() const override { return true; }

  Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                        std::stop_token stop) override {
    WEFT_TRY_STATUS(storage::check_ranges(ranges, size(), name_));
    std::vector<std::pair<Range, TransferHandle>> pieces;
    {
      const base::MutexLock lock(mutex_);
      for (const Range& range : ranges) {
        for (const Range& piece : pieces_of(range)) {
          pieces.emplace_back(piece, expected_or_new(piece));
        }
      }
    }
    std::vector<TransferHandle> transfers;
    transfers.reserve(pieces.size());
    for (const auto& [piece, transfer] : pieces) {
      transfers.push_back(transfer);
    }
    WEFT_TRY_STATUS(transfers_->wait(transfers, stop));
    std::vector<Buffer> answers;
    answers.reserve(ranges.size());
    size_t next = 0;
    for (const Range& range : ranges) {
      Bytes bytes;
      while (bytes.size() < range.size) {
        const auto& [piece, transfer] = pieces[next++];
        WEFT_TRY(Answer answer, transfers_->take(transfer));
        WEFT_TRY(Bytes part, read_part(url_, validators_, std::move(answer), piece));
        if (part.size() == range.size) {
          bytes = std::move(part);
        } else {
          bytes.reserve(range.size);
          bytes.insert(bytes.end(), part.begin(), part.end());
        }
      }
      answers.push_back(Buffer::from(std::move(bytes)));
    }
    return answers;
  }

  void prefetch(const std::vector<Range>& ranges) override {
    if (!storage::check_ranges(ranges, size(), name_).ok()) {
      return;
    }
    const base::MutexLock lock(mutex_);
    for (const Range& range : ranges) {
      for (const Range& piece : pieces_of(range)) {
        const Key key(piece.offset, piece.size);
        if (!expected_.contains(key)) {
          expected_.emplace(key, request(piece));
        }
      }
    }
  }

 private:
  using Key = std::pair<uint64_t, uint64_t>;

  std::vector<Range> pieces_of(Range range) const {
    std::vector<Range> pieces;
    for (uint64_t done = 0; done < range.size;) {
      const uint64_t size = std::min(request_bytes_max_, range.size - done);
      pieces.push_back({range.offset + done, size});
      done += size;
    }
    return pieces;
  }

  TransferHandle request(Range piece) {
    Request request;
    request.url = url_;
    request.range = piece;
    request.if_range = validators_.strong_etag();
    return transfers_->submit(std::move(request));
  }

  TransferHandle expected_or_new(Range piece) WEFT_REQUIRES(mutex_) {
    const auto at = expected_.find({piece.offset, piece.size});
    if (at == expected_.end()) {
      return request(piece);
    }
    TransferHandle transfer = std::move(at->second);
    expected_.erase(at);
    return transfer;
  }

  const std::shared_ptr<Transfers> transfers_;
  const std::string url_;
  const std::string name_;
  const Validators validators_;
  const uint64_t request_bytes_max_;
  base::Mutex mutex_;
  // Hinted at and not yet read.
  std::map<Key, TransferHandle> expected_ WEFT_GUARDED_BY(mutex_);
};

}  // namespace

std::string Validators::strong_etag() const {
  const bool strong = etag.size() >= 2 && etag.front() == '"' && etag.back() == '"';
  return strong ? etag : std::string();
}

Result<Head> read_head(const std::string& url, Answer answer, uint64_t range_size,
                       uint64_t whole_object_bytes_max) {
  WEFT_TRY_STATUS(check_encoding(url, answer));
  Head head;
  head.validators.etag = answer.etag;
  head.validators.last_modified = answer.last_modified;
  const std::optional<ContentRange> range = parse_content_range(answer.content_range);
  if (answer.status == 416 && range && !range->first && range->size == 0) {
    head.is_whole = true;  // an empty object has no first byte
    return head;
  }
  if (answer.status == 200) {
    if (answer.cut_off) {
      return answer_error(ErrorKind::kLimit,
                          "the server ignores ranges, and the object is too long to be kept whole",
                          url, answer.status)
          .with("whole_object_bytes_max", whole_object_bytes_max)
          .with("size", answer.content_length.value_or(0));
    }
    head.validators.size = answer.body.size();
    head.bytes = std::move(answer.body);
    head.is_whole = true;
    return head;
  }
  if (answer.status != 206) {
    return status_error(url, answer.status);
  }
  if (range && range->first && !range->size) {
    return answer_error(ErrorKind::kUnsupported, "the server does not tell the length", url,
                        answer.status);
  }
  const Range asked{0, range_size};
  if (!range || !range->size || range->first != 0U || answer.cut_off ||
      range->last != std::min(range_size, *range->size) - 1 ||
      answer.body.size() != std::min(range_size, *range->size)) {
    return wrong_range(url, answer, asked);
  }
  head.validators.size = *range->size;
  head.bytes = std::move(answer.body);
  head.is_whole = head.bytes.size() == head.validators.size;
  return head;
}

Result<Reply> read_reply(const Question& question, Answer answer) {
  if (answer.cut_off) {
    return Error(ErrorKind::kLimit, "the answer of another server is too long")
        .with("url", shown_url(question.url))
        .with("answer_bytes_max", question.answer_bytes_max);
  }
  if (answer.status != 200) {
    Error error = status_error(question.url, answer.status);
    if (!answer.message.empty()) {
      error.add("answer", answer.message);
    }
    return error;
  }
  WEFT_TRY_STATUS(check_encoding(question.url, answer));
  return Reply{.content_type = std::move(answer.content_type), .body = std::move(answer.body)};
}

std::unique_ptr<storage::ObjectReader> http_reader(std::shared_ptr<Transfers> transfers,
                                                   std::string url, Validators validators,
                                                   uint64_t request_bytes_max) {
  return std::make_unique<HttpReader>(std::move(transfers), std::move(url), std::move(validators),
                                      request_bytes_max);
}

}  // namespace weft::remote
