// One object at a URL: what its first answer says, and reading it by ranges from then on.
#pragma once

#include <memory>
#include <string>

#include "weft/remote/transfers.h"
#include "weft/storage/object_store.h"

namespace weft::remote {

// What identifies the state of an object, as its server puts it.
struct Validators {
  uint64_t size = 0;
  std::string etag;
  std::string last_modified;

  // An ETag that promises equality byte by byte (RFC 9110 §8.8.1); else empty.
  std::string strong_etag() const;
};

// The first answer of an object: its state and its first bytes.
struct Head {
  Validators validators;
  Bytes bytes;
  // `bytes` is all of it.
  bool is_whole = false;
};

// Makes sense of the answer to the first request, bytes [0, range_size). Errors: by status; kLimit
// (the server ignores ranges, and the object is longer than whole_object_bytes_max);
// kUnsupported (an encoding, an unknown length); kCorrupt (another range than asked for).
Result<Head> read_head(const std::string& url, Answer answer, uint64_t range_size,
                       uint64_t whole_object_bytes_max);

// The answer to a Question. Errors: by status; kLimit, kUnsupported (an encoding).
Result<Reply> read_reply(const Question& question, Answer answer);

// Reads ranges without a cache, each in pieces of at most `request_bytes_max`, all at once.
std::unique_ptr<storage::ObjectReader> http_reader(std::shared_ptr<Transfers> transfers,
                                                   std::string url, Validators validators,
                                                   uint64_t request_bytes_max);

}  // namespace weft::remote
