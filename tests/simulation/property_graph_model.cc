#include "tests/simulation/property_graph_model.h"

#include <algorithm>

namespace weft::simulation {
namespace {

constexpr uint64_t kPeople = 8;
constexpr uint64_t kCities = 4;
constexpr uint64_t kEdges = 8;
constexpr uint64_t kNumbers = 5;

std::string number_text(const Number& number) {
  return number ? std::to_string(*number) : "null";
}

std::string type_name(ModelType type) {
  constexpr std::array<std::string_view, 3> kNames = {"Person", "City", "Knows"};
  return std::string(kNames.at(static_cast<size_t>(type)));
}

std::string number_name(ModelType type) {
  constexpr std::array<std::string_view, 3> kNames = {"age", "size", "since"};
  return std::string(kNames.at(static_cast<size_t>(type)));
}

std::string name_of(base::Random& random, char letter, uint64_t count) {
  return letter + std::to_string(random.below(count));
}

Number random_number(base::Random& random) {
  return random.chance(1, 5) ? Number() : Number(static_cast<int64_t>(random.below(kNumbers)));
}

ModelRows random_rows(base::Random& random, bool with_edges) {
  ModelRows rows;
  for (uint64_t count = random.below(3); count > 0; --count) {
    rows.people[name_of(random, 'p', kPeople)] = random_number(random);
  }
  if (random.chance(1, 3)) {
    rows.cities[name_of(random, 'c', kCities)] = random_number(random);
  }
  for (uint64_t count = with_edges ? random.below(3) : 0; count > 0; --count) {
    rows.knows[name_of(random, 'k', kEdges)] = {
        name_of(random, 'p', kPeople), name_of(random, 'p', kPeople), random_number(random)};
  }
  if (rows.is_empty()) {
    rows.people[name_of(random, 'p', kPeople)] = random_number(random);
  }
  return rows;
}

// Each edge ends at people of the load, or, unless the load has all people that stay, of the graph.
bool has_ends(const ModelRows& edges, const ModelRows& load, const ModelRows& graph,
              bool load_has_all) {
  const auto is_there = [&](const std::string& name) {
    return load.people.contains(name) || (!load_has_all && graph.people.contains(name));
  };
  return std::ranges::all_of(edges.knows, [&](const auto& edge) {
    return is_there(edge.second.from) && is_there(edge.second.to);
  });
}

template <typename Map>
bool share_keys(const Map& left, const Map& right) {
  return std::ranges::any_of(left, [&](const auto& entry) { return right.contains(entry.first); });
}

template <typename Map>
void merge_into(Map& rows, const Map& load) {
  for (const auto& [id, row] : load) {
    rows.insert_or_assign(id, row);
  }
}

Effect load_upon(const ModelRequest& request, ModelRows& rows) {
  const ModelRows& load = request.rows;
  if (request.act == Act::kOverwrite) {
    const bool all_people = !load.people.empty();
    const ModelRows& staying = load.knows.empty() ? rows : load;
    if (!has_ends(staying, load, rows, all_people)) {
      return Effect::kRefused;
    }
    rows.people = all_people ? load.people : rows.people;
    rows.cities = load.cities.empty() ? rows.cities : load.cities;
    rows.knows = load.knows.empty() ? rows.knows : load.knows;
    return Effect::kChanged;
  }
  const bool is_taken = share_keys(load.people, rows.people) ||
                        share_keys(load.cities, rows.cities) || share_keys(load.knows, rows.knows);
  if ((request.act == Act::kAppend && is_taken) || !has_ends(load, load, rows, false)) {
    return Effect::kRefused;
  }
  merge_into(rows.people, load.people);
  merge_into(rows.cities, load.cities);
  merge_into(rows.knows, load.knows);
  return Effect::kChanged;
}

bool matches(const ModelRequest& request, const std::string& name, const Number& number) {
  return request.where_name.empty() ? number == request.where_number : name == request.where_name;
}

bool change_nodes(const ModelRequest& request, std::map<std::string, Number>& nodes) {
  bool is_changed = false;
  for (auto& [name, number] : nodes) {
    if (matches(request, name, number)) {
      number = request.set;
      is_changed = true;
    }
  }
  return is_changed;
}

bool remove_rows(const ModelRequest& request, ModelRows& rows) {
  const auto is_node = [&](const auto& node) { return matches(request, node.first, node.second); };
  switch (request.type) {
    case ModelType::kCity:
      return std::erase_if(rows.cities, is_node) > 0;
    case ModelType::kKnows:
      return std::erase_if(rows.knows, [&](const auto& edge) {
               return matches(request, edge.second.from, edge.second.since);
             }) > 0;
    case ModelType::kPerson:
      break;
  }
  const bool is_changed = std::erase_if(rows.people, is_node) > 0;
  std::erase_if(rows.knows, [&](const auto& edge) {
    return !rows.people.contains(edge.second.from) || !rows.people.contains(edge.second.to);
  });
  return is_changed;
}

}  // namespace

std::string export_text(const ModelRows& rows) {
  std::string text;
  for (const auto& [id, edge] : rows.knows) {
    text += R"({"edge":"Knows","from":")" + edge.from + R"(","to":")" + edge.to +
            R"(","data":{"id":")" + id + R"(","since":)" + number_text(edge.since) + "}}\n";
  }
  for (const auto& [name, size] : rows.cities) {
    text += R"({"type":"City","data":{"id":")" + name + R"(","name":")" + name + R"(","size":)" +
            number_text(size) + "}}\n";
  }
  for (const auto& [name, age] : rows.people) {
    text += R"({"type":"Person","data":{"id":")" + name + R"(","age":)" + number_text(age) +
            R"(,"name":")" + name + "\"}}\n";
  }
  return text;
}

std::string ModelRequest::mutation_text() const {
  const auto assign = [](const std::string& name, const Number& number) {
    return number ? ", " + name + ": " + std::to_string(*number) : std::string();
  };
  std::string body;
  if (act == Act::kInsert) {
    for (const auto& [name, age] : rows.people) {
      body += "insert Person { name: \"" + name + "\"" + assign("age", age) + " } ";
    }
    for (const auto& [name, size] : rows.cities) {
      body += "insert City { name: \"" + name + "\"" + assign("size", size) + " } ";
    }
  } else {
    body = act == Act::kUpdate ? "update " : "delete ";
    body += type_name(type);
    if (act == Act::kUpdate) {
      body += " set { " + number_name(type) + ": " + number_text(set) + " }";
    }
    const std::string name = type == ModelType::kKnows ? "from" : "name";
    body += where_name.empty()
                ? " where " + number_name(type) + " = " + std::to_string(where_number)
                : " where " + name + " = \"" + where_name + "\"";
  }
  return "query m() { " + body + " }";
}

std::string ModelRequest::describe() const {
  constexpr std::array<std::string_view, 3> kLoads = {"append ", "merge ", "overwrite "};
  if (is_repair()) {
    return act == Act::kAdopt ? "adopt " + export_text(rows) : "discard";
  }
  return is_load() ? std::string(kLoads.at(static_cast<size_t>(act))) + export_text(rows)
                   : mutation_text();
}

ModelRequest random_request(base::Random& random) {
  ModelRequest request;
  request.act = static_cast<Act>(random.below(6));
  if (request.act <= Act::kInsert) {
    request.rows = random_rows(random, request.is_load());
    if (request.act == Act::kInsert) {
      request.rows.knows.clear();
      request.rows.people.try_emplace(name_of(random, 'p', kPeople), random_number(random));
    }
    return request;
  }
  // Edges cannot be updated.
  request.type = static_cast<ModelType>(random.below(request.act == Act::kUpdate ? 2 : 3));
  request.set = static_cast<int64_t>(random.below(kNumbers));
  if (random.chance(1, 2)) {
    request.where_name = request.type == ModelType::kCity ? name_of(random, 'c', kCities)
                                                          : name_of(random, 'p', kPeople);
  } else {
    request.where_number = static_cast<int64_t>(random.below(kNumbers));
  }
  return request;
}

Effect apply(const ModelRequest& request, ModelRows& rows) {
  bool is_changed = false;
  switch (request.act) {
    case Act::kAppend:
    case Act::kMerge:
    case Act::kOverwrite:
      return load_upon(request, rows);
    case Act::kInsert:
      merge_into(rows.people, request.rows.people);
      merge_into(rows.cities, request.rows.cities);
      return Effect::kChanged;
    case Act::kAdopt:
      merge_into(rows.cities, request.rows.cities);
      return Effect::kChanged;
    case Act::kDiscard:
      return Effect::kChanged;
    case Act::kUpdate:
      is_changed =
          change_nodes(request, request.type == ModelType::kCity ? rows.cities : rows.people);
      break;
    case Act::kDelete:
      is_changed = remove_rows(request, rows);
      break;
  }
  return is_changed ? Effect::kChanged : Effect::kNothing;
}

}  // namespace weft::simulation
