#include "weft/lance/table/transaction.h"

#include <cctype>
#include <set>

#include <gtest/gtest.h>

#include "weft/codec/protobuf_wire.h"
#include "weft/lance/table/conflict.h"
#include "weft/lance/table/key_filter.h"
#include "weft/lance/table/testing/table_probe.h"

namespace weft::lance {
namespace {

TEST(Transaction, TheDocumentsAppendIsReadAndWrittenAgain) {
  const std::string bytes = bytes_of_hex(
      "0801122430303131323233332d343435352d343637372d383839392d61616262"
      "6363646465656666a2061f0a1d12190a0866312e6c616e6365120200011a0200"
      "012002280130f4042001");
  const auto parsed = parse_transaction(as_bytes(bytes));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->read_version, 1U);
  const auto* append = std::get_if<AppendOperation>(&parsed->operation);
  ASSERT_NE(append, nullptr);
  EXPECT_EQ(append->fragments.at(0).physical_rows, 1U);
  EXPECT_EQ(serialize_transaction(*parsed), bytes);
}

TEST(Transaction, EveryTransactionOfTheEnginesParsesAndIsFound) {
  std::set<std::string> operations;
  for (const std::string_view table :
       {"evolve_22", "rowids_22", "indexed_22", "branches_22", "config_22", "deletes_22",
        "lancedb40.lance", "mixed_files", "v1names_21"}) {
    const std::string folder = golden_folder(table);
    if (folder.empty()) {
      GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent: no transactions of engines are read";
    }
    const auto store = storage::open_local_store(folder).value();
    const TableLocation location{store.get(), "", ""};
    for (const VersionEntry& entry : list_versions(location).value().versions) {
      const auto snapshot = open_version(location, entry.version, entry.naming);
      ASSERT_TRUE(snapshot.ok()) << snapshot.error().to_string();
      const auto transaction = snapshot->transaction();
      ASSERT_TRUE(transaction.ok()) << transaction.error().to_string();
      ASSERT_TRUE(transaction->has_value()) << table << entry.version;
      EXPECT_LT((*transaction)->read_version, entry.version) << table;
      operations.insert(std::string(operation_name((*transaction)->operation)));
      const auto again = parse_transaction(as_bytes(serialize_transaction(**transaction)));
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(serialize_transaction(*again), serialize_transaction(**transaction));
    }
  }
  EXPECT_FALSE(operations.contains("unknown"));
  for (const char* name : {"Append", "Delete", "Overwrite", "CreateIndex", "Rewrite", "Merge",
                           "Restore", "Update", "Project", "UpdateConfig"}) {
    EXPECT_TRUE(operations.contains(name)) << name;
  }
}

TEST(Transaction, AnOperationThatIsNotKnownIsCarried) {
  codec::WireWriter writer;
  writer.u64(1, 4);
  writer.bytes(2, "u");
  writer.bytes(116, "secret");
  const auto parsed = parse_transaction(as_bytes(writer.str()));
  ASSERT_TRUE(parsed.ok());
  ASSERT_TRUE(std::holds_alternative<UnknownOperation>(parsed->operation));
  EXPECT_EQ(serialize_transaction(*parsed), writer.str());
}

Fragment with_id(uint64_t id) {
  Fragment fragment;
  fragment.id = id;
  fragment.physical_rows = 5;
  return fragment;
}

std::string filter_of(std::string_view key) {
  KeyFilter filter({0});
  filter.insert(key);
  return filter.serialize();
}

UpdateOperation upsert(std::optional<std::string> filter, uint64_t fragment = 99) {
  UpdateOperation operation;
  operation.updated_fragments = {with_id(fragment)};
  operation.new_fragments = {with_id(0)};
  operation.inserted_keys = std::move(filter);
  return operation;
}

std::vector<Operation> theirs_in_order() {
  DeleteOperation deletion;
  deletion.updated_fragments = {with_id(1)};
  RewriteOperation rewrite;
  rewrite.groups = {{{with_id(1)}, {with_id(7)}}};
  DataReplacementOperation replacement;
  replacement.replacements.emplace_back(1, DataFile());
  UpdateConfigOperation config;
  config.config = MapUpdate{{{"a", "1"}}, false};
  MergeOperation merge;
  merge.schema = {plain_field(0, "id", "int64")};
  return {AppendOperation{{with_id(0)}},
          deletion,
          upsert(std::nullopt, 1),
          rewrite,
          OverwriteOperation(),
          RestoreOperation{1},
          CreateIndexOperation(),
          merge,
          ProjectOperation(),
          ReserveOperation{1},
          config,
          replacement,
          UnknownOperation{112}};
}

// A row of the format's table: o ok, r retry, f fail; the columns are theirs_in_order().
struct Row {
  const char* name;
  Operation ours;
  const char* verdicts;
};

TEST(Conflict, TheFormatsTableHolds) {
  DeleteOperation same;
  same.updated_fragments = {with_id(1)};
  DeleteOperation other;
  other.updated_fragments = {with_id(2)};
  RewriteOperation rewrite_same;
  rewrite_same.groups = {{{with_id(1)}, {with_id(0)}}};
  RewriteOperation rewrite_other;
  rewrite_other.groups = {{{with_id(2)}, {with_id(0)}}};
  UpdateConfigOperation config_same;
  config_same.config = MapUpdate{{{"a", "2"}}, false};
  UpdateConfigOperation config_other;
  config_other.config = MapUpdate{{{"b", "2"}}, false};
  OverwriteOperation overwrite_key;
  overwrite_key.config_upserts = {{"a", "3"}};
  const std::vector<Row> rows = {
      //                                        ADUROSCMPVKXu
      {"append", AppendOperation{{with_id(0)}}, "ooooffoooooof"},
      {"delete, same fragment", same, "orrrfforooorf"},
      {"delete, other fragment", other, "ooooffOroooof"},
      {"update, same fragment", upsert(std::nullopt, 1), "orrrfforooorf"},
      {"rewrite, same fragment", rewrite_same, "orrrffrrooorf"},
      {"rewrite, other fragment", rewrite_other, "ooooffrroooof"},
      {"overwrite", OverwriteOperation(), "oooooooooooof"},
      {"overwrite with a key", overwrite_key, "oooooooooofof"},
      {"merge", MergeOperation(), "rrrrfforfoorf"},
      {"project", ProjectOperation(), "ooooFforrooof"},
      {"restore", RestoreOperation{1}, "oooooooooooof"},
      {"config, same key", config_same, "oooooooooofof"},
      {"config, other key", config_other, "oooooooooooof"},
      {"unknown", UnknownOperation{115}, "fffffffffffff"},
  };
  const std::vector<Operation> theirs = theirs_in_order();
  for (const Row& row : rows) {
    for (size_t i = 0; i < theirs.size(); ++i) {
      const Judgement judgement = judge(row.ours, theirs[i]);
      const char verdict = "orf"[static_cast<size_t>(judgement.verdict)];
      EXPECT_EQ(verdict, static_cast<char>(std::tolower(row.verdicts[i])))
          << row.name << " against " << operation_name(theirs[i]);
      EXPECT_EQ(judgement.reason.empty(), judgement.verdict == Verdict::kCompatible);
    }
  }
}

TEST(Conflict, AnUpsertIsNeverCarriedOverRowsThatMayHoldItsKeys) {
  const Operation ours = upsert(filter_of("k1"));
  EXPECT_EQ(judge(ours, AppendOperation{{with_id(0)}}).verdict, Verdict::kRetry);
  EXPECT_EQ(judge(ours, upsert(std::nullopt)).verdict, Verdict::kRetry);
  EXPECT_EQ(judge(ours, upsert(filter_of("k1"), 98)).verdict, Verdict::kRetry);
  EXPECT_EQ(judge(ours, upsert(filter_of("k2"), 98)).verdict, Verdict::kCompatible);
  UpdateOperation only_deletes;
  only_deletes.updated_fragments = {with_id(97)};
  EXPECT_EQ(judge(ours, only_deletes).verdict, Verdict::kCompatible);
}

TEST(KeyFilter, HashesAsTheSpecificationSays) {
  EXPECT_EQ(xxh64({}), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64(as_bytes("a")), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(xxh64(as_bytes("abc")), 0x44bc2cf5ad770999U);
  EXPECT_EQ(xxh64(as_bytes("Nobody inspects the spammish repetition")), 0xfbcea83c8a378bf1U);
}

TEST(KeyFilter, FindsWhatWasInsertedAndComparesFilters) {
  KeyFilter one({0});
  KeyFilter two({0});
  for (int i = 0; i < 1000; ++i) {
    one.insert("key-" + std::to_string(i));
  }
  two.insert("key-999");
  const auto read = KeyFilter::parse(as_bytes(one.serialize()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->serialize(), one.serialize());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_TRUE(read->may_contain("key-" + std::to_string(i)));
  }
  EXPECT_FALSE(read->may_contain("another"));
  EXPECT_TRUE(two.may_intersect(*read));
  KeyFilter third({0});
  third.insert("elsewhere");
  EXPECT_FALSE(two.may_intersect(third));
  KeyFilter of_other_columns({1});
  EXPECT_TRUE(two.may_intersect(of_other_columns));
  EXPECT_NE(one.serialize().find("\x76\x89\xea\xad\x81\xad\x42\x3f"), std::string::npos);
}

TEST(KeyFilter, AnotherFormIntersectsWithEverything) {
  codec::WireWriter exact;
  exact.packed_u64(1, {1, 2, 3});
  codec::WireWriter message;
  message.packed_i32(1, {0});
  message.message(2, exact);
  const auto filter = KeyFilter::parse(as_bytes(message.str()));
  ASSERT_TRUE(filter.ok());
  EXPECT_TRUE(filter->may_intersect(KeyFilter({0})));
  EXPECT_TRUE(filter->may_contain("x"));
}

// The golden table has an upsert of one engine with its filter: ours has the same bytes.
TEST(KeyFilter, HasTheBytesOfTheEngines) {
  const std::string folder = golden_folder("config_22");
  if (folder.empty()) {
    GTEST_SKIP() << "WEFT_TESTDATA/lance-golden is absent: no filter of an engine is read";
  }
  const auto store = storage::open_local_store(folder).value();
  const TableLocation location{store.get(), "", ""};
  size_t filters = 0;
  for (const VersionEntry& entry : list_versions(location).value().versions) {
    const auto transaction = open_version(location, entry.version).value().transaction().value();
    const auto* update = std::get_if<UpdateOperation>(&transaction->operation);
    if (update != nullptr && update->inserted_keys) {
      const auto filter = KeyFilter::parse(as_bytes(*update->inserted_keys));
      ASSERT_TRUE(filter.ok());
      EXPECT_EQ(filter->serialize(), *update->inserted_keys);
      EXPECT_FALSE(filter->may_intersect(KeyFilter(filter->field_ids())));
      ++filters;
    }
  }
  EXPECT_GT(filters, 0U);
}

}  // namespace
}  // namespace weft::lance
