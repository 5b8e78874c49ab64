// A file that grows at its end, for journals; and the right to be its only writer.
#pragma once

#include <cstdint>
#include <string>

#include "weft/base/bytes.h"
#include "weft/base/result.h"

namespace weft::storage {

// A1  What was appended before a sync began that succeeded survives a crash of the machine. Of what
//     was appended later any part may be there afterwards, cut or with holes.
// A2  Appended bytes are seen by readers that open the object afterwards.
//
// append and truncate are for one thread at a time; sync may run beside an append, and covers what
// was appended before it began.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  virtual const std::string& name() const = 0;
  // Where the next append goes.
  virtual uint64_t size() const = 0;
  // Errors: kUnavailable (a full disk with reason=no-space), kRecoveryRequired. After an error any
  // part of `bytes` may be there, at size(): truncate, or give the file up.
  virtual Status append(ByteView bytes) = 0;
  // After an error nothing is known about what was appended since the last sync that succeeded, and
  // a later sync of this file proves nothing about it: open it again and read it.
  virtual Status sync() = 0;
  // Makes the file end at `size` bytes, and durable so. kInvalid if it is shorter.
  virtual Status truncate(uint64_t size) = 0;
  // Whether the name still shows this file, and it ends where we think: false if somebody else has
  // appended to it, cut or replaced it.
  virtual Result<bool> is_ours() = 0;
};

// A right that one process (or object) has at a time; given back when destroyed, or by the kernel
// when the process ends, however it ends.
class HeldRight {
 public:
  virtual ~HeldRight() = default;
};

struct HoldRequest {
  // Said to others that want it: who we are.
  std::string holder;
  uint64_t wait_ms = 0;
};

}  // namespace weft::storage
