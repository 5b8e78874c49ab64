// The axiomatic triples of RDF and RDFS (RDF 1.1 Semantics, sections 8 and 9): those that hold in
// every graph. Of the endless family rdf:_1, rdf:_2, … only members that a graph uses are taken.
#pragma once

#include <span>
#include <string>

#include "weft/entail/regime.h"
#include "weft/exec/vector_source.h"

namespace weft::entail {

// Adds the axioms to the default graph. `members` are the tokens of container membership properties
// in use.
void add_axioms(Regime regime, std::span<const std::string> members,
                exec::VectorSource::Builder& builder);

// The token of rdf:NAME, rdfs:NAME.
std::string rdf_token(std::string_view name);
std::string rdfs_token(std::string_view name);

}  // namespace weft::entail
