#include "weft/lance/table/manifest.h"

#include <array>

#include <gtest/gtest.h>

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/manifest_file.h"
#include "weft/lance/table/testing/table_probe.h"

namespace weft::lance {
namespace {

// docs/formats/lance.md, "Example": versions 1 and 3 of one table.
constexpr std::string_view kVersion1 = R"(
80000000122430303131323233332d343435352d343637372d383839392d6161
62626363646465656666b206570a1d12190a0866302e6c616e6365120200011a
0200012002280130fa04200212181202696420ffffffffffffffffff012a0569
6e7436343801121c120173180120ffffffffffffffffff012a06737472696e67
30013802b70000000a181202696420ffffffffffffffffff012a05696e743634
38010a1c120173180120ffffffffffffffffff012a06737472696e6730013802
121d12190a0866302e6c616e6365120200011a0200012002280130fa04200218
013a060880e2cfaa065800622a302d30303131323233332d343435352d343637
372d383839392d6161626263636464656566662e74786e6a150a0c6c772d7072
6f746f747970651205302e312e307a0c0a056c616e63651203322e31a8010084
00000000000000000002004c414e43)";
constexpr std::string_view kVersion3 = R"(
5c0000000802122430303131323233332d343435352d343637372d383839392d
616162626363646465656666aa06310a2712190a0866302e6c616e6365120200
011a0200012002280130fa041a08080110021807200120021a066964203d2031
e60000000a181202696420ffffffffffffffffff012a05696e74363438010a1c
120173180120ffffffffffffffffff012a06737472696e673001380212271219
0a0866302e6c616e6365120200011a0200012002280130fa041a080801100218
0720012002121f080112190a0866312e6c616e6365120200011a020001200228
0130f404200118033a060880e2cfaa06480150015801622a322d303031313232
33332d343435352d343637372d383839392d6161626263636464656566662e74
786e6a150a0c6c772d70726f746f747970651205302e312e307a0c0a056c616e
63651203322e31a801006000000000000000000002004c414e43)";

constexpr std::array<std::string_view, 23> kGolden = {
    "types_22",    "types_21",   "types_20",  "strings_22", "strings_21",     "runs_22",
    "runs_21",     "nested_22",  "nested_21", "nested_20",  "vectors_22",     "vectors_21",
    "wide_22",     "deletes_22", "evolve_22", "rowids_22",  "indexed_22",     "branches_22",
    "mixed_files", "v1names_21", "config_22", "empty_22",   "lancedb40.lance"};

TEST(Manifest, TheDocumentsBytesAreReadAndWrittenAgain) {
  for (const std::string_view hex : {kVersion1, kVersion3}) {
    const std::string file = bytes_of_hex(hex);
    const auto parsed = parse_manifest_file(as_bytes(file));
    ASSERT_TRUE(parsed.ok()) << parsed.error().to_string();
    EXPECT_EQ(parsed->manifest.fields.size(), 2U);
    EXPECT_EQ(serialize_manifest_file(parsed->manifest, parsed->index_section, parsed->transaction),
              file);
  }
  const auto third = parse_manifest_file(as_bytes(bytes_of_hex(kVersion3)));
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third->manifest.version, 3U);
  EXPECT_EQ(third->manifest.row_count(), 2U);
  EXPECT_EQ(third->manifest.next_fragment_id(), 2U);
  EXPECT_EQ(third->manifest.next_field_id(), 2);
  EXPECT_EQ(third->manifest.reader_flags, flags::kDeletionFiles);
}

TEST(Manifest, WhatEnginesWroteIsWrittenAgainByteForByte) {
  size_t versions = 0;
  for (const std::string_view table : kGolden) {
    const std::string folder = golden_folder(table);
    if (folder.empty()) {
      GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent: no manifests of engines are read";
    }
    const auto store = storage::open_local_store(folder).value();
    for (const storage::ObjectInfo& object : store->list("").value()) {
      if (!object.name.ends_with(".manifest")) {
        continue;
      }
      const auto bytes = store->get(object.name, 1U << 20U).value().bytes;
      const ByteView file = bytes.view();
      const auto parsed = parse_manifest_file(file);
      ASSERT_TRUE(parsed.ok()) << table << " " << object.name << parsed.error().to_string();
      codec::ByteReaderView trailer(file.last(16));
      const uint64_t at = trailer.u64();
      EXPECT_EQ(serialize_manifest(parsed->manifest),
                as_text(file.subspan(at + 4, file.size() - 16 - at - 4)))
          << table << " " << object.name;
      ++versions;
    }
  }
  EXPECT_GT(versions, 60U);
}

TEST(Manifest, UnknownFieldsAreKept) {
  const std::string file = bytes_of_hex(kVersion3);
  auto parsed = parse_manifest_file(as_bytes(file));
  ASSERT_TRUE(parsed.ok());
  codec::WireWriter unknown;
  unknown.bytes(25, "clustering");
  unknown.u64(4000, 7);
  const std::string message = serialize_manifest(parsed->manifest) + unknown.str();
  const auto again = parse_manifest(as_bytes(message));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->unknown, unknown.str());
  EXPECT_EQ(serialize_manifest(*again), message);
}

TEST(Manifest, FragmentsInATreeAndOverlaysAreRefusedByName) {
  Manifest manifest;
  manifest.version = 1;
  codec::WireWriter tree;
  tree.bytes(22, "tree");
  const auto refused = parse_manifest(as_bytes(serialize_manifest(manifest) + tree.str()));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
  for (const uint32_t field : {11U, 12U, 13U, 14U}) {
    codec::WireWriter overlay;
    overlay.bytes(field, "x");
    const auto fragment = parse_fragment(as_bytes(overlay.str()));
    ASSERT_FALSE(fragment.ok());
    EXPECT_EQ(fragment.error().kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(fragment.error().fact("field"), std::to_string(field));
  }
}

TEST(Manifest, FlagsAreRespectedInBothMasks) {
  for (uint64_t bit = 1; bit != 0; bit <<= 1U) {
    Manifest manifest;
    manifest.version = 1;
    manifest.reader_flags = bit;
    EXPECT_EQ(check_readable(manifest).ok(), (bit & flags::kReadable) != 0) << bit;
    EXPECT_EQ(check_writable(manifest).ok(), (bit & flags::kWritable) != 0) << bit;
    manifest.reader_flags = 0;
    manifest.writer_flags = bit;
    EXPECT_TRUE(check_readable(manifest).ok());
    EXPECT_EQ(check_writable(manifest).ok(), (bit & flags::kWritable) != 0) << bit;
  }
}

TEST(Manifest, FlagsFollowTheContent) {
  Manifest manifest;
  manifest.reader_flags = manifest.writer_flags = 1 | 2 | 8 | 16 | 32 | 256;
  recompute_flags(manifest);
  EXPECT_EQ(manifest.reader_flags, 2U | 32U | 256U);
  EXPECT_EQ(manifest.writer_flags, 2U | 32U | 256U);
  manifest.fragments.emplace_back().deletion_file.emplace();
  manifest.config.emplace_back("a", "b");
  manifest.base_paths.emplace_back();
  recompute_flags(manifest);
  EXPECT_EQ(manifest.reader_flags, 1U | 2U | 16U | 32U | 256U);
  EXPECT_EQ(manifest.writer_flags, 1U | 2U | 8U | 16U | 32U | 256U);
}

TEST(Manifest, ThePrimaryKeyIsInKeyOrder) {
  std::vector<layout::SchemaField> fields = {
      plain_field(0, "a", "int64"), plain_field(1, "b", "int64"), plain_field(2, "c", "int64")};
  EXPECT_TRUE(primary_key(fields).empty());
  fields[0].unenforced_primary_key = true;
  fields[0].unenforced_primary_key_position = 2;
  fields[2].metadata.emplace_back("lance-schema:unenforced-primary-key:position", "1");
  EXPECT_EQ(primary_key(fields), (std::vector<int32_t>{2, 0}));
  std::vector<layout::SchemaField> alone = {plain_field(4, "a", "int64")};
  alone[0].metadata.emplace_back("lance-schema:unenforced-primary-key", "true");
  EXPECT_EQ(primary_key(alone), (std::vector<int32_t>{4}));
}

TEST(ManifestFile, AnotherVersionChangesTheNumberAndTheLengthOnly) {
  const std::string file = bytes_of_hex(kVersion3);
  const uint64_t detached = kDetachedBit | 5U;
  const auto moved = with_version(as_bytes(file), detached);
  ASSERT_TRUE(moved.ok());
  // One byte of the number becomes ten.
  EXPECT_EQ(moved->size(), file.size() + 9);
  EXPECT_EQ(parse_manifest_file(as_bytes(*moved))->manifest.version, detached);
  const auto back = with_version(as_bytes(*moved), 3);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, file);
}

TEST(ManifestFile, EmptyAndTornFilesAreNamed) {
  const std::string file = bytes_of_hex(kVersion1);
  EXPECT_EQ(parse_manifest_file({}).error().fact("reason"), "empty");
  EXPECT_EQ(parse_manifest_file(as_bytes(std::string(300, '\0'))).error().fact("reason"), "torn");
  for (size_t size = 1; size < file.size(); ++size) {
    const auto cut = parse_manifest_file(as_bytes(file).first(size));
    ASSERT_FALSE(cut.ok()) << size;
    EXPECT_EQ(cut.error().kind(), ErrorKind::kCorrupt);
    EXPECT_EQ(cut.error().fact("reason"), "torn");
  }
}

TEST(ManifestFile, APointerOutsideOfTheFileIsDamage) {
  const std::string file = bytes_of_hex(kVersion1);
  const auto parsed = parse_manifest_file(as_bytes(file));
  ASSERT_TRUE(parsed.ok());
  for (const uint64_t at : {uint64_t{400}, UINT64_MAX, uint64_t{3}}) {
    Manifest manifest = parsed->manifest;
    manifest.transaction_section.reset();
    manifest.transaction_section_14 = at;
    std::string out;
    codec::append_u32(out, static_cast<uint32_t>(serialize_manifest(manifest).size()));
    out += serialize_manifest(manifest);
    codec::append_u64(out, 0);
    out += file.substr(file.size() - 8);
    EXPECT_FALSE(parse_manifest_file(as_bytes(out)).ok()) << at;
  }
}

TEST(Names, VersionsOfBothKindsAndDetachedOnes) {
  EXPECT_EQ(manifest_name(1), "_versions/18446744073709551614.manifest");
  EXPECT_EQ(manifest_name(7, Naming::kV1), "_versions/7.manifest");
  EXPECT_EQ(manifest_name(kDetachedBit | 1U), "_versions/d9223372036854775809.manifest");
  EXPECT_EQ(parse_manifest_name("18446744073709551614.manifest")->version, 1U);
  EXPECT_EQ(parse_manifest_name("7.manifest")->naming, Naming::kV1);
  EXPECT_EQ(parse_manifest_name("d9223372036854775809.manifest")->version, kDetachedBit | 1U);
  for (const std::string_view name :
       {"x.manifest", "_latest.manifest", ".tmp_7.manifest", "7.manifest-abc", "7.manifest#1",
        "0.manifest", "d7.manifest", "-1.manifest", "7 .manifest", ".manifest",
        "7.manifest.manifest", "latest_version_hint.json", "18446744073709551615.manifest",
        "99999999999999999999.manifest"}) {
    EXPECT_FALSE(parse_manifest_name(name).has_value()) << name;
  }
}

TEST(Names, BranchesAndTagsFollowTheRules) {
  for (const char* name : {"a", "feature/x", "rel-2.0", "a_b/c.d", "caf\xc3\xa9"}) {
    EXPECT_TRUE(check_branch_name(name).ok()) << name;
  }
  for (const char* name :
       {"", "main", "/a", "a/", "a//b", "a..b", ".a", "a.", "a.lock", "a b", "a%2Fb"}) {
    EXPECT_FALSE(check_branch_name(name).ok()) << name;
  }
  EXPECT_FALSE(check_tag_name("a/b").ok());
  EXPECT_EQ(branch_file_name("a/b/c"), "a%2Fb%2Fc");
  EXPECT_EQ(branch_of_file_name("a%2Fb%2Fc"), "a/b/c");
}

}  // namespace
}  // namespace weft::lance
