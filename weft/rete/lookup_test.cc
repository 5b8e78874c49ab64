// Look-ups give what scans give.
#include <algorithm>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/rete/segment.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

using rdf::GraphScope;
using rdf::Permutation;

std::shared_ptr<Segment> open_bytes(const std::string& bytes, bool is_remote = false) {
  auto segment = Segment::open(bytes_reader(bytes, is_remote, {}, nullptr), {});
  EXPECT_TRUE(segment.ok()) << segment.error().to_string();
  return *segment;
}

LocalBatch scan_all(Segment& segment, const LocalPattern& pattern, Permutation permutation) {
  LocalBatch all;
  auto cursor = segment.scan(pattern, permutation, {});
  EXPECT_TRUE(cursor.ok());
  for (LocalBatch batch; cursor.ok();) {
    EXPECT_TRUE((*cursor)->next(batch).ok());
    if (batch.size() == 0) {
      break;
    }
    all.subject.insert(all.subject.end(), batch.subject.begin(), batch.subject.end());
    all.predicate.insert(all.predicate.end(), batch.predicate.begin(), batch.predicate.end());
    all.object.insert(all.object.end(), batch.object.begin(), batch.object.end());
  }
  return all;
}

uint32_t& part(LocalPattern& pattern, rdf::Position position) {
  return position == rdf::Position::kSubject     ? pattern.subject
         : position == rdf::Position::kPredicate ? pattern.predicate
                                                 : pattern.object;
}

// Patterns that bind the same leading positions of the order (and sometimes the last one), of
// random rows, ascending or not; some with a term that is not there.
std::vector<LocalPattern> random_patterns(base::Random& random, Segment& segment,
                                          Permutation permutation, const LocalPattern& scope) {
  const LocalBatch rows = scan_all(segment, scope, permutation);
  const auto columns = rdf::positions(permutation);
  const uint64_t prefix = 1 + random.below(3);
  const bool last_too = random.chance(1, 3);
  const auto counts = segment.term_counts();
  std::vector<LocalPattern> patterns;
  std::vector<uint64_t> chosen;
  for (int i = 0; i < 12 && rows.size() > 0; ++i) {
    chosen.push_back(random.below(rows.size()));
  }
  if (random.chance(1, 2)) {
    std::sort(chosen.begin(), chosen.end());
  }
  for (const uint64_t row : chosen) {
    LocalPattern pattern = scope;
    for (size_t i = 0; i < 3; ++i) {
      if (i < prefix || (i == 2 && last_too)) {
        const rdf::Position position = columns[i];
        part(pattern, position) = position == rdf::Position::kSubject     ? rows.subject[row]
                                  : position == rdf::Position::kPredicate ? rows.predicate[row]
                                                                          : rows.object[row];
      }
    }
    if (random.chance(1, 6)) {
      part(pattern, columns[random.below(prefix)]) =
          1 + static_cast<uint32_t>(random.below(counts->nodes()));
    }
    patterns.push_back(pattern);
  }
  return patterns;
}

void check(Segment& segment, base::Random& random, const LocalPattern& scope) {
  const auto permutation = static_cast<Permutation>(random.below(6));
  if (!segment.has_permutation(permutation)) {
    return;
  }
  const std::vector<LocalPattern> patterns = random_patterns(random, segment, permutation, scope);
  const size_t rows_max = random.chance(1, 2) ? 1'000'000 : 1 + random.below(40);
  LocalBatch rows;
  std::vector<uint32_t> ends;
  const auto done = segment.look_up(patterns, permutation, rows_max, rows, ends, {});
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  ASSERT_EQ(*done, ends.size());
  ASSERT_LE(rows.size(), rows_max);
  for (size_t i = 0; i < *done; ++i) {
    const LocalBatch expected = scan_all(segment, patterns[i], permutation);
    const auto begin = static_cast<std::ptrdiff_t>(i == 0 ? 0 : ends[i - 1]);
    const auto end = static_cast<std::ptrdiff_t>(ends[i]);
    const auto piece = [&](const std::vector<uint32_t>& column) {
      return std::vector<uint32_t>(column.begin() + begin, column.begin() + end);
    };
    ASSERT_EQ(piece(rows.subject), expected.subject);
    ASSERT_EQ(piece(rows.predicate), expected.predicate);
    ASSERT_EQ(piece(rows.object), expected.object);
  }
  if (*done < patterns.size()) {
    // What counts are the rows to look at: those that the bound leading positions leave.
    LocalPattern looked_at = patterns[*done];
    bool leads = true;
    for (const rdf::Position position : rdf::positions(permutation)) {
      leads = leads && part(looked_at, position) != 0;
      part(looked_at, position) = leads ? part(looked_at, position) : 0;
    }
    const size_t next = scan_all(segment, looked_at, permutation).size();
    ASSERT_TRUE(rows.size() >= rows_max || rows.size() + next > rows_max) << "ended too early";
  }
}

TEST(LookUp, RowsAreThoseOfScans) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const size_t graphs = seed % 2 == 0 ? 3 : 0;
    const auto segment =
        open_bytes(make_segment(random_quads(seed, seed < 3 ? 200 : 30'000, graphs)));
    base::Random random(seed);
    const auto names = segment->graphs({});
    ASSERT_TRUE(names.ok());
    for (int round = 0; round < 60 && !testing::Test::HasFatalFailure(); ++round) {
      LocalPattern scope;
      if (graphs != 0 && random.chance(1, 2) && !(*names)->empty()) {
        scope.scope = GraphScope::kOne;
        scope.graph = (**names)[random.below((*names)->size())].graph;
      }
      check(*segment, random, scope);
    }
  }
}

TEST(LookUp, RemoteFilesAndOpenGraphsAreLeftToScans) {
  const std::string bytes = make_segment(random_quads(1, 300, 2));
  LocalBatch rows;
  std::vector<uint32_t> ends;
  LocalPattern pattern;
  pattern.subject = 1;
  const auto remote =
      open_bytes(bytes, true)->look_up({&pattern, 1}, Permutation::kSpo, 100, rows, ends, {});
  ASSERT_TRUE(remote.ok());
  EXPECT_EQ(*remote, 0);
  pattern.scope = GraphScope::kAllNamed;
  const auto open =
      open_bytes(bytes)->look_up({&pattern, 1}, Permutation::kSpo, 100, rows, ends, {});
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(*open, 0);
}

}  // namespace
}  // namespace weft::rete
