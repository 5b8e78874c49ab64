// A load: lines of JSON, each a node or an edge, into batches of typed columns, checked against a
// schema as far as the load itself tells.
//
//     LoadReader reader(schema, now, random);
//     while (…) { WEFT_TRY_STATUS(reader.feed(chunk, stop)); use(reader.take_batches()); }
//     WEFT_TRY_STATUS(reader.finish(stop));       // all violations at once
//     use(reader.take_batches());
//
// Checked here: the form of lines, names, types, required values, enums, ranges, patterns, keys and
// ids, uniqueness of ids and of @unique within the load, ends of edges that the load brings.
// Left to whoever knows the graph: ids and values that are there already, the ends in
// open_endpoints(), cardinality.
//
// L1  Batches have the columns of table_columns.h, at most batch_rows_max rows, and every row of
// the
//     load is in one of them, in its order, as long as there are no violations; after the first one
//     no more rows are kept, since none will be published, but all lines are still checked.
// L2  Memory: the batches not yet taken, one line, and 48 to 96 bytes for each unique value and for
//     each id that is given or comes from a key.
//
// Not thread-safe. Format: docs/formats/ndjson-load.md
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/columns/batch.h"
#include "weft/ndjson/digest_map.h"
#include "weft/ndjson/violations.h"
#include "weft/schema/schema.h"

namespace weft::ndjson {

inline constexpr uint64_t kLineBytesMax = uint64_t{32} << 20U;
// Of an id, given or from a key.
inline constexpr size_t kIdBytesMax = 8'192;

struct LoadOptions {
  size_t batch_rows_max = 8'192;
  // Bytes of lines that a batch is made of.
  uint64_t batch_bytes_max = uint64_t{32} << 20U;
  // Violations name lines; else rows only (lines that nobody wrote).
  bool names_lines = true;
  // What ids, unique values and open ends may take.
  uint64_t tracking_bytes_max = uint64_t{4} << 30U;
};

struct TypedBatch {
  std::string type;
  bool is_edge = false;
  columns::Batch rows;
  std::vector<uint64_t> lines;  // of each row
  // Some ids were given, or come from keys; else all of them are fresh, so that no row has them.
  bool has_given_ids = true;
};

// An end of edges that no node of the load is.
struct OpenEndpoint {
  std::string node_type;
  std::string id;
  std::string edge_type;  // of the first edge
  bool is_source = false;
  uint64_t line = 0;  // of the first edge
};

class TypeIntake;  // the rows of one type
class JsonReader;

class LoadReader {
 public:
  // All must outlive the reader. `random` gives ids to nodes without key and to edges.
  LoadReader(const schema::Schema& schema, base::WallTime now, base::Random& random,
             LoadOptions options = {});
  ~LoadReader();
  LoadReader(const LoadReader&) = delete;
  LoadReader& operator=(const LoadReader&) = delete;

  // The next bytes of the load, cut anywhere. Violations are no error here. Errors: kCancelled;
  // kLimit if ids and values take more than tracking_bytes_max.
  Status feed(std::string_view chunk, const std::stop_token& stop);
  // The end of the load. Errors: those of Violations::to_error, and as feed.
  Status finish(const std::stop_token& stop);

  // Full batches; after finish also the last ones.
  std::vector<TypedBatch> take_batches();
  const Violations& violations() const { return violations_; }
  // After finish, by line; those of overwritten types must be no violation of the caller's.
  std::vector<OpenEndpoint> open_endpoints() const;
  // Type name -> rows, of nodes and of edges.
  std::map<std::string, uint64_t> node_counts() const;
  std::map<std::string, uint64_t> edge_counts() const;

 private:
  struct Envelope;

  void read_line(std::string_view line);
  bool read_envelope(JsonReader& json, Envelope& out);
  bool read_member(JsonReader& json, const std::string& name, Envelope& out);
  void read_entity(JsonReader& json, const Envelope& envelope);
  TypeIntake* find_type(const Envelope& envelope);
  void note_endpoint(std::string_view node_type, const std::string& id, const TypeIntake& edge,
                     bool is_source);
  Status check_memory() const;

  const schema::Schema& schema_;
  const base::WallTime now_;
  base::Random& random_;
  const LoadOptions options_;
  Violations violations_;
  std::string rest_;  // a line that has not ended
  bool too_long_ = false;
  bool finished_ = false;
  uint64_t line_ = 0;
  std::map<std::string, std::unique_ptr<TypeIntake>, std::less<>> nodes_;
  std::map<std::string, std::unique_ptr<TypeIntake>, std::less<>> edges_;
  std::vector<TypedBatch> ready_;
  // Ends that no node was when they were read: node type -> digests, and the ends themselves.
  std::map<std::string, DigestMap, std::less<>> waiting_;
  std::vector<OpenEndpoint> open_;
  uint64_t open_bytes_ = 0;
};

}  // namespace weft::ndjson
