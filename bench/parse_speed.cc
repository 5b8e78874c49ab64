// Parses one RDF file to a sink that only counts, and prints what it took:
//     parse_speed FILE [FORMAT]      quads, bytes, user seconds, MB/s
// bench/run.py compares the figures with those of serd.
#include <cstdio>
#include <string>

#include <sys/resource.h>

#include "weft/rdfio/parse.h"

namespace {

class Counting final : public weft::rdf::QuadSink {
 public:
  weft::Status accept(std::span<const weft::rdf::QuadView> quads) override {
    for (const weft::rdf::QuadView& quad : quads) {
      // Something of every term, so that nothing can be left out.
      bytes_ += quad.subject.size() + quad.predicate.size() + quad.object.size();
    }
    return {};
  }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
}

int fail(const weft::Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return weft::exit_code(error.kind());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: parse_speed FILE [FORMAT]\n");
    return 2;
  }
  const std::string path = argv[1];
  const auto format =
      argc > 2 ? weft::rdfio::format_by_name(argv[2]) : weft::rdfio::format_by_file_name(path);
  if (!format) {
    std::fprintf(stderr, "unknown format\n");
    return 2;
  }
  auto input = weft::rdfio::open_input(path);
  if (!input.ok()) {
    return fail(input.error());
  }
  Counting sink;
  weft::rdfio::ParseOptions options;
  options.file_name = path;
  options.base_iri = "http://example.org/base";
  const double start = user_seconds();
  const auto report = weft::rdfio::parse(**input, *format, options, sink);
  if (!report.ok()) {
    return fail(report.error());
  }
  const double seconds = user_seconds() - start;
  std::printf("%llu quads, %llu bytes, %.3f user seconds, %.0f MB/s (%llu bytes of terms)\n",
              static_cast<unsigned long long>(report->statements),
              static_cast<unsigned long long>(report->bytes), seconds,
              static_cast<double>(report->bytes) / 1e6 / seconds,
              static_cast<unsigned long long>(sink.bytes()));
  return 0;
}
