#include "weft/rete/build/quad_lines.h"

#include <array>

#include "weft/base/check.h"
#include "weft/codec/blake3.h"
#include "weft/rete/format.h"
#include "weft/storage/memory_store.h"

namespace weft::rete {
namespace {

constexpr std::string_view kXsdString = "http://www.w3.org/2001/XMLSchema#string";

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  return text;
}

std::string take(std::string_view& rest, size_t size) {
  std::string token(rest.substr(0, size));
  rest.remove_prefix(size);
  return token;
}

std::string take_term(std::string_view& rest);

std::string take_triple(std::string_view& rest) {
  rest.remove_prefix(2);
  const bool parenthesis = rest.front() == '(';
  rest.remove_prefix(parenthesis ? 1 : 0);
  std::string token = "<<";
  for (int i = 0; i < 3; ++i) {
    rest = trim(rest);
    token += (i > 0 ? " " : "") + take_term(rest);
  }
  rest = trim(rest);
  rest.remove_prefix(parenthesis ? 3 : 2);
  return token + ">>";
}

std::string take_literal(std::string_view& rest) {
  size_t end = 1;
  while (rest[end] != '"') {
    end += rest[end] == '\\' ? 2 : 1;
  }
  ++end;
  if (rest.substr(end, 3) == "^^<") {
    const size_t close = rest.find('>', end);
    if (rest.substr(end + 3, close - end - 3) == kXsdString) {
      std::string token = take(rest, end);
      rest.remove_prefix(close + 1 - end);
      return token;
    }
    end = close + 1;
  } else if (rest[end] == '@') {
    end = rest.find_first_of(" \t.", end);
  }
  return take(rest, end);
}

std::string take_term(std::string_view& rest) {
  if (rest.starts_with("<<")) {
    return take_triple(rest);
  }
  switch (rest.front()) {
    case '<':
      return take(rest, rest.find('>') + 1);
    case '_':
      return take(rest, rest.find_first_of(" \t"));
    default:
      return take_literal(rest);
  }
}

}  // namespace

std::vector<TextQuad> parse_quad_lines(std::string_view text) {
  std::vector<TextQuad> quads;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    TextQuad quad;
    quad.subject = take_term(line);
    line = trim(line);
    quad.predicate = take_term(line);
    line = trim(line);
    quad.object = take_term(line);
    line = trim(line);
    if (line.front() != '.') {
      quad.graph = take_term(line);
    }
    quads.push_back(std::move(quad));
  }
  return quads;
}

std::string BuiltSegment::hash() const {
  return codec::to_hex(report.content_hash);
}

std::string BuiltSegment::section(uint8_t kind) const {
  const auto header = parse_header6(as_bytes(bytes), bytes.size());
  WEFT_CHECK(header.ok());
  const auto root = parse_root6(*header, as_bytes(bytes).subspan(kHeaderBytes6, header->root_size));
  WEFT_CHECK(root.ok());
  const SectionEntry6* entry = root->find(static_cast<SectionKind6>(kind));
  return entry == nullptr ? "" : bytes.substr(section_offset(*header, *entry), entry->size);
}

Result<BuiltSegment> build_segment(const std::vector<TextQuad>& quads, BuildOptions options,
                                   const BuildSetting& setting) {
  base::ThreadPool pool(setting.threads);
  const auto memory = storage::memory_scratch();
  storage::ScratchSpace& scratch = setting.scratch == nullptr ? *memory : *setting.scratch;
  if (options.memory_bytes == 0) {
    options.memory_bytes = uint64_t{256} << 20U;
  }
  WEFT_TRY(const auto builder, SegmentBuilder::create(options, pool, scratch));
  const size_t sinks = builder->sink_count();
  WEFT_TRY_STATUS(pool.for_each(sinks, [&](size_t sink) -> Status {
    std::vector<rdf::QuadView> batch;
    for (size_t at = sink * setting.batch_quads; at < quads.size();
         at += sinks * setting.batch_quads) {
      batch.clear();
      for (size_t i = at; i < std::min(at + setting.batch_quads, quads.size()); ++i) {
        batch.push_back(quads[i].view());
      }
      WEFT_TRY_STATUS(builder->sink(sink).accept(batch));
    }
    return ok_status();
  }));
  storage::MemoryDisk disk;
  storage::MemoryStore store(disk);
  WEFT_TRY(auto writer, store.create("a.rete"));
  BuiltSegment built;
  WEFT_TRY(built.report, builder->finish(*writer));
  WEFT_TRY(const storage::PutOutcome outcome, writer->publish());
  WEFT_CHECK(outcome == storage::PutOutcome::kDone);
  WEFT_TRY(const storage::VersionedObject object, store.get("a.rete", UINT64_MAX));
  built.bytes = to_text(object.bytes.view());
  return built;
}

BuildOptions bare_options() {
  BuildOptions options;
  options.schema = false;
  options.build_record = false;
  options.block_digests = false;
  return options;
}

}  // namespace weft::rete
