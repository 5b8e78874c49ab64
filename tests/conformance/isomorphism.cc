#include "tests/conformance/isomorphism.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "weft/rdf/term.h"

namespace weft::conformance {
namespace {

using Colors = std::map<std::string, size_t>;  // blank node -> what is known of it
using Mapping = std::map<std::string, std::string>;

// The token with every blank node in it replaced.
template <typename Rename>
std::string renamed(std::string_view token, const Rename& rename) {
  if (token.starts_with("_:")) {
    return rename(std::string(token));
  }
  if (!token.starts_with("<<")) {
    return std::string(token);
  }
  const auto parts = rdf::split_triple(token);
  return rdf::make_triple(renamed(parts->subject, rename), renamed(parts->predicate, rename),
                          renamed(parts->object, rename));
}

void collect_nodes(const Quad& quad, std::set<std::string>& nodes) {
  for (const std::string& token : quad) {
    renamed(token, [&nodes](const std::string& node) {
      nodes.insert(node);
      return node;
    });
  }
}

class Side {
 public:
  explicit Side(const std::set<Quad>& quads) : quads_(quads) {
    for (const Quad& quad : quads) {
      std::set<std::string> nodes;
      collect_nodes(quad, nodes);
      for (const std::string& node : nodes) {
        quads_of_[node].push_back(&quad);
      }
    }
  }

  Colors initial_colors() const {
    Colors colors;
    for (const auto& [node, quads] : quads_of_) {
      colors[node] = 0;
    }
    return colors;
  }

  // Colours by the quads around, until they divide the nodes no further.
  Colors refine(Colors colors) const {
    size_t classes = count_classes(colors);
    while (true) {
      Colors next;
      for (const auto& [node, quads] : quads_of_) {
        next[node] = signature(node, quads, colors);
      }
      const size_t next_classes = count_classes(next);
      colors = std::move(next);
      if (next_classes <= classes) {
        return colors;
      }
      classes = next_classes;
    }
  }

  const std::set<Quad>& quads() const { return quads_; }

 private:
  static size_t count_classes(const Colors& colors) {
    std::set<size_t> seen;
    for (const auto& [node, color] : colors) {
      seen.insert(color);
    }
    return seen.size();
  }

  static size_t signature(const std::string& self, const std::vector<const Quad*>& quads,
                          const Colors& colors) {
    std::vector<std::string> views;
    for (const Quad* quad : quads) {
      std::string view;
      for (const std::string& token : *quad) {
        view += renamed(token, [&](const std::string& node) {
          const std::string color = std::to_string(colors.at(node));
          return (node == self ? "_:self" : "_:c") + color;
        });
        view += '\n';
      }
      views.push_back(std::move(view));
    }
    std::ranges::sort(views);
    std::string all = std::to_string(colors.at(self));
    for (const std::string& view : views) {
      all += view;
    }
    return std::hash<std::string>()(all);
  }

  const std::set<Quad>& quads_;
  std::map<std::string, std::vector<const Quad*>> quads_of_;
};

std::map<size_t, std::vector<std::string>> classes_of(const Colors& colors) {
  std::map<size_t, std::vector<std::string>> classes;
  for (const auto& [node, color] : colors) {
    classes[color].push_back(node);
  }
  return classes;
}

bool is_mapped(const Side& left, const Side& right, const Mapping& mapping) {
  for (const Quad& quad : left.quads()) {
    Quad image;
    for (size_t i = 0; i < quad.size(); ++i) {
      image[i] = renamed(quad[i], [&](const std::string& node) { return mapping.at(node); });
    }
    if (!right.quads().contains(image)) {
      return false;
    }
  }
  return true;
}

bool search(const Side& left, const Side& right, Colors left_colors, Colors right_colors,
            int& steps) {
  if (++steps > kSearchStepsMax) {
    return false;
  }
  left_colors = left.refine(std::move(left_colors));
  right_colors = right.refine(std::move(right_colors));
  const auto left_classes = classes_of(left_colors);
  const auto right_classes = classes_of(right_colors);
  if (left_classes.size() != right_classes.size()) {
    return false;
  }
  Mapping mapping;
  const std::vector<std::string>* open_left = nullptr;
  const std::vector<std::string>* open_right = nullptr;
  for (const auto& [color, nodes] : left_classes) {
    const auto found = right_classes.find(color);
    if (found == right_classes.end() || found->second.size() != nodes.size()) {
      return false;
    }
    mapping[nodes[0]] = found->second[0];
    if (nodes.size() > 1 && (open_left == nullptr || nodes.size() < open_left->size())) {
      open_left = &nodes;
      open_right = &found->second;
    }
  }
  if (open_left == nullptr) {
    return is_mapped(left, right, mapping);
  }
  // Tell one node of the class apart and see whether some node of the other side can be its image.
  constexpr size_t kChosen = 0x9E3779B97F4A7C15U;
  left_colors[open_left->front()] = kChosen + static_cast<size_t>(steps);
  const size_t chosen = left_colors[open_left->front()];
  return std::ranges::any_of(*open_right, [&](const std::string& candidate) {
    Colors tried = right_colors;
    tried[candidate] = chosen;
    return search(left, right, left_colors, tried, steps);
  });
}

}  // namespace

bool are_isomorphic(std::vector<Quad> left, std::vector<Quad> right) {
  const std::set<Quad> left_set(left.begin(), left.end());
  const std::set<Quad> right_set(right.begin(), right.end());
  if (left_set.size() != right_set.size()) {
    return false;
  }
  const Side left_side(left_set);
  const Side right_side(right_set);
  int steps = 0;
  return search(left_side, right_side, left_side.initial_colors(), right_side.initial_colors(),
                steps);
}

}  // namespace weft::conformance
