// Look-ups give what scans give, whatever was looked up before.
#include <algorithm>

#include <gtest/gtest.h>

#include "weft/base/random.h"
#include "weft/rete/segment.h"
#include "weft/rete/testing/reseal.h"
#include "weft/rete/testing/segment_maker.h"
#include "weft/rete/testing/segment_probe.h"

namespace weft::rete {
namespace {

using rdf::GraphScope;
using rdf::Permutation;

std::shared_ptr<Segment> open_bytes(const std::string& bytes, bool is_remote = false,
                                    const SegmentOptions& options = {}) {
  auto segment = Segment::open(bytes_reader(bytes, is_remote, {}, nullptr), options);
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

// What look_up says, as text that tells every difference.
std::string said(SegmentLookup& lookup, std::span<const LocalPattern> patterns,
                 Permutation permutation, size_t rows_max) {
  LocalBatch rows;
  std::vector<uint32_t> ends;
  const auto done = lookup.look_up(patterns, permutation, rows_max, rows, ends, {});
  if (!done.ok()) {
    return "error " + done.error().to_string();
  }
  std::string text = std::to_string(*done);
  for (const std::vector<uint32_t>* column :
       {&ends, &rows.subject, &rows.predicate, &rows.object}) {
    text += '|';
    for (const uint32_t id : *column) {
      text += ' ' + std::to_string(id);
    }
  }
  return text;
}

// `used` has looked other patterns up before.
void check(Segment& segment, SegmentLookup& used, base::Random& random, const LocalPattern& scope) {
  const auto permutation = static_cast<Permutation>(random.below(6));
  if (!segment.has_permutation(permutation)) {
    return;
  }
  const std::vector<LocalPattern> patterns = random_patterns(random, segment, permutation, scope);
  const size_t rows_max = random.chance(1, 2) ? 1'000'000 : 1 + random.below(40);
  LocalBatch rows;
  std::vector<uint32_t> ends;
  const auto done = segment.lookup()->look_up(patterns, permutation, rows_max, rows, ends, {});
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
  ASSERT_EQ(said(used, patterns, permutation, rows_max),
            said(*segment.lookup(), patterns, permutation, rows_max));
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
    BuildOptions options;
    options.tile_bytes = seed % 3 == 0 ? 1'024 : options.tile_bytes;
    const auto segment =
        open_bytes(make_segment(random_quads(seed, seed < 3 ? 200 : 30'000, graphs), options));
    const auto used = segment->lookup();
    base::Random random(seed);
    const auto names = segment->graphs({});
    ASSERT_TRUE(names.ok());
    for (int round = 0; round < 60 && !testing::Test::HasFatalFailure(); ++round) {
      LocalPattern scope;
      if (graphs != 0 && random.chance(1, 2) && !(*names)->empty()) {
        scope.scope = GraphScope::kOne;
        scope.graph = (**names)[random.below((*names)->size())].graph;
      }
      check(*segment, *used, random, scope);
    }
  }
}

// Rows of the default graph, taken before the file was damaged.
struct Keys {
  LocalBatch rows;
  TermCounts counts;
};

Keys keys_of(const std::string& bytes) {
  const auto segment = open_bytes(bytes);
  return {scan_all(*segment, {}, Permutation::kSpo), *segment->term_counts()};
}

// Keys one by one: near the last one, anywhere, or not there at all.
struct KeyWalk {
  const Keys& keys;
  base::Random& random;
  uint64_t row = 0;

  LocalPattern next(Permutation permutation, size_t prefix) {
    const uint64_t count = keys.rows.size();
    row = (random.chance(2, 3) ? row + random.below(4) : random.below(count)) % count;
    LocalPattern pattern;
    const auto columns = rdf::positions(permutation);
    for (size_t i = 0; i < prefix; ++i) {
      part(pattern, columns[i]) = columns[i] == rdf::Position::kSubject ? keys.rows.subject[row]
                                  : columns[i] == rdf::Position::kPredicate
                                      ? keys.rows.predicate[row]
                                      : keys.rows.object[row];
    }
    if (random.chance(1, 8)) {
      part(pattern, columns[random.below(prefix)]) =
          1 + static_cast<uint32_t>(random.below(keys.counts.nodes()));
    }
    return pattern;
  }
};

// How often each was seen.
struct Outcomes {
  size_t rows = 0;
  size_t errors = 0;
  size_t rows_after_error = 0;
};

// Asks `steps` keys of one lookup, and each of a fresh one of a segment that was opened apart.
void expect_same_whatever_came_before(const std::string& bytes, const Keys& keys,
                                      const SegmentOptions& options, base::Random& random,
                                      int steps, Outcomes& seen) {
  const auto segment = open_bytes(bytes, false, options);
  const auto apart = open_bytes(bytes);
  const auto used = segment->lookup();
  auto permutation = static_cast<Permutation>(random.below(6));
  KeyWalk walk{keys, random};
  bool failed = false;
  for (int step = 0; step < steps; ++step) {
    if (random.chance(1, 16)) {
      permutation = static_cast<Permutation>(random.below(6));
    }
    const LocalPattern pattern = walk.next(permutation, 1 + random.below(3));
    const size_t rows_max = random.chance(1, 8) ? random.below(4) : 1'000'000;
    const std::string answer = said(*used, {&pattern, 1}, permutation, rows_max);
    ASSERT_EQ(answer, said(*apart->lookup(), {&pattern, 1}, permutation, rows_max));
    const bool is_error = answer.starts_with("error");
    seen.errors += is_error ? 1 : 0;
    seen.rows += answer.starts_with("1|") ? 1 : 0;
    seen.rows_after_error += failed && answer.starts_with("1|") ? 1 : 0;
    failed = is_error;
  }
}

TEST(LookUp, NeighboursAreRightThoughTheCacheHoldsNothing) {
  BuildOptions build;
  build.tile_bytes = 1'024;
  const std::string bytes = make_segment(random_quads(7, 20'000, 0), build);
  const Keys keys = keys_of(bytes);
  for (const uint64_t budget : {uint64_t{0}, uint64_t{20'000}, uint64_t{32} << 20U}) {
    SegmentOptions options;
    options.cache = std::make_shared<BlockCache>(budget);
    base::Random random(budget + 1);
    Outcomes seen;
    expect_same_whatever_came_before(bytes, keys, options, random, 3'000, seen);
    EXPECT_GT(seen.rows, 2'000U);
    EXPECT_EQ(seen.errors, 0U);
    EXPECT_LE(options.cache->counters().held_bytes, budget);
  }
}

TEST(LookUp, ANeighbourAsksTheCacheForNothing) {
  const std::string bytes = make_segment(random_quads(8, 20'000, 0));
  const Keys keys = keys_of(bytes);
  SegmentOptions options;
  options.cache = std::make_shared<BlockCache>();
  const auto segment = open_bytes(bytes, false, options);
  const auto used = segment->lookup();
  LocalPattern pattern;
  const auto asked = [&](size_t row) {
    const BlockCache::Counters before = options.cache->counters();
    pattern.subject = keys.rows.subject[row];
    EXPECT_EQ(said(*used, {&pattern, 1}, Permutation::kSpo, 1'000).substr(0, 2), "1|");
    const BlockCache::Counters after = options.cache->counters();
    return after.hits + after.misses - before.hits - before.misses;
  };
  const size_t middle = keys.rows.size() / 2;
  EXPECT_GT(asked(middle), 0U);
  EXPECT_EQ(asked(middle + 20), 0U);
  EXPECT_EQ(asked(middle), 0U);
  EXPECT_EQ(asked(middle - 20), 0U);
}

// Damage is told for each key that needs the damaged block, and only for those.
TEST(LookUp, DamagedBlocksAreToldHoweverOneComesThere) {
  BuildOptions build;
  build.tile_bytes = 4'096;
  build.compress = false;  // so that a change reaches the structure
  const std::string bytes = make_segment(random_quads(9, 20'000, 0), build);
  const Keys keys = keys_of(bytes);
  ASSERT_GT(bytes.size(), 6 * 65'536U);
  Outcomes resealed;
  Outcomes flipped;
  for (uint64_t seed = 1; seed <= 60 && !testing::Test::HasFatalFailure(); ++seed) {
    base::Random random(seed);
    std::string damaged = bytes;
    for (int i = 0; i < 40; ++i) {
      const size_t at =
          damaged.size() / 4 + random.below(damaged.size() - damaged.size() / 4 - 200);
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    }
    expect_same_whatever_came_before(damaged, keys, {}, random, 200, flipped);
    reseal6(damaged);
    expect_same_whatever_came_before(damaged, keys, {}, random, 200, resealed);
  }
  EXPECT_GT(flipped.errors, 100U);
  EXPECT_GT(resealed.errors, 100U);
  EXPECT_GT(resealed.rows_after_error, 100U);
}

TEST(LookUp, RemoteFilesAndOpenGraphsAreLeftToScans) {
  const std::string bytes = make_segment(random_quads(1, 300, 2));
  LocalBatch rows;
  std::vector<uint32_t> ends;
  LocalPattern pattern;
  pattern.subject = 1;
  const auto far_away = open_bytes(bytes, true);
  const auto remote =
      far_away->lookup()->look_up({&pattern, 1}, Permutation::kSpo, 100, rows, ends, {});
  ASSERT_TRUE(remote.ok());
  EXPECT_EQ(*remote, 0);
  pattern.scope = GraphScope::kAllNamed;
  const auto segment = open_bytes(bytes);
  const auto open =
      segment->lookup()->look_up({&pattern, 1}, Permutation::kSpo, 100, rows, ends, {});
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(*open, 0);
}

}  // namespace
}  // namespace weft::rete
