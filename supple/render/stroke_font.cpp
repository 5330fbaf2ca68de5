// The letters themselves.
#include "supple/render/stroke_font.h"

#include <array>

namespace supple::render {
namespace {

// ' ' to '~'.
constexpr std::array<Glyph, 95> ascii{{
    {3, ""},
    {0, "0q0i 0e0e"},
    {3, "0q0n 3q3n"},
    {8, "2e3q 5e6q 0i8i 0m8m"},
    {8, "8n8Q0Q0K8K8E0E0h 4c4r"},
    {8, "0e8q 0o0Q3Q3M0M0o 5g5I8I8E5E5g"},
    {8, "8e1n1Q6Q6M0I0E6E8j"},
    {0, "0q0n"},
    {3, "3r0N0F3c"},
    {3, "0r3N3F0c"},
    {6, "3q3k 0o6l 0l6o"},
    {6, "0i6i 3f3l"},
    {1, "1e0c"},
    {5, "0i5i"},
    {0, "0e0e"},
    {5, "0d5q"},
    {7, "0k0Q7Q7E0E0k"},
    {5, "1o4q4e"},
    {7, "0n0Q7Q7L0e7e"},
    {7, "0o0Q7Q7K3k7K7E0E0g"},
    {7, "5e5q0h7h"},
    {7, "7q0q0l3l7L7E0E0g"},
    {7, "6o6Q0Q0h0E7E7L0L0h"},
    {7, "0q7q3e"},
    {7, "0h0K7K7E0E0h 1n1Q6Q6K1K1n"},
    {7, "1g1E7E7n7Q0Q0J7J7n"},
    {0, "0e0e 0l0l"},
    {1, "1e0c 1l1l"},
    {6, "6m0i6e"},
    {6, "0g6g 0k6k"},
    {6, "0m6i0e"},
    {6, "0n0Q6Q6L3i3h 3e3e"},
    {9, "7i7L3L3F7F7i 7l7h8G9I9Q0Q0D8d"},
    {8, "0e4q8e 1i7i"},
    {8, "0k5k8K8E5e0e0q4q7Q7K4k"},
    {8, "8n8Q0Q0E8E8h"},
    {8, "0e0q3q8Q8E3e0e"},
    {7, "7e0e0q7q 0k6k"},
    {7, "0e0q7q 0k6k"},
    {8, "8n8Q0Q0E8E8k5k"},
    {8, "0e0q 8e8q 0k8k"},
    {0, "0e0q"},
    {5, "5q5i5E0E0h"},
    {7, "0e0q 7q0i 2k7e"},
    {6, "0q0e6e"},
    {9, "0e0q4h5h9q9e"},
    {8, "0e0q8e8q"},
    {8, "4q0Q0E8E8Q4q"},
    {8, "0e0q5q8Q8J5j0j"},
    {8, "4q0Q0E8E8Q4q 5h9d"},
    {8, "0e0q5q8Q8K5k0k 4k8e"},
    {8, "8n8Q0Q0K8K8E0E0h"},
    {8, "0q8q 4q4e"},
    {8, "0q0i0E8E8i8q"},
    {8, "0q4e8q"},
    {9, "0q2e4n5n7e9q"},
    {8, "0e8q 0q8e"},
    {8, "0q4k8q 4k4e"},
    {8, "0q8q0e8e"},
    {3, "3r0r0c3c"},
    {5, "0q5d"},
    {3, "0r3r3c0c"},
    {6, "0m3q6m"},
    {7, "0c7c"},
    {2, "0q2o"},
    {6, "6i6M0M0E6E6i 6m6e"},
    {6, "0q0e 0i0M6M6E0E0i"},
    {6, "6k6M0M0E6E6g"},
    {6, "6q6e 6i6M0M0E6E6i"},
    {6, "0i6i6M0M0E6E6g"},
    {4, "4q1Q1n1e 0m4m"},
    {6, "6m6e6A0A0c 6i6M0M0E6E6i"},
    {6, "0q0e 0i0M6M6i6e"},
    {0, "0m0e 0p0p"},
    {2, "2m2c2A0a 2p2p"},
    {6, "0q0e 5m0h 2j6e"},
    {2, "0q0g0E2e"},
    {8, "0m0e 0i0M4M4i4e 4i4M8M8i8e"},
    {6, "0m0e 0i0M6M6i6e"},
    {6, "0i0M6M6E0E0i"},
    {6, "0m0a 0i0M6M6E0E0i"},
    {6, "6m6a 6i6M0M0E6E6i"},
    {4, "0m0e 0i0M4m"},
    {5, "5k5M0M0I5I5E0E0g"},
    {4, "1p1g1E4e 0m4m"},
    {6, "0m0i0E6E6i 6m6e"},
    {6, "0m3e6m"},
    {8, "0m2e4l6e8m"},
    {6, "0m6e 0e6m"},
    {6, "0m3e 6m2b1A0a"},
    {6, "0m6m0e6e"},
    {4, "4r2R2K0j2J2C4c"},
    {0, "0b0r"},
    {4, "0r2R2K4j2J2C0c"},
    {7, "0h0K3K4F7G7j"},
}};

}  // namespace

Glyph glyph_of(char32_t character) {
  if (character >= U' ' && character <= U'~') return ascii[character - U' '];
  switch (character) {
    case U'\u00b0':
      return {3, "0o0Q3Q3M0M0o"};  // degree
    case U'\u00b1':
      return {6, "0j6j 3g3m 0e6e"};
    case U'\u00b2':
      return {3, "0p0Q3Q3N0k3k"};
    case U'\u00b3':
      return {3, "0p0Q3Q3N1n3N3K0K0l"};
    case U'\u00b5':
    case U'\u03bc':
      return {6, "0m0a 0i0E6E6i 6m6e"};  // micro
    case U'\u00b7':
      return {0, "0i0i"};
    case U'\u00d7':
      return {4, "0g4k 0k4g"};
    case U'\u2013':
    case U'\u2014':
      return {7, "0i7i"};
    case U'\u2212':
      return {6, "0i6i"};
    default:
      return {6, "0e0q6q6e0e"};
  }
}

char32_t take_character(std::string_view& utf8) {
  constexpr char32_t unknown = 0xfffd;
  const auto lead = static_cast<unsigned char>(utf8.front());
  utf8.remove_prefix(1);
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc0 || lead >= 0xf8) return unknown;
  char32_t code = lead & (0x3fu >> more);
  for (std::size_t i = 0; i < more; ++i) {
    if (utf8.empty() || (static_cast<unsigned char>(utf8.front()) & 0xc0) != 0x80) return unknown;
    code = code << 6 | (static_cast<unsigned char>(utf8.front()) & 0x3f);
    utf8.remove_prefix(1);
  }
  return code;
}

}  // namespace supple::render
