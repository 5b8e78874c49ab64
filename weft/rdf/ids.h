// Terms as numbers: the currency between stored graphs and query execution. An id has a meaning
// only within the one opened graph that gave it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::rdf {

// Names a term. Two equal terms (equal canonical tokens) have one id, whatever position they were
// found in; two ids are two terms.
using TermId = uint64_t;
// No term: an unbound variable, "any" in a pattern, the default graph in a graph column.
inline constexpr TermId kNoTerm = 0;
// Ids from here on are free for values that a query computes; stored graphs never give them.
inline constexpr TermId kFirstComputedTerm = TermId{1} << 63U;

// The six orders of a triple index, numbered as the `.rete` format does.
enum class Permutation : uint8_t { kSpo, kPos, kOsp, kSop, kPso, kOps };
inline constexpr size_t kPermutationCount = 6;

// Column numbers within a triple.
enum class Position : uint8_t { kSubject, kPredicate, kObject };

// The positions of a permutation, leading one first.
constexpr std::array<Position, 3> positions(Permutation permutation) {
  using enum Position;
  constexpr std::array<std::array<Position, 3>, kPermutationCount> kTable = {{
      {kSubject, kPredicate, kObject},
      {kPredicate, kObject, kSubject},
      {kObject, kSubject, kPredicate},
      {kSubject, kObject, kPredicate},
      {kPredicate, kSubject, kObject},
      {kObject, kPredicate, kSubject},
  }};
  return kTable[static_cast<size_t>(permutation)];
}

std::string_view permutation_name(Permutation permutation);

// Which graphs a pattern looks into.
enum class GraphScope : uint8_t {
  kDefault,   // the default graph only
  kOne,       // the named graph `graph`
  kAllNamed,  // every named graph; the graph column is filled
};

// A pattern of ids; kNoTerm stands for any term.
struct IdPattern {
  TermId subject = kNoTerm;
  TermId predicate = kNoTerm;
  TermId object = kNoTerm;
  GraphScope scope = GraphScope::kDefault;
  TermId graph = kNoTerm;

  TermId at(Position position) const {
    switch (position) {
      case Position::kSubject:
        return subject;
      case Position::kPredicate:
        return predicate;
      case Position::kObject:
        return object;
    }
    return kNoTerm;
  }
};

// A batch of quads as columns of equal length. `graph` is filled only for GraphScope::kAllNamed,
// else empty.
struct IdBatch {
  std::vector<TermId> subject;
  std::vector<TermId> predicate;
  std::vector<TermId> object;
  std::vector<TermId> graph;

  size_t size() const { return subject.size(); }
  void clear() {
    subject.clear();
    predicate.clear();
    object.clear();
    graph.clear();
  }
};

// A number of rows, and whether it is exact.
struct Cardinality {
  double rows = 0;
  bool exact = false;
};

}  // namespace weft::rdf
