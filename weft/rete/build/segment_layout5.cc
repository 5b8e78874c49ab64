#include "weft/rete/build/segment_layout5.h"

#include <algorithm>
#include <string>
#include <vector>

#include "weft/rete/build/card_stamp.h"
#include "weft/rete/build/sections5.h"
#include "weft/rete/format.h"

namespace weft::rete::build {
namespace {

// One section on its way: where it stands in the directory, and what becomes of its bytes.
struct Section5 {
  SectionKind5 kind;
  SectionSource source;
  bool is_hashed = false;   // part of the content hash
  bool has_digest = false;  // begins with the digest of its rest
  bool is_always_listed = false;
  uint64_t offset = 0;
  uint64_t bytes() const { return source.size() + (has_digest ? sizeof(codec::Digest16) : 0); }
};

Result<codec::Digest16> digest_of(const SectionSource& section) {
  codec::Blake3 digest;
  for (const PieceView& piece : section.pieces) {
    if (piece.spool == nullptr) {
      digest.update(as_bytes(piece.text));
      continue;
    }
    WEFT_TRY_STATUS(piece.spool->copy(piece.offset, piece.size, [&digest](ByteView bytes) {
      digest.update(bytes);
      return ok_status();
    }));
  }
  return digest.digest16();
}

Status append_section(const Section5& section, storage::ObjectWriter& out, codec::Blake3& hash) {
  if (section.has_digest && section.bytes() > sizeof(codec::Digest16)) {
    WEFT_TRY(const codec::Digest16 digest, digest_of(section.source));
    WEFT_TRY_STATUS(out.append(digest));
  }
  const auto take = [&](ByteView bytes) -> Status {
    if (section.is_hashed) {
      hash.update(bytes);
    }
    return out.append(bytes);
  };
  for (const PieceView& piece : section.source.pieces) {
    WEFT_TRY_STATUS(piece.spool == nullptr ? take(as_bytes(piece.text))
                                           : piece.spool->copy(piece.offset, piece.size, take));
  }
  return ok_status();
}

SectionSource text_section(std::string_view text) {
  SectionSource section;
  section.add(text);
  return section;
}

struct TextCover {
  bool is_partial = false;
  bool covers_graphs = false;
};

TextCover text_cover(const SegmentParts& parts, const BuildOptions& options) {
  const TextIndexScope scope = options.text_index.value_or(TextIndexScope());
  return {.is_partial = parts.text && scope.predicates != TextIndexScope::Predicates::kAll,
          .covers_graphs = parts.text && scope.named_graphs};
}

// Our sections in the order of their bytes, then the carried ones. They keep pointers into `card`,
// `record` and `parts`.
Result<std::vector<Section5>> sections_of(const SegmentParts& parts, const BuildOptions& options,
                                          std::string_view card, std::string_view record,
                                          Sections5& make) {
  WEFT_TRY(SectionSource named_graphs, make.named_graphs());
  WEFT_TRY(SectionSource text, make.text());
  std::vector<Section5> sections;
  const auto add = [&sections](SectionKind5 kind, SectionSource source, bool is_hashed,
                               bool has_digest, bool is_always_listed) {
    sections.push_back({kind, std::move(source), is_hashed, has_digest, is_always_listed});
  };
  const bool is_partial = text_cover(parts, options).is_partial;
  add(SectionKind5::kCard, text_section(card), true, false, true);
  add(SectionKind5::kBuildRecord, text_section(record), false, false, false);
  add(SectionKind5::kDictionary, make.dictionary(), true, false, true);
  add(SectionKind5::kIndex, make.index(), true, false, true);
  add(SectionKind5::kPyramid, {}, true, false, true);
  add(is_partial ? SectionKind5::kTextPartial : SectionKind5::kText, std::move(text), !is_partial,
      is_partial, false);
  add(SectionKind5::kNamedGraphs, std::move(named_graphs), true, false, true);
  add(SectionKind5::kLabels, make.labels(), false, true, false);
  add(SectionKind5::kSchema, text_section(parts.schema), false, true, false);
  for (const CarriedSection& carried : options.carried) {
    add(static_cast<SectionKind5>(carried.kind), text_section(as_text(carried.bytes)), false, false,
        false);
  }
  return sections;
}

Header5 header_of(const SegmentParts& parts, const BuildOptions& options, bool is_compressed) {
  Header5 header;
  header.flags =
      static_cast<uint8_t>(kFlagSynopsis5 | (parts.graphs.empty() ? 0 : kFlagNamedGraphs5) |
                           (parts.dictionary.has_quoted_triples ? kFlagQuotedTriples5 : 0) |
                           (text_cover(parts, options).covers_graphs ? kFlagTextCoversGraphs5 : 0));
  header.quad_count = parts.triple_count + parts.quad_count;
  for (const DictionarySection& section : parts.dictionary.sections) {
    header.term_count += section.term_count;
  }
  header.dictionary_codec = is_compressed ? Codec::kZstd : Codec::kNone;
  header.block_codec = header.dictionary_codec;
  header.permutation_mask = options.six_permutations ? 0 : kPermutationsThree;
  return header;
}

// Lists the sections in the order of the directory, which is not that of their bytes. The last
// `carried` ones keep theirs.
void list_sections(std::span<const Section5> sections, size_t carried, Header5& header) {
  constexpr SectionKind5 kDirectoryOrder[] = {
      SectionKind5::kCard,        SectionKind5::kDictionary,  SectionKind5::kIndex,
      SectionKind5::kPyramid,     SectionKind5::kNamedGraphs, SectionKind5::kText,
      SectionKind5::kTextPartial, SectionKind5::kBuildRecord, SectionKind5::kLabels,
      SectionKind5::kSchema};
  const auto list = [&header](const Section5& section) {
    const bool is_empty = section.source.pieces.empty();
    if (section.is_always_listed || !is_empty) {
      header.sections.push_back({.kind = static_cast<uint16_t>(section.kind),
                                 .flags = 0,
                                 .offset = section.offset,
                                 .size = is_empty ? 0 : section.bytes()});
    }
  };
  const std::span<const Section5> own = sections.first(sections.size() - carried);
  for (const SectionKind5 kind : kDirectoryOrder) {
    for (const Section5& section : own) {
      if (section.kind == kind) {
        list(section);
      }
    }
  }
  std::ranges::for_each(sections.last(carried), list);
}

}  // namespace

Status write_segment5(const SegmentParts& parts, const BuildOptions& options,
                      const std::string& record, const BuildSpace& space,
                      storage::ObjectWriter& out, BuildReport& report) {
  const std::string card = stamp_card(options.card_json, kGeneration5);
  Sections5 make(parts, options.restart_interval, space);
  WEFT_TRY(std::vector<Section5> sections, sections_of(parts, options, card, record, make));
  Header5 header = header_of(parts, options, space.codec.compresses());

  WEFT_TRY_STATUS(out.append(as_bytes(std::string(kHeaderBytes5, '\0'))));
  codec::Blake3 hash;
  uint64_t offset = kHeaderBytes5;
  for (Section5& section : sections) {
    const bool is_empty = section.source.pieces.empty();
    section.offset = is_empty && section.kind != SectionKind5::kCard ? 0 : offset;
    if (!is_empty) {
      WEFT_TRY_STATUS(append_section(section, out, hash));
      offset += section.bytes();
    }
  }
  WEFT_TRY_STATUS(out.append(as_bytes(kFooter5)));
  header.content_hash = hash.digest16();

  list_sections(sections, options.carried.size(), header);
  if (header.sections.size() > kSectionsMax5) {
    return Error(ErrorKind::kLimit, "too many sections for the format")
        .with("sections", header.sections.size());
  }
  const auto bytes = encode_header(header);
  WEFT_TRY_STATUS(out.overwrite(0, bytes));
  report.file_bytes = out.size();
  report.content_hash = header.content_hash;
  report.terms = header.term_count;
  return ok_status();
}

}  // namespace weft::rete::build
