#include "weft/engine/document_loader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/codec/decompress.h"
#include "weft/rdfio/input.h"

namespace weft::engine {
namespace {

// An object as a stream.
class ObjectInput final : public codec::InputStream {
 public:
  explicit ObjectInput(std::unique_ptr<storage::ObjectReader> reader)
      : reader_(std::move(reader)) {}

  Result<size_t> read(std::span<std::byte> out) override {
    constexpr uint64_t kBlockBytes = uint64_t{1} << 20U;
    if (used_ == block_.size() && at_ < reader_->size()) {
      const uint64_t size = std::min(kBlockBytes, reader_->size() - at_);
      WEFT_TRY(block_, reader_->read({.offset = at_, .size = size}));
      at_ += size;
      used_ = 0;
    }
    const size_t count = std::min(out.size(), block_.size() - used_);
    if (count > 0) {
      std::memcpy(out.data(), block_.view().data() + used_, count);
      used_ += count;
    }
    return count;
  }

 private:
  std::unique_ptr<storage::ObjectReader> reader_;
  storage::Buffer block_;
  uint64_t at_ = 0;
  size_t used_ = 0;
};

// "%41" is "A"; what is no escape stays.
std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

DocumentLoader any_document_loader(Environment& environment) {
  return [&environment](const std::string& iri,
                        std::stop_token /*stop*/) -> Result<LoadedDocument> {
    LoadedDocument document;
    const std::string_view path = std::string_view(iri).substr(0, iri.find_first_of("?#"));
    document.format = rdfio::format_by_file_name(path).value_or(rdfio::Format::kTurtle);
    if (is_url(iri)) {
      WEFT_TRY(auto reader, environment.open_object(iri));
      WEFT_TRY(document.input, codec::decompress(std::make_unique<ObjectInput>(std::move(reader))));
      return document;
    }
    constexpr std::string_view kFile = "file:";
    if (!path.starts_with(kFile)) {
      return Error(ErrorKind::kUnsupported, "LOAD takes file:, http: and https: IRIs")
          .with("iri", iri);
    }
    std::string_view local = path.substr(kFile.size());
    if (local.starts_with("//localhost/")) {
      local.remove_prefix(std::string_view("//localhost").size());
    } else if (local.starts_with("///")) {
      local.remove_prefix(2);
    }
    WEFT_TRY(document.input, rdfio::open_input(decoded(local)));
    return document;
  };
}

}  // namespace weft::engine
