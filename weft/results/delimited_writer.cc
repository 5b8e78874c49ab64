// SPARQL 1.1 Query Results CSV and TSV Formats.
#include <utility>
#include <vector>

#include "weft/rdf/term.h"
#include "weft/rdfio/write.h"
#include "weft/results/text_sink.h"
#include "weft/results/writers.h"

namespace weft::results {
namespace {

// A field as RFC 4180 has it.
void append_csv_field(std::string& out, std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') {
      out.push_back('"');
    }
    out.push_back(c);
  }
  out.push_back('"');
}

// §3: the bare string of a term; which kind of term it was is lost.
void append_csv_term(std::string& out, std::string_view token) {
  if (token.empty()) {
    return;
  }
  switch (rdf::kind_of(token)) {
    case rdf::TermKind::kIri:
      append_csv_field(out, rdf::iri_of(token));
      return;
    case rdf::TermKind::kBlankNode:
      append_csv_field(out, token);
      return;
    case rdf::TermKind::kLiteral: {
      const std::string_view escaped = rdf::split_literal(token).escaped;
      append_csv_field(out, rdf::unescape(escaped).value_or(std::string(escaped)));
      return;
    }
    case rdf::TermKind::kTriple: {
      std::string text;
      rdfio::append_ntriples_term(text, token);
      append_csv_field(out, text);
      return;
    }
  }
}

// What parts the two formats.
struct Dialect {
  char separator;
  std::string_view line_end;
  std::string_view variable_mark;
  void (*append_term)(std::string& out, std::string_view token);
};

void append_tsv_term(std::string& out, std::string_view token) {
  if (!token.empty()) {
    append_short_term(out, token);
  }
}

constexpr Dialect kCsv = {',', "\r\n", "", append_csv_term};
constexpr Dialect kTsv = {'\t', "\n", "?", append_tsv_term};

class DelimitedWriter final : public ResultWriter {
 public:
  DelimitedWriter(rdfio::OutputStream& output, const Dialect& dialect)
      : sink_(output), dialect_(dialect) {}

  Status begin(std::span<const std::string> variables) override {
    std::string& out = sink_.buffer();
    width_ = variables.size();
    for (size_t i = 0; i < width_; ++i) {
      if (i > 0) {
        out.push_back(dialect_.separator);
      }
      out.append(dialect_.variable_mark).append(variables[i]);
    }
    out += dialect_.line_end;
    return ok_status();
  }

  Status rows(std::span<const std::string> tokens, size_t row_count) override {
    std::string& out = sink_.buffer();
    for (size_t row = 0; row < row_count; ++row) {
      for (size_t i = 0; i < width_; ++i) {
        if (i > 0) {
          out.push_back(dialect_.separator);
        }
        dialect_.append_term(out, tokens[row * width_ + i]);
      }
      out += dialect_.line_end;
      WEFT_TRY_STATUS(sink_.spill());
    }
    return ok_status();
  }

  Status end() override { return sink_.flush(); }

  // The formats define nothing for ASK; the bare word is what others write.
  Status boolean(bool answer) override {
    sink_.buffer().append(answer ? "true" : "false").append(dialect_.line_end);
    return sink_.flush();
  }

 private:
  TextSink sink_;
  const Dialect& dialect_;
  size_t width_ = 0;
};

bool all_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

bool has_bare_form(std::string_view token) {
  if (token.empty() || token.front() != '"') {
    return false;
  }
  const rdf::LiteralParts parts = rdf::split_literal(token);
  std::string_view text = parts.escaped;
  if (text.starts_with('+') || text.starts_with('-')) {
    text.remove_prefix(1);
  }
  if (text.empty() || !parts.datatype.starts_with(rdf::kXsd)) {
    return false;
  }
  const std::string_view local = parts.datatype.substr(rdf::kXsd.size());
  if (local == "integer") {
    return all_digits(text);
  }
  // INTEGER? "." DIGITS
  const auto is_decimal = [](std::string_view number) {
    const size_t point = number.find('.');
    return point != std::string_view::npos && point + 1 < number.size() &&
           all_digits(number.substr(0, point)) && all_digits(number.substr(point + 1));
  };
  if (local == "decimal") {
    return is_decimal(text);
  }
  const size_t mark = text.find_first_of("eE");
  if (local != "double" || mark == std::string_view::npos) {
    return false;
  }
  const std::string_view mantissa = text.substr(0, mark);
  std::string_view exponent = text.substr(mark + 1);
  if (exponent.starts_with('+') || exponent.starts_with('-')) {
    exponent.remove_prefix(1);
  }
  return !exponent.empty() && all_digits(exponent) && !mantissa.empty() &&
         (all_digits(mantissa) || is_decimal(mantissa));
}

void append_short_term(std::string& out, std::string_view token) {
  if (has_bare_form(token)) {
    out += rdf::split_literal(token).escaped;
  } else {
    rdfio::append_ntriples_term(out, token);
  }
}

std::unique_ptr<ResultWriter> make_csv_writer(rdfio::OutputStream& output) {
  return std::make_unique<DelimitedWriter>(output, kCsv);
}

std::unique_ptr<ResultWriter> make_tsv_writer(rdfio::OutputStream& output) {
  return std::make_unique<DelimitedWriter>(output, kTsv);
}

}  // namespace weft::results
