// Named immutable or replaceable objects, as a directory or a bucket has them: everything weft
// keeps goes through this interface, so that it runs on a disk, in memory, over HTTP, and over
// decorators that count, cache and inject faults.
//
// S1  An object put with put_if_absent or replaced with put_if_match is seen whole or not at all.
// S2  After one of them returned success, the object and its name survive a crash of the machine.
// S3  put_if_absent never replaces; of several that race for one name exactly one succeeds.
// S4  put_if_match replaces only the object with the given etag; losing changes nothing.
// S5  sync_existing makes what was found in place (another's object) as durable as if put by us.
//
// Names are relative paths: components joined by '/', none of them empty, "." or "..", UTF-8, no
// NUL, with bounded lengths (check_object_name). Thread-safe. Two processes may use one store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weft/base/bytes.h"
#include "weft/base/clock.h"
#include "weft/base/result.h"
#include "weft/storage/append_file.h"

namespace weft::storage {

// Bytes with their owner. Cheap to copy; slices share the owner.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<const void> owner, ByteView view)
      : owner_(std::move(owner)), view_(view) {}
  static Buffer copy_of(ByteView bytes);
  static Buffer from(std::string&& text);
  static Buffer from(Bytes&& bytes);

  ByteView view() const& { return view_; }
  size_t size() const { return view_.size(); }
  Buffer slice(size_t offset, size_t size) const;

 private:
  std::shared_ptr<const void> owner_;
  ByteView view_;
};

// Bytes [offset, offset + size).
struct Range {
  uint64_t offset = 0;
  uint64_t size = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// One object opened for reading: it keeps giving the bytes of the object it opened (or fails), also
// when the name is replaced or removed meanwhile. Thread-safe.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // The name or URL, for messages.
  virtual const std::string& name() const = 0;
  virtual uint64_t size() const = 0;
  // Identifies this very state of the object, for caches that outlive the process: device, inode,
  // size and change time of a file, URL and ETag over HTTP. Empty if there is no such thing.
  virtual std::string identity() const = 0;
  // True if each call costs a network round trip: worth reading ahead and asking for much at once.
  virtual bool is_remote() const = 0;
  // All ranges at once, as few round trips as the store allows. Answers have the size asked for.
  // Errors: kInvalid if a range leaves [0, size()); kCorrupt if the object turns out to be shorter
  // or another than when it was opened; kUnavailable; kCancelled.
  virtual Result<std::vector<Buffer>> read_many(const std::vector<Range>& ranges,
                                                std::stop_token stop = {}) = 0;
  Result<Buffer> read(Range range, std::stop_token stop = {});
  // A hint: these ranges will be read soon. Never waits, never fails. A remote reader sends the
  // requests together with the next thing that is waited for anywhere, so that hints to many
  // readers followed by their reads cost one round. Without an effect for local objects.
  virtual void prefetch(const std::vector<Range>& ranges);
};

struct ObjectInfo {
  std::string name;
  uint64_t size = 0;
  // Of the last change, by the store's clock.
  base::WallTime modified;
};

// What a replaceable object was when it was read; opaque.
struct Etag {
  std::string value;
  friend bool operator==(const Etag&, const Etag&) = default;
};

struct VersionedObject {
  Buffer bytes;
  Etag etag;
};

enum class PutOutcome : uint8_t { kDone, kLost };

// Writes one new object piece by piece. Nothing is visible before publish succeeds; destroyed
// before that, it leaves nothing (after a crash: a temporary name that sweeping removes). Not
// thread-safe.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual Status append(ByteView bytes) = 0;
  // Overwrites bytes that were appended before (a header whose hash is known at the end).
  virtual Status overwrite(uint64_t offset, ByteView bytes) = 0;
  virtual uint64_t size() const = 0;
  // put_if_absent of what was written: synced, under its name, the directory synced.
  virtual Result<PutOutcome> publish() = 0;
};

struct Capabilities {
  bool writable = false;
  bool put_if_absent = false;
  bool put_if_match = false;
  bool list = false;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  virtual Capabilities capabilities() const = 0;
  // Where the store is, for messages: a path or URL.
  virtual std::string location() const = 0;

  // Errors of all reads: kNotFound names the object; kDenied; kUnavailable.
  virtual Result<std::unique_ptr<ObjectReader>> open(const std::string& name) = 0;
  // A hint: these objects will be opened soon; as ObjectReader::prefetch.
  virtual void prefetch(const std::vector<std::string>& names);
  // A whole small object with its etag. Errors: kLimit if it is longer than `size_max_bytes`.
  virtual Result<VersionedObject> get(const std::string& name, uint64_t size_max_bytes) = 0;

  // Errors of all writes: kInvalid (a bad name), kDenied, kUnavailable (nothing was changed; a full
  // disk is one, with fact reason=no-space), kRecoveryRequired (the store cannot say whether it
  // happened).
  // kLost: the name is taken, by whatever content.
  virtual Result<PutOutcome> put_if_absent(const std::string& name, ByteView bytes) = 0;
  // Several new objects under as few sync barriers as the store allows; one outcome each.
  virtual Result<std::vector<PutOutcome>> put_many_if_absent(
      const std::vector<std::pair<std::string, ByteView>>& objects) = 0;
  // The same. `next` are likely to be put soon, by calls of their own: a hint, with which a local
  // store makes their contents durable together with these, so that each later put has only a name
  // to make durable. Nothing of them is visible, and they may as well never be put.
  virtual Result<std::vector<PutOutcome>> put_many_foreseeing(
      const std::vector<std::pair<std::string, ByteView>>& objects,
      const std::vector<std::pair<std::string, ByteView>>& next);
  virtual Result<std::unique_ptr<ObjectWriter>> create(const std::string& name) = 0;
  // kLost: the object is not (or no longer) the one with this etag. An absent object has no etag:
  // the first version is made with put_if_absent.
  virtual Result<PutOutcome> put_if_match(const std::string& name, ByteView bytes,
                                          const Etag& expected) = 0;
  virtual Status sync_existing(const std::vector<std::string>& names) = 0;
  // Removing what is absent is no error. Not synced: a crash may bring the object back.
  virtual Status remove(const std::string& name) = 0;
  // Names that begin with `prefix` (a string prefix, not a folder), ascending. Temporary names of
  // unfinished writes are listed only if `with_temporaries`.
  virtual Result<std::vector<ObjectInfo>> list(const std::string& prefix,
                                               bool with_temporaries = false) = 0;

  // Opens an object that exists to append to it; what is found in it is made durable first. One
  // writer at a time: see hold. Errors: kUnsupported if the store has no such files; kNotFound.
  virtual Result<std::unique_ptr<AppendFile>> open_append(const std::string& name);
  // The right to write `name`, among all that ask for it by this call; writing does not need it.
  // Errors: kUnavailable with reason=locked and fact holder if somebody else has it for longer than
  // the request waits; kUnsupported.
  virtual Result<std::unique_ptr<HeldRight>> hold(const std::string& name,
                                                  const HoldRequest& request);
};

inline constexpr size_t kObjectNameBytesMax = 1024;
inline constexpr size_t kNameComponentBytesMax = 240;

// Errors: kInvalid, naming the rule.
Status check_object_name(const std::string& name);

// For implementations of read_many. Errors: kInvalid if a range leaves [0, size).
Status check_ranges(const std::vector<Range>& ranges, uint64_t size, const std::string& name);

}  // namespace weft::storage
