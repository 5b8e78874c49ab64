#include "weft/lance/table/manifest_file.h"

#include <algorithm>

#include "weft/codec/protobuf_wire.h"

namespace weft::lance {

namespace {

constexpr size_t kTrailerBytes = 16;
constexpr size_t kLengthBytes = 4;
constexpr std::string_view kMagic = "LANC";
constexpr uint16_t kMajor = 0;
constexpr uint16_t kMinor = 2;
constexpr uint32_t kVersionField = 3;

Error damaged(std::string_view reason, std::string_view detail) {
  return Error(ErrorKind::kCorrupt, "manifest file cannot be read")
      .with("reason", reason)
      .with("detail", detail);
}

// Where the manifest's length word stands.
Result<uint64_t> manifest_position(ByteView file) {
  if (file.empty()) {
    return damaged("empty", "no bytes");
  }
  if (std::all_of(file.begin(), file.end(), [](std::byte b) { return b == std::byte{0}; })) {
    return damaged("torn", "only zeros");
  }
  if (file.size() < kTrailerBytes + kLengthBytes || as_text(file.last(kMagic.size())) != kMagic) {
    return damaged("torn", "no trailer");
  }
  codec::ByteReaderView trailer(file.last(kTrailerBytes));
  const uint64_t position = trailer.u64();
  const uint16_t major = trailer.u16();
  const uint16_t minor = trailer.u16();
  if (major != kMajor || minor > kMinor) {
    return Error(ErrorKind::kUnsupported, "unknown version of manifest file")
        .with("version", std::to_string(major) + "." + std::to_string(minor));
  }
  const uint64_t end = file.size() - kTrailerBytes;
  if (position > end - kLengthBytes) {
    return damaged("damaged", "manifest outside of the file");
  }
  codec::ByteReaderView word(file.subspan(position, kLengthBytes));
  if (position + kLengthBytes + word.u32() != end) {
    return damaged("damaged", "manifest does not end at the trailer");
  }
  return position;
}

Result<ByteView> section(ByteView file, uint64_t position, uint64_t end, std::string_view what) {
  if (position > end || end - position < kLengthBytes) {
    return damaged("damaged", what);
  }
  codec::ByteReaderView word(file.subspan(position, kLengthBytes));
  const uint64_t size = word.u32();
  if (size > end - position - kLengthBytes) {
    return damaged("damaged", what);
  }
  return file.subspan(position + kLengthBytes, size);
}

void append_section(std::string& out, ByteView bytes) {
  codec::append_u32(out, static_cast<uint32_t>(bytes.size()));
  out.append(as_text(bytes));
}

void append_trailer(std::string& out, uint64_t position) {
  codec::append_u64(out, position);
  codec::append_u16(out, kMajor);
  codec::append_u16(out, kMinor);
  out.append(kMagic);
}

}  // namespace

Result<ManifestFile> parse_manifest_file(ByteView file) {
  WEFT_TRY(const uint64_t position, manifest_position(file));
  const uint64_t end = file.size() - kTrailerBytes;
  WEFT_TRY(const ByteView message, section(file, position, end, "manifest"));
  ManifestFile parsed;
  WEFT_TRY(parsed.manifest, parse_manifest(message));
  const Manifest& manifest = parsed.manifest;
  if (manifest.index_section) {
    WEFT_TRY(parsed.index_section, section(file, *manifest.index_section, end, "index section"));
  }
  const auto at = manifest.transaction_section_14 ? manifest.transaction_section_14
                                                  : manifest.transaction_section;
  if (at) {
    WEFT_TRY(parsed.transaction, section(file, *at, end, "transaction section"));
  }
  return parsed;
}

std::string serialize_manifest_file(Manifest manifest, std::optional<ByteView> index_section,
                                    std::optional<ByteView> transaction) {
  std::string out;
  manifest.index_section.reset();
  manifest.transaction_section.reset();
  manifest.transaction_section_14.reset();
  if (index_section) {
    manifest.index_section = out.size();
    append_section(out, *index_section);
  }
  if (transaction) {
    manifest.transaction_section = out.size();
    append_section(out, *transaction);
  }
  const uint64_t position = out.size();
  append_section(out, as_bytes(serialize_manifest(manifest)));
  append_trailer(out, position);
  return out;
}

Result<std::string> with_version(ByteView file, uint64_t version) {
  WEFT_TRY(const uint64_t position, manifest_position(file));
  WEFT_TRY(const ByteView message,
           section(file, position, file.size() - kTrailerBytes, "manifest"));
  codec::WireReaderView reader(message);
  codec::WireField field;
  codec::WireWriter writer;
  while (reader.next(field)) {
    if (field.number == kVersionField) {
      writer.u64_always(kVersionField, version);
    } else {
      writer.raw(as_text(field.raw));
    }
  }
  if (!reader.ok()) {
    return damaged("damaged", "fields");
  }
  std::string out(as_text(file.first(position)));
  append_section(out, as_bytes(writer.str()));
  append_trailer(out, position);
  return out;
}

}  // namespace weft::lance
