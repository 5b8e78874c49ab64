#include "weft/rete/build/listeners.h"

#include <algorithm>

#include "weft/rete/build/schema_writer.h"

namespace weft::rete::build {
namespace {

constexpr std::string_view kRdfType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
constexpr std::string_view kSubclassOf = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>";
constexpr std::string_view kDisjointWith = "<http://www.w3.org/2002/07/owl#disjointWith>";
constexpr std::string_view kEquivalentClass = "<http://www.w3.org/2002/07/owl#equivalentClass>";

size_t number_of(rdf::Permutation order) {
  return static_cast<size_t>(order);
}

}  // namespace

Listeners::Listeners(const BuildOptions& options, const BuildSpace& space)
    : options_(&options),
      space_(&space),
      type_predicate_(options.type_predicate.empty() ? kRdfType : options.type_predicate) {}

void Listeners::note_predicate(std::string_view token, uint32_t id) {
  if (token == type_predicate_) {
    schema_predicates_.type = id;
  } else if (token == kSubclassOf) {
    schema_predicates_.subclass_of = id;
  } else if (token == kDisjointWith) {
    schema_predicates_.disjoint_with = id;
  } else if (token == kEquivalentClass) {
    schema_predicates_.equivalent_class = id;
  }
  if (const auto slot = label_slot(token)) {
    label_predicates_.emplace_back(id, *slot);
  }
  if (options_->text_index &&
      std::find(options_->text_index->listed.begin(), options_->text_index->listed.end(), token) !=
          options_->text_index->listed.end()) {
    text_predicates_.push_back(id);
  }
}

void Listeners::start_schema(const Dictionary& dictionary) {
  schema_ = std::make_unique<SchemaCounter>(dictionary, schema_predicates_, *space_);
  triples_[number_of(rdf::Permutation::kSpo)].push_back(
      [this](std::span<const Row<3>> rows) { return schema_->accept_spo(rows); });
  triples_[number_of(rdf::Permutation::kOsp)].push_back(
      [this](std::span<const Row<3>> rows) { return schema_->accept_osp(rows); });
  triples_[number_of(rdf::Permutation::kPos)].push_back(
      [this](std::span<const Row<3>> rows) { return schema_->accept_pos(rows); });
}

void Listeners::start_labels(const Dictionary& dictionary) {
  labels_ = std::make_unique<LabelCollector>(dictionary, label_predicates_,
                                             options_->restart_interval, *space_);
  triples_[number_of(rdf::Permutation::kPos)].push_back(
      [this](std::span<const Row<3>> rows) { return labels_->accept_pos(rows); });
}

void Listeners::start_text(const Dictionary& dictionary, const TextIndexScope& scope) {
  text_ = std::make_unique<TextCollector>(dictionary, scope, text_predicates_,
                                          options_->restart_interval, *space_);
  triples_[number_of(rdf::Permutation::kOsp)].push_back(
      [this](std::span<const Row<3>> rows) { return text_->accept_osp(rows); });
  if (scope.named_graphs) {
    quads_[number_of(rdf::Permutation::kSpo)].push_back(
        [this](std::span<const Row<4>> rows) { return text_->accept_quads(rows); });
  }
}

void Listeners::start(const Dictionary& dictionary) {
  if (options_->schema && dictionary.predicate_max() <= kSchemaPredicatesMax) {
    start_schema(dictionary);
  }
  if (options_->label_index) {
    start_labels(dictionary);
  }
  if (options_->text_index) {
    start_text(dictionary, *options_->text_index);
  }
}

Status Listeners::finish_schema(SegmentParts& parts, BuildReport& report) {
  if (parts.triple_count == 0) {
    return ok_status();
  }
  if (schema_ == nullptr) {
    report.schema_left_out = "too many predicates";
    return ok_status();
  }
  WEFT_TRY(const SchemaCounts counts, schema_->finish());
  schema_.reset();
  if (!counts.has_class_part) {
    report.schema_left_out = "too many classes: their part is left out";
  }
  SchemaWriterOptions writer;
  writer.type_predicate = type_predicate_;
  writer.restart_interval = options_->restart_interval;
  writer.is_compressed = space_->codec.compresses();
  WEFT_TRY(parts.schema, write_schema(counts, parts.dictionary, writer));
  return ok_status();
}

Status Listeners::finish(SegmentParts& parts, BuildReport& report) {
  if (options_->schema) {
    WEFT_TRY_STATUS(finish_schema(parts, report));
  }
  if (labels_ != nullptr) {
    WEFT_TRY(auto labels, labels_->finish());
    if (labels) {
      parts.labels.emplace(std::move(*labels));
    }
  }
  if (text_ != nullptr) {
    WEFT_TRY(auto text, text_->finish());
    if (text) {
      parts.text.emplace(std::move(*text));
    }
  }
  return ok_status();
}

}  // namespace weft::rete::build
