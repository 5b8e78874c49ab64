#include "weft/exec/template_reader.h"

#include <algorithm>

#include "weft/rdf/term.h"

namespace weft::exec {

BlankLabels::BlankLabels(base::Random& random) : prefix_("_:q" + base::random_name(random) + "_") {}

TemplateReader::Part TemplateReader::part(const sparql::TemplateTerm& term) {
  if (const auto* variable = std::get_if<plan::Variable>(&term.form)) {
    const auto found = std::lower_bound(columns_.begin(), columns_.end(), *variable);
    if (found == columns_.end() || *found != *variable) {
      return {};
    }
    const auto column = static_cast<size_t>(found - columns_.begin());
    return {tokens_[column * batch_->rows + row_], batch_->columns[column][row_]};
  }
  if (const auto* token = std::get_if<std::string>(&term.form)) {
    return {*token, rdf::kNoTerm};
  }
  if (const auto* blank = std::get_if<sparql::TemplateTerm::Blank>(&term.form)) {
    if (row_labels_.size() <= blank->number) {
      row_labels_.resize(blank->number + 1);
    }
    std::string& label = row_labels_[blank->number];
    if (label.empty()) {
      label = labels_.next();
    }
    return {label, rdf::kNoTerm};
  }
  const auto& triple = std::get<sparql::TemplateTerm::Triple>(term.form);
  const Part subject = part(triple.parts[0]);
  const Part predicate = part(triple.parts[1]);
  const Part object = part(triple.parts[2]);
  if (!is_triple(subject.token, predicate.token, object.token)) {
    return {};
  }
  return {rdf::make_triple(subject.token, predicate.token, object.token), rdf::kNoTerm};
}

bool TemplateReader::is_triple(std::string_view subject, std::string_view predicate,
                               std::string_view object) {
  if (subject.empty() || predicate.empty() || object.empty()) {
    return false;
  }
  const rdf::TermKind kind = rdf::kind_of(subject);
  return (kind == rdf::TermKind::kIri || kind == rdf::TermKind::kBlankNode) &&
         rdf::kind_of(predicate) == rdf::TermKind::kIri;
}

std::vector<rdf::TermId> ids_of(const RowBatch& batch) {
  std::vector<rdf::TermId> ids;
  ids.reserve(batch.rows * batch.columns.size());
  for (const Column& column : batch.columns) {
    ids.insert(ids.end(), column.begin(), column.end());
  }
  return ids;
}

}  // namespace weft::exec
