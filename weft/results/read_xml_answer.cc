// SPARQL Query Results XML of a SELECT, with the triple terms and base directions of 1.2.

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <expat.h>

#include "weft/rdf/term.h"
#include "weft/results/read_answer.h"

namespace weft::results {
namespace {

// sparql/results/result/binding and, for each triple term around another, triple/object.
constexpr size_t kElementsMax = 8 + 2 * rdf::kTripleNestingMax;
// What the reader is given at once.
constexpr size_t kPieceBytes = size_t{1} << 20U;

Error no_answer(std::string_view what) {
  return Error(ErrorKind::kInvalid, "the endpoint's answer is no SPARQL result")
      .with("reason", what);
}

std::string_view local(std::string_view name) {
  return name.substr(name.find(':') + 1);  // npos + 1 is 0
}

std::string_view attribute(const char** attributes, std::string_view name) {
  for (size_t i = 0; attributes[i] != nullptr; i += 2) {
    if (attributes[i] == name) {
      return attributes[i + 1];
    }
  }
  return {};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

class XmlAnswerReader {
 public:
  XmlAnswerReader() : parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<XmlAnswerReader*>(self)->open(local(name), attributes);
        },
        [](void* self, const char* name) {
          static_cast<XmlAnswerReader*>(self)->close(local(name));
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* text, int size) {
      static_cast<XmlAnswerReader*>(self)->text_.append(text, static_cast<size_t>(size));
    });
    // Entities are of no use here, and have been used to blow up readers.
    XML_SetStartDoctypeDeclHandler(
        parser_.get(), [](void* self, const char*, const char*, const char*, int) {
          static_cast<XmlAnswerReader*>(self)->fail("a document type declaration");
        });
  }

  Result<exec::ServiceAnswer> read(std::string_view text) {
    for (;;) {
      const std::string_view piece = text.substr(0, kPieceBytes);
      text.remove_prefix(piece.size());
      const XML_Status status = XML_Parse(parser_.get(), piece.data(),
                                          static_cast<int>(piece.size()), text.empty() ? 1 : 0);
      if (error_.has_value()) {
        return std::move(*error_);
      }
      if (status != XML_STATUS_OK) {
        return no_answer(XML_ErrorString(XML_GetErrorCode(parser_.get())))
            .with("line", static_cast<uint64_t>(XML_GetCurrentLineNumber(parser_.get())));
      }
      if (text.empty()) {
        break;
      }
    }
    if (!has_results_) {
      return no_answer("no results");
    }
    return std::move(answer_);
  }

 private:
  void fail(std::string_view what) {
    if (!error_.has_value()) {
      error_ = no_answer(what).with("line",
                                    static_cast<uint64_t>(XML_GetCurrentLineNumber(parser_.get())));
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  void open(std::string_view name, const char** attributes) {
    if (++depth_ > kElementsMax) {
      fail("elements that are nested too deeply");
      return;
    }
    if (depth_ == 1 && name != "sparql") {
      fail("another document");
      return;
    }
    text_.clear();
    if (name == "variable") {
      const std::string variable(attribute(attributes, "name"));
      if (variable.empty() || !columns_.emplace(variable, answer_.variables.size()).second) {
        fail("a variable without a name, or twice");
        return;
      }
      answer_.variables.push_back(variable);
    } else if (name == "results") {
      has_results_ = true;
    } else if (name == "result") {
      answer_.rows.emplace_back(answer_.variables.size());
    } else if (name == "binding") {
      const auto column = columns_.find(std::string(attribute(attributes, "name")));
      if (column == columns_.end() || answer_.rows.empty()) {
        fail("a binding of a variable that the head lacks");
        return;
      }
      column_ = column->second;
      terms_.clear();
    } else if (name == "literal") {
      datatype_ = attribute(attributes, "datatype");
      language_ = lower(attribute(attributes, "xml:lang"));
      direction_ = attribute(attributes, "its:dir");
    }
  }

  void close(std::string_view name) {
    --depth_;
    if (name == "uri") {
      push(rdf::make_iri(text_));
    } else if (name == "bnode") {
      terms_.push_back("_:" + text_);  // a name in this answer alone
    } else if (name == "literal") {
      push(rdf::make_literal(text_, language_, direction_,
                             language_.empty() ? std::string_view(datatype_) : ""));
    } else if (name == "triple") {
      close_triple();
    } else if (name == "binding") {
      if (terms_.size() != 1) {
        fail("a binding without a term");
        return;
      }
      answer_.rows.back()[column_] = std::move(terms_.back());
      terms_.clear();
    }
  }

  void close_triple() {
    constexpr size_t kParts = 3;
    if (terms_.size() < kParts || ++triples_ > rdf::kTripleNestingMax) {
      fail("a triple term without parts");
      return;
    }
    const auto parts = terms_.end() - kParts;
    std::string triple = rdf::make_triple(parts[0], parts[1], parts[2]);
    terms_.erase(parts, terms_.end());
    terms_.push_back(std::move(triple));
  }

  void push(std::string token) {
    triples_ = terms_.empty() ? 0 : triples_;
    if (!rdf::is_canonical(token)) {
      fail("something that is no term");
      return;
    }
    terms_.push_back(std::move(token));
  }

  std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser_;
  exec::ServiceAnswer answer_;
  std::unordered_map<std::string, size_t> columns_;
  std::optional<Error> error_;
  size_t depth_ = 0;
  bool has_results_ = false;
  size_t column_ = 0;
  std::vector<std::string> terms_;  // of one binding; parts of triple terms wait for each other
  size_t triples_ = 0;              // in this binding so far
  std::string text_;
  std::string datatype_;
  std::string language_;
  std::string direction_;
};

}  // namespace

Result<exec::ServiceAnswer> read_xml_answer(std::string_view text) {
  return XmlAnswerReader().read(text);
}

Result<exec::ServiceAnswer> read_answer(std::string_view content_type, std::string_view text) {
  const std::string type = lower(content_type.substr(0, content_type.find(';')));
  if (type.find("json") != std::string::npos) {
    return read_json_answer(text);
  }
  if (type.find("xml") != std::string::npos) {
    return read_xml_answer(text);
  }
  return no_answer("another media type").with("content_type", type);
}

}  // namespace weft::results
