// Finds the next byte of a token that needs a decision: the inner loops of every reader of RDF
// text. Sixteen bytes at a time where the processor has SSE2 (every x86-64), else one at a time.
// Nothing at or behind `end` is read.
#pragma once

#include <array>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft::rdf {

namespace scan_detail {

enum ByteClass : uint8_t {
  kEndsIri = 1,      // U+0000 to U+0020 and < > " { } | ^ ` and the backslash
  kEndsLiteral = 2,  // U+0000 to U+001F, U+007F, the quote and the backslash
};

constexpr std::array<uint8_t, 256> make_byte_classes() {
  std::array<uint8_t, 256> classes{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned value = 0;
    const bool excluded = byte == '<' || byte == '>' || byte == '"' || byte == '{' || byte == '}' ||
                          byte == '|' || byte == '^' || byte == '`' || byte == '\\';
    if (byte <= 0x20 || excluded) {
      value |= kEndsIri;
    }
    if (byte < 0x20 || byte == 0x7F || byte == '"' || byte == '\\') {
      value |= kEndsLiteral;
    }
    classes[byte] = static_cast<uint8_t>(value);
  }
  return classes;
}
inline constexpr std::array<uint8_t, 256> kByteClasses = make_byte_classes();

#ifdef __SSE2__
inline __m128i load16(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
inline __m128i splat(uint8_t byte) {
  return _mm_set1_epi8(static_cast<char>(byte));
}
// Bit i: byte i ends an IRI.
inline unsigned iri_ends(__m128i bytes) {
  const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, splat(0x20)), bytes);
  const __m128i quote = _mm_cmpeq_epi8(bytes, splat('"'));
  // < and > differ in bit 1 only, and so do the backslash and ^.
  const __m128i folded = _mm_andnot_si128(splat(0x02), bytes);
  const __m128i angle = _mm_cmpeq_epi8(folded, splat(0x3C));
  const __m128i slash = _mm_cmpeq_epi8(folded, splat(0x5C));
  const __m128i grave = _mm_cmpeq_epi8(bytes, splat('`'));
  // { | } are 0x7B to 0x7D.
  const __m128i brace = _mm_cmpeq_epi8(_mm_min_epu8(_mm_sub_epi8(bytes, splat(0x7B)), splat(2)),
                                       _mm_sub_epi8(bytes, splat(0x7B)));
  const __m128i any =
      _mm_or_si128(_mm_or_si128(_mm_or_si128(low, quote), _mm_or_si128(angle, slash)),
                   _mm_or_si128(grave, brace));
  return static_cast<unsigned>(_mm_movemask_epi8(any));
}
// Bit i: byte i ends the plain part of a literal.
inline unsigned literal_ends(__m128i bytes) {
  const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, splat(0x1F)), bytes);
  const __m128i quote = _mm_cmpeq_epi8(bytes, splat('"'));
  const __m128i slash = _mm_cmpeq_epi8(bytes, splat('\\'));
  const __m128i deleted = _mm_cmpeq_epi8(bytes, splat(0x7F));
  const __m128i any = _mm_or_si128(_mm_or_si128(low, quote), _mm_or_si128(slash, deleted));
  return static_cast<unsigned>(_mm_movemask_epi8(any));
}
#endif

}  // namespace scan_detail

// Whether no IRI may hold this character.
inline bool ends_iri(char32_t value) {
  return value < 0x80 && (scan_detail::kByteClasses[value] & scan_detail::kEndsIri) != 0;
}

// The first byte in [at, end) that ends an IRI (see kEndsIri), or `end`. Sets `non_ascii` if a byte
// before it is above 0x7F; else leaves it alone.
inline const char* find_iri_end(const char* at, const char* end, bool& non_ascii) {
#ifdef __SSE2__
  while (end - at >= 16) {
    const __m128i bytes = scan_detail::load16(at);
    const unsigned ends = scan_detail::iri_ends(bytes);
    const auto high = static_cast<unsigned>(_mm_movemask_epi8(bytes));
    if (ends != 0) {
      const auto count = static_cast<unsigned>(__builtin_ctz(ends));
      non_ascii |= (high & ((1U << count) - 1U)) != 0;
      return at + count;
    }
    non_ascii |= high != 0;
    at += 16;
  }
#endif
  for (; at != end; ++at) {
    const auto byte = static_cast<uint8_t>(*at);
    if ((scan_detail::kByteClasses[byte] & scan_detail::kEndsIri) != 0) {
      return at;
    }
    non_ascii |= byte > 0x7F;
  }
  return end;
}

// The first byte in [at, end) that is a quote, a backslash, below U+0020 or U+007F, or `end`. Sets
// `non_ascii` if a byte before it is above 0x7F; else leaves it alone.
inline const char* find_literal_end(const char* at, const char* end, bool& non_ascii) {
#ifdef __SSE2__
  while (end - at >= 16) {
    const __m128i bytes = scan_detail::load16(at);
    const unsigned ends = scan_detail::literal_ends(bytes);
    const auto high = static_cast<unsigned>(_mm_movemask_epi8(bytes));
    if (ends != 0) {
      const auto count = static_cast<unsigned>(__builtin_ctz(ends));
      non_ascii |= (high & ((1U << count) - 1U)) != 0;
      return at + count;
    }
    non_ascii |= high != 0;
    at += 16;
  }
#endif
  for (; at != end; ++at) {
    const auto byte = static_cast<uint8_t>(*at);
    if ((scan_detail::kByteClasses[byte] & scan_detail::kEndsLiteral) != 0) {
      return at;
    }
    non_ascii |= byte > 0x7F;
  }
  return end;
}

}  // namespace weft::rdf
