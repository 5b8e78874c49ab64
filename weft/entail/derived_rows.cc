#include "weft/entail/derived_rows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weft::entail {
namespace {

using rdf::GraphScope;
using rdf::IdBatch;
using rdf::IdPattern;
using rdf::kNoTerm;
using rdf::TermId;
using Gives = DerivedRead::Gives;

// Reads whose sizes are asked for; those of more are taken to be alike.
constexpr size_t kEstimatedReads = 32;
constexpr size_t kRowsWorthSorting = 1'024;

rdf::Permutation order_of(const exec::QuadSource& source, const IdPattern& pattern, Gives gives) {
  const bool subject = pattern.subject != kNoTerm;
  const bool predicate = pattern.predicate != kNoTerm;
  const bool object = pattern.object != kNoTerm;
  if (subject && !predicate && object) {
    return rdf::Permutation::kOsp;
  }
  if (subject) {
    return rdf::Permutation::kSpo;
  }
  if (predicate) {
    // Equal subjects together, where the subject is what counts and there is a choice.
    const bool by_subject =
        gives == Gives::kTypesOfSubject && !object && source.has_order(rdf::Permutation::kPso);
    return by_subject ? rdf::Permutation::kPso : rdf::Permutation::kPos;
  }
  return object || gives == Gives::kTypesOfObject ? rdf::Permutation::kOsp : rdf::Permutation::kSpo;
}

}  // namespace

// Takes entailed triples, and keeps those that match.
class DerivedRows::Sink {
 public:
  Sink(const IdPattern& pattern, rdf::Permutation permutation, std::vector<exec::UnionRow>& rows,
       exec::MemoryCharge& charge)
      : pattern_(pattern), positions_(rdf::positions(permutation)), rows_(rows), charge_(charge) {}

  const IdPattern& pattern() const { return pattern_; }
  base::MemoryBudget* budget() const { return charge_.budget(); }

  Status add(TermId graph, TermId subject, TermId predicate, TermId object) {
    const auto fits = [](TermId wanted, TermId term) {
      return wanted == kNoTerm || wanted == term;
    };
    if (!fits(pattern_.subject, subject) || !fits(pattern_.predicate, predicate) ||
        !fits(pattern_.object, object)) {
      return ok_status();
    }
    if (rows_.size() == rows_.capacity()) {
      drop_repeated();
      // Little room is no room: sorting again and again would cost more than the memory.
      if (rows_.size() >= rows_.capacity() / 4 * 3) {
        WEFT_TRY_STATUS(grow());
      }
    }
    const std::array<TermId, 3> by_position = {subject, predicate, object};
    exec::UnionRow& row = rows_.emplace_back();
    row[0] = graph;
    for (size_t i = 0; i < 3; ++i) {
      row[i + 1] = by_position[static_cast<size_t>(positions_[i])];
    }
    return ok_status();
  }

 private:
  Status grow() {
    const size_t capacity = std::max<size_t>(64, rows_.capacity() * 2);
    // Both are there while the one moves into the other.
    WEFT_TRY_STATUS(charge_.cover((capacity + rows_.capacity()) * sizeof(exec::UnionRow)));
    rows_.reserve(capacity);
    return ok_status();
  }
  // Often much follows from many rows alike. Makes room if that is so.
  void drop_repeated() {
    if (rows_.size() < kRowsWorthSorting) {
      return;
    }
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  }

  const IdPattern& pattern_;
  std::array<rdf::Position, 3> positions_;
  std::vector<exec::UnionRow>& rows_;
  exec::MemoryCharge& charge_;
};

bool DerivedRows::is_hierarchy(const IdPattern& pattern, TermId predicate) const {
  return regime_ == Regime::kRdfs &&
         (pattern.predicate == kNoTerm || pattern.predicate == predicate);
}

bool DerivedRows::may_have(const IdPattern& pattern) const {
  return is_hierarchy(pattern, schema_.vocabulary().sub_class_of) ||
         is_hierarchy(pattern, schema_.vocabulary().sub_property_of) || !reads(pattern).empty();
}

Result<double> DerivedRows::estimate(const IdPattern& pattern) const {
  double rows = 0;
  const std::vector<DerivedRead> all = reads(pattern);
  const size_t asked = std::min(all.size(), kEstimatedReads);
  for (size_t i = 0; i < asked; ++i) {
    const DerivedRead& read = all[i];
    double found = 0;
    if (read.gives == Gives::kTypesOfSubject && pattern.subject == kNoTerm) {
      WEFT_TRY(found, source_.distinct(read.pattern, rdf::Position::kSubject));
    } else if (read.gives == Gives::kTypesOfObject && pattern.subject == kNoTerm) {
      WEFT_TRY(found, source_.distinct(read.pattern, rdf::Position::kObject));
    } else if (read.gives == Gives::kTypesOfPredicate) {
      WEFT_TRY(found, source_.distinct(read.pattern, rdf::Position::kPredicate));
    } else {
      WEFT_TRY(const rdf::Cardinality counted, source_.cardinality(read.pattern));
      found = counted.rows;
    }
    rows += found * static_cast<double>(std::max<size_t>(1, read.targets.size()));
  }
  if (asked != 0) {
    rows *= static_cast<double>(all.size()) / static_cast<double>(asked);
  }
  const auto of_hierarchy = [&](const Hierarchy& hierarchy) {
    return static_cast<double>(pattern.subject != kNoTerm  ? hierarchy.up(pattern.subject).size()
                               : pattern.object != kNoTerm ? hierarchy.down(pattern.object).size()
                                                           : 3 * hierarchy.lowers().size());
  };
  if (is_hierarchy(pattern, schema_.vocabulary().sub_class_of)) {
    rows += of_hierarchy(schema_.classes());
  }
  if (is_hierarchy(pattern, schema_.vocabulary().sub_property_of)) {
    rows += of_hierarchy(schema_.properties());
  }
  return rows;
}

Result<TermSet> DerivedRows::members(TermId only, TermId wanted, std::stop_token stop,
                                     base::MemoryBudget* budget) const {
  TermSet found;
  for (const GraphScope scope : {GraphScope::kDefault, GraphScope::kAllNamed}) {
    const IdPattern pattern = {only, schema_.vocabulary().type, wanted, scope, kNoTerm};
    const rdf::Permutation order = order_of(source_, pattern, Gives::kStatements);
    const auto positions = rdf::positions(order);
    const size_t column = 1 + static_cast<size_t>(std::find(positions.begin(), positions.end(),
                                                            rdf::Position::kSubject) -
                                                  positions.begin());
    WEFT_TRY(const auto cursor, source_.scan(pattern, order, stop));
    IdBatch batch;
    do {
      WEFT_TRY_STATUS(cursor->next(batch));
      found.insert(batch.subject.begin(), batch.subject.end());
    } while (batch.size() != 0);
    exec::MemoryCharge charge(budget);
    std::vector<exec::UnionRow> rows;
    WEFT_TRY_STATUS(gather(pattern, order, stop, rows, charge));
    for (const exec::UnionRow& row : rows) {
      found.insert(row[column]);
    }
  }
  return found;
}

Status DerivedRows::add_hierarchy(const IdPattern& pattern, const Hierarchy& hierarchy,
                                  TermId predicate, std::stop_token stop, Sink& sink) const {
  const Vocabulary& vocabulary = schema_.vocabulary();
  const bool of_classes = predicate == vocabulary.sub_class_of;
  const TermId kind = of_classes ? vocabulary.rdfs_class : vocabulary.property;
  std::vector<TermId> graphs = {kNoTerm};
  if (pattern.scope == GraphScope::kAllNamed) {
    WEFT_TRY(graphs, source_.graphs());
  }
  const auto give = [&](TermId lower, TermId upper) -> Status {
    for (const TermId graph : graphs) {
      WEFT_TRY_STATUS(sink.add(graph, lower, predicate, upper));
    }
    return ok_status();
  };
  // What is above or below by statements is a class (or property) for that alone.
  if (pattern.subject == kNoTerm && pattern.object != kNoTerm) {
    for (const TermId lower : hierarchy.down(pattern.object)) {
      if (lower != pattern.object) {
        WEFT_TRY_STATUS(give(lower, pattern.object));
      }
    }
  }
  const bool universal = of_classes && schema_.universal().contains(pattern.object);
  const TermId only = pattern.subject == kNoTerm && !universal ? pattern.object : pattern.subject;
  WEFT_TRY(const TermSet all, members(only, kind, std::move(stop), sink.budget()));
  for (const TermId member : all) {
    for (const TermId upper : hierarchy.up(member)) {  // itself among them
      WEFT_TRY_STATUS(give(member, upper));
    }
    if (of_classes) {
      for (const TermId upper : schema_.universal()) {
        WEFT_TRY_STATUS(give(member, upper));
      }
    }
  }
  return ok_status();
}

// One read, row by row.
class DerivedRows::Run {
 public:
  Run(const DerivedRead& read, const Schema& schema, Sink& sink)
      : read_(read), schema_(schema), type_(schema.vocabulary().type), sink_(sink) {}

  Status take(exec::QuadSource& source, const IdBatch& batch) {
    const std::vector<TermId>& about = read_.gives == Gives::kTypesOfObject      ? batch.object
                                       : read_.gives == Gives::kTypesOfPredicate ? batch.predicate
                                                                                 : batch.subject;
    if (read_.gives == Gives::kTypesOfObject) {
      tokens_.clear();
      WEFT_TRY_STATUS(source.tokens(about, tokens_));
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      const TermId graph = batch.graph.empty() ? kNoTerm : batch.graph[i];
      switch (read_.gives) {
        case Gives::kStatements:
          for (const TermId target : read_.targets) {
            WEFT_TRY_STATUS(sink_.add(graph, batch.subject[i], target, batch.object[i]));
          }
          break;
        case Gives::kClassesAbove:
          WEFT_TRY_STATUS(add_classes_above(graph, batch.subject[i], batch.object[i]));
          break;
        case Gives::kTypesOfPredicate:
        case Gives::kTypesOfSubject:
        case Gives::kTypesOfObject:
          WEFT_TRY_STATUS(add_types(graph, about[i], i));
          break;
      }
    }
    return ok_status();
  }

 private:
  Status add_classes_above(TermId graph, TermId subject, TermId lowest) {
    auto [found, is_new] = above_.try_emplace(lowest);
    if (is_new) {
      found->second = schema_.classes().up(lowest);
    }
    for (const TermId target : found->second) {
      WEFT_TRY_STATUS(sink_.add(graph, subject, type_, target));
    }
    return ok_status();
  }
  Status add_types(TermId graph, TermId term, size_t row) {
    if (graph == last_graph_ && term == last_) {
      return ok_status();
    }
    last_graph_ = graph;
    last_ = term;
    if (read_.gives == Gives::kTypesOfPredicate && graph == kNoTerm &&
        !predicates_.insert(term).second) {
      return ok_status();
    }
    if (read_.gives == Gives::kTypesOfObject && tokens_[row].starts_with('"')) {
      return ok_status();
    }
    for (const TermId target : read_.targets) {
      WEFT_TRY_STATUS(sink_.add(graph, term, type_, target));
    }
    return ok_status();
  }

  const DerivedRead& read_;
  const Schema& schema_;
  const TermId type_;
  Sink& sink_;
  TermId last_graph_ = kNoTerm;
  TermId last_ = kNoTerm;
  std::vector<std::string> tokens_;            // kTypesOfObject: of one batch
  std::unordered_map<TermId, TermSet> above_;  // kClassesAbove
  TermSet predicates_;                         // kTypesOfPredicate
};

Status DerivedRows::run(const DerivedRead& read, std::stop_token stop, Sink& sink) const {
  // One row tells as much as all, where what follows is about one term.
  const bool one_is_enough = sink.pattern().subject != kNoTerm &&
                             sink.pattern().scope != GraphScope::kAllNamed &&
                             read.gives != Gives::kStatements && read.gives != Gives::kClassesAbove;
  WEFT_TRY(
      const auto cursor,
      source_.scan(read.pattern, order_of(source_, read.pattern, read.gives), std::move(stop)));
  Run rows(read, schema_, sink);
  IdBatch batch;
  do {
    WEFT_TRY_STATUS(interrupt_.check());
    WEFT_TRY_STATUS(cursor->next(batch));
    WEFT_TRY_STATUS(rows.take(source_, batch));
  } while (batch.size() != 0 && !one_is_enough);
  return ok_status();
}

Status DerivedRows::gather(const IdPattern& pattern, rdf::Permutation permutation,
                           std::stop_token stop, std::vector<exec::UnionRow>& rows,
                           exec::MemoryCharge& charge) const {
  Sink sink(pattern, permutation, rows, charge);
  for (const DerivedRead& read : reads(pattern)) {
    WEFT_TRY_STATUS(run(read, stop, sink));
  }
  const Vocabulary& vocabulary = schema_.vocabulary();
  if (is_hierarchy(pattern, vocabulary.sub_class_of)) {
    WEFT_TRY_STATUS(add_hierarchy(pattern, schema_.classes(), vocabulary.sub_class_of, stop, sink));
  }
  if (is_hierarchy(pattern, vocabulary.sub_property_of)) {
    WEFT_TRY_STATUS(
        add_hierarchy(pattern, schema_.properties(), vocabulary.sub_property_of, stop, sink));
  }
  return ok_status();
}

}  // namespace weft::entail
