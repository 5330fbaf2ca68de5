// Series that cannot be a volume are refused with the slice at fault and what to do.
#include <gtest/gtest.h>

#include <functional>

#include "imaging/dicom_sketch.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;
using imaging::list_series;
using imaging::read_volume;

/// Five slices 2 mm apart in a0 ... a4, changed before they are written.
class Scan {
 public:
  using Change = std::function<void(DicomSketch&, int)>;
  explicit Scan(const Change& change = {}) {
    for (int k = 0; k < 5; ++k) {
      DicomSketch d = DicomSketch::slice(2 * k, k);
      if (change) change(d, k);
      d.write(folder_ / ("a" + std::to_string(k)));
    }
  }
  Result<Volume> read(Warnings* warnings = nullptr) const { return read_volume(folder_.path(), "", warnings); }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

Scan::Change only(int slice, const std::function<void(DicomSketch&)>& change) {
  return [=](DicomSketch& d, int k) {
    if (k == slice) change(d);
  };
}

TEST(DicomRefusals, TheWholeSeriesIsRead) { EXPECT_TRUE(Scan().read()); }

TEST(DicomRefusals, MissingSlicesAreCountedAndPlaced) {
  Scan scan;
  fs::remove(scan / "a2");
  expect_error(scan.read(), "1 slice is missing in 1 gap between 2.00 mm (a1) and 6.00 mm (a3); slices lie 2.000 mm");
  const Scan wide([](DicomSketch& d, int k) { d.at({0, 0, k < 3 ? 2.0 * k : 2.0 * k + 6}); });
  expect_error(wide.read(), "3 slices are missing in 1 gap between 4.00 mm (a2) and 12.00 mm (a3)");
}

TEST(DicomRefusals, TwoSlicesInOnePlace) {
  Scan scan;
  DicomSketch::slice(4).write(scan / "again");
  expect_error(scan.read(), "has 1 slices more than places: a2 and again both lie at 4.00 mm");
  const Scan one_place([](DicomSketch& d, int) { d.at({0, 0, 1}); });
  expect_error(one_place.read(), "has 4 slices more than places");
}

TEST(DicomRefusals, UnevenStepsAndTilt) {
  const Scan uneven(only(2, [](DicomSketch& d) { d.at({0, 0, 4.5}); }));
  expect_error(uneven.read(), "a2 lies 0.500 mm from where equal steps of 2.000 mm would put it");
  const Scan nearly(only(2, [](DicomSketch& d) { d.at({0, 0, 4.1}); }));
  Warnings warnings;
  EXPECT_TRUE(nearly.read(&warnings));
  EXPECT_TRUE(some_line_holds(warnings, "its slices lie up to 0.100 mm off equal steps of 2.000 mm"))
      << warnings.size();
  const Scan rounded(only(2, [](DicomSketch& d) { d.at({0, 0, 4.01}); }));
  warnings.clear();
  EXPECT_TRUE(rounded.read(&warnings));
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  // The table moves along z, the slices lie turned by 20 degrees about x: cos 20, sin 20.
  const Scan tilted([](DicomSketch& d, int k) {
    d.text({0x0020, 0x0037}, "DS", "1\\0\\0\\0\\0.9396926\\0.3420201").at({0, 0, 2.0 * k});
  });
  expect_error(tilted.read(), "was scanned with the gantry tilted by 20.00 degrees");
  const Scan shifted(only(2, [](DicomSketch& d) { d.at({3, 0, 4}); }));
  expect_error(shifted.read(), "a2 is shifted by 3.00 mm");
}

TEST(DicomRefusals, SlicesThatDoNotBelongTogether) {
  const auto wide = [](DicomSketch& d) { d.number({0x0028, 0x0011}, 4).pixels({0, 1, 2, 3, 4, 5, 6, 7}); };
  expect_error(Scan(only(3, wide)).read(), "slices of two sizes: a0 and a3 have 3 x 2 and 4 x 2");
  const auto turned = [](DicomSketch& d) { d.text({0x0020, 0x0037}, "DS", "0\\1\\0\\1\\0\\0"); };
  expect_error(Scan(only(3, turned)).read(), "slices of two orientations: a0 and a3");
  const auto coarse = [](DicomSketch& d) { d.text({0x0028, 0x0030}, "DS", "0.9\\0.5"); };
  expect_error(Scan(only(3, coarse)).read(), "slices of two pixel spacings: a0 and a3");
  Scan mixed;
  DicomSketch::slice(0).text({0x0020, 0x000e}, "UI", "1.2.9").text({0x0008, 0x103e}, "LO", "Scout").write(mixed / "s");
  expect_error(mixed.read(), "holds 2 series: 'Hand relaxed' CT 5 slices of 3 x 2, id 1.2.3; 'Scout' CT 1 slices");
}

TEST(DicomRefusals, PicturesThatAreNoScan) {
  const auto all = [](const std::function<void(DicomSketch&)>& change) {
    return Scan([=](DicomSketch& d, int) { change(d); }).read();
  };
  expect_error(all([](DicomSketch& d) {
                 d.text({0x0028, 0x0004}, "CS", "RGB").number({0x0028, 0x0002}, 3);
               }),
               "a0: is a colour picture (RGB)");
  expect_error(all([](DicomSketch& d) {
                 d.text({0x0028, 0x0004}, "CS", "PALETTE COLOR");
               }),
               "a colour picture (PALETTE");
  expect_error(all([](DicomSketch& d) { d.elements.erase({0x0020, 0x0032}); }), "does not say where it lies");
  expect_error(all([](DicomSketch& d) { d.elements.erase({0x0028, 0x0030}); }), "how far pixels lie apart");
  expect_error(all([](DicomSketch& d) {
                 d.number({0x0028, 0x0100}, 32).number({0x0028, 0x0101}, 32);
               }),
               "pixels of 32 in 32 bits");
  expect_error(all([](DicomSketch& d) { d.rescale("0", "0"); }),
               "RescaleSlope or RescaleIntercept that makes no sense");
}

TEST(DicomRefusals, FilesThatAreNotWhatTheySay) {
  const TemporaryFolder folder;
  expect_error(read_volume(folder.path()), "holds no DICOM slices");
  put_file(folder / "text.dcm", "just text");
  expect_error(read_volume(folder / "text.dcm"), "is not a DICOM file");
  expect_error(read_volume(folder.path()), "holds no DICOM slices");
  expect_error(list_series(folder / "none"), "cannot be listed");
  DicomSketch::slice(0).write(folder / "one.dcm");
  expect_error(read_volume(folder / "one.dcm"), "is a single slice (give the folder with all slices");
  expect_error(read_volume(folder.path()), "is a single slice");
  const auto listed = list_series(folder.path());
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->size(), 1u);
}

TEST(DicomRefusals, CutFilesAreNamed) {
  Scan scan;
  const std::string whole = get_file(scan / "a2");
  put_file(scan / "a2", whole.substr(0, whole.size() - 4));
  expect_error(scan.read(), "a2: is cut short or damaged near byte");
  expect_error(scan.read(), "damaged");
  // Cut anywhere: refused, as damaged or as a gap, and never a crash.
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    put_file(scan / "a2", whole.substr(0, size));
    EXPECT_FALSE(scan.read()) << size;
  }
  Warnings warnings;
  put_file(scan / "a2", whole);
  const std::string last = get_file(scan / "a4");
  put_file(scan / "a4", last.substr(0, 300));
  const auto shorter = scan.read(&warnings);  // the last slice lost its place: the others are still a volume
  ASSERT_TRUE(shorter) << shorter.error().message();
  EXPECT_EQ(shorter->size[2], 4u);
  EXPECT_TRUE(some_line_holds(warnings, "a4: is cut short or damaged")) << warnings.size();
}

TEST(DicomRefusals, ReadingCanBeStopped) {
  const Scan scan;
  for (const std::string_view stage : {"looking for slices", "reading slices"}) {
    const auto stop = [&](std::string_view now, double) { return now != stage; };
    expect_error(read_volume(scan / ".", "", nullptr, stop), "stopped");
  }
}

}  // namespace
}  // namespace supple::test
