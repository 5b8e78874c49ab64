// /snapshot.rete: the present state as one segment, with ranges.

#include <algorithm>

#include "server/service_parts.h"
#include "server/unnamed_file.h"

#include "weft/quads/dump_fold.h"
#include "weft/rete/build/segment_builder.h"
#include "weft/storage/scratch.h"

namespace weft::server {
namespace {

constexpr size_t kPieceBytes = size_t{256} << 10U;
constexpr uint64_t kBuildMemoryBytes = uint64_t{256} << 20U;

// Takes a segment that is being built.
class ImageWriter final : public storage::ObjectWriter {
 public:
  explicit ImageWriter(UnnamedFile& file) : file_(file) {}
  Status append(ByteView bytes) override {
    WEFT_TRY_STATUS(file_.write(size_, bytes));
    size_ += bytes.size();
    return ok_status();
  }
  Status overwrite(uint64_t offset, ByteView bytes) override { return file_.write(offset, bytes); }
  uint64_t size() const override { return size_; }
  Result<storage::PutOutcome> publish() override { return storage::PutOutcome::kDone; }

 private:
  UnnamedFile& file_;
  uint64_t size_ = 0;
};

Status copy_range(storage::ObjectReader& reader, uint64_t offset, std::span<std::byte> out,
                  std::stop_token stop) {
  WEFT_TRY(const storage::Buffer bytes, reader.read({offset, out.size()}, std::move(stop)));
  std::copy(bytes.view().begin(), bytes.view().end(), out.begin());
  return ok_status();
}

}  // namespace

// Builds the image of `snapshot` unless the last one is of that state. Others who want it wait.
Result<std::shared_ptr<UnnamedFile>> Service::image_of(engine::Snapshot& snapshot,
                                                       const std::stop_token& stop) {
  const base::MutexLock lock(image_->mutex);
  if (image_->file != nullptr && image_->tag == snapshot.tag()) {
    return image_->file;
  }
  WEFT_TRY(auto file, UnnamedFile::create(options_.spool_folder));
  const auto scratch = storage::local_scratch(options_.spool_folder);
  rete::BuildOptions options;
  options.memory_bytes = kBuildMemoryBytes;
  options.stop = stop;
  WEFT_TRY(const auto builder,
           rete::SegmentBuilder::create(std::move(options), environment_.executor(), *scratch));
  WEFT_TRY_STATUS(quads::dump_fold(snapshot.fold(), builder->sink(0), {}, stop));
  ImageWriter writer(*file);
  WEFT_TRY(const rete::BuildReport report, builder->finish(writer));
  static_cast<void>(report);
  image_->file = std::move(file);
  image_->tag = snapshot.tag();
  return image_->file;
}

Status Service::send_snapshot(Exchange& exchange) {
  const RequestHead& head = exchange.head();
  const std::shared_ptr<engine::Snapshot> snapshot = graph_.snapshot();
  ResponseHead answer = make_head(exchange, 200);
  add_state_fields(*snapshot, "rete", Coding::kIdentity, answer);
  answer.set("Content-Type", "application/octet-stream");
  answer.set("Accept-Ranges", "bytes");
  const std::string tag = entity_tag(snapshot->tag(), "rete", Coding::kIdentity);
  if (is_known(head, tag)) {
    answer.status = 304;
    exchange.send(std::move(answer), "");
    return ok_status();
  }
  Image image;
  if (snapshot->sequence() == 0 && !graph_.facts().is_manifest) {
    // The file itself: nothing lies over it.
    WEFT_TRY(std::shared_ptr<storage::ObjectReader> reader,
             environment_.open_object(options_.target));
    image.size = reader->size();
    image.read = [reader, stop = exchange.stop()](uint64_t offset, std::span<std::byte> out) {
      return copy_range(*reader, offset, out, stop);
    };
  } else {
    WEFT_TRY(const std::shared_ptr<UnnamedFile> file, image_of(*snapshot, exchange.stop()));
    image.size = file->size();
    image.read = [file](uint64_t offset, std::span<std::byte> out) {
      return file->read(offset, out);
    };
  }
  return send_image(exchange, image, std::move(answer), tag);
}

Status Service::send_image(Exchange& exchange, const Image& image, ResponseHead answer,
                           const std::string& tag) {
  const RequestHead& head = exchange.head();
  ByteRange range{0, image.size == 0 ? 0 : image.size - 1};
  const std::string if_range = head.value("If-Range");
  if (head.has("Range") && (if_range.empty() || if_range == "\"" + tag + "\"")) {
    const RangeOutcome outcome = parse_range(head.value("Range"), image.size, range);
    if (outcome == RangeOutcome::kUnsatisfiable) {
      answer.status = 416;
      answer.set("Content-Range", "bytes */" + std::to_string(image.size));
      exchange.send(std::move(answer), "");
      return ok_status();
    }
    if (outcome == RangeOutcome::kPart) {
      answer.status = 206;
      answer.set("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                      std::to_string(range.last) + "/" +
                                      std::to_string(image.size));
    }
  }
  answer.set("Content-Length", std::to_string(range.last - range.first + 1));
  exchange.begin(std::move(answer));
  if (head.method == Method::kHead) {
    exchange.finish();
    return ok_status();
  }
  std::string piece;
  for (uint64_t offset = range.first; offset <= range.last; offset += piece.size()) {
    piece.resize(static_cast<size_t>(std::min<uint64_t>(kPieceBytes, range.last - offset + 1)));
    Status status = image.read(offset, std::as_writable_bytes(std::span(piece)));
    if (status.ok()) {
      status = exchange.write(as_bytes(piece));
    }
    if (!status.ok()) {
      exchange.note(status.error());
      exchange.abandon();
      return ok_status();
    }
  }
  exchange.finish();
  return ok_status();
}

}  // namespace weft::server
