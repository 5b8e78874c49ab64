#include "weft/rete/build/schema_counter.h"

#include <algorithm>
#include <cstring>

namespace weft::rete::build {
namespace {

constexpr uint64_t kMix = 0x9E3779B97F4A7C15;

// Counts `key`. When there are `size_max` keys, those counted once are forgotten; if that does not
// help, new keys are not counted any more (`is_full`).
template <typename Counts, typename Key>
void count_bounded(Counts& counts, const Key& key, size_t size_max, bool& is_full) {
  const auto found = counts.find(key);
  if (found != counts.end()) {
    ++found->second;
    return;
  }
  if (counts.size() >= size_max && !is_full) {
    std::erase_if(counts, [](const auto& entry) { return entry.second == 1; });
    is_full = counts.size() > size_max / 2;
  }
  if (!is_full) {
    counts.emplace(key, 1);
  }
}

}  // namespace

size_t SchemaCounter::SetHash::operator()(const std::vector<uint32_t>& set) const {
  uint64_t hash = set.size();
  for (const uint32_t predicate : set) {
    hash = (hash ^ predicate) * kMix;
    hash ^= hash >> 29U;
  }
  return hash;
}

size_t SchemaCounter::LinkHash::operator()(const SchemaLink& link) const {
  uint64_t hash = (uint64_t{link.subject_class} << 32U | link.object_class) * kMix;
  hash = (hash ^ (hash >> 29U) ^ link.predicate) * kMix;
  return hash ^ (hash >> 32U);
}

SchemaCounter::SchemaCounter(const Dictionary& dictionary, const SchemaPredicates& predicates,
                             const BuildSpace& space)
    : dictionary_(&dictionary),
      predicates_(predicates),
      shared_(dictionary.count(DictSection::kShared)),
      subject_max_(dictionary.subject_max()),
      classes_in_memory_(uint64_t{subject_max_} * sizeof(uint32_t) <= space.sort_bytes),
      class_spool_(space.scratch, space.spools) {
  counts_.predicates.resize(dictionary.predicate_max());
  if (classes_in_memory_) {
    classes_.resize(size_t{subject_max_} + 1);
  } else {
    ColumnHistogram objects(1, dictionary.object_max());
    // Every value alike: buckets of equal width, and a finer round for those that grow too large.
    for (uint64_t value = 1; value <= dictionary.object_max();
         value += uint64_t{1} << objects.shift()) {
      objects.add(static_cast<uint32_t>(value));
    }
    link_rows_ = std::make_unique<RowSorter<4>>(
        std::vector<SortColumn>{{2, 1, dictionary.object_max()}}, objects, false, space);
  }
}

SchemaNode SchemaCounter::subject_node(uint32_t id) const {
  return id <= shared_ ? SchemaNode{DictSection::kShared, id}
                       : SchemaNode{DictSection::kSubjects, id - shared_};
}

SchemaNode SchemaCounter::object_node(uint32_t id) const {
  return id <= shared_ ? SchemaNode{DictSection::kShared, id}
                       : SchemaNode{DictSection::kObjects, id - shared_};
}

void SchemaCounter::add_axiom(const Row<3>& row) {
  std::vector<std::pair<SchemaNode, SchemaNode>>* axioms = nullptr;
  if (row.at[1] == predicates_.subclass_of) {
    axioms = &counts_.subclass_of;
  } else if (row.at[1] == predicates_.disjoint_with) {
    axioms = &counts_.disjoint;
  } else if (row.at[1] == predicates_.equivalent_class) {
    axioms = &counts_.equivalent;
  } else {
    return;
  }
  if (axioms->size() == kSchemaClassesMax) {
    counts_.has_class_part = false;
    return;
  }
  axioms->emplace_back(subject_node(row.at[0]), object_node(row.at[2]));
}

void SchemaCounter::close_run() {
  if (run_ > 0) {
    PredicateCounts& counts = counts_.predicates[predicate_ - 1];
    counts.triples += run_;
    ++counts.subjects;
    counts.objects_per_subject_max = std::max(counts.objects_per_subject_max, run_);
    set_.push_back(predicate_);
    run_ = 0;
  }
}

Status SchemaCounter::note_class(uint32_t subject, uint32_t type_object) {
  if (classes_in_memory_) {
    classes_[subject] = type_object;
    return ok_status();
  }
  constexpr uint32_t kNone = kUntyped;
  for (; classes_written_ + 1 < subject; ++classes_written_) {
    WEFT_TRY_STATUS(class_spool_.append(std::as_bytes(std::span(&kNone, 1))));
  }
  ++classes_written_;
  return class_spool_.append(std::as_bytes(std::span(&type_object, 1)));
}

Status SchemaCounter::close_subject() {
  if (subject_ == 0) {
    return ok_status();
  }
  close_run();
  count_bounded(sets_, set_, kSchemaSetsMax, sets_full_);
  set_.clear();
  WEFT_TRY_STATUS(note_class(subject_, class_));
  if (!classes_in_memory_) {
    std::vector<Row<4>> rows;
    rows.reserve(open_rows_.size());
    for (const Row<3>& row : open_rows_) {
      rows.push_back({{row.at[0], row.at[1], row.at[2], class_}});
    }
    open_rows_.clear();
    WEFT_TRY_STATUS(link_rows_->accept(rows));
  }
  class_ = kUntyped;
  return ok_status();
}

Status SchemaCounter::accept_spo(std::span<const Row<3>> rows) {
  for (const Row<3>& row : rows) {
    if (row.at[0] != subject_) {
      WEFT_TRY_STATUS(close_subject());
      subject_ = row.at[0];
      predicate_ = row.at[1];
    } else if (row.at[1] != predicate_) {
      close_run();
      predicate_ = row.at[1];
    }
    ++run_;
    if (row.at[1] == predicates_.type) {
      class_ = class_ == kUntyped ? row.at[2] : class_;
    } else {
      add_axiom(row);
    }
    if (!classes_in_memory_) {
      open_rows_.push_back(row);
    }
  }
  return ok_status();
}

template <typename ClassOf>
Result<uint32_t> SchemaCounter::object_class(uint32_t object,
                                             const ClassOf& class_of_shared) const {
  const DictSection section = object <= shared_ ? DictSection::kShared : DictSection::kObjects;
  const uint32_t rank = object <= shared_ ? object : object - shared_;
  if (rank <= dictionary_->at(section).literal_count) {
    return kLiteralClass;
  }
  return section == DictSection::kShared ? class_of_shared(object) : Result<uint32_t>(kUntyped);
}

void SchemaCounter::add_link(uint32_t subject_class, uint32_t predicate, uint32_t object_class) {
  count_bounded(links_, SchemaLink{subject_class, predicate, object_class}, kSchemaLinksMax,
                links_full_);
}

Status SchemaCounter::accept_osp(std::span<const Row<3>> rows) {
  if (subject_ != 0) {
    WEFT_TRY_STATUS(close_subject());
    subject_ = 0;
  }
  if (!classes_in_memory_) {
    return ok_status();
  }
  uint32_t object = 0;
  uint32_t class_of_object = kUntyped;
  for (const Row<3>& row : rows) {
    if (row.at[1] == predicates_.type || row.at[1] == predicates_.subclass_of) {
      continue;
    }
    if (row.at[2] != object) {
      object = row.at[2];
      WEFT_TRY(class_of_object, object_class(object, [this](uint32_t id) -> Result<uint32_t> {
                 return classes_[id];
               }));
    }
    add_link(classes_[row.at[0]], row.at[1], class_of_object);
  }
  return ok_status();
}

// The rows come by object, as accept_osp has them; so do the classes of shared terms.
Status SchemaCounter::count_spilled_links() {
  uint32_t object = 0;
  uint32_t class_of_object = kUntyped;
  std::string piece;
  uint64_t piece_begin = 0;
  const auto class_of = [&](uint32_t id) -> Result<uint32_t> {
    const uint64_t offset = (uint64_t{id} - 1) * sizeof(uint32_t);
    if (offset + sizeof(uint32_t) > class_spool_.size()) {
      return kUntyped;
    }
    if (offset < piece_begin || offset >= piece_begin + piece.size()) {
      piece_begin = offset;
      WEFT_TRY_STATUS(class_spool_.read(
          offset, std::min<uint64_t>(Spool::kPieceBytes, class_spool_.size() - offset), piece));
    }
    uint32_t value = 0;
    std::memcpy(&value, piece.data() + (offset - piece_begin), sizeof value);
    return value;
  };
  return link_rows_->emit([&](std::span<const Row<4>> rows) -> Status {
    for (const Row<4>& row : rows) {
      if (row.at[1] == predicates_.type || row.at[1] == predicates_.subclass_of) {
        continue;
      }
      if (row.at[2] != object) {
        object = row.at[2];
        WEFT_TRY(class_of_object, object_class(object, class_of));
      }
      add_link(row.at[3], row.at[1], class_of_object);
    }
    return ok_status();
  });
}

void SchemaCounter::close_pos_run() {
  if (pos_run_ == 0) {
    return;
  }
  PredicateCounts& counts = counts_.predicates[pos_predicate_ - 1];
  ++counts.objects;
  counts.subjects_per_object_max = std::max(counts.subjects_per_object_max, pos_run_);
  if (pos_predicate_ == predicates_.type) {
    if (counts_.instances.size() == kSchemaClassesMax) {
      counts_.has_class_part = false;
    } else {
      counts_.instances.emplace_back(pos_object_, pos_run_);
    }
  }
  pos_run_ = 0;
}

Status SchemaCounter::accept_pos(std::span<const Row<3>> rows) {
  for (const Row<3>& row : rows) {
    if (row.at[1] != pos_predicate_ || row.at[2] != pos_object_) {
      close_pos_run();
      pos_predicate_ = row.at[1];
      pos_object_ = row.at[2];
    }
    ++pos_run_;
  }
  return ok_status();
}

Result<SchemaCounts> SchemaCounter::finish() {
  WEFT_TRY_STATUS(accept_osp({}));
  close_pos_run();
  if (!classes_in_memory_) {
    WEFT_TRY_STATUS(count_spilled_links());
  }
  classes_.release();
  class_spool_.release();
  counts_.sets.assign(sets_.begin(), sets_.end());
  sets_.clear();
  counts_.links.assign(links_.begin(), links_.end());
  links_.clear();
  return std::move(counts_);
}

}  // namespace weft::rete::build
