// A property graph in memory, and what the requests of the simulation do to it: the reference that
// every published version of the real one is compared with. Two node types and one edge type:
//
//     node Person { name: String @key  age: I32? }
//     node City { name: String @key  size: I32? }
//     edge Knows: Person -> Person { since: I32? }
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/random.h"

namespace weft::simulation {

inline constexpr std::string_view kModelSchema =
    "node Person { name: String @key age: I32? }\n"
    "node City { name: String @key size: I32? }\n"
    "edge Knows: Person -> Person { since: I32? }\n";

using Number = std::optional<int64_t>;

struct ModelEdge {
  std::string from;
  std::string to;
  Number since;
};

// The rows of a graph, or those of a load. By id.
struct ModelRows {
  std::map<std::string, Number> people;
  std::map<std::string, Number> cities;
  std::map<std::string, ModelEdge> knows;

  bool is_empty() const { return people.empty() && cities.empty() && knows.empty(); }
};

// What graph::export_graph writes of such a graph. (It loads back to it.)
std::string export_text(const ModelRows& rows);

// The last two are repairs: rows of others come into the graph, or stay out of it.
enum class Act : uint8_t {
  kAppend,
  kMerge,
  kOverwrite,
  kInsert,
  kUpdate,
  kDelete,
  kAdopt,
  kDiscard
};
enum class ModelType : uint8_t { kPerson, kCity, kKnows };

// One load, mutation or repair.
struct ModelRequest {
  Act act = Act::kMerge;
  ModelRows rows;  // of a load or an insert; of others that are adopted, as they were found
  // Of an update or a delete: where the name is this (of edges: the source), or else the number.
  ModelType type = ModelType::kPerson;
  std::string where_name;
  int64_t where_number = 0;
  Number set;

  bool is_load() const { return act <= Act::kOverwrite; }
  // Work that is told when others published in between.
  bool is_repair() const { return act >= Act::kAdopt; }
  bool is_strict() const {
    return act == Act::kOverwrite || act == Act::kUpdate || act == Act::kDelete;
  }
  // The text of a `.gq` file.
  std::string mutation_text() const;
  std::string describe() const;
};
// A load or a mutation.
ModelRequest random_request(base::Random& random);

enum class Effect : uint8_t {
  kChanged,  // a commit
  kNothing,  // nothing matched: no commit
  kRefused,  // the rows do not fit the graph
};
// Changes `rows` if, and only if, the effect is kChanged.
Effect apply(const ModelRequest& request, ModelRows& rows);

}  // namespace weft::simulation
