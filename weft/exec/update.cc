#include "weft/exec/update.h"

#include <array>
#include <utility>

#include "weft/exec/template_reader.h"
#include "weft/rdf/term.h"

namespace weft::exec {
namespace {

// Quads that are handed on in one call.
constexpr size_t kQuadsPerCall = 4'096;

// Fills templates and hands the quads on, a few thousand at a time.
class QuadFiller {
 public:
  QuadFiller(TemplateReader& reader, rdf::QuadSink& sink) : reader_(reader), sink_(sink) {}

  // For the reader's row.
  Status fill(const std::vector<sparql::QuadTemplate>& templates) {
    for (const sparql::QuadTemplate& quad : templates) {
      add(quad);
      if (quads_.size() >= kQuadsPerCall) {
        WEFT_TRY_STATUS(flush());
      }
    }
    return ok_status();
  }
  Status flush() {
    std::vector<rdf::QuadView> views;
    views.reserve(quads_.size());
    for (const auto& quad : quads_) {
      views.push_back({quad[0], quad[1], quad[2], quad[3]});
    }
    const Status status = views.empty() ? ok_status() : sink_.accept(views);
    quads_.clear();
    return status;
  }

 private:
  void add(const sparql::QuadTemplate& quad) {
    std::array<std::string, 4> tokens = {reader_.part(quad.triple.subject).token,
                                         reader_.part(quad.triple.predicate).token,
                                         reader_.part(quad.triple.object).token, ""};
    if (!TemplateReader::is_triple(tokens[0], tokens[1], tokens[2])) {
      return;
    }
    if (quad.graph) {
      tokens[3] = graph(*quad.graph);
      const bool names_a_graph =
          !tokens[3].empty() && (rdf::kind_of(tokens[3]) == rdf::TermKind::kIri ||
                                 rdf::kind_of(tokens[3]) == rdf::TermKind::kBlankNode);
      if (!names_a_graph) {
        return;
      }
    }
    quads_.push_back(std::move(tokens));
  }

  std::string graph(const sparql::PatternTerm& term) {
    if (const auto* variable = std::get_if<sparql::VariableIndex>(&term)) {
      return reader_.part(sparql::TemplateTerm{*variable}).token;
    }
    return std::get<std::string>(term);
  }

  TemplateReader& reader_;
  rdf::QuadSink& sink_;
  std::vector<std::array<std::string, 4>> quads_;
};

Status fill_ground(const std::vector<sparql::QuadTemplate>& quads, BlankLabels& labels,
                   rdf::QuadSink& sink) {
  TemplateReader reader({}, labels);
  reader.begin_row(0);
  QuadFiller filler(reader, sink);
  WEFT_TRY_STATUS(filler.fill(quads));
  return filler.flush();
}

}  // namespace

Status run_modify(sparql::Modify modify, QuadSource& source, const QueryOptions& options,
                  rdf::QuadSink& deletes, rdf::QuadSink& inserts) {
  const plan::VariableList columns = modify.where.projection;
  WEFT_TRY(const auto prepared, prepare(std::move(modify.where), source, options));
  WEFT_TRY(const auto solutions, prepared->select());
  BlankLabels labels(*options.random);
  TemplateReader reader(columns, labels);
  QuadFiller deleted(reader, deletes);
  QuadFiller inserted(reader, inserts);
  for (RowBatch batch;;) {
    WEFT_TRY_STATUS(solutions->next(batch));
    if (batch.empty()) {
      break;
    }
    std::vector<std::string> tokens;
    WEFT_TRY_STATUS(solutions->tokens(ids_of(batch), tokens));
    reader.begin_batch(batch, std::move(tokens));
    for (size_t row = 0; row < batch.rows; ++row) {
      reader.begin_row(row);
      WEFT_TRY_STATUS(deleted.fill(modify.deletes));
      WEFT_TRY_STATUS(inserted.fill(modify.inserts));
    }
  }
  WEFT_TRY_STATUS(deleted.flush());
  return inserted.flush();
}

Status instantiate(const sparql::InsertData& data, base::Random& random, rdf::QuadSink& sink) {
  BlankLabels labels(random);
  return fill_ground(data.quads, labels, sink);
}

Status instantiate(const sparql::DeleteData& data, rdf::QuadSink& sink) {
  base::Random unused(0);  // there are no blank nodes in it
  BlankLabels labels(unused);
  return fill_ground(data.quads, labels, sink);
}

}  // namespace weft::exec
