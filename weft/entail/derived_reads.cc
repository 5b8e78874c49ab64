// Which scans of the graph tell what follows and matches a pattern: one or more for each rule.
#include <utility>

#include "weft/entail/derived_rows.h"

namespace weft::entail {
namespace {

using rdf::IdPattern;
using rdf::kNoTerm;
using rdf::TermId;
using Gives = DerivedRead::Gives;

IdPattern in_scope(const IdPattern& of, TermId subject, TermId predicate, TermId object) {
  return {subject, predicate, object, of.scope, of.graph};
}

}  // namespace

void DerivedRows::add_statement_reads(const IdPattern& pattern,
                                      std::vector<DerivedRead>& reads) const {
  const Hierarchy& properties = schema_.properties();
  if (pattern.predicate != kNoTerm) {
    for (const TermId lower : properties.down(pattern.predicate)) {
      if (lower != pattern.predicate) {
        reads.push_back({in_scope(pattern, pattern.subject, lower, pattern.object),
                         Gives::kStatements,
                         {pattern.predicate}});
      }
    }
    return;
  }
  for (const TermId lower : properties.lowers()) {
    TermSet above = properties.up(lower);
    above.erase(lower);
    if (!above.empty()) {
      reads.push_back({in_scope(pattern, pattern.subject, lower, pattern.object),
                       Gives::kStatements,
                       {above.begin(), above.end()}});
    }
  }
}

void DerivedRows::add_class_reads(const IdPattern& pattern, std::vector<DerivedRead>& reads) const {
  const TermId type = schema_.vocabulary().type;
  for (const TermId predicate : schema_.properties().down(type)) {
    if (pattern.object == kNoTerm || pattern.subject != kNoTerm) {
      reads.push_back(
          {in_scope(pattern, pattern.subject, predicate, kNoTerm), Gives::kClassesAbove, {}});
      continue;
    }
    for (const TermId lower : schema_.classes().down(pattern.object)) {
      if (lower != pattern.object || predicate != type) {
        reads.push_back({in_scope(pattern, pattern.subject, predicate, lower),
                         Gives::kTypesOfSubject,
                         {pattern.object}});
      }
    }
  }
}

void DerivedRows::add_property_reads(const ClassesOfProperties& of, Gives gives,
                                     const IdPattern& pattern,
                                     std::vector<DerivedRead>& reads) const {
  const auto add = [&](TermId property, std::vector<TermId> targets) {
    const IdPattern read = gives == Gives::kTypesOfSubject
                               ? in_scope(pattern, pattern.subject, property, kNoTerm)
                               : in_scope(pattern, kNoTerm, property, pattern.subject);
    reads.push_back({read, gives, std::move(targets)});
  };
  if (pattern.object == kNoTerm) {
    for (const auto& [property, classes] : of.classes) {
      add(property, classes);
    }
    return;
  }
  const auto found = of.properties.find(pattern.object);
  if (found != of.properties.end()) {
    for (const TermId property : found->second) {
      add(property, {pattern.object});
    }
  }
}

// All terms are resources, predicates are properties.
void DerivedRows::add_universal_reads(const IdPattern& pattern,
                                      std::vector<DerivedRead>& reads) const {
  const auto among = [&](TermSet classes) -> std::vector<TermId> {
    if (pattern.object == kNoTerm) {
      return {classes.begin(), classes.end()};
    }
    return classes.contains(pattern.object) ? std::vector<TermId>{pattern.object}
                                            : std::vector<TermId>();
  };
  TermSet of_predicates = schema_.classes().up(schema_.vocabulary().property);
  of_predicates.insert(schema_.universal().begin(), schema_.universal().end());
  const std::vector<TermId> properties = among(std::move(of_predicates));
  if (!properties.empty()) {
    reads.push_back({in_scope(pattern, kNoTerm, pattern.subject, kNoTerm), Gives::kTypesOfPredicate,
                     properties});
  }
  const std::vector<TermId> universal = among(schema_.universal());
  if (!universal.empty()) {
    reads.push_back(
        {in_scope(pattern, pattern.subject, kNoTerm, kNoTerm), Gives::kTypesOfSubject, universal});
    reads.push_back(
        {in_scope(pattern, kNoTerm, kNoTerm, pattern.subject), Gives::kTypesOfObject, universal});
  }
}

void DerivedRows::add_type_reads(const IdPattern& pattern, std::vector<DerivedRead>& reads) const {
  add_universal_reads(pattern, reads);
  if (regime_ == Regime::kRdfs) {
    add_class_reads(pattern, reads);
    add_property_reads(schema_.of_subjects(), Gives::kTypesOfSubject, pattern, reads);
    add_property_reads(schema_.of_objects(), Gives::kTypesOfObject, pattern, reads);
  }
}

std::vector<DerivedRead> DerivedRows::reads(const IdPattern& pattern) const {
  std::vector<DerivedRead> reads;
  if (regime_ == Regime::kSimple) {
    return reads;
  }
  add_statement_reads(pattern, reads);
  if (pattern.predicate == kNoTerm || pattern.predicate == schema_.vocabulary().type) {
    add_type_reads(pattern, reads);
  }
  return reads;
}

}  // namespace weft::entail
