// What the tests of this layer share: a reader over bytes in memory, and a fixed set of questions
// to a segment whose answers can be compared.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/result.h"
#include "weft/rdf/quad.h"
#include "weft/rete/segment.h"
#include "weft/storage/object_store.h"

namespace weft::rete {

// Keeps its own copy. Counts the calls of read_many and the ranges asked for.
struct ReadCounters {
  uint64_t calls = 0;
  uint64_t ranges = 0;
  uint64_t bytes = 0;
};
std::unique_ptr<storage::ObjectReader> bytes_reader(std::string bytes, bool is_remote = false,
                                                    std::string identity = {},
                                                    ReadCounters* counters = nullptr);

// The folder `name` of the test data, or "" (say so and skip) if it is absent.
std::string test_data(std::string_view name);
// Stops the process if the file cannot be read.
std::string read_whole(const std::string& path);
std::vector<std::string> files_in(const std::string& folder, std::string_view ending);

// Collects quads as lines "s p o g .", sorted by bytes.
class LineSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> quads) override;
  std::vector<std::string> sorted() &&;

 private:
  std::vector<std::string> lines_;
};

// A dump in storage spelling, sorted.
Result<std::vector<std::string>> dump_lines(Segment& segment, bool canonical);

// One question and its answer as text, or the error.
struct Answer {
  std::string question;
  std::string text;
  bool is_error = false;
  ErrorKind kind = ErrorKind::kInternal;
};
// Everything a segment can be asked: every order in every scope, lookups of `tokens`, tokens of all
// ids, graphs, counts, card, schema, text and labels. `tokens` are looked up; empty: those of the
// segment itself.
std::vector<Answer> ask_everything(std::unique_ptr<storage::ObjectReader> reader,
                                   const SegmentOptions& options,
                                   const std::vector<std::string>& tokens);

}  // namespace weft::rete
