// NRRD in all types and encodings, and the rounding of large numbers to 16 bits.
#include <gtest/gtest.h>

#include <zlib.h>

#include <cmath>
#include <limits>

#include "imaging/imaging_support.h"

namespace supple::test {
namespace {

using imaging::read_volume;
using imaging::write_nrrd;

std::string header(const std::string& type, const std::string& rest) {
  return "NRRD0004\n# by hand\ntype: " + type +
         "\ndimension: 3\nspace: left-posterior-superior\nsizes: 3 2 2\n"
         "space directions: (0.5,0,0) (0,0.5,0) (0,0,1.5)\nspace origin: (10,20,30)\nkinds: domain domain domain\n" +
         rest;
}

template <class T>
std::string numbers(const std::vector<double>& values, bool big) {
  std::string out;
  for (const double v : values) append(out, static_cast<T>(v), big);
  return out;
}

std::string packed(const std::string& raw) {
  std::string out(compressBound(raw.size()) + 64, '\0');
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  z.avail_in = static_cast<uInt>(raw.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  const std::string done = out.substr(0, z.total_out);
  deflateEnd(&z);
  return done;
}

const std::vector<double> small{0, 1, 2, 3, 100, 5, 6, 7, 8, 9, 10, 127};

template <class T>
void read_every_way(const std::string& type, const std::vector<double>& values) {
  const TemporaryFolder folder;
  std::string text;
  for (const double v : values) text += std::to_string(v) + (text.size() % 3 == 0 ? "\n" : " ");
  const std::string little = numbers<T>(values, false), big = numbers<T>(values, true);
  // Two gzip members after each other are one stream, as some compressors write it.
  const std::string members = packed(little.substr(0, 5)) + packed(little.substr(5));
  const std::vector<std::string> files{
      header(type, "endian: little\nencoding: raw\n\n") + little,
      header(type, "endian: big\nencoding: raw\n\n") + big,
      header(type, "endian: big\nencoding: gzip\n\n") + packed(big),
      header(type, "endian: little\nencoding: gz\n\n") + members,
      header(type, "encoding: ascii\n\n") + text,
      header(type, "endian: little\nbyte skip: -1\nencoding: raw\n\n") + "garbage" + little,
      header(type, "endian: little\nbyte skip: 4\nline skip: 1\nencoding: raw\n\n") + "a line\n1234" + little,
  };
  for (std::size_t f = 0; f < files.size(); ++f) {
    put_file(folder / "a.nrrd", files[f]);
    Warnings warnings;
    const auto volume = read_volume(folder / "a.nrrd", "", &warnings);
    ASSERT_TRUE(volume) << type << " " << f << ": " << volume.error().message();
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    EXPECT_EQ(volume->size, (std::array<std::size_t, 3>{3, 2, 2}));
    EXPECT_GT(volume->slope, 0);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(volume->slope * volume->samples[i] + volume->intercept, values[i]) << type << " " << f;
    const Vec3d corner = volume->to_world.point({2, 1, 1});
    EXPECT_NEAR(length(corner - Vec3d{0.011, 0.0205, 0.0315}), 0, 1e-12);
  }
}

TEST(Nrrd, EveryTypeAndEncodingIsExact) {
  read_every_way<std::int8_t>("signed char", {-128, 127, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  read_every_way<std::uint8_t>("uchar", {255, 1, 2, 3, 100, 5, 6, 7, 8, 9, 10, 0});
  read_every_way<std::int16_t>("short", {-32768, 32767, 2, 3, 100, 5, 6, 7, 8, 9, 10, 0});
  read_every_way<std::uint16_t>("unsigned short", {65535, 0, 2, 3, 100, 5, 6, 7, 8, 9, 10, 0});
  read_every_way<std::int32_t>("int", {-60000, 0, 2, 3, 100, 5, 6, 7, 8, 9, 10, 5535});
  read_every_way<std::uint32_t>("uint32", {4e9, 4e9 + 65535, 4e9 + 1, 4e9, 4e9, 4e9, 4e9, 4e9, 4e9, 4e9, 4e9, 4e9});
  read_every_way<std::int64_t>("int64_t", small);
  read_every_way<std::uint64_t>("unsigned long long", small);
  read_every_way<float>("float", small);
  read_every_way<double>("double", small);
}

TEST(Nrrd, FractionsAreRoundedToSixteenBits) {
  const TemporaryFolder folder;
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(std::sin(i) * 1000);
  values[5] = std::numeric_limits<double>::quiet_NaN();
  values[7] = std::numeric_limits<double>::infinity();
  put_file(folder / "a.nrrd", header("double", "endian: little\nencoding: raw\n\n") + numbers<double>(values, false));
  Warnings warnings;
  const auto volume = read_volume(folder / "a.nrrd", "", &warnings);
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_TRUE(some_line_holds(warnings, "2 numbers are not finite"));
  values[5] = values[7] = std::sin(11) * 1000;  // the lowest of the twelve
  for (std::size_t i = 0; i < 12; ++i) {
    // Half a step of the range, and the rounding of the arithmetic.
    EXPECT_NEAR(volume->slope * volume->samples[i] + volume->intercept, values[i], 0.51 * 2000 / 65535);
  }
  for (double& v : values) v = 0.1;
  put_file(folder / "a.nrrd", header("double", "endian: little\nencoding: raw\n\n") + numbers<double>(values, false));
  const auto flat = read_volume(folder / "a.nrrd");
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->value(1, 1, 1), 0.1);
}

TEST(Nrrd, SpacesAndUnitsBecomeMetresLeftBackHead) {
  const TemporaryFolder folder;
  const auto at = [&](const std::string& space, const std::string& more) {
    std::string text = header("uchar", "encoding: raw\n" + more + "\n") + std::string(12, 'a');
    text.replace(text.find("left-posterior-superior"), 23, space);
    put_file(folder / "a.nrrd", text);
    const auto volume = read_volume(folder / "a.nrrd");
    EXPECT_TRUE(volume) << volume.error().message();
    return volume ? volume->to_world.point({1, 1, 1}) * 1000 : Vec3d{};
  };
  const auto expect = [](Vec3d a, Vec3d b) { EXPECT_NEAR(length(a - b), 0, 1e-9); };
  expect(at("LPS", ""), {10.5, 20.5, 31.5});
  expect(at("right-anterior-superior", ""), {-10.5, -20.5, 31.5});
  expect(at("left-anterior-superior", "space units: \"cm\" \"cm\" \"cm\"\n"), {105, -205, 315});
  // An axis of one channel goes away; spacings alone are enough.
  std::string text =
      "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 1 3 2 2\nspace: LPS\nencoding: raw\n"
      "space directions: none (1,0,0) (0,2,0) (0,0,3)\n\n" +
      std::string(12, 'a');
  put_file(folder / "a.nrrd", text);
  auto volume = read_volume(folder / "a.nrrd");
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_NEAR(length(volume->spacing() - Vec3d{0.001, 0.002, 0.003}), 0, 1e-12);
  put_file(folder / "a.nrrd", "NRRD0001\ntype: uchar\ndimension: 3\nsizes: 3 2 2\nspacings: 1 2 3\nencoding: raw\n\n" +
                                  std::string(12, 'a'));
  Warnings warnings;
  volume = read_volume(folder / "a.nrrd", "", &warnings);
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_NEAR(length(volume->spacing() - Vec3d{0.001, 0.002, 0.003}), 0, 1e-12);
  EXPECT_TRUE(some_line_holds(warnings, "does not say how the patient lies"));
}

TEST(Nrrd, DetachedHeaderNamesItsData) {
  const TemporaryFolder folder;
  put_file(folder / "a.nhdr", header("uchar", "encoding: raw\ndata file: b.raw\n"));
  put_file(folder / "b.raw", "abcdefghijkl");
  const auto volume = read_volume(folder / "a.nhdr");
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_EQ(volume->value(2, 1, 1), 'l');
  put_file(folder / "b.raw", "abcdefghijk");
  expect_error(read_volume(folder / "a.nhdr"), "is shorter than its header says: 11 bytes of numbers instead of 12");
}

TEST(Nrrd, WhatIsWrittenReadsBack) {
  const TemporaryFolder folder;
  Volume volume = small_volume();
  for (const bool compress : {false, true}) {
    for (const double slope : {1.0, 0.3, 1.0 / 3}) {
      for (const double intercept : {0.0, -1000.0, -40000.0, 0.1}) {
        volume.slope = slope;
        volume.intercept = intercept;
        ASSERT_TRUE(write_nrrd(folder / "a.nrrd", volume, compress));
        EXPECT_EQ(folder.entries(), 1u);
        const auto again = read_volume(folder / "a.nrrd");
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(again->modality, "CT");
        expect_same_scan(volume, *again);
        // The millimetres of the file cost one rounding.
        EXPECT_NEAR(length(again->to_world.translation - volume.to_world.translation), 0, 1e-15);
        EXPECT_NEAR(norm(again->to_world.linear - volume.to_world.linear), 0, 1e-17);
      }
    }
  }
  // Whole values stand in the file themselves, for programs that know no rescale slope.
  volume.slope = 1;
  volume.intercept = -1000;
  ASSERT_TRUE(write_nrrd(folder / "a.nrrd", volume, false));
  const std::string text = get_file(folder / "a.nrrd");
  EXPECT_EQ(text.find("rescale"), std::string::npos);
  std::int16_t first = 0;
  std::memcpy(&first, text.data() + text.find("\n\n") + 2, 2);
  EXPECT_EQ(first, -40);
}

TEST(Nrrd, FaultsAreNamed) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& contents, const std::string& said) {
    put_file(folder / "a.nrrd", contents);
    expect_error(read_volume(folder / "a.nrrd"), said);
  };
  const std::string raw = "endian: little\nencoding: raw\n\n", data(24, 'a');
  const auto changed = [&](const std::string& what, const std::string& by) {
    std::string text = header("short", raw) + data;
    return text.replace(text.find(what), what.size(), by);
  };
  expect("", "is not a NRRD file");
  expect("hello", "is not a NRRD file");
  expect("NRRD0004\nhello\n\n", "header line without a colon");
  expect("NRRD0004\ntype: short\n\n", "no usable 'sizes'");
  expect(changed("sizes: 3 2 2", "sizes: 3 2 x"), "no usable 'sizes'");
  expect(changed("sizes: 3 2 2", "sizes: 3 0 2"), "has no samples (3 x 0 x 2)");
  expect(changed("sizes: 3 2 2", "sizes: 3 4 1"), "is a single slice");
  expect(changed("sizes: 3 2 2", "sizes: 3000000000 3000000000 3000000000"), "sizes that cannot be");
  expect(changed("sizes: 3 2 2", "sizes: 30000 30000 3000"), "is shorter than its header says");
  expect(changed("sizes: 3 2 2\nspace directions: (0.5,0,0) (0,0.5,0) (0,0,1.5)", "sizes: 3 2 2 5"),
         "has 4 dimensions (3 x 2 x 2 x 5), not 3");
  expect(changed("(0,0.5,0)", "none"), "holds 2 numbers per sample");
  expect(changed("(0,0.5,0)", "(0,0.5)"), "no usable 'spacedirections'");
  expect(changed("(0,0.5,0)", "(0.5,0.5,0)"), "not at right angles: 45.00 degrees between 1 and 2");
  expect(changed("(0,0.5,0)", "(0,0,0)"), "does not say how far samples lie apart along axis 2");
  expect(changed("type: short", "type: block"), "no usable 'type' (it says 'block')");
  expect(changed("endian: little\n", ""), "no usable 'endian'");
  expect(changed("encoding: raw", "encoding: bzip2"), "is encoded as bzip2");
  expect(changed("encoding: raw", "encoding: strange"), "no usable 'encoding'");
  expect(changed("encoding: raw", "encoding: gzip"), "its compressed data is not compressed as it says");
  expect(changed("encoding: raw", "encoding: text"), "has a word among its numbers: 'aaaa");
  expect(changed("encoding: raw", "encoding: raw\ndata file: LIST"), "has its data in several files");
  expect(changed("encoding: raw", "encoding: raw\nrescale slope:=0"), "slope or intercept that makes no sense");
  const std::string zipped = header("short", "endian: little\nencoding: gzip\n\n") + packed(data);
  expect(zipped.substr(0, zipped.size() - 10), "its compressed data ends early");
  expect(header("short", "endian: little\nencoding: gzip\n\n") + packed(data.substr(0, 10)),
         "ends after 5 of 12 numbers");
  expect_error(read_volume(folder / "nothing.nrrd"), "does not exist");
  put_file(folder / "a.raw", data);
  expect_error(read_volume(folder / "a.raw"), "write a header .nhdr or .mhd");
  put_file(folder / "a.doc", data);
  expect_error(read_volume(folder / "a.doc"), "is of no known volume format");
  expect_error(write_nrrd(folder / "no" / "a.nrrd", small_volume()), "cannot be written");
  expect_error(write_nrrd(folder / "b.nrrd", Volume{}), "has no samples");
}

TEST(Nrrd, ReadingCanBeStopped) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_nrrd(folder / "a.nrrd", small_volume()));
  expect_error(read_volume(folder / "a.nrrd", "", nullptr, [](std::string_view, double) { return false; }), "stopped");
}

}  // namespace
}  // namespace supple::test
