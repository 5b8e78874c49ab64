#include "weft/quads/ingest_document.h"

#include <algorithm>
#include <vector>

#include <sys/stat.h>

namespace weft::quads {
namespace {

constexpr size_t kPieceBytes = size_t{256} << 10U;

bool can_be_opened_again(const std::string& path) {
  struct stat status = {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

class ScratchInput final : public rdfio::InputStream {
 public:
  explicit ScratchInput(std::shared_ptr<storage::ScratchFile> file) : file_(std::move(file)) {}
  Result<size_t> read(std::span<std::byte> out) override {
    const auto step = static_cast<size_t>(std::min<uint64_t>(out.size(), file_->size() - offset_));
    WEFT_TRY_STATUS(file_->read(offset_, out.first(step)));
    offset_ += step;
    return step;
  }

 private:
  std::shared_ptr<storage::ScratchFile> file_;
  uint64_t offset_ = 0;
};

// Hands over the rest of `input`.
template <typename Take>
Status drain(rdfio::InputStream& input, const Take& take) {
  std::vector<std::byte> piece(kPieceBytes);
  while (true) {
    WEFT_TRY(const size_t size, input.read(piece));
    if (size == 0) {
      return ok_status();
    }
    WEFT_TRY_STATUS(take(ByteView(piece).first(size)));
  }
}

}  // namespace

Result<IngestDocument> IngestDocument::open(const std::string& path, bool twice,
                                            storage::ScratchSpace& scratch) {
  IngestDocument document;
  document.path_ = path;
  WEFT_TRY(document.input_, rdfio::open_input(path));
  if (twice && !can_be_opened_again(path)) {
    WEFT_TRY(document.copy_, scratch.create());
    WEFT_TRY_STATUS(drain(*document.input_, [&document](ByteView piece) -> Status {
      WEFT_TRY(const uint64_t offset, document.copy_->append(piece));
      static_cast<void>(offset);
      return ok_status();
    }));
    document.input_ = std::make_unique<ScratchInput>(document.copy_);
  }
  return document;
}

Result<std::unique_ptr<rdfio::InputStream>> IngestDocument::reopen() const {
  if (copy_ != nullptr) {
    return std::make_unique<ScratchInput>(copy_);
  }
  return rdfio::open_input(path_);
}

Result<codec::Digest16> IngestDocument::content_digest() const {
  WEFT_TRY(const auto again, reopen());
  codec::Blake3 digest;
  WEFT_TRY_STATUS(drain(*again, [&digest](ByteView piece) {
    digest.update(piece);
    return ok_status();
  }));
  return digest.digest16();
}

}  // namespace weft::quads
