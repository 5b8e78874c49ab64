#include "weft/rete/build/graph_tile_writer.h"

namespace weft::rete::build {

Status GraphTileWriter::accept(std::span<const Row<4>> rows) {
  const auto [a, b, c] = columns_;
  for (const Row<4>& row : rows) {
    if (row.at[0] != graph_ && !rows_.empty()) {
      close_graph();
    }
    graph_ = row.at[0];
    cutter_.add(row.at[a], row.at[b], row.at[c]);
    rows_.push_back(row);
    if (cuts_.size() + cutter_.cuts().size() >= space_->batch_blocks() * 4) {
      for (const size_t cut : cutter_.cuts()) {
        cuts_.push_back(graph_start_ + cut);
      }
      graph_start_ += cutter_.cuts().empty() ? 0 : cutter_.cuts().back();
      cutter_.forget();
      WEFT_TRY_STATUS(flush());
    }
  }
  return ok_status();
}

void GraphTileWriter::close_graph() {
  cutter_.finish();
  for (const size_t cut : cutter_.cuts()) {
    cuts_.push_back(graph_start_ + cut);
  }
  graph_start_ = rows_.size();
  cutter_ = TripleTileCutter(tile_bytes_);
}

Status GraphTileWriter::flush() {
  if (cuts_.empty()) {
    return ok_status();
  }
  WEFT_TRY_STATUS(store_tiles<4>(rows_, cuts_, *space_, *order_,
                                 [this](std::span<const Row<4>> rows, std::string& raw,
                                        std::string& stored, TileSummary& summary) {
                                   encode_graph_tile(rows, columns_, raw, summary);
                                   summary.first_g = rows.front().at[0];
                                   summary.last_g = summary.first_g;
                                   space_->codec.store(as_bytes(raw), stored);
                                 }));
  graph_start_ -= cuts_.back();
  cuts_.clear();
  return ok_status();
}

Status GraphTileWriter::finish() {
  if (!rows_.empty()) {
    close_graph();
  }
  return flush();
}

}  // namespace weft::rete::build
