#include "weft/gqexec/mutation_image.h"

#include <utility>

#include "weft/gqexec/answer_text.h"
#include "weft/gqexec/constants.h"
#include "weft/gqexec/mutation.h"
#include "weft/gqexec/operand.h"
#include "weft/graph/key_lookup.h"
#include "weft/json/value.h"
#include "weft/ndjson/load_reader.h"

namespace weft::gqexec {
namespace {

using Changed = std::map<std::string, columns::ArrayPtr, std::less<>>;

// What `from` and `to` are in a table of edges.
std::string column_of(const graph::TypeTable& table, const std::string& name) {
  if (table.is_edge() && name == "from") {
    return std::string(graph::kSourceColumn);
  }
  if (table.is_edge() && name == "to") {
    return std::string(graph::kTargetColumn);
  }
  return name;
}

// Whether values of this column are the ids of their rows: the id itself, or the one text that is a
// node's key (docs/formats/ndjson-load.md, "Ids").
bool is_id(const graph::TypeTable& table, const std::string& column) {
  if (column == graph::kIdColumn) {
    return true;
  }
  return table.node() != nullptr && table.node()->key == std::vector<std::string>{column} &&
         table.columns()->fields[table.columns()->index_of(column)].type->id() ==
             columns::TypeId::kString;
}

void append_member(std::string& out, std::string_view name, const columns::Array& value,
                   size_t index) {
  if (value.is_null(index)) {
    return;  // left out is null
  }
  out += out.ends_with('{') ? "" : ",";
  json::append_quoted(out, name);
  out += ':';
  append_json_value(value, index, out);
}

std::string head_of(const graph::TypeTable& table, std::string_view from, std::string_view to) {
  std::string out = table.is_edge() ? R"({"edge":)" : R"({"type":)";
  json::append_quoted(out, table.name());
  if (table.is_edge()) {
    out += ",\"from\":";
    json::append_quoted(out, from);
    out += ",\"to\":";
    json::append_quoted(out, to);
  }
  return out + ",\"data\":{";
}

Error refusal(const ndjson::Violations& violations) {
  Error error(violations.to_error().kind(),
              "mutation has " + std::to_string(violations.count()) +
                  (violations.count() == 1 ? " violation" : " violations"));
  for (const ndjson::Violation& violation : violations.first()) {
    error.add("violation", violation.code + ": " + violation.message);
  }
  return error;
}

// Rows of a batch for which `where` holds.
std::vector<uint32_t> select_where(const columns::Array& column, const columns::ArrayPtr& value,
                                   gq::Operator op, const columns::ArrayPtr& owner) {
  Operand left;
  read_operand(Column(column.type(), {owner}), left);
  Operand right = constant_operand(value);
  round_constants(left, right);
  std::vector<uint32_t> selected;
  select(left, op, right, column.length(), selected);
  return selected;
}

}  // namespace

std::string line_of(const graph::TypeTable& table, const columns::Batch& row,
                    const Changed& changed) {
  const bool is_edge = table.is_edge();
  std::string out = head_of(table, is_edge ? row.column(1)->text(0) : std::string_view(),
                            is_edge ? row.column(2)->text(0) : std::string_view());
  append_member(out, "id", *row.column(0), 0);
  for (size_t i = table.first_property_column(); i < row.column_count(); ++i) {
    const std::string& name = row.schema()->fields[i].name;
    const auto found = changed.find(name);
    append_member(out, name, found == changed.end() ? *row.column(i) : *found->second, 0);
  }
  return out + "}}\n";
}

TypeImage& MutationImage::image(const graph::TypeTable& table) {
  TypeImage& type = types_[table.key()];
  type.table = &table;
  return type;
}

Status MutationImage::account(uint64_t bytes) {
  ++rows_;
  bytes_ += bytes;
  if (rows_ > kMutationRowsMax) {
    return Error(ErrorKind::kLimit, "a mutation changes too many rows; load them instead")
        .with("rows_max", kMutationRowsMax);
  }
  if (bytes_ > kMutationBytesMax) {
    return Error(ErrorKind::kLimit, "a mutation changes too much; load it instead")
        .with("bytes_max", kMutationBytesMax);
  }
  return ok_status();
}

Result<columns::Batch> MutationImage::read_line(const graph::TypeTable& table,
                                                const std::string& line) {
  WEFT_TRY_STATUS(account(line.size()));
  ndjson::LoadReader reader(graph_.schema(), now_, random_);
  WEFT_TRY_STATUS(reader.feed(line, stop_));
  const Status finished = reader.finish(stop_);
  if (!finished.ok()) {
    return reader.violations().empty() ? std::move(finished).error() : refusal(reader.violations());
  }
  std::vector<ndjson::TypedBatch> batches = reader.take_batches();
  if (batches.size() != 1 || batches.front().rows.row_count() != 1) {
    return Error(ErrorKind::kInternal, "a row of a mutation is no row of a load")
        .with("type", table.name());
  }
  return std::move(batches.front().rows);
}

Status MutationImage::put(TypeImage& type, columns::Batch row) {
  std::string id(row.column(0)->text(0));
  const auto [at, added] = type.rows.insert_or_assign(id, std::move(row));
  if (added) {
    type.order.push_back(std::move(id));
  }
  return ok_status();
}

Status MutationImage::insert(const gq::Insert& statement) {
  const graph::TypeTable* const table = statement.is_edge ? graph_.find_edge(statement.type.text)
                                                          : graph_.find_node(statement.type.text);
  std::string members = "{";
  std::string from;
  std::string to;
  for (const gq::Assignment& assignment : statement.values) {
    WEFT_TRY(const columns::ArrayPtr value, constant_value(assignment.value, parameters_, now_));
    const std::string& name = assignment.property.text;
    if (statement.is_edge && (name == "from" || name == "to")) {
      if (value->is_null(0)) {
        return Error(ErrorKind::kInvalid, "an end of an edge is null")
            .with("edge", statement.type.text)
            .with("end", name);
      }
      (name == "from" ? from : to) = value->text(0);
      continue;
    }
    append_member(members, name, *value, 0);
  }
  const std::string line = head_of(*table, from, to) + members.substr(1) + "}}\n";
  WEFT_TRY(columns::Batch row, read_line(*table, line));
  ++(statement.is_edge ? edges_ : nodes_);
  return put(image(*table), std::move(row));
}

Result<std::vector<MutationImage::Found>> MutationImage::find(TypeImage& type,
                                                              const gq::Predicate& where,
                                                              bool ids_only) {
  WEFT_TRY(const columns::ArrayPtr value, constant_value(where.value, parameters_, now_));
  const std::string name = column_of(*type.table, where.property.text);
  std::vector<Found> found;
  std::vector<uint64_t> addresses;
  const auto take = [&](std::string_view id, uint64_t address) -> Status {
    if (!type.removed.contains(id) && !type.rows.contains(id)) {
      WEFT_TRY_STATUS(addresses.size() > kMutationRowsMax ? account(0) : ok_status());
      addresses.push_back(address);
      found.push_back({std::string(id), {}, address, true});
    }
    return ok_status();
  };
  if (is_id(*type.table, name) && where.op == gq::Operator::kEqual &&
      value->id() == columns::TypeId::kString && value->is_valid(0)) {
    WEFT_TRY(const std::vector<uint64_t> at, type.table->find(value));
    if (at.front() != graph::TypeTable::kNoAddress) {
      WEFT_TRY_STATUS(take(value->text(0), at.front()));
    }
  } else {
    const auto look = [&](const lance::TableRows& rows) -> Status {
      for (const uint32_t row :
           select_where(*rows.batch.column(0), value, where.op, rows.batch.column(0))) {
        WEFT_TRY_STATUS(take(rows.batch.column(1)->text(row),
                             lance::row_address(rows.fragment_id, rows.offsets[row])));
      }
      return ok_status();
    };
    WEFT_TRY_STATUS(
        graph::scan_table(*type.table, {name, std::string(graph::kIdColumn)}, look, stop_));
  }
  if (addresses.size() > kMutationRowsMax) {
    return Error(ErrorKind::kLimit, "a mutation changes too many rows")
        .with("rows", addresses.size())
        .with("rows_max", kMutationRowsMax);
  }
  if (!ids_only && !addresses.empty()) {
    WEFT_TRY(lance::TableReader* const reader, type.table->reader());
    WEFT_TRY(const columns::Batch rows, reader->take_addresses({}, addresses, stop_));
    for (size_t i = 0; i < found.size(); ++i) {
      found[i].row = rows.slice(i, 1);
    }
  }
  for (const std::string& id : type.order) {
    const columns::Batch& row = type.rows.find(id)->second;
    const columns::ArrayPtr& column = row.column(row.schema()->index_of(name));
    if (!select_where(*column, value, where.op, column).empty()) {
      found.push_back({id, row, 0, false});
    }
  }
  return found;
}

Status MutationImage::update(const gq::Update& statement) {
  TypeImage& type = image(*graph_.find_node(statement.type.text));
  Changed changed;
  for (const gq::Assignment& assignment : statement.values) {
    WEFT_TRY(columns::ArrayPtr value, constant_value(assignment.value, parameters_, now_));
    changed.emplace(assignment.property.text, std::move(value));
  }
  WEFT_TRY(const std::vector<Found> found, find(type, statement.where, false));
  for (const Found& row : found) {
    WEFT_TRY(columns::Batch next, read_line(*type.table, line_of(*type.table, row.row, changed)));
    WEFT_TRY_STATUS(put(type, std::move(next)));
  }
  nodes_ += found.size();
  return ok_status();
}

Status MutationImage::remove(const gq::Delete& statement) {
  TypeImage& type = image(statement.is_edge ? *graph_.find_edge(statement.type.text)
                                            : *graph_.find_node(statement.type.text));
  WEFT_TRY(std::vector<Found> found, find(type, statement.where, true));
  std::set<std::string> ids;
  for (Found& row : found) {
    WEFT_TRY_STATUS(account(row.id.size()));
    type.removed.emplace(row.id, row.address);
    ids.insert(std::move(row.id));
  }
  (statement.is_edge ? edges_ : nodes_) += found.size();
  return statement.is_edge || ids.empty() ? ok_status() : remove_edges(*type.table, ids);
}

Status MutationImage::remove_edges(const graph::TypeTable& nodes,
                                   const std::set<std::string>& ids) {
  for (const auto& table : graph_.edges()) {
    const bool begins = table->edge()->from == nodes.name();
    const bool ends = table->edge()->to == nodes.name();
    if ((!begins && !ends) || table->row_count() == 0) {
      continue;
    }
    TypeImage& type = image(*table);
    const auto look = [&](const lance::TableRows& rows) -> Status {
      for (size_t row = 0; row < rows.offsets.size(); ++row) {
        const std::string source(rows.batch.column(1)->text(row));
        const std::string target(rows.batch.column(2)->text(row));
        if (!(begins && ids.contains(source)) && !(ends && ids.contains(target))) {
          continue;
        }
        const uint64_t address = lance::row_address(rows.fragment_id, rows.offsets[row]);
        if (type.removed.emplace(rows.batch.column(0)->text(row), address).second) {
          WEFT_TRY_STATUS(account(source.size() + target.size()));
          ++edges_;
        }
      }
      return ok_status();
    };
    WEFT_TRY_STATUS(
        graph::scan_table(*table,
                          {std::string(graph::kIdColumn), std::string(graph::kSourceColumn),
                           std::string(graph::kTargetColumn)},
                          look, stop_));
  }
  return ok_status();
}

Status MutationImage::run() {
  for (const gq::Statement& statement : std::get<gq::Mutation>(query_.query.body).statements) {
    if (const auto* const insert_ = std::get_if<gq::Insert>(&statement)) {
      WEFT_TRY_STATUS(insert(*insert_));
    } else if (const auto* const update_ = std::get_if<gq::Update>(&statement)) {
      WEFT_TRY_STATUS(update(*update_));
    } else {
      WEFT_TRY_STATUS(remove(std::get<gq::Delete>(statement)));
    }
  }
  return ok_status();
}

std::string MutationImage::lines() const {
  std::string out;
  for (const auto& [key, type] : types_) {
    for (const std::string& id : type.order) {
      out += line_of(*type.table, type.rows.find(id)->second, {});
    }
  }
  return out;
}

}  // namespace weft::gqexec
