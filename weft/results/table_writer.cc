// A table for a terminal:
//
//     ?name   | ?age
//     --------+-----
//     "Ada"   | 36
//     (1 row)
#include <algorithm>
#include <utility>
#include <vector>

#include <unicode/uchar.h>

#include "weft/rdf/utf8.h"
#include "weft/results/text_sink.h"
#include "weft/results/writers.h"

namespace weft::results {
namespace {

class TableWriter final : public ResultWriter {
 public:
  explicit TableWriter(rdfio::OutputStream& output) : sink_(output) {}

  Status begin(std::span<const std::string> variables) override {
    for (const std::string& variable : variables) {
      names_.push_back("?" + variable);
      widths_.push_back(std::min(display_width(names_.back()), kTableCellWidthMax));
    }
    return ok_status();
  }

  Status rows(std::span<const std::string> tokens, size_t row_count) override {
    const size_t width = names_.size();
    for (size_t row = 0; row < row_count; ++row) {
      ++row_count_;
      std::vector<std::string> cells(width);
      for (size_t i = 0; i < width; ++i) {
        if (const std::string& token = tokens[row * width + i]; !token.empty()) {
          append_short_term(cells[i], token);
        }
      }
      if (head_written_) {
        write_row(cells);
        WEFT_TRY_STATUS(sink_.spill());
        continue;
      }
      for (size_t i = 0; i < width; ++i) {
        widths_[i] = std::max(widths_[i], std::min(display_width(cells[i]), kTableCellWidthMax));
      }
      sample_.push_back(std::move(cells));
      if (sample_.size() == kTableSampleRows) {
        WEFT_TRY_STATUS(write_sample());
      }
    }
    return ok_status();
  }

  Status end() override {
    if (!head_written_) {
      WEFT_TRY_STATUS(write_sample());
    }
    sink_.buffer() += row_count_ == 1 ? "(1 row)\n" : "(" + std::to_string(row_count_) + " rows)\n";
    return sink_.flush();
  }

  Status boolean(bool answer) override {
    sink_.buffer() += answer ? "true\n" : "false\n";
    return sink_.flush();
  }

 private:
  Status write_sample() {
    head_written_ = true;
    if (!names_.empty()) {
      write_row(names_);
      std::string& out = sink_.buffer();
      for (size_t i = 0; i < widths_.size(); ++i) {
        out += i > 0 ? "-+-" : "";
        out.append(widths_[i], '-');
      }
      out += "\n";
    }
    for (const std::vector<std::string>& cells : sample_) {
      write_row(cells);
      WEFT_TRY_STATUS(sink_.spill());
    }
    sample_.clear();
    return ok_status();
  }

  void write_row(const std::vector<std::string>& cells) {
    std::string& out = sink_.buffer();
    for (size_t i = 0; i < cells.size(); ++i) {
      out += i > 0 ? " | " : "";
      out += cells[i];
      const size_t width = display_width(cells[i]);
      if (i + 1 < cells.size() && width < widths_[i]) {
        out.append(widths_[i] - width, ' ');
      }
    }
    out += "\n";
  }

  TextSink sink_;
  std::vector<std::string> names_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> sample_;
  uint64_t row_count_ = 0;
  bool head_written_ = false;
};

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size();) {
    const rdf::DecodedCodePoint point = rdf::decode_code_point(text.substr(i));
    if (point.size_bytes == 0) {
      ++i;
      ++width;
      continue;
    }
    i += point.size_bytes;
    const auto character = static_cast<UChar32>(point.value);
    if (character < 0x300) {  // no wide or combining ones below
      ++width;
      continue;
    }
    const auto category = U_GET_GC_MASK(character);
    if ((category & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) != 0) {
      continue;
    }
    const int32_t kind = u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH);
    width += kind == U_EA_WIDE || kind == U_EA_FULLWIDTH ? 2 : 1;
  }
  return width;
}

std::unique_ptr<ResultWriter> make_table_writer(rdfio::OutputStream& output) {
  return std::make_unique<TableWriter>(output);
}

}  // namespace weft::results
