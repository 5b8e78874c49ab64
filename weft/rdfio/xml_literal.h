// The text of an XML literal: the exclusive canonical form, with comments, of what stands between
// two tags ("Exclusive XML Canonicalization 1.0"), built from parser events.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::rdfio {

// An expanded name with its prefix. Views of the parser.
struct XmlName {
  std::string_view space;  // "" if none
  std::string_view local;
  std::string_view prefix;  // "" if none
};
struct XmlAttribute {
  XmlName name;
  std::string_view value;
};

// Not thread-safe.
class XmlLiteralBuilder {
 public:
  void begin_element(const XmlName& name, std::vector<XmlAttribute> attributes);
  void end_element(const XmlName& name);
  void add_text(std::string_view text);
  void add_comment(std::string_view text);
  void add_instruction(std::string_view target, std::string_view data);

  const std::string& text() const& { return text_; }

 private:
  using Declaration = std::pair<std::string, std::string>;  // prefix, namespace

  // Whether the prefix stands for this namespace already where the next tag is written.
  bool is_rendered(std::string_view prefix, std::string_view space) const;
  void append_name(const XmlName& name);

  std::string text_;
  std::vector<Declaration> rendered_;
  std::vector<size_t> rendered_sizes_;  // of rendered_ in front of each open element
};

}  // namespace weft::rdfio
