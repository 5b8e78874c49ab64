// XML text to events, by expat.
#include <algorithm>
#include <memory>
#include <vector>

// The header declares the limits on entities only so; the library of Debian 12 has them.
#define XML_DTD 1
#include <expat.h>

#include "weft/rdfio/place.h"
#include "weft/rdfio/rdfxml_reader.h"
#include "weft/rdfio/report.h"
#include "weft/rdfio/syntaxes.h"

namespace weft::rdfio {
namespace {

// A character that no XML document can hold, not even as a reference.
constexpr XML_Char kSeparator = '\x1F';
constexpr size_t kChunkBytesMin = size_t{64} * 1024;
constexpr size_t kChunkBytesMax = size_t{64} << 20U;

struct ParserDeleter {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

// "namespace SEPARATOR local SEPARATOR prefix", without what is not there.
XmlName split_name(std::string_view name) {
  XmlName split;
  const size_t first = name.find(kSeparator);
  if (first == std::string_view::npos) {
    split.local = name;
    return split;
  }
  split.space = name.substr(0, first);
  name.remove_prefix(first + 1);
  const size_t second = name.find(kSeparator);
  split.local = name.substr(0, second);
  split.prefix = second == std::string_view::npos ? "" : name.substr(second + 1);
  return split;
}

class RdfXmlParser {
 public:
  RdfXmlParser(InputStream& input, const ParseOptions& options, rdf::QuadSink& sink)
      : input_(input),
        options_(options),
        reader_(options, sink),
        parser_(XML_ParserCreateNS(nullptr, kSeparator)) {}

  Result<ParseReport> parse() {
    WEFT_CHECK(parser_ != nullptr);
    XML_Parser const parser = parser_.get();
    XML_SetReturnNSTriplet(parser, 1);
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, begin_element, end_element);
    XML_SetCharacterDataHandler(parser, add_text);
    XML_SetCommentHandler(parser, add_comment);
    XML_SetProcessingInstructionHandler(parser, add_instruction);
    XML_SetExternalEntityRefHandler(parser, refuse_external_entity);
    XML_SetSkippedEntityHandler(parser, refuse_unknown_entity);
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, kXmlAmplificationMax);
    XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, kXmlAmplificationFreeBytes);
    if (!reader_.start()) {
      return failed();
    }
    WEFT_TRY_STATUS(parse_chunks());
    if (!reader_.finish()) {
      return failed();
    }
    return std::move(reader_.report());
  }

 private:
  Status parse_chunks() {
    size_t chunk_bytes = kChunkBytesMin;
    XML_Index before = 0;
    bool ended = false;
    while (!ended) {
      void* const buffer = XML_GetBuffer(parser_.get(), static_cast<int>(chunk_bytes));
      if (buffer == nullptr) {
        return text_error();
      }
      const std::span<std::byte> free(static_cast<std::byte*>(buffer), chunk_bytes);
      size_t size = 0;
      while (size < chunk_bytes && !ended) {
        WEFT_TRY(const size_t got, input_.read(free.subspan(size)));
        ended = got == 0;
        size += got;
      }
      reader_.report().bytes += size;
      const XML_Status status =
          XML_ParseBuffer(parser_.get(), static_cast<int>(size), ended ? 1 : 0);
      if (error_) {
        return *error_;
      }
      if (status != XML_STATUS_OK) {
        return text_error();
      }
      // A token that is not whole yet is scanned again from its start: larger steps keep the cost
      // of a long one in proportion to its length.
      const XML_Index at = XML_GetCurrentByteIndex(parser_.get());
      chunk_bytes = at == before ? std::min(chunk_bytes * 2, kChunkBytesMax) : kChunkBytesMin;
      before = at;
    }
    return ok_status();
  }

  Place place() const {
    return {XML_GetCurrentLineNumber(parser_.get()), XML_GetCurrentColumnNumber(parser_.get()) + 1};
  }

  Error text_error() const {
    const XML_Error code = XML_GetErrorCode(parser_.get());
    const bool is_limit =
        code == XML_ERROR_AMPLIFICATION_LIMIT_BREACH || code == XML_ERROR_NO_MEMORY;
    return error_at(is_limit ? ErrorKind::kLimit : ErrorKind::kInvalid, options_.file_name, place(),
                    std::string("not well-formed XML: ") + XML_ErrorString(code));
  }

  // Takes the failure of the reader. Goes on behind the element if bad statements are to be
  // skipped.
  void stop() {
    RdfXmlReader::Failure failure = reader_.take_failure();
    if (failure.outside) {
      error_ = std::move(failure.outside);
    } else {
      Error error = error_at(failure.kind, options_.file_name, place(), failure.reason);
      if (options_.lenient) {
        reader_.skip_failed_element();
        skip_statement(reader_.report(), options_, std::move(error));
        return;
      }
      error_ = std::move(error);
    }
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  // For failures outside of the text, which are never skipped.
  Error failed() {
    stop();
    WEFT_CHECK(error_.has_value());
    return *error_;
  }

  void check(bool good) {
    if (!good) {
      stop();
    }
  }

  static RdfXmlParser& self(void* data) { return *static_cast<RdfXmlParser*>(data); }

  static void begin_element(void* data, const XML_Char* name, const XML_Char** attributes) {
    RdfXmlParser& parser = self(data);
    if (parser.error_) {
      return;
    }
    parser.attributes_.clear();
    for (size_t i = 0; attributes[i] != nullptr; i += 2) {
      parser.attributes_.push_back({split_name(attributes[i]), attributes[i + 1]});
    }
    parser.check(parser.reader_.begin_element(split_name(name), parser.attributes_));
  }

  static void end_element(void* data, const XML_Char* name) {
    RdfXmlParser& parser = self(data);
    // expat ends an empty element even after it was stopped at its begin.
    if (!parser.error_) {
      parser.check(parser.reader_.end_element(split_name(name)));
    }
  }

  static void add_text(void* data, const XML_Char* text, int size) {
    RdfXmlParser& parser = self(data);
    if (!parser.error_) {
      parser.check(parser.reader_.add_text({text, static_cast<size_t>(size)}));
    }
  }

  static void add_comment(void* data, const XML_Char* text) {
    RdfXmlParser& parser = self(data);
    if (!parser.error_) {
      parser.check(parser.reader_.add_comment(text));
    }
  }

  static void add_instruction(void* data, const XML_Char* target, const XML_Char* text) {
    RdfXmlParser& parser = self(data);
    if (!parser.error_) {
      parser.check(parser.reader_.add_instruction(target, text));
    }
  }

  static int refuse_external_entity(XML_Parser, const XML_Char*, const XML_Char*, const XML_Char*,
                                    const XML_Char*) {
    return XML_STATUS_ERROR;
  }

  // An entity that may be declared in a part of the document type that is not read.
  static void refuse_unknown_entity(void* data, const XML_Char* name, int) {
    RdfXmlParser& parser = self(data);
    if (!parser.error_) {
      parser.error_ = error_at(ErrorKind::kInvalid, parser.options_.file_name, parser.place(),
                               "entity is not declared in the document")
                          .with("entity", name);
      XML_StopParser(parser.parser_.get(), XML_FALSE);
    }
  }

  InputStream& input_;
  const ParseOptions& options_;
  RdfXmlReader reader_;
  std::unique_ptr<XML_ParserStruct, ParserDeleter> parser_;
  std::vector<XmlAttribute> attributes_;
  std::optional<Error> error_;
};

}  // namespace

Result<ParseReport> parse_rdfxml(InputStream& input, const ParseOptions& options,
                                 rdf::QuadSink& sink) {
  return RdfXmlParser(input, options, sink).parse();
}

}  // namespace weft::rdfio
