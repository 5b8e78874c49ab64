// From a sound file to its directories.
#include <algorithm>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"
#include "weft/rete/whole_file.h"

namespace weft::rete {
namespace {

using storage::Range;

Error bad_root(const std::string& name, std::string_view what) {
  return damage(what, name, "root", kHeaderBytes6);
}

// Directory errors carry a reason only.
template <typename T>
Result<T> in_root(const std::string& name, Result<T> result) {
  if (!result.ok() && result.error().kind() == ErrorKind::kCorrupt) {
    return bad_root(name, result.error().fact("reason"));
  }
  return result;
}

Result<TermCounts> counts_of(const std::vector<DictDirectory>& sections, uint64_t term_count,
                             const std::string& name) {
  uint64_t total = 0;
  uint64_t nodes = 0;
  for (const DictDirectory& section : sections) {
    total += section.term_count;
    nodes += section.section == DictSection::kPredicates ? 0 : section.term_count;
  }
  if (total != term_count) {
    return damage("term count in the header differs from the dictionary", name, "header", 0);
  }
  if (nodes >= kTermsMax ||
      sections[static_cast<size_t>(DictSection::kPredicates)].term_count >= kTermsMax) {
    return Error(ErrorKind::kUnsupported, "cannot read .rete file: more than 2^32 - 2 terms")
        .with("file", name)
        .with("terms", total);
  }
  const auto count = [&](DictSection section) {
    return static_cast<uint32_t>(sections[static_cast<size_t>(section)].term_count);
  };
  TermCounts counts;
  counts.shared = count(DictSection::kShared);
  counts.subjects = count(DictSection::kSubjects);
  counts.objects = count(DictSection::kObjects);
  counts.predicates = count(DictSection::kPredicates);
  return counts;
}

IdLimits limits_of(const TermCounts& counts) {
  return {.graph = counts.shared + counts.subjects,
          .a = counts.shared + counts.subjects,
          .b = counts.predicates,
          .c = counts.shared + counts.objects};
}

void place_directories(
    std::vector<TileDirectory>&& directories,
    std::array<std::shared_ptr<const TileDirectory>, rdf::kPermutationCount>& places) {
  for (TileDirectory& directory : directories) {
    const auto at = static_cast<size_t>(directory.permutation);
    places[at] = std::make_shared<const TileDirectory>(std::move(directory));
  }
}

}  // namespace

Result<const Roots*> FileSegment::roots(const std::stop_token& stop) {
  if (is_ready_.load(std::memory_order_acquire)) {
    return &roots_;
  }
  const base::MutexLock lock(mutex_);
  if (is_ready_.load(std::memory_order_relaxed)) {
    return &roots_;
  }
  if (damage_.has_value()) {
    return *damage_;
  }
  Status status = load_roots(stop);
  if (!status.ok()) {
    if (status.error().kind() == ErrorKind::kCorrupt) {
      damage_ = status.error();
    }
    roots_ = {};
    return std::move(status).error();
  }
  is_ready_.store(true, std::memory_order_release);
  return &roots_;
}

Range FileSegment::section6(SectionKind6 kind) const {
  const SectionEntry6* const entry = base::present(root6_).find(kind);
  return entry == nullptr ? Range{}
                          : Range{section_offset(base::present(header6_), *entry), entry->size};
}

uint64_t FileSegment::block_max6(SectionKind6 kind) const {
  const SectionEntry6* const entry = base::present(root6_).find(kind);
  return entry == nullptr || entry->block_size_max == 0 ? kBlockBytesDefaultMax
                                                        : entry->block_size_max;
}

Status FileSegment::load_roots(const std::stop_token& stop) {
  const std::string identity = file_.identity();
  const VerdictKey key{identity, facts_.content_hash};
  const bool remembers = verdicts_ != nullptr && !identity.empty();
  const bool is_known = remembers && must_check_whole_file() &&
                        verdicts_->load(key, VerdictKind::kIntact).has_value();
  const bool must_check = must_check_whole_file() && !is_known;
  std::optional<WholeFile5> whole5 = checked_before_;
  if (whole5.has_value()) {
    has_suspicious_section_ = whole5->has_suspicious_section;
  } else if (must_check && header6_.has_value()) {
    WEFT_TRY_STATUS(
        check_digests6(file_, base::present(header6_), base::present(root6_), {}, stop));
  } else if (must_check) {
    WEFT_TRY(whole5, check_hash5(file_, base::present(header5_), {}, stop));
    has_suspicious_section_ = whole5->has_suspicious_section;
  }
  if (header6_.has_value()) {
    WEFT_TRY_STATUS(load_roots6());
  } else {
    std::string seal;
    WEFT_TRY_STATUS(load_roots5(seal, stop));
    if (whole5.has_value() && whole5->quad_index_digest.has_value() &&
        seal != std::string(kQuadIndexMagic5) + std::string(as_text(*whole5->quad_index_digest))) {
      return damage("digest of the section differs from its seal", file_.name(), "quad-index",
                    base::present(header5_).find(SectionKind5::kQuadIndex)->offset);
    }
    if (whole5.has_value()) {
      WEFT_TRY_STATUS(check_beside5());
    }
    // A verdict that is remembered vouches for the header, too.
    if (must_check || whole5.has_value() || !roots_.containers.empty()) {
      WEFT_TRY_STATUS(count_quads5(stop));
    }
  }
  if (must_check && remembers && !has_suspicious_section_) {
    verdicts_->save(key, VerdictKind::kIntact, {});
  }
  return ok_status();
}

Status FileSegment::load_roots6() {
  const Header6& header = base::present(header6_);
  const std::string* const dictionary = base::present(root6_).unit(UnitTag6::kDictionary);
  const std::string* const index = base::present(root6_).unit(UnitTag6::kIndex);
  if (dictionary == nullptr || index == nullptr) {
    return bad_root(name(), "no dictionary or no index");
  }
  WEFT_TRY(std::vector<DictDirectory> sections,
           in_root(name(), parse_dict_unit6(*dictionary, section6(SectionKind6::kDictLeaves),
                                            section6(SectionKind6::kDict))));
  WEFT_TRY(roots_.counts, counts_of(sections, header.term_count, name()));
  roots_.dictionary.emplace(
      loader_, std::move(sections),
      TermDictionaryParameters{.chunk_codec = header.dictionary_codec,
                               .leaf_codec = header.internal_codec,
                               .chunk_raw_bytes_max = block_max6(SectionKind6::kDict),
                               .leaf_raw_bytes_max = block_max6(SectionKind6::kDictLeaves)});
  TileDirectoryParameters& parameters = roots_.tile_parameters;
  parameters = {.terms = limits_of(roots_.counts),
                .tile_codec = header.block_codec,
                .leaf_codec = header.internal_codec,
                .tile_raw_bytes_max = block_max6(SectionKind6::kIndex),
                .leaf_raw_bytes_max = block_max6(SectionKind6::kIndexLeaves)};
  WEFT_TRY(std::vector<TileDirectory> directories,
           in_root(name(), parse_index_unit6(*index, header.permutation_mask,
                                             section6(SectionKind6::kIndexLeaves),
                                             section6(SectionKind6::kIndex), parameters)));
  place_directories(std::move(directories), roots_.index);
  const std::string* const quads = base::present(root6_).unit(UnitTag6::kQuad);
  uint64_t graph_count = 0;
  if (quads != nullptr) {
    TileDirectoryParameters of_quads = parameters;
    of_quads.tile_raw_bytes_max = block_max6(SectionKind6::kQuad);
    of_quads.leaf_raw_bytes_max = block_max6(SectionKind6::kQuadLeaves);
    WEFT_TRY(QuadIndex quad_index,
             in_root(name(), parse_quad_unit6(*quads, header.permutation_mask,
                                              section6(SectionKind6::kQuadLeaves),
                                              section6(SectionKind6::kQuad), of_quads)));
    graph_count = quad_index.graphs.graph_count;
    roots_.named_quad_count = quad_index.graphs.quad_count;
    roots_.graph_index = std::move(quad_index.graphs);
    place_directories(std::move(quad_index.orders), roots_.quads);
  }
  if (graph_count != header.graph_count || roots_.named_quad_count > header.quad_count) {
    return bad_root(name(), "graph or quad count in the header differs from the quad index");
  }
  return ok_status();
}

Status FileSegment::load_roots5(std::string& seal, const std::stop_token& stop) {
  const Header5& header = base::present(header5_);
  WEFT_TRY(std::vector<DictDirectory> sections,
           read_dictionary5(file_, *header.find(SectionKind5::kDictionary)));
  WEFT_TRY(roots_.counts, counts_of(sections, header.term_count, name()));
  roots_.dictionary.emplace(loader_, std::move(sections),
                            TermDictionaryParameters{.chunk_codec = header.dictionary_codec,
                                                     .leaf_codec = Codec::kNone,
                                                     .chunk_raw_bytes_max = kBlockBytesMax5,
                                                     .leaf_raw_bytes_max = 0});
  TileDirectoryParameters& parameters = roots_.tile_parameters;
  parameters = {.terms = limits_of(roots_.counts),
                .tile_codec = header.block_codec,
                .leaf_codec = Codec::kNone,
                .tile_raw_bytes_max = kBlockBytesMax5,
                .leaf_raw_bytes_max = kBlockBytesMax5};
  const SectionEntry5& index = *header.find(SectionKind5::kIndex);
  const SectionEntry5* const quads = header.find(SectionKind5::kQuadIndex);
  WEFT_TRY(IndexContainer5 container,
           read_index_container5(file_, {index.offset, index.size}, "index", header,
                                 quads != nullptr, parameters));
  seal = std::move(container.seal);
  place_directories(std::move(container.directories), roots_.index);
  if (quads != nullptr) {
    WEFT_TRY(QuadIndex quad_index, read_quad_index5(file_, *quads, header, parameters));
    roots_.named_quad_count = quad_index.graphs.quad_count;
    roots_.graph_index = std::move(quad_index.graphs);
    place_directories(std::move(quad_index.orders), roots_.quads);
  }
  if (const SectionEntry5* const named = header.find(SectionKind5::kNamedGraphs);
      named != nullptr) {
    WEFT_TRY(std::vector<NamedContainer5> containers, read_named_graphs5(file_, *named));
    WEFT_TRY_STATUS(resolve_graph_names(std::move(containers), stop));
  }
  return ok_status();
}

// The section numbers of label index, schema and partial text index are under no hash. Each must be
// what its number says, so that none passes for another or for absent.
Status FileSegment::check_beside5() {
  const auto place_of = [&](SectionKind5 kind) -> Range {
    const SectionEntry5* const entry = base::present(header5_).find(kind);
    constexpr size_t kDigestBytes = sizeof(codec::Digest16);
    return entry == nullptr || entry->size <= kDigestBytes
               ? Range{}
               : Range{entry->offset + kDigestBytes, entry->size - kDigestBytes};
  };
  const auto sound = [&](const auto& parsed, SectionKind5 kind) -> Status {
    return parsed.ok() || parsed.error().kind() != ErrorKind::kCorrupt
               ? ok_status()
               : Status(damage("a section is not what its number says", name(),
                               section_name5(static_cast<uint16_t>(kind)), place_of(kind).offset));
  };
  if (const Range place = place_of(SectionKind5::kSchema); place.size > 0) {
    WEFT_TRY(const storage::Buffer bytes, file_.read_one(place));
    WEFT_TRY_STATUS(sound(parse_schema(as_text(bytes.view()), roots_.counts.predicates),
                          SectionKind5::kSchema));
  }
  if (const Range place = place_of(SectionKind5::kLabels); place.size > 0) {
    WEFT_TRY_STATUS(sound(LabelIndex::read5(loader_, place, base::present(header5_).block_codec),
                          SectionKind5::kLabels));
  }
  if (const Range place = place_of(SectionKind5::kTextPartial); place.size > 0) {
    WEFT_TRY_STATUS(sound(TextIndex::read5(loader_, place, base::present(header5_).block_codec),
                          SectionKind5::kTextPartial));
  }
  return ok_status();
}

// Gives each graph of a named-graphs section its node id: that of the term, or one of its own.
Status FileSegment::resolve_graph_names(std::vector<NamedContainer5>&& named,
                                        const std::stop_token& stop) {
  std::vector<TermProbe> probes;
  for (const NamedContainer5& each : named) {
    for (const DictSection section :
         {DictSection::kShared, DictSection::kSubjects, DictSection::kObjects}) {
      probes.push_back({section, each.name, TermProbe::kAbsent});
    }
  }
  WEFT_TRY_STATUS(base::present(roots_.dictionary).find(probes, stop));
  const TermCounts& counts = roots_.counts;
  roots_.first_graph_name = counts.nodes() + 1;
  const std::array<uint32_t, 3> first = {1, counts.shared + 1, counts.shared + counts.subjects + 1};
  for (size_t i = 0; i < named.size(); ++i) {
    NodeId graph = 0;
    for (size_t k = 0; k < first.size() && graph == 0; ++k) {
      const uint64_t index = probes[i * first.size() + k].index;
      graph = index == TermProbe::kAbsent ? 0 : first[k] + static_cast<uint32_t>(index);
    }
    if (graph == 0) {
      graph = roots_.first_graph_name + static_cast<uint32_t>(roots_.graph_names.size());
      if (graph >= kTermsMax) {
        return Error(ErrorKind::kUnsupported, "cannot read .rete file: more than 2^32 - 2 terms")
            .with("file", name());
      }
      roots_.graph_name_ids.emplace(named[i].name, graph);
      roots_.graph_names.push_back(std::move(named[i].name));
    }
    roots_.containers.push_back({.graph = graph, .place = named[i].container});
  }
  roots_.counts.graph_names = static_cast<uint32_t>(roots_.graph_names.size());
  std::sort(roots_.containers.begin(), roots_.containers.end(),
            [](const auto& a, const auto& b) { return a.graph < b.graph; });
  return ok_status();
}

// The header of generation 5 is under no hash: its quad count is compared with the rows. The counts
// of graphs in containers stand nowhere and are found on the way.
Status FileSegment::count_quads5(const std::stop_token& stop) {
  const auto rows_in = [&](const TileDirectory& directory) -> Result<uint64_t> {
    TileWalk walk(loader_, directory, {});
    uint64_t rows = 0;
    while (true) {
      std::vector<TileEntry> entries;
      constexpr size_t kTilesAtOnce = 16;
      WEFT_TRY_STATUS(walk.next(kTilesAtOnce, entries, stop));
      if (entries.empty()) {
        return rows;
      }
      std::vector<TileRequest> requests;
      requests.reserve(entries.size());
      for (const TileEntry& entry : entries) {
        requests.push_back({&directory, entry});
      }
      WEFT_TRY(const Tiles tiles, load_tiles(loader_, requests, false, stop));
      for (const std::shared_ptr<const Tile>& tile : tiles) {
        rows += tile->row_count();
      }
    }
  };
  uint64_t named = roots_.named_quad_count;
  for (Roots::Container& container : roots_.containers) {
    WEFT_TRY(const std::shared_ptr<const TileDirectory> directory,
             container_directory(container, rdf::Permutation::kSpo));
    WEFT_TRY(container.quad_count, rows_in(*directory));
    if (container.quad_count == 0) {
      return damage("a named graph is empty", name(), "named-graphs", container.place.offset);
    }
    named += container.quad_count;
  }
  roots_.named_quad_count = named;
  WEFT_TRY(const uint64_t rows, rows_in(*roots_.index[0]));
  if (rows + named != facts_.quad_count) {
    return damage("quad count in the header differs from the rows", name(), "header", 24);
  }
  return ok_status();
}

}  // namespace weft::rete
