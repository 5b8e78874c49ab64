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

// Bytes that stay as long as the stream.
class BytesInput final : public codec::InputStream {
 public:
  explicit BytesInput(Bytes bytes) : bytes_(std::move(bytes)) {}
  Result<size_t> read(std::span<std::byte> out) override {
    const size_t count = std::min(out.size(), bytes_.size() - used_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(used_), count, out.begin());
    used_ += count;
    return count;
  }

 private:
  Bytes bytes_;
  size_t used_ = 0;
};

std::optional<rdfio::Format> format_of_type(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) {
    type.remove_suffix(1);
  }
  return type == "text/plain" ? rdfio::Format::kNTriples : rdfio::format_by_name(type);
}

// What has no name of a file is asked for, in a syntax that we read.
Result<LoadedDocument> ask_for(remote::HttpClient& client, const std::string& iri,
                               const std::string& via, std::stop_token stop) {
  remote::Question question;
  question.url = iri.substr(0, iri.find('#'));
  question.accept =
      "application/n-quads, application/n-triples, text/turtle, application/trig;q=0.9, "
      "application/rdf+xml;q=0.8, */*;q=0.1";
  question.answer_bytes_max = kAnswerBytesMax;
  if (!via.empty()) {
    question.fields.push_back(std::string(kViaField) + ": " + via);
  }
  WEFT_TRY(remote::Reply reply, client.ask(question, std::move(stop)));
  LoadedDocument document;
  document.format = format_of_type(reply.content_type).value_or(rdfio::Format::kTurtle);
  WEFT_TRY(document.input, codec::decompress(std::make_unique<BytesInput>(std::move(reply.body))));
  return document;
}

Result<LoadedDocument> load_url(remote::HttpClient& client, const std::string& iri,
                                const std::string& via, std::stop_token stop) {
  const std::string_view path = std::string_view(iri).substr(0, iri.find_first_of("?#"));
  const std::optional<rdfio::Format> format = rdfio::format_by_file_name(path);
  if (!format.has_value() || path.size() < iri.size()) {
    return ask_for(client, iri, via, std::move(stop));
  }
  WEFT_TRY(auto reader, client.open_url(iri, std::move(stop)));
  LoadedDocument document;
  document.format = *format;
  WEFT_TRY(document.input, codec::decompress(std::make_unique<ObjectInput>(std::move(reader))));
  return document;
}

}  // namespace

DocumentLoader document_loader(Environment& environment, LoadRules rules) {
  return [&environment, rules = std::move(rules)](const std::string& iri,
                                                  std::stop_token stop) -> Result<LoadedDocument> {
    if (!rules.reach.contains(iri)) {
      return Error(ErrorKind::kDenied,
                   "LOAD of this address is not allowed; see --allow-service and --load-from")
          .with("iri", iri);
    }
    if (remote::is_url(iri)) {
      WEFT_TRY(remote::HttpClient* const client,
               rules.client ? rules.client() : environment.http());
      return load_url(*client, iri, rules.via, std::move(stop));
    }
    const std::string_view path = std::string_view(iri).substr(0, iri.find_first_of("?#"));
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
    LoadedDocument document;
    document.format = rdfio::format_by_file_name(path).value_or(rdfio::Format::kTurtle);
    WEFT_TRY(document.input, rdfio::open_input(decoded(local)));
    return document;
  };
}

DocumentLoader any_document_loader(Environment& environment) {
  LoadRules rules;
  rules.reach.anything = true;
  return document_loader(environment, std::move(rules));
}

}  // namespace weft::engine
