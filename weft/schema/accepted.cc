#include "weft/schema/accepted.h"

#include <set>
#include <utility>

#include "weft/json/value.h"

namespace weft::schema {
namespace {

using Names = std::vector<std::string>;

// What a declaration is for ids: its name, what it was called before, and the same of its
// properties.
struct Renamed {
  std::string name;
  std::string before;  // "": not said
};
struct Declared {
  Renamed type;
  std::vector<Renamed> properties;
};

std::string renamed_from(const std::vector<Annotation>& annotations) {
  for (const Annotation& annotation : annotations) {
    if (annotation.name == "rename_from" && annotation.value.has_value()) {
      const auto* const text = std::get_if<std::string>(&*annotation.value);
      return text == nullptr ? "" : *text;
    }
  }
  return "";
}

Declared declared(const EntityType& type) {
  Declared out = {{type.name, renamed_from(type.annotations)}, {}};
  out.properties.reserve(type.properties.size());
  for (const Property& property : type.properties) {
    out.properties.push_back({property.name, renamed_from(property.annotations)});
  }
  return out;
}

Declared declared(const InterfaceType& type) {
  Declared out = {{type.name, ""}, {}};
  out.properties.reserve(type.members.size());
  for (const InterfaceType::Member& member : type.members) {
    out.properties.push_back({member.property.name, renamed_from(member.property.annotations)});
  }
  return out;
}

template <typename T>
std::vector<Declared> all_declared(const std::vector<T>& types) {
  std::vector<Declared> all;
  all.reserve(types.size());
  for (const T& type : types) {
    all.push_back(declared(type));
  }
  return all;
}

class Accepter {
 public:
  Accepter(base::WallTime now, base::Random& random) : now_(now), random_(random) {}

  Result<IdsByName> types(const std::vector<Declared>& wanted, const IdsByName* previous,
                          bool has_tables) {
    std::vector<Renamed> names;
    names.reserve(wanted.size());
    for (const Declared& type : wanted) {
      names.push_back(type.type);
    }
    WEFT_TRY(const auto sources, match(names, previous));
    IdsByName out;
    for (const Declared& type : wanted) {
      const auto source = sources.find(type.type.name);
      const DeclarationIds* const before =
          source == sources.end() ? nullptr : &previous->find(source->second)->second;
      DeclarationIds ids;
      ids.id = before != nullptr ? before->id : fresh();
      if (has_tables) {
        ids.incarnation = before != nullptr ? before->incarnation : fresh();
      }
      WEFT_TRY(const auto properties,
               match(type.properties, before == nullptr ? nullptr : &before->properties));
      for (const Renamed& property : type.properties) {
        const auto found = properties.find(property.name);
        ids.properties[property.name] =
            found == properties.end() ? fresh() : before->properties.find(found->second)->second;
      }
      out.emplace(type.type.name, std::move(ids));
    }
    return out;
  }

 private:
  // New name -> the name before, of all that were there before.
  template <typename Previous>
  Result<std::map<std::string, std::string>> match(const std::vector<Renamed>& wanted,
                                                   const Previous* previous) {
    std::map<std::string, std::string> sources;
    if (previous == nullptr) {
      return sources;
    }
    std::set<std::string> taken;
    for (const Renamed& name : wanted) {
      if (previous->contains(name.name)) {
        sources[name.name] = name.name;
        taken.insert(name.name);
      }
    }
    for (const Renamed& name : wanted) {
      // A hint that was followed once may stay in the text.
      if (name.before.empty() || sources.contains(name.name)) {
        continue;
      }
      if (!previous->contains(name.before) || !taken.insert(name.before).second) {
        return Error(ErrorKind::kInvalid, previous->contains(name.before)
                                              ? "@rename_from names what another declaration is"
                                              : "@rename_from names nothing that was there")
            .with("name", name.name)
            .with("rename_from", name.before);
      }
      sources[name.name] = name.before;
    }
    return sources;
  }

  base::Ulid fresh() { return base::Ulid::make(now_, random_); }

  base::WallTime now_;
  base::Random& random_;
};

json::Value ids_value(const IdsByName& ids) {
  json::Value out = json::Value::object();
  for (const auto& [name, type] : ids) {
    json::Value entry = json::Value::object();
    entry.set("id", json::Value::string(type.id.text()));
    if (!type.incarnation.is_none()) {
      entry.set("incarnation", json::Value::string(type.incarnation.text()));
    }
    json::Value properties = json::Value::object();
    for (const auto& [property, id] : type.properties) {
      properties.set(property, json::Value::string(id.text()));
    }
    entry.set("properties", std::move(properties));
    out.set(name, std::move(entry));
  }
  return out;
}

Error corrupt(std::string_view what, std::string_view name) {
  return Error(ErrorKind::kCorrupt, "accepted schema does not agree with itself")
      .with("what", what)
      .with("name", name);
}

// Reads ids, and that each is there once.
class IdReader {
 public:
  Result<IdsByName> types(const json::Value& document, std::string_view kind,
                          const std::vector<Declared>& wanted, bool has_tables) {
    const json::Value* const all = document.find(kind);
    if (all == nullptr || all->members().size() != wanted.size()) {
      return corrupt("types without ids, or ids without types", kind);
    }
    IdsByName out;
    for (const Declared& type : wanted) {
      const json::Value* const entry = all->find(type.type.name);
      const json::Value* const properties = entry == nullptr ? nullptr : entry->find("properties");
      if (properties == nullptr || properties->members().size() != type.properties.size()) {
        return corrupt("type without its ids", type.type.name);
      }
      DeclarationIds ids;
      WEFT_TRY(ids.id, id(entry->find("id"), type.type.name));
      if (has_tables) {
        WEFT_TRY(ids.incarnation, id(entry->find("incarnation"), type.type.name));
      }
      for (const Renamed& property : type.properties) {
        WEFT_TRY(ids.properties[property.name], id(properties->find(property.name), property.name));
      }
      out.emplace(type.type.name, std::move(ids));
    }
    return out;
  }

 private:
  Result<base::Ulid> id(const json::Value* value, std::string_view owner) {
    if (value == nullptr || value->as_string() == nullptr) {
      return corrupt("id is missing", owner);
    }
    const auto ulid = base::Ulid::parse(*value->as_string());
    if (!ulid.ok() || !seen_.insert(*ulid).second) {
      return corrupt("id is malformed or stands twice", owner);
    }
    return *ulid;
  }

  std::set<base::Ulid> seen_;
};

}  // namespace

std::string AcceptedSchema::document() const {
  json::Value out = json::Value::object();
  out.set("weft_schema", json::Value::number(kAcceptedFormat));
  out.set("shape", json::Value::string(shape_hash(schema)));
  out.set("interfaces", ids_value(interfaces));
  out.set("nodes", ids_value(nodes));
  out.set("edges", ids_value(edges));
  out.set("text", json::Value::string(text));
  return json::write(out, {.indent = 0});
}

Result<AcceptedSchema> AcceptedSchema::parse(std::string_view document) {
  auto parsed = json::parse(document, {.size_max_bytes = kAcceptedBytesMax});
  if (!parsed.ok()) {
    return Error(ErrorKind::kCorrupt, "accepted schema is no JSON")
        .with("reason", parsed.error().to_string());
  }
  const json::Value* const format = parsed->find("weft_schema");
  const auto number = format == nullptr ? std::nullopt : format->as_uint64();
  if (!number.has_value()) {
    return corrupt("the format is missing", "weft_schema");
  }
  if (*number != kAcceptedFormat) {
    return Error(ErrorKind::kUnsupported,
                 "accepted schema has another format; use a weft that knows it")
        .with("format", *number)
        .with("known", kAcceptedFormat);
  }
  const json::Value* const source = parsed->find("text");
  const json::Value* const shape = parsed->find("shape");
  if (source == nullptr || source->as_string() == nullptr || shape == nullptr ||
      shape->as_string() == nullptr) {
    return corrupt("the text or its shape hash is missing", "text");
  }
  AcceptedSchema out;
  out.text = *source->as_string();
  auto schema = compile(out.text);
  if (!schema.ok() || shape_hash(*schema) != *shape->as_string()) {
    return corrupt("the text does not mean what was accepted",
                   schema.ok() ? "shape" : schema.error().message());
  }
  out.schema = *std::move(schema);
  IdReader reader;
  WEFT_TRY(out.interfaces,
           reader.types(*parsed, "interfaces", all_declared(out.schema.interfaces()), false));
  WEFT_TRY(out.nodes, reader.types(*parsed, "nodes", all_declared(out.schema.nodes()), true));
  WEFT_TRY(out.edges, reader.types(*parsed, "edges", all_declared(out.schema.edges()), true));
  return out;
}

Result<AcceptedSchema> accept(std::string_view text, const AcceptedSchema* previous,
                              base::WallTime now, base::Random& random) {
  AcceptedSchema out;
  WEFT_TRY(out.schema, compile(text));
  out.text = text;
  Accepter accepter(now, random);
  const auto before = [previous](const IdsByName AcceptedSchema::* member) {
    return previous == nullptr ? nullptr : &(previous->*member);
  };
  WEFT_TRY(out.interfaces, accepter.types(all_declared(out.schema.interfaces()),
                                          before(&AcceptedSchema::interfaces), false));
  WEFT_TRY(out.nodes,
           accepter.types(all_declared(out.schema.nodes()), before(&AcceptedSchema::nodes), true));
  WEFT_TRY(out.edges,
           accepter.types(all_declared(out.schema.edges()), before(&AcceptedSchema::edges), true));
  return out;
}

}  // namespace weft::schema
