// Labels in files of every format, and what is said of files that hold none.
#include "supple/imaging/label_file.h"

#include "imaging/dicom_sketch.h"

namespace supple::imaging {
namespace {

using test::append;
using test::DicomSketch;
using test::expect_error;
using test::put_file;
using test::TemporaryFolder;

/// 3 x 2 x 2 samples of 1, 1 and 2 mm.
std::string nrrd_text(const std::string& keys, const std::string& numbers, const std::string& type = "uchar",
                      bool layers = false) {
  return "NRRD0005\ntype: " + type + "\ndimension: " + (layers ? "4" : "3") +
         "\nspace: left-posterior-superior\nsizes: " + (layers ? "2 " : "") +
         "3 2 2\nspace directions: " + (layers ? "none " : "") +
         "(1,0,0) (0,1,0) (0,0,2)\nencoding: ascii\nspace origin: (5,6,7)\n" + keys + "\n" + numbers + "\n";
}

const Label& named(const LabelMap& map, const std::string& name) {
  for (const Label& label : map.labels)
    if (label.name == name) return label;
  ADD_FAILURE() << "no label " << name;
  return map.labels.front();
}

TEST(Labels, PlainVolumesHaveNumbersForNames) {
  const TemporaryFolder folder;
  put_file(folder / "a.nrrd", nrrd_text("", "0 7 7 0 0 0 0 0 0 0 3 7"));
  const auto map = read_labels(folder / "a.nrrd");
  ASSERT_TRUE(map) << map.error().message();
  ASSERT_EQ(map->labels.size(), 2u);
  EXPECT_EQ(map->labels[0].title(), "label 3");
  EXPECT_EQ(map->labels[0].samples, 1u);
  EXPECT_EQ(map->labels[1].value, 7);
  EXPECT_EQ(map->labels[1].samples, 3u);
  EXPECT_EQ(map->lattice().size, (std::array<std::size_t, 3>{3, 2, 2}));
  EXPECT_NEAR(map->lattice().to_world.translation.z, 0.007, 1e-12);
}

TEST(Labels, SegmentsOfSlicerHaveNamesColoursAndMayBeEmpty) {
  const TemporaryFolder folder;
  const std::string keys =
      "Segment0_ID:=Segment_1\nSegment0_Name:=Radius (right)\nSegment0_LabelValue:=2\nSegment0_Layer:=0\n"
      "Segment0_Color:=0.25 0.5 1\nSegment0_Extent:=0 2 0 1 0 1\nSegment1_Name:=ulna\nSegment1_LabelValue:=1\n"
      "Segment2_Name:=lunate\nSegment2_LabelValue:=9\n";
  put_file(folder / "a.seg.nrrd", nrrd_text(keys, "0 2 2 0 0 0 0 0 0 0 1 4"));
  const auto map = read_labels(folder / "a.seg.nrrd");
  ASSERT_TRUE(map) << map.error().message();
  ASSERT_EQ(map->labels.size(), 4u);
  EXPECT_EQ(map->labels[0].name, "Radius (right)");
  EXPECT_EQ(map->labels[0].samples, 2u);
  ASSERT_TRUE(map->labels[0].colour.has_value());
  EXPECT_EQ(*map->labels[0].colour, (Vec3f{0.25f, 0.5f, 1}));
  EXPECT_EQ(named(*map, "lunate").samples, 0u);
  EXPECT_EQ(map->labels[3].title(), "label 4");  // in the volume, and nowhere named

  put_file(folder / "b.seg.nrrd",
           nrrd_text("Segment0_Name:=x\nSegment0_LabelValue:=many\n", "0 2 2 0 0 0 0 0 0 0 1 4"));
  expect_error(read_labels(folder / "b.seg.nrrd"), "has a segment 'x' with label value 'many'");
}

TEST(Labels, SegmentsOfSlicerThatOverlapLieInLayers) {
  const TemporaryFolder folder;
  const std::string numbers = "0 0  1 0  1 1  0 2  0 0  0 0   0 0  0 0  0 0  0 0  0 0  2 2";
  const std::string keys =
      "Segment0_Name:=a\nSegment0_LabelValue:=1\nSegment0_Layer:=0\nSegment1_Name:=b\nSegment1_LabelValue:=1\n"
      "Segment1_Layer:=1\nSegment2_Name:=c\nSegment2_LabelValue:=2\nSegment2_Layer:=0\n";
  put_file(folder / "a.seg.nrrd", nrrd_text(keys, numbers, "uchar", true));
  const auto map = read_labels(folder / "a.seg.nrrd");
  ASSERT_TRUE(map) << map.error().message();
  ASSERT_EQ(map->layers.size(), 2u);
  EXPECT_EQ(map->lattice().size, (std::array<std::size_t, 3>{3, 2, 2}));
  EXPECT_EQ(map->layers[0].samples, (std::vector<std::int16_t>{0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(map->layers[1].samples, (std::vector<std::int16_t>{0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(named(*map, "a").samples, 2u);
  EXPECT_EQ(named(*map, "b").samples, 1u);
  EXPECT_EQ(named(*map, "c").samples, 1u);
  EXPECT_EQ(map->labels.back().samples, 2u);  // 2 in the second layer has no name
  // Files of before 2020: a layer for each segment, which is 1 in it.
  put_file(folder / "b.seg.nrrd",
           nrrd_text("Segment0_Name:=a\nSegment1_Name:=b\n",
                     "0 0  1 0  1 1  0 0  0 0  0 0   0 0  0 0  0 0  0 0  0 0  0 0", "uchar", true));
  const auto old = read_labels(folder / "b.seg.nrrd");
  ASSERT_TRUE(old) << old.error().message();
  EXPECT_EQ(named(*old, "a").samples, 2u);
  EXPECT_EQ(named(*old, "b").samples, 1u);
  EXPECT_EQ(named(*old, "b").layer, 1u);
}

TEST(Labels, WhatIsWrittenReadsBack) {
  const TemporaryFolder folder;
  for (const std::size_t layers : {1u, 2u}) {
    LabelMap map;
    Volume lattice = test::small_volume();
    lattice.slope = 1, lattice.intercept = 0;
    for (std::size_t l = 0; l < layers; ++l) {
      for (std::size_t i = 0; i < lattice.samples.size(); ++i)
        lattice.samples[i] = static_cast<std::int16_t>((i * (l + 3)) % 5 % 3);
      map.layers.push_back(lattice);
      map.labels.push_back({"one", 1, l, Vec3f{0.5f, 0.25f, 1}, 0});
      map.labels.push_back({"two", 2, l, std::nullopt, 0});
    }
    ASSERT_TRUE(write_labels(folder / "a.seg.nrrd", map).ok());
    const auto back = read_labels(folder / "a.seg.nrrd");
    ASSERT_TRUE(back) << back.error().message();
    ASSERT_EQ(back->layers.size(), layers);
    for (std::size_t l = 0; l < layers; ++l) test::expect_same_scan(map.layers[l], back->layers[l]);
    ASSERT_EQ(back->labels.size(), map.labels.size());
    EXPECT_EQ(back->labels[0].colour, map.labels[0].colour);
    EXPECT_FALSE(back->labels[1].colour.has_value());
    EXPECT_EQ(back->labels.back().layer, layers - 1);
  }
}

/// A NIfTI header of 3 x 2 x 2 bytes, with `extension` between it and the samples.
std::string nifti_bytes(const std::string& extension, const std::string& samples) {
  std::string header(352, '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(header.data() + at, &value, sizeof value); };
  put(0, std::int32_t{348});
  put(40, std::int16_t{3}), put(42, std::int16_t{3}), put(44, std::int16_t{2}), put(46, std::int16_t{2});
  put(70, std::int16_t{2});
  for (const std::size_t i : {1u, 2u, 3u}) put(76 + 4 * i, 1.5f);
  put(108, static_cast<float>(352 + extension.size()));
  put(252, std::int16_t{1});
  header.replace(344, 3, "n+1");
  if (!extension.empty()) header[348] = 1;
  return header + extension + samples;
}

TEST(Labels, NiftiFilesMayNameThemInTheirHeader) {
  const TemporaryFolder folder;
  const std::string table =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><CaretExtension><VolumeInformation Index=\"0\"><LabelTable>"
      "<Label Key=\"1\" Red=\"0.5\" Green=\"0.25\" Blue=\"0.75\" Alpha=\"1\"><![CDATA[carpal]]></Label>"
      "<Label Key=\"2\" Red=\"0\" Green=\"1\" Blue=\"0\" Alpha=\"1\"><![CDATA[phalanges_hand]]></Label>"
      "<Label Key=\"5\" Red=\"1\" Green=\"0\" Blue=\"0\" Alpha=\"1\"><![CDATA[spleen]]></Label></LabelTable>";
  const std::string samples = std::string("\0\2\2\1\0\0\0\0\0\0\0\3", 12);
  put_file(folder / "a.nii", nifti_bytes(table, samples));
  const auto map = read_labels(folder / "a.nii");
  ASSERT_TRUE(map) << map.error().message();
  ASSERT_EQ(map->labels.size(), 3u);  // tables name all that could have been found
  EXPECT_EQ(map->labels[0].name, "carpal");
  EXPECT_EQ(*map->labels[0].colour, (Vec3f{0.5f, 0.25f, 0.75f}));
  EXPECT_EQ(named(*map, "phalanges_hand").samples, 2u);
  EXPECT_EQ(map->labels[2].title(), "label 3");
  put_file(folder / "b.nii", nifti_bytes("", samples));
  EXPECT_EQ(read_labels(folder / "b.nii")->labels[0].title(), "label 1");
}

/// Frames of 4 x 3 bits, one segment each.
struct SegmentSketch {
  DicomSketch file;
  std::vector<DicomSketch> frames;
  std::string bits;
  std::size_t used = 0;
  std::vector<std::array<std::uint16_t, 3>> lab;  // of the first segments

  void add(std::uint16_t segment, double z, const std::string& pixels) {
    DicomSketch identified, positioned, frame;
    identified.number({0x0062, 0x000b}, segment);
    positioned.at({1, 2, z});
    frame.sequence({0x0062, 0x000a}, {identified}, false).sequence({0x0020, 0x9113}, {positioned}, false);
    frames.push_back(frame);
    for (const char pixel : pixels) {
      if (used % 8 == 0) bits += '\0';
      if (pixel == '#') bits.back() = static_cast<char>(bits.back() | 1 << used % 8);
      ++used;
    }
  }
  void write(const std::filesystem::path& path, const std::vector<std::string>& names,
             const std::string& kind = "BINARY") {
    file.text({0x0008, 0x0060}, "CS", "SEG").text({0x0020, 0x000e}, "UI", "1.2.3");
    file.number({0x0028, 0x0002}, 1).text({0x0028, 0x0004}, "CS", "MONOCHROME2");
    file.text({0x0028, 0x0008}, "IS", std::to_string(frames.size()));
    file.number({0x0028, 0x0010}, 3).number({0x0028, 0x0011}, 4);
    file.number({0x0028, 0x0100}, 1).number({0x0028, 0x0101}, 1).number({0x0028, 0x0103}, 0);
    file.text({0x0062, 0x0001}, "CS", kind);
    std::vector<DicomSketch> segments(names.size());
    for (std::size_t s = 0; s < names.size(); ++s)
      segments[s].number({0x0062, 0x0004}, static_cast<std::uint16_t>(s + 1)).text({0x0062, 0x0005}, "LO", names[s]);
    for (std::size_t s = 0; s < lab.size(); ++s) {
      std::string three;
      for (const std::uint16_t n : lab[s]) append(three, n, false);
      segments[s].elements[{0x0062, 0x000d}] = {"US", three, false};
    }
    file.sequence({0x0062, 0x0002}, segments, true);
    DicomSketch orientation, measures, shared;
    orientation.text({0x0020, 0x0037}, "DS", "1\\0\\0\\0\\1\\0");
    measures.text({0x0028, 0x0030}, "DS", "0.75\\0.5").text({0x0018, 0x0050}, "DS", "2");
    shared.sequence({0x0020, 0x9116}, {orientation}, false).sequence({0x0028, 0x9110}, {measures}, false);
    file.sequence({0x5200, 0x9229}, {shared}, false).sequence({0x5200, 0x9230}, frames, true);
    if (bits.size() % 2 != 0) bits += '\0';
    file.elements[{0x7fe0, 0x0010}] = {"OW", bits, false};
    file.write(path);
  }
};

TEST(Labels, DicomSegmentsLeaveEmptyPlanesOutAndMayOverlap) {
  const TemporaryFolder folder;
  SegmentSketch sketch;
  sketch.add(1, 10, "##..#.......");
  sketch.add(1, 12, "#...........");
  sketch.add(2, 12, "##..........");  // over the first
  sketch.add(2, 18, "...........#");  // nothing at 14 and 16
  sketch.write(folder / "seg.dcm", {"radius", "ulna", "lunate"});
  const auto map = read_labels(folder / "seg.dcm");
  ASSERT_TRUE(map) << map.error().message();
  EXPECT_EQ(map->lattice().size, (std::array<std::size_t, 3>{4, 3, 5}));
  EXPECT_NEAR(map->lattice().to_world.translation.z, 0.010, 1e-12);
  EXPECT_NEAR(map->lattice().spacing().x, 0.0005, 1e-12);
  EXPECT_NEAR(map->lattice().spacing().y, 0.00075, 1e-12);
  EXPECT_NEAR(map->lattice().spacing().z, 0.002, 1e-12);
  ASSERT_EQ(map->layers.size(), 2u);
  EXPECT_EQ(named(*map, "radius").samples, 4u);
  EXPECT_EQ(named(*map, "ulna").samples, 3u);
  EXPECT_EQ(named(*map, "ulna").layer, 1u);
  EXPECT_EQ(named(*map, "lunate").samples, 0u);
  const Volume& first = map->layers[0];
  EXPECT_EQ(first.samples[first.place(0, 1, 0)], 1);
  EXPECT_EQ(first.samples[first.place(1, 1, 0)], 0);
  EXPECT_EQ(map->layers[1].samples[first.place(3, 2, 4)], 2);

  // By its folder, in which other files lie too.
  DicomSketch::slice(3).write(folder / "slice.dcm");
  EXPECT_TRUE(read_labels(folder.path()));
  expect_error(read_labels(folder / "slice.dcm"), "is no DICOM segmentation");
  sketch.write(folder / "other.dcm", {"radius", "ulna"});
  expect_error(read_labels(folder.path()), "holds 2 DICOM segmentations");
}

TEST(Labels, DicomSegmentsHaveTheColoursOfTheirFile) {
  const TemporaryFolder folder;
  SegmentSketch sketch;
  sketch.add(1, 10, "##..#.......");
  sketch.add(2, 12, "##..........");
  sketch.add(3, 12, "....##......");
  // Pure red of a screen is L 53.24, a 80.09, b 67.20 (CIE 15, D65); black; and white.
  sketch.lab = {{34891, 53479, 50166}, {0, 32896, 32896}, {65535, 32896, 32896}};
  sketch.write(folder / "seg.dcm", {"radius", "ulna", "lunate", "capitate"});
  const auto map = read_labels(folder / "seg.dcm");
  ASSERT_TRUE(map) << map.error().message();
  const std::array<Vec3f, 3> wanted{Vec3f{1, 0, 0}, {0, 0, 0}, {1, 1, 1}};
  for (std::size_t l = 0; l < 3; ++l) {
    ASSERT_TRUE(map->labels[l].colour.has_value()) << l;
    // A step of 16 bits is 255 / 65535 of a and b; near black the screen's curve is steep, so dark parts differ by a
    // few hundredths for the rounded numbers above.
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR((*map->labels[l].colour)[k], wanted[l][k], 0.03f) << l << k;
  }
  EXPECT_FALSE(map->labels[3].colour.has_value());
}

TEST(Labels, DicomSegmentsThatAreNotUnderstoodAreRefused) {
  const TemporaryFolder folder;
  SegmentSketch odd;
  odd.add(1, 10, "##..#.......");
  odd.add(1, 12, "#...........");
  odd.add(1, 17.1, "#...........");
  odd.write(folder / "odd.dcm", {"radius"});
  expect_error(read_labels(folder / "odd.dcm"), "does not lie at a whole step of 2.0");
  odd.write(folder / "fraction.dcm", {"radius"}, "FRACTIONAL");
  expect_error(read_labels(folder / "fraction.dcm"), "of type 'FRACTIONAL' with 1 bits a sample");
  SegmentSketch far;
  far.add(1, 10, "##..#.......");
  far.add(1, 10.01, "#...........");
  far.add(1, 90, "#...........");
  far.write(folder / "far.dcm", {"radius"});
  expect_error(read_labels(folder / "far.dcm"), "leaves nearly all of its planes out");
}

TEST(Labels, FilesThatHoldNoneAreToldFromThoseThatDo) {
  const TemporaryFolder folder;
  expect_error(read_labels(folder / "nowhere.nrrd"), "does not exist");
  put_file(folder / "empty.nrrd", nrrd_text("", "0 0 0 0 0 0 0 0 0 0 0 0"));
  expect_error(read_labels(folder / "empty.nrrd"), "holds no labels: all of its samples are 0");
  put_file(folder / "shares.nrrd", nrrd_text("", "0 0.5 0 0 0 0 0 0 0 0 0 1", "float"));
  expect_error(read_labels(folder / "shares.nrrd"), "holds numbers that are no labels");
  put_file(folder / "ct.nrrd", nrrd_text("", "-1000 40 0 0 0 0 0 0 0 0 0 1", "short"));
  expect_error(read_labels(folder / "ct.nrrd"), "give the labels, not the image");
  Volume image = test::small_volume();
  image.size = {20, 20, 10};
  image.intercept = 0;
  image.samples.resize(image.count());
  for (std::size_t i = 0; i < image.samples.size(); ++i) image.samples[i] = static_cast<std::int16_t>(i);
  ASSERT_TRUE(write_nrrd(folder / "image.nrrd", image).ok());
  expect_error(read_labels(folder / "image.nrrd"), "holds more than 1000 different values");
}

}  // namespace
}  // namespace supple::imaging
