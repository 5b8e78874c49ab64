#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "weft/exec/operators/join_table.h"
#include "weft/exec/operators/operator.h"
#include "weft/exec/operators/output_map.h"
#include "weft/exec/row_store.h"
#include "weft/exec/service_client.h"
#include "weft/exec/token_reader.h"
#include "weft/plan/variable_set.h"
#include "weft/rdf/term.h"

namespace weft::exec {
namespace {

// Different keys that one request names in VALUES, and the bytes they may take.
constexpr size_t kKeysPerRequest = 200;

// Takes left rows a few at a time, asks the endpoint for the rows that fit their keys, and joins.
class ServiceJoinOperator final : public Operator {
 public:
  ServiceJoinOperator(const plan::PlanNode& node, Execution& execution,
                      const plan::ServiceJoin& join, OperatorPtr left)
      : Operator(node, execution),
        service_(join.service),
        left_(std::move(left)),
        left_columns_(left_->node().columns),
        found_columns_(join.service.variables),
        shared_(plan::intersect(left_columns_, found_columns_)),
        map_(node.columns, left_columns_, left_->node().certain, found_columns_) {
    endpoint_column_ = service_.endpoint.variable
                           ? column_of(left_columns_, *service_.endpoint.variable)
                           : kNoColumn;
    // A shared variable may be unbound in what comes.
    left_loose_ = columns_of(left_columns_, shared_);
    found_loose_ = columns_of(found_columns_, shared_);
  }

 protected:
  Status produce(RowBatch& out) override {
    while (out.rows < wanted_rows()) {
      if (match_at_ < matches_.size()) {
        emit(out);
      } else if (row_at_ < batch_.rows) {
        WEFT_TRY_STATUS(next_request());
      } else {
        WEFT_TRY_STATUS(left_->next(batch_));
        row_at_ = 0;
        if (batch_.empty()) {
          return ok_status();
        }
      }
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
    return ok_status();
  }

 private:
  // Asks for the next left rows that have one endpoint.
  Status next_request() {
    part_.reset(left_columns_.size());
    rdf::TermId endpoint = service_.endpoint.id;
    while (row_at_ < batch_.rows && part_.rows < kKeysPerRequest) {
      if (service_.endpoint.variable) {
        const rdf::TermId wanted = endpoint_column_ == kNoColumn
                                       ? rdf::kNoTerm
                                       : batch_.columns[endpoint_column_][row_at_];
        if (part_.rows != 0 && wanted != endpoint) {
          break;
        }
        endpoint = wanted;
      }
      part_.append_row(batch_, row_at_++);
    }
    std::vector<std::string> tokens;
    if (service_.endpoint.variable) {
      WEFT_TRY_STATUS(read_tokens(execution_.source, execution_.pool, {&endpoint, 1}, tokens));
    } else {
      tokens.push_back(service_.endpoint.text);
    }
    table_.emplace(found_columns_.size(), std::vector<size_t>(), found_loose_, &execution_.budget);
    const Status asked = ask(tokens.front());
    if (!asked.ok()) {
      const ErrorKind kind = asked.error().kind();
      if (!service_.silent || kind == ErrorKind::kLimit || kind == ErrorKind::kCancelled) {
        return asked;
      }
      WEFT_TRY_STATUS(nothing_known());
    }
    WEFT_TRY_STATUS(table_->finish());
    matches_.clear();
    match_at_ = 0;
    return table_->probe(part_, {}, left_loose_, false, scratch_, matches_);
  }

  // SILENT: one solution that binds nothing (SPARQL 1.1 Federated Query §2.3).
  Status nothing_known() {
    table_.emplace(found_columns_.size(), std::vector<size_t>(), found_loose_, &execution_.budget);
    RowBatch row;
    row.reset(found_columns_.size());
    row.rows = 1;
    for (Column& column : row.columns) {
      column.push_back(rdf::kNoTerm);
    }
    return table_->add(row);
  }

  Status ask(const std::string& endpoint) {
    if (endpoint.empty() || rdf::kind_of(endpoint) != rdf::TermKind::kIri) {
      return Error(ErrorKind::kInvalid, "SERVICE needs the IRI of an endpoint")
          .with("endpoint", endpoint);
    }
    if (execution_.services == nullptr) {
      return Error(ErrorKind::kDenied, "SERVICE may ask no endpoint").with("endpoint", endpoint);
    }
    WEFT_TRY(const std::string values, values_clause());
    WEFT_TRY(const ServiceAnswer answer,
             execution_.services->select(rdf::iri_of(endpoint), service_.query + values,
                                         execution_.budget, execution_.interrupt.stop()));
    return take(answer);
  }

  // The different keys, unless some are unbound or blank nodes, which mean nothing elsewhere.
  // Tokens of IRIs and literals are SPARQL as they stand.
  Result<std::string> values_clause() {
    if (shared_.empty()) {
      return std::string();
    }
    std::vector<rdf::TermId> ids;
    for (const size_t column : left_loose_) {
      ids.insert(ids.end(), part_.columns[column].begin(), part_.columns[column].end());
    }
    std::vector<std::string> tokens;
    WEFT_TRY_STATUS(read_tokens(execution_.source, execution_.pool, ids, tokens));
    std::vector<std::string> rows;
    for (size_t row = 0; row < part_.rows; ++row) {
      std::string text = "(";
      for (size_t i = 0; i < shared_.size(); ++i) {
        const std::string& token = tokens[i * part_.rows + row];
        // Beside an UNDEF, rows that fit another key would come twice.
        if (token.empty() || token.starts_with("_:") || token.starts_with("<<")) {
          return std::string();
        }
        text += " " + token;
      }
      rows.push_back(text + " )\n");
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::string clause = "\nVALUES (";
    for (const plan::Variable variable : shared_) {
      clause += " ?" + service_.names[column_of(found_columns_, variable)];
    }
    clause += " ) {\n";
    for (const std::string& row : rows) {
      clause += row;
    }
    return clause + "}";
  }

  // The answer becomes the built side.
  Status take(const ServiceAnswer& answer) {
    std::vector<size_t> columns;  // of the answer, by found column
    for (const std::string& name : service_.names) {
      const auto found = std::find(answer.variables.begin(), answer.variables.end(), name);
      columns.push_back(static_cast<size_t>(found - answer.variables.begin()));
    }
    std::map<std::string, std::string, std::less<>> labels;
    for (size_t begin = 0; begin < answer.rows.size(); begin += kBatchRows) {
      const size_t count = std::min(kBatchRows, answer.rows.size() - begin);
      RowBatch rows;
      rows.reset(found_columns_.size());
      rows.rows = count;
      for (size_t c = 0; c < columns.size(); ++c) {
        Column& column = rows.columns[c];
        for (size_t row = begin; row < begin + count; ++row) {
          const auto& cells = answer.rows[row];
          if (columns[c] >= cells.size() || !cells[columns[c]]) {
            column.push_back(rdf::kNoTerm);
            continue;
          }
          WEFT_TRY(const rdf::TermId id, id_of(*cells[columns[c]], labels));
          column.push_back(id);
        }
        WEFT_TRY_STATUS(execution_.resolve(column));
      }
      WEFT_TRY_STATUS(table_->add(rows));
      WEFT_TRY_STATUS(execution_.interrupt.check());
    }
    return ok_status();
  }

  // Blank nodes of an answer are its own.
  Result<rdf::TermId> id_of(const std::string& token,
                            std::map<std::string, std::string, std::less<>>& labels) {
    if (!token.starts_with("_:")) {
      return execution_.pool.intern(token);
    }
    const auto [found, fresh] = labels.try_emplace(token);
    if (fresh) {
      found->second = execution_.labels.next();
    }
    return execution_.pool.intern(found->second);
  }

  void emit(RowBatch& out) {
    left_rows_.clear();
    found_rows_.clear();
    while (match_at_ < matches_.size() && left_rows_.size() < kBatchRows) {
      const JoinTable::Match& match = matches_[match_at_++];
      for (uint32_t row = match.first; row != JoinTable::kEnd; row = table_->next(match, row)) {
        left_rows_.push_back(match.probe_row);
        found_rows_.push_back(row);
      }
    }
    map_.append(out, part_, left_rows_, table_->rows(), found_rows_);
  }

  const plan::ServiceScan& service_;
  OperatorPtr left_;
  plan::VariableList left_columns_;
  plan::VariableList found_columns_;
  plan::VariableList shared_;
  OutputMap map_;
  size_t endpoint_column_ = kNoColumn;
  std::vector<size_t> left_loose_;
  std::vector<size_t> found_loose_;

  RowBatch batch_;
  size_t row_at_ = 0;
  RowBatch part_;  // the left rows of the request at hand
  std::optional<JoinTable> table_;
  JoinTable::Scratch scratch_;
  std::vector<JoinTable::Match> matches_;
  size_t match_at_ = 0;
  std::vector<uint32_t> left_rows_;
  std::vector<uint32_t> found_rows_;
};

}  // namespace

OperatorPtr make_service_join(const plan::PlanNode& node, Execution& execution, OperatorPtr left) {
  return std::make_unique<ServiceJoinOperator>(
      node, execution, std::get<plan::ServiceJoin>(node.operation), std::move(left));
}

}  // namespace weft::exec
