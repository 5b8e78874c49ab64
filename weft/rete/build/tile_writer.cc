#include "weft/rete/build/tile_writer.h"

#include <algorithm>

namespace weft::rete::build {
namespace {

// Rows fed to a cutter between two looks at whether enough tiles are complete.
constexpr size_t kRowsPerStep = 16384;

}  // namespace

Status TripleTileWriter::accept(std::span<const Row<3>> rows) {
  const auto [a, b, c] = columns_;
  while (!rows.empty()) {
    const auto step = rows.first(std::min(rows.size(), kRowsPerStep));
    for (const Row<3>& row : step) {
      cutter_.add(row.at[a], row.at[b], row.at[c]);
    }
    rows_.insert(rows_.end(), step.begin(), step.end());
    rows = rows.subspan(step.size());
    if (cutter_.cuts().size() >= space_->batch_blocks()) {
      WEFT_TRY_STATUS(flush());
    }
  }
  return ok_status();
}

Status TripleTileWriter::flush() {
  WEFT_TRY_STATUS(store_tiles<3>(rows_, cutter_.cuts(), *space_, *order_,
                                 [this](std::span<const Row<3>> rows, std::string& raw,
                                        std::string& stored, TileSummary& summary) {
                                   encode_triple_tile(rows, columns_, raw, summary);
                                   space_->codec.store(as_bytes(raw), stored);
                                 }));
  cutter_.forget();
  return ok_status();
}

Status TripleTileWriter::finish() {
  cutter_.finish();
  return flush();
}

Status QuadTileWriter::accept(std::span<const Row<4>> rows) {
  const auto [a, b, c] = columns_;
  while (!rows.empty()) {
    const auto step = rows.first(std::min(rows.size(), kRowsPerStep));
    for (const Row<4>& row : step) {
      cutter_.add(row.at[0], row.at[a], row.at[b], row.at[c]);
    }
    rows_.insert(rows_.end(), step.begin(), step.end());
    rows = rows.subspan(step.size());
    if (cutter_.cuts().size() >= space_->batch_blocks()) {
      WEFT_TRY_STATUS(flush());
    }
  }
  return ok_status();
}

Status QuadTileWriter::flush() {
  WEFT_TRY_STATUS(store_tiles<4>(rows_, cutter_.cuts(), *space_, *order_,
                                 [this](std::span<const Row<4>> rows, std::string& raw,
                                        std::string& stored, TileSummary& summary) {
                                   encode_quad_tile(rows, columns_, raw, summary);
                                   summary.is_raw =
                                       space_->codec.store_shorter(as_bytes(raw), stored);
                                 }));
  cutter_.forget();
  return ok_status();
}

Status QuadTileWriter::finish() {
  cutter_.finish();
  return flush();
}

}  // namespace weft::rete::build
