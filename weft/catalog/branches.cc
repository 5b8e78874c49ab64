#include "weft/catalog/branches.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "weft/base/planted.h"
#include "weft/json/value.h"
#include "weft/lance/table/names.h"

namespace weft::catalog {
namespace {

using base::Bug;
using base::planted;

constexpr int kAmbiguousRepeatsMax = 8;

std::string ref_folder(std::string_view branch) {
  return std::string(kBranchRefsFolder) + lance::branch_file_name(branch) + "/";
}

std::string ref_name(std::string_view branch, uint64_t number) {
  return ref_folder(branch) + std::to_string(number);
}

Error unknown_branch(std::string_view branch) {
  return Error(ErrorKind::kNotFound, "the graph has no such branch").with("branch", branch);
}

std::string ref_text(const BranchLife& life) {
  json::Value lineage = json::Value::array();
  for (const ForkPoint& fork : life.lineage) {
    json::Value point = json::Value::object();
    point.set("life", json::Value::string(fork.life));
    point.set("version", json::Value::number(fork.version));
    lineage.mutable_items().push_back(std::move(point));
  }
  json::Value document = json::Value::object();
  document.set("format", json::Value::number(kBranchRefFormat));
  document.set("branch", json::Value::string(life.branch));
  document.set("life", json::Value::string(life.life));
  document.set("lineage", std::move(lineage));
  document.set("parent_branch", json::Value::string(life.parent_branch));
  document.set("parent_commit_id", json::Value::string(life.parent_commit.text()));
  document.set("created_at",
               json::Value::number(static_cast<uint64_t>(life.created_at.microseconds)));
  document.set("actor_id", json::Value::string(life.actor));
  return json::write(document, {.indent = 0});
}

// Reads the members of a ref; the first that is missing or malformed is remembered.
class RefReader {
 public:
  RefReader(const json::Value& document, const std::string& object)
      : document_(document), object_(object) {}

  std::string text(std::string_view name) { return text_of(document_, name); }
  uint64_t number(std::string_view name) { return number_of(document_, name); }
  std::vector<ForkPoint> lineage() {
    std::vector<ForkPoint> points;
    const json::Value* const found = document_.find("lineage");
    if (found == nullptr || !found->is_array() || found->items().empty() ||
        found->items().size() > kLineageMax) {
      note("lineage");
      return points;
    }
    for (const json::Value& item : found->items()) {
      points.push_back({text_of(item, "life"), number_of(item, "version")});
    }
    return points;
  }
  Status status() const {
    return bad_.empty() ? ok_status()
                        : Status(Error(ErrorKind::kCorrupt, "the ref of a branch cannot be read")
                                     .with("object", object_)
                                     .with("member", bad_));
  }
  void note(std::string_view member) {
    if (bad_.empty()) {
      bad_ = member;
    }
  }

 private:
  std::string text_of(const json::Value& object, std::string_view name) {
    const json::Value* const member = object.find(name);
    const std::string* const text = member != nullptr ? member->as_string() : nullptr;
    if (text == nullptr) {
      note(name);
      return {};
    }
    return *text;
  }
  uint64_t number_of(const json::Value& object, std::string_view name) {
    const json::Value* const member = object.find(name);
    const std::optional<uint64_t> number = member != nullptr ? member->as_uint64() : std::nullopt;
    if (!number.has_value()) {
      note(name);
    }
    return number.value_or(0);
  }

  const json::Value& document_;
  const std::string& object_;
  std::string bad_;
};

Result<BranchLife> read_ref(const CatalogPlace& graph, std::string_view branch, uint64_t number) {
  const std::string object = ref_name(branch, number);
  WEFT_TRY(const storage::VersionedObject read, graph.store.get(object, kBranchRefBytesMax));
  const auto document = json::parse(as_text(read.bytes.view()));
  if (!document.ok()) {
    return Error(ErrorKind::kCorrupt, "the ref of a branch cannot be read").with("object", object);
  }
  RefReader reader(*document, object);
  if (const uint64_t format = reader.number("format"); format > kBranchRefFormat) {
    return Error(ErrorKind::kUnsupported, "a newer weft made this branch: use it, or a later one")
        .with("object", object)
        .with("format", format)
        .with("supported", kBranchRefFormat);
  }
  BranchLife life;
  life.branch = reader.text("branch");
  life.number = number;
  life.life = reader.text("life");
  life.lineage = reader.lineage();
  life.parent_branch = reader.text("parent_branch");
  if (auto commit = base::Ulid::parse(reader.text("parent_commit_id")); commit.ok()) {
    life.parent_commit = *commit;
  } else {
    reader.note("parent_commit_id");
  }
  life.created_at.microseconds = static_cast<int64_t>(reader.number("created_at"));
  life.actor = reader.text("actor_id");
  if (life.branch != branch || !life.life.starts_with(life.branch + ".")) {
    reader.note("branch");
  }
  WEFT_TRY_STATUS(reader.status());
  return life;
}

// The numbers of the lives of branches whose refs' names begin with `prefix`, ascending.
Result<std::map<std::string, std::vector<uint64_t>>> all_numbers(const CatalogPlace& graph,
                                                                 const std::string& prefix) {
  std::map<std::string, std::vector<uint64_t>> numbers;
  WEFT_TRY(const std::vector<storage::ObjectInfo> objects, graph.store.list(prefix));
  for (const storage::ObjectInfo& object : objects) {
    const std::string_view rest =
        std::string_view(object.name).substr(std::string_view(kBranchRefsFolder).size());
    const size_t slash = rest.find('/');
    uint64_t number = 0;
    const std::string_view digits = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && number > 0) {
      numbers[lance::branch_of_file_name(rest.substr(0, slash))].push_back(number);
    }
  }
  for (auto& [name, found] : numbers) {
    std::ranges::sort(found);
  }
  return numbers;
}

// The greatest one of each.
Result<std::map<std::string, uint64_t>> latest_numbers(const CatalogPlace& graph,
                                                       const std::string& prefix) {
  WEFT_TRY(const auto all, all_numbers(graph, prefix));
  std::map<std::string, uint64_t> latest;
  for (const auto& [name, numbers] : all) {
    latest[name] = numbers.back();
  }
  return latest;
}

Result<uint64_t> latest_number(const CatalogPlace& graph, std::string_view branch) {
  WEFT_TRY(const auto numbers, latest_numbers(graph, ref_folder(branch)));
  const auto found = numbers.find(std::string(branch));
  return found == numbers.end() ? 0 : found->second;
}

Error not_known(const std::string& ref) {
  return Error(ErrorKind::kRecoveryRequired, "whether the branch was created is not known")
      .with("object", ref);
}

Result<bool> read_back(storage::ObjectStore& store, const std::string& name,
                       const std::string& text) {
  WEFT_TRY(const storage::VersionedObject there, store.get(name, kBranchRefBytesMax));
  WEFT_TRY_STATUS(store.sync_existing({name}));
  return as_text(there.bytes.view()) == text;
}

// Whether the ref is ours now. An unclear answer is followed by the same creation.
Result<bool> put_ref(storage::ObjectStore& store, const BranchLife& life,
                     const std::function<Status()>& may_create) {
  const std::string name = ref_name(life.branch, life.number);
  const std::string text = ref_text(life);
  for (int repeat = 0; repeat <= kAmbiguousRepeatsMax; ++repeat) {
    if (Status allowed = may_create ? may_create() : ok_status(); !allowed.ok()) {
      return repeat == 0 ? std::move(allowed).error() : not_known(name);
    }
    const auto outcome = store.put_if_absent(name, as_bytes(text));
    if (outcome.ok() &&
        (*outcome == storage::PutOutcome::kDone || planted(Bug::kBothCreateABranch))) {
      return true;
    }
    if (outcome.ok()) {
      Result<bool> is_ours = read_back(store, name, text);
      return is_ours.ok() || repeat == 0 ? is_ours : Result<bool>(not_known(name));
    }
    if (outcome.error().kind() != ErrorKind::kRecoveryRequired) {
      // After an unclear answer nothing but a clear one counts.
      return repeat == 0 ? outcome.error() : not_known(name);
    }
  }
  return not_known(name);
}

// Seen is not yet durable.
Status sync_version(storage::ObjectStore& store, const lance::Snapshot& version) {
  return store.sync_existing(
      {version.location().object(lance::manifest_name(version.version(), version.naming()))});
}

Error exists_already(std::string_view name) {
  return Error(ErrorKind::kAlreadyExists, "the graph has a branch of that name")
      .with("branch", name);
}

// The latest life of a name, which has ended. Errors: kAlreadyExists if it goes on.
Result<uint64_t> number_of_ended(const CatalogPlace& graph, std::string_view name) {
  WEFT_TRY(const uint64_t number, latest_number(graph, name));
  if (number != 0) {
    WEFT_TRY(const BranchLife earlier, read_ref(graph, name, number));
    WEFT_TRY(const CatalogView newest, open_latest(place_of(graph, earlier)));
    if (check_goes_on(newest).ok()) {
      return exists_already(name);
    }
    // Else a crash could bring the earlier life back behind the new one.
    WEFT_TRY_STATUS(sync_version(graph.store, newest.snapshot()));
  }
  return number;
}

}  // namespace

Status check_graph_branch_name(std::string_view name) {
  WEFT_TRY_STATUS(lance::check_branch_name(name));
  if (name.starts_with("__")) {
    return Error(ErrorKind::kInvalid, "a name that begins with __ is kept for the program")
        .with("branch", name);
  }
  for (std::string_view rest = name; !rest.empty();) {
    const size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    const size_t dot = segment.rfind('.');
    if (dot != std::string_view::npos && base::Ulid::parse(segment.substr(dot + 1)).ok()) {
      return Error(ErrorKind::kInvalid, "a name that ends like the life of a branch")
          .with("branch", name);
    }
    rest = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  }
  return ok_status();
}

CatalogPlace place_of(const CatalogPlace& graph, const BranchLife& life) {
  return {.store = graph.store,
          .clock = graph.clock,
          .random = graph.random,
          .executor = graph.executor,
          .life = life.life,
          .lineage = life.lineage,
          .forked_at = life.created_at,
          .forked_from = life.parent_commit,
          .ref = ref_name(life.branch, life.number),
          .known = graph.known,
          .queue = graph.queue};
}

Result<BranchLife> find_latest_life(const CatalogPlace& graph, std::string_view branch) {
  if (!check_graph_branch_name(branch).ok()) {
    return unknown_branch(branch);
  }
  WEFT_TRY(const uint64_t number, latest_number(graph, branch));
  return number == 0 ? Result<BranchLife>(unknown_branch(branch)) : read_ref(graph, branch, number);
}

Result<CatalogPlace> open_branch(const CatalogPlace& graph, std::string_view branch) {
  if (branch == kMainBranch) {
    return CatalogPlace{.store = graph.store,
                        .clock = graph.clock,
                        .random = graph.random,
                        .executor = graph.executor,
                        .life = {},
                        .known = graph.known,
                        .queue = graph.queue};
  }
  WEFT_TRY(const BranchLife life, find_latest_life(graph, branch));
  return place_of(graph, life);
}

Status check_goes_on(const CatalogView& newest) {
  if (newest.state().head.kind != kDeleteBranchKind) {
    return ok_status();
  }
  const std::string& life = newest.chain().branch;
  return Error(ErrorKind::kNotFound, "the branch was deleted")
      .with("branch", std::string_view(life).substr(0, life.rfind('.')))
      .with("commit", newest.state().head.id.text());
}

Result<std::vector<BranchLife>> list_lives(const CatalogPlace& graph) {
  WEFT_TRY(const auto all, all_numbers(graph, std::string(kBranchRefsFolder)));
  std::vector<BranchLife> lives;
  for (const auto& [name, numbers] : all) {
    for (const uint64_t number : numbers) {
      WEFT_TRY(lives.emplace_back(), read_ref(graph, name, number));
    }
  }
  return lives;
}

Result<BranchLife> create_branch(const CatalogPlace& graph, const CatalogView& from,
                                 std::string_view name, const CreateBranchRequest& request) {
  WEFT_TRY_STATUS(check_graph_branch_name(name));
  WEFT_TRY_STATUS(check_goes_on(from));
  BranchLife life;
  life.branch = name;
  life.created_at = std::max(graph.clock.now(), from.state().head.created_at);
  life.life = life.branch + "." + base::Ulid::make(life.created_at, graph.random).text();
  // The chain in which the version stands, then where that one comes from.
  const std::string& source = from.snapshot().location().branch;
  life.lineage = {{source, from.version()}};
  const auto above = std::ranges::find(graph.lineage, source, &ForkPoint::life);
  if (source == graph.life) {
    life.lineage.insert(life.lineage.end(), graph.lineage.begin(), graph.lineage.end());
  } else if (above != graph.lineage.end()) {
    life.lineage.insert(life.lineage.end(), above + 1, graph.lineage.end());
  }
  if (life.lineage.size() > kLineageMax) {
    return Error(ErrorKind::kLimit, "a branch of too many branches above one another")
        .with("branch", name)
        .with("limit", kLineageMax);
  }
  life.parent_commit = from.state().head.id;
  life.parent_branch = request.parent_branch;
  life.actor = request.actor;
  const lance::Snapshot& parent = from.snapshot();
  if (!parent.is_durable() && !planted(Bug::kBranchOfUnsynced)) {
    WEFT_TRY_STATUS(sync_version(graph.store, parent));
  }
  // Most names are new: whether this one is, the creation tells.
  life.number = 1;
  WEFT_TRY(bool is_ours, put_ref(graph.store, life, request.may_create));
  if (!is_ours) {
    WEFT_TRY(const uint64_t before, number_of_ended(graph, name));
    life.number = before + 1;
    WEFT_TRY(is_ours, put_ref(graph.store, life, request.may_create));
  }
  return is_ours ? Result<BranchLife>(std::move(life)) : Result<BranchLife>(exists_already(name));
}

Result<std::vector<BranchEntry>> list_branches(const CatalogPlace& graph) {
  WEFT_TRY(const auto numbers, latest_numbers(graph, std::string(kBranchRefsFolder)));
  std::vector<BranchEntry> branches;
  for (const auto& [name, number] : numbers) {
    WEFT_TRY(BranchLife life, read_ref(graph, name, number));
    WEFT_TRY(CatalogView head, open_latest(place_of(graph, life)));
    if (check_goes_on(head).ok()) {
      branches.push_back({std::move(life), std::move(head)});
    }
  }
  return branches;
}

}  // namespace weft::catalog
