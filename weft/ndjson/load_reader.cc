#include "weft/ndjson/load_reader.h"

#include <algorithm>
#include <utility>

#include "weft/base/present.h"
#include "weft/ndjson/json_reader.h"
#include "weft/ndjson/type_intake.h"
#include "weft/schema/scanner.h"

namespace weft::ndjson {

// What one line says it is. `data` is where its object begins, read again when the type is known.
struct LoadReader::Envelope {
  std::optional<std::string> type;
  std::optional<std::string> edge;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<size_t> data;
  bool good = true;
};

namespace {

// The object of a line is a text of its own, of one line.
std::string place_text(const JsonReader& json) {
  return json.reason() + " (line 1, column " + std::to_string(json.column()) + " of the object)";
}

}  // namespace

LoadReader::LoadReader(const schema::Schema& schema, base::WallTime now, base::Random& random,
                       LoadOptions options)
    : schema_(schema), now_(now), random_(random), options_(options) {}

LoadReader::~LoadReader() = default;

Status LoadReader::feed(std::string_view chunk, const std::stop_token& stop) {
  WEFT_CHECK(!finished_);
  while (!chunk.empty()) {
    const size_t end = chunk.find('\n');
    const std::string_view piece = chunk.substr(0, end);
    const bool ends = end != std::string_view::npos;
    chunk.remove_prefix(ends ? end + 1 : chunk.size());
    // Beyond the limit the tail is not kept.
    const bool room = rest_.size() + piece.size() <= kLineBytesMax;
    too_long_ = too_long_ || !room;
    if (!ends) {
      if (too_long_) {
        rest_ = {};
      } else {
        rest_ += piece;
      }
      break;
    }
    if (stop.stop_requested()) {
      return Error(ErrorKind::kCancelled, "load was stopped").with("line", line_);
    }
    ++line_;
    if (std::exchange(too_long_, false)) {
      violations_.add(line_, "limit",
                      "a line has at most " + std::to_string(kLineBytesMax) + " bytes");
    } else if (rest_.empty()) {
      read_line(piece);
    } else {
      rest_ += piece;
      read_line(rest_);
    }
    rest_.clear();
  }
  return check_memory();
}

Status LoadReader::finish(const std::stop_token& stop) {
  if (!rest_.empty() || too_long_) {
    WEFT_TRY_STATUS(feed("\n", stop));
  }
  finished_ = true;
  for (const auto* const types : {&nodes_, &edges_}) {
    for (const auto& [name, intake] : *types) {
      TypedBatch batch;
      if (violations_.empty() && intake->take(true, batch)) {
        ready_.push_back(std::move(batch));
      }
    }
  }
  // Nodes may have come behind the edges that end at them.
  std::erase_if(open_, [this](const OpenEndpoint& end) {
    const auto found = nodes_.find(end.node_type);
    return found != nodes_.end() && found->second->has_id(DigestMap::digest(end.id));
  });
  return violations_.empty() ? ok_status() : Status(violations_.to_error());
}

std::vector<TypedBatch> LoadReader::take_batches() {
  return std::exchange(ready_, {});
}

std::vector<OpenEndpoint> LoadReader::open_endpoints() const {
  return open_;
}

std::map<std::string, uint64_t> LoadReader::node_counts() const {
  std::map<std::string, uint64_t> counts;
  for (const auto& [name, intake] : nodes_) {
    counts[name] = intake->row_count();
  }
  return counts;
}

std::map<std::string, uint64_t> LoadReader::edge_counts() const {
  std::map<std::string, uint64_t> counts;
  for (const auto& [name, intake] : edges_) {
    counts[name] = intake->row_count();
  }
  return counts;
}

Status LoadReader::check_memory() const {
  uint64_t bytes = open_bytes_;
  for (const auto* const types : {&nodes_, &edges_}) {
    for (const auto& [name, intake] : *types) {
      bytes += intake->tracking_bytes();
    }
  }
  for (const auto& [name, digests] : waiting_) {
    bytes += digests.memory_bytes();
  }
  if (bytes > options_.tracking_bytes_max) {
    return Error(ErrorKind::kLimit, "ids and unique values of the load take too much memory")
        .with("line", line_)
        .with("tracking_bytes", bytes)
        .with("tracking_bytes_max", options_.tracking_bytes_max);
  }
  return ok_status();
}

void LoadReader::read_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
    return;
  }
  const uint64_t violations_before = violations_.count();
  schema::Place place;
  JsonReader json(line);
  Envelope envelope;
  if (schema::find_bad_utf8(line, place)) {
    violations_.add(line_, "input",
                    "bytes that are no UTF-8 at column " + std::to_string(place.column));
  } else if (!read_envelope(json, envelope)) {
    violations_.add(line_, "input", place_text(json));
  } else if (envelope.good) {
    read_entity(json, envelope);
  }
  if (violations_before == 0 && !violations_.empty()) {
    ready_.clear();
    for (const auto* const types : {&nodes_, &edges_}) {
      for (const auto& [name, intake] : *types) {
        intake->drop_rows();
      }
    }
  }
}

bool LoadReader::read_envelope(JsonReader& json, Envelope& out) {
  std::string name;
  bool more = true;
  if (json.peek() != JsonKind::kObject) {
    violations_.add(line_, "input", "expected an object, found " + shown(json.line()));
    out.good = false;
    return true;
  }
  if (!json.begin_object()) {
    return false;
  }
  std::set<std::string> unknown;
  while (json.next_member(name, more) && more) {
    const bool known =
        name == "type" || name == "edge" || name == "from" || name == "to" || name == "data";
    if (!known) {
      const bool repeated = !unknown.insert(name).second;
      violations_.add(line_, "input",
                      (repeated ? "repeated" : "unknown") + (" member \"" + shown(name)) + "\"");
      out.good = false;
      if (!json.skip_value()) {
        return false;
      }
    } else if (!read_member(json, name, out)) {
      return false;
    }
  }
  if (!json.reason().empty() || !json.at_end()) {
    return false;
  }
  const auto refuse = [&](const std::string& why) {
    violations_.add(line_, "input", why);
    out.good = false;
  };
  if (out.type.has_value() == out.edge.has_value()) {
    if (out.good) {
      refuse(out.type.has_value() ? "both `type` and `edge`" : "neither `type` nor `edge`");
    }
  } else if (out.type.has_value() && (out.from.has_value() || out.to.has_value())) {
    refuse("a node has no `from` and no `to`");
  } else if (out.edge.has_value() && (!out.from.has_value() || !out.to.has_value()) && out.good) {
    refuse(std::string("an edge needs `") + (out.from.has_value() ? "to" : "from") + "`");
  }
  return true;
}

bool LoadReader::read_member(JsonReader& json, const std::string& name, Envelope& out) {
  const bool is_data = name == "data";
  std::optional<std::string>& text = name == "type"   ? out.type
                                     : name == "edge" ? out.edge
                                     : name == "from" ? out.from
                                                      : out.to;
  if (is_data ? out.data.has_value() : text.has_value()) {
    violations_.add(line_, "input", "member \"" + name + "\" stands twice");
    out.good = false;
    return json.skip_value();
  }
  const JsonKind kind = json.peek();
  const size_t begin = json.offset();
  if (is_data && kind == JsonKind::kObject) {
    out.data = begin;
    // Whoever reads its members finds those that are repeated.
    return json.skip_value(false);
  }
  if (!is_data && kind == JsonKind::kString) {
    text.emplace();
    return json.read_string(*text);
  }
  if (!json.skip_value()) {
    return false;
  }
  violations_.add(line_, "input",
                  "member \"" + name + "\" must be " + (is_data ? "an object" : "a text") +
                      ", not " + shown(json.line().substr(begin, json.offset() - begin)));
  out.good = false;
  return true;
}

TypeIntake* LoadReader::find_type(const Envelope& envelope) {
  const bool is_edge = envelope.edge.has_value();
  if (!is_edge) {
    const schema::NodeType* const type = schema_.find_node(base::present(envelope.type));
    if (type != nullptr) {
      auto& intake = nodes_[type->name];
      if (intake == nullptr) {
        intake = std::make_unique<TypeIntake>(*type, options_);
      }
      return intake.get();
    }
  } else if (const schema::EdgeType* const type =
                 schema_.find_edge_ignoring_case(base::present(envelope.edge));
             type != nullptr) {
    auto& intake = edges_[type->name];
    if (intake == nullptr) {
      intake = std::make_unique<TypeIntake>(*type, options_);
    }
    return intake.get();
  }
  violations_.add(line_, "unknown_type",
                  std::string("there is no ") + (is_edge ? "edge" : "node") + " type \"" +
                      shown(base::present(is_edge ? envelope.edge : envelope.type)) + "\"");
  return nullptr;
}

void LoadReader::read_entity(JsonReader& json, const Envelope& envelope) {
  TypeIntake* const intake = find_type(envelope);
  if (intake == nullptr) {
    return;
  }
  JsonReader* data = nullptr;
  if (envelope.data.has_value()) {
    json.rewind(*envelope.data);
    data = &json;
  }
  TypeIntake::Row row = {line_, json.line().size(), nullptr, nullptr};
  if (envelope.edge.has_value()) {
    row.from = &base::present(envelope.from);
    row.to = &base::present(envelope.to);
  }
  if (!intake->read_row(data, row, now_, random_, violations_)) {
    violations_.add(line_, "input", place_text(json));
    return;
  }
  if (const schema::EdgeType* const edge = intake->edge(); edge != nullptr) {
    note_endpoint(edge->from, *row.from, *intake, true);
    note_endpoint(edge->to, *row.to, *intake, false);
  }
  TypedBatch batch;
  if (violations_.empty() && intake->take(false, batch)) {
    ready_.push_back(std::move(batch));
  }
}

void LoadReader::note_endpoint(std::string_view node_type, const std::string& id,
                               const TypeIntake& edge, bool is_source) {
  const codec::Digest16 digest = DigestMap::digest(id);
  const auto nodes = nodes_.find(node_type);
  if (nodes != nodes_.end() && nodes->second->has_id(digest)) {
    return;
  }
  if (!waiting_[std::string(node_type)].insert(digest, line_).has_value()) {
    open_.push_back({std::string(node_type), id, edge.name(), is_source, line_});
    open_bytes_ += sizeof(OpenEndpoint) + id.size();
  }
}

}  // namespace weft::ndjson
