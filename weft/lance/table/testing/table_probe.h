// What the tests of tables share: hand-made fragments, a clock that stands still, golden tables.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/refs.h"
#include "weft/lance/table/snapshot.h"
#include "weft/lance/table/stage.h"
#include "weft/storage/local_store.h"
#include "weft/storage/memory_store.h"

namespace weft::lance {

// Time moves when a test says so; sleeping moves it, too.
class TestClock final : public base::Clock {
 public:
  base::WallTime now() const override { return {microseconds}; }
  int64_t monotonic_microseconds() const override { return microseconds; }
  void sleep_microseconds(int64_t duration) const override { microseconds += duration; }

  mutable int64_t microseconds = 1'800'000'000'000'000;
};

// The folder of a golden table, or "" if there is none (then the test skips, loudly).
inline std::string golden_folder(std::string_view table) {
  const char* const from_environment =
      std::getenv("WEFT_TESTDATA");  // NOLINT(concurrency-mt-unsafe)
  const std::string root =
      from_environment != nullptr ? from_environment : std::string(WEFT_TESTDATA_DEFAULT);
  const std::string folder = root + "/lance-golden/" + std::string(table);
  return storage::open_local_store(folder).ok() ? folder : "";
}

inline std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  std::string digits;
  for (const char c : hex) {
    if (std::string_view("0123456789abcdef").find(c) == std::string_view::npos) {
      continue;
    }
    digits.push_back(c);
    if (digits.size() == 2) {
      bytes.push_back(static_cast<char>(std::stoi(digits, nullptr, 16)));
      digits.clear();
    }
  }
  return bytes;
}

inline layout::SchemaField plain_field(int32_t id, std::string name, std::string type,
                                       bool nullable = true) {
  layout::SchemaField field;
  field.id = id;
  field.name = std::move(name);
  field.logical_type = std::move(type);
  field.nullable = nullable;
  field.encoding = 1;
  return field;
}

// A memory disk with one table on it, and all that staging needs. Data files are a few bytes that
// nobody reads.
struct TableProbe {
  TestClock clock;
  base::Random random{7};
  storage::MemoryDisk disk{&clock};
  storage::MemoryStore store{disk};
  TableLocation table{&store, "people.lance", ""};

  StageOptions options(std::string operation = "op") {
    StageOptions made;
    made.operation = std::move(operation);
    made.clock = &clock;
    made.random = &random;
    return made;
  }
  CommitOptions commit_options() { return {options(), 100, true}; }

  Fragment fragment(uint64_t rows, std::vector<int32_t> fields = {0, 1},
                    storage::ObjectStore* into = nullptr, std::string folder = "people.lance") {
    Fragment made;
    DataFile& file = made.files.emplace_back();
    file.path = "part-" + hex_text(random.next()) + std::string(kDataEnding);
    file.fields = std::move(fields);
    for (size_t i = 0; i < file.fields.size(); ++i) {
      file.column_indices.push_back(static_cast<int32_t>(i));
    }
    file.size_bytes = 4;
    made.physical_rows = rows;
    auto put = (into == nullptr ? store : *into)
                   .put_if_absent(folder + "/data/" + file.path, as_bytes("rows"));
    put_failed = put_failed || !put.ok();
    return made;
  }

  // Creates the table with `rows` rows in one fragment.
  Snapshot create(uint64_t rows, bool stable_row_ids = false) {
    NewTable made;
    made.location = table;
    made.schema = {plain_field(0, "id", "int64", false), plain_field(1, "s", "string")};
    if (rows > 0) {
      made.fragments = {fragment(rows)};
    }
    made.stable_row_ids = stable_row_ids;
    const auto staged = stage_new_table(std::move(made), options()).value();
    return *commit(staged, commit_options()).value().snapshot;
  }

  Result<StagedTransaction> stage(const Snapshot& base, Operation operation) {
    return Stage(base, options()).finish(std::move(operation));
  }
  Snapshot commit_new(const Snapshot& base, Operation operation) {
    const auto staged = stage(base, std::move(operation)).value();
    const auto result = commit(staged, commit_options()).value();
    EXPECT_EQ(result.outcome, CommitOutcome::kCommitted) << result.reason;
    return *result.snapshot;
  }
  // Deletes the first `rows` rows of a fragment.
  DeleteOperation deletion(Stage& stage, uint64_t fragment_id, uint64_t rows) {
    Deletions deletions;
    deletions.add_range(0, rows);
    Fragment changed = *stage.base().manifest().find_fragment(fragment_id);
    changed.deletion_file = stage.add_deletions(fragment_id, deletions);
    DeleteOperation operation;
    operation.updated_fragments = {changed};
    operation.predicate = "test";
    return operation;
  }

  bool put_failed = false;
};

}  // namespace weft::lance
