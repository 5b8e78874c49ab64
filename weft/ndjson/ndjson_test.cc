#include <gmock/gmock.h>

#include "weft/ndjson/load_reader.h"
#include "weft/ndjson/table_columns.h"
#include "weft/ndjson/value_reader.h"

namespace weft::ndjson {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr base::WallTime kNow = {1'700'000'000'000'000};

class Load : public testing::Test {
 protected:
  void use(std::string_view text) {
    schema_ = *schema::compile(text);
    restart({});
  }
  void restart(LoadOptions options) {
    reader_ = std::make_unique<LoadReader>(schema_, kNow, random_, options);
  }
  // Feeds everything in pieces of `piece` bytes.
  Status load(std::string_view text, size_t piece = SIZE_MAX) {
    while (!text.empty()) {
      WEFT_TRY_STATUS(reader_->feed(text.substr(0, piece), {}));
      text.remove_prefix(std::min(piece, text.size()));
    }
    return reader_->finish({});
  }
  std::vector<std::string> violations_of(std::string_view text) {
    restart({});
    const Status status = load(text);
    std::vector<std::string> lines;
    for (const Violation& violation : reader_->violations().first()) {
      lines.push_back(to_string(violation));
    }
    EXPECT_EQ(status.ok(), lines.empty());
    return lines;
  }

  schema::Schema schema_;
  base::Random random_{3};
  std::unique_ptr<LoadReader> reader_;
};

constexpr std::string_view kPeople =
    "node Person { name: String @key age: I32? tags: [String]? v: Vector(2)? day: Date?\n"
    "  @range(age, 0..150) @check(name, \"^[a-z]\") }\n"
    "node Note { text: String }\n"
    "edge Knows: Person -> Person { since: I32? @unique(src, since) }";

TEST_F(Load, RowsBecomeColumnsWhereverTheTextIsCut) {
  use(kPeople);
  const std::string text =
      "{\"type\":\"Person\",\"data\":{\"name\":\"ann\",\"age\":30,\"tags\":[\"a\",\"b\"],\"v\":[1,"
      "2.5]}}\r\n"
      "\n"
      "{\"data\":{\"day\":\"1970-01-03\",\"name\":\"b\\u00e9\"},\"type\":\"Person\"}\n"
      "{\"edge\":\"knows\",\"from\":\"ann\",\"to\":\"b\xc3\xa9\",\"data\":{\"since\":7}}\n"
      "{\"type\":\"Note\",\"data\":{\"id\":\"n1\",\"text\":\"\"}}";
  for (const size_t piece : {size_t{1}, size_t{7}, SIZE_MAX}) {
    restart({});
    const Status status = load(text, piece);
    ASSERT_TRUE(status.ok()) << status.error().to_string();
    const auto batches = reader_->take_batches();
    ASSERT_EQ(batches.size(), 3U);
    EXPECT_EQ(batches[0].type, "Note");
    EXPECT_EQ(batches[1].type, "Person");
    EXPECT_EQ(batches[1].rows.schema()->to_string(),
              "id: string not null, name: string not null, age: int32, tags: list<item: string>, "
              "v: fixed_size_list<item: float>[2], day: date32[day]");
    EXPECT_THAT(batches[1].lines, ElementsAre(1, 3));
    EXPECT_EQ(batches[1].rows.row_count(), 2U);
    EXPECT_EQ(batches[1].rows.column(2)->null_count(), 1U);
    EXPECT_TRUE(batches[2].is_edge);
    EXPECT_EQ(batches[2].rows.column_count(), 4U);
    EXPECT_THAT(reader_->open_endpoints(), testing::IsEmpty());
    EXPECT_EQ(reader_->node_counts().at("Person"), 2U);
    EXPECT_EQ(reader_->edge_counts().at("Knows"), 1U);
  }
}

TEST_F(Load, AllViolationsAreReportedWithTheirLines) {
  use(kPeople);
  EXPECT_THAT(
      violations_of("{\"type\":\"Person\",\"data\":{\"age\":200,\"nick\":1}}\n"
                    "{\"type\":\"Robot\"}\n"
                    "{\"type\":\"Person\",\"data\":{\"name\":\"Bob\",\"age\":1.0,\"tags\":[1]}}\n"
                    "{nope\n"
                    "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"_rowid\":1,\"id\":\"y\"}}\n"
                    "{\"edge\":\"Knows\",\"from\":\"x\",\"data\":{}}\n"),
      ElementsAre(HasSubstr("line 1: range: property Person.age is 200, above its maximum 150"),
                  HasSubstr("line 1: unknown_property: Person has no property \"nick\""),
                  HasSubstr("line 1: required: property Person.name needs a value"),
                  HasSubstr("line 2: unknown_type: there is no node type \"Robot\""),
                  HasSubstr("line 3: check: property Person.name is \"Bob\""),
                  HasSubstr("line 3: value: property Person.age is I32, not 1.0"),
                  HasSubstr("line 3: value: property Person.tags is [String], not [1]"),
                  HasSubstr("line 4: input: expected '\"' (line 1, column 2 of the object)"),
                  HasSubstr("line 5: reserved_name: member _rowid"),
                  HasSubstr("line 5: noncanonical_id: id of Person is \"y\""),
                  HasSubstr("line 6: input: an edge needs `to`")));
  EXPECT_THAT(reader_->take_batches(), testing::IsEmpty());
}

TEST_F(Load, IdsAndUniqueValuesAreOnceInALoad) {
  use(kPeople);
  EXPECT_THAT(
      violations_of("{\"type\":\"Person\",\"data\":{\"name\":\"x\"}}\n"
                    "{\"type\":\"Person\",\"data\":{\"name\":\"y\"}}\n"
                    "{\"type\":\"Person\",\"data\":{\"name\":\"x\"}}\n"
                    "{\"edge\":\"Knows\",\"from\":\"x\",\"to\":\"y\",\"data\":{\"since\":1}}\n"
                    "{\"edge\":\"Knows\",\"from\":\"x\",\"to\":\"x\",\"data\":{\"since\":1}}\n"
                    "{\"edge\":\"Knows\",\"from\":\"x\",\"to\":\"x\"}\n"
                    "{\"edge\":\"Knows\",\"from\":\"x\",\"to\":\"x\"}\n"),
      ElementsAre(HasSubstr("line 3: unique: Person key (name) \"x\" stands in line 1"),
                  HasSubstr("line 5: unique: @unique(src, since) of Knows: \"x, 1\"")));
}

TEST_F(Load, AnIdHasALimit) {
  use(kPeople);
  const auto line = [](size_t bytes) {
    return "{\"type\":\"Person\",\"data\":{\"name\":\"" + std::string(bytes, 'x') + "\"}}\n";
  };
  EXPECT_THAT(violations_of(line(kIdBytesMax)), testing::IsEmpty());
  EXPECT_THAT(violations_of(line(kIdBytesMax + 1)),
              ElementsAre("line 1: limit: id of Person has 8193 bytes, which is more than 8192"));
}

TEST_F(Load, EndsThatTheLoadDoesNotBringAreHandedOn) {
  use(kPeople);
  ASSERT_TRUE(load("{\"edge\":\"Knows\",\"from\":\"late\",\"to\":\"gone\"}\n"
                   "{\"edge\":\"Knows\",\"from\":\"gone\",\"to\":\"late\"}\n"
                   "{\"type\":\"Person\",\"data\":{\"name\":\"late\"}}\n")
                  .ok());
  const auto open = reader_->open_endpoints();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].id, "gone");
  EXPECT_EQ(open[0].node_type, "Person");
  EXPECT_EQ(open[0].line, 1U);
  EXPECT_FALSE(open[0].is_source);
}

TEST_F(Load, KeysOfEveryTypeHaveTheirCanonicalIds) {
  use("node A { f: F64 @key } node B { d: Date @key } node C { x: String y: I32 @key(x, y) }\n"
      "node D { f: F32 @key } node E { u: U64 @key } node F { b: Bool @key }");
  const auto id_of = [this](const std::string& type, const std::string& data,
                            const std::string& id) {
    return violations_of("{\"type\":\"" + type + "\",\"data\":{\"id\":\"" + id + "\"," + data +
                         "}}\n")
        .empty();
  };
  EXPECT_TRUE(id_of("A", "\"f\":1e21", "1000000000000000000000"));
  EXPECT_TRUE(id_of("A", "\"f\":-0.0", "0"));
  EXPECT_TRUE(id_of("A", "\"f\":0.1", "0.1"));
  EXPECT_TRUE(id_of("D", "\"f\":16777217", "16777216"));
  EXPECT_TRUE(id_of("B", "\"d\":\"1969-12-31\"", "-1"));
  EXPECT_TRUE(id_of("C", "\"x\":\"a\\\"\",\"y\":1", "[\\\"a\\\\\\\"\\\",\\\"1\\\"]"));
  EXPECT_TRUE(id_of("E", "\"u\":18446744073709551615", "18446744073709551615"));
  EXPECT_TRUE(id_of("F", "\"b\":true", "true"));
  EXPECT_FALSE(id_of("B", "\"d\":\"1970-01-11\"", "1970-01-11"));
}

TEST_F(Load, ABlobIsUnsupportedByName) {
  use("node A { k: String @key b: Blob? }");
  EXPECT_THAT(violations_of("{\"type\":\"A\",\"data\":{\"k\":\"1\",\"b\":null}}\n"), ElementsAre());
  restart({});
  const Status status = load("{\"type\":\"A\",\"data\":{\"k\":\"1\",\"b\":\"x\"}}\n");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(std::string(status.error().fact("violation")), HasSubstr("A.b is Blob"));
}

TEST_F(Load, FullBatchesComeWhileTheLoadRuns) {
  use("node A { k: I64 @key }");
  restart({.batch_rows_max = 3});
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(
        reader_->feed("{\"type\":\"A\",\"data\":{\"k\":" + std::to_string(i) + "}}\n", {}).ok());
  }
  EXPECT_EQ(reader_->take_batches().size(), 2U);
  ASSERT_TRUE(reader_->finish({}).ok());
  const auto last = reader_->take_batches();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_THAT(last[0].lines, ElementsAre(7));
}

TEST_F(Load, TheFirstHundredViolationsByLineAreKeptAndAllAreCounted) {
  use("node A { k: I64 @key }\nnode B { k: I64 @key }\nedge E: A -> B");
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += "{\"type\":\"A\",\"data\":{}}\n";
  }
  EXPECT_EQ(violations_of(text).size(), Violations::kKeptMax);
  EXPECT_EQ(reader_->violations().count(), 300U);
  EXPECT_EQ(reader_->violations().first().back().line, 100U);
  const Error error = reader_->violations().to_error();
  EXPECT_EQ(error.message(), "load has 300 violations");
  EXPECT_EQ(error.facts().size(), Violations::kKeptMax);
}

TEST_F(Load, LinesTokensDepthAndMemoryHaveLimits) {
  use("node A { k: String @key t: String? l: [I32]? }");
  const std::string head = "{\"type\":\"A\",\"data\":{\"k\":\"1\",\"t\":\"";
  const std::string tail = "\"}}";
  const std::string longest(kLineBytesMax - head.size() - tail.size(), 'x');
  EXPECT_THAT(violations_of(head + longest + tail + "\n"), ElementsAre());
  EXPECT_THAT(violations_of(head + longest + "x" + tail + "\n{\"type\":\"Z\"}\n"),
              ElementsAre(HasSubstr("line 1: limit: a line has at most 33554432 bytes"),
                          HasSubstr("line 2: unknown_type")));
  restart({});
  EXPECT_EQ(load(head + longest + "xx" + tail).error().kind(), ErrorKind::kLimit);
  const auto list = [](size_t items) {
    std::string text = "{\"type\":\"A\",\"data\":{\"k\":\"1\",\"l\":[1";
    for (size_t i = 1; i < items; ++i) {
      text += ",1";
    }
    return text + "]}}\n";
  };
  // Counted twice, as the line is read once to see what it is; the limit is on each reading: the
  // outer object and its two members, the object of data and its two, the list.
  EXPECT_THAT(violations_of(list(30'000)), ElementsAre());
  EXPECT_THAT(violations_of(list(140'000)), ElementsAre(HasSubstr("more than 131072")));
  const std::string deep(200, '[');
  EXPECT_THAT(violations_of("{\"type\":\"A\",\"data\":{\"l\":" + deep + "\n"),
              ElementsAre(HasSubstr("more than 128 levels")));
  restart({.tracking_bytes_max = 64});
  EXPECT_EQ(load(head + "x" + tail + "\n").error().kind(), ErrorKind::kLimit);
}

TEST_F(Load, IsStoppedBetweenLines) {
  use("node A { k: String @key }");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(reader_->feed("{}\n", stop.get_token()).error().kind(), ErrorKind::kCancelled);
}

TEST(JsonReaderTest, MistakesAreNamed) {
  const auto reason = [](std::string_view line) {
    JsonReader json(line);
    return json.skip_value() && json.at_end() ? std::string() : json.reason();
  };
  EXPECT_EQ(reason("{\"a\":[1,-2.5e+3,true,false,null,\"\\ud83d\\ude00\"],\"b\":{}}"), "");
  EXPECT_THAT(reason("{\"a\":1,\"\\u0061\":2}"), HasSubstr("\"a\" stands twice"));
  EXPECT_THAT(reason("[{\"a\":1,\"a\":2}]"), HasSubstr("\"a\" stands twice"));
  EXPECT_THAT(reason("[1,]"), HasSubstr("expected a value"));
  EXPECT_THAT(reason("[1 2]"), HasSubstr("expected ','"));
  EXPECT_THAT(reason("{\"a\" 1}"), HasSubstr("expected ':'"));
  EXPECT_THAT(reason("01"), HasSubstr("malformed number"));
  EXPECT_THAT(reason("1."), HasSubstr("malformed number"));
  EXPECT_THAT(reason("-"), HasSubstr("malformed number"));
  EXPECT_THAT(reason("\"\\ud800\""), HasSubstr("lone surrogate"));
  EXPECT_THAT(reason("\"\\ud800\\u0041\""), HasSubstr("lone surrogate"));
  EXPECT_THAT(reason("\"a\tb\""), HasSubstr("control character"));
  EXPECT_THAT(reason("\"\\x\""), HasSubstr("unknown escape"));
  EXPECT_THAT(reason("\"abc"), HasSubstr("does not end"));
  EXPECT_THAT(reason("tru"), HasSubstr("expected 'true'"));
  EXPECT_THAT(reason("1 1"), HasSubstr("behind the value"));
  EXPECT_THAT(reason(""), HasSubstr("expected a value"));
}

}  // namespace
}  // namespace weft::ndjson
