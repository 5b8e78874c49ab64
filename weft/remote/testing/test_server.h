// A small HTTP/1.1 server for tests: one thread per connection, and a handler that may
// answer with anything: wrongly, late, or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/storage/object_store.h"

namespace weft::remote {

struct ServerRequest {
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // as long as Content-Length says
  uint64_t number = 0;                         // of this server, from 0

  // The one range asked for, cut to an object of `size` bytes. Nothing: no Range header.
  std::optional<storage::Range> range(uint64_t size) const;
  std::string header(const std::string& name) const;
};

struct ServerResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Break the connection after so many bytes of the body.
  std::optional<size_t> cut_after;
  // Break the connection before any byte.
  bool hang_up = false;
  int delay_ms = 0;
  bool with_content_length = true;
};

// Listens on a free port of 127.0.0.1 until destroyed.
class TestServer {
 public:
  using Handler = std::function<ServerResponse(const ServerRequest&)>;

  explicit TestServer(Handler handler);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  std::string url(const std::string& path) const;
  // What was asked so far.
  std::vector<ServerRequest> requests() const;
  // The most requests that were being answered at the same time.
  int together_max() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a good server answers for an object with this content and ETag (none if empty).
ServerResponse serve_object(const ServerRequest& request, const std::string& content,
                            const std::string& etag);

}  // namespace weft::remote
