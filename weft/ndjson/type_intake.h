// The rows of one type of a load: columns under construction, and what tells repeated ids and
// unique values apart.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/random.h"
#include "weft/ndjson/load_reader.h"
#include "weft/ndjson/value_reader.h"

namespace weft::ndjson {

class TypeIntake {
 public:
  TypeIntake(const schema::NodeType& type, const LoadOptions& options);
  TypeIntake(const schema::EdgeType& type, const LoadOptions& options);

  const std::string& name() const { return type_.name; }
  const schema::NodeType* node() const { return node_; }
  const schema::EdgeType* edge() const { return edge_; }
  uint64_t row_count() const { return row_count_; }
  uint64_t tracking_bytes() const;
  bool has_id(const codec::Digest16& id) const { return ids_.contains(id); }

  struct Row {
    uint64_t line = 0;
    size_t bytes = 0;
    const std::string* from = nullptr;  // of an edge
    const std::string* to = nullptr;
  };
  // Reads the object `data` (nullptr: there is none) into a row. False if the JSON failed.
  bool read_row(JsonReader* data, const Row& row, base::WallTime now, base::Random& random,
                Violations& violations);
  // A batch is full; or, with `all`, has rows. It becomes empty.
  bool take(bool all, TypedBatch& out);
  // No more rows are kept.
  void drop_rows();

 private:
  TypeIntake(const schema::EntityType& type, const schema::NodeType* node,
             const schema::EdgeType* edge, const LoadOptions& options);
  struct Unique {
    const std::vector<std::string>* members;
    std::vector<size_t> indices;  // of properties; kSource, kTarget
    DigestMap values;
  };

  bool read_members(JsonReader& data, const Row& row, Violations& violations);
  bool read_given_id(JsonReader& data, const Row& row, Violations& violations);
  void refuse_member(const std::string& name, const Row& row, Violations& violations) const;
  size_t find_property(const std::string& name);
  std::optional<std::string> key_text() const;
  std::string make_id(const Row& row, base::WallTime now, base::Random& random,
                      Violations& violations);
  void check_uniques(const Row& row, const std::string& id, Violations& violations);
  // Where a repeated value was first: the end of a message.
  std::string standing_in(uint64_t first_line) const;
  void begin_columns();

  const schema::EntityType& type_;
  const schema::NodeType* node_;
  const schema::EdgeType* edge_;
  const LoadOptions& options_;
  columns::SchemaPtr schema_;
  size_t first_property_;  // column of the first property
  std::vector<ValueReader> readers_;
  std::vector<columns::ArrayBuilder> columns_;
  std::vector<uint64_t> lines_;
  uint64_t batch_bytes_ = 0;
  uint64_t row_count_ = 0;
  bool keep_rows_ = true;
  bool has_given_ids_ = false;  // in the batch
  DigestMap ids_;
  std::vector<Unique> uniques_;
  // Properties whose canonical text a key or a @unique needs.
  std::vector<bool> wanted_;
  std::vector<size_t> key_;
  // The row being read.
  std::vector<bool> present_;
  std::vector<std::optional<std::string>> texts_;
  std::optional<std::string> given_id_;
  bool bad_id_ = false;
  size_t hint_ = 0;  // members mostly come in the order of the row before
  std::string member_;
};

}  // namespace weft::ndjson
