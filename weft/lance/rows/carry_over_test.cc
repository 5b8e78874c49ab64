// A staged change meets a table that somebody else has compacted meanwhile.
#include "weft/lance/rows/carry_over.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "weft/lance/rows/testing/row_probe.h"
#include "weft/lance/table/live_rows.h"

namespace weft::lance {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::pair<uint64_t, Row>> rows_by_id(const Snapshot& snapshot) {
  std::vector<uint64_t> ids;
  const std::vector<Row> rows = RowProbe::read(snapshot, &ids);
  std::vector<std::pair<uint64_t, Row>> found;
  for (size_t i = 0; i < rows.size(); ++i) {
    found.emplace_back(ids[i], rows[i]);
  }
  std::ranges::sort(found);
  return found;
}

class CarryOver : public testing::Test {
 protected:
  // Four fragments that no commit folds, some rows of which are deleted.
  Snapshot several_fragments() {
    Snapshot at = probe_.make({{1, "a"}, {2, "b"}, {3, "c"}}, true, true);
    RowOptions apart = probe_.rows();
    apart.fold = false;
    at = probe_.apply(stage_append(at, {RowProbe::batch({{4, "d"}, {5, "e"}})}, apart));
    at = probe_.apply(stage_append(at, {RowProbe::batch({{6, "f"}})}, apart));
    at = probe_.apply(stage_delete(at, {row_address(0, 1)}, apart));
    return probe_.apply(stage_append(at, {RowProbe::batch({{7, "g"}, {8, "h"}})}, apart));
  }
  // Row 3 is changed, 9 is new, 4 goes; beside the table under a detached name.
  Snapshot stage_change(const Snapshot& base) {
    RowOptions apart = probe_.rows();
    apart.fold = false;
    const auto staged = stage_replacement(base,
                                          {.updates = RowProbe::batch({{3, "changed"}}),
                                           .addresses = {row_address(0, 2)},
                                           .removed = {row_address(1, 0)},
                                           .inserts = RowProbe::batch({{9, "new"}}),
                                           .inserted_keys = {}},
                                          apart);
    EXPECT_TRUE(put_staged(probe_.store, staged->objects_detached()).ok());
    return staged->snapshot().value();
  }
  Snapshot compact(const Snapshot& base) {
    auto staged = stage_compaction(base, {}, probe_.rows());
    EXPECT_TRUE(staged.ok() && staged->has_value());
    return probe_.apply(std::move(**staged));
  }

  RowProbe probe_;
};

TEST_F(CarryOver, ACompactionKeepsTheRowsAndAChangeDoesNot) {
  const Snapshot base = several_fragments();
  const Snapshot change = stage_change(base);
  const Snapshot compacted = compact(base);
  EXPECT_LT(compacted.manifest().fragments.size(), base.manifest().fragments.size());
  for (const RowTraits traits : {RowTraits::kIds, RowTraits::kIdsAndVersions}) {
    EXPECT_TRUE(has_same_rows(base, base, traits).value());
    EXPECT_TRUE(has_same_rows(base, compacted, traits).value());
    EXPECT_TRUE(has_same_rows(compacted, base, traits).value());
    EXPECT_FALSE(has_same_rows(compacted, change, traits).value());
    EXPECT_FALSE(has_same_rows(base, change, traits).value());
  }
}

TEST_F(CarryOver, AnUpdateInPlaceOfARowIsSeenByItsVersion) {
  const Snapshot base = several_fragments();
  const Snapshot updated =
      probe_.apply(stage_replace(base, RowProbe::batch({{3, "x"}}), {row_address(0, 2)},
                                 RowProbe::batch({}), {}, probe_.rows()));
  EXPECT_TRUE(has_same_rows(base, updated, RowTraits::kIds).value());
  EXPECT_FALSE(has_same_rows(base, updated, RowTraits::kIdsAndVersions).value());
}

TEST_F(CarryOver, TheChangeIsTheRowsThatLeftAndTheFragmentsThatCame) {
  const Snapshot base = several_fragments();
  const Snapshot to = stage_change(base);
  const RowChange change = row_change(base, to).value();
  EXPECT_THAT(change.gone, UnorderedElementsAre(2, 3));
  ASSERT_EQ(change.added.size(), 1U);
  EXPECT_EQ(change.added[0].physical_rows, 2U);
  EXPECT_THAT(addresses_of(base, change.gone).value(),
              UnorderedElementsAre(row_address(0, 2), row_address(1, 0)));
  EXPECT_EQ(addresses_of(base, {1}).error().kind(), ErrorKind::kConflict);  // was deleted
  const RowChange none = row_change(base, base).value();
  EXPECT_THAT(none.gone, IsEmpty());
  EXPECT_THAT(none.added, IsEmpty());
}

TEST_F(CarryOver, AChangeIsDoneAgainUponACompactedTable) {
  const Snapshot base = several_fragments();
  const Snapshot wanted = stage_change(base);
  const Snapshot compacted = compact(base);
  const Snapshot carried =
      probe_.apply(stage_carried_over(compacted, base, wanted, probe_.options()));
  EXPECT_EQ(rows_by_id(carried), rows_by_id(wanted));
  // The row that is new has an id that nobody else gets, and the version that made it.
  EXPECT_EQ(carried.manifest().next_row_id, wanted.manifest().next_row_id);
  const Fragment& last = carried.manifest().fragments.back();
  EXPECT_EQ(*expand_versions(*last.last_updated_at_versions, 2),
            (std::vector<VersionRun>{{2, carried.version()}}));
  EXPECT_EQ(version_at(*expand_versions(*last.created_at_versions, 2), 1), carried.version());
  EXPECT_EQ(version_at(*expand_versions(*last.created_at_versions, 2), 0), 1U);
  const Snapshot next =
      probe_.apply(stage_append(carried, {RowProbe::batch({{10, "j"}})}, probe_.rows()));
  EXPECT_EQ(RowProbe::read(next).size(), 8U);
  EXPECT_EQ(next.manifest().next_row_id, wanted.manifest().next_row_id + 1);
}

TEST_F(CarryOver, AnAppendStaysOne) {
  const Snapshot base = several_fragments();
  RowOptions apart = probe_.rows();
  apart.fold = false;
  const StagedTransaction staged = stage_append(base, {RowProbe::batch({{9, "i"}})}, apart).value();
  ASSERT_TRUE(put_staged(probe_.store, staged.objects).ok());
  const Snapshot compacted = compact(base);
  const auto carried =
      stage_carried_over(compacted, base, staged.snapshot().value(), probe_.options());
  ASSERT_TRUE(carried.ok()) << carried.error().to_string();
  EXPECT_EQ(operation_name(carried->transaction.operation), "Append");
  EXPECT_EQ(rows_by_id(probe_.apply(carried)), rows_by_id(staged.snapshot().value()));
}

}  // namespace
}  // namespace weft::lance
