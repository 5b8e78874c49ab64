#include "weft/catalog/records.h"

#include <gtest/gtest.h>

#include "weft/columns/builder.h"

namespace weft::catalog {
namespace {

class CatalogRecords : public testing::Test {
 protected:
  base::Ulid ulid() { return base::Ulid::make({1'800'000'000'000'000}, random_); }

  CommitRecord commit() {
    CommitRecord made;
    made.id = ulid();
    made.operation = ulid();
    made.parent = ulid();
    made.kind = "load";
    made.actor = "ana";
    made.message = "say \"hello\"\n";
    made.idempotency_key = "k1";
    made.request_hash = "00ff";
    made.created_at = {1'800'000'000'000'001};
    made.catalog_version = 7;
    return made;
  }
  TableEntry table(std::string key) {
    TableEntry made;
    made.identity = {ulid(), ulid()};
    made.path = table_path(key, made.identity);
    made.key = std::move(key);
    made.pin = {"review.x", UINT64_MAX, 4'096, "ab", "cd", 12, 1'000, UINT64_MAX - 1, "ef"};
    return made;
  }
  CatalogState state() {
    CatalogState made;
    made.head = commit();
    made.schema = SchemaPin{"_schema/ab.pg", 120, "ab"};
    made.tables = {table("edge:Knows"), table("node:Person")};
    return made;
  }
  static ErrorKind kind(const std::vector<columns::Batch>& batches) {
    const auto parsed = parse_pointers(batches);
    return parsed.ok() ? ErrorKind::kInternal : parsed.error().kind();
  }

  base::Random random_{5};
};

TEST_F(CatalogRecords, PointersComeBackAsTheyWere) {
  const CatalogState made = state();
  EXPECT_EQ(*parse_pointers({pointer_rows(made)}), made);
  CatalogState bare;
  bare.head.id = ulid();
  bare.head.operation = ulid();
  bare.head.kind = "init";
  bare.head.actor = "ana";
  EXPECT_EQ(*parse_pointers({pointer_rows(bare)}), bare);
}

TEST_F(CatalogRecords, CommitsComeBackAsTheyWere) {
  CommitRecord merge = commit();
  merge.merged_parent = ulid();
  CommitRecord first = commit();
  first.parent.reset();
  first.message.clear();
  const std::vector<CommitRecord> made = {first, merge};
  EXPECT_EQ(*parse_commits(commit_rows(made)), made);
  EXPECT_TRUE(parse_commits(pointer_rows(state()))->empty());
}

TEST_F(CatalogRecords, TablesAreFoundByNameAndByIdentity) {
  const CatalogState made = state();
  EXPECT_EQ(made.find("node:Person"), &made.tables[1]);
  EXPECT_EQ(made.find(made.tables[0].identity), &made.tables[0]);
  EXPECT_EQ(made.find("node:Perso"), nullptr);
  EXPECT_EQ(made.find(TableIdentity{ulid(), ulid()}), nullptr);
}

TEST_F(CatalogRecords, PointersThatContradictEachOtherAreRefused) {
  CatalogState made = state();
  const columns::Batch rows = pointer_rows(made);
  EXPECT_EQ(kind({rows, rows}), ErrorKind::kCorrupt);
  EXPECT_EQ(kind({}), ErrorKind::kCorrupt);
  EXPECT_EQ(kind({commit_rows({made.head})}), ErrorKind::kCorrupt);
  CatalogState same_key = made;
  same_key.tables[1].key = same_key.tables[0].key;
  EXPECT_EQ(kind({pointer_rows(same_key)}), ErrorKind::kCorrupt);
  CatalogState same_identity = made;
  same_identity.tables[1].identity = same_identity.tables[0].identity;
  EXPECT_EQ(kind({pointer_rows(same_identity)}), ErrorKind::kCorrupt);
}

TEST_F(CatalogRecords, AMissingOrMalformedMemberIsNamed) {
  const columns::Batch rows = pointer_rows(state());
  const size_t metadata = rows.schema()->index_of("metadata");
  for (const std::string_view text :
       {"", "{", "[]", "{}", R"({"detached_version":1})",
        R"({"detached_version":"x","size_bytes":1,"detached_hash":"a","head_hash":"b"})"}) {
    // The last row is a table.
    columns::ArrayBuilder changed(rows.column(metadata)->type());
    for (size_t i = 0; i + 1 < rows.row_count(); ++i) {
      changed.append_from(*rows.column(metadata), i);
    }
    changed.append_text(text);
    std::vector<columns::ArrayPtr> arrays = rows.columns();
    arrays[metadata] = changed.finish();
    const auto batch = columns::Batch::make(rows.schema(), arrays, rows.row_count());
    const auto parsed = parse_pointers({*batch});
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kCorrupt) << text;
    EXPECT_TRUE(parsed.error().fact("row").starts_with("table:")) << text;
  }
}

TEST_F(CatalogRecords, PathsHoldPlainCharactersAndTheIdentity) {
  const TableIdentity identity{ulid(), ulid()};
  const std::string ids = identity.id.text() + "-" + identity.incarnation.text() + ".lance";
  EXPECT_EQ(table_path("node:Per/son.é", identity), "nodePerson-" + ids);
  EXPECT_LT(table_path(std::string(10'000, 'x'), identity).size(), 240U);
}

}  // namespace
}  // namespace weft::catalog
