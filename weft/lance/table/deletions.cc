#include "weft/lance/table/deletions.h"

#include <algorithm>

#include <roaring/roaring.h>

#include "weft/base/check.h"
#include "weft/lance/table/roaring_check.h"

namespace weft::lance {

void Deletions::Free::operator()(roaring_bitmap_s* bitmap) const {
  roaring_bitmap_free(bitmap);
}

Deletions::Deletions() : bitmap_(roaring_bitmap_create()) {
  WEFT_CHECK(bitmap_ != nullptr);
}

Deletions::Deletions(const Deletions& other) : bitmap_(roaring_bitmap_copy(other.bitmap_.get())) {
  WEFT_CHECK(bitmap_ != nullptr);
}

Deletions& Deletions::operator=(const Deletions& other) {
  if (this != &other) {
    *this = Deletions(other);
  }
  return *this;
}

bool Deletions::empty() const {
  return roaring_bitmap_is_empty(bitmap_.get());
}

uint64_t Deletions::count() const {
  return roaring_bitmap_get_cardinality(bitmap_.get());
}

bool Deletions::contains(uint32_t offset) const {
  return roaring_bitmap_contains(bitmap_.get(), offset);
}

void Deletions::add(uint32_t offset) {
  roaring_bitmap_add(bitmap_.get(), offset);
}

void Deletions::add_range(uint64_t from, uint64_t to) {
  roaring_bitmap_add_range(bitmap_.get(), from, to);
}

void Deletions::unite(const Deletions& other) {
  roaring_bitmap_or_inplace(bitmap_.get(), other.bitmap_.get());
}

bool Deletions::intersects(const Deletions& other) const {
  return roaring_bitmap_intersect(bitmap_.get(), other.bitmap_.get());
}

uint64_t Deletions::greatest() const {
  return roaring_bitmap_maximum(bitmap_.get());
}

std::vector<uint32_t> Deletions::offsets() const {
  std::vector<uint32_t> offsets(count());
  roaring_bitmap_to_uint32_array(bitmap_.get(), offsets.data());
  return offsets;
}

std::vector<uint32_t> Deletions::live_offsets(uint64_t from, uint64_t to) const {
  std::vector<uint32_t> live;
  roaring_uint32_iterator_t dead;
  roaring_init_iterator(bitmap_.get(), &dead);
  bool more = dead.has_value;
  if (more && from <= UINT32_MAX) {
    more = roaring_move_uint32_iterator_equalorlarger(&dead, static_cast<uint32_t>(from));
  }
  for (uint64_t offset = from; offset < to; ++offset) {
    if (more && dead.current_value == offset) {
      more = roaring_advance_uint32_iterator(&dead);
    } else {
      live.push_back(static_cast<uint32_t>(offset));
    }
  }
  return live;
}

bool operator==(const Deletions& left, const Deletions& right) {
  return roaring_bitmap_equals(left.bitmap_.get(), right.bitmap_.get());
}

Result<Deletions> Deletions::parse_bitmap(ByteView file) {
  // The library's own checks stop at lengths: what it is given has been walked through.
  WEFT_TRY_STATUS(check_portable_roaring(file));
  Deletions deletions;
  deletions.bitmap_.reset(roaring_bitmap_portable_deserialize_safe(
      reinterpret_cast<const char*>(file.data()), file.size()));
  if (deletions.bitmap_ == nullptr) {
    return Error(ErrorKind::kCorrupt, "damaged bitmap").with("rule", "deserialise");
  }
  return deletions;
}

std::string Deletions::serialize_bitmap() const {
  Deletions plain(*this);
  roaring_bitmap_remove_run_compression(plain.bitmap_.get());
  std::string out(roaring_bitmap_portable_size_in_bytes(plain.bitmap_.get()), '\0');
  const size_t written = roaring_bitmap_portable_serialize(plain.bitmap_.get(), out.data());
  WEFT_CHECK(written == out.size());
  return out;
}

Result<Deletions> read_deletions(storage::ObjectStore& store, const std::string& name,
                                 const std::string& kept_name, const Fragment& fragment) {
  if (!fragment.deletion_file) {
    return Deletions();
  }
  const DeletionFile& entry = *fragment.deletion_file;
  auto object = store.get(name, kDeletionFileBytesMax);
  std::string from = name;
  if (!object.ok() && object.error().kind() == ErrorKind::kNotFound && !kept_name.empty()) {
    auto kept = store.get(kept_name, kDeletionFileBytesMax);
    if (kept.ok() || kept.error().kind() != ErrorKind::kNotFound) {
      object = std::move(kept);
      from = kept_name;
    }
  }
  if (!object.ok() && object.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kCorrupt, "deletion file is gone")
        .with("object", name)
        .with("fragment", fragment.id);
  }
  WEFT_TRY(const storage::VersionedObject file, std::move(object));
  auto deletions = entry.kind == DeletionFile::Kind::kArrow
                       ? Deletions::parse_arrow(file.bytes.view(), fragment.physical_rows)
                       : Deletions::parse_bitmap(file.bytes.view());
  if (!deletions.ok()) {
    return std::move(deletions).error().with("object", from);
  }
  if (deletions->count() != entry.deleted_row_count ||
      (!deletions->empty() && deletions->greatest() >= fragment.physical_rows)) {
    return Error(ErrorKind::kCorrupt, "deletion file does not fit its fragment")
        .with("object", from)
        .with("fragment", fragment.id)
        .with("rows", fragment.physical_rows)
        .with("deleted", deletions->count())
        .with("expected", entry.deleted_row_count);
  }
  return deletions;
}

}  // namespace weft::lance
