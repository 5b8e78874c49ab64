// One-row commits to one table: what each costs as versions pile up, how many fragments live and
// how large the manifest is. usage: lance_commit_speed FOLDER COMMITS append|upsert [STABLE_IDS
// 0|1] Exits with 1 if a bound does not hold: time of the last commits at most twice that of the
// first ten, 64 fragments, 16 KiB of manifest without row versions, 24 bytes of those per commit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/process_memory.h"
#include "weft/base/random.h"
#include "weft/columns/builder.h"
#include "weft/lance/rows/row_operations.h"
#include "weft/lance/rows/table_reader.h"
#include "weft/storage/local_store.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file

constexpr uint64_t kFragmentsMax = 64;
constexpr uint64_t kManifestBytesMax = 16 * 1024;
constexpr uint64_t kRunBytesMax = 24;
constexpr size_t kFirst = 10;
constexpr size_t kLast = 100;

columns::SchemaPtr two_columns() {
  columns::Schema schema;
  schema.fields = {{"id", columns::simple_type(columns::TypeId::kInt64), false, {}},
                   {"text", columns::simple_type(columns::TypeId::kString), true, {}}};
  return std::make_shared<const columns::Schema>(std::move(schema));
}

Result<columns::Batch> one_row(const columns::SchemaPtr& schema, uint64_t id) {
  columns::ArrayBuilder ids(schema->fields[0].type);
  columns::ArrayBuilder texts(schema->fields[1].type);
  ids.append_integer(static_cast<int64_t>(id));
  texts.append_text("row " + std::to_string(id));
  return columns::Batch::make(schema, {ids.finish(), texts.finish()}, 1);
}

uint64_t run_bytes(const lance::Manifest& manifest) {
  uint64_t bytes = 0;
  for (const lance::Fragment& fragment : manifest.fragments) {
    bytes += fragment.created_at_versions.value_or("").size();
    bytes += fragment.last_updated_at_versions.value_or("").size();
    bytes += fragment.row_ids.value_or("").size();
  }
  return bytes;
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Result<int> run(const std::string& folder, size_t commits, bool upserts, bool stable) {
  const columns::SchemaPtr schema = two_columns();
  WEFT_TRY(const auto store, storage::open_local_store(folder, {.create_folder = true}));
  const lance::TableLocation location{store.get(), "", ""};
  base::SystemClock clock;
  base::Random random = base::Random::from_system();
  base::ThreadPool executor(2);
  lance::RowOptions options;
  options.stage.clock = &clock;
  options.stage.random = &random;
  options.write.executor = &executor;
  options.read.executor = &executor;
  WEFT_TRY(const auto fields, lance::layout::schema_fields(*schema));
  WEFT_TRY(const auto created, lance::stage_create(location, fields, {}, stable, options));
  WEFT_TRY(lance::CommitResult head, lance::commit(created, {options.stage, 1, true}));
  std::vector<double> times;
  uint64_t fragments = 0;
  for (uint64_t i = 0; i < commits; ++i) {
    WEFT_TRY(const columns::Batch row, one_row(schema, i));
    const auto begin = std::chrono::steady_clock::now();
    WEFT_TRY(head, lance::commit_rows(*head.snapshot, {options.stage, 1, true}, 10,
                                      [&](const lance::Snapshot& base) {
                                        return upserts ? lance::stage_upsert(
                                                             base, row, {{"id"}, false}, options)
                                                       : lance::stage_append(base, {row}, options);
                                      }));
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
    fragments = std::max<uint64_t>(fragments, head.snapshot->manifest().fragments.size());
  }
  const auto opened = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    WEFT_TRY_STATUS(lance::open_version(location, head.snapshot->version()));
  }
  const double open_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - opened).count() /
      100;
  std::printf("open at a version %.3f ms\n", open_ms);
  WEFT_TRY(const auto reader, lance::TableReader::open(*head.snapshot));
  WEFT_TRY(const lance::TableVerification found, reader->verify());
  const auto first = static_cast<std::ptrdiff_t>(std::min(kFirst, times.size()));
  const auto last = static_cast<std::ptrdiff_t>(std::min(kLast, times.size()));
  const double early = median({times.begin(), times.begin() + first});
  const double late = median({times.end() - last, times.end()});
  double total = 0;
  for (const double time : times) {
    total += time;
  }
  const uint64_t runs = run_bytes(head.snapshot->manifest());
  const uint64_t rest = head.snapshot->file().size() - runs;
  std::printf(
      "%zu commits: first ten %.2f ms, last %.2f ms (median), mean %.2f ms; at most %llu "
      "fragments; manifest %llu bytes and %.2f of row ids and versions per commit\n",
      commits, early, late, total / static_cast<double>(times.size()),
      static_cast<unsigned long long>(fragments), static_cast<unsigned long long>(rest),
      static_cast<double>(runs) / static_cast<double>(commits));
  const bool holds = found.rows == commits && late <= 2 * early && fragments <= kFragmentsMax &&
                     rest <= kManifestBytesMax && runs <= kRunBytesMax * commits;
  if (!holds) {
    std::fprintf(stderr, "a bound does not hold (%llu rows)\n",
                 static_cast<unsigned long long>(found.rows));
  }
  return holds ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: lance_commit_speed FOLDER COMMITS append|upsert [STABLE_IDS 0|1]\n", stderr);
    return 2;
  }
  base::keep_freed_memory();
  const Result<int> code = run(argv[1], std::strtoull(argv[2], nullptr, 10),
                               std::string(argv[3]) == "upsert", argc > 4 && argv[4][0] == '1');
  if (!code.ok()) {
    std::fprintf(stderr, "%s\n", code.error().to_string().c_str());
    return 1;
  }
  return *code;
}
