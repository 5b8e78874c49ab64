#include "weft/rete/build/build_record.h"

namespace weft::rete::build {
namespace {

// Numbers and fixed words only: nothing needs escaping.
class Members {
 public:
  void number(std::string_view key, uint64_t value) { raw(key, std::to_string(value)); }
  void text(std::string_view key, std::string_view value) {
    raw(key, '"' + std::string(value) + '"');
  }
  void raw(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? "\"" : ",\"";
    text_ += key;
    text_ += "\":";
    text_ += value;
  }
  void verbatim(std::string_view members) {
    if (!members.empty()) {
      text_ += ',';
      text_ += members;
    }
  }
  std::string object() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

}  // namespace

std::string build_record(const BuildOptions& options, const SegmentParts& parts) {
  Members engine;
  engine.text("name", "weft");

  Members write;
  write.number("tile_bytes", options.tile_bytes);
  write.number("dict_chunk_bytes", options.chunk_bytes);
  write.number("zstd_level", options.compress ? static_cast<uint64_t>(options.zstd_level) : 0);
  Members params;
  params.text("codec", options.compress ? "zstd" : "none");
  params.raw("write", write.object());
  params.number("permutations", options.six_permutations ? 6 : 3);

  uint64_t terms = 0;
  for (const DictionarySection& section : parts.dictionary.sections) {
    terms += section.term_count;
  }
  Members counts;
  counts.number("statements_unique", parts.triple_count + parts.quad_count);
  counts.number("default_graph_triples", parts.triple_count);
  counts.number("named_graphs", parts.graphs.size());
  counts.number("named_graph_quads", parts.quad_count);
  counts.number("terms", terms);

  Members record;
  record.number("schema", 1);
  record.text("builder", "weft");
  record.raw("engine", engine.object());
  record.raw("params", params.object());
  record.raw("counts", counts.object());
  record.verbatim(options.record_members);
  return record.object();
}

}  // namespace weft::rete::build
