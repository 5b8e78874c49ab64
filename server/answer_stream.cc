#include "server/answer_stream.h"

namespace weft::server {

class AnswerStream::Plain final : public codec::OutputStream {
 public:
  explicit Plain(Exchange& exchange) : exchange_(exchange) {}
  Status write(ByteView bytes) override { return exchange_.write(bytes); }

 private:
  Exchange& exchange_;
};

AnswerStream::AnswerStream(Exchange& exchange, ResponseHead head, Coding coding)
    : exchange_(exchange), head_(std::move(head)), coding_(coding) {}

AnswerStream::~AnswerStream() = default;

Status AnswerStream::begin() {
  begun_ = true;
  plain_ = std::make_unique<Plain>(exchange_);
  if (coding_ != Coding::kIdentity) {
    head_.set("Content-Encoding", coding_name(coding_));
    WEFT_TRY(compressor_, codec::compress(coding_ == Coding::kZstd ? codec::Compression::kZstd
                                                                   : codec::Compression::kGzip,
                                          *plain_));
  }
  exchange_.begin(head_);
  const std::string held = std::move(held_);
  return compressor_ != nullptr ? compressor_->write(as_bytes(held))
                                : plain_->write(as_bytes(held));
}

Status AnswerStream::write(ByteView bytes) {
  if (begun_) {
    return compressor_ != nullptr ? compressor_->write(bytes) : plain_->write(bytes);
  }
  held_ += as_text(bytes);
  return held_.size() < kHoldBackBytes ? ok_status() : begin();
}

Status AnswerStream::finish() {
  if (!begun_ && (coding_ == Coding::kIdentity || held_.size() < kCompressBytesMin)) {
    exchange_.send(std::move(head_), std::move(held_));
    return ok_status();
  }
  if (!begun_) {
    WEFT_TRY_STATUS(begin());
  }
  if (compressor_ != nullptr) {
    WEFT_TRY_STATUS(compressor_->finish());
  }
  exchange_.finish();
  return ok_status();
}

}  // namespace weft::server
