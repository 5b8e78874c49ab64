#include "weft/storage/object_store.h"

#include <string_view>
#include <utility>

namespace weft::storage {
namespace {

// The length of the UTF-8 sequence at `text[at]`, or 0 if there is none (Unicode 15, table 3-7).
size_t utf8_sequence(std::string_view text, size_t at) {
  const auto octet = [&](size_t index) -> uint32_t {
    return at + index < text.size() ? static_cast<uint8_t>(text[at + index]) : 0;
  };
  const auto continues = [&](size_t index) { return (octet(index) & 0xC0U) == 0x80U; };
  const uint32_t first = octet(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return continues(1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && octet(1) < 0xA0;
    const bool surrogate = first == 0xED && octet(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && octet(1) < 0x90;
    const bool beyond = first == 0xF4 && octet(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool is_utf8_without_nul(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_sequence(text, at);
    if (length == 0 || text[at] == '\0') {
      return false;
    }
    at += length;
  }
  return true;
}

Error bad_name(const std::string& name, std::string_view rule) {
  return Error(ErrorKind::kInvalid, "not a name of an object")
      .with("name", name)
      .with("rule", rule);
}

}  // namespace

Buffer Buffer::copy_of(ByteView bytes) {
  auto owner = std::make_shared<Bytes>(bytes.begin(), bytes.end());
  const ByteView view(*owner);
  return {std::move(owner), view};
}

Buffer Buffer::from(std::string&& text) {
  auto owner = std::make_shared<std::string>(std::move(text));
  const ByteView view = as_bytes(*owner);
  return {std::move(owner), view};
}

Buffer Buffer::from(Bytes&& bytes) {
  auto owner = std::make_shared<Bytes>(std::move(bytes));
  const ByteView view(*owner);
  return {std::move(owner), view};
}

Buffer Buffer::slice(size_t offset, size_t size) const {
  WEFT_CHECK(offset <= view_.size() && size <= view_.size() - offset);
  return {owner_, view_.subspan(offset, size)};
}

Result<Buffer> ObjectReader::read(Range range, std::stop_token stop) {
  WEFT_TRY(std::vector<Buffer> answers, read_many({range}, std::move(stop)));
  WEFT_CHECK(answers.size() == 1);
  return std::move(answers.front());
}

void ObjectReader::prefetch(const std::vector<Range>& /*ranges*/) {}

Result<std::vector<PutOutcome>> ObjectStore::put_many_foreseeing(
    const std::vector<std::pair<std::string, ByteView>>& objects,
    const std::vector<std::pair<std::string, ByteView>>& /*next*/) {
  return put_many_if_absent(objects);
}

void ObjectStore::prefetch(const std::vector<std::string>& /*names*/) {}

Result<std::unique_ptr<AppendFile>> ObjectStore::open_append(const std::string& name) {
  return Error(ErrorKind::kUnsupported, "this store has no files that grow")
      .with("store", location())
      .with("object", name);
}

Result<std::unique_ptr<HeldRight>> ObjectStore::hold(const std::string& name,
                                                     const HoldRequest& /*request*/) {
  return Error(ErrorKind::kUnsupported, "this store has no locks")
      .with("store", location())
      .with("object", name);
}

Status check_ranges(const std::vector<Range>& ranges, uint64_t size, const std::string& name) {
  for (const Range& range : ranges) {
    if (range.offset > size || range.size > size - range.offset) {
      return Error(ErrorKind::kInvalid, "a range leaves the object")
          .with("object", name)
          .with("offset", range.offset)
          .with("size", range.size)
          .with("object_size", size);
    }
  }
  return ok_status();
}

Status check_object_name(const std::string& name) {
  if (name.size() > kObjectNameBytesMax) {
    return bad_name(name.substr(0, 80) + "…", "at most 1024 bytes");
  }
  if (!is_utf8_without_nul(name)) {
    return bad_name(name, "UTF-8 without NUL");
  }
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = std::string_view(name).substr(begin, end - begin);
    if (part.empty()) {
      return bad_name(name, "no empty component");
    }
    if (part == "." || part == "..") {
      return bad_name(name, "no component \".\" or \"..\"");
    }
    if (part.size() > kNameComponentBytesMax) {
      return bad_name(name, "components of at most 240 bytes");
    }
    begin = end + 1;
  }
  return ok_status();
}

}  // namespace weft::storage
