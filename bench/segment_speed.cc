// How fast a segment is read: `segment_speed FILE.rete` prints one line per measurement, in CPU
// time. Without a file it builds one of 5 M triples first (`segment_speed --make FILE.rete COUNT`).
//
// Every measurement checks its answer: row counts against the header, tokens against each other.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/rete/dump.h"
#include "weft/rete/segment.h"
#include "weft/rete/verify.h"
#include "weft/storage/local_store.h"

namespace weft {
namespace {

// CPU time of the process: what else runs on the machine does not count.
double now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename T>
T must(Result<T> result) {
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
    std::exit(1);
  }
  return std::move(result).value();
}

void must(Status status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
    std::exit(1);
  }
}

void check(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "wrong answer: %s\n", what);
    std::exit(1);
  }
}

struct Place {
  std::unique_ptr<storage::ObjectStore> store;
  std::string name;
};

Place place_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return {must(storage::open_local_store(folder)),
          slash == std::string::npos ? path : path.substr(slash + 1)};
}

int make(const std::string& path, size_t count) {
  base::ThreadPool pool(base::hardware_width());
  const Place place = place_of(path);
  const auto scratch = storage::local_scratch("/tmp");
  rete::BuildOptions options;
  auto builder = must(rete::SegmentBuilder::create(options, pool, *scratch));
  base::Random random(1);
  const size_t subjects = count / 5;
  std::vector<std::string> texts;
  std::vector<rdf::QuadView> views;
  for (size_t done = 0; done < count;) {
    texts.clear();
    views.clear();
    texts.reserve(3 * 4096);
    for (size_t i = 0; i < 4096 && done < count; ++i, ++done) {
      texts.push_back("<http://example.org/resource/" + std::to_string(random.below(subjects)) +
                      ">");
      texts.push_back("<http://example.org/property/" + std::to_string(random.below(30)) + ">");
      switch (random.below(3)) {
        case 0:
          texts.push_back("<http://example.org/resource/" + std::to_string(random.below(subjects)) +
                          ">");
          break;
        case 1:
          texts.push_back("\"value " + std::to_string(random.below(count)) + "\"@en");
          break;
        default:
          texts.push_back("<http://example.org/class/" + std::to_string(random.below(100)) + ">");
      }
      const size_t at = texts.size() - 3;
      views.push_back({texts[at], texts[at + 1], texts[at + 2], ""});
    }
    must(builder->sink(0).accept(views));
  }
  auto writer = must(place.store->create(place.name));
  const rete::BuildReport report = must(builder->finish(*writer));
  must(writer->publish());
  std::printf("%zu triples, %zu bytes\n", static_cast<size_t>(report.default_triples),
              static_cast<size_t>(report.file_bytes));
  return 0;
}

std::shared_ptr<rete::Segment> open_file(const std::string& path,
                                         const rete::SegmentOptions& options) {
  const Place place = place_of(path);
  return must(rete::Segment::open(must(place.store->open(place.name)), options));
}

uint64_t scan(rete::Segment& segment, rdf::Permutation permutation) {
  auto cursor = must(segment.scan({}, permutation, {}));
  rete::LocalBatch batch;
  uint64_t rows = 0;
  while (true) {
    must(cursor->next(batch));
    if (batch.size() == 0) {
      return rows;
    }
    rows += batch.size();
  }
}

void scans(const std::string& path) {
  rete::SegmentOptions options;
  options.cache = std::make_shared<rete::BlockCache>(uint64_t{2} << 30U);
  const auto segment = open_file(path, options);
  const uint64_t total = segment->facts().quad_count;
  for (unsigned i = 0; i < rdf::kPermutationCount; ++i) {
    const auto permutation = static_cast<rdf::Permutation>(i);
    double cold = now_seconds();
    check(scan(*segment, permutation) == total, "rows of a scan");
    cold = now_seconds() - cold;
    double warm = 1e9;
    for (int round = 0; round < 3; ++round) {
      const double begin = now_seconds();
      check(scan(*segment, permutation) == total, "rows of a scan");
      warm = std::min(warm, now_seconds() - begin);
    }
    std::printf("scan %-4.4s cold %6.1f M triples/s   cached %6.1f M triples/s\n",
                std::string(rdf::permutation_name(permutation)).c_str(),
                static_cast<double>(total) / cold / 1e6, static_cast<double>(total) / warm / 1e6);
  }
}

class CountingSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> quads) override {
    rows += quads.size();
    for (const rdf::QuadView& quad : quads) {
      bytes += quad.subject.size() + quad.predicate.size() + quad.object.size();
    }
    return ok_status();
  }
  uint64_t rows = 0;
  uint64_t bytes = 0;
};

void lookups(const std::string& path) {
  rete::SegmentOptions options;
  options.cache = std::make_shared<rete::BlockCache>();
  double begin = now_seconds();
  auto segment = open_file(path, options);
  std::printf("open %.0f us\n", (now_seconds() - begin) * 1e6);
  // The same again, fresh each time, as with many segments of one manifest.
  constexpr int kOpens = 300;
  double open_seconds = 0;
  double find_seconds = 0;
  double scan_seconds = 0;
  for (int i = 0; i < kOpens; ++i) {
    begin = now_seconds();
    const auto fresh = open_file(path, options);
    const double opened = now_seconds();
    std::vector<rete::LocalTerm> term;
    const std::string_view asked = "<http://example.org/resource/17>";
    must(fresh->find({&asked, 1}, rete::TermRoles::kBoth, term, {}));
    const double looked_up = now_seconds();
    rete::LocalPattern pattern;
    pattern.subject = term[0].node;
    auto cursor = must(fresh->scan(pattern, rdf::Permutation::kSpo, {}));
    rete::LocalBatch batch;
    must(cursor->next(batch));
    const double scanned = now_seconds();
    open_seconds += opened - begin;
    find_seconds += looked_up - opened;
    scan_seconds += scanned - looked_up;
  }
  std::printf("fresh: open %.0f us, first find %.0f us, first scan %.0f us\n",
              open_seconds / kOpens * 1e6, find_seconds / kOpens * 1e6,
              scan_seconds / kOpens * 1e6);
  constexpr int kLookups = 2000;
  base::Random random(2);
  std::vector<std::string> tokens;
  for (int i = 0; i < kLookups; ++i) {
    tokens.push_back("<http://example.org/resource/" +
                     std::to_string(random.below(segment->facts().quad_count / 5)) + ">");
  }
  begin = now_seconds();
  std::vector<rete::LocalTerm> found;
  const std::string_view first = tokens[0];
  must(segment->find({&first, 1}, rete::TermRoles::kBoth, found, {}));
  std::printf("first find %.0f us\n", (now_seconds() - begin) * 1e6);
  begin = now_seconds();
  uint64_t rows = 0;
  for (const std::string& token : tokens) {
    const std::string_view view = token;
    must(segment->find({&view, 1}, rete::TermRoles::kNodes, found, {}));
    rete::LocalPattern pattern;
    pattern.subject = found[0].node;
    auto cursor = must(segment->scan(pattern, rdf::Permutation::kSpo, {}));
    rete::LocalBatch batch;
    must(cursor->next(batch));
    rows += batch.size();
  }
  std::printf("find and scan one subject, small cache %.1f us (%.1f rows)\n",
              (now_seconds() - begin) / kLookups * 1e6, static_cast<double>(rows) / kLookups);
  options.cache = std::make_shared<rete::BlockCache>(uint64_t{1} << 30U);
  segment = open_file(path, options);
  check(scan(*segment, rdf::Permutation::kSpo) == segment->facts().quad_count, "rows");
  begin = now_seconds();
  for (int i = 0; i < 100 * kLookups; ++i) {
    rete::LocalPattern pattern;
    pattern.subject = 1 + static_cast<uint32_t>(random.below(10000));
    auto cursor = must(segment->scan(pattern, rdf::Permutation::kSpo, {}));
    rete::LocalBatch batch;
    must(cursor->next(batch));
  }
  std::printf("scan one subject, cached %.2f us\n",
              (now_seconds() - begin) / (100 * kLookups) * 1e6);
}

void whole(const std::string& path) {
  const auto segment = open_file(path, {});
  CountingSink sink;
  double begin = now_seconds();
  must(rete::dump(*segment, sink, {}, {}));
  double seconds = now_seconds() - begin;
  check(sink.rows == segment->facts().quad_count, "rows of a dump");
  std::printf("dump %.2f M quads/s (%.0f MB/s of text)\n",
              static_cast<double>(sink.rows) / seconds / 1e6,
              static_cast<double>(sink.bytes) / seconds / 1e6);
  base::ThreadPool pool(base::hardware_width());
  const Place place = place_of(path);
  rete::VerifyOptions options;
  options.executor = &pool;
  begin = now_seconds();
  const rete::VerifyReport report =
      must(rete::verify(must(place.store->open(place.name)), options));
  seconds = now_seconds() - begin;
  check(report.quads == segment->facts().quad_count, "rows of verify");
  std::printf("verify %.2f s, %.0f MB/s\n", seconds,
              static_cast<double>(report.bytes) / seconds / 1e6);
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--make") == 0) {
    return weft::make(argv[2], std::strtoull(argv[3], nullptr, 10));
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: segment_speed FILE.rete | segment_speed --make FILE.rete COUNT\n");
    return 2;
  }
  weft::lookups(argv[1]);
  weft::scans(argv[1]);
  weft::whole(argv[1]);
  return 0;
}
