// Deletion files of kind "arrow": an Arrow IPC file of one batch and one column of uint32, as the
// engines write it. Source: arrow.apache.org, "Arrow Columnar Format", "IPC File Format".
#include "weft/codec/compression.h"
#include "weft/codec/varint.h"
#include "weft/lance/table/deletions.h"
#include "weft/lance/table/flat_buffer.h"

namespace weft::lance {

namespace {

constexpr std::string_view kMagic = "ARROW1";
constexpr size_t kBlockBytes = 24;
constexpr size_t kBufferBytes = 16;
constexpr uint64_t kTypeInt = 2;
constexpr uint64_t kHeaderRecordBatch = 3;
constexpr uint64_t kCodecZstd = 1;
constexpr size_t kBatchesMax = 65536;

Error damaged(std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "damaged deletion file").with("rule", rule);
}

Error unknown(std::string_view what) {
  return Error(ErrorKind::kUnsupported, "unknown form of deletion file").with("what", what);
}

struct Block {
  uint64_t offset = 0;
  uint64_t metadata_size = 0;
  uint64_t body_size = 0;
};

Status check_schema(const FlatTableView& schema) {
  const std::optional<ByteView> fields = schema.vector(1, 4);
  if (!fields) {
    return damaged("schema");
  }
  if (fields->size() != 4) {
    return unknown("more than one column");
  }
  const FlatTableView field = schema.table_at(1, 0);
  const FlatTableView type = field.table(3);
  if (!type.ok()) {
    return damaged("field");
  }
  if (field.scalar(2, 1, 0) != kTypeInt || type.scalar(0, 4, 0) != 32U ||
      type.scalar(1, 1, 0) != 0U) {
    return unknown("column of another type than uint32");
  }
  return {};
}

Result<std::vector<Block>> read_blocks(ByteView file) {
  const size_t tail = 4 + kMagic.size();
  if (file.size() < 8 + tail || as_text(file.first(kMagic.size())) != kMagic ||
      as_text(file.last(kMagic.size())) != kMagic) {
    return damaged("magic");
  }
  codec::ByteReaderView word(file.subspan(file.size() - tail, 4));
  const uint64_t footer_size = word.u32();
  if (footer_size > file.size() - tail - 8) {
    return damaged("footer");
  }
  const ByteView message = file.subspan(file.size() - tail - footer_size, footer_size);
  const FlatTableView footer = FlatTableView::root(message);
  WEFT_TRY_STATUS(check_schema(footer.table(1)));
  const std::optional<ByteView> batches = footer.vector(3, kBlockBytes);
  if (!batches || batches->size() / kBlockBytes > kBatchesMax) {
    return damaged("batches");
  }
  std::vector<Block> blocks;
  codec::ByteReaderView reader(*batches);
  while (reader.remaining() > 0) {
    Block& block = blocks.emplace_back();
    block.offset = reader.u64();
    block.metadata_size = reader.u32();
    (void)reader.u32();
    block.body_size = reader.u64();
    if (block.offset > file.size() || block.metadata_size > file.size() - block.offset ||
        block.body_size > file.size() - block.offset - block.metadata_size) {
      return damaged("batch outside of the file");
    }
  }
  return blocks;
}

// The message of a batch without its length words.
Result<FlatTableView> batch_header(ByteView metadata) {
  codec::ByteReaderView reader(metadata);
  uint32_t size = reader.u32();
  if (size == UINT32_MAX) {
    size = reader.u32();
  }
  const ByteView message = reader.bytes(size);
  const FlatTableView root = FlatTableView::root(message);
  if (!reader.ok() || root.scalar(1, 1, 0) != kHeaderRecordBatch) {
    return damaged("batch");
  }
  const FlatTableView header = root.table(2);
  if (!header.ok()) {
    return damaged("batch");
  }
  return header;
}

// The values buffer, decompressed if it is compressed.
Result<std::string> values_of(const FlatTableView& batch, ByteView body, uint64_t rows) {
  const std::optional<ByteView> buffers = batch.vector(2, kBufferBytes);
  if (!buffers || buffers->size() != 2 * kBufferBytes) {
    return damaged("buffers");
  }
  codec::ByteReaderView reader(buffers->subspan(kBufferBytes));
  const uint64_t offset = reader.u64();
  const uint64_t size = reader.u64();
  if (offset > body.size() || size > body.size() - offset) {
    return damaged("buffer outside of the batch");
  }
  const ByteView stored = body.subspan(offset, size);
  const FlatTableView compression = batch.table(3);
  if (!compression.ok()) {
    return to_text(stored);
  }
  if (compression.scalar(0, 1, 0) != kCodecZstd) {
    return unknown("compression other than ZSTD");
  }
  codec::ByteReaderView prefixed(stored);
  const uint64_t content_size = prefixed.u64();
  if (!prefixed.ok()) {
    return rows == 0 ? Result<std::string>(std::string()) : damaged("buffer");
  }
  if (content_size == UINT64_MAX) {
    return to_text(stored.subspan(8));
  }
  std::string content;
  WEFT_TRY_STATUS(codec::zstd_decompress(stored.subspan(8), rows * sizeof(uint32_t) + 64, content));
  return content;
}

}  // namespace

Result<Deletions> Deletions::parse_arrow(ByteView file, uint64_t rows_max) {
  WEFT_TRY(const std::vector<Block> blocks, read_blocks(file));
  Deletions deletions;
  for (const Block& block : blocks) {
    WEFT_TRY(const FlatTableView batch,
             batch_header(file.subspan(block.offset, block.metadata_size)));
    const std::optional<uint64_t> rows = batch.scalar(0, 8, 0);
    if (!rows) {
      return damaged("batch");
    }
    if (*rows > rows_max) {
      return Error(ErrorKind::kLimit, "deletion file claims more rows than its fragment has")
          .with("rows", *rows)
          .with("rows_max", rows_max);
    }
    WEFT_TRY(
        const std::string values,
        values_of(batch, file.subspan(block.offset + block.metadata_size, block.body_size), *rows));
    if (values.size() / sizeof(uint32_t) < *rows) {
      return damaged("length of the values");
    }
    codec::ByteReaderView reader(as_bytes(values));
    for (uint64_t i = 0; i < *rows; ++i) {
      deletions.add(reader.u32());
    }
  }
  return deletions;
}

}  // namespace weft::lance
