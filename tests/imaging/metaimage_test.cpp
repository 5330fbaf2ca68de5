// MetaImage headers and data, attached and beside.
#include <gtest/gtest.h>

#include <zlib.h>

#include "imaging/imaging_support.h"

namespace supple::test {
namespace {

using imaging::read_volume;

std::string header(const std::string& more) {
  return "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"
         "TransformMatrix = 0 1 0 0 0 1 1 0 0\nOffset = -10 20 5.5\nCenterOfRotation = 0 0 0\n"
         "ElementSpacing = 0.5 0.75 2\nDimSize = 3 2 2\nElementType = MET_SHORT\n" +
         more;
}

std::string shorts(bool big) {
  std::string out;
  for (int i = 0; i < 12; ++i) append(out, static_cast<std::int16_t>(1000 * i - 3000), big);
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

void expect_the_volume(const Result<Volume>& volume) {
  ASSERT_TRUE(volume) << volume.error().message();
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(volume->slope * volume->samples[i] + volume->intercept, 1000.0 * static_cast<double>(i) - 3000);
  // The triples of the matrix are the directions of the axes: columns run along y, rows along z, slices along x.
  const Vec3d at = volume->to_world.point({2, 1, 1}) * 1000;
  EXPECT_NEAR(length(at - Vec3d{-10 + 2, 20 + 1, 5.5 + 0.75}), 0, 1e-12);
}

TEST(MetaImage, EveryEncodingGivesTheVolume) {
  const TemporaryFolder folder;
  const std::string local = "ElementDataFile = LOCAL\n";
  put_file(folder / "a.mha", header(local) + shorts(false));
  expect_the_volume(read_volume(folder / "a.mha"));
  put_file(folder / "a.mha", replaced(header(local), "OrderMSB = False", "OrderMSB = True") + shorts(true));
  expect_the_volume(read_volume(folder / "a.mha"));
  std::string text;
  for (int i = 0; i < 12; ++i) text += std::to_string(1000 * i - 3000) + " ";
  put_file(folder / "a.mha", replaced(header(local), "BinaryData = True", "BinaryData = False") + text + "\n");
  expect_the_volume(read_volume(folder / "a.mha"));

  const std::string raw = shorts(false);
  std::string packed(200, '\0');
  uLongf size = 200;
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()), 24),
            Z_OK);
  packed.resize(size);
  const std::string zipped = replaced(header(local), "CompressedData = False", "CompressedData = True");
  put_file(folder / "a.mha", zipped + packed);
  expect_the_volume(read_volume(folder / "a.mha"));
  put_file(folder / "a.mhd", header("ElementDataFile = b.raw\n"));
  put_file(folder / "b.raw", raw);
  expect_the_volume(read_volume(folder / "a.mhd"));
  put_file(folder / "a.mhd", header("HeaderSize = -1\nElementDataFile = b.raw\n"));
  put_file(folder / "b.raw", "some vendor's header" + raw);
  expect_the_volume(read_volume(folder / "a.mhd"));
}

TEST(MetaImage, TypesChannelsAndModality) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& type, const std::string& data, const std::string& more = "") {
    put_file(folder / "a.mha", replaced(header(more + "ElementDataFile = LOCAL\n"), "MET_SHORT", type) + data);
    return read_volume(folder / "a.mha");
  };
  const auto filled = [](auto value) {
    std::string out;
    for (int i = 0; i < 12; ++i) append(out, value, false);
    return out;
  };
  const auto expect = [](const Result<Volume>& volume, double value) {
    ASSERT_TRUE(volume) << volume.error().message();
    EXPECT_EQ(volume->value(2, 1, 0), value);
  };
  expect(read("MET_CHAR", filled(std::int8_t{-7})), -7);
  expect(read("MET_UCHAR", filled(std::uint8_t{250})), 250);
  expect(read("MET_USHORT", filled(std::uint16_t{65000})), 65000);
  expect(read("MET_INT", filled(std::int32_t{-70000})), -70000);
  expect(read("MET_LONG", filled(std::int32_t{70000})), 70000);
  expect(read("MET_UINT", filled(std::uint32_t{4000000000})), 4e9);
  expect(read("MET_LONG_LONG", filled(std::int64_t{-5})), -5);
  expect(read("MET_ULONG_LONG", filled(std::uint64_t{5})), 5);
  expect(read("MET_FLOAT", filled(0.5f)), 0.5);
  expect(read("MET_DOUBLE", filled(-0.1)), -0.1);
  const auto ct = read("MET_UCHAR", filled(std::uint8_t{1}), "Modality = MET_MOD_CT\n");
  ASSERT_TRUE(ct);
  EXPECT_EQ(ct->modality, "CT");
  expect_error(read("MET_STRANGE", ""), "has no usable ElementType (it says 'MET_STRANGE')");
  expect_error(read("MET_UCHAR", filled(1), "ElementNumberOfChannels = 3\n"), "holds 3 numbers per sample");
  expect_error(read("MET_DOUBLE", filled(1.0f)), "is shorter than its header says: 48 bytes of numbers instead of 96");
}

TEST(MetaImage, FaultsAreNamed) {
  const TemporaryFolder folder;
  const std::string whole = header("ElementDataFile = LOCAL\n") + shorts(false);
  const auto expect = [&](const std::string& contents, const std::string& said) {
    put_file(folder / "a.mha", contents);
    expect_error(read_volume(folder / "a.mha"), said);
  };
  expect("hello", "is not a MetaImage file");
  expect(header(""), "is not a MetaImage file");
  expect(replaced(whole, "DimSize = 3 2 2", "DimSize = a"), "no usable DimSize");
  expect(replaced(whole, "DimSize = 3 2 2", "DimSize = 3 4"), "is a single slice (3 x 4)");
  expect(replaced(whole, "DimSize = 3 2 2", "DimSize = 3 2 2 2"), "has 4 dimensions");
  expect(replaced(whole, "0.5 0.75 2", "0.5 0.75"), "no usable ElementSpacing");
  expect(replaced(whole, "0.5 0.75 2", "0.5 0 2"), "apart along axis 2");
  expect(replaced(whole, "0 1 0 0 0 1", "0 1 0 0 0"), "no usable TransformMatrix");
  expect(replaced(whole, "0 1 0 0 0 1", "0 1 0 0 1 0"), "not at right angles");
  expect(header("ElementDataFile = LIST\n"), "has its data in several files");
  expect(header("ElementDataFile = gone.raw\n"), "gone.raw: cannot be read");
}

}  // namespace
}  // namespace supple::test
