#include "weft/engine/retarget_update.h"

namespace weft::engine {
namespace {

class Retarget {
 public:
  explicit Retarget(const std::string& token) : token_(token) {}

  void operator()(sparql::InsertData& data) const { move(data.quads); }
  void operator()(sparql::DeleteData& data) const { move(data.quads); }
  void operator()(sparql::Modify& modify) const {
    move(modify.deletes);
    move(modify.inserts);
    if (modify.where.default_graphs.empty() && modify.where.named_graphs.empty() &&
        modify.where.with_graph.empty()) {
      modify.where.with_graph = token_;
    }
  }
  void operator()(sparql::Load& load) const { move(load.into); }
  void operator()(sparql::Clear& clear) const { move(clear.target); }
  void operator()(sparql::Drop& drop) const { move(drop.target); }
  void operator()(sparql::Create&) const {}
  void operator()(sparql::Transfer& transfer) const {
    move(transfer.from);
    move(transfer.to);
  }

 private:
  void move(std::vector<sparql::QuadTemplate>& quads) const {
    for (sparql::QuadTemplate& quad : quads) {
      if (!quad.graph.has_value()) {
        quad.graph = token_;
      }
    }
  }
  void move(std::optional<std::string>& graph) const {
    if (!graph.has_value()) {
      graph = token_;
    }
  }
  void move(sparql::GraphTarget& target) const {
    if (target.kind == sparql::GraphTarget::Kind::kDefault) {
      target = {.kind = sparql::GraphTarget::Kind::kOne, .graph = token_};
    }
  }

  const std::string& token_;
};

}  // namespace

void retarget(sparql::Update& update, const std::string& token) {
  for (sparql::UpdateOperation& operation : update.operations) {
    std::visit(Retarget(token), operation);
  }
}

}  // namespace weft::engine
