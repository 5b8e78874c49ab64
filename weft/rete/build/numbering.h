// Gives every term of all runs its final number and writes the dictionary on the way; then hands
// out all rows with these numbers.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/rete/build/build_space.h"
#include "weft/rete/build/collector.h"
#include "weft/rete/build/dictionary_writer.h"
#include "weft/rete/format.h"

namespace weft::rete::build {

// The four sections, by DictSection, and what was learnt on the way.
struct Dictionary {
  explicit Dictionary(const BuildSpace& space)
      : sections{DictionarySection(space), DictionarySection(space), DictionarySection(space),
                 DictionarySection(space)} {}
  std::array<DictionarySection, kDictSectionCount> sections;
  bool has_quoted_triples = false;
  // Byte 5 only: graph names ascending; their numbers are 1, 2, …
  std::vector<std::string> graph_names;

  DictionarySection& at(DictSection section) { return sections[static_cast<size_t>(section)]; }
  const DictionarySection& at(DictSection section) const {
    return sections[static_cast<size_t>(section)];
  }
  uint32_t count(DictSection section) const {
    return static_cast<uint32_t>(at(section).term_count);
  }
  // The largest subject, object and predicate id.
  uint32_t subject_max() const {
    return count(DictSection::kShared) + count(DictSection::kSubjects);
  }
  uint32_t object_max() const { return count(DictSection::kShared) + count(DictSection::kObjects); }
  uint32_t predicate_max() const { return count(DictSection::kPredicates); }
  uint32_t graph_max() const {
    return graph_names.empty() ? subject_max() : static_cast<uint32_t>(graph_names.size());
  }
};

struct NumberingOptions {
  ChunkShape shape;
  uint64_t ids_max = UINT32_MAX;
  uint64_t merge_bytes = 0;  // for the cursors
  // Called for each predicate with its id.
  std::function<void(std::string_view, uint32_t)> on_predicate;
};

// Errors: kLimit if a section, or all nodes together, have more terms than ids_max.
Status number_terms(std::span<const std::unique_ptr<Run>> runs, RunFiles& files,
                    const NumberingOptions& options, const BuildSpace& space,
                    Dictionary& dictionary);

// The rows of all runs with final ids: subjects and graphs as subject ids, objects as object ids.
class NumberedRows {
 public:
  NumberedRows(std::span<const std::unique_ptr<Run>> runs, RunFiles& files,
               const Dictionary& dictionary, bool graph_names_are_nodes, const BuildSpace& space);

  uint64_t triple_count() const { return triple_count_; }
  uint64_t quad_count() const { return quad_count_; }

  // Translates the rows that are in memory, in place and in parallel. Before the first for_each.
  Status prepare();
  // May be called several times.
  Status for_each_triple(const std::function<Status(std::span<const Row<3>>)>& take);
  Status for_each_quad(const std::function<Status(std::span<const Row<4>>)>& take);
  // Frees what is in memory. After the last for_each.
  void release_triples();
  void release_quads();

 private:
  uint32_t node(uint32_t number) const {
    return number <= shared_ ? number : shared_ + (0U - number);
  }
  void translate(const Run& run, std::span<Row<3>> rows) const;
  void translate(const Run& run, std::span<Row<4>> rows) const;
  template <size_t N>
  Status for_each(const std::function<Status(std::span<const Row<N>>)>& take);

  std::span<const std::unique_ptr<Run>> runs_;
  RunFiles& files_;
  uint32_t shared_;
  bool graph_names_are_nodes_;
  const BuildSpace& space_;
  uint64_t triple_count_ = 0;
  uint64_t quad_count_ = 0;
};

}  // namespace weft::rete::build
