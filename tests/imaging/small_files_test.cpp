// Small files that claim to be large scans: refused before memory is taken for them.
#include <gtest/gtest.h>

#include "imaging/dicom_sketch.h"
#include "support/limited.h"

namespace supple::test {
namespace {

using imaging::read_volume;

TEST(SmallScans, LinesToSkipEndWithTheFile) {
  const TemporaryFolder folder;
  put_file(folder / "a.nrrd",
           "NRRD0004\ntype: short\ndimension: 3\nsizes: 2 2 2\nspacings: 1 1 1\nendian: little\nencoding: raw\n"
           "line skip: 18446744073709551615\n\n0123456789abcdef");
  expect_within(50, [&] { return refused_with(read_volume(folder / "a.nrrd"), "0 bytes of numbers instead of 16"); });
}

TEST(SmallScans, FramesThatAFileCannotHold) {
  const TemporaryFolder folder;
  DicomSketch d = DicomSketch::slice(0);
  d.text({0x0008, 0x103e}, "LO", std::string(60000, 'x')).text({0x0028, 0x0008}, "IS", "1000000");
  d.write(folder / "a.dcm");
  expect_within(
      50, [&] { return refused_with(read_volume(folder / "a.dcm"), "claims 1000000 frames in a picture of 12"); });
  d.text({0x0028, 0x0008}, "IS", "90").write(folder / "b.dcm");
  expect_within(50, [&] { return refused_with(read_volume(folder / "b.dcm"), "picture of 12 bytes instead of 1080"); });
}

TEST(SmallScans, SlicesThatAreLargerThanTheirFiles) {
  const TemporaryFolder folder;
  for (int k = 0; k < 4; ++k) {
    DicomSketch d = DicomSketch::slice(k);
    d.number({0x0028, 0x0010}, 40000).number({0x0028, 0x0011}, 40000).write(folder / ("s" + std::to_string(k)));
  }
  expect_within(50,
                [&] { return refused_with(read_volume(folder.path()), "picture of 12 bytes instead of 3200000000"); });
}

TEST(SmallScans, CompressedSlicesThatNothingCouldUnpackTo) {
  const TemporaryFolder folder;
  for (int k = 0; k < 4; ++k) {
    DicomSketch d = DicomSketch::slice(k);
    d.number({0x0028, 0x0010}, 40000).number({0x0028, 0x0011}, 40000);
    // a fragment of 8 bytes after an empty table of offsets
    const std::string fragments(
        "\xfe\xff\x00\xe0\0\0\0\0\xfe\xff\x00\xe0\x08\0\0\0"
        "12345678"
        "\xfe\xff\xdd\xe0\0\0\0\0",
        32);
    d.elements[{0x7fe0, 0x0010}] = {"OW", fragments, true};
    d.write(folder / ("s" + std::to_string(k)));
  }
  expect_within(50,
                [&] { return refused_with(read_volume(folder.path()), "8 compressed bytes, too few for a picture"); });
}

}  // namespace
}  // namespace supple::test
