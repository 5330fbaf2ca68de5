// NIfTI-1 headers made by hand, in both byte orders.
#include <gtest/gtest.h>

#include <zlib.h>

#include <cmath>
#include <numbers>

#include "imaging/imaging_support.h"

namespace supple::test {
namespace {

using imaging::read_volume;

/// A header of 3 x 2 x 2 shorts with 0.5 x 0.75 x 2 mm; offsets as in nifti1.h.
struct Nifti {
  bool big = false;
  std::string bytes = std::string(352, '\0');

  template <class T>
  Nifti& set(std::size_t offset, T value) {
    std::string raw;
    append(raw, value, big);
    bytes.replace(offset, raw.size(), raw);
    return *this;
  }
  Nifti& floats(std::size_t offset, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) set(offset + 4 * i, static_cast<float>(values[i]));
    return *this;
  }
  explicit Nifti(bool big_endian = false, const char* magic = "n+1") : big(big_endian) {
    set(0, std::int32_t{348});
    const std::int16_t sizes[]{3, 3, 2, 2, 1, 1, 1, 1};
    for (std::size_t i = 0; i < 8; ++i) set(40 + 2 * i, sizes[i]);
    set(70, std::int16_t{4}).set(72, std::int16_t{16});
    floats(76, {1, 0.5, 0.75, 2, 1, 1, 1, 1});
    floats(108, {352, 0, 0});
    bytes.replace(344, 3, magic);
  }
  /// sform: columns along -x, z, y of the file's right, front, head.
  Nifti& oblique() {
    set(254, std::int16_t{1});
    return floats(280, {-0.5, 0, 0, 10, 0, 0, 2, 20, 0, 0.75, 0, 30});
  }
  std::string with_numbers() const {
    std::string out = bytes;
    for (int i = 0; i < 12; ++i) append(out, static_cast<std::int16_t>(100 * i - 300), big);
    return out;
  }
};

void expect_values(const Result<Volume>& volume, double slope = 1, double intercept = 0) {
  ASSERT_TRUE(volume) << volume.error().message();
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(volume->slope * volume->samples[i] + volume->intercept,
                slope * (100.0 * static_cast<double>(i) - 300) + intercept, 1e-9);
}

TEST(Nifti, FormIsTurnedFromRightFrontToLeftBack) {
  const TemporaryFolder folder;
  for (const bool big : {false, true}) {
    put_file(folder / "a.nii", Nifti(big).oblique().with_numbers());
    const auto volume = read_volume(folder / "a.nii");
    expect_values(volume);
    const Vec3d at = volume->to_world.point({2, 1, 1}) * 1000;
    EXPECT_NEAR(length(at - Vec3d{-(10 - 1), -(20 + 2), 30 + 0.75}), 0, 1e-5);
    // In metres by the units of the header.
    put_file(folder / "a.nii", Nifti(big).oblique().set(123, std::uint8_t{1}).with_numbers());
    const auto metres = read_volume(folder / "a.nii");
    ASSERT_TRUE(metres);
    EXPECT_NEAR(metres->to_world.translation.z, 30, 1e-9);
  }
}

TEST(Nifti, QuaternionAndItsSign) {
  const TemporaryFolder folder;
  // A third of a turn about (1, 1, 1): x to y, y to z, z to x; b = c = d = 1/2.
  for (const double sign : {1.0, -1.0}) {
    Nifti n;
    n.set(252, std::int16_t{1}).floats(76, {sign}).floats(256, {0.5, 0.5, 0.5}).floats(268, {1, 2, 3});
    put_file(folder / "a.nii", n.with_numbers());
    const auto volume = read_volume(folder / "a.nii");
    expect_values(volume);
    // Columns (0.5 mm) run along y, rows (0.75) along z, slices (2) along x or back; then x and y are turned round.
    const Vec3d at = volume->to_world.point({2, 1, 1}) * 1000;
    EXPECT_NEAR(length(at - Vec3d{-(1 + sign * 2), -(2 + 1.0), 3 + 0.75}), 0, 1e-5);
  }
  Warnings warnings;
  put_file(folder / "a.nii", Nifti().with_numbers());
  const auto plain = read_volume(folder / "a.nii", "", &warnings);
  expect_values(plain);
  EXPECT_TRUE(some_line_holds(warnings, "does not say how the patient lies"));
  EXPECT_NEAR(length(plain->spacing() - Vec3d{0.0005, 0.00075, 0.002}), 0, 1e-9);
}

TEST(Nifti, FormsOfOppositeHandsAreRefused) {
  const TemporaryFolder folder;
  // The sform of oblique() mirrors; its qform may only do so too.
  for (const double sign : {1.0, -1.0}) {
    Nifti n = Nifti().oblique();
    n.set(252, std::int16_t{1}).floats(76, {sign});
    put_file(folder / "a.nii", n.with_numbers());
    const auto volume = read_volume(folder / "a.nii");
    const Vec3d x{-0.5, 0, 0}, y{0, 0, 0.75}, z{0, 2, 0};
    const bool same = (dot(cross(x, y), z) < 0) == (sign < 0);
    EXPECT_EQ(volume.ok(), same) << sign;
    if (!volume) {
      EXPECT_NE(volume.error().message().find("mirror images"), std::string::npos);
    }
  }
}

TEST(Nifti, MetresWithoutAWordAreRefused) {
  const TemporaryFolder folder;
  Nifti metres;
  metres.set(254, std::int16_t{1}).floats(280, {0.0005, 0, 0, 0, 0, 0.0005, 0, 0, 0, 0, 0.002, 0});
  put_file(folder / "a.nii", metres.with_numbers());
  const auto wrong = read_volume(folder / "a.nii");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("its lengths are in another unit"), std::string::npos);
  put_file(folder / "a.nii", metres.set(123, std::uint8_t{1}).with_numbers());  // now it says so
  const auto right = read_volume(folder / "a.nii");
  ASSERT_TRUE(right) << right.error().message();
  EXPECT_NEAR(right->spacing().z, 0.002, 1e-9);
}

TEST(Nifti, SlopeAndIntercept) {
  const TemporaryFolder folder;
  for (const auto& [slope, intercept] : {std::pair(2.0, -1024.0), std::pair(-0.5, 3.0)}) {
    put_file(folder / "a.nii", Nifti().oblique().floats(112, {slope, intercept}).with_numbers());
    const auto volume = read_volume(folder / "a.nii");
    expect_values(volume, slope, intercept);
    EXPECT_GT(volume->slope, 0);
  }
  put_file(folder / "a.nii", Nifti().oblique().floats(112, {0, 77}).with_numbers());
  expect_values(read_volume(folder / "a.nii"));  // a slope of 0 says that nothing is scaled
}

TEST(Nifti, PackedPairedAndOfOtherTypes) {
  const TemporaryFolder folder;
  const std::string whole = Nifti().oblique().with_numbers();
  gzFile file = gzopen((folder / "a.nii.gz").c_str(), "wb");
  gzwrite(file, whole.data(), static_cast<unsigned>(whole.size()));
  gzclose(file);
  expect_values(read_volume(folder / "a.nii.gz"));
  const Nifti pair = Nifti(true, "ni1").oblique().floats(108, {0});
  put_file(folder / "b.hdr", pair.bytes.substr(0, 348));
  put_file(folder / "b.img", pair.with_numbers().substr(352));
  expect_values(read_volume(folder / "b.hdr"));
  expect_values(read_volume(folder / "b.img"));
  const auto expect = [&](std::int16_t code, auto value) {
    std::string bytes = Nifti().oblique().set(70, code).bytes;
    for (int i = 0; i < 12; ++i) append(bytes, value, false);
    put_file(folder / "c.nii", bytes);
    const auto volume = read_volume(folder / "c.nii");
    ASSERT_TRUE(volume) << volume.error().message();
    EXPECT_EQ(volume->value(1, 1, 1), static_cast<double>(value));
  };
  expect(2, std::uint8_t{200});
  expect(8, std::int32_t{-100000});
  expect(16, 0.25f);
  expect(64, 0.1);
  expect(256, std::int8_t{-100});
  expect(512, std::uint16_t{60000});
  expect(768, std::uint32_t{3000000000});
  expect(1024, std::int64_t{-1});
  expect(1280, std::uint64_t{1});
}

TEST(Nifti, FaultsAreNamed) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& contents, const std::string& said) {
    put_file(folder / "a.nii", contents);
    expect_error(read_volume(folder / "a.nii"), said);
  };
  const std::string whole = Nifti().oblique().with_numbers();
  expect("", "is too short for a NIfTI header");
  expect(std::string(400, 'a'), "is not a NIfTI file");
  expect(Nifti().set(0, std::int32_t{540}).bytes, "is NIfTI-2");
  expect(Nifti(false, "").bytes, "is an Analyze file");
  expect(Nifti(false, "ni1").bytes, "has its numbers in another file");
  expect(whole.substr(0, whole.size() - 1), "is shorter than its header says: 23 bytes of numbers instead of 24");
  expect(Nifti().oblique().set(70, std::int16_t{128}).with_numbers(), "numbers of NIfTI type 128");
  expect(Nifti().oblique().set(40, std::int16_t{9}).with_numbers(), "has 9 dimensions");
  expect(Nifti().oblique().set(40, std::int16_t{4}).set(48, std::int16_t{5}).with_numbers(),
         "has 4 dimensions (3 x 2 x 2 x 5)");
  expect(Nifti().oblique().set(44, std::int16_t{-2}).with_numbers(), "has no samples (3 x 0 x 2)");
  expect(Nifti().oblique().floats(108, {100}).with_numbers(), "numbers inside its header");
  expect(Nifti().oblique().floats(108, {std::nan("")}).with_numbers(), "numbers inside its header");
  expect(Nifti().oblique().floats(108, {1e30}).with_numbers(), "is shorter than its header says");
  expect(Nifti().oblique().floats(280, {-0.5, 0.3}).with_numbers(), "not at right angles");
  expect(Nifti().oblique().floats(280, {0}).with_numbers(), "apart along axis 1");
}

}  // namespace
}  // namespace supple::test
