// Scans in one file. Readers unpack and skip while they read, and so take files, not memory.
#include <cstring>

#include "fuzz/target.h"
#include "supple/imaging/formats.h"
#include "supple/imaging/label_file.h"
#include "supple/imaging/volume_file.h"
#include "support/scan_volumes.h"

namespace supple::fuzz {
namespace {

bool read_from(const ScratchFile& file, Input input) {
  // A header that names another file would be read with whatever that holds.
  const std::string_view text = as_text(input);
  if (text.find('/') != std::string_view::npos) return false;
  file.put(input);
  Warnings warnings;
  const auto volume = imaging::read_volume(file.path(), "", &warnings);
  if (!volume) return false;
  require(volume->samples.size() == volume->count() && volume->slope > 0, "a volume that was read is whole");
  return true;
}

bool read_labels_from(const ScratchFile& file, Input input) {
  if (as_text(input).find('/') != std::string_view::npos) return false;
  file.put(input);
  Warnings warnings;
  const auto map = imaging::read_labels(file.path(), &warnings);
  if (!map) return false;
  for (const Label& label : map->labels)
    require(label.value > 0 && label.layer < map->layers.size(), "a label lies in a layer");
  for (const Volume& layer : map->layers) require(layer.samples.size() == layer.count(), "a layer is whole");
  return true;
}

Seeds label_seeds() {
  const std::string keys = "Segment0_Name:=radius\nSegment0_LabelValue:=2\nSegment0_Color:=0.1 0.2 1\n";
  const std::string head = "NRRD0005\ntype: uchar\nencoding: ascii\nspace: LPS\nspace origin: (0,1,2)\n" + keys;
  return {
      {"plain", head + "dimension: 3\nsizes: 2 2 2\nspace directions: (1,0,0) (0,1,0) (0,0,2)\n\n0 1 2 0 0 0 0 2\n"},
      {"layers", head + "Segment0_Layer:=1\nSegment1_Name:=ulna\ndimension: 4\nsizes: 2 2 2 2\n"
                        "space directions: none (1,0,0) (0,1,0) (0,0,2)\n\n0 1 2 0 0 0 0 2 1 1 1 1 2 2 2 2\n"}};
}

Volume small_volume() {
  return test::sampled_volume({3, 2, 2}, test::lattice(0.001),
                              [](Vec3d p) { return 1000 * (p.x + 2 * p.y - p.z) * 100; });
}

Seeds nrrd_seeds() {
  Seeds seeds;
  for (const bool packed : {false, true}) {
    const ScratchFile file(".nrrd");
    require(imaging::write_nrrd(file.path(), small_volume(), packed).ok(), "a volume is written");
    seeds[packed ? "packed" : "raw"] = file.contents();
  }
  const std::string head =
      "NRRD0005\n# c\ndimension: 3\nsizes: 2 2 2\nspace: RAS\nspace units: \"cm\" \"cm\" \"cm\"\n"
      "space directions: (1,0,0) (0,1,0) (0,0,2)\nspace origin: (0,1,2)\nkey:=value\n";
  seeds["text"] = head + "type: double\nencoding: ascii\n\n1 2 3 4\n5 6 7 8.5\n";
  seeds["floats"] = head + "type: float\nendian: big\nencoding: raw\nline skip: 1\nbyte skip: -1\n\nx\n" +
                    std::string(28, '\0') + "\x40\x49\x0f\xdb";
  return seeds;
}

Seeds metaimage_seeds() {
  const std::string head =
      "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 2 2 2\nElementSpacing = 1 1 2\n"
      "TransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 0 1 2\nModality = MET_MOD_CT\n";
  return {{"shorts", head + "ElementByteOrderMSB = True\nElementType = MET_SHORT\nElementDataFile = LOCAL\n" +
                         std::string(15, '\0') + "\x05"},
          {"text",
           "NDims = 3\nDimSize = 2 2 2\nBinaryData = False\nElementType = MET_DOUBLE\nElementDataFile = LOCAL\n"
           "1 2 3 4 5 6 7 8\n"}};
}

Seeds nifti_seeds() {
  std::string header(352, '\0');
  const auto put = [&](std::size_t at, auto value) { std::memcpy(header.data() + at, &value, sizeof value); };
  put(0, std::int32_t{348});
  put(40, std::int16_t{3});  // dimensions, and the size along each
  for (const std::size_t i : {1u, 2u, 3u}) put(40 + 2 * i, std::int16_t{2});
  put(70, std::int16_t{4});
  for (const std::size_t i : {1u, 2u, 3u}) put(76 + 4 * i, 1.5f);
  put(108, 352.0f);
  put(112, 2.0f);
  header[123] = 2;
  put(252, std::int16_t{1});
  header.replace(344, 3, "n+1");
  return {{"shorts", header + std::string(16, '\x01')}};
}

}  // namespace

extern const Target nrrd_target{"nrrd",
                                [](Input input) {
                                  static const ScratchFile file(".nrrd");
                                  return read_from(file, input);
                                },
                                nrrd_seeds,
                                {"NRRD0004\n",
                                 "type: ",
                                 "sizes: ",
                                 "encoding: raw\n",
                                 "encoding: gzip\n",
                                 "encoding: text\n",
                                 "endian: big\n",
                                 "space: RAS\n",
                                 "space directions: ",
                                 "(1,0,0)",
                                 "none",
                                 "space origin: ",
                                 "space units: ",
                                 "spacings: ",
                                 "line skip: ",
                                 "byte skip: ",
                                 "data file: ",
                                 ":=",
                                 "rescale slope",
                                 "double",
                                 "uint64",
                                 "18446744073709551615",
                                 "\n\n"}};
extern const Target labels_target{"labels",
                                  [](Input input) {
                                    static const ScratchFile file(".seg.nrrd");
                                    return read_labels_from(file, input);
                                  },
                                  label_seeds,
                                  {"Segment1_", "_Name:=", "_LabelValue:=", "_Layer:=", "_Color:=", "sizes: ", "none",
                                   "encoding: gzip\n", "type: ", "32767", "-1", "\n\n"}};
extern const Target metaimage_target{
    "metaimage",
    [](Input input) {
      static const ScratchFile file(".mha");
      return read_from(file, input);
    },
    metaimage_seeds,
    {"DimSize = ", "ElementType = ", "MET_FLOAT", "MET_ULONG_LONG", "ElementDataFile = ", "LOCAL\n",
     "BinaryData = False\n", "CompressedData = True\n", "ElementByteOrderMSB = True\n",
     "TransformMatrix = ", "Offset = ", "ElementSpacing = ", "HeaderSize = -1\n",
     "ElementNumberOfChannels = ", "18446744073709551615", "nan"}};
extern const Target nifti_target{"nifti",
                                 [](Input input) {
                                   static const ScratchFile file(".nii");
                                   return read_from(file, input);
                                 },
                                 nifti_seeds,
                                 {"n+1", "ni1"}};

}  // namespace supple::fuzz
