#include "weft/lance/table/deletions.h"

#include <gtest/gtest.h>

#include "weft/lance/table/roaring_check.h"
#include "weft/lance/table/row_sequence.h"
#include "weft/lance/table/testing/table_probe.h"

namespace weft::lance {
namespace {

Deletions of(const std::vector<uint32_t>& offsets) {
  Deletions deletions;
  for (const uint32_t offset : offsets) {
    deletions.add(offset);
  }
  return deletions;
}

TEST(Deletions, OneRowHasTheDocumentsBytes) {
  EXPECT_EQ(of({0}).serialize_bitmap(), bytes_of_hex("3a3000000100000000000000100000000000"));
}

TEST(Deletions, ReadBackWhatTheyWrite) {
  base::Random random(1);
  for (const uint64_t share : {1U, 3U, 50U, 97U, 100U}) {
    Deletions deletions;
    for (uint32_t offset = 0; offset < 200'000; ++offset) {
      if (random.chance(share, 100)) {
        deletions.add(offset);
      }
    }
    const std::string bytes = deletions.serialize_bitmap();
    const auto read = Deletions::parse_bitmap(as_bytes(bytes));
    ASSERT_TRUE(read.ok()) << read.error().to_string();
    EXPECT_EQ(*read, deletions);
    EXPECT_EQ(read->serialize_bitmap(), bytes);
  }
}

TEST(Deletions, RunsAreReadAndNeverWritten) {
  // Cookie 12347, one container with a run of 100 from 5 on.
  const std::string runs = bytes_of_hex(
      "3b300000"
      "01"
      "00006300"
      "0100"
      "05006300");
  const auto read = Deletions::parse_bitmap(as_bytes(runs));
  ASSERT_TRUE(read.ok()) << read.error().to_string();
  EXPECT_EQ(read->count(), 100U);
  EXPECT_TRUE(read->contains(104));
  EXPECT_FALSE(read->contains(105));
  EXPECT_EQ(read->serialize_bitmap().substr(0, 4), bytes_of_hex("3a300000"));
}

TEST(Deletions, LiveOffsetsAreTheOthers) {
  const Deletions deletions = of({0, 3, 4, 9, 70'000});
  EXPECT_EQ(deletions.live_offsets(0, 6), (std::vector<uint32_t>{1, 2, 5}));
  EXPECT_EQ(deletions.live_offsets(3, 5), std::vector<uint32_t>());
  EXPECT_EQ(deletions.live_offsets(69'999, 70'002), (std::vector<uint32_t>{69'999, 70'001}));
  EXPECT_EQ(Deletions().live_offsets(2, 4), (std::vector<uint32_t>{2, 3}));
}

TEST(Deletions, DamagedBitmapsAreRefused) {
  const std::vector<const char*> damaged = {
      "",
      "3a30",
      "3b30",
      "00000000"
      "01000000",
      "3a300000"
      "ffffffff",  // containers beyond the bytes
      "3a300000"
      "01000000"
      "00000000"
      "10000000",  // no value
      "3a300000"
      "01000000"
      "00000000"
      "11000000"
      "0000",  // a wrong offset
      "3a300000"
      "01000000"
      "00000100"
      "10000000"
      "0500"
      "0500",  // values repeat
      "3a300000"
      "01000000"
      "00000100"
      "10000000"
      "0600"
      "0500",  // values descend
      "3a300000"
      "01000000"
      "00000000"
      "10000000"
      "0500"
      "0600",  // bytes behind the end
      "3a300000"
      "02000000"
      "0100000001000000"
      "18000000"
      "1a000000"
      "05000600",  // keys repeat
      "3b300000"
      "01"
      "00006200"
      "0100"
      "05006300",  // a wrong cardinality
      "3b300000"
      "01"
      "00006300"
      "0100"
      "ffff6300",  // a run beyond 65535
      "3b300000"
      "01"
      "00000300"
      "0200"
      "05000100"
      "06000100",  // runs overlap
  };
  for (const char* hex : damaged) {
    EXPECT_FALSE(Deletions::parse_bitmap(as_bytes(bytes_of_hex(hex))).ok()) << hex;
  }
  // A bitset whose bits are fewer than it says.
  std::string bitset = bytes_of_hex(
      "3a300000"
      "01000000"
      "0000ffff"
      "10000000");
  bitset.append(8192, '\x7f');
  EXPECT_FALSE(Deletions::parse_bitmap(as_bytes(bitset)).ok());
}

TEST(Deletions, FilesOfTheEnginesFitTheirFragments) {
  size_t arrows = 0;
  size_t bitmaps = 0;
  for (const std::string_view table : {"deletes_22", "branches_22", "evolve_22", "rowids_22",
                                       "indexed_22", "lancedb40.lance", "config_22"}) {
    const std::string folder = golden_folder(table);
    if (folder.empty()) {
      GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent: no deletion files of engines are read";
    }
    const auto store = storage::open_local_store(folder).value();
    const TableLocation location{store.get(), "", ""};
    for (const VersionEntry& entry : list_versions(location).value().versions) {
      const Snapshot snapshot = open_version(location, entry.version).value();
      for (const Fragment& fragment : snapshot.manifest().fragments) {
        if (!fragment.deletion_file) {
          continue;
        }
        const std::string name =
            snapshot.deletion_name(fragment.id, *fragment.deletion_file).value();
        const auto deletions = read_deletions(*store, name, "", fragment);
        ASSERT_TRUE(deletions.ok()) << deletions.error().to_string();
        EXPECT_EQ(deletions->count(), fragment.deletion_file->deleted_row_count);
        (fragment.deletion_file->kind == DeletionFile::Kind::kArrow ? arrows : bitmaps) += 1;
        // Every cut is refused.
        const auto bytes = store->get(name, kDeletionFileBytesMax).value().bytes;
        for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 97) {
          const ByteView cut = bytes.view().first(size);
          EXPECT_FALSE((fragment.deletion_file->kind == DeletionFile::Kind::kArrow
                            ? Deletions::parse_arrow(cut, fragment.physical_rows)
                            : Deletions::parse_bitmap(cut))
                           .ok());
        }
      }
    }
  }
  EXPECT_GT(arrows, 0U);
  EXPECT_GT(bitmaps, 0U);
}

TEST(Deletions, AFileThatDoesNotFitItsFragmentIsNamed) {
  TableProbe probe;
  Fragment fragment;
  fragment.physical_rows = 10;
  fragment.deletion_file = DeletionFile{DeletionFile::Kind::kBitmap, 1, 2, 2, {}, {}};
  const auto put = [&](const std::string& name, const Deletions& deletions) {
    ASSERT_TRUE(probe.store.put_if_absent(name, as_bytes(deletions.serialize_bitmap())).ok());
  };
  put("fits", of({1, 9}));
  put("beyond", of({1, 10}));
  put("fewer", of({1}));
  EXPECT_TRUE(read_deletions(probe.store, "fits", "", fragment).ok());
  EXPECT_EQ(read_deletions(probe.store, "beyond", "", fragment).error().kind(),
            ErrorKind::kCorrupt);
  EXPECT_EQ(read_deletions(probe.store, "fewer", "", fragment).error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read_deletions(probe.store, "gone", "", fragment).error().kind(), ErrorKind::kCorrupt);
  EXPECT_TRUE(read_deletions(probe.store, "gone", "fits", fragment).ok());
}

TEST(RowSequence, ReadsBackWhatItWrites) {
  base::Random random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> ids;
    uint64_t id = random.below(1000);
    const uint64_t spread = uint64_t{1} << random.below(50);
    for (uint64_t i = random.below(60); i > 0; --i) {
      ids.push_back(id);
      id = random.chance(1, 2) ? id + 1 : random.below(spread);
    }
    const std::string sequence = serialize_row_ids(ids);
    EXPECT_EQ(expand_row_ids(sequence, ids.size()).value(), ids);
    EXPECT_EQ(row_id_count(sequence).value(), ids.size());
    if (!ids.empty()) {
      EXPECT_EQ(expand_row_ids(sequence, ids.size() - 1).error().kind(), ErrorKind::kLimit);
    }
  }
}

TEST(RowSequence, HasTheDocumentsBytes) {
  EXPECT_EQ(serialize_row_ids({5, 6}), bytes_of_hex("0a060a0408051007"));
  EXPECT_EQ(serialize_versions({{2, 7}}), bytes_of_hex("0a080a040a0210021007"));
}

TEST(RowSequence, SegmentsOfEveryFormAreRead) {
  // 10..20 with holes 12 and 15; 30..38 with a bitmap; a sorted array of two.
  const std::string holes = bytes_of_hex("0a10120e080a10141a080a06120400000000");
  EXPECT_FALSE(expand_row_ids(holes, 100).value().empty());
  const std::string with_holes = bytes_of_hex(
      "0a12"
      "1210"
      "080a"
      "1014"
      "1a0a"
      "0a08"
      "080c"
      "1204"
      "00000300");
  EXPECT_EQ(expand_row_ids(with_holes, 100).value(),
            (std::vector<uint64_t>{10, 11, 13, 14, 16, 17, 18, 19}));
  EXPECT_EQ(row_id_count(with_holes).value(), 8U);
  const std::string bitmap = bytes_of_hex(
      "0a09"
      "1a07"
      "081e"
      "1026"
      "1a01"
      "a5");
  EXPECT_EQ(expand_row_ids(bitmap, 100).value(), (std::vector<uint64_t>{30, 32, 35, 37}));
  EXPECT_EQ(row_id_count(bitmap).value(), 4U);
}

TEST(RowSequence, ClaimsAreBoundedByTheFragment) {
  EXPECT_EQ(expand_row_ids(serialize_row_id_range(0, UINT64_MAX), 10).error().kind(),
            ErrorKind::kLimit);
  EXPECT_EQ(expand_versions(serialize_versions({{11, 1}}), 10).error().kind(), ErrorKind::kLimit);
  EXPECT_TRUE(expand_versions(serialize_versions({{10, 1}}), 10).ok());
}

TEST(RowSequence, RunsJoinAndAnswer) {
  std::vector<VersionRun> runs;
  append_run(runs, 2, 7);
  append_run(runs, 0, 8);
  append_run(runs, 1, 7);
  append_run(runs, 4, 9);
  EXPECT_EQ(runs, (std::vector<VersionRun>{{3, 7}, {4, 9}}));
  EXPECT_EQ(expand_versions(serialize_versions(runs), 7).value(), runs);
  EXPECT_EQ(version_at(runs, 2), 7U);
  EXPECT_EQ(version_at(runs, 3), 9U);
}

TEST(RowSequence, SpansOfVersionsMayHaveHolesAndBitmaps) {
  // As engine 14 leaves them when it compacts fragments with deleted rows: a bitmap of four
  // positions at version 7, eight of ten positions at version 9.
  const std::string spans = bytes_of_hex(
      "0a0d"
      "0a09"
      "1a07081e10261a01a5"
      "1007"
      "0a16"
      "0a12"
      "1210080a10141a0a0a08080c120400000300"
      "1009");
  EXPECT_EQ(expand_versions(spans, 12).value(), (std::vector<VersionRun>{{4, 7}, {8, 9}}));
  EXPECT_EQ(expand_versions(spans, 11).error().kind(), ErrorKind::kLimit);
}

TEST(RowSequence, SequencesOfTheEnginesAreRead) {
  const std::string folder = golden_folder("rowids_22");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent: no row ids of engines are read";
  }
  const auto store = storage::open_local_store(folder).value();
  const TableLocation location{store.get(), "", ""};
  for (const VersionEntry& entry : list_versions(location).value().versions) {
    const Snapshot snapshot = open_version(location, entry.version).value();
    ASSERT_TRUE(snapshot.manifest().has_stable_row_ids());
    for (const Fragment& fragment : snapshot.manifest().fragments) {
      const auto ids = expand_row_ids(*fragment.row_ids, fragment.physical_rows);
      ASSERT_TRUE(ids.ok()) << ids.error().to_string();
      EXPECT_EQ(ids->size(), fragment.physical_rows);
      EXPECT_EQ(row_id_count(*fragment.row_ids).value(), fragment.physical_rows);
      for (const auto* versions :
           {&fragment.created_at_versions, &fragment.last_updated_at_versions}) {
        ASSERT_TRUE(versions->has_value());
        const auto runs = expand_versions(**versions, fragment.physical_rows);
        ASSERT_TRUE(runs.ok()) << runs.error().to_string();
      }
    }
  }
}

}  // namespace
}  // namespace weft::lance
