#include <utility>

#include "tests/conformance/sparql/dataset_files.h"
#include "tests/conformance/sparql/evaluate.h"
#include "tests/conformance/sparql/test_graph.h"
#include "tests/conformance/sparql/update_store.h"

#include "weft/sparql/update.h"

namespace weft::conformance {
namespace {

Answers as_answers(const UpdateStore& store) {
  Answers answers;
  answers.kind = Answers::Kind::kGraph;
  for (const UpdateStore::Quad& quad : store.quads()) {
    answers.rows.push_back({quad[0], quad[1], quad[2], quad[3]});
  }
  return answers;
}

}  // namespace

Result<Answers> evaluate_update(const TestCase& test) {
  WEFT_TRY(const std::string text, read_text(test.query));
  sparql::ParseOptions options;
  options.base_iri = test.base_iri;
  WEFT_TRY(sparql::Update update, sparql::parse_update(text, options));
  UpdateStore store;
  WEFT_TRY_STATUS(read_dataset(test.data, test.named_data, store));
  WEFT_TRY_STATUS(store.run(std::move(update)));
  return as_answers(store);
}

Result<Answers> expected_store(const TestCase& test) {
  UpdateStore store;
  WEFT_TRY_STATUS(read_dataset(test.result_data, test.result_named_data, store));
  return as_answers(store);
}

}  // namespace weft::conformance
