// A schema that a graph has accepted: its text and the ids of everything it declares. What is the
// same type or property in two versions of a schema is said by these ids, never by names: a type
// that is dropped and declared again is another one, a renamed one is the same.
//
//     WEFT_TRY(const AcceptedSchema first, accept(text, nullptr, now, random));
//     WEFT_TRY(const AcceptedSchema next, accept(new_text, &first, now, random));
//
// A1  parse(accepted.document()) equals accepted, and has the same document.
// A2  No two declarations have one id, and no id of `previous` comes back under another kind.
// A3  The document holds the text as it was given; its meaning is that of the text, checked against
//     the shape hash beside it.
//
// Values, immutable; thread-safe. Format: docs/formats/pg-schema.md, "Accepted schemas".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "weft/base/clock.h"
#include "weft/base/random.h"
#include "weft/base/result.h"
#include "weft/base/ulid.h"
#include "weft/schema/schema.h"

namespace weft::schema {

inline constexpr uint64_t kAcceptedFormat = 1;
inline constexpr uint64_t kAcceptedBytesMax = uint64_t{64} << 20U;

struct DeclarationIds {
  base::Ulid id;
  // Of nodes and edges: one lifetime of its table. None for interfaces.
  base::Ulid incarnation;
  // By name of today; nodes: those that interfaces give included.
  std::map<std::string, base::Ulid, std::less<>> properties;
  friend bool operator==(const DeclarationIds&, const DeclarationIds&) = default;
};
using IdsByName = std::map<std::string, DeclarationIds, std::less<>>;

struct AcceptedSchema {
  std::string text;  // as given
  Schema schema;     // what it means
  IdsByName interfaces;
  IdsByName nodes;
  IdsByName edges;

  // One line of JSON; equal for equal schemas with equal ids.
  std::string document() const;
  // Errors: kUnsupported for another format; kCorrupt names what is missing or does not agree.
  static Result<AcceptedSchema> parse(std::string_view document);
};

// Gives ids to what `text` declares: those of `previous` (null: the first schema of a graph) to
// what has the same kind, owner and name; then to what says @rename_from of something that is gone;
// new ones to the rest. Errors: kInvalid as compile, and for a @rename_from that names nothing that
// is gone, or what another declaration took.
Result<AcceptedSchema> accept(std::string_view text, const AcceptedSchema* previous,
                              base::WallTime now, base::Random& random);

}  // namespace weft::schema
