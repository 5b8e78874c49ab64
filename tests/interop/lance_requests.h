// The requests of lance_driver about whole tables.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "weft/base/result.h"

namespace weft::interop {

using Words = std::vector<std::string>;
using Request = Status (*)(const Words&);

// The answer's first line.
void print_ok(const std::string& words);

// By their first word. lance_table_requests.cc and lance_staged_requests.cc say what each takes and
// answers.
const std::map<std::string, Request>& table_requests();
const std::map<std::string, Request>& staged_requests();

}  // namespace weft::interop
