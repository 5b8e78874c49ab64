// For tests: a segment over quads in memory, with the ids and orders that segment.h promises.
// Tokens are taken as they are, so that it can stand for files of other writers.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/rdf/term.h"
#include "weft/rete/segment.h"

namespace weft::quads {

struct TestQuad {
  std::string subject, predicate, object, graph;  // graph empty: the default graph
  friend auto operator<=>(const TestQuad&, const TestQuad&) = default;
};

class TestSegment final : public rete::Segment {
 public:
  explicit TestSegment(const std::set<TestQuad>& quads, bool guarantees_canonical = false) {
    std::set<std::string> subjects, objects, predicates;
    for (const TestQuad& quad : quads) {
      subjects.insert(quad.subject);
      objects.insert(quad.object);
      predicates.insert(quad.predicate);
      if (!quad.graph.empty()) {
        subjects.insert(quad.graph);
      }
    }
    const auto add = [this](const std::string& token) {
      nodes_.push_back(token);
      node_ids_.emplace(token, static_cast<rete::NodeId>(nodes_.size()));
    };
    for (const std::string& token : subjects) {
      if (objects.contains(token)) {
        add(token);
      }
    }
    counts_.shared = static_cast<uint32_t>(nodes_.size());
    for (const std::string& token : subjects) {
      if (!objects.contains(token)) {
        add(token);
      }
    }
    counts_.subjects = static_cast<uint32_t>(nodes_.size()) - counts_.shared;
    for (const std::string& token : objects) {
      if (!subjects.contains(token)) {
        add(token);
      }
    }
    counts_.objects = static_cast<uint32_t>(nodes_.size()) - counts_.shared - counts_.subjects;
    predicates_.assign(predicates.begin(), predicates.end());
    counts_.predicates = static_cast<uint32_t>(predicates_.size());
    for (const TestQuad& quad : quads) {
      rows_.push_back({quad.graph.empty() ? 0 : node_ids_.at(quad.graph),
                       node_ids_.at(quad.subject), predicate_id(quad.predicate),
                       node_ids_.at(quad.object)});
    }
    facts_.generation = 6;
    facts_.quad_count = quads.size();
    facts_.term_count = nodes_.size() + predicates_.size();
    facts_.file_size = forced_file_size_;
    facts_.permutation_mask = 0x3F;
    facts_.has_canonical_tokens = guarantees_canonical;
    facts_.has_named_graphs =
        std::ranges::any_of(quads, [](const TestQuad& quad) { return !quad.graph.empty(); });
    for (size_t i = 0; i < nodes_.size(); ++i) {
      note_irregular(nodes_[i], {.node = static_cast<rete::NodeId>(i + 1), .predicate = 0});
    }
    for (size_t i = 0; i < predicates_.size(); ++i) {
      note_irregular(predicates_[i],
                     {.node = 0, .predicate = static_cast<rete::PredicateId>(i + 1)});
    }
  }

  rete::SegmentFacts& mutable_facts() { return facts_; }
  // Of segments made from now on: what makes them large.
  static void force_file_size(uint64_t bytes) { forced_file_size_ = bytes; }

  const std::string& name() const override { return name_; }
  const rete::SegmentFacts& facts() const override { return facts_; }
  bool is_remote() const override { return false; }
  bool is_checked() const override { return true; }
  Result<rete::TermCounts> term_counts() override { return counts_; }

  Status find(std::span<const std::string_view> tokens, rete::TermRoles,
              std::vector<rete::LocalTerm>& found, std::stop_token) override {
    found.assign(tokens.size(), {});
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (const auto node = node_ids_.find(std::string(tokens[i])); node != node_ids_.end()) {
        found[i].node = node->second;
      }
      found[i].predicate = predicate_id(tokens[i]);
    }
    return ok_status();
  }
  Status tokens_of(std::span<const rete::NodeId> nodes,
                   std::span<const rete::PredicateId> predicates, rete::TokenTable& tokens,
                   std::stop_token) override {
    tokens.clear();
    for (const rete::NodeId node : nodes) {
      tokens.add(nodes_.at(node - 1));
    }
    for (const rete::PredicateId predicate : predicates) {
      tokens.add(predicates_.at(predicate - 1));
    }
    return ok_status();
  }
  Result<std::shared_ptr<const std::vector<rete::IrregularTerm>>> irregular_terms(
      std::stop_token) override {
    return std::make_shared<const std::vector<rete::IrregularTerm>>(irregular_);
  }

  Result<std::unique_ptr<rete::SegmentCursor>> scan(const rete::LocalPattern& pattern,
                                                    rdf::Permutation permutation,
                                                    std::stop_token) override {
    if (!has_permutation(permutation)) {
      return Error(ErrorKind::kInvalid, "not stored");
    }
    auto cursor = std::make_unique<Cursor>();
    cursor->with_graph = pattern.scope == rdf::GraphScope::kAllNamed;
    cursor->positions = rdf::positions(permutation);
    for (const Row& row : rows_) {
      const bool in_scope = pattern.scope == rdf::GraphScope::kDefault ? row.graph == 0
                            : pattern.scope == rdf::GraphScope::kOne   ? row.graph == pattern.graph
                                                                       : row.graph != 0;
      if (in_scope && (pattern.subject == 0 || row.subject == pattern.subject) &&
          (pattern.predicate == 0 || row.predicate == pattern.predicate) &&
          (pattern.object == 0 || row.object == pattern.object)) {
        cursor->rows.push_back(row);
      }
    }
    std::ranges::sort(cursor->rows, {}, [&](const Row& row) { return cursor->key(row); });
    return std::unique_ptr<rete::SegmentCursor>(std::move(cursor));
  }
  std::unique_ptr<rete::SegmentLookup> lookup() override { return std::make_unique<Lookup>(*this); }
  Result<std::vector<rete::RowKey>> cuts(const rete::LocalPattern& pattern,
                                         rdf::Permutation permutation, size_t pieces,
                                         std::stop_token stop) override {
    std::vector<rete::RowKey> keys;
    if (pattern.scope == rdf::GraphScope::kAllNamed) {
      return keys;
    }
    WEFT_TRY(const auto cursor, scan(pattern, permutation, stop));
    const auto& all = static_cast<Cursor&>(*cursor);
    for (size_t i = 1; i < std::min(pieces, all.rows.size()); ++i) {
      const auto [graph, a, b, c] = all.key(all.rows[all.rows.size() * i / pieces]);
      if (keys.empty() ||
          std::tie(keys.back().a, keys.back().b, keys.back().c) < std::tie(a, b, c)) {
        keys.push_back({.graph = 0, .a = a, .b = b, .c = c});
      }
    }
    return keys;
  }
  Status prefetch(std::span<const rete::LocalPattern>, rdf::Permutation, std::stop_token) override {
    return ok_status();
  }
  Result<rdf::Cardinality> count(const rete::LocalPattern& pattern, std::stop_token stop) override {
    WEFT_TRY(const auto cursor, scan(pattern, rdf::Permutation::kSpo, stop));
    return rdf::Cardinality{.rows = static_cast<double>(static_cast<Cursor&>(*cursor).rows.size()),
                            .exact = true};
  }
  Result<std::shared_ptr<const std::vector<rete::GraphEntry>>> graphs(std::stop_token) override {
    std::map<rete::NodeId, uint64_t> counts;
    for (const Row& row : rows_) {
      counts[row.graph] += row.graph != 0 ? 1 : 0;
    }
    counts.erase(0);
    std::vector<rete::GraphEntry> entries;
    for (const auto& [graph, quads] : counts) {
      entries.push_back({.graph = graph, .quad_count = quads});
    }
    return std::make_shared<const std::vector<rete::GraphEntry>>(std::move(entries));
  }
  Result<uint64_t> quads_in_graph(rete::NodeId graph, std::stop_token) override {
    return static_cast<uint64_t>(
        std::ranges::count_if(rows_, [graph](const Row& row) { return row.graph == graph; }));
  }

  Result<std::optional<std::string>> card() override { return std::optional<std::string>(); }
  Result<std::optional<std::string>> build_record() override {
    return std::optional<std::string>();
  }
  Result<std::shared_ptr<const rete::Schema>> schema() override {
    return std::shared_ptr<const rete::Schema>();
  }
  Result<std::optional<rete::TextScope>> text_scope() override {
    return std::optional<rete::TextScope>();
  }
  Result<std::vector<rete::NodeId>> subjects_with_word(std::string_view) override {
    return std::vector<rete::NodeId>();
  }
  Result<std::optional<std::vector<rete::NodeId>>> subjects_with_text(
      std::span<const rdf::TextNeed>, uint64_t, std::stop_token) override {
    return std::optional<std::vector<rete::NodeId>>();
  }
  Result<std::vector<rete::LabelMatch>> labels_with_prefix(std::string_view, size_t) override {
    return std::vector<rete::LabelMatch>();
  }
  Result<storage::Buffer> pyramid() override { return storage::Buffer(); }
  Result<std::vector<rete::RawSection>> unknown_sections() override {
    return std::vector<rete::RawSection>();
  }

 private:
  struct Row {
    rete::NodeId graph, subject;
    rete::PredicateId predicate;
    rete::NodeId object;
  };

  class Cursor final : public rete::SegmentCursor {
   public:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
    std::vector<Row> rows;
    std::array<rdf::Position, 3> positions;
    bool with_graph = false;
    size_t at = 0;

    Key key(const Row& row) const {
      const uint32_t columns[3] = {row.subject, row.predicate, row.object};
      return {with_graph ? row.graph : 0, columns[static_cast<size_t>(positions[0])],
              columns[static_cast<size_t>(positions[1])],
              columns[static_cast<size_t>(positions[2])]};
    }
    Status next(rete::LocalBatch& batch) override {
      batch.subject.clear();
      batch.predicate.clear();
      batch.object.clear();
      batch.graph.clear();
      // Small batches, so that borders fall everywhere.
      for (size_t taken = 0; taken < 3 && at < rows.size(); ++taken, ++at) {
        batch.subject.push_back(rows[at].subject);
        batch.predicate.push_back(rows[at].predicate);
        batch.object.push_back(rows[at].object);
        if (with_graph) {
          batch.graph.push_back(rows[at].graph);
        }
      }
      return ok_status();
    }
    Status seek(const rete::RowKey& wanted) override {
      while (at < rows.size() && key(rows[at]) < Key(wanted.graph, wanted.a, wanted.b, wanted.c)) {
        ++at;
      }
      return ok_status();
    }
  };

  class Lookup final : public rete::SegmentLookup {
   public:
    explicit Lookup(TestSegment& of) : segment(of) {}
    TestSegment& segment;

    Result<size_t> look_up(std::span<const rete::LocalPattern> patterns,
                           rdf::Permutation permutation, size_t rows_max, rete::LocalBatch& rows,
                           std::vector<uint32_t>& ends, const std::stop_token& stop) override {
      rows.clear();
      ends.clear();
      for (const rete::LocalPattern& pattern : patterns) {
        WEFT_TRY(const auto cursor, segment.scan(pattern, permutation, stop));
        const std::vector<Row>& found = static_cast<Cursor&>(*cursor).rows;
        if (pattern.scope == rdf::GraphScope::kAllNamed || rows.size() + found.size() > rows_max) {
          break;
        }
        for (const Row& row : found) {
          rows.subject.push_back(row.subject);
          rows.predicate.push_back(row.predicate);
          rows.object.push_back(row.object);
        }
        ends.push_back(static_cast<uint32_t>(rows.size()));
      }
      return ends.size();
    }
  };

  rete::PredicateId predicate_id(std::string_view token) const {
    const auto at = std::ranges::lower_bound(predicates_, token);
    return at != predicates_.end() && *at == token
               ? static_cast<rete::PredicateId>(at - predicates_.begin() + 1)
               : 0;
  }
  void note_irregular(const std::string& token, rete::LocalTerm term) {
    if (!rdf::is_canonical(token)) {
      const Result<std::string> canonical = rdf::canonical_token(token);
      if (canonical.ok() && *canonical != token) {
        irregular_.push_back({.term = term, .canonical = *canonical});
      }
    }
  }

  static inline uint64_t forced_file_size_ = 0;
  std::string name_ = "test";
  rete::SegmentFacts facts_;
  rete::TermCounts counts_;
  std::vector<std::string> nodes_;
  std::map<std::string, rete::NodeId> node_ids_;
  std::vector<std::string> predicates_;
  std::vector<Row> rows_;
  std::vector<rete::IrregularTerm> irregular_;
};

}  // namespace weft::quads
