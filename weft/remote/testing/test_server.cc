#include "weft/remote/testing/test_server.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "weft/base/check.h"
#include "weft/base/mutex.h"

namespace weft::remote {
namespace {

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string lower(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
  }
  return text;
}

ServerRequest parse(const std::string& head) {
  ServerRequest request;
  const size_t space = head.find(' ');
  request.path = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
  for (size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
    const size_t end = std::min(head.find("\r\n", at + 2), head.size());
    const std::string line = head.substr(at + 2, end - at - 2);
    if (const size_t colon = line.find(": "); colon != std::string::npos) {
      request.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
    }
  }
  return request;
}

}  // namespace

std::string ServerRequest::header(const std::string& name) const {
  const auto at = headers.find(name);
  return at == headers.end() ? std::string() : at->second;
}

std::optional<storage::Range> ServerRequest::range(uint64_t size) const {
  const std::string text = header("range");
  if (!text.starts_with("bytes=")) {
    return std::nullopt;
  }
  const uint64_t first = std::strtoull(text.c_str() + 6, nullptr, 10);
  const uint64_t last = std::strtoull(text.c_str() + text.find('-') + 1, nullptr, 10);
  if (first >= size) {
    return storage::Range{first, 0};
  }
  return storage::Range{first, std::min(last + 1, size) - first};
}

struct TestServer::State {
  Handler handler;
  int listener = -1;
  uint16_t port = 0;
  mutable base::Mutex mutex;
  std::vector<ServerRequest> requests WEFT_GUARDED_BY(mutex);
  std::vector<int> sockets WEFT_GUARDED_BY(mutex);
  int together WEFT_GUARDED_BY(mutex) = 0;
  int together_max WEFT_GUARDED_BY(mutex) = 0;
  bool closing WEFT_GUARDED_BY(mutex) = false;
  std::vector<std::jthread> connections WEFT_GUARDED_BY(mutex);
  std::jthread acceptor;

  void accept_all() {
    while (true) {
      const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) {
        return;
      }
      const int one = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      const base::MutexLock lock(mutex);
      if (closing) {
        ::close(socket);
        return;
      }
      sockets.push_back(socket);
      connections.emplace_back([this, socket] { serve(socket); });
    }
  }

  void serve(int socket) {
    std::string input;
    while (true) {
      const size_t end = input.find("\r\n\r\n");
      if (end == std::string::npos) {
        char piece[4096];
        const ssize_t got = ::recv(socket, piece, sizeof piece, 0);
        if (got <= 0) {
          break;
        }
        input.append(piece, static_cast<size_t>(got));
        continue;
      }
      ServerRequest request = parse(input.substr(0, end));
      input.erase(0, end + 4);
      const uint64_t size = std::strtoull(request.header("content-length").c_str(), nullptr, 10);
      while (input.size() < size) {
        char piece[4096];
        const ssize_t got = ::recv(socket, piece, sizeof piece, 0);
        if (got <= 0) {
          break;
        }
        input.append(piece, static_cast<size_t>(got));
      }
      request.body = input.substr(0, size);
      input.erase(0, size);
      if (!answer(socket, std::move(request))) {
        break;
      }
    }
    ::shutdown(socket, SHUT_RDWR);
  }

  bool answer(int socket, ServerRequest request) {
    {
      const base::MutexLock lock(mutex);
      request.number = requests.size();
      requests.push_back(request);
      together_max = std::max(together_max, ++together);
    }
    const ServerResponse response = handler(request);
    ::usleep(static_cast<useconds_t>(response.delay_ms) * 1000);
    {
      const base::MutexLock lock(mutex);
      --together;
    }
    if (response.hang_up) {
      return false;
    }
    std::string head = "HTTP/1.1 " + std::to_string(response.status) + " X\r\n";
    for (const auto& [name, value] : response.headers) {
      head += name + ": " + value + "\r\n";
    }
    if (response.with_content_length) {
      head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
    } else {
      head += "Connection: close\r\n";
    }
    const size_t size = response.cut_after.value_or(response.body.size());
    return send_all(socket, head + "\r\n") && send_all(socket, response.body.substr(0, size)) &&
           !response.cut_after && response.with_content_length;
  }
};

TestServer::TestServer(Handler handler) : state_(std::make_unique<State>()) {
  state_->handler = std::move(handler);
  state_->listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  WEFT_CHECK(::bind(state_->listener, generic, size) == 0);
  WEFT_CHECK(::listen(state_->listener, 64) == 0);
  WEFT_CHECK(::getsockname(state_->listener, generic, &size) == 0);
  state_->port = ntohs(address.sin_port);
  state_->acceptor = std::jthread([state = state_.get()] { state->accept_all(); });
}

TestServer::~TestServer() {
  std::vector<std::jthread> connections;
  {
    const base::MutexLock lock(state_->mutex);
    state_->closing = true;
    for (const int socket : state_->sockets) {
      ::shutdown(socket, SHUT_RDWR);
    }
    connections = std::move(state_->connections);
  }
  ::shutdown(state_->listener, SHUT_RDWR);
  state_->acceptor.join();
  connections.clear();
  const base::MutexLock lock(state_->mutex);
  for (const int socket : state_->sockets) {
    ::close(socket);
  }
  ::close(state_->listener);
}

std::string TestServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + path;
}

std::vector<ServerRequest> TestServer::requests() const {
  const base::MutexLock lock(state_->mutex);
  return state_->requests;
}

int TestServer::together_max() const {
  const base::MutexLock lock(state_->mutex);
  return state_->together_max;
}

ServerResponse serve_object(const ServerRequest& request, const std::string& content,
                            const std::string& etag) {
  ServerResponse response;
  if (!etag.empty()) {
    response.headers.emplace_back("ETag", etag);
  }
  const std::string condition = request.header("if-range");
  const std::optional<storage::Range> range = request.range(content.size());
  if (!range || (!condition.empty() && condition != etag)) {
    response.body = content;
    return response;
  }
  if (range->size == 0) {
    response.status = 416;
    response.headers.emplace_back("Content-Range", "bytes */" + std::to_string(content.size()));
    return response;
  }
  response.status = 206;
  response.headers.emplace_back("Content-Range",
                                "bytes " + std::to_string(range->offset) + "-" +
                                    std::to_string(range->offset + range->size - 1) + "/" +
                                    std::to_string(content.size()));
  response.body = content.substr(range->offset, range->size);
  return response;
}

}  // namespace weft::remote
