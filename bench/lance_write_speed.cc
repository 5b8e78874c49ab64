// Writes one Lance data file for each line that it reads, always the same rows, and says how long
// that took, and the byte sum of each column; lance_write.py compares with pylance on these rows.
// usage: lance_write_speed FOLDER ROWS THREADS VERSION      a line: synced|unsynced
// unsynced: nothing waits for the disk, as engines do it.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "bench/byte_sums.h"

#include "weft/base/executor.h"
#include "weft/base/process_memory.h"
#include "weft/base/random.h"
#include "weft/columns/builder.h"
#include "weft/lance/write/data_file_writer.h"
#include "weft/storage/local_store.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file
using columns::ArrayBuilder;
using columns::simple_type;
using columns::TypeId;

constexpr uint64_t kBatchRows = 65'536;
constexpr int32_t kVectorWidth = 64;

columns::SchemaPtr six_columns() {
  columns::Schema schema;
  schema.fields = {
      {"id", simple_type(TypeId::kInt64), false, {}},
      {"number", simple_type(TypeId::kInt32), false, {}},
      {"real", simple_type(TypeId::kDouble), false, {}},
      {"code", simple_type(TypeId::kString), false, {}},
      {"text", simple_type(TypeId::kString), false, {}},
      {"vector", columns::fixed_size_list_of(simple_type(TypeId::kFloat), kVectorWidth), false, {}},
  };
  return std::make_shared<const columns::Schema>(std::move(schema));
}

std::vector<std::string> words(base::Random& random) {
  std::vector<std::string> out(4000);
  for (std::string& word : out) {
    for (uint64_t n = 3 + random.below(8); n > 0; --n) {
      word.push_back(static_cast<char>('a' + random.below(26)));
    }
  }
  return out;
}

columns::Batch make_rows(const columns::SchemaPtr& schema, uint64_t first, uint64_t count,
                         const std::vector<std::string>& vocabulary) {
  base::Random random(first + 1);
  std::vector<ArrayBuilder> builders;
  for (const columns::Field& field : schema->fields) {
    builders.emplace_back(field.type);
  }
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    builders[0].append_integer(static_cast<int64_t>(first + i));
    builders[1].append_integer(static_cast<int64_t>(random.next() & 0x7fff'ffffU));
    builders[2].append_double(static_cast<double>(random.next() >> 11U) * 0x1p-53);
    text.clear();
    for (int k = 0; k < 8; ++k) {
      text.push_back(static_cast<char>('a' + random.below(26)));
    }
    builders[3].append_text(text);
    text.clear();
    for (uint64_t n = 2 + random.below(18); n > 0; --n) {
      text += vocabulary[random.below(vocabulary.size())];
      text.push_back(' ');
    }
    builders[4].append_text(text);
    builders[5].append_fixed_list();
    for (int32_t k = 0; k < kVectorWidth; ++k) {
      builders[5].child(0).append_float(static_cast<float>(random.next() >> 40U) * 0x1p-24F);
    }
  }
  std::vector<columns::ArrayPtr> arrays;
  for (ArrayBuilder& builder : builders) {
    arrays.push_back(builder.finish());
  }
  return columns::Batch::make(schema, std::move(arrays), count).value();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class UnsyncedCalls final : public storage::FileCalls {
 public:
  int sync_data(int /*file*/) const override { return 0; }
  int sync(int /*file*/) const override { return 0; }
};

struct Rows {
  columns::SchemaPtr schema = six_columns();
  std::vector<columns::Batch> batches;
  std::vector<uint64_t> sums;
};

Rows all_rows(uint64_t count) {
  Rows rows;
  base::Random random(1);
  const std::vector<std::string> vocabulary = words(random);
  for (uint64_t first = 0; first < count; first += kBatchRows) {
    rows.batches.push_back(
        make_rows(rows.schema, first, std::min(kBatchRows, count - first), vocabulary));
  }
  rows.sums.resize(rows.schema->fields.size());
  for (const columns::Batch& batch : rows.batches) {
    for (size_t i = 0; i < rows.sums.size(); ++i) {
      rows.sums[i] += bench::byte_sum(*batch.column(i));
    }
  }
  return rows;
}

Status write_file(const Rows& rows, const std::string& folder, base::Executor& executor,
                  const std::string& version, bool synced) {
  const UnsyncedCalls unsynced;
  storage::LocalStoreOptions local;
  local.create_folder = true;
  local.calls = synced ? nullptr : &unsynced;
  WEFT_TRY(const auto store, storage::open_local_store(folder, local));
  lance::write::DataFileOptions options;
  WEFT_TRY(options.version, lance::layout::parse_file_version(version));
  WEFT_TRY(const auto fields, lance::layout::schema_fields(*rows.schema));
  const double cpu_begin = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  WEFT_TRY(const auto writer,
           lance::write::DataFileWriter::create(*store, "ours.lance", fields, options, executor));
  for (const columns::Batch& batch : rows.batches) {
    WEFT_TRY_STATUS(writer->append(batch));
  }
  const auto appended = std::chrono::steady_clock::now();
  WEFT_TRY(const auto summary, writer->finish());
  const auto end = std::chrono::steady_clock::now();
  const auto seconds = [](auto span) { return std::chrono::duration<double>(span).count(); };
  std::printf(
      "{\"seconds\": %.3f, \"before_finish\": %.3f, \"cpu\": %.3f, \"bytes\": %llu, \"sums\": [",
      seconds(end - begin), seconds(appended - begin), cpu_seconds() - cpu_begin,
      static_cast<unsigned long long>(summary.size_bytes));
  for (size_t i = 0; i < rows.sums.size(); ++i) {
    std::printf("%s%llu", i == 0 ? "" : ", ", static_cast<unsigned long long>(rows.sums[i]));
  }
  std::printf("]}\n");
  std::fflush(stdout);
  return ok_status();
}

Status run(const std::string& folder, uint64_t count, size_t threads, const std::string& version) {
  const Rows rows = all_rows(count);
  base::ThreadPool executor(threads);
  std::array<char, 64> line{};
  while (std::fgets(line.data(), line.size(), stdin) != nullptr) {
    WEFT_TRY_STATUS(write_file(rows, folder, executor, version,
                               std::string_view(line.data()).starts_with("synced")));
  }
  return ok_status();
}

}  // namespace

int main(int argc, char** argv) {
  base::keep_freed_memory();
  if (argc != 5) {
    std::fputs("usage: lance_write_speed FOLDER ROWS THREADS VERSION\n", stderr);
    return 2;
  }
  const Status status = run(argv[1], std::strtoull(argv[2], nullptr, 10),
                            std::strtoull(argv[3], nullptr, 10), argv[4]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    return 1;
  }
  return 0;
}
