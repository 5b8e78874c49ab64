// What the source files of the service share beside its class: routes, formats, small streams. Only
// for service*.cc and graph_store.cc.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/answer_stream.h"
#include "server/service.h"
#include "server/unnamed_file.h"

#include "weft/base/mutex.h"
#include "weft/rdfio/format.h"
#include "weft/results/result_writer.h"

namespace weft::server {

struct Service::Route {
  enum class Place : uint8_t {
    kNone,
    kRoot,
    kSparql,
    kStore,
    kSnapshot,
    kHealth,
    kMetrics,
    kSeal,
    kCompact,
  };
  Place place = Place::kNone;
  Operations operations = Operations::kBoth;  // of kSparql
  bool direct = false;                        // of kStore: the path names the graph
};

// The image of the last state that was asked for as a segment.
struct Service::SnapshotImage {
  base::Mutex mutex;
  std::string tag WEFT_GUARDED_BY(mutex);
  std::shared_ptr<UnnamedFile> file WEFT_GUARDED_BY(mutex);
};

// Queries and updates (limits of sparql/parser.h and sparql/update.h, and room for their encoding
// in a form).
inline constexpr uint64_t kOperationBytesMax = uint64_t{768} << 20U;
// Bodies of methods that have no use for one.
inline constexpr uint64_t kUnusedBodyBytesMax = uint64_t{64} << 10U;
// Bodies of multipart/form-data, which are held in memory.
inline constexpr uint64_t kMultipartBytesMax = uint64_t{64} << 20U;
// Compressed bodies may become this many times as long as the longest body.
inline constexpr uint64_t kExpansionMax = 16;

void add_error_fields(const Error& error, ResponseHead& head);
// ETag, Weft-Generation, Weft-Sequence of a state.
void add_state_fields(engine::Snapshot& snapshot, std::string_view format, Coding coding,
                      ResponseHead& head);

struct ResultOffer {
  results::ResultFormat format;
  std::string_view content_type;
};
// Errors: kInvalid with http_status 406.
Result<ResultOffer> choose_result_format(const RequestHead& head,
                                         const std::optional<std::string>& format);
struct GraphOffer {
  rdfio::Format format;
  std::string_view content_type;
};
// `with_graphs`: syntaxes that hold named graphs, only.
Result<GraphOffer> choose_graph_format(const RequestHead& head,
                                       const std::optional<std::string>& format, bool with_graphs);

// A conflict of a conditional request is a failed precondition.
Error as_precondition(Error error, bool conditional);

// True if the client has this very representation (If-None-Match).
bool is_known(const RequestHead& head, std::string_view entity_tag);

}  // namespace weft::server
