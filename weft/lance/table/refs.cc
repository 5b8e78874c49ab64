#include "weft/lance/table/refs.h"

#include <algorithm>

#include "weft/json/value.h"

namespace weft::lance {

namespace {

constexpr std::string_view kRefEnding = ".json";

TableLocation root_of(const TableLocation& table) {
  TableLocation root = table;
  root.branch.clear();
  return root;
}

std::string ref_name(const TableLocation& table, std::string_view folder, const std::string& name) {
  return root_of(table).object(std::string(folder) + branch_file_name(name) +
                               std::string(kRefEnding));
}

Error bad_ref(const std::string& name, std::string_view rule) {
  return Error(ErrorKind::kCorrupt, "tag or branch cannot be read")
      .with("object", name)
      .with("rule", rule);
}

std::string text_member(const json::Value& object, std::string_view name) {
  const json::Value* member = object.find(name);
  const std::string* text = member == nullptr ? nullptr : member->as_string();
  return text == nullptr ? std::string() : *text;
}

Result<json::Value> read_ref(const TableLocation& table, const std::string& name) {
  WEFT_TRY(const storage::VersionedObject object, table.store->get(name, kRefBytesMax));
  auto parsed = json::parse(as_text(object.bytes.view()));
  if (!parsed.ok()) {
    return bad_ref(name, "JSON");
  }
  return parsed;
}

Result<Tag> parse_tag(const json::Value& document, std::string tag, const std::string& object) {
  const json::Value* version = document.find("version");
  if (version == nullptr || !version->as_uint64()) {
    return bad_ref(object, "a tag has a version");
  }
  return Tag{std::move(tag), text_member(document, "branch"), *version->as_uint64()};
}

Result<Branch> parse_branch(const json::Value& document, std::string name,
                            const std::string& object) {
  Branch branch;
  branch.name = std::move(name);
  // Older releases wrote snake case.
  const auto member = [&](std::string_view camel, std::string_view snake) {
    const json::Value* found = document.find(camel);
    return found != nullptr ? found : document.find(snake);
  };
  const json::Value* version = member("parentVersion", "parent_version");
  if (version == nullptr || !version->as_uint64()) {
    return bad_ref(object, "a branch has a parent version");
  }
  branch.parent_version = *version->as_uint64();
  if (const json::Value* parent = member("parentBranch", "parent_branch");
      parent != nullptr && parent->as_string() != nullptr) {
    branch.parent = *parent->as_string();
  }
  if (const json::Value* created = member("createAt", "create_at"); created != nullptr) {
    branch.created_seconds = created->as_int64().value_or(0);
  }
  const json::Value* identifier = document.find("identifier");
  const json::Value* mapping =
      identifier == nullptr ? nullptr : identifier->find("version_mapping");
  for (const json::Value& pair : mapping == nullptr ? json::Value::Array() : mapping->items()) {
    if (pair.items().size() != 2 || !pair.items()[0].as_uint64() ||
        pair.items()[1].as_string() == nullptr) {
      return bad_ref(object, "version_mapping");
    }
    branch.lives.emplace_back(*pair.items()[0].as_uint64(), *pair.items()[1].as_string());
  }
  return branch;
}

// Calls take(name, document, object) for each ref in `folder`.
template <typename Take>
Status each_ref(const TableLocation& table, std::string_view folder, Take take) {
  const std::string prefix = root_of(table).object(folder);
  WEFT_TRY(const std::vector<storage::ObjectInfo> objects, table.store->list(prefix));
  for (const storage::ObjectInfo& object : objects) {
    std::string_view file = std::string_view(object.name).substr(prefix.size());
    if (!file.ends_with(kRefEnding) || file.find('/') != std::string_view::npos) {
      continue;
    }
    file.remove_suffix(kRefEnding.size());
    auto document = read_ref(table, object.name);
    if (!document.ok() && document.error().kind() == ErrorKind::kNotFound) {
      continue;  // deleted meanwhile
    }
    if (!document.ok()) {
      return std::move(document).error();
    }
    WEFT_TRY_STATUS(take(branch_of_file_name(file), *document, object.name));
  }
  return {};
}

// 2026-11-30T03:00:00.000000Z
std::string rfc3339(base::WallTime time) {
  constexpr int64_t kDay = 86'400;
  const int64_t seconds = time.microseconds / 1'000'000;
  const int64_t days = seconds / kDay;
  const int64_t in_day = seconds % kDay;
  // Days since 0000-03-01 in eras of 400 years (H. Hinnant, "chrono-compatible low-level date
  // algorithms").
  const int64_t z = days + 719'468;
  const int64_t era = z / 146'097;
  const int64_t doe = z - era * 146'097;
  const int64_t yoe = (doe - doe / 1'460 + doe / 36'524 - doe / 146'096) / 365;
  const int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const int64_t mp = (5 * doy + 2) / 153;
  const int64_t month = mp < 10 ? mp + 3 : mp - 9;
  const int64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  const auto digits = [](int64_t value, size_t width) {
    std::string text = std::to_string(value);
    return text.size() < width ? std::string(width - text.size(), '0') + text : text;
  };
  return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(doy - (153 * mp + 2) / 5 + 1, 2) +
         "T" + digits(in_day / 3600, 2) + ":" + digits(in_day / 60 % 60, 2) + ":" +
         digits(in_day % 60, 2) + "." + digits(time.microseconds % 1'000'000, 6) + "Z";
}

}  // namespace

Result<std::vector<Tag>> list_tags(const TableLocation& table) {
  std::vector<Tag> tags;
  WEFT_TRY_STATUS(each_ref(
      table, kTagsFolder,
      [&](std::string name, const json::Value& document, const std::string& object) -> Status {
        WEFT_TRY(Tag tag, parse_tag(document, std::move(name), object));
        tags.push_back(std::move(tag));
        return {};
      }));
  return tags;
}

Result<std::vector<Branch>> list_branches(const TableLocation& table) {
  std::vector<Branch> branches;
  WEFT_TRY_STATUS(each_ref(
      table, kBranchesFolder,
      [&](std::string name, const json::Value& document, const std::string& object) -> Status {
        WEFT_TRY(Branch branch, parse_branch(document, std::move(name), object));
        branches.push_back(std::move(branch));
        return {};
      }));
  return branches;
}

Result<Tag> find_tag(const TableLocation& table, const std::string& name) {
  WEFT_TRY_STATUS(check_tag_name(name));
  const std::string object = ref_name(table, kTagsFolder, name);
  auto document = read_ref(table, object);
  if (!document.ok() && document.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kNotFound, "no such tag").with("tag", name);
  }
  WEFT_TRY(const json::Value value, std::move(document));
  return parse_tag(value, name, object);
}

Result<Branch> find_branch(const TableLocation& table, const std::string& name) {
  WEFT_TRY_STATUS(check_branch_name(name));
  const std::string object = ref_name(table, kBranchesFolder, name);
  auto document = read_ref(table, object);
  if (!document.ok() && document.error().kind() == ErrorKind::kNotFound) {
    return Error(ErrorKind::kNotFound, "no such branch").with("branch", name);
  }
  WEFT_TRY(const json::Value value, std::move(document));
  return parse_branch(value, name, object);
}

Status create_tag(const Snapshot& snapshot, const std::string& name, const StageOptions& options) {
  WEFT_TRY_STATUS(check_tag_name(name));
  const TableLocation& table = snapshot.location();
  json::Value document = json::Value::object();
  const std::string now = rfc3339(options.clock->now());
  document.set("branch", table.branch.empty() ? json::Value() : json::Value::string(table.branch));
  document.set("version", json::Value::number(snapshot.version()));
  document.set("createdAt", json::Value::string(now));
  document.set("updatedAt", json::Value::string(now));
  document.set("manifestSize", json::Value::number(uint64_t{snapshot.file().size()}));
  document.set("metadata", json::Value::object());
  const std::string text = json::write(document);
  WEFT_TRY(const storage::PutOutcome outcome,
           table.store->put_if_absent(ref_name(table, kTagsFolder, name), as_bytes(text)));
  if (outcome == storage::PutOutcome::kLost) {
    return Error(ErrorKind::kAlreadyExists, "tag exists").with("tag", name);
  }
  return {};
}

Status delete_tag(const TableLocation& table, const std::string& name) {
  WEFT_TRY_STATUS(find_tag(table, name).ok() ? Status() : find_tag(table, name).error());
  return table.store->remove(ref_name(table, kTagsFolder, name));
}

Status delete_branch(const TableLocation& table, const std::string& name) {
  WEFT_TRY(const Branch branch, find_branch(table, name));
  WEFT_TRY(const std::vector<Branch> branches, list_branches(table));
  for (const Branch& other : branches) {
    if (other.parent == branch.name) {
      return Error(ErrorKind::kConflict, "another branch starts from this one")
          .with("branch", name)
          .with("other", other.name);
    }
  }
  WEFT_TRY(const std::vector<Tag> tags, list_tags(table));
  for (const Tag& tag : tags) {
    if (tag.branch == branch.name) {
      return Error(ErrorKind::kConflict, "a tag names a version of this branch")
          .with("branch", name)
          .with("tag", tag.name);
    }
  }
  WEFT_TRY_STATUS(table.store->remove(ref_name(table, kBranchesFolder, name)));
  TableLocation tree = table;
  tree.branch = name;
  const std::string folder = tree.folder() + "/";
  WEFT_TRY(const std::vector<storage::ObjectInfo> objects, table.store->list(folder, true));
  for (const storage::ObjectInfo& object : objects) {
    const bool of_another = std::any_of(branches.begin(), branches.end(), [&](const Branch& other) {
      return other.name.starts_with(name + "/") &&
             object.name.starts_with(folder + other.name.substr(name.size() + 1) + "/");
    });
    if (!of_another) {
      WEFT_TRY_STATUS(table.store->remove(object.name));
    }
  }
  return {};
}

}  // namespace weft::lance
