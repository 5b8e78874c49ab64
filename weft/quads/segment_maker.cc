#include "weft/quads/segment_maker.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace weft::quads {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 20U;
// Leftovers of crashed runs may have the name already.
constexpr int kNamesMax = 1'000;

// "g-g3-0011aabb.rete" -> "g-g3-0011aabb-2.rete".
std::string numbered(const std::string& name, int number) {
  if (number == 1) {
    return name;
  }
  const size_t dot = name.ends_with(".tomb.rete") ? name.size() - std::strlen(".tomb.rete")
                                                  : name.size() - std::strlen(".rete");
  return name.substr(0, dot) + "-" + std::to_string(number) + name.substr(dot);
}

}  // namespace

Result<std::unique_ptr<ScratchWriter>> ScratchWriter::create(storage::ScratchSpace& scratch) {
  auto writer = std::make_unique<ScratchWriter>();
  WEFT_TRY(writer->file_, scratch.create());
  return writer;
}

Status ScratchWriter::append(ByteView bytes) {
  WEFT_TRY(const uint64_t offset, file_->append(bytes));
  static_cast<void>(offset);
  return ok_status();
}

Status ScratchWriter::overwrite(uint64_t offset, ByteView bytes) {
  if (offset > size() || bytes.size() > size() - offset) {
    return Error(ErrorKind::kInternal, "cannot overwrite what was not written")
        .with("offset", offset)
        .with("size", bytes.size());
  }
  patches_.push_back({.offset = offset, .bytes = Bytes(bytes.begin(), bytes.end())});
  return ok_status();
}

Result<storage::PutOutcome> ScratchWriter::publish() {
  return Error(ErrorKind::kInternal, "a scratch file has no name");
}

Status ScratchWriter::copy_to(storage::ObjectWriter& out) const {
  Bytes buffer;
  for (uint64_t offset = 0; offset < size(); offset += buffer.size()) {
    buffer.resize(static_cast<size_t>(std::min<uint64_t>(kCopyBytes, size() - offset)));
    WEFT_TRY_STATUS(file_->read(offset, buffer));
    WEFT_TRY_STATUS(out.append(buffer));
  }
  for (const Patch& patch : patches_) {
    WEFT_TRY_STATUS(out.overwrite(patch.offset, patch.bytes));
  }
  return ok_status();
}

Result<MadeSegment> make_segment(const SegmentTarget& target, const rete::BuildOptions& options,
                                 base::Executor& executor, storage::ScratchSpace& scratch,
                                 bool dry_run,
                                 const std::function<Status(rete::SegmentBuilder&)>& fill) {
  WEFT_TRY(const std::unique_ptr<rete::SegmentBuilder> builder,
           rete::SegmentBuilder::create(options, executor, scratch));
  WEFT_TRY_STATUS(fill(*builder));
  return publish_segment(target, *builder, scratch, dry_run);
}

Result<MadeSegment> publish_segment(const SegmentTarget& target, rete::SegmentBuilder& builder,
                                    storage::ScratchSpace& scratch, bool dry_run) {
  WEFT_TRY(const std::unique_ptr<ScratchWriter> writer, ScratchWriter::create(scratch));
  MadeSegment made;
  WEFT_TRY(made.report, builder.finish(*writer));
  made.size_bytes = writer->size();
  made.hash = made.report.content_hash;
  std::string name;
  if (target.file_name.has_value()) {
    name = *target.file_name;
  } else {
    WEFT_TRY(name,
             manifest::segment_name(target.graph_name, target.generation, made.hash, target.role));
  }
  made.file_name = name;
  if (dry_run) {
    return made;
  }
  const int names_max = target.file_name.has_value() ? 1 : kNamesMax;
  for (int number = 1; number <= names_max; ++number) {
    made.file_name = numbered(name, number);
    WEFT_TRY(const std::unique_ptr<storage::ObjectWriter> out,
             target.store->create(made.file_name));
    WEFT_TRY_STATUS(writer->copy_to(*out));
    WEFT_TRY(const storage::PutOutcome outcome, out->publish());
    if (outcome == storage::PutOutcome::kDone) {
      return made;
    }
  }
  return Error(ErrorKind::kAlreadyExists, "the name of the new segment is taken")
      .with("segment", name)
      .with("folder", target.store->location());
}

}  // namespace weft::quads
