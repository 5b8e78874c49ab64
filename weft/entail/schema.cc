#include "weft/entail/schema.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "weft/entail/axioms.h"

namespace weft::entail {
namespace {

using rdf::kNoTerm;
using rdf::TermId;

// Hands subject and object of each statement with this predicate (and object, if one is given), in
// all graphs, to `take`.
Status each_statement(exec::QuadSource& source, TermId predicate, TermId object, size_t& read,
                      const std::stop_token& stop,
                      const std::function<void(TermId, TermId)>& take) {
  rdf::IdBatch batch;
  for (const rdf::GraphScope scope : {rdf::GraphScope::kDefault, rdf::GraphScope::kAllNamed}) {
    const rdf::IdPattern pattern = {kNoTerm, predicate, object, scope, kNoTerm};
    WEFT_TRY(const auto cursor, source.scan(pattern, rdf::Permutation::kPos, stop));
    while (true) {
      WEFT_TRY_STATUS(cursor->next(batch));
      if (batch.size() == 0) {
        break;
      }
      read += batch.size();
      if (read > kSchemaStatementsMax) {
        return Error(ErrorKind::kLimit, "the graph says too much of its classes and properties")
            .with("entailment_schema_max", std::to_string(kSchemaStatementsMax));
      }
      for (size_t i = 0; i < batch.size(); ++i) {
        take(batch.subject[i], batch.object[i]);
      }
    }
  }
  return ok_status();
}

}  // namespace

bool Hierarchy::add(TermId lower, TermId upper) {
  down_[upper].insert(lower);
  return up_[lower].insert(upper).second;
}

TermSet Hierarchy::reach(const Edges& edges, TermId from) {
  TermSet seen = {from};
  std::vector<TermId> open = {from};
  while (!open.empty()) {
    const auto next = edges.find(open.back());
    open.pop_back();
    if (next == edges.end()) {
      continue;
    }
    for (const TermId term : next->second) {
      if (seen.insert(term).second) {
        open.push_back(term);
      }
    }
  }
  return seen;
}

std::vector<TermId> Hierarchy::lowers() const {
  std::vector<TermId> terms;
  terms.reserve(up_.size());
  for (const auto& [term, above] : up_) {
    terms.push_back(term);
  }
  return terms;
}

Status Schema::find_vocabulary(Regime regime, exec::QuadSource& source) {
  Vocabulary& v = vocabulary_;
  std::vector<std::pair<TermId*, std::string>> wanted;
  if (regime != Regime::kSimple) {
    wanted = {{&v.type, rdf_token("type")}, {&v.property, rdf_token("Property")}};
  }
  if (regime == Regime::kRdfs) {
    wanted.insert(wanted.end(), {{&v.resource, rdfs_token("Resource")},
                                 {&v.rdfs_class, rdfs_token("Class")},
                                 {&v.datatype, rdfs_token("Datatype")},
                                 {&v.literal, rdfs_token("Literal")},
                                 {&v.member, rdfs_token("member")},
                                 {&v.membership, rdfs_token("ContainerMembershipProperty")},
                                 {&v.sub_class_of, rdfs_token("subClassOf")},
                                 {&v.sub_property_of, rdfs_token("subPropertyOf")},
                                 {&v.domain, rdfs_token("domain")},
                                 {&v.range, rdfs_token("range")}});
  }
  std::vector<std::string_view> tokens;
  for (const auto& [id, token] : wanted) {
    tokens.push_back(token);
  }
  std::vector<TermId> ids;
  WEFT_TRY_STATUS(source.find(tokens, ids));
  for (size_t i = 0; i < wanted.size(); ++i) {
    *wanted[i].first = ids[i];
  }
  return ok_status();
}

Status Schema::read_statements(exec::QuadSource& source, std::stop_token stop) {
  size_t read = 0;
  // What stands below rdfs:subPropertyOf may tell more of what stands there.
  bool grew = true;
  while (grew) {
    grew = false;
    for (const TermId predicate : properties_.down(vocabulary_.sub_property_of)) {
      WEFT_TRY_STATUS(each_statement(
          source, predicate, kNoTerm, read, stop,
          [&](TermId lower, TermId upper) { grew = properties_.add(lower, upper) || grew; }));
    }
  }
  for (const TermId predicate : properties_.down(vocabulary_.sub_class_of)) {
    WEFT_TRY_STATUS(
        each_statement(source, predicate, kNoTerm, read, stop,
                       [&](TermId lower, TermId upper) { classes_.add(lower, upper); }));
  }
  const auto read_classes = [&](TermId of, Classes& classes) -> Status {
    for (const TermId predicate : properties_.down(of)) {
      WEFT_TRY_STATUS(
          each_statement(source, predicate, kNoTerm, read, stop,
                         [&](TermId property, TermId c) { classes[property].push_back(c); }));
    }
    return ok_status();
  };
  WEFT_TRY_STATUS(read_classes(vocabulary_.domain, domains_));
  WEFT_TRY_STATUS(read_classes(vocabulary_.range, ranges_));
  // Datatypes are classes of literals, container membership properties are below rdfs:member.
  const auto read_members = [&](TermId of, Hierarchy& hierarchy, TermId upper) -> Status {
    for (const TermId c : classes_.down(of)) {
      WEFT_TRY_STATUS(each_statement(source, vocabulary_.type, c, read, stop,
                                     [&](TermId lower, TermId) { hierarchy.add(lower, upper); }));
    }
    return ok_status();
  };
  WEFT_TRY_STATUS(read_members(vocabulary_.datatype, classes_, vocabulary_.literal));
  return read_members(vocabulary_.membership, properties_, vocabulary_.member);
}

TermSet Schema::classes_of(const Classes& declared, TermId property) const {
  TermSet all;
  for (const TermId above : properties_.up(property)) {
    const auto found = declared.find(above);
    if (found == declared.end()) {
      continue;
    }
    for (const TermId c : found->second) {
      if (!all.contains(c)) {
        all.merge(classes_.up(c));
      }
    }
  }
  for (const TermId c : universal_) {
    all.erase(c);
  }
  return all;
}

Status Schema::index(const Classes& declared, size_t& pairs, ClassesOfProperties& out) const {
  TermSet properties;
  for (const auto& [property, classes] : declared) {
    properties.merge(properties_.down(property));
  }
  for (const TermId property : properties) {
    for (const TermId c : classes_of(declared, property)) {
      if (++pairs > kSchemaPairsMax) {
        return Error(ErrorKind::kLimit, "too many classes for too many properties")
            .with("entailment_pairs_max", std::to_string(kSchemaPairsMax));
      }
      out.classes[property].push_back(c);
      out.properties[c].push_back(property);
    }
  }
  return ok_status();
}

Status Schema::index() {
  universal_ = classes_.up(vocabulary_.resource);
  size_t pairs = 0;
  WEFT_TRY_STATUS(index(domains_, pairs, of_subjects_));
  return index(ranges_, pairs, of_objects_);
}

Result<Schema> Schema::read(Regime regime, exec::QuadSource& source, std::stop_token stop) {
  Schema schema;
  WEFT_TRY_STATUS(schema.find_vocabulary(regime, source));
  if (regime == Regime::kRdfs) {
    WEFT_TRY_STATUS(schema.read_statements(source, std::move(stop)));
    WEFT_TRY_STATUS(schema.index());
  }
  return schema;
}

}  // namespace weft::entail
