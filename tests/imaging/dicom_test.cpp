// DICOM series read in every shape that is accepted, and written.
#include <gtest/gtest.h>

#include <algorithm>

#include "imaging/dicom_sketch.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;
using imaging::DicomOptions;
using imaging::list_series;
using imaging::read_volume;
using imaging::write_dicom;

/// A larger scan, for codecs that want a picture: hills from -1000 to 3000 in a turned lattice.
Volume hills() {
  Volume v = small_volume();
  v.size = {33, 20, 5};
  v.samples.clear();
  for (std::size_t i = 0; i < v.count(); ++i)
    v.samples.push_back(static_cast<std::int16_t>(2000 + 2000 * std::sin(static_cast<double>(i * i % 977))));
  return v;
}

TEST(Dicom, EveryTransferSyntaxReadsBackExactly) {
  const TemporaryFolder folder;
  const Volume volume = hills();
  for (const std::string transfer : {"explicit", "jpeg-lossless", "rle", "jpeg2000"}) {
    DicomOptions options;
    options.description = "Hand " + transfer;
    options.transfer = transfer;
    const auto written = write_dicom(folder / transfer, volume, options);
    ASSERT_TRUE(written) << written.error().message();
    Warnings warnings;
    const auto again = read_volume(folder / transfer, "", &warnings);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(again->modality, "CT");
    expect_same_scan(volume, *again);
  }
  EXPECT_EQ(folder.entries(), 4u);  // and nothing half-finished
  const auto all = list_series(folder.path());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 4u);
  EXPECT_EQ((*all)[0].slices, 5u);
  EXPECT_EQ((*all)[0].size, (std::array<std::size_t, 2>{33, 20}));
  // One of several by a part of its description, whatever its case.
  EXPECT_TRUE(read_volume(folder.path(), "hand RLE"));
  EXPECT_TRUE(read_volume(folder.path(), (*all)[2].id));
  expect_error(read_volume(folder.path()), "holds 4 series: ");
  expect_error(read_volume(folder.path(), "jpeg"), "holds 2 series that match 'jpeg': ");
  expect_error(read_volume(folder.path(), "foot"), "has no series 'foot', but 'Hand ");
}

TEST(Dicom, ScalesAreKept) {
  const TemporaryFolder folder;
  Volume volume = hills();
  int n = 0;
  for (const double slope : {1.0, 0.25, 0.1234567890123456789}) {
    for (const double intercept : {0.0, -40000.0, 0.5}) {
      volume.slope = slope;
      volume.intercept = intercept;
      const fs::path path = folder / std::to_string(n++);
      ASSERT_TRUE(write_dicom(path, volume));
      const auto again = read_volume(path);
      ASSERT_TRUE(again) << again.error().message();
      // DICOM keeps 16 characters of the slope: exact but for the last, which loses 3e-15 of its slope
      // of 14 digits, up to 4000 times.
      expect_same_scan(volume, *again, slope < 0.2 ? 5e-11 : 0);
    }
  }
}

TEST(Dicom, WritingTheSameScanGivesTheSameBytes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_dicom(folder / "a", small_volume()));
  fs::create_directory(folder / "b");  // empty ones may exist
  ASSERT_TRUE(write_dicom(folder / "b", small_volume()));
  EXPECT_EQ(get_file(folder / "a" / "slice0002.dcm"), get_file(folder / "b" / "slice0002.dcm"));
  expect_error(write_dicom(folder / "b", small_volume()), "exists already");
  expect_error(write_dicom(folder / "none" / "b", small_volume()), "cannot be created");
  DicomOptions options;
  options.transfer = "zip";
  expect_error(write_dicom(folder / "c", small_volume(), options), "use explicit, jpeg-lossless, rle or jpeg2000");
  expect_error(write_dicom(folder / "c", Volume{}), "has no samples");
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(Dicom, SlicesAreSortedByPlaceNotByName) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deeper");
  DicomSketch::slice(-8, 100).write(folder / "z");
  DicomSketch::slice(-6, 200).write(folder / "deeper" / "a.dcm");
  DicomSketch::slice(-10, 0).write(folder / "m.ima");
  DicomSketch::slice(-4, 300).write(folder / "b.dcm");
  put_file(folder / "README", "about these files");
  put_file(folder / "short", "x");
  DicomSketch report = DicomSketch::slice(0);
  for (const DicomSketch::Tag& tag : {DicomSketch::Tag(0x0028, 0x0010), DicomSketch::Tag(0x7fe0, 0x0010)})
    report.elements.erase(tag);
  report.write(folder / "report.dcm");  // DICOM, but no picture
  Warnings warnings;
  const auto volume = read_volume(folder.path(), "", &warnings);
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(volume->size, (std::array<std::size_t, 3>{3, 2, 4}));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(volume->value(2, 1, k), 100.0 * static_cast<double>(k) + 5 - 1024);
  // PixelSpacing is between rows first, then between columns.
  EXPECT_NEAR(length(volume->to_world.point({2, 1, 3}) - Vec3d{0.001, 0.00075, -0.004}), 0, 1e-12);
}

TEST(Dicom, PlanesOfAnyOrientation) {
  const TemporaryFolder folder;
  // Coronal slices: rows to the left, columns to the feet; the normal points to the back.
  for (int k = 0; k < 3; ++k) {
    DicomSketch d = DicomSketch::slice(k, 10 * k);
    d.text({0x0020, 0x0037}, "DS", "1\\0\\0\\0\\0\\-1").at({5, 2.0 * k, 7});
    d.write(folder / std::to_string(9 - k));
  }
  const auto volume = read_volume(folder.path());
  ASSERT_TRUE(volume) << volume.error().message();
  EXPECT_NEAR(length(volume->to_world.point({1, 1, 2}) - Vec3d{0.0055, 0.004, 0.00625}), 0, 1e-12);
  EXPECT_EQ(volume->value(0, 0, 2), 20 - 1024);
}

TEST(Dicom, FramesOfOneFileAreSlices) {
  const TemporaryFolder folder;
  for (const bool open : {false, true}) {
    // Enhanced files tell the geometry in sequences: what all frames share, and of each its place, in any order.
    DicomSketch file = DicomSketch::slice(0), measures, orientation, scale, shared;
    using Tag = DicomSketch::Tag;
    for (const Tag& tag :
         {Tag(0x0020, 0x0032), Tag(0x0020, 0x0037), Tag(0x0028, 0x0030), Tag(0x0028, 0x1052), Tag(0x0028, 0x1053)})
      file.elements.erase(tag);
    measures.text({0x0028, 0x0030}, "DS", "0.75\\0.5");
    orientation.text({0x0020, 0x0037}, "DS", "1\\0\\0\\0\\1\\0");
    scale.rescale("2", "-100");
    shared.sequence({0x0028, 0x9110}, {measures}, open).sequence({0x0020, 0x9116}, {orientation}, open);
    shared.sequence({0x0028, 0x9145}, {scale}, open);
    std::vector<DicomSketch> frames;
    std::vector<int> pixels;
    for (const int k : {2, 0, 1}) {
      DicomSketch position, frame;
      position.at({1, 2, 3.0 * k});
      frames.push_back(frame.sequence({0x0020, 0x9113}, {position}, open));
      for (int i = 0; i < 6; ++i) pixels.push_back(10 * k + i);
    }
    file.sequence({0x5200, 0x9229}, {shared}, open).sequence({0x5200, 0x9230}, frames, open);
    file.text({0x0028, 0x0008}, "IS", "3").pixels(pixels).write(folder / "hand.dcm");
    const auto volume = read_volume(folder / "hand.dcm");
    ASSERT_TRUE(volume) << volume.error().message();
    EXPECT_EQ(volume->size, (std::array<std::size_t, 3>{3, 2, 3}));
    EXPECT_NEAR(length(volume->to_world.point({1, 1, 2}) - Vec3d{0.0015, 0.00275, 0.006}), 0, 1e-12);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(volume->value(2, 1, k), 2 * (10 * static_cast<double>(k) + 5) - 100);
  }
}

TEST(Dicom, PixelsOfEveryKind) {
  const TemporaryFolder folder;
  const auto read = [&](auto change, Warnings* warnings = nullptr) {
    for (int k = 0; k < 2; ++k) {
      DicomSketch d = DicomSketch::slice(k);
      change(d, k);
      d.write(folder / std::to_string(k));
    }
    return read_volume(folder.path(), "", warnings);
  };
  const auto expect = [](const Result<Volume>& volume, double first, double second) {
    ASSERT_TRUE(volume) << volume.error().message();
    EXPECT_NEAR(volume->value(0, 0, 0), first, 1e-9);
    EXPECT_NEAR(volume->value(1, 0, 1), second, 1e-9);
    EXPECT_GT(volume->slope, 0);
  };
  expect(read([](DicomSketch& d, int) { d.pixels({-5, 32767, 0, 0, 0, 0}); }), -1029, 31743);
  expect(read([](DicomSketch& d, int) { d.number({0x0028, 0x0103}, 0).pixels({65535, 0, 0, 0, 0, 0}); }), 64511, -1024);
  // Twelve bits, with an overlay in one that is not stored; signed ones are continued by their sign.
  const auto twelve = [](DicomSketch& d, std::uint16_t is_signed) {
    d.number({0x0028, 0x0101}, 12).number({0x0028, 0x0102}, 11).number({0x0028, 0x0103}, is_signed);
    d.pixels({0x8000 | 0x0fff, 0x0800, 0, 0, 0, 0});
  };
  expect(read([&](DicomSketch& d, int) { twelve(d, 0); }), 4095 - 1024, 2048 - 1024);
  expect(read([&](DicomSketch& d, int) { twelve(d, 1); }), -1 - 1024, -2048 - 1024);
  const auto bytes = [](DicomSketch& d, int) {
    d.number({0x0028, 0x0100}, 8).number({0x0028, 0x0101}, 8).number({0x0028, 0x0102}, 7).number({0x0028, 0x0103}, 0);
    d.elements[{0x7fe0, 0x0010}].bytes = std::string("\xfa\x03\x00\x00\x00\x00", 6);
  };
  expect(read(bytes), 250 - 1024, 3 - 1024);
  // Slices of their own scale: by whole steps exactly, else to 1/65535 of what they could hold.
  Warnings warnings;
  expect(read(
             [](DicomSketch& d, int k) {
               d.number({0x0028, 0x0101}, 12).number({0x0028, 0x0102}, 11);
               d.rescale("1", k == 0 ? "-1024" : "-1000").pixels({7, 8, 0, 0, 0, 0});
             },
             &warnings),
         7 - 1024, 8 - 1000);
  EXPECT_TRUE(some_line_holds(warnings, "slices are scaled differently"));
  const auto own = read([](DicomSketch& d, int k) {
    d.number({0x0028, 0x0101}, 12).number({0x0028, 0x0102}, 11).number({0x0028, 0x0103}, 0);
    d.rescale(k == 0 ? "1.5" : "0.7", "3").pixels({100, 200, 0, 0, 0, 0});
  });
  ASSERT_TRUE(own);
  const double half_step = 0.5 * 1.5 * 4095 / 65535;
  EXPECT_NEAR(own->value(0, 0, 0), 153, half_step);
  EXPECT_NEAR(own->value(1, 0, 1), 143, half_step);
  expect(read([](DicomSketch& d, int) { d.rescale("-2", "10").pixels({-100, 200, 0, 0, 0, 0}); }), 210, -390);
  // Dark for bright: turned round within the numbers a pixel can hold.
  warnings.clear();
  expect(read(
             [](DicomSketch& d, int) {
               d.number({0x0028, 0x0103}, 0).text({0x0028, 0x0004}, "CS", "MONOCHROME1").pixels({0, 65535, 0, 0, 0, 0});
             },
             &warnings),
         64511, -1024);
  EXPECT_TRUE(some_line_holds(warnings, "2 slices are stored dark for bright"));
  warnings.clear();
  EXPECT_TRUE(read([](DicomSketch& d, int) { d.text({0x0008, 0x0060}, "CS", "US"); }, &warnings));
  EXPECT_TRUE(some_line_holds(warnings, "its modality is 'US', neither CT nor MR"));
}

}  // namespace
}  // namespace supple::test
