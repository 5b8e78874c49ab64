// Runs weft's Lance layer for the tests in Python: requests come over standard input, answers go to
// standard output (lance_wire.h; the other side is lance_ours.py). One request after another until
// the input ends. An answer begins with the line "ok WORD…" or "error KIND MESSAGE".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/interop/lance_requests.h"
#include "tests/interop/lance_wire.h"

#include "weft/base/executor.h"
#include "weft/lance/read/data_file_reader.h"
#include "weft/lance/write/data_file_writer.h"
#include "weft/storage/local_store.h"

namespace weft::interop {
namespace {

void print_error(const Error& error) {
  std::string text = error.to_string();
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::printf("error %s %s\n", std::string(error_kind_name(error.kind())).c_str(), text.c_str());
}

// write FOLDER(hex) NAME(hex) VERSION PAGE_BYTES THREADS FIELDS BATCHES, the fields, then for each
// batch u64 rows and the arrays. Answer: size and ids of the leaves.
Status write_file(const Words& words) {
  const std::vector<lance::layout::SchemaField> fields =
      read_fields(static_cast<size_t>(std::atoll(words[6].c_str())));
  WEFT_TRY(const std::vector<columns::Batch> batches,
           read_batches(fields, static_cast<uint64_t>(std::atoll(words[7].c_str()))));
  WEFT_TRY(const std::unique_ptr<storage::ObjectStore> store,
           storage::open_local_store(from_hex(words[1]), {.create_folder = true}));
  lance::write::DataFileOptions options;
  WEFT_TRY(options.version, lance::layout::parse_file_version(words[3]));
  options.page_bytes = static_cast<uint64_t>(std::atoll(words[4].c_str()));
  base::ThreadPool executor(static_cast<size_t>(std::atoll(words[5].c_str())));
  WEFT_TRY(const auto writer, lance::write::DataFileWriter::create(*store, from_hex(words[2]),
                                                                   fields, options, executor));
  for (const columns::Batch& batch : batches) {
    WEFT_TRY_STATUS(writer->append(batch));
  }
  WEFT_TRY(const lance::write::DataFileSummary summary, writer->finish());
  std::string answer = std::to_string(summary.size_bytes);
  for (const int32_t id : summary.field_ids) {
    answer += " " + std::to_string(id);
  }
  print_ok(answer);
  return ok_status();
}

// read FOLDER(hex) NAME(hex) FIELDS, the fields of a schema, a line of field ids and one of column
// indices (as in a manifest). Answer: rows, then the arrays.
Status read_file(const Words& words) {
  const std::vector<lance::layout::SchemaField> fields =
      read_fields(static_cast<size_t>(std::atoll(words[3].c_str())));
  std::vector<int32_t> numbers[2];
  for (std::vector<int32_t>& list : numbers) {
    Words line;
    read_line(line);
    for (const std::string& word : line) {
      list.push_back(std::atoi(word.c_str()));
    }
  }
  WEFT_TRY(const std::unique_ptr<storage::ObjectStore> store,
           storage::open_local_store(from_hex(words[1])));
  WEFT_TRY(auto object, store->open(from_hex(words[2])));
  base::ThreadPool executor(2);
  WEFT_TRY(const auto file,
           lance::read::DataFileReader::open(std::move(object), {.executor = &executor}));
  WEFT_TRY_STATUS(file->verify());
  WEFT_TRY(const lance::read::Projection projection, file->project(fields, numbers[0], numbers[1]));
  WEFT_TRY(const columns::Batch batch, file->read(projection, {0, file->row_count()}));
  for (const columns::ArrayPtr& array : batch.columns()) {
    WEFT_TRY_STATUS(array->check());
  }
  print_ok(std::to_string(batch.row_count()));
  for (const columns::ArrayPtr& array : batch.columns()) {
    write_array(array);
  }
  return ok_status();
}

int run() {
  std::map<std::string, Request> requests = table_requests();
  requests.insert(staged_requests().begin(), staged_requests().end());
  requests.insert({{"write", write_file}, {"read", read_file}});
  Words words;
  while (read_line(words)) {
    const auto request = requests.find(words[0]);
    if (request == requests.end()) {
      std::fprintf(stderr, "lance_driver: unknown request %s\n", words[0].c_str());
      return 3;
    }
    const Status status = request->second(words);
    if (!status.ok()) {
      print_error(status.error());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

void print_ok(const std::string& words) {
  std::printf("ok %s\n", words.c_str());
}

}  // namespace weft::interop

int main() {
  return weft::interop::run();
}
