#include "weft/rete/segment.h"

#include <algorithm>
#include <utility>

#include "weft/base/present.h"
#include "weft/rete/damage.h"
#include "weft/rete/file_segment.h"

namespace weft::rete {
namespace {

using storage::Buffer;
using storage::Range;

constexpr uint64_t kFirstReadBytesLocal = uint64_t{64} * 1024;
constexpr uint64_t kFirstReadBytesRemote = uint64_t{128} * 1024;
// A segment that is given no cache.
constexpr uint64_t kOwnCacheBytes = uint64_t{8} << 20U;

Error in_file(Error error, const std::string& name) {
  if (error.fact("file").empty()) {
    error.add("file", name);
  }
  return error;
}

}  // namespace

void LocalBatch::clear() {
  subject.clear();
  predicate.clear();
  object.clear();
  graph.clear();
}

Status Segment::find_nodes(std::span<const std::string_view> tokens, std::vector<NodeId>& nodes,
                           std::stop_token stop) {
  std::vector<LocalTerm> found;
  WEFT_TRY_STATUS(find(tokens, TermRoles::kNodes, found, std::move(stop)));
  nodes.clear();
  for (const LocalTerm& term : found) {
    nodes.push_back(term.node);
  }
  return ok_status();
}

Status Segment::find_predicates(std::span<const std::string_view> tokens,
                                std::vector<PredicateId>& predicates, std::stop_token stop) {
  std::vector<LocalTerm> found;
  WEFT_TRY_STATUS(find(tokens, TermRoles::kPredicates, found, std::move(stop)));
  predicates.clear();
  for (const LocalTerm& term : found) {
    predicates.push_back(term.predicate);
  }
  return ok_status();
}

Result<std::shared_ptr<Segment>> Segment::open(std::unique_ptr<storage::ObjectReader> reader,
                                               const SegmentOptions& options) {
  const std::string name = reader->name();
  Result<std::shared_ptr<FileSegment>> segment = FileSegment::make(std::move(reader), options);
  if (!segment.ok()) {
    return in_file(std::move(segment).error(), name);
  }
  return std::shared_ptr<Segment>(std::move(segment).value());
}

FileSegment::FileSegment(std::unique_ptr<storage::ObjectReader> reader, Buffer beginning,
                         const SegmentOptions& options)
    : cache_(options.cache != nullptr ? options.cache
                                      : std::make_shared<BlockCache>(kOwnCacheBytes)),
      executor_(options.executor != nullptr ? options.executor : &inline_executor_),
      verdicts_(options.verdicts),
      verify_(options.verify),
      file_(std::move(reader), std::move(beginning), executor_),
      loader_(file_, *cache_, *executor_) {}

Result<std::shared_ptr<FileSegment>> FileSegment::make(
    std::unique_ptr<storage::ObjectReader> reader, const SegmentOptions& options) {
  const uint64_t size = reader->size();
  if (options.expected_size.has_value() && *options.expected_size != size) {
    return Error(ErrorKind::kCorrupt, "segment has another size than its pin")
        .with("expected_bytes", *options.expected_size)
        .with("actual_bytes", size);
  }
  const bool remote = reader->is_remote();
  const uint64_t wanted = remote ? kFirstReadBytesRemote : kFirstReadBytesLocal;
  WEFT_TRY(const Buffer beginning, reader->read({0, std::min(size, wanted)}));
  WEFT_TRY(const uint8_t generation,
           generation_of(beginning.view().first(std::min<uint64_t>(beginning.size(), 1024)), size));
  // Only a remote file is worth keeping what was read of it: of a local one the system does.
  auto segment =
      std::make_shared<FileSegment>(std::move(reader), remote ? beginning : Buffer(), options);
  segment->facts_.generation = generation;
  segment->facts_.file_size = size;
  WEFT_TRY_STATUS(generation == kGeneration6 ? segment->open6(beginning, options)
                                             : segment->open5(beginning, options));
  return segment;
}

Status FileSegment::check_pins(const SegmentOptions& options) const {
  if (options.expected_hash.has_value() && *options.expected_hash != facts_.content_hash) {
    return Error(ErrorKind::kCorrupt, "segment has another content hash than its pin")
        .with("expected_hash", codec::to_hex(*options.expected_hash))
        .with("actual_hash", codec::to_hex(facts_.content_hash));
  }
  return ok_status();
}

Status FileSegment::open6(const Buffer& beginning, const SegmentOptions& options) {
  WEFT_TRY(header6_, parse_header6(beginning.view(), facts_.file_size));
  const Header6& header = base::present(header6_);
  facts_.content_hash = header.content_hash;
  WEFT_TRY_STATUS(check_pins(options));
  Buffer rest;
  ByteView root;
  if (kHeaderBytes6 + header.root_size <= beginning.size()) {
    root = beginning.view().subspan(kHeaderBytes6, header.root_size);
  } else {
    const Range range{kHeaderBytes6, header.root_size};
    WEFT_TRY(const std::vector<Buffer> read, file_.read_raw({&range, 1}, {}));
    rest = read[0];
    root = rest.view();
  }
  WEFT_TRY(root6_, parse_root6(header, root));
  facts_.quad_count = header.quad_count;
  facts_.term_count = header.term_count;
  facts_.graph_count = header.graph_count;
  facts_.permutation_mask = header.permutation_mask;
  facts_.flags = header.flags;
  facts_.presence = header.presence;
  facts_.pyramid_levels = header.pyramid_levels;
  facts_.has_named_graphs = base::present(root6_).unit(UnitTag6::kQuad) != nullptr;
  facts_.has_quoted_triples = (header.flags & kFlagQuotedTriples6) != 0;
  facts_.has_text_index = base::present(root6_).unit(UnitTag6::kText) != nullptr;
  facts_.has_label_index = base::present(root6_).unit(UnitTag6::kLabels) != nullptr;
  facts_.has_schema = base::present(root6_).find(SectionKind6::kSchema) != nullptr;
  for (const SectionEntry6& entry : base::present(root6_).sections) {
    facts_.sections.push_back(
        {entry.kind, section_name6(entry.kind), section_offset(header, entry), entry.size});
  }
  return find_block_digests(beginning);
}

// A section 9 that is not exactly ours is another's, and the file counts as foreign: but only if
// the section is what its digest says, else it is damaged.
Status FileSegment::find_block_digests(const Buffer& beginning) {
  const Header6& header = base::present(header6_);
  const SectionEntry6* const section = base::present(root6_).find(SectionKind6::kBlockDigests);
  if (section == nullptr) {
    return ok_status();
  }
  const Range place{section_offset(header, *section), section->size};
  const uint64_t front_base = header.front_base();
  const DigestPlan plan{
      .section = place,
      .section_digest = section->digest,
      .front = {front_base, place.offset - front_base},
      .data = {header.data_offset, header.file_size - kFooter6.size() - header.data_offset}};
  const uint64_t expected_size = kBlockDigestsHeadBytes + (digest_block_count(plan.front.size) +
                                                           digest_block_count(plan.data.size)) *
                                                              sizeof(codec::Digest16);
  if (place.size != expected_size || place.offset + place.size != header.data_offset) {
    return ok_status();
  }
  Buffer head;
  const Range head_place{place.offset, kBlockDigestsHeadBytes};
  if (head_place.offset + head_place.size <= beginning.size()) {
    head = beginning.slice(head_place.offset, head_place.size);
  } else {
    WEFT_TRY(const std::vector<Buffer> read, file_.read_raw({&head_place, 1}, {}));
    head = read[0];
  }
  const uint8_t* const octets = as_octets(head.view());
  if (octets[0] != kBlockDigestsVersion || octets[1] != kDigestBlockLog2) {
    WEFT_TRY(const std::vector<Buffer> read, file_.read_raw({&place, 1}, {}));
    return codec::blake3_16(read[0].view()) == section->digest
               ? ok_status()
               : Status(damage("digest of the section differs", file_.name(), "block-digests",
                               place.offset));
  }
  facts_.has_block_digests = true;
  facts_.has_canonical_tokens = (octets[2] & kBlockDigestsFlagCanonical) != 0;
  return file_.use_digests(plan);
}

Status FileSegment::open5(const Buffer& beginning, const SegmentOptions& options) {
  WEFT_TRY(header5_, parse_header5(beginning.view(), facts_.file_size));
  const Header5& header = base::present(header5_);
  facts_.content_hash = header.content_hash;
  WEFT_TRY_STATUS(check_pins(options));
  facts_.quad_count = header.quad_count;
  facts_.term_count = header.term_count;
  facts_.permutation_mask = header.permutations();
  facts_.flags = header.flags;
  facts_.pyramid_levels = header.pyramid_levels;
  facts_.has_named_graphs = (header.flags & kFlagNamedGraphs5) != 0;
  facts_.has_quoted_triples = (header.flags & kFlagQuotedTriples5) != 0;
  facts_.has_text_index = header.find(SectionKind5::kText) != nullptr ||
                          header.find(SectionKind5::kTextPartial) != nullptr;
  facts_.has_label_index = header.find(SectionKind5::kLabels) != nullptr;
  facts_.has_schema = header.find(SectionKind5::kSchema) != nullptr;
  for (const SectionEntry5& entry : header.sections) {
    if (entry.size > 0) {
      facts_.sections.push_back({entry.kind, section_name5(entry.kind), entry.offset, entry.size});
    }
  }
  return ok_status();
}

bool FileSegment::must_check_whole_file() const {
  return !facts_.has_block_digests && (!file_.is_remote() || verify_ == VerifyPolicy::kAlways);
}

bool FileSegment::is_checked() const {
  return facts_.has_block_digests || must_check_whole_file();
}

}  // namespace weft::rete
