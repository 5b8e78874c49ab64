// Answers queries over one target, as often as it is asked to, and says how long each took:
//     query_speed TARGET [THREADS]
// Reads lines of ROUNDS, SECONDS, ANSWER_FILE and QUERY, separated by tabs, from standard input.
// Runs the query once to warm up, then ROUNDS times or until SECONDS have passed, and prints one
// line: the rows, a tab, and the milliseconds of each run, separated by spaces; or "error", a tab,
// and the message. A run is everything from the text to the answer as TSV in memory. The answer
// goes to ANSWER_FILE
// ("-": nowhere). bench/query.py drives this beside the peers.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "weft/base/clock.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/engine/graph.h"
#include "weft/exec/query.h"
#include "weft/rdfio/write.h"
#include "weft/results/result_writer.h"
#include "weft/sparql/parser.h"

namespace weft::bench {
namespace {

class StringOutput final : public rdfio::OutputStream {
 public:
  Status write(std::span<const std::byte> bytes) override {
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return ok_status();
  }
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Request {
  long rounds = 1;
  double seconds = 1;
  std::string answer_path;
  std::string query;
};

// Runs it once. Returns the rows.
Result<uint64_t> run_once(engine::Environment& environment, exec::QuadSource& source,
                          const std::string& text, StringOutput& output) {
  base::Random random(1);
  exec::QueryOptions options;
  options.budget = &environment.query_budget();
  options.executor = &environment.executor();
  options.clock = &environment.clock();
  options.random = &random;
  WEFT_TRY(sparql::Query query, sparql::parse_query(text));
  WEFT_TRY(const auto prepared, exec::prepare(std::move(query), source, options));
  output.clear();
  const auto writer = results::make_result_writer(results::ResultFormat::kTsv, output);
  if (prepared->form() == sparql::QueryForm::kAsk) {
    WEFT_TRY(const bool answer, prepared->ask());
    WEFT_TRY_STATUS(writer->boolean(answer));
    return uint64_t{1};
  }
  WEFT_TRY(const auto solutions, prepared->select());
  return results::write_solutions(*solutions, *writer);
}

Result<std::string> measure(engine::Environment& environment, exec::QuadSource& source,
                            const Request& request) {
  StringOutput output;
  WEFT_TRY(const uint64_t rows, run_once(environment, source, request.query, output));
  if (request.answer_path != "-") {
    std::ofstream(request.answer_path, std::ios::binary) << output.text();
  }
  std::string line = std::to_string(rows) + "\t";
  double passed = 0;
  for (long round = 0; round < request.rounds && (round == 0 || passed < request.seconds * 1000);
       ++round) {
    const auto begin = std::chrono::steady_clock::now();
    WEFT_TRY(const uint64_t again, run_once(environment, source, request.query, output));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (again != rows) {
      return Error(ErrorKind::kInternal, "another answer the second time");
    }
    passed += took.count();
    line += std::to_string(took.count()) + " ";
  }
  return line;
}

bool read_request(const std::string& line, Request& request) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (parts.size() < 3) {
    const size_t tab = line.find('\t', begin);
    if (tab == std::string::npos) {
      return false;
    }
    parts.push_back(line.substr(begin, tab - begin));
    begin = tab + 1;
  }
  request.rounds = std::strtol(parts[0].c_str(), nullptr, 10);
  request.seconds = std::strtod(parts[1].c_str(), nullptr);
  request.answer_path = parts[2];
  request.query = line.substr(begin);
  return true;
}

int serve(const std::string& target, size_t width) {
  const base::SystemClock clock;
  base::ThreadPool threads(width);
  engine::EnvironmentOptions options;
  options.cache_bytes = uint64_t{1} << 30U;
  engine::Environment environment(threads, clock, options);
  const auto graph = engine::Graph::open(environment, target);
  if (!graph.ok()) {
    std::fprintf(stderr, "%s\n", graph.error().to_string().c_str());
    return 1;
  }
  for (std::string line; std::getline(std::cin, line);) {
    Request request;
    if (!read_request(line, request)) {
      std::fprintf(stderr, "a line is ROUNDS, SECONDS, ANSWER_FILE and QUERY\n");
      return 2;
    }
    const auto answer = measure(environment, (*graph)->source(), request);
    std::printf("%s\n",
                answer.ok() ? answer->c_str() : ("error\t" + answer.error().to_string()).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: query_speed TARGET [THREADS]\n");
    return 2;
  }
  const size_t width =
      argc == 3 ? std::strtoul(argv[2], nullptr, 10) : weft::base::hardware_width();
  return weft::bench::serve(argv[1], width);
}
