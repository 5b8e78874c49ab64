#include "weft/catalog/records.h"

#include <algorithm>
#include <utility>

#include "weft/columns/builder.h"
#include "weft/json/value.h"

namespace weft::catalog {
namespace {

constexpr std::string_view kTable = "table";
constexpr std::string_view kSchema = "schema";
constexpr std::string_view kHead = "graph_head";
constexpr std::string_view kCommit = "graph_commit";
constexpr size_t kPathNameBytesMax = 100;

// Columns in order.
enum Column : uint8_t {
  kObjectId,
  kObjectType,
  kLocation,
  kMetadata,
  kBaseObjects,
  kTableKey,
  kStableTableId,
  kTableIncarnationId,
  kTableVersion,
  kTableBranch,
  kRowCount,
  kColumnCount,
};

// One row, to be written or read.
struct Row {
  std::string object_id;
  std::string_view object_type;
  std::optional<std::string> location;
  json::Value metadata = json::Value::object();
  std::string table_key;
  std::optional<std::string> stable_table_id;
  std::optional<std::string> table_incarnation_id;
  std::optional<uint64_t> table_version;
  std::optional<std::string> table_branch;
  std::optional<uint64_t> row_count;
};

class RowBuilder {
 public:
  RowBuilder() : schema_(catalog_schema()) {
    for (const columns::Field& field : schema_->fields) {
      columns_.emplace_back(field.type);
    }
  }

  void append(const Row& row) {
    columns_[kObjectId].append_text(row.object_id);
    columns_[kObjectType].append_text(row.object_type);
    append_text(kLocation, row.location);
    columns_[kMetadata].append_text(json::write(row.metadata, {.indent = 0}));
    columns_[kBaseObjects].append_null();
    columns_[kTableKey].append_text(row.table_key);
    append_text(kStableTableId, row.stable_table_id);
    append_text(kTableIncarnationId, row.table_incarnation_id);
    append_number(kTableVersion, row.table_version);
    append_text(kTableBranch, row.table_branch);
    append_number(kRowCount, row.row_count);
  }
  columns::Batch finish() {
    const size_t rows = columns_[kObjectId].length();
    std::vector<columns::ArrayPtr> arrays;
    arrays.reserve(columns_.size());
    for (columns::ArrayBuilder& column : columns_) {
      arrays.push_back(column.finish());
    }
    return columns::Batch::make(schema_, std::move(arrays), rows).value();
  }

 private:
  void append_text(Column column, const std::optional<std::string>& text) {
    text ? columns_[column].append_text(*text) : columns_[column].append_null();
  }
  void append_number(Column column, std::optional<uint64_t> number) {
    number ? columns_[column].append_integer(static_cast<int64_t>(*number))
           : columns_[column].append_null();
  }

  columns::SchemaPtr schema_;
  std::vector<columns::ArrayBuilder> columns_;
};

Error malformed(std::string_view object_id, std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "a row of the catalog breaks a rule of its format")
      .with("row", object_id)
      .with("rule", rule);
}

// Reads one row and remembers its name for errors.
class RowReader {
 public:
  // `batch` has the columns of catalog_schema().
  static Result<RowReader> open(const columns::Batch& batch, size_t row) {
    RowReader reader(batch, row);
    for (const Column column : {kObjectId, kObjectType, kTableKey}) {
      if (batch.column(column)->is_null(row)) {
        return malformed(reader.name(), "object_id, object_type and table_key are never null");
      }
    }
    if (const std::optional<std::string_view> text = reader.text(kMetadata); text.has_value()) {
      Result<json::Value> parsed = json::parse(*text);
      if (!parsed.ok() || !parsed->is_object()) {
        return malformed(reader.name(), "metadata is a JSON object");
      }
      reader.metadata_ = std::move(parsed).value();
    }
    return reader;
  }

  std::string_view name() const { return text(kObjectId).value_or(""); }
  std::string_view type() const { return text(kObjectType).value_or(""); }
  std::optional<std::string_view> text(Column column) const {
    const columns::Array& array = *batch_->column(column);
    return array.is_null(row_) ? std::nullopt : std::optional(array.text(row_));
  }
  Result<uint64_t> number(Column column, std::string_view rule) const {
    const columns::Array& array = *batch_->column(column);
    if (array.is_null(row_)) {
      return malformed(name(), rule);
    }
    return array.value<uint64_t>(row_);
  }
  Result<std::string> required(Column column, std::string_view rule) const {
    const std::optional<std::string_view> value = text(column);
    if (!value.has_value()) {
      return malformed(name(), rule);
    }
    return std::string(*value);
  }

  // Null: there is none.
  const json::Value* value(std::string_view key) const { return metadata_.find(key); }
  bool has_member(std::string_view key) const { return metadata_.find(key) != nullptr; }
  std::optional<std::string> member(std::string_view key) const {
    const json::Value* const value = metadata_.find(key);
    const std::string* const text = value != nullptr ? value->as_string() : nullptr;
    return text != nullptr ? std::optional(*text) : std::nullopt;
  }
  Result<std::string> required_member(std::string_view key) const {
    std::optional<std::string> value = member(key);
    if (!value.has_value()) {
      return malformed(name(), "a member of metadata is missing").with("member", key);
    }
    return *std::move(value);
  }
  Result<uint64_t> number_member(std::string_view key) const {
    const json::Value* const value = metadata_.find(key);
    const std::optional<uint64_t> number =
        value != nullptr ? value->as_uint64() : std::optional<uint64_t>();
    if (!number.has_value()) {
      return malformed(name(), "a member of metadata is missing or no number").with("member", key);
    }
    return *number;
  }
  Result<base::Ulid> ulid_member(std::string_view key) const {
    WEFT_TRY(const std::string text, required_member(key));
    return ulid(text);
  }
  Result<std::optional<base::Ulid>> optional_ulid_member(std::string_view key) const {
    const std::optional<std::string> text = member(key);
    if (!text.has_value()) {
      return std::optional<base::Ulid>();
    }
    WEFT_TRY(const base::Ulid parsed, ulid(*text));
    return std::optional(parsed);
  }
  Result<base::Ulid> ulid(std::string_view text) const {
    Result<base::Ulid> parsed = base::Ulid::parse(text);
    return parsed.ok() ? std::move(parsed) : malformed(name(), "an id is a ULID");
  }

 private:
  RowReader(const columns::Batch& batch, size_t row) : batch_(&batch), row_(row) {}

  const columns::Batch* batch_;
  size_t row_;
  json::Value metadata_ = json::Value::object();
};

// Names of members that pins have in both of their forms.
constexpr std::string_view kDetachedVersion = "detached_version";
constexpr std::string_view kSizeBytes = "size_bytes";
constexpr std::string_view kDetachedHash = "detached_hash";
constexpr std::string_view kHeadHash = "head_hash";
constexpr std::string_view kBaseVersion = "base_version";
constexpr std::string_view kBaseHash = "base_hash";

json::Value earlier_pin_value(const EarlierPin& earlier) {
  const TablePin& pin = earlier.pin;
  json::Value value = json::Value::object();
  value.set("id", json::Value::string(earlier.identity.id.text()));
  value.set("incarnation", json::Value::string(earlier.identity.incarnation.text()));
  value.set("ref", json::Value::string(pin.ref));
  value.set("head_version", json::Value::number(pin.head_version));
  value.set("row_count", json::Value::number(pin.row_count));
  value.set(kDetachedVersion, json::Value::number(pin.detached_version));
  value.set(kSizeBytes, json::Value::number(pin.size_bytes));
  value.set(kDetachedHash, json::Value::string(pin.detached_hash));
  value.set(kHeadHash, json::Value::string(pin.head_hash));
  value.set(kBaseVersion, json::Value::number(pin.base_version));
  value.set(kBaseHash, json::Value::string(pin.base_hash));
  return value;
}

Result<std::vector<EarlierPin>> parse_earlier_pins(const RowReader& row) {
  std::vector<EarlierPin> pins;
  const json::Value* const list = row.value("earlier_pins");
  if (list == nullptr || !list->is_array()) {
    return pins;
  }
  for (const json::Value& item : list->items()) {
    bool is_whole = true;
    const auto text = [&](std::string_view name) {
      const json::Value* const member = item.find(name);
      const std::string* const found = member != nullptr ? member->as_string() : nullptr;
      is_whole = is_whole && found != nullptr;
      return found != nullptr ? *found : std::string();
    };
    const auto number = [&](std::string_view name) {
      const json::Value* const member = item.find(name);
      const auto found = member != nullptr ? member->as_uint64() : std::optional<uint64_t>();
      is_whole = is_whole && found.has_value();
      return found.value_or(0);
    };
    EarlierPin earlier;
    WEFT_TRY(earlier.identity.id, row.ulid(text("id")));
    WEFT_TRY(earlier.identity.incarnation, row.ulid(text("incarnation")));
    earlier.pin = {.ref = text("ref"),
                   .detached_version = number(kDetachedVersion),
                   .size_bytes = number(kSizeBytes),
                   .detached_hash = text(kDetachedHash),
                   .head_hash = text(kHeadHash),
                   .head_version = number("head_version"),
                   .row_count = number("row_count"),
                   .base_version = number(kBaseVersion),
                   .base_hash = text(kBaseHash)};
    if (!is_whole) {
      return malformed(row.name(), "a pin of an earlier commit is whole");
    }
    pins.push_back(std::move(earlier));
  }
  return pins;
}

json::Value commit_metadata(const CommitRecord& commit) {
  json::Value metadata = json::Value::object();
  const auto set = [&metadata](std::string_view key, const std::string& text) {
    if (!text.empty()) {
      metadata.set(key, json::Value::string(text));
    }
  };
  set("commit_id", commit.id.text());
  set("operation_id", commit.operation.text());
  set("parent_commit_id", commit.parent ? commit.parent->text() : "");
  set("merged_parent_commit_id", commit.merged_parent ? commit.merged_parent->text() : "");
  set("kind", commit.kind);
  set("actor_id", commit.actor);
  set("message", commit.message);
  set("idempotency_key", commit.idempotency_key);
  set("request_hash", commit.request_hash);
  metadata.set("created_at", json::Value::number(commit.created_at.microseconds));
  if (!commit.earlier_pins.empty()) {
    json::Value pins = json::Value::array();
    for (const EarlierPin& earlier : commit.earlier_pins) {
      pins.mutable_items().push_back(earlier_pin_value(earlier));
    }
    metadata.set("earlier_pins", std::move(pins));
  }
  return metadata;
}

Result<CommitRecord> parse_commit(const RowReader& row) {
  CommitRecord commit;
  WEFT_TRY(commit.id, row.ulid_member("commit_id"));
  WEFT_TRY(commit.operation, row.ulid_member("operation_id"));
  WEFT_TRY(commit.parent, row.optional_ulid_member("parent_commit_id"));
  WEFT_TRY(commit.merged_parent, row.optional_ulid_member("merged_parent_commit_id"));
  WEFT_TRY(commit.kind, row.required_member("kind"));
  WEFT_TRY(commit.actor, row.required_member("actor_id"));
  commit.message = row.member("message").value_or("");
  commit.idempotency_key = row.member("idempotency_key").value_or("");
  commit.request_hash = row.member("request_hash").value_or("");
  WEFT_TRY(const uint64_t created, row.number_member("created_at"));
  commit.created_at.microseconds = static_cast<int64_t>(created);
  WEFT_TRY(commit.catalog_version, row.number(kTableVersion, "a commit has its version"));
  WEFT_TRY(commit.earlier_pins, parse_earlier_pins(row));
  return commit;
}

Row table_row(const TableEntry& table) {
  Row row;
  row.object_id = "table:" + table.identity.id.text() + ":" + table.identity.incarnation.text();
  row.object_type = kTable;
  row.location = table.path;
  row.metadata.set(kDetachedVersion, json::Value::number(table.pin.detached_version));
  row.metadata.set(kSizeBytes, json::Value::number(table.pin.size_bytes));
  row.metadata.set(kDetachedHash, json::Value::string(table.pin.detached_hash));
  row.metadata.set(kHeadHash, json::Value::string(table.pin.head_hash));
  if (table.pin.base_version != 0) {
    row.metadata.set(kBaseVersion, json::Value::number(table.pin.base_version));
    row.metadata.set(kBaseHash, json::Value::string(table.pin.base_hash));
  }
  row.table_key = table.key;
  row.stable_table_id = table.identity.id.text();
  row.table_incarnation_id = table.identity.incarnation.text();
  row.table_version = table.pin.head_version;
  row.table_branch = table.pin.ref.empty() ? std::nullopt : std::optional(table.pin.ref);
  row.row_count = table.pin.row_count;
  return row;
}

Result<TableEntry> parse_table(const RowReader& row) {
  TableEntry table;
  WEFT_TRY(const std::string id, row.required(kStableTableId, "a table has its identity"));
  WEFT_TRY(table.identity.id, row.ulid(id));
  WEFT_TRY(const std::string incarnation,
           row.required(kTableIncarnationId, "a table has its identity"));
  WEFT_TRY(table.identity.incarnation, row.ulid(incarnation));
  WEFT_TRY(table.key, row.required(kTableKey, "a table has a key"));
  WEFT_TRY(table.path, row.required(kLocation, "a table has a location"));
  table.pin.ref = std::string(row.text(kTableBranch).value_or(""));
  WEFT_TRY(table.pin.detached_version, row.number_member(kDetachedVersion));
  WEFT_TRY(table.pin.size_bytes, row.number_member(kSizeBytes));
  WEFT_TRY(table.pin.detached_hash, row.required_member(kDetachedHash));
  WEFT_TRY(table.pin.head_hash, row.required_member(kHeadHash));
  if (row.has_member(kBaseVersion)) {
    WEFT_TRY(table.pin.base_version, row.number_member(kBaseVersion));
    WEFT_TRY(table.pin.base_hash, row.required_member(kBaseHash));
  }
  WEFT_TRY(table.pin.head_version,
           row.number(kTableVersion, "a table has the version of its head"));
  WEFT_TRY(table.pin.row_count, row.number(kRowCount, "a table has a row count"));
  return table;
}

Result<SchemaPin> parse_schema(const RowReader& row) {
  SchemaPin schema;
  WEFT_TRY(schema.path, row.required(kLocation, "a schema has a location"));
  WEFT_TRY(schema.size_bytes, row.number_member("size_bytes"));
  WEFT_TRY(schema.hash, row.required_member("hash"));
  return schema;
}

Status check_tables(std::vector<TableEntry>& tables) {
  std::ranges::sort(tables, {}, &TableEntry::identity);
  const auto same_identity = std::ranges::adjacent_find(tables, {}, &TableEntry::identity);
  if (same_identity != tables.end()) {
    return malformed(same_identity->key, "an identity is one table's");
  }
  std::ranges::sort(tables, {}, &TableEntry::key);
  const auto same_key = std::ranges::adjacent_find(tables, {}, &TableEntry::key);
  if (same_key != tables.end()) {
    return malformed(same_key->key, "a key is one table's");
  }
  return ok_status();
}

}  // namespace

const TableEntry* CatalogState::find(std::string_view key) const {
  const auto found = std::ranges::lower_bound(tables, key, {}, &TableEntry::key);
  return found != tables.end() && found->key == key ? &*found : nullptr;
}

const TableEntry* CatalogState::find(const TableIdentity& identity) const {
  const auto found = std::ranges::find(tables, identity, &TableEntry::identity);
  return found != tables.end() ? &*found : nullptr;
}

columns::SchemaPtr catalog_schema() {
  static const columns::SchemaPtr kSchemaOfAll = [] {
    const columns::TypePtr text = columns::simple_type(columns::TypeId::kString);
    const columns::TypePtr number = columns::simple_type(columns::TypeId::kUint64);
    const auto field = [](std::string name, columns::TypePtr type, bool nullable) {
      return columns::Field{
          .name = std::move(name), .type = std::move(type), .nullable = nullable, .metadata = {}};
    };
    columns::Schema made;
    made.fields = {field("object_id", text, false),
                   field("object_type", text, false),
                   field("location", text, true),
                   field("metadata", text, true),
                   field("base_objects", columns::list_of(text), true),
                   field("table_key", text, false),
                   field("stable_table_id", text, true),
                   field("table_incarnation_id", text, true),
                   field("table_version", number, true),
                   field("table_branch", text, true),
                   field("row_count", number, true)};
    WEFT_CHECK(made.fields.size() == kColumnCount);
    return std::make_shared<const columns::Schema>(std::move(made));
  }();
  return kSchemaOfAll;
}

columns::Batch pointer_rows(const CatalogState& state) {
  RowBuilder rows;
  Row head;
  head.object_id = kHead;
  head.object_type = kHead;
  head.metadata = commit_metadata(state.head);
  head.table_version = state.head.catalog_version;
  rows.append(head);
  if (state.schema.has_value()) {
    Row schema;
    schema.object_id = kSchema;
    schema.object_type = kSchema;
    schema.location = state.schema->path;
    schema.metadata.set("size_bytes", json::Value::number(state.schema->size_bytes));
    schema.metadata.set("hash", json::Value::string(state.schema->hash));
    rows.append(schema);
  }
  for (const TableEntry& table : state.tables) {
    rows.append(table_row(table));
  }
  return rows.finish();
}

columns::Batch commit_rows(const std::vector<CommitRecord>& commits) {
  RowBuilder rows;
  for (const CommitRecord& commit : commits) {
    Row row;
    row.object_id = commit.id.text();
    row.object_type = kCommit;
    row.metadata = commit_metadata(commit);
    row.table_version = commit.catalog_version;
    rows.append(row);
  }
  return rows.finish();
}

Result<CatalogState> parse_pointers(const std::vector<columns::Batch>& batches) {
  CatalogState state;
  bool has_head = false;
  for (const columns::Batch& batch : batches) {
    for (size_t i = 0; i < batch.row_count(); ++i) {
      WEFT_TRY(const RowReader row, RowReader::open(batch, i));
      if (row.type() == kHead) {
        if (std::exchange(has_head, true)) {
          return malformed(row.name(), "there is one head");
        }
        WEFT_TRY(state.head, parse_commit(row));
      } else if (row.type() == kSchema) {
        if (state.schema.has_value()) {
          return malformed(row.name(), "there is one schema");
        }
        WEFT_TRY(state.schema, parse_schema(row));
      } else if (row.type() == kTable) {
        WEFT_TRY(TableEntry table, parse_table(row));
        state.tables.push_back(std::move(table));
      }
    }
  }
  if (!has_head) {
    return malformed(kHead, "there is a head");
  }
  WEFT_TRY_STATUS(check_tables(state.tables));
  return state;
}

Result<std::vector<CommitRecord>> parse_commits(const columns::Batch& batch) {
  std::vector<CommitRecord> commits;
  for (size_t i = 0; i < batch.row_count(); ++i) {
    WEFT_TRY(const RowReader row, RowReader::open(batch, i));
    if (row.type() == kCommit) {
      WEFT_TRY(CommitRecord commit, parse_commit(row));
      commits.push_back(std::move(commit));
    }
  }
  return commits;
}

std::string table_path(std::string_view name, const TableIdentity& identity) {
  std::string path;
  for (const char c : name.substr(0, kPathNameBytesMax)) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (is_plain) {
      path += c;
    }
  }
  return path + "-" + identity.id.text() + "-" + identity.incarnation.text() + ".lance";
}

}  // namespace weft::catalog
