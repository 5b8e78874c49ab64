#include "weft/results/result_writer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/bytes.h"
#include "weft/json/value.h"
#include "weft/results/writers.h"

namespace weft::results {
namespace {

class TextOutput final : public rdfio::OutputStream {
 public:
  Status write(ByteView bytes) override {
    text.append(as_text(bytes));
    return ok_status();
  }
  std::string text;
};

const std::string kXsdInteger = "^^<http://www.w3.org/2001/XMLSchema#integer>";

std::string written(ResultFormat format, const std::vector<std::string>& variables,
                    const std::vector<std::string>& tokens, size_t row_count) {
  TextOutput output;
  const auto writer = make_result_writer(format, output);
  Status status = writer->begin(variables);
  if (status.ok()) {
    status = writer->rows(tokens, row_count);
  }
  if (status.ok()) {
    status = writer->end();
  }
  return status.ok() ? output.text : status.error().to_string();
}

const std::vector<std::string> kTwo = {"a", "b"};
const std::vector<std::string> kTokens = {
    "<http://e/x,y>",         "\"q\\\"\\n<&>\"@en--rtl", "_:b0", "\"-5\"" + kXsdInteger, "",
    "<<<s> <p> \"o\"^^<d>>>",
};

TEST(JsonWriter, EveryKindOfTermHasItsObject) {
  EXPECT_EQ(written(ResultFormat::kJson, kTwo, kTokens, 3),
            "{\"head\":{\"vars\":[\"a\",\"b\"]},\"results\":{\"bindings\":[\n"
            "{\"a\":{\"type\":\"uri\",\"value\":\"http://e/x,y\"},\"b\":{\"type\":\"literal\","
            "\"value\":\"q\\\"\\n<&>\",\"xml:lang\":\"en\",\"its:dir\":\"rtl\"}},\n"
            "{\"a\":{\"type\":\"bnode\",\"value\":\"b0\"},\"b\":{\"type\":\"literal\",\"value\":"
            "\"-5\",\"datatype\":\"http://www.w3.org/2001/XMLSchema#integer\"}},\n"
            "{\"b\":{\"type\":\"triple\",\"value\":{\"subject\":{\"type\":\"uri\",\"value\":\"s\"},"
            "\"predicate\":{\"type\":\"uri\",\"value\":\"p\"},\"object\":{\"type\":\"literal\","
            "\"value\":\"o\",\"datatype\":\"d\"}}}}\n"
            "]}}\n");
}

TEST(JsonWriter, RowsWithoutColumnsAreCounted) {
  const std::string text = written(ResultFormat::kJson, {}, {}, 2);
  const Result<json::Value> document = json::parse(text);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->find("results")->find("bindings")->items().size(), 2U);
}

TEST(XmlWriter, TermsAreEscaped) {
  EXPECT_EQ(written(ResultFormat::kXml, kTwo, kTokens, 3),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\" "
            "xmlns:its=\"http://www.w3.org/2005/11/its\" its:version=\"2.0\">\n"
            "  <head>\n"
            "    <variable name=\"a\"/>\n"
            "    <variable name=\"b\"/>\n"
            "  </head>\n"
            "  <results>\n"
            "    <result>\n"
            "      <binding name=\"a\"><uri>http://e/x,y</uri></binding>\n"
            "      <binding name=\"b\"><literal xml:lang=\"en\" its:dir=\"rtl\">"
            "q&quot;&#xA;&lt;&amp;&gt;</literal></binding>\n"
            "    </result>\n"
            "    <result>\n"
            "      <binding name=\"a\"><bnode>b0</bnode></binding>\n"
            "      <binding name=\"b\"><literal "
            "datatype=\"http://www.w3.org/2001/XMLSchema#integer\">-5</literal></binding>\n"
            "    </result>\n"
            "    <result>\n"
            "      <binding name=\"b\"><triple><subject><uri>s</uri></subject><predicate>"
            "<uri>p</uri></predicate><object><literal datatype=\"d\">o</literal></object>"
            "</triple></binding>\n"
            "    </result>\n"
            "  </results>\n"
            "</sparql>\n");
}

TEST(XmlWriter, AControlCharacterIsAnErrorThatNamesIt) {
  const std::string text = written(ResultFormat::kXml, {"a"}, {"\"\\u0001\""}, 1);
  EXPECT_NE(text.find("XML cannot hold"), std::string::npos);
  EXPECT_NE(text.find("code_point=1"), std::string::npos);
}

TEST(CsvWriter, FieldsAreBareAndQuotedWhereNeeded) {
  EXPECT_EQ(written(ResultFormat::kCsv, kTwo, kTokens, 3),
            "a,b\r\n"
            "\"http://e/x,y\",\"q\"\"\n<&>\"\r\n"
            "_:b0,-5\r\n"
            ",\"<<( <s> <p> \"\"o\"\"^^<d> )>>\"\r\n");
}

TEST(TsvWriter, TermsAreSpelledAsInSparql) {
  EXPECT_EQ(written(ResultFormat::kTsv, kTwo, kTokens, 3),
            "?a\t?b\n"
            "<http://e/x,y>\t\"q\\\"\\n<&>\"@en--rtl\n"
            "_:b0\t-5\n"
            "\t<<( <s> <p> \"o\"^^<d> )>>\n");
}

TEST(TsvWriter, NumbersAreBareOnlyIfTheyReadBackAsThemselves) {
  const auto typed = [](const std::string& lexical, const std::string& local) {
    return "\"" + lexical + "\"^^<http://www.w3.org/2001/XMLSchema#" + local + ">";
  };
  for (const auto& [lexical, local] :
       std::vector<std::pair<std::string, std::string>>{{"0", "integer"},
                                                        {"-007", "integer"},
                                                        {"+1", "integer"},
                                                        {"1.0", "decimal"},
                                                        {".5", "decimal"},
                                                        {"1e3", "double"},
                                                        {"-1.5E-7", "double"},
                                                        {".5e0", "double"}}) {
    EXPECT_TRUE(has_bare_form(typed(lexical, local))) << lexical << local;
  }
  for (const auto& [lexical, local] :
       std::vector<std::pair<std::string, std::string>>{{"", "integer"},
                                                        {"-", "integer"},
                                                        {"1.0", "integer"},
                                                        {"1", "decimal"},
                                                        {"1.", "decimal"},
                                                        {".", "decimal"},
                                                        {"1.2.3", "decimal"},
                                                        {"1", "double"},
                                                        {"1.5", "double"},
                                                        {"INF", "double"},
                                                        {"1e", "double"},
                                                        {"e5", "double"},
                                                        {"5", "int"},
                                                        {"true", "boolean"}}) {
    EXPECT_FALSE(has_bare_form(typed(lexical, local))) << lexical << local;
  }
}

TEST(TableWriter, ColumnsAlignByWidthOnTheScreen) {
  EXPECT_EQ(
      written(ResultFormat::kTable, {"name", "n"},
              {"\"日本\"", "\"1\"" + kXsdInteger, "\"e\u0301\"", "", "<x>", "\"22\"" + kXsdInteger},
              3),
      "?name  | ?n\n"
      "-------+---\n"
      "\"日本\" | 1\n"
      "\"e\u0301\"    | \n"
      "<x>    | 22\n"
      "(3 rows)\n");
  EXPECT_EQ(written(ResultFormat::kTable, {"x"}, {}, 0), "?x\n--\n(0 rows)\n");
}

TEST(TableWriter, AlignsByTheFirstRowsAndStreamsTheRest) {
  std::vector<std::string> tokens(kTableSampleRows, "\"a\"");
  tokens.push_back("\"a longer one\"");
  const std::string text = written(ResultFormat::kTable, {"x"}, tokens, tokens.size());
  EXPECT_TRUE(text.starts_with("?x\n---\n\"a\"\n"));
  EXPECT_TRUE(text.ends_with("\"a longer one\"\n(1001 rows)\n"));
}

TEST(ResultWriter, BooleansInEveryFormat) {
  const std::vector<std::pair<ResultFormat, std::string>> cases = {
      {ResultFormat::kTable, "true\n"},
      {ResultFormat::kJson, "{\"head\":{},\"boolean\":true}\n"},
      {ResultFormat::kCsv, "true\r\n"},
      {ResultFormat::kTsv, "true\n"},
  };
  for (const auto& [format, expected] : cases) {
    TextOutput output;
    ASSERT_TRUE(make_result_writer(format, output)->boolean(true).ok());
    EXPECT_EQ(output.text, expected);
  }
}

TEST(ResultFormat, IsFoundByNameAndMediaType) {
  EXPECT_EQ(result_format_by_name("JSON"), ResultFormat::kJson);
  EXPECT_EQ(result_format_by_name("application/sparql-results+xml"), ResultFormat::kXml);
  EXPECT_EQ(result_format_by_name("text/turtle"), std::nullopt);
  EXPECT_EQ(result_format_name(ResultFormat::kTsv), "tsv");
}

}  // namespace
}  // namespace weft::results
