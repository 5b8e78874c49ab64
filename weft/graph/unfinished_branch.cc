#include "weft/graph/unfinished_branch.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "weft/lance/table/cleanup.h"
#include "weft/lance/table/names.h"
#include "weft/lance/table/transaction.h"

namespace weft::graph {
namespace {

bool is_version_under_number(std::string_view inside) {
  return inside.starts_with(lance::kVersionsFolder) &&
         !inside.substr(lance::kVersionsFolder.size()).starts_with('d');
}

// Whether it is the transaction that begins a branch.
Result<bool> is_beginning(const lance::TableLocation& place, const storage::ObjectInfo& object) {
  auto opened = place.store->open(object.name);
  if (!opened.ok()) {
    return opened.error().kind() == ErrorKind::kNotFound ? Result<bool>(false) : opened.error();
  }
  WEFT_TRY(const storage::Buffer bytes, (*opened)->read({0, (*opened)->size()}));
  const auto transaction = lance::parse_transaction(bytes.view());
  return transaction.ok() && std::holds_alternative<lance::CloneOperation>(transaction->operation);
}

}  // namespace

Result<std::vector<storage::ObjectInfo>> left_by_first_writes(
    const lance::TableLocation& place, const std::vector<storage::ObjectInfo>& objects,
    base::WallTime put_before) {
  WEFT_TRY(const lance::VersionList list, lance::list_versions(place));
  std::set<std::string> needed;
  for (const lance::VersionEntry& entry : list.versions) {
    WEFT_TRY(const lance::Snapshot version,
             lance::open_version(place, entry.version, entry.naming));
    WEFT_TRY(std::vector<std::string> files, lance::reachable_files(version));
    needed.insert(std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
  }
  const std::string folder = place.object("");
  std::vector<storage::ObjectInfo> left;
  auto object = std::ranges::lower_bound(objects, folder, {}, &storage::ObjectInfo::name);
  for (; object != objects.end() && object->name.starts_with(folder); ++object) {
    const std::string_view inside = std::string_view(object->name).substr(folder.size());
    if (object->modified > put_before || needed.contains(object->name) ||
        is_version_under_number(inside)) {
      continue;
    }
    bool is_needed = false;
    if (inside.find(lance::kTransactionsFolder) != std::string_view::npos) {
      WEFT_TRY(is_needed, is_beginning(place, *object));
    }
    if (!is_needed) {
      left.push_back(*object);
    }
  }
  return left;
}

}  // namespace weft::graph
