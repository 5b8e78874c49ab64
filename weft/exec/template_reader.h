// Terms of templates (CONSTRUCT, DELETE, INSERT), filled from solutions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/random.h"
#include "weft/exec/row_batch.h"
#include "weft/plan/plan.h"
#include "weft/sparql/algebra.h"

namespace weft::exec {

// Labels that no document, no other query and no other update has: "_:q", 20 random characters,
// '_' and a number. Not thread-safe.
class BlankLabels {
 public:
  explicit BlankLabels(base::Random& random);
  std::string next() { return prefix_ + std::to_string(++count_); }
  const std::string& prefix() const { return prefix_; }

 private:
  std::string prefix_;
  uint64_t count_ = 0;
};

// Not thread-safe.
class TemplateReader {
 public:
  struct Part {
    std::string token;              // "": unbound or not RDF
    rdf::TermId id = rdf::kNoTerm;  // of a variable
  };

  // Rows have these columns, ascending. `labels` must outlive it.
  TemplateReader(plan::VariableList columns, BlankLabels& labels)
      : columns_(std::move(columns)), labels_(labels) {}

  // `tokens` are those of the batch, column by column. `batch` must stay until the next one.
  void begin_batch(const RowBatch& batch, std::vector<std::string> tokens) {
    batch_ = &batch;
    tokens_ = std::move(tokens);
  }
  // Blank nodes of templates are new for each row.
  void begin_row(size_t row) {
    row_ = row;
    row_labels_.clear();
  }
  Part part(const sparql::TemplateTerm& term);

  // True if three tokens make a triple.
  static bool is_triple(std::string_view subject, std::string_view predicate,
                        std::string_view object);

 private:
  plan::VariableList columns_;
  BlankLabels& labels_;
  const RowBatch* batch_ = nullptr;
  std::vector<std::string> tokens_;
  size_t row_ = 0;
  std::vector<std::string> row_labels_;  // by number
};

// The ids of a batch, column by column: what tokens are asked for.
std::vector<rdf::TermId> ids_of(const RowBatch& batch);

}  // namespace weft::exec
