#include "weft/rete/build/schema_classes.h"

#include <algorithm>
#include <array>
#include <memory>

#include "weft/rete/build/term_reader.h"

namespace weft::rete::build {
namespace {

constexpr uint32_t kStepsMax = 64;

using NodePairs = std::vector<std::pair<SchemaNode, SchemaNode>>;

SchemaNode object_node(uint32_t id, uint32_t shared) {
  return id <= shared ? SchemaNode{DictSection::kShared, id}
                      : SchemaNode{DictSection::kObjects, id - shared};
}

std::vector<SchemaNode> nodes_of(const SchemaCounts& counts, uint32_t shared) {
  std::vector<SchemaNode> nodes;
  nodes.reserve(counts.instances.size());
  for (const auto& [id, count] : counts.instances) {
    nodes.push_back(object_node(id, shared));
  }
  for (const NodePairs* pairs : {&counts.subclass_of, &counts.disjoint, &counts.equivalent}) {
    for (const auto& [from, to] : *pairs) {
      nodes.push_back(from);
      nodes.push_back(to);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// Reads the names and numbers them, the two that are no terms among them.
Status read_names(const std::vector<SchemaNode>& nodes, const Dictionary& dictionary,
                  uint32_t restart_interval, bool is_compressed, ClassTable& table) {
  std::array<std::unique_ptr<SectionReader>, kDictSectionCount> readers;
  std::vector<std::pair<std::string, size_t>> named;
  named.reserve(nodes.size() + 2);
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto& reader = readers[static_cast<size_t>(nodes[i].section)];
    if (reader == nullptr) {
      reader = std::make_unique<SectionReader>(dictionary.at(nodes[i].section), restart_interval,
                                               is_compressed);
    }
    WEFT_TRY(const std::string_view name, reader->at(nodes[i].rank));
    named.emplace_back(name, i);
  }
  const size_t untyped = nodes.size();
  const size_t literal = nodes.size() + 1;
  named.emplace_back(kUntypedName, untyped);
  named.emplace_back(kLiteralName, literal);
  std::sort(named.begin(), named.end());
  std::vector<ClassNumber> numbers(named.size());
  table.names.reserve(named.size());
  for (auto& [name, index] : named) {
    numbers[index] = static_cast<ClassNumber>(table.names.size());
    table.names.push_back(std::move(name));
  }
  table.untyped = numbers[untyped];
  table.literal = numbers[literal];
  table.by_node.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    table.by_node.emplace_back(nodes[i], numbers[i]);
  }
  return ok_status();
}

std::vector<std::pair<ClassNumber, ClassNumber>> axioms(const NodePairs& pairs,
                                                        const ClassTable& table) {
  std::vector<std::pair<ClassNumber, ClassNumber>> result;
  for (const auto& [from, to] : pairs) {
    const ClassNumber a = table.number_of(from);
    const ClassNumber b = table.number_of(to);
    if (a != b) {
      result.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void link_parents(const SchemaCounts& counts, ClassTable& table) {
  table.parents.resize(table.names.size());
  for (const auto& [from, to] : counts.subclass_of) {
    const ClassNumber child = table.number_of(from);
    const ClassNumber parent = table.number_of(to);
    if (child == parent) {
      table.loops.push_back(child);
      continue;
    }
    table.parents[child].push_back(parent);
    table.is_class[child] = true;
    table.is_class[parent] = true;
  }
  for (std::vector<ClassNumber>& parents : table.parents) {
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  }
  std::sort(table.loops.begin(), table.loops.end());
  table.loops.erase(std::unique(table.loops.begin(), table.loops.end()), table.loops.end());
}

// Steps along first parents until there is none, or one that was visited already, or after 64.
uint32_t depth_of(ClassNumber from, const ClassTable& table) {
  std::vector<ClassNumber> seen;
  uint32_t depth = 0;
  while (depth < kStepsMax && std::find(seen.begin(), seen.end(), from) == seen.end()) {
    seen.push_back(from);
    if (table.parents[from].empty()) {
      break;
    }
    from = table.parents[from].front();
    ++depth;
  }
  return depth;
}

// Tarjan, "Depth-first search and linear graph algorithms" (1972), without recursion.
class Components {
 public:
  explicit Components(const ClassTable& table)
      : table_(table),
        index_(table.names.size(), 0),
        low_(table.names.size(), 0),
        on_stack_(table.names.size(), false) {}

  std::vector<std::vector<ClassNumber>> run() {
    for (ClassNumber node = 0; node < index_.size(); ++node) {
      if (index_[node] == 0 && !table_.parents[node].empty()) {
        visit(node);
      }
    }
    return std::move(found_);
  }

 private:
  struct Frame {
    ClassNumber node;
    size_t next_parent;
  };

  void enter(ClassNumber node) {
    index_[node] = low_[node] = ++counter_;
    stack_.push_back(node);
    on_stack_[node] = true;
    frames_.push_back({node, 0});
  }

  void visit(ClassNumber root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const ClassNumber node = frame.node;
      if (frame.next_parent < table_.parents[node].size()) {
        const ClassNumber parent = table_.parents[node][frame.next_parent++];
        if (index_[parent] == 0) {
          enter(parent);
        } else if (on_stack_[parent]) {
          low_[node] = std::min(low_[node], index_[parent]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        ClassNumber& low = low_[frames_.back().node];
        low = std::min(low, low_[node]);
      }
      if (low_[node] == index_[node]) {
        close(node);
      }
    }
  }

  void close(ClassNumber root) {
    std::vector<ClassNumber> members;
    ClassNumber node = 0;
    do {
      node = stack_.back();
      stack_.pop_back();
      on_stack_[node] = false;
      members.push_back(node);
    } while (node != root);
    if (members.size() > 1) {
      std::sort(members.begin(), members.end());
      found_.push_back(std::move(members));
    }
  }

  const ClassTable& table_;
  std::vector<uint32_t> index_;
  std::vector<uint32_t> low_;
  std::vector<bool> on_stack_;
  std::vector<ClassNumber> stack_;
  std::vector<Frame> frames_;
  uint32_t counter_ = 0;
  std::vector<std::vector<ClassNumber>> found_;
};

}  // namespace

ClassNumber ClassTable::number_of(const SchemaNode& node) const {
  const auto found = std::lower_bound(by_node.begin(), by_node.end(), node,
                                      [](const std::pair<SchemaNode, ClassNumber>& entry,
                                         const SchemaNode& value) { return entry.first < value; });
  WEFT_CHECK(found != by_node.end() && found->first == node);
  return found->second;
}

ClassNumber ClassTable::roll_up(ClassNumber of, uint32_t depth_wanted) const {
  for (uint32_t step = 0; step < kStepsMax && depth[of] > depth_wanted && !parents[of].empty();
       ++step) {
    of = parents[of].front();
  }
  return of;
}

Result<ClassTable> make_class_table(const SchemaCounts& counts, const Dictionary& dictionary,
                                    uint32_t restart_interval, bool is_compressed) {
  const uint32_t shared = dictionary.count(DictSection::kShared);
  ClassTable table;
  WEFT_TRY_STATUS(
      read_names(nodes_of(counts, shared), dictionary, restart_interval, is_compressed, table));
  table.is_class.resize(table.names.size());
  for (const auto& [id, count] : counts.instances) {
    const ClassNumber number = table.number_of(object_node(id, shared));
    table.is_class[number] = true;
    table.instances.emplace_back(number, count);
  }
  link_parents(counts, table);
  table.disjoint = axioms(counts.disjoint, table);
  table.equivalent = axioms(counts.equivalent, table);
  table.depth.resize(table.names.size());
  for (ClassNumber number = 0; number < table.names.size(); ++number) {
    if (table.is_class[number]) {
      table.depth[number] = depth_of(number, table);
      table.depth_max = std::max(table.depth_max, table.depth[number]);
    }
  }
  return table;
}

std::vector<std::vector<ClassNumber>> class_cycles(const ClassTable& table) {
  std::vector<std::vector<ClassNumber>> cycles = Components(table).run();
  for (const ClassNumber loop : table.loops) {
    cycles.push_back({loop});
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

}  // namespace weft::rete::build
