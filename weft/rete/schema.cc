#include "weft/rete/schema.h"

#include <algorithm>
#include <functional>

#include "weft/codec/varint.h"

namespace weft::rete {
namespace {

constexpr uint8_t kVersion = 1;
constexpr uint8_t kBlockSchema = 2;
constexpr uint8_t kBlockStatistics = 3;
constexpr uint8_t kBlockSets = 4;

Error bad(const char* reason) {
  return Error(ErrorKind::kCorrupt, "damaged schema section").with("reason", reason);
}

Status parse_statistics(ByteView payload, uint32_t predicate_count, Schema& schema) {
  codec::ByteReaderView reader(payload);
  constexpr size_t kBytesMin = 6;
  const uint64_t count = reader.count(kBytesMin);
  uint64_t last = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t predicate = reader.varint();
    PredicateStatistics each;
    each.predicate = static_cast<uint32_t>(predicate);
    each.triples = reader.varint();
    each.distinct_subjects = reader.varint();
    each.distinct_objects = reader.varint();
    each.objects_per_subject_max = reader.varint();
    each.subjects_per_object_max = reader.varint();
    if (!reader.ok() || predicate <= last || predicate > predicate_count) {
      return bad("predicates of the statistics do not ascend");
    }
    last = predicate;
    schema.predicates.push_back(each);
  }
  return reader.ok() && reader.remaining() == 0 ? ok_status()
                                                : Status(bad("statistics are malformed"));
}

Status parse_sets(ByteView payload, uint32_t predicate_count, Schema& schema) {
  codec::ByteReaderView reader(payload);
  constexpr size_t kBytesMin = 2;
  const uint64_t count = reader.count(kBytesMin);
  for (uint64_t i = 0; i < count; ++i) {
    CharacteristicSet set;
    const uint64_t size = reader.count(1);
    uint64_t last = 0;
    for (uint64_t k = 0; k < size; ++k) {
      const uint64_t predicate = reader.varint();
      if (predicate <= last || predicate > predicate_count) {
        return bad("predicates of a set do not ascend");
      }
      last = predicate;
      set.predicates.push_back(static_cast<uint32_t>(predicate));
    }
    set.subjects = reader.varint();
    schema.sets.push_back(std::move(set));
  }
  return reader.ok() && reader.remaining() == 0 ? ok_status() : Status(bad("sets are malformed"));
}

// The schema block: a string table, then lists that refer to it.
class SchemaBlock {
 public:
  SchemaBlock(ByteView bytes, Schema& schema) : reader_(bytes), schema_(schema) {}

  Status parse() {
    read_list(1, [&] { strings_.emplace_back(as_text(reader_.length_prefixed())); });
    read_list(3, [&] { read_class(); });
    read_list(3, [&] { read_rollup(); });
    read_list(3, [&] { read_links(); });
    read_list(5, [&] { skip_descriptor(); });
    if (reader_.ok() && reader_.remaining() > 0) {
      read_list(1, [&] {
        std::vector<std::string> cycle;
        read_list(1, [&] { cycle.push_back(string()); });
        schema_.cycles.push_back(std::move(cycle));
      });
      read_list(2, [&] { read_pair(schema_.disjoint); });
      read_list(2, [&] { read_pair(schema_.equivalent); });
    }
    return reader_.ok() && reader_.remaining() == 0 ? ok_status()
                                                    : Status(bad("schema block is malformed"));
  }

 private:
  void read_list(size_t size_min, const std::function<void()>& read_one) {
    const uint64_t count = reader_.count(size_min);
    for (uint64_t i = 0; i < count && reader_.ok(); ++i) {
      read_one();
    }
  }
  std::string string() {
    const uint64_t index = reader_.varint();
    if (index >= strings_.size()) {
      reader_.fail();
      return {};
    }
    return strings_[index];
  }
  void read_class() {
    SchemaClass each;
    each.name = string();
    read_list(1, [&] { each.parents.push_back(string()); });
    each.depth = reader_.varint();
    schema_.classes.push_back(std::move(each));
  }
  void read_rollup() {
    SchemaLevel level;
    level.round = reader_.varint();
    level.depth = reader_.varint();
    read_list(2, [&] {
      SchemaLevel::Count each;
      each.name = string();
      each.count = reader_.varint();
      level.classes.push_back(std::move(each));
    });
    schema_.levels.push_back(std::move(level));
  }
  // Levels of links follow those of rollups, one for one.
  void read_links() {
    const uint64_t round = reader_.varint();
    const uint64_t depth = reader_.varint();
    if (links_read_ == schema_.levels.size()) {
      schema_.levels.push_back({.round = round, .depth = depth, .classes = {}, .links = {}});
    }
    SchemaLevel& level = schema_.levels[links_read_++];
    read_list(4, [&] {
      SchemaLevel::Link each;
      each.subject_class = string();
      each.predicate = string();
      each.object_class = string();
      each.count = reader_.varint();
      level.links.push_back(std::move(each));
    });
  }
  // Descriptors of communities belong to the pyramid; only their length matters here.
  void skip_descriptor() {
    reader_.varint();
    reader_.varint();
    read_list(2, [&] {
      reader_.varint();
      reader_.varint();
    });
    constexpr size_t kBoxBytes = 4 * sizeof(double);
    if (reader_.u8() != 0) {
      reader_.bytes(kBoxBytes);
    }
    if (reader_.u8() != 0) {
      reader_.varint();
      reader_.varint();
    }
  }
  void read_pair(std::vector<std::pair<std::string, std::string>>& pairs) {
    std::string first = string();
    std::string second = string();
    pairs.emplace_back(std::move(first), std::move(second));
  }

  codec::ByteReaderView reader_;
  Schema& schema_;
  std::vector<std::string> strings_;
  size_t links_read_ = 0;
};

}  // namespace

const PredicateStatistics* Schema::find(uint32_t predicate) const {
  const auto at = std::lower_bound(
      predicates.begin(), predicates.end(), predicate,
      [](const PredicateStatistics& each, uint32_t wanted) { return each.predicate < wanted; });
  return at != predicates.end() && at->predicate == predicate ? &*at : nullptr;
}

Result<Schema> parse_schema(std::string_view bytes, uint32_t predicate_count) {
  codec::ByteReaderView reader(as_bytes(bytes));
  Schema schema;
  const uint8_t version = reader.u8();
  if (reader.ok() && version != kVersion) {
    return Error(ErrorKind::kUnsupported, "cannot read the schema section")
        .with("version", uint64_t{version});
  }
  schema.type_predicate = as_text(reader.length_prefixed());
  reader.varint();
  if (reader.varint() != 0 || reader.varint() != 0 || !reader.ok()) {
    return bad("head is malformed");
  }
  while (reader.remaining() > 0) {
    const uint8_t tag = reader.u8();
    if (tag == kBlockSchema) {
      WEFT_TRY_STATUS(SchemaBlock(reader.bytes(reader.remaining()), schema).parse());
      break;
    }
    const ByteView payload = reader.length_prefixed();
    if (!reader.ok()) {
      return bad("block is cut short");
    }
    if (tag == kBlockStatistics) {
      WEFT_TRY_STATUS(parse_statistics(payload, predicate_count, schema));
    } else if (tag == kBlockSets) {
      WEFT_TRY_STATUS(parse_sets(payload, predicate_count, schema));
    }
  }
  return schema;
}

}  // namespace weft::rete
