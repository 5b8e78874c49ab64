// The implementation of Segment. Used by segment.cc and its siblings only.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/rete/block_loader.h"
#include "weft/rete/checked_file.h"
#include "weft/rete/directories5.h"
#include "weft/rete/format.h"
#include "weft/rete/label_index.h"
#include "weft/rete/scan.h"
#include "weft/rete/segment.h"
#include "weft/rete/term_dictionary.h"
#include "weft/rete/text_index.h"
#include "weft/rete/tile_directory.h"
#include "weft/rete/whole_file.h"

namespace weft::rete {

// The directories, known once the file is known to be sound.
struct Roots {
  std::optional<TermDictionary> dictionary;
  TermCounts counts;
  std::array<std::shared_ptr<const TileDirectory>, rdf::kPermutationCount> index;
  // Named graphs as a quad index …
  std::optional<GraphIndex> graph_index;
  std::array<std::shared_ptr<const TileDirectory>, rdf::kPermutationCount> quads;
  // … or one container each (generation 5), ascending by graph.
  struct Container {
    NodeId graph = 0;
    storage::Range place;
    uint64_t quad_count = 0;
  };
  std::vector<Container> containers;
  TileDirectoryParameters tile_parameters;
  // Graph names that are no terms: node ids from first_graph_name on, ascending by name.
  NodeId first_graph_name = 0;
  std::vector<std::string> graph_names;
  std::unordered_map<std::string, NodeId> graph_name_ids;
  // The sum of the quads of all named graphs.
  uint64_t named_quad_count = 0;
};

class FileSegment final : public Segment, public std::enable_shared_from_this<FileSegment> {
 public:
  static Result<std::shared_ptr<FileSegment>> make(std::unique_ptr<storage::ObjectReader> reader,
                                                   const SegmentOptions& options);

  const std::string& name() const override { return file_.name(); }
  const SegmentFacts& facts() const override { return facts_; }
  bool is_remote() const override { return file_.is_remote(); }
  bool is_checked() const override;

  Result<TermCounts> term_counts() override;
  Status find(std::span<const std::string_view> tokens, TermRoles roles,
              std::vector<LocalTerm>& found, std::stop_token stop) override;
  Status tokens_of(std::span<const NodeId> nodes, std::span<const PredicateId> predicates,
                   TokenTable& tokens, std::stop_token stop) override;
  Result<std::shared_ptr<const std::vector<IrregularTerm>>> irregular_terms(
      std::stop_token stop) override;

  Result<std::unique_ptr<SegmentCursor>> scan(const LocalPattern& pattern,
                                              rdf::Permutation permutation,
                                              std::stop_token stop) override;
  Result<std::vector<RowKey>> cuts(const LocalPattern& pattern, rdf::Permutation permutation,
                                   size_t pieces, std::stop_token stop) override;
  std::unique_ptr<SegmentLookup> lookup() override;
  Status prefetch(std::span<const LocalPattern> patterns, rdf::Permutation permutation,
                  std::stop_token stop) override;
  Result<rdf::Cardinality> count(const LocalPattern& pattern, std::stop_token stop) override;
  Result<std::shared_ptr<const std::vector<GraphEntry>>> graphs(std::stop_token stop) override;
  Result<uint64_t> quads_in_graph(NodeId graph, std::stop_token stop) override;

  Result<std::optional<std::string>> card() override;
  Result<std::optional<std::string>> build_record() override;
  Result<std::shared_ptr<const Schema>> schema() override;
  Result<std::optional<TextScope>> text_scope() override;
  Result<std::vector<NodeId>> subjects_with_word(std::string_view word) override;
  Result<std::optional<std::vector<NodeId>>> subjects_with_text(
      std::span<const rdf::TextNeed> needs, uint64_t subjects_max, std::stop_token stop) override;
  Result<std::vector<LabelMatch>> labels_with_prefix(std::string_view prefix,
                                                     size_t count_max) override;
  Result<storage::Buffer> pyramid() override;
  Result<std::vector<RawSection>> unknown_sections() override;

  // For verify and dump, beside the interface.
  // Before the first question: the caller has checked the whole file himself.
  void take_whole_file_check(const WholeFile5& result) { checked_before_ = result; }
  Result<const Roots*> roots(const std::stop_token& stop);
  BlockLoader& loader() { return loader_; }
  CheckedFile& file() { return file_; }
  const std::optional<Header6>& header6() const { return header6_; }
  const std::optional<Root6>& root6() const { return root6_; }
  const std::optional<Header5>& header5() const { return header5_; }
  // The directory to scan for one graph of a named-graphs section.
  Result<std::shared_ptr<const TileDirectory>> container_directory(
      const Roots::Container& container, rdf::Permutation permutation);
  Result<TextIndex*> text_index();
  Result<LabelIndex*> label_index();

  FileSegment(std::unique_ptr<storage::ObjectReader> reader, storage::Buffer beginning,
              const SegmentOptions& options);

 private:
  class Lookup;  // segment_lookup.cc
  Status open6(const storage::Buffer& beginning, const SegmentOptions& options);
  Status open5(const storage::Buffer& beginning, const SegmentOptions& options);
  Status find_block_digests(const storage::Buffer& beginning);
  Status check_pins(const SegmentOptions& options) const;

  // segment_roots.cc
  Status load_roots(const std::stop_token& stop) WEFT_REQUIRES(mutex_);
  Status load_roots6() WEFT_REQUIRES(mutex_);
  Status load_roots5(std::string& seal, const std::stop_token& stop) WEFT_REQUIRES(mutex_);
  Status check_beside5() WEFT_REQUIRES(mutex_);
  Status resolve_graph_names(std::vector<NamedContainer5>&& named, const std::stop_token& stop)
      WEFT_REQUIRES(mutex_);
  Status count_quads5(const std::stop_token& stop) WEFT_REQUIRES(mutex_);
  bool must_check_whole_file() const;

  // segment_quads.cc
  struct Bounds {
    bool possible = true;  // false: some bound term cannot have its role
    RowFilter filter;
  };
  Bounds bounds_of(const Roots& roots, const LocalPattern& pattern,
                   rdf::Permutation permutation) const;
  Result<rdf::Cardinality> count_in(const TileDirectory& directory, const RowFilter& filter,
                                    double rows_per_byte, const std::stop_token& stop);
  Result<rdf::Cardinality> count_default(const Roots& roots, const LocalPattern& pattern,
                                         const std::stop_token& stop);
  Result<rdf::Cardinality> count_named(const Roots& roots, const LocalPattern& pattern,
                                       const std::stop_token& stop);
  Result<std::shared_ptr<const TileDirectory>> named_directory(const Roots& roots, NodeId graph,
                                                               rdf::Permutation permutation);
  bool keeps(const TileDirectory& directory, const RowFilter& filter) const;

  // Section bytes by kind; an empty range if absent.
  storage::Range section6(SectionKind6 kind) const;
  uint64_t block_max6(SectionKind6 kind) const;
  // kCorrupt if a section whose number was damaged could be the one that is missing.
  Status check_absence() const;

  std::shared_ptr<BlockCache> cache_;
  base::InlineExecutor inline_executor_;
  base::Executor* executor_;
  std::shared_ptr<VerdictStore> verdicts_;
  VerifyPolicy verify_;
  CheckedFile file_;
  BlockLoader loader_;
  SegmentFacts facts_;
  std::optional<Header6> header6_;
  std::optional<Root6> root6_;
  std::optional<Header5> header5_;

  base::Mutex mutex_;
  std::atomic<bool> is_ready_ = false;
  Roots roots_;  // written once under mutex_, read after is_ready_
  std::optional<Error> damage_ WEFT_GUARDED_BY(mutex_);
  bool has_suspicious_section_ = false;  // as roots_
  std::optional<WholeFile5> checked_before_;

  base::Mutex beside_mutex_;
  std::shared_ptr<const std::vector<GraphEntry>> graphs_ WEFT_GUARDED_BY(beside_mutex_);
  std::shared_ptr<const Schema> schema_ WEFT_GUARDED_BY(beside_mutex_);
  bool schema_loaded_ WEFT_GUARDED_BY(beside_mutex_) = false;
  std::shared_ptr<const std::vector<IrregularTerm>> irregular_ WEFT_GUARDED_BY(beside_mutex_);
  std::unique_ptr<TextIndex> text_ WEFT_GUARDED_BY(beside_mutex_);
  std::unique_ptr<LabelIndex> labels_ WEFT_GUARDED_BY(beside_mutex_);
};

}  // namespace weft::rete
