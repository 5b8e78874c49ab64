#include "cli/lance_rows.h"

#include <algorithm>
#include <cmath>

#include "cli/json_text.h"

namespace weft::cli {
namespace {

using columns::Array;
using columns::TypeId;

// Characters, not bytes, as far as UTF-8 tells.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string cut(std::string text, size_t width_max) {
  if (width_of(text) <= width_max) {
    return text;
  }
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U && ++characters == width_max) {
      return text.substr(0, i) + "…";
    }
  }
  return text;
}

void append_items(std::string& out, const Array& array, size_t index) {
  const auto [from, to] = array.list_range(index);
  const Array& items = *array.child(0);
  out.push_back('[');
  for (size_t i = from; i < to; ++i) {
    out += i == from ? "" : ",";
    if (array.id() == TypeId::kMap) {
      const size_t position = items.parts().offset + i;
      out.push_back('[');
      append_json_element(out, *items.child(0), position);
      out.push_back(',');
      append_json_element(out, *items.child(1), position);
      out.push_back(']');
    } else {
      append_json_element(out, items, i);
    }
  }
  out.push_back(']');
}

// A float that JSON has no number for.
bool is_beyond_json(const Array& array, size_t index) {
  if (array.id() == TypeId::kDouble) {
    return !std::isfinite(array.value<double>(index));
  }
  if (array.id() == TypeId::kFloat) {
    return !std::isfinite(array.value<float>(index));
  }
  return array.id() == TypeId::kHalf && (array.value<uint16_t>(index) & 0x7c00U) == 0x7c00U;
}

bool is_number(const Array& array, size_t index) {
  const TypeId id = array.id();
  return (id >= TypeId::kBool && id <= TypeId::kDouble) && !is_beyond_json(array, index);
}

}  // namespace

void append_json_element(std::string& out, const Array& array, size_t index) {
  if (array.is_null(index)) {
    out += "null";
    return;
  }
  switch (array.id()) {
    case TypeId::kString:
    case TypeId::kLargeString:
      append_json_string(out, array.text(index));
      return;
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kFixedSizeList:
    case TypeId::kMap:
      append_items(out, array, index);
      return;
    case TypeId::kStruct: {
      out.push_back('{');
      for (size_t i = 0; i < array.parts().children.size(); ++i) {
        out += i == 0 ? "" : ",";
        append_json_string(out, array.type()->children()[i].name);
        out.push_back(':');
        append_json_element(out, *array.child(i), array.parts().offset + index);
      }
      out.push_back('}');
      return;
    }
    case TypeId::kDictionary:
      append_json_element(out, *array.parts().dictionary,
                          static_cast<size_t>(array.integer(index)));
      return;
    case TypeId::kDuration:
      out += std::to_string(array.integer(index));
      return;
    default:
      break;
  }
  const std::string text = columns::element_text(array, index);
  if (is_number(array, index)) {
    out += text;
  } else {
    append_json_string(out, text);
  }
}

std::string json_row(const columns::Batch& batch, size_t row) {
  std::string out = "{";
  for (size_t i = 0; i < batch.column_count(); ++i) {
    out += i == 0 ? "" : ",";
    append_json_string(out, batch.schema()->fields[i].name);
    out.push_back(':');
    append_json_element(out, *batch.column(i), row);
  }
  return out + "}";
}

RowTable::RowTable(const columns::Schema& schema, size_t cell_width_max)
    : cell_width_max_(cell_width_max) {
  for (const columns::Field& field : schema.fields) {
    columns_.push_back({cut(field.name, cell_width_max_)});
    const TypeId id = field.type->id();
    right_aligned_.push_back(id >= TypeId::kInt8 && id <= TypeId::kDouble);
  }
}

void RowTable::add(const columns::Batch& batch, size_t row) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Array& array = *batch.column(i);
    const bool is_text = array.is_valid(row) &&
                         (array.id() == TypeId::kString || array.id() == TypeId::kLargeString);
    std::string cell = columns::element_text(array, row);
    if (is_text) {  // without the quotes; what would break the line stays escaped
      cell = cell.substr(1, cell.size() - 2);
    }
    columns_[i].push_back(cut(std::move(cell), cell_width_max_));
  }
}

std::string RowTable::text() const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& column : columns_) {
    size_t width = 0;
    for (const std::string& cell : column) {
      width = std::max(width, width_of(cell));
    }
    widths.push_back(width);
  }
  std::string out;
  const size_t rows = columns_.empty() ? 0 : columns_[0].size();
  for (size_t row = 0; row < rows; ++row) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = columns_[i][row];
      const std::string space(widths[i] - width_of(cell), ' ');
      line += (i == 0 ? "" : "  ") + (right_aligned_[i] ? space + cell : cell + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (row == 0) {
      for (size_t i = 0; i < widths.size(); ++i) {
        out += (i == 0 ? "" : "  ") + std::string(widths[i], '-');
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace weft::cli
