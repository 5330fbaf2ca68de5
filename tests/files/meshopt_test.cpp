// Streams of the meshoptimizer library, decoded by our own code. The library of Debian writes version 0; streams of
// version 1 (KHR_meshopt_compression) and of its colour filter were written by meshoptimizer 1.1.1.
#ifdef SUPPLE_HAS_MESHOPT
#include <meshoptimizer.h>
#endif

#include <gtest/gtest.h>

#include <cstring>

#include "supple/base/file.h"
#include "supple/base/rng.h"
#include "supple/files/gltf/decode/meshopt.h"

namespace supple::test {
namespace {

namespace mo = gltf::meshopt;

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::string decoded_hex(std::string_view stream, mo::Filter filter, std::size_t count, std::size_t stride) {
  Bytes out(count * stride);
  if (!mo::decode(from_hex(stream), mo::Mode::attributes, filter, count, stride, out)) return "damaged";
  std::string text;
  for (const std::byte b : out) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(b));
    text += digits;
  }
  return text;
}

// Bytes, 16-bit ramps and floats, 21 elements: differences of bytes and rotated exclusive or, narrow and wide groups.
constexpr std::string_view version_1_stream =
    "a167dd3a000e2a46627e9ab6d2eef5d9bda185694d31150622051555555555400000052186186186000000020000131721e25f361e1f000c05"
    "033c0400bfd54bfd57cdbb55cf75db4db7dd4bf55fb5cb5d0110c10304030704000300197d8571e1f54d89a92d15c191a5ddf9399de5510004"
    "14346424f454c4226a3ad272d6256121e52d79010041ff0100000000000000000000c8055ae803ffff0000803f006212";

TEST(Meshopt, ReadsVersion1) {
  constexpr std::size_t count = 21, stride = 12;
  Bytes out(count * stride);
  ASSERT_TRUE(mo::decode(from_hex(version_1_stream), mo::Mode::attributes, mo::Filter::none, count, stride, out));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t bytes[4] = {static_cast<std::uint8_t>(i * i * 7), static_cast<std::uint8_t>(200 - i), 5,
                                   static_cast<std::uint8_t>(i % 3 == 0 ? 90 : 91)};
    const std::uint16_t pair[2] = {static_cast<std::uint16_t>(1000 + i * 300),
                                   static_cast<std::uint16_t>(65535 - i * i * 100)};
    const float value = 1 + static_cast<float>(i * i) / 64;
    EXPECT_EQ(std::memcmp(out.data() + i * stride, bytes, 4), 0) << i;
    EXPECT_EQ(std::memcmp(out.data() + i * stride + 4, pair, 4), 0) << i;
    EXPECT_EQ(std::memcmp(out.data() + i * stride + 8, &value, 4), 0) << i;
  }
}

TEST(Meshopt, ReadsColours) {
  EXPECT_EQ(decoded_hex("a1ff00205d205f003fc041c0009f1d9d1f0040403e40000000000000000000000000000000000000007f007f8000",
                        mo::Filter::color, 5, 4),
            "00fe000040be804080800080be4180bffe0100ff");
  EXPECT_EQ(
      decoded_hex("a1dddf0004000200020302050008000100030c050c00000202000009000901000800010004040204000000000000000000"
                  "0000000000ff070000ff0700080000",
                  mo::Filter::color, 5, 8),
      "0000efff000000000440ebbf088004400880088000000880ebbf14400880fbbfefff10000000ffff");
}

TEST(Meshopt, EveryCutIsDamage) {
  const Bytes whole = from_hex(version_1_stream);
  Bytes out(21 * 12);
  const auto decode = [&](std::span<const std::byte> stream) {
    return mo::decode(stream, mo::Mode::attributes, mo::Filter::none, 21, 12, out);
  };
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(decode(std::span(whole).first(n))) << n;
  Bytes longer = whole;
  longer.insert(longer.begin() + 1, std::byte{0});
  EXPECT_FALSE(decode(longer)) << "bytes that nothing reads";
  Bytes other_mode = whole;
  other_mode.back() = std::byte{3};
  EXPECT_FALSE(decode(other_mode)) << "a channel mode that is not known";
}

#ifdef SUPPLE_HAS_MESHOPT

/// Bytes that change in some places only, so that groups of all widths occur.
std::vector<std::uint8_t> bytes_like_attributes(std::size_t count, std::size_t stride, Rng& rng) {
  std::vector<std::uint8_t> bytes(count * stride);
  for (std::size_t k = 0; k < stride; ++k) {
    const std::uint64_t spread = std::uint64_t{1} << (k % 9);  // 1: never changes
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t before = i > 0 ? bytes[(i - 1) * stride + k] : std::uint8_t{17};
      bytes[i * stride + k] = static_cast<std::uint8_t>(before + rng.next() % spread);
    }
  }
  return bytes;
}

TEST(Meshopt, ReadsWhatTheLibraryWrites) {
  Rng rng(1);
  for (const std::size_t stride : {4u, 8u, 12u, 16u, 20u, 64u, 256u}) {
    for (const std::size_t count : {1u, 15u, 16u, 17u, 255u, 256u, 257u, 1000u}) {
      const auto bytes = bytes_like_attributes(count, stride, rng);
      std::vector<unsigned char> stream(meshopt_encodeVertexBufferBound(count, stride));
      meshopt_encodeVertexVersion(0);
      stream.resize(meshopt_encodeVertexBuffer(stream.data(), stream.size(), bytes.data(), count, stride));
      Bytes out(bytes.size());
      ASSERT_TRUE(
          mo::decode(std::as_bytes(std::span(stream)), mo::Mode::attributes, mo::Filter::none, count, stride, out));
      EXPECT_EQ(std::memcmp(out.data(), bytes.data(), bytes.size()), 0) << count << " of " << stride;
      EXPECT_LE(mo::least_bytes(mo::Mode::attributes, count, stride), stream.size());
    }
  }
}

/// A grid of triangles with jumps, so that every code of the triangle codec has its turn.
std::vector<std::uint32_t> grid_with_jumps(std::uint32_t side, Rng& rng) {
  std::vector<std::uint32_t> corners;
  for (std::uint32_t y = 0; y + 1 < side; ++y) {
    for (std::uint32_t x = 0; x + 1 < side; ++x) {
      const std::uint32_t a = y * side + x, far = static_cast<std::uint32_t>(rng.next() % (side * side));
      corners.insert(corners.end(), {a, a + 1, a + side, a + side, a + 1, a + side + 1});
      if (rng.next() % 7 == 0) corners.insert(corners.end(), {far, a, (far + 1) % (side * side)});
      if (rng.next() % 50 == 0) corners.insert(corners.end(), {0, 1, 2});
    }
  }
  return corners;
}

TEST(Meshopt, ReadsTrianglesAndIndicesThatTheLibraryWrites) {
  Rng rng(2);
  for (const std::uint32_t side : {2u, 5u, 40u, 300u}) {
    const std::vector<std::uint32_t> corners = grid_with_jumps(side, rng);
    std::vector<std::uint32_t> theirs(corners.size()), ours(corners.size());
    meshopt_encodeIndexVersion(1);
    std::vector<unsigned char> stream(meshopt_encodeIndexBufferBound(corners.size(), side * side));
    stream.resize(meshopt_encodeIndexBuffer(stream.data(), stream.size(), corners.data(), corners.size()));
    ASSERT_EQ(meshopt_decodeIndexBuffer(theirs.data(), corners.size(), 4, stream.data(), stream.size()), 0);
    ASSERT_TRUE(mo::decode(std::as_bytes(std::span(stream)), mo::Mode::triangles, mo::Filter::none, corners.size(), 4,
                           std::as_writable_bytes(std::span(ours))));
    EXPECT_EQ(ours, theirs) << side;
    EXPECT_LE(mo::least_bytes(mo::Mode::triangles, corners.size(), 4), stream.size());

    stream.resize(meshopt_encodeIndexSequenceBound(corners.size(), side * side));
    stream.resize(meshopt_encodeIndexSequence(stream.data(), stream.size(), corners.data(), corners.size()));
    ASSERT_TRUE(mo::decode(std::as_bytes(std::span(stream)), mo::Mode::indices, mo::Filter::none, corners.size(), 4,
                           std::as_writable_bytes(std::span(ours))));
    EXPECT_EQ(ours, corners) << side;
    EXPECT_LE(mo::least_bytes(mo::Mode::indices, corners.size(), 4), stream.size());
  }
}

template <class Integer>
int worst_difference(const std::vector<Integer>& a, const std::vector<Integer>& b) {
  int worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(int{a[i]} - int{b[i]}));
  return worst;
}

std::vector<float> unit_fours(std::size_t count, bool three, Rng& rng) {
  std::vector<float> values(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    float* v = &values[4 * i];
    for (std::size_t k = 0; k < 4; ++k) v[k] = static_cast<float>(rng.uniform() * 2 - 1);
    if (three) v[3] = 0;
    const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    for (std::size_t k = 0; k < 4; ++k) v[k] /= length;
    if (three) v[3] = i % 2 == 0 ? 1.0f : -1.0f;  // handedness of a tangent
  }
  return values;
}

TEST(Meshopt, FiltersAgreeWithTheLibrary) {
  Rng rng(3);
  constexpr std::size_t count = 500;
  const std::vector<float> vectors = unit_fours(count, true, rng), turns = unit_fours(count, false, rng);
  std::vector<std::int8_t> small(4 * count);
  meshopt_encodeFilterOct(small.data(), count, 4, 8, vectors.data());
  std::vector<std::int8_t> small_ours = small;
  meshopt_decodeFilterOct(small.data(), count, 4);
  mo::apply_filter(mo::Filter::octahedral, count, 4, reinterpret_cast<std::uint8_t*>(small_ours.data()));
  EXPECT_LE(worst_difference(small, small_ours), 1) << "the specification allows one unit";
  std::vector<std::int16_t> wide(4 * count);
  meshopt_encodeFilterOct(wide.data(), count, 8, 12, vectors.data());
  std::vector<std::int16_t> wide_ours = wide;
  meshopt_decodeFilterOct(wide.data(), count, 8);
  mo::apply_filter(mo::Filter::octahedral, count, 8, reinterpret_cast<std::uint8_t*>(wide_ours.data()));
  EXPECT_LE(worst_difference(wide, wide_ours), 1);
  meshopt_encodeFilterQuat(wide.data(), count, 8, 14, turns.data());
  wide_ours = wide;
  meshopt_decodeFilterQuat(wide.data(), count, 8);
  mo::apply_filter(mo::Filter::quaternion, count, 8, reinterpret_cast<std::uint8_t*>(wide_ours.data()));
  EXPECT_LE(worst_difference(wide, wide_ours), 1);
  std::vector<float> numbers(4 * count);
  meshopt_encodeFilterExp(numbers.data(), count, 16, 20, turns.data());
  std::vector<float> numbers_ours = numbers;
  meshopt_decodeFilterExp(numbers.data(), count, 16);
  mo::apply_filter(mo::Filter::exponential, count, 16, reinterpret_cast<std::uint8_t*>(numbers_ours.data()));
  EXPECT_EQ(numbers, numbers_ours) << "this one is exact";
}

TEST(Meshopt, MutationsNeverCrash) {
  Rng rng(4);
  const auto bytes = bytes_like_attributes(100, 12, rng);
  std::vector<unsigned char> attributes(meshopt_encodeVertexBufferBound(100, 12));
  attributes.resize(meshopt_encodeVertexBuffer(attributes.data(), attributes.size(), bytes.data(), 100, 12));
  const auto corners = grid_with_jumps(6, rng);
  std::vector<unsigned char> triangles(meshopt_encodeIndexBufferBound(corners.size(), 36));
  triangles.resize(meshopt_encodeIndexBuffer(triangles.data(), triangles.size(), corners.data(), corners.size()));
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const bool is_attributes = round % 2 == 0;
    std::vector<unsigned char> stream = is_attributes ? attributes : triangles;
    for (std::uint64_t n = rng.next() % 8 + 1; n > 0; --n)
      stream[rng.next() % stream.size()] = static_cast<unsigned char>(rng.next());
    if (round % 5 == 0) stream.resize(rng.next() % stream.size());
    if (round % 7 == 0 && !stream.empty()) stream[0] = is_attributes ? 0xa1 : 0xd1;
    const auto mode = is_attributes ? mo::Mode::attributes : round % 7 == 0 ? mo::Mode::indices : mo::Mode::triangles;
    const auto filter = is_attributes && round % 4 == 0 ? mo::Filter::exponential : mo::Filter::none;
    Bytes out(is_attributes ? 1200 : corners.size() * 4);
    const std::size_t count = is_attributes ? 100 : corners.size(), stride = is_attributes ? 12 : 4;
    if (!mo::decode(std::as_bytes(std::span(stream)), mode, filter, count, stride, out)) ++refused;
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_LT(refused, 4000u) << "some of the damage is only in the numbers";
}

#endif

}  // namespace
}  // namespace supple::test
