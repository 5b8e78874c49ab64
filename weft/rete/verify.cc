#include "weft/rete/verify.h"

#include <array>
#include <utility>
#include <vector>

#include "weft/base/present.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"
#include "weft/rete/whole_file.h"

namespace weft::rete {
namespace {

// Terms looked up together in other sections, and what is shown of one.
constexpr size_t kTermsTogether = 8'192;
constexpr size_t kShownTermBytes = 200;

using rdf::Permutation;
using storage::Range;

uint64_t mixed(uint64_t value) {
  value ^= value >> 31U;
  value *= 0x7FB5D329728EA185U;
  value ^= value >> 27U;
  value *= 0x81DADEF4BC2DD44DU;
  return value ^ value >> 33U;
}

// A set of quads, whatever the order they come in.
struct QuadSetHash {
  uint64_t sum = 0;
  uint64_t mix = 0;
  uint64_t count = 0;
  void add(uint64_t g, uint64_t s, uint64_t p, uint64_t o) {
    const uint64_t row = mixed(mixed((s << 32U | p) + 0x9E3779B97F4A7C15U) ^ (g << 32U | o));
    sum += row;
    mix ^= mixed(row);
    ++count;
  }
  friend bool operator==(const QuadSetHash&, const QuadSetHash&) = default;
};

class Verification {
 public:
  Verification(FileSegment& segment, const VerifyOptions& options)
      : segment_(segment), options_(options) {
    progress_.total_bytes = 2 * segment.facts().file_size;
  }

  Result<VerifyReport> run() {
    report_.bytes = segment_.facts().file_size;
    WEFT_TRY_STATUS(check_bytes());
    WEFT_TRY(roots_, segment_.roots(options_.stop));
    WEFT_TRY_STATUS(check_terms());
    WEFT_TRY_STATUS(check_quads(rdf::GraphScope::kDefault));
    if (segment_.facts().has_named_graphs) {
      WEFT_TRY_STATUS(check_quads(rdf::GraphScope::kAllNamed));
      WEFT_TRY_STATUS(check_graph_counts());
    }
    WEFT_TRY_STATUS(check_beside());
    WEFT_TRY_STATUS(check_header_bits());
    report_.blocks = segment_.loader().decoded_count();
    progress_.done_bytes = progress_.total_bytes;
    tell(0);
    return report_;
  }

 private:
  void tell(uint64_t bytes) {
    progress_.done_bytes = std::min(progress_.done_bytes + bytes, progress_.total_bytes);
    if (options_.progress) {
      options_.progress(progress_);
    }
  }

  Error bad(std::string_view what, std::string_view section, uint64_t offset) const {
    return damage(what, segment_.name(), section, offset);
  }

  Status check_bytes() {
    const ReadProgress read = [this](uint64_t bytes) { tell(bytes); };
    if (segment_.header5().has_value()) {
      WEFT_TRY(
          const WholeFile5 whole,
          check_hash5(segment_.file(), base::present(segment_.header5()), read, options_.stop));
      if (whole.has_suspicious_section) {
        return bad("a section number looks damaged", "header", kDirectoryOffset5);
      }
      segment_.take_whole_file_check(whole);
      ++report_.digests;
      return ok_status();
    }
    WEFT_TRY_STATUS(check_digests6(segment_.file(), base::present(segment_.header6()),
                                   base::present(segment_.root6()), read, options_.stop));
    report_.digests += base::present(segment_.root6()).sections.size();
    segment_.take_whole_file_check({});
    return segment_.file().has_digests() ? check_block_digests() : ok_status();
  }

  Status check_block_digests() {
    for (const SectionEntry6& entry : base::present(segment_.root6()).sections) {
      if (entry.kind == static_cast<uint8_t>(SectionKind6::kBlockDigests)) {
        report_.digests += (entry.size - kBlockDigestsHeadBytes) / sizeof(codec::Digest16);
        continue;
      }
      constexpr uint64_t kStepBytes = uint64_t{1} << 20U;
      const uint64_t begin = section_offset(base::present(segment_.header6()), entry);
      for (uint64_t done = 0; done < entry.size; done += kStepBytes) {
        const Range part{begin + done, std::min(kStepBytes, entry.size - done)};
        WEFT_TRY(const storage::Buffer bytes, segment_.file().read_one(part, options_.stop));
        static_cast<void>(bytes);
      }
    }
    return ok_status();
  }

  // A node stands in one of the three sections of nodes: else it had two ids, and rows with one
  // would not be found by the other. `tokens` are a stretch of `section`, in order.
  Status check_disjoint(DictSection section, TokenTable& tokens) {
    constexpr std::array kNodes = {DictSection::kShared, DictSection::kSubjects,
                                   DictSection::kObjects};
    for (const DictSection other : kNodes) {
      if (other == section) {
        break;
      }
      std::vector<TermProbe> probes;
      for (size_t i = 0; i < tokens.size(); ++i) {
        probes.push_back({.section = other, .token = tokens[i]});
      }
      WEFT_TRY_STATUS(base::present(roots_->dictionary).find(probes, options_.stop));
      for (const TermProbe& probe : probes) {
        if (probe.index != TermProbe::kAbsent) {
          return bad("a term stands in two sections of nodes", "dict",
                     base::present(roots_->dictionary).directory(section).chunks.offset)
              .with("term", probe.token.substr(0, kShownTermBytes));
        }
      }
    }
    tokens.clear();
    return ok_status();
  }

  Status check_terms() {
    for (size_t i = 0; i < kDictSectionCount; ++i) {
      const auto section = static_cast<DictSection>(i);
      uint64_t count = 0;
      const bool is_later_node =
          section == DictSection::kSubjects || section == DictSection::kObjects;
      TokenTable stretch;
      WEFT_TRY_STATUS(base::present(roots_->dictionary)
                          .for_each(
                              section,
                              [&](uint64_t, std::string_view token) -> Status {
                                ++count;
                                if (is_later_node) {
                                  stretch.add(token);
                                  WEFT_TRY_STATUS(stretch.size() >= kTermsTogether
                                                      ? check_disjoint(section, stretch)
                                                      : ok_status());
                                }
                                has_quoted_ |=
                                    section != DictSection::kPredicates && token.starts_with("<<");
                                return ok_status();
                              },
                              options_.stop));
      WEFT_TRY_STATUS(check_disjoint(section, stretch));
      if (count != base::present(roots_->dictionary).term_count(section)) {
        return bad("number of terms differs from the directory", "dict",
                   base::present(roots_->dictionary).directory(section).chunks.offset);
      }
      report_.terms += count;
      tell(base::present(roots_->dictionary).directory(section).chunks.size);
    }
    return ok_status();
  }

  Result<QuadSetHash> hash_of(rdf::GraphScope scope, Permutation permutation) {
    LocalPattern pattern;
    pattern.scope = scope;
    WEFT_TRY(const std::unique_ptr<SegmentCursor> cursor,
             segment_.scan(pattern, permutation, options_.stop));
    const bool counts_predicates = scope == rdf::GraphScope::kDefault &&
                                   permutation == Permutation::kSpo &&
                                   roots_->counts.predicates <= kPredicatesCounted;
    if (counts_predicates) {
      predicate_rows_.assign(roots_->counts.predicates, 0);
    }
    QuadSetHash hash;
    LocalBatch batch;
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        return hash;
      }
      for (size_t i = 0; i < batch.size(); ++i) {
        const NodeId graph = batch.graph.empty() ? 0 : batch.graph[i];
        hash.add(graph, batch.subject[i], batch.predicate[i], batch.object[i]);
        if (counts_predicates) {
          ++predicate_rows_[batch.predicate[i] - 1];
        }
        if (graph != 0 && permutation == Permutation::kSpo) {
          if (graph_rows_.empty() || graph_rows_.back().graph != graph) {
            graph_rows_.push_back({graph, 0});
          }
          ++graph_rows_.back().quad_count;
        }
      }
    }
  }

  // Every stored permutation holds the same rows, as many as the header says.
  Status check_quads(rdf::GraphScope scope) {
    const bool named = scope == rdf::GraphScope::kAllNamed;
    const uint64_t expected =
        named ? roots_->named_quad_count : segment_.facts().quad_count - roots_->named_quad_count;
    const std::string_view section = named ? "quad" : "index";
    std::optional<QuadSetHash> first;
    for (size_t i = 0; i < rdf::kPermutationCount; ++i) {
      const auto permutation = static_cast<Permutation>(i);
      if (!segment_.has_permutation(permutation)) {
        continue;
      }
      WEFT_TRY(const QuadSetHash hash, hash_of(scope, permutation));
      if (hash.count != expected) {
        return bad("number of rows differs from the header", section, 0)
            .with("order", rdf::permutation_name(permutation))
            .with("rows", hash.count)
            .with("expected_rows", expected);
      }
      if (first.has_value() && *first != hash) {
        return bad("two orders hold different rows", section, 0)
            .with("order", rdf::permutation_name(permutation));
      }
      first = hash;
      const auto& directory = named ? roots_->quads[i] : roots_->index[i];
      tell(directory == nullptr ? 0 : directory->tiles.size);
    }
    report_.quads += expected;
    return ok_status();
  }

  Status check_graph_counts() {
    WEFT_TRY(const auto graphs, segment_.graphs(options_.stop));
    report_.graphs = graphs->size();
    const bool equal = std::equal(graphs->begin(), graphs->end(), graph_rows_.begin(),
                                  graph_rows_.end(), [](const auto& a, const auto& b) {
                                    return a.graph == b.graph && a.quad_count == b.quad_count;
                                  });
    return equal ? ok_status()
                 : Status(bad("quads per graph differ from the graph list", "quad-leaves", 0));
  }

  Status check_beside() {
    WEFT_TRY(const auto schema, segment_.schema());
    if (schema != nullptr && !predicate_rows_.empty()) {
      for (const PredicateStatistics& each : schema->predicates) {
        if (predicate_rows_[each.predicate - 1] != each.triples) {
          return bad("statistics differ from the rows", "schema", 0);
        }
      }
    }
    WEFT_TRY(const auto card, segment_.card());
    static_cast<void>(card);
    WEFT_TRY(TextIndex* const text, segment_.text_index());
    if (text != nullptr) {
      uint64_t words = 0;
      WEFT_TRY_STATUS(text->for_each(roots_->counts.shared + roots_->counts.subjects,
                                     [&](std::string_view, const std::vector<uint32_t>&) -> Status {
                                       ++words;
                                       return ok_status();
                                     }));
      if (words != text->word_count()) {
        return bad("number of words differs from the text index", "text-leaves", 0);
      }
    }
    WEFT_TRY(LabelIndex* const labels, segment_.label_index());
    if (labels != nullptr) {
      uint64_t entries = 0;
      WEFT_TRY_STATUS(labels->for_each("", [&](const LabelIndex::Entry&) {
        ++entries;
        return true;
      }));
      if (entries != labels->entry_count()) {
        return bad("number of labels differs from the label index", "labels", 0);
      }
    }
    return ok_status();
  }

  // The bits of the header against what is there.
  Status check_header_bits() const {
    if (!segment_.header6().has_value()) {
      const bool quoted = (base::present(segment_.header5()).flags & kFlagQuotedTriples5) != 0;
      return quoted == has_quoted_
                 ? ok_status()
                 : Status(bad("quoted-triple flag differs from the terms", "header", 5));
    }
    const Header6& header = base::present(segment_.header6());
    const Root6& root = base::present(segment_.root6());
    const auto* const pyramid = root.find(SectionKind6::kPyramid);
    const std::array<std::pair<bool, bool>, 7> bits = {{
        {(header.flags & kFlagNamedGraphs6) != 0, header.graph_count > 0},
        {(header.flags & kFlagQuotedTriples6) != 0, has_quoted_},
        {(header.presence & kPresenceText) != 0, root.unit(UnitTag6::kText) != nullptr},
        {(header.presence & kPresenceLabels) != 0, root.unit(UnitTag6::kLabels) != nullptr},
        {(header.presence & kPresenceSchema) != 0, root.find(SectionKind6::kSchema) != nullptr},
        {(header.presence & kPresencePyramid) != 0, pyramid != nullptr && pyramid->size > 0},
        {(header.presence & kPresenceQuads) != 0, header.graph_count > 0},
    }};
    for (const auto& [said, is] : bits) {
      if (said != is) {
        return bad("flags in the header differ from what the file holds", "header", 5);
      }
    }
    return ok_status();
  }

  static constexpr uint32_t kPredicatesCounted = uint32_t{1} << 20U;

  FileSegment& segment_;
  const VerifyOptions& options_;
  VerifyProgress progress_;
  VerifyReport report_;
  const Roots* roots_ = nullptr;
  bool has_quoted_ = false;
  std::vector<uint64_t> predicate_rows_;
  std::vector<GraphEntry> graph_rows_;
};

}  // namespace

Result<VerifyReport> verify(std::unique_ptr<storage::ObjectReader> reader,
                            const VerifyOptions& options) {
  SegmentOptions segment_options;
  segment_options.executor = options.executor;
  const std::string name = reader->name();
  Result<std::shared_ptr<FileSegment>> segment =
      FileSegment::make(std::move(reader), segment_options);
  if (!segment.ok()) {
    Error error = std::move(segment).error();
    if (error.fact("file").empty()) {
      error.add("file", name);
    }
    return error;
  }
  return Verification(**segment, options).run();
}

}  // namespace weft::rete
