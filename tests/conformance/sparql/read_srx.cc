#include <memory>
#include <utility>

#include "tests/conformance/sparql/answers.h"
#include <expat.h>

#include "weft/rdf/term.h"

namespace weft::conformance {
namespace {

// Builds answers from the events of the XML reader. Triple terms nest, so terms are on a stack.
class SrxReader {
 public:
  Result<Answers> read(std::string_view text) {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    XML_SetUserData(parser.get(), this);
    XML_SetElementHandler(
        parser.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<SrxReader*>(self)->open(local(name), attributes);
        },
        [](void* self, const char* name) { static_cast<SrxReader*>(self)->close(local(name)); });
    XML_SetCharacterDataHandler(parser.get(), [](void* self, const char* data, int size) {
      static_cast<SrxReader*>(self)->text_.append(data, static_cast<size_t>(size));
    });
    if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK) {
      return Error(ErrorKind::kInvalid, "this result is no XML")
          .with("line", static_cast<uint64_t>(XML_GetCurrentLineNumber(parser.get())));
    }
    return std::move(answers_);
  }

 private:
  static std::string_view local(std::string_view name) {
    return name.substr(name.find(':') + 1);  // npos + 1 is 0
  }

  void open(std::string_view name, const char** attributes) {
    text_.clear();
    const auto attribute = [attributes](std::string_view wanted) {
      for (size_t i = 0; attributes[i] != nullptr; i += 2) {
        if (attributes[i] == wanted) {
          return std::string(attributes[i + 1]);
        }
      }
      return std::string();
    };
    if (name == "variable") {
      answers_.variables.push_back(attribute("name"));
    } else if (name == "result") {
      answers_.rows.emplace_back(answers_.variables.size());
    } else if (name == "binding") {
      binding_ = attribute("name");
      terms_.clear();
    } else if (name == "literal") {
      datatype_ = attribute("datatype");
      language_ = attribute("xml:lang");
      direction_ = attribute("its:dir");
    }
  }

  void close(std::string_view name) {
    if (name == "uri") {
      terms_.push_back(rdf::make_iri(text_));
    } else if (name == "bnode") {
      terms_.push_back("_:" + text_);
    } else if (name == "literal") {
      terms_.push_back(rdf::make_literal(text_, language_, direction_, datatype_));
    } else if (name == "triple" && terms_.size() >= 3) {
      std::string object = std::move(terms_.back());
      terms_.pop_back();
      std::string predicate = std::move(terms_.back());
      terms_.pop_back();
      terms_.back() = rdf::make_triple(terms_.back(), predicate, object);
    } else if (name == "binding" && !terms_.empty()) {
      for (size_t i = 0; i < answers_.variables.size(); ++i) {
        if (answers_.variables[i] == binding_) {
          answers_.rows.back()[i] = terms_.back();
        }
      }
    } else if (name == "boolean") {
      answers_.kind = Answers::Kind::kBoolean;
      answers_.boolean = text_ == "true";
    }
  }

  Answers answers_;
  std::string text_;
  std::string binding_;
  std::vector<std::string> terms_;
  std::string datatype_;
  std::string language_;
  std::string direction_;
};

}  // namespace

Result<Answers> parse_srx(std::string_view text) {
  return SrxReader().read(text);
}

}  // namespace weft::conformance
