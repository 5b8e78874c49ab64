// What is wrong with a load: the first violations with their lines, and how many there are in all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.h"

namespace weft::ndjson {

struct Violation {
  uint64_t line = 0;  // of the load, from 1; 0: of no line, but of the graph after it
  // input, limit, unknown_type, unknown_property, reserved_name, value, required, enum, range,
  // check, unique, noncanonical_id, key_conflict, cardinality, dangling_endpoint, unsupported:
  // docs/formats/ndjson-load.md.
  std::string code;
  std::string message;
};
std::string to_string(const Violation& violation);  // "line 3: required: …"

class Violations {
 public:
  static constexpr size_t kKeptMax = 100;

  void add(uint64_t line, std::string_view code, std::string message);
  uint64_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  // The first kKeptMax by line, then as they were found.
  const std::vector<Violation>& first() const { return kept_; }
  // kInvalid "load has N violations" with a fact "violation" for each that is kept; kUnsupported,
  // kLimit or, for key_conflict, kAlreadyExists if all are of that code. Only if there are some.
  Error to_error() const;

 private:
  std::vector<Violation> kept_;  // by line
  uint64_t count_ = 0;
  uint64_t limit_count_ = 0;
  uint64_t key_conflict_count_ = 0;
  uint64_t unsupported_count_ = 0;
};

}  // namespace weft::ndjson
