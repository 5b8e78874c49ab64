#include "weft/rete/build/segment_layout6.h"

#include <algorithm>
#include <string>
#include <vector>

#include "weft/codec/varint.h"
#include "weft/rete/build/card_stamp.h"
#include "weft/rete/build/file_layout.h"
#include "weft/rete/build/unit_roots6.h"
#include "weft/rete/format.h"

namespace weft::rete::build {
namespace {

constexpr uint64_t kGraphMajorBytesPerGraph = 65536;
constexpr uint64_t kCardSlackBytes = 8192;

bool wants_graph_major(const SegmentParts& parts, QuadClustering clustering) {
  if (parts.graphs.empty() || clustering == QuadClustering::kOrderMajor) {
    return false;
  }
  uint64_t bytes = 0;
  for (const TileOrder& order : parts.quads) {
    bytes += order.data.size();
  }
  return clustering == QuadClustering::kGraphMajor ||
         bytes / parts.graphs.size() < kGraphMajorBytesPerGraph;
}

// Section 18: places every quad tile and says where its bytes come from.
SectionSource place_quad_tiles(SegmentParts& parts, bool graph_major) {
  SectionSource section(static_cast<uint8_t>(SectionKind6::kQuad));
  uint64_t at = 0;
  std::vector<size_t> next(parts.quads.size(), 0);
  std::vector<uint64_t> from(parts.quads.size(), 0);
  const auto place = [&](size_t i, uint64_t first_g_end) {
    TileOrder& order = parts.quads[i];
    while (next[i] < order.tiles.size() && order.tiles[next[i]].first_g < first_g_end) {
      TileSummary& tile = order.tiles[next[i]++];
      tile.offset = at;
      section.add(order.data, from[i], tile.stored_bytes);
      section.block_max = std::max(section.block_max, tile.raw_bytes);
      from[i] += tile.stored_bytes;
      at += tile.stored_bytes;
    }
  };
  if (graph_major) {
    for (size_t block = kGraphsPerBlock; block < parts.graphs.size(); block += kGraphsPerBlock) {
      for (size_t i = 0; i < parts.quads.size(); ++i) {
        place(i, parts.graphs[block].graph);
      }
    }
  }
  for (size_t i = 0; i < parts.quads.size(); ++i) {
    place(i, UINT64_MAX);
  }
  return section;
}

SectionSource leaf_section(SectionKind6 kind, const std::vector<const LeafBlocks*>& groups) {
  SectionSource section(static_cast<uint8_t>(kind));
  for (const LeafBlocks* group : groups) {
    section.add(group->blocks);
    section.block_max = std::max(section.block_max, group->raw_max);
  }
  return section;
}

SectionSource dictionary_section(const Dictionary& dictionary) {
  SectionSource section(static_cast<uint8_t>(SectionKind6::kDict));
  for (const DictSection part : kDictStorageOrder6) {
    section.add(dictionary.at(part).data);
    for (const ChunkEntry& chunk : dictionary.at(part).chunks) {
      section.block_max = std::max(section.block_max, chunk.raw_bytes);
    }
  }
  return section;
}

SectionSource index_section(const SegmentParts& parts) {
  SectionSource section(static_cast<uint8_t>(SectionKind6::kIndex));
  for (const TileOrder& order : parts.triples) {
    section.add(order.data);
    for (const TileSummary& tile : order.tiles) {
      section.block_max = std::max(section.block_max, tile.raw_bytes);
    }
  }
  return section;
}

// The file on its way out. Members are filled in the order of write_segment6's steps.
class Layout6 {
 public:
  Layout6(SegmentParts& parts, const BuildOptions& options, const std::string& record,
          const BuildSpace& space)
      : parts_(parts), options_(options), record_(record), codec_(space.codec) {}

  Status prepare();
  Status write(storage::ObjectWriter& out, BuildReport& report);

 private:
  void collect_sections();
  Status place_card();
  std::string section_table(const std::vector<codec::Digest16>& digests) const;
  uint64_t root_bytes() const {
    return 2 + (front_.size() + data_.size()) * kSectionEntryBytes6 + 4 + units_.size();
  }

  SegmentParts& parts_;
  const BuildOptions& options_;
  const std::string& record_;
  const BlockCodec& codec_;
  Header6 header_;
  std::string schema_;
  std::string card_;
  std::string card_region_;
  GraphDirectory graphs_;
  std::unique_ptr<Directories6> directories_;
  std::string units_;
  std::vector<SectionSource> front_;
  std::vector<SectionSource> data_;
  uint64_t front_bytes_ = 0;  // without the block digests
  uint64_t data_bytes_ = 0;
  std::string digests_;  // section 9, zeros at first
};

void Layout6::collect_sections() {
  const auto add = [](std::vector<SectionSource>& region, SectionSource section) {
    if (!section.pieces.empty()) {
      region.push_back(std::move(section));
    }
  };
  SectionSource schema(static_cast<uint8_t>(SectionKind6::kSchema), parts_.schema.size());
  schema.add(schema_);
  add(front_, std::move(schema));
  add(front_, leaf_section(SectionKind6::kDictLeaves, directories_->dictionary_leaves()));
  add(front_, leaf_section(SectionKind6::kIndexLeaves, directories_->index_leaves()));
  SectionSource quad_leaves(static_cast<uint8_t>(SectionKind6::kQuadLeaves), graphs_.raw_max);
  quad_leaves.add(graphs_.blocks);
  for (const LeafBlocks* group : directories_->quad_leaves()) {
    quad_leaves.add(group->blocks);
    quad_leaves.block_max = std::max(quad_leaves.block_max, group->raw_max);
  }
  add(front_, std::move(quad_leaves));
  if (parts_.labels) {
    SectionSource nodes(static_cast<uint8_t>(SectionKind6::kLabelLeaves));
    nodes.add(parts_.labels->nodes);
    add(front_, std::move(nodes));
  }
  add(front_, leaf_section(SectionKind6::kTextLeaves, directories_->text_leaves()));

  if (parts_.labels) {
    SectionSource labels(static_cast<uint8_t>(SectionKind6::kLabels));
    labels.add(parts_.labels->blocks);
    add(data_, std::move(labels));
  }
  if (parts_.text) {
    SectionSource postings(static_cast<uint8_t>(SectionKind6::kText));
    postings.add(parts_.text->postings);
    add(data_, std::move(postings));
  }
  for (const CarriedSection& carried : options_.carried) {
    SectionSource section(carried.kind, carried.block_bytes_max);
    section.add(as_text(carried.bytes));
    add(carried.kind < kFirstDataKind6 ? front_ : data_, std::move(section));
  }
}

Status Layout6::place_card() {
  if (!options_.card_json.empty()) {
    codec_.store(as_bytes(stamp_card(options_.card_json, kGeneration6)), card_);
    header_.card_digest = codec::blake3_16(as_bytes(card_));
  }
  const uint64_t content = card_.size() + record_.size();
  uint64_t region = card_.empty() ? record_.size() : 2 * content + kCardSlackBytes;
  const uint64_t file = kHeaderBytes6 + root_bytes() + region + front_bytes_ + digests_.size() +
                        data_bytes_ + kFooter6.size();
  region += file < kFileBytesMin6 ? kFileBytesMin6 - file : 0;
  if (region > UINT32_MAX || root_bytes() > UINT32_MAX) {
    return Error(ErrorKind::kLimit, "card and build record are too long for the format")
        .with("bytes", region);
  }
  card_region_ = card_ + record_;
  card_region_.resize(region, '\0');
  header_.card_region_size = static_cast<uint32_t>(region);
  header_.card_size = static_cast<uint32_t>(card_.size());
  header_.record_offset = record_.empty() ? 0 : header_.card_size;
  header_.record_size = static_cast<uint32_t>(record_.size());
  return ok_status();
}

Status Layout6::prepare() {
  const bool graph_major = wants_graph_major(parts_, options_.quad_clustering);
  data_.push_back(dictionary_section(parts_.dictionary));
  data_.push_back(index_section(parts_));
  data_.push_back(place_quad_tiles(parts_, graph_major));
  std::erase_if(data_, [](const SectionSource& section) { return section.pieces.empty(); });
  graphs_ = make_graph_directory(parts_.graphs, codec_);
  directories_ = std::make_unique<Directories6>(parts_, graphs_, options_.restart_interval, codec_);
  WEFT_TRY(units_,
           fit_root(directories_->groups(), [this] { return directories_->units(); }, codec_));
  if (!parts_.schema.empty()) {
    codec_.store(as_bytes(parts_.schema), schema_);
  }
  collect_sections();
  for (const SectionSource& section : front_) {
    front_bytes_ += section.size();
  }
  for (const SectionSource& section : data_) {
    data_bytes_ += section.size();
  }
  if (options_.block_digests) {
    digests_.assign(kBlockDigestsHeadBytes +
                        sizeof(codec::Digest16) *
                            (digest_block_count(front_bytes_) + digest_block_count(data_bytes_)),
                    '\0');
    SectionSource section(static_cast<uint8_t>(SectionKind6::kBlockDigests), digests_.size());
    section.add(digests_);
    front_.push_back(std::move(section));
  }
  if (front_.size() + data_.size() > kSectionsMax6) {
    return Error(ErrorKind::kLimit, "too many sections for the format")
        .with("sections", front_.size() + data_.size());
  }
  WEFT_TRY_STATUS(place_card());

  const Codec codec = codec_.compresses() ? Codec::kZstd : Codec::kNone;
  header_.dictionary_codec = codec;
  header_.block_codec = codec;
  header_.internal_codec = codec;
  header_.permutation_mask = options_.six_permutations ? kPermutationsSix : kPermutationsThree;
  const TextIndexScope scope = options_.text_index.value_or(TextIndexScope());
  const bool covers_graphs = parts_.text && scope.named_graphs;
  const bool is_partial = parts_.text && scope.predicates != TextIndexScope::Predicates::kAll;
  header_.flags = static_cast<uint8_t>(
      (parts_.graphs.empty() ? 0 : kFlagNamedGraphs6) |
      (parts_.dictionary.has_quoted_triples ? kFlagQuotedTriples6 : 0) |
      (covers_graphs ? kFlagTextCoversGraphs6 : 0) | (graph_major ? kFlagGraphMajor6 : 0));
  header_.presence = static_cast<uint16_t>(
      (parts_.text ? kPresenceText : 0) | (is_partial ? kPresenceTextPartial : 0) |
      (parts_.labels ? kPresenceLabels : 0) | (schema_.empty() ? 0 : kPresenceSchema) |
      (parts_.graphs.empty() ? 0 : kPresenceQuads));
  header_.quad_count = parts_.triple_count + parts_.quad_count;
  for (const DictionarySection& section : parts_.dictionary.sections) {
    header_.term_count += section.term_count;
  }
  header_.graph_count = parts_.graphs.size();
  return ok_status();
}

std::string Layout6::section_table(const std::vector<codec::Digest16>& digests) const {
  std::string table;
  size_t number = 0;
  for (const auto* region : {&front_, &data_}) {
    uint64_t offset = 0;
    for (const SectionSource& section : *region) {
      SectionEntry6 entry;
      entry.kind = section.kind;
      entry.block_size_max =
          static_cast<uint32_t>(std::min<uint64_t>(section.block_max, UINT32_MAX));
      entry.offset = offset;
      entry.size = section.size();
      entry.digest = digests[number++];
      append_section_entry(table, entry);
      offset += entry.size;
    }
  }
  return table;
}

Status Layout6::write(storage::ObjectWriter& out, BuildReport& report) {
  // Root and block digests depend on everything behind them: zeros first, overwritten at the end.
  const uint64_t front_base = kHeaderBytes6 + root_bytes() + card_region_.size();
  std::string head(kHeaderBytes6 + root_bytes(), '\0');
  head += card_region_;
  WEFT_TRY_STATUS(out.append(as_bytes(head)));
  std::vector<codec::Digest16> digests;
  BlockDigester front_blocks(kDigestBlockBytes);
  BlockDigester data_blocks(kDigestBlockBytes);
  const size_t own_front = front_.size() - (options_.block_digests ? 1 : 0);
  WEFT_TRY_STATUS(write_sections(std::span(front_).first(own_front), out, digests, &front_blocks));
  WEFT_TRY_STATUS(out.append(as_bytes(digests_)));
  std::vector<codec::Digest16> data_digests;
  WEFT_TRY_STATUS(write_sections(data_, out, data_digests, &data_blocks));
  WEFT_TRY_STATUS(out.append(as_bytes(kFooter6)));

  if (options_.block_digests) {
    std::string content;
    content.push_back(static_cast<char>(kBlockDigestsVersion));
    content.push_back(static_cast<char>(kDigestBlockLog2));
    codec::append_u16(content, kBlockDigestsFlagCanonical);
    front_blocks.finish(content);
    data_blocks.finish(content);
    WEFT_CHECK(content.size() == digests_.size());
    WEFT_TRY_STATUS(out.overwrite(front_base + front_bytes_, as_bytes(content)));
    digests.push_back(codec::blake3_16(as_bytes(content)));
  }
  digests.insert(digests.end(), data_digests.begin(), data_digests.end());

  std::string root;
  root.push_back(static_cast<char>(kRootVersion));
  root.push_back(static_cast<char>(static_cast<uint8_t>(digests.size())));
  root += section_table(digests);
  codec::append_u32(root, static_cast<uint32_t>(units_.size()));
  root += units_;
  WEFT_CHECK(root.size() == root_bytes());
  header_.root_size = static_cast<uint32_t>(root.size());
  header_.root_digest = codec::blake3_16(as_bytes(root));
  header_.data_offset = front_base + front_bytes_ + digests_.size();
  header_.file_size = header_.data_offset + data_bytes_ + kFooter6.size();
  WEFT_CHECK(header_.file_size == out.size());
  header_.content_hash = content_hash(header_);
  WEFT_TRY_STATUS(out.overwrite(kHeaderBytes6, as_bytes(root)));
  const auto header = encode_header(header_);
  WEFT_TRY_STATUS(out.overwrite(0, header));
  report.file_bytes = header_.file_size;
  report.content_hash = header_.content_hash;
  report.terms = header_.term_count;
  return ok_status();
}

}  // namespace

Status write_segment6(SegmentParts& parts, const BuildOptions& options, const std::string& record,
                      const BuildSpace& space, storage::ObjectWriter& out, BuildReport& report) {
  Layout6 layout(parts, options, record, space);
  WEFT_TRY_STATUS(layout.prepare());
  return layout.write(out, report);
}

}  // namespace weft::rete::build
