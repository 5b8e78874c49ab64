#include "weft/gqexec/reach.h"

#include <algorithm>

namespace weft::gqexec {
namespace {

constexpr size_t kAskEvery = 4'096;  // nodes between two looks at the stop token

}  // namespace

Status Reach::from(RowNumber node, const std::stop_token& stop) {
  if (step_.hops_max > 1 && !step_.edge_slot.has_value()) {
    return several_hops(node, stop);
  }
  if (step_.way == gq::Direction::kBoth) {
    if (step_.edge_slot.has_value()) {
      edges_both_ways(node);
    } else {
      one_hop_both_ways(node);
    }
  } else {
    one_hop(node);
  }
  return ok_status();
}

void Reach::one_hop(RowNumber node) {
  nodes_view_ = lists().nodes_of(node);
  edges_view_ = lists().edges_of(node);
  if (step_.edge_slot.has_value() || !lists().has_parallels) {
    return;
  }
  nodes_.clear();
  edges_.clear();
  std::unique_copy(nodes_view_.begin(), nodes_view_.end(), std::back_inserter(nodes_));
  use_own();
}

void Reach::one_hop_both_ways(RowNumber node) {
  const auto out = lists_.out().nodes_of(node);
  const auto in = lists_.in().nodes_of(node);
  nodes_.clear();
  edges_.clear();
  std::merge(out.begin(), out.end(), in.begin(), in.end(), std::back_inserter(nodes_));
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  use_own();
}

void Reach::edges_both_ways(RowNumber node) {
  const auto out = lists_.out().nodes_of(node);
  const auto in = lists_.in().nodes_of(node);
  nodes_.assign(out.begin(), out.end());
  edges_.assign(lists_.out().edges_of(node).begin(), lists_.out().edges_of(node).end());
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] != node) {
      nodes_.push_back(in[i]);
      edges_.push_back(lists_.in().edges_of(node)[i]);
    }
  }
  use_own();
}

bool Reach::is_new(RowNumber node) {
  if (seen_[node] == round_) {
    return false;
  }
  seen_[node] = round_;
  return true;
}

Status Reach::several_hops(RowNumber node, const std::stop_token& stop) {
  nodes_.clear();
  edges_.clear();
  if (!step_.one_type) {
    // The second hop would begin at a node where no edge of this type begins.
    if (step_.hops_min == 1) {
      one_hop(node);
    } else {
      use_own();
    }
    return ok_status();
  }
  if (seen_.empty() || round_ == UINT32_MAX) {
    seen_.assign(lists_.out().starts.size() - 1, 0);
    round_ = 0;
  }
  ++round_;
  seen_[node] = round_;
  frontier_.clear();
  frontier_.push_back(node);
  size_t visited = 0;
  for (uint32_t hop = 1; hop <= step_.hops_max && !frontier_.empty(); ++hop) {
    next_frontier_.clear();
    for (const RowNumber at : frontier_) {
      if (++visited % kAskEvery == 0 && stop.stop_requested()) {
        return Error(ErrorKind::kCancelled, "query was cancelled");
      }
      const auto visit = [this](std::span<const RowNumber> neighbours) {
        for (const RowNumber neighbour : neighbours) {
          if (is_new(neighbour)) {
            next_frontier_.push_back(neighbour);
          }
        }
      };
      visit(lists().nodes_of(at));
      if (step_.way == gq::Direction::kBoth) {
        visit(lists_.in().nodes_of(at));
      }
    }
    if (hop >= step_.hops_min) {
      nodes_.insert(nodes_.end(), next_frontier_.begin(), next_frontier_.end());
    }
    frontier_.swap(next_frontier_);
  }
  const auto own = lists_.out().nodes_of(node);
  if (step_.hops_min == 1 && std::binary_search(own.begin(), own.end(), node)) {
    nodes_.push_back(node);  // a loop
  }
  use_own();
  return ok_status();
}

void Reach::between(RowNumber from_node, RowNumber to) {
  if (step_.hops_max > 1 && !step_.edge_slot.has_value()) {
    if (!last_known_ || last_from_ != from_node) {
      const Status reached = several_hops(from_node, {});
      last_known_ = reached.ok();
      last_from_ = from_node;
      last_reached_.assign(nodes_view_.begin(), nodes_view_.end());
      std::sort(last_reached_.begin(), last_reached_.end());
    }
    nodes_.clear();
    if (std::binary_search(last_reached_.begin(), last_reached_.end(), to)) {
      nodes_.push_back(to);
    }
    edges_.clear();
    use_own();
    return;
  }
  nodes_.clear();
  edges_.clear();
  const auto add = [this, from_node, to](const NeighbourLists& lists, bool loops) {
    const auto nodes = lists.nodes_of(from_node);
    const auto edges = lists.edges_of(from_node);
    const auto [first, last] = std::equal_range(nodes.begin(), nodes.end(), to);
    for (auto at = first; at != last && (loops || from_node != to); ++at) {
      nodes_.push_back(to);
      edges_.push_back(edges[static_cast<size_t>(at - nodes.begin())]);
    }
  };
  add(lists(), true);
  if (step_.way == gq::Direction::kBoth) {
    add(lists_.in(), false);
  }
  if (!step_.edge_slot.has_value() && nodes_.size() > 1) {
    nodes_.erase(nodes_.begin() + 1, nodes_.end());
    edges_.erase(edges_.begin() + 1, edges_.end());
  }
  use_own();
}

}  // namespace weft::gqexec
