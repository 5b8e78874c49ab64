#include "weft/rdfio/xml_literal.h"

#include <algorithm>
#include <tuple>

namespace weft::rdfio {
namespace {

void append_with(std::string& out, std::string_view text, bool is_attribute) {
  for (const char byte : text) {
    switch (byte) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '\r':
        out.append("&#xD;");
        break;
      case '>':
        out.append(is_attribute ? ">" : "&gt;");
        break;
      case '"':
        out.append(is_attribute ? "&quot;" : "\"");
        break;
      case '\t':
        out.append(is_attribute ? "&#x9;" : "\t");
        break;
      case '\n':
        out.append(is_attribute ? "&#xA;" : "\n");
        break;
      default:
        out.push_back(byte);
    }
  }
}

}  // namespace

bool XmlLiteralBuilder::is_rendered(std::string_view prefix, std::string_view space) const {
  if (prefix == "xml") {
    return true;
  }
  const auto found = std::find_if(rendered_.rbegin(), rendered_.rend(),
                                  [prefix](const auto& pair) { return pair.first == prefix; });
  return found == rendered_.rend() ? space.empty() : found->second == space;
}

void XmlLiteralBuilder::append_name(const XmlName& name) {
  if (!name.prefix.empty()) {
    text_.append(name.prefix).append(":");
  }
  text_.append(name.local);
}

void XmlLiteralBuilder::begin_element(const XmlName& name, std::vector<XmlAttribute> attributes) {
  std::vector<Declaration> wanted;
  const auto want = [&](const XmlName& used, bool is_attribute) {
    // An attribute without a prefix is in no namespace, whatever the default one is.
    if ((is_attribute && used.prefix.empty()) || is_rendered(used.prefix, used.space)) {
      return;
    }
    wanted.emplace_back(used.prefix, used.space);
  };
  want(name, false);
  for (const XmlAttribute& attribute : attributes) {
    want(attribute.name, true);
  }
  std::ranges::sort(wanted);
  const auto repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  text_.push_back('<');
  append_name(name);
  for (const auto& [prefix, space] : wanted) {
    text_.append(prefix.empty() ? " xmlns" : " xmlns:").append(prefix).append("=\"");
    append_with(text_, space, true);
    text_.push_back('"');
  }
  std::ranges::sort(attributes, {}, [](const XmlAttribute& attribute) {
    return std::tie(attribute.name.space, attribute.name.local);
  });
  for (const XmlAttribute& attribute : attributes) {
    text_.push_back(' ');
    append_name(attribute.name);
    text_.append("=\"");
    append_with(text_, attribute.value, true);
    text_.push_back('"');
  }
  text_.push_back('>');
  rendered_sizes_.push_back(rendered_.size());
  rendered_.insert(rendered_.end(), wanted.begin(), wanted.end());
}

void XmlLiteralBuilder::end_element(const XmlName& name) {
  text_.append("</");
  append_name(name);
  text_.push_back('>');
  rendered_.resize(rendered_sizes_.back());
  rendered_sizes_.pop_back();
}

void XmlLiteralBuilder::add_text(std::string_view text) {
  append_with(text_, text, false);
}

void XmlLiteralBuilder::add_comment(std::string_view text) {
  text_.append("<!--").append(text).append("-->");
}

void XmlLiteralBuilder::add_instruction(std::string_view target, std::string_view data) {
  text_.append("<?").append(target);
  if (!data.empty()) {
    text_.append(" ").append(data);
  }
  text_.append("?>");
}

}  // namespace weft::rdfio
