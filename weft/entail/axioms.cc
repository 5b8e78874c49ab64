#include "weft/entail/axioms.h"

#include <array>

#include "weft/rdf/term.h"

namespace weft::entail {
namespace {

struct Axiom {
  std::string_view subject;
  std::string_view predicate;
  std::string_view object;
};

// Names stand for rdf:… if they begin with '=', for rdfs:… else.
constexpr Axiom kRdfAxioms[] = {
    {"=type", "=type", "=Property"},      {"=subject", "=type", "=Property"},
    {"=predicate", "=type", "=Property"}, {"=object", "=type", "=Property"},
    {"=first", "=type", "=Property"},     {"=rest", "=type", "=Property"},
    {"=value", "=type", "=Property"},     {"=nil", "=type", "=List"},
};

constexpr Axiom kRdfsAxioms[] = {
    {"=type", "domain", "Resource"},
    {"domain", "domain", "=Property"},
    {"range", "domain", "=Property"},
    {"subPropertyOf", "domain", "=Property"},
    {"subClassOf", "domain", "Class"},
    {"=subject", "domain", "=Statement"},
    {"=predicate", "domain", "=Statement"},
    {"=object", "domain", "=Statement"},
    {"member", "domain", "Resource"},
    {"=first", "domain", "=List"},
    {"=rest", "domain", "=List"},
    {"seeAlso", "domain", "Resource"},
    {"isDefinedBy", "domain", "Resource"},
    {"comment", "domain", "Resource"},
    {"label", "domain", "Resource"},
    {"=value", "domain", "Resource"},
    {"=type", "range", "Class"},
    {"domain", "range", "Class"},
    {"range", "range", "Class"},
    {"subPropertyOf", "range", "=Property"},
    {"subClassOf", "range", "Class"},
    {"=subject", "range", "Resource"},
    {"=predicate", "range", "Resource"},
    {"=object", "range", "Resource"},
    {"member", "range", "Resource"},
    {"=first", "range", "Resource"},
    {"=rest", "range", "=List"},
    {"seeAlso", "range", "Resource"},
    {"isDefinedBy", "range", "Resource"},
    {"comment", "range", "Literal"},
    {"label", "range", "Literal"},
    {"=value", "range", "Resource"},
    {"=Alt", "subClassOf", "Container"},
    {"=Bag", "subClassOf", "Container"},
    {"=Seq", "subClassOf", "Container"},
    {"ContainerMembershipProperty", "subClassOf", "=Property"},
    {"isDefinedBy", "subPropertyOf", "seeAlso"},
    {"Datatype", "subClassOf", "Class"},
    {"=langString", "=type", "Datatype"},
};

std::string token_of(std::string_view name) {
  return name.starts_with('=') ? rdf_token(name.substr(1)) : rdfs_token(name);
}

void add(std::span<const Axiom> axioms, exec::VectorSource::Builder& builder) {
  for (const Axiom& axiom : axioms) {
    builder.add(token_of(axiom.subject), token_of(axiom.predicate), token_of(axiom.object));
  }
}

}  // namespace

std::string rdf_token(std::string_view name) {
  return rdf::make_iri(std::string(rdf::kRdf).append(name));
}

std::string rdfs_token(std::string_view name) {
  return rdf::make_iri(std::string(rdf::kRdfs).append(name));
}

void add_axioms(Regime regime, std::span<const std::string> members,
                exec::VectorSource::Builder& builder) {
  if (regime == Regime::kSimple) {
    return;
  }
  add(kRdfAxioms, builder);
  for (const std::string& member : members) {
    builder.add(member, rdf_token("type"), rdf_token("Property"));
  }
  if (regime != Regime::kRdfs) {
    return;
  }
  add(kRdfsAxioms, builder);
  builder.add(rdf::make_iri(std::string(rdf::kXsd) + "string"), rdf_token("type"),
              rdfs_token("Datatype"));
  for (const std::string& member : members) {
    builder.add(member, rdf_token("type"), rdfs_token("ContainerMembershipProperty"));
    builder.add(member, rdfs_token("domain"), rdfs_token("Resource"));
    builder.add(member, rdfs_token("range"), rdfs_token("Resource"));
  }
}

}  // namespace weft::entail
