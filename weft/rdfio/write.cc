#include "weft/rdfio/write.h"

#include <algorithm>
#include <array>
#include <map>

#include "weft/rdf/term.h"
#include "weft/rdfio/namespaces.h"
#include "weft/rdfio/writers.h"

namespace weft::rdfio {
namespace {

constexpr size_t kHeldQuadsMax = 4096;
constexpr size_t kHeldBytesMax = size_t{16} << 20U;
constexpr size_t kGatheredPrefixesMax = 32;
// A namespace that is used less often is not worth its line.
constexpr size_t kUsesMin = 2;

std::unique_ptr<QuadWriter> make_plain_writer(Format format, OutputStream& output,
                                              const WriteOptions& options) {
  switch (format) {
    case Format::kNTriples:
    case Format::kNQuads:
      return make_line_writer(format, output, options);
    case Format::kTurtle:
    case Format::kTriG:
      return make_turtle_writer(format, output, options);
    case Format::kRdfXml:
      return make_rdfxml_writer(output, options);
  }
  return nullptr;
}

class GatheringWriter final : public QuadWriter {
 public:
  GatheringWriter(Format format, OutputStream& output, const WriteOptions& options)
      : format_(format), output_(output), options_(options) {}

  Status accept(std::span<const rdf::QuadView> quads) override {
    if (writer_ != nullptr) {
      return writer_->accept(quads);
    }
    for (const rdf::QuadView& quad : quads) {
      held_.push_back({std::string(quad.subject), std::string(quad.predicate),
                       std::string(quad.object), std::string(quad.graph)});
      held_bytes_ += quad.subject.size() + quad.object.size();
    }
    return held_.size() < kHeldQuadsMax && held_bytes_ < kHeldBytesMax ? ok_status() : begin();
  }

  Status finish() override {
    if (writer_ == nullptr) {
      WEFT_TRY_STATUS(begin());
    }
    return writer_->finish();
  }

 private:
  using HeldQuad = std::array<std::string, 4>;

  Status begin() {
    add_prefixes();
    writer_ = make_plain_writer(format_, output_, options_);
    for (const HeldQuad& quad : held_) {
      const rdf::QuadView view{quad[0], quad[1], quad[2], quad[3]};
      WEFT_TRY_STATUS(writer_->accept({&view, 1}));
    }
    held_.clear();
    return ok_status();
  }

  void add_prefixes() {
    std::map<std::string_view, size_t> uses;
    const auto count = [&uses](std::string_view iri) {
      const std::string_view space = usual_namespace(iri);
      if (!space.empty() && is_plain_local_name(iri.substr(space.size()))) {
        ++uses[space];
      }
    };
    for (const HeldQuad& quad : held_) {
      for (const std::string& token : quad) {
        if (token.starts_with('<') && !token.starts_with("<<")) {
          count(rdf::iri_of(token));
        } else if (token.starts_with('"')) {
          count(rdf::split_literal(token).datatype);
        }
      }
    }
    std::vector<std::pair<size_t, std::string_view>> ranked;
    for (const auto& [space, times] : uses) {
      if (times >= kUsesMin) {
        ranked.emplace_back(times, space);
      }
    }
    std::ranges::sort(ranked, std::greater<>());
    ranked.resize(std::min(ranked.size(), kGatheredPrefixesMax));
    for (const auto& [times, space] : ranked) {
      add_prefix(space);
    }
  }

  void add_prefix(std::string_view space) {
    const auto has = [this](std::string_view prefix) {
      return std::ranges::any_of(options_.prefixes,
                                 [prefix](const auto& pair) { return pair.first == prefix; });
    };
    for (const auto& [prefix, iri] : options_.prefixes) {
      if (iri == space) {
        return;
      }
    }
    std::string prefix(well_known_prefix(space));
    for (size_t i = 1; prefix.empty() || has(prefix); ++i) {
      prefix.assign("ns").append(std::to_string(i));
    }
    options_.prefixes.emplace_back(std::move(prefix), std::string(space));
  }

  Format format_;
  OutputStream& output_;
  WriteOptions options_;
  std::vector<HeldQuad> held_;
  size_t held_bytes_ = 0;
  std::unique_ptr<QuadWriter> writer_;
};

}  // namespace

std::unique_ptr<QuadWriter> make_gathering_writer(Format format, OutputStream& output,
                                                  const WriteOptions& options) {
  return std::make_unique<GatheringWriter>(format, output, options);
}

std::unique_ptr<QuadWriter> make_quad_writer(Format format, OutputStream& output,
                                             const WriteOptions& options) {
  const bool gathers = options.gather_prefixes && !is_line_format(format);
  return gathers ? make_gathering_writer(format, output, options)
                 : make_plain_writer(format, output, options);
}

}  // namespace weft::rdfio
