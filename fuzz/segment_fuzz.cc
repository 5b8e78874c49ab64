// A whole `.rete` file of either generation, its digests made right first so that the structure
// behind them is reached: opening, every scan, every term, verify.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/check.h"
#include "weft/rete/dump.h"
#include "weft/rete/segment.h"
#include "weft/rete/testing/reseal.h"
#include "weft/rete/verify.h"

namespace {

using namespace weft;  // NOLINT(google-build-using-namespace): a program of one file

class BytesReader final : public storage::ObjectReader {
 public:
  explicit BytesReader(const std::string& bytes) : bytes_(bytes) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  std::string identity() const override { return {}; }
  bool is_remote() const override { return false; }
  Result<std::vector<storage::Buffer>> read_many(const std::vector<storage::Range>& ranges,
                                                 std::stop_token) override {
    std::vector<storage::Buffer> buffers;
    for (const storage::Range& range : ranges) {
      WEFT_CHECK(range.offset <= bytes_.size() && range.size <= bytes_.size() - range.offset);
      buffers.push_back(
          storage::Buffer::copy_of(as_bytes(bytes_).subspan(range.offset, range.size)));
    }
    return buffers;
  }

 private:
  std::string name_ = "fuzz.rete";
  const std::string& bytes_;
};

class NoSink final : public rdf::QuadSink {
 public:
  Status accept(std::span<const rdf::QuadView> quads) override {
    for (const rdf::QuadView& quad : quads) {
      bytes += quad.subject.size() + quad.predicate.size() + quad.object.size();
    }
    return ok_status();
  }
  size_t bytes = 0;
};

void ask(rete::Segment& segment) {
  NoSink sink;
  static_cast<void>(rete::dump(segment, sink, {}, {}));
  rete::LocalBatch batch;
  for (uint32_t s = 0; s < 2; ++s) {
    for (uint32_t p = 0; p < 2; ++p) {
      rete::LocalPattern pattern;
      pattern.subject = s;
      pattern.predicate = p;
      for (const auto scope :
           {rdf::GraphScope::kDefault, rdf::GraphScope::kOne, rdf::GraphScope::kAllNamed}) {
        pattern.scope = scope;
        pattern.graph = 2;
        static_cast<void>(segment.count(pattern, {}));
        auto cursor = segment.scan(pattern, rdf::Permutation::kPos, {});
        if (cursor.ok() && (*cursor)->seek({.graph = 1, .a = 1, .b = 2, .c = 1}).ok()) {
          static_cast<void>((*cursor)->next(batch));
        }
      }
    }
  }
  std::vector<rete::LocalTerm> found;
  const std::vector<std::string_view> tokens = {"<http://example.org/s1>", "\"x\"", ""};
  static_cast<void>(segment.find(tokens, rete::TermRoles::kBoth, found, {}));
  static_cast<void>(segment.card());
  static_cast<void>(segment.schema());
  static_cast<void>(segment.subjects_with_word("alpha"));
  static_cast<void>(segment.labels_with_prefix("s", 10));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  rete::reseal6(file);
  rete::reseal5(file);
  const auto segment = rete::Segment::open(std::make_unique<BytesReader>(file), {});
  if (segment.ok()) {
    ask(**segment);
  }
  static_cast<void>(rete::verify(std::make_unique<BytesReader>(file), {}));
  return 0;
}
