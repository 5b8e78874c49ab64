#include "weft/rete/testing/segment_maker.h"

#include <algorithm>
#include <memory>

#include "weft/base/check.h"
#include "weft/base/executor.h"
#include "weft/base/random.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/storage/scratch.h"

namespace weft::rete {
namespace {

class StringWriter final : public storage::ObjectWriter {
 public:
  Status append(ByteView bytes) override {
    text.append(as_text(bytes));
    return ok_status();
  }
  Status overwrite(uint64_t offset, ByteView bytes) override {
    text.replace(offset, bytes.size(), as_text(bytes));
    return ok_status();
  }
  uint64_t size() const override { return text.size(); }
  Result<storage::PutOutcome> publish() override { return storage::PutOutcome::kDone; }

  std::string text;
};

}  // namespace

std::string make_segment(const std::vector<QuadText>& quads, const BuildOptions& options) {
  base::InlineExecutor executor;
  const auto scratch = storage::memory_scratch();
  BuildOptions own = options;
  own.sink_count = 1;
  own.memory_bytes = std::max(own.memory_bytes, kBuildMemoryBytesMin);
  auto builder = SegmentBuilder::create(own, executor, *scratch);
  WEFT_CHECK(builder.ok());
  std::vector<rdf::QuadView> views;
  views.reserve(quads.size());
  for (const QuadText& quad : quads) {
    views.push_back({quad[0], quad[1], quad[2], quad[3]});
  }
  WEFT_CHECK((*builder)->sink(0).accept(views).ok());
  StringWriter writer;
  WEFT_CHECK((*builder)->finish(writer).ok());
  return std::move(writer.text);
}

std::vector<QuadText> random_quads(uint64_t seed, size_t count, size_t graphs) {
  base::Random random(seed);
  const auto iri = [&](const char* kind, uint64_t bound) {
    return "<http://example.org/" + std::string(kind) + std::to_string(random.below(bound)) + ">";
  };
  std::vector<QuadText> quads;
  quads.reserve(count);
  const uint64_t bound = std::max<uint64_t>(4, count / 8);
  for (size_t i = 0; i < count; ++i) {
    QuadText quad;
    quad[0] = random.chance(1, 16) ? "_:n" + std::to_string(random.below(bound)) : iri("s", bound);
    quad[1] = iri("p", 7);
    switch (random.below(4)) {
      case 0:
        quad[2] = iri("s", bound);
        break;
      case 1:
        quad[2] = "\"word" + std::to_string(random.below(bound)) + " alpha\"@en";
        break;
      case 2:
        quad[2] = "\"" + std::to_string(random.below(1000)) +
                  "\"^^<http://www.w3.org/2001/XMLSchema#integer>";
        break;
      default:
        quad[2] = iri("o", 5);
    }
    if (graphs > 0 && random.chance(1, 2)) {
      quad[3] = iri("g", graphs);
    }
    quads.push_back(std::move(quad));
  }
  return quads;
}

}  // namespace weft::rete
