// .npy files against numpy itself, both ways, and every kind of damage.
#include "supple/files/npy.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>

#include "supple/base/vec.h"
#include "support/numpy.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

/// A file with that dictionary and payload, version 1.0.
void write_raw(const std::filesystem::path& path, std::string dictionary, const std::string& payload) {
  dictionary += "\n";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  ASSERT_TRUE(write_file(path, text + dictionary + payload));
}

TEST(Npy, WrittenRowsComeBackBitByBit) {
  const ScratchFolder work;
  auto writer = NpyWriter::create(work / "a.npy", "<f4", {2, 3});
  ASSERT_TRUE(writer) << writer.error().message();
  std::vector<float> all;
  for (int row = 0; row < 5; ++row) {
    std::vector<float> values;
    for (int i = 0; i < 6; ++i) values.push_back(std::ldexp(1.0f + 0.1f * static_cast<float>(i), row * 20 - 60));
    ASSERT_TRUE(writer->append(std::span<const float>(values)));
    all.insert(all.end(), values.begin(), values.end());
  }
  EXPECT_FALSE(writer->append(std::span<const float>(all).first(5))) << "not a whole row";
  EXPECT_FALSE(std::filesystem::exists(work / "a.npy"));
  ASSERT_TRUE(writer->commit());
  EXPECT_EQ(work.entries(), 1u);
  const auto array = read_npy(work / "a.npy");
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_EQ(array->shape, (std::vector<std::size_t>{5, 2, 3}));
  const auto floats = to_floats(*array);
  ASSERT_TRUE(floats);
  EXPECT_EQ(std::vector<float>(floats->begin(), floats->end()), all);
  EXPECT_EQ(static_cast<const void*>(floats->span().data()), array->data.data()) << "mapped, not copied";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array->data.data()) % 64, 0u);
}

TEST(Npy, RowsAfterTheKeptOnesAreDropped) {
  const ScratchFolder work;
  auto writer = NpyWriter::create(work / "a.npy", "<u4", {1});
  const std::vector<std::uint32_t> values{1, 2, 3};
  ASSERT_TRUE(writer->append(std::span<const std::uint32_t>(values)));
  ASSERT_TRUE(writer->keep(2));
  ASSERT_TRUE(writer->commit());
  const auto indices = to_indices(read_npy(work / "a.npy").value());
  ASSERT_EQ(indices->size(), 2u);
  EXPECT_EQ((*indices)[1], 2u);
}

TEST(Npy, OtherNumberTypesAreConverted) {
  const ScratchFolder work;
  const double doubles[]{0.5, -3};
  const std::int64_t integers[]{7, 0}, negative[]{-1, 0};
  const auto raw = [](const auto& v) { return std::string(reinterpret_cast<const char*>(v), sizeof v); };
  write_raw(work / "d.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", raw(doubles));
  write_raw(work / "i.npy", "{\"shape\": (2L,), 'descr': '<i8', 'fortran_order': False}", raw(integers));
  write_raw(work / "n.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", raw(negative));
  EXPECT_EQ(to_floats(read_npy(work / "d.npy").value()).value()[1], -3.0f);
  EXPECT_EQ(to_indices(read_npy(work / "i.npy").value()).value()[0], 7u) << "at an odd address, too";
  EXPECT_NE(to_indices(read_npy(work / "n.npy").value()).error().message().find("entry 0 is -1"), std::string::npos);
  EXPECT_FALSE(to_floats(read_npy(work / "i.npy").value()));
  EXPECT_FALSE(to_indices(read_npy(work / "d.npy").value()));
}

TEST(Npy, DamageIsNamed) {
  const ScratchFolder work;
  const std::string eight(8, '\0');
  const std::vector<std::array<std::string, 3>> cases{
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", eight, "big-endian"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", eight, "Fortran order"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", eight, "holds 8 bytes of data where shape (3,)"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", eight, "save one array"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }", eight, "more than there"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", eight, "not plain numbers"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", eight, "not plain numbers"},
      {"{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", eight, "structures"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", eight, "malformed"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }", eight, "malformed"},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", eight, "malformed"},
      {"{'descr': '<f4', 'shape': (2,), }", eight, "malformed"},
      {"{'descr': '', 'fortran_order': False, 'shape': (2,), }", eight, "not plain numbers"},
      {"", eight, "malformed"}};
  for (const auto& [dictionary, payload, expected] : cases) {
    write_raw(work / "bad.npy", dictionary, payload);
    const auto array = read_npy(work / "bad.npy");
    ASSERT_FALSE(array) << dictionary;
    EXPECT_NE(array.error().message().find(expected), std::string::npos) << dictionary << array.error().message();
    EXPECT_NE(array.error().item.find("bad.npy"), std::string::npos);
  }
  for (const std::string& text :
       {std::string(), std::string("\x93NUM"), std::string("\x93NUMPY\x01\x00\xff\x7f{", 11),
        std::string("\x93NUMPY\x02\x00\x01\x00", 10), std::string("\x93NUMPY\x09\x00\x01\x00{}", 12)}) {
    ASSERT_TRUE(write_file(work / "bad.npy", text));
    EXPECT_FALSE(read_npy(work / "bad.npy")) << text.size();
  }
}

// A limit on file size fails in write() just as a full disk does.
TEST(Npy, AFullDiskIsAnErrorWithThePath) {
  const ScratchFolder work;
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  {
    auto writer = NpyWriter::create(work / "big.npy", "<f4", {1000, 3});
    const std::vector<Vec3f> row(1000);
    Result<void> added;
    for (int i = 0; i < 100 && added; ++i) added = writer->append(std::span<const Vec3f>(row));
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().item.find("big.npy"), std::string::npos);
  }
  EXPECT_EQ(work.entries(), 0u);
}

TEST(Npy, NumpyReadsOurs) {
  SUPPLE_REQUIRE_NUMPY();
  const ScratchFolder work;
  auto writer = NpyWriter::create(work / "a.npy", "<f4", {2});
  const std::vector<float> values{1, 2, 3, 4, 5, 6.5f};
  ASSERT_TRUE(writer->append(std::span<const float>(values)));
  ASSERT_TRUE(writer->commit());
  const auto said = python("import numpy as np; a = np.load('" + (work / "a.npy").string() +
                           "', mmap_mode='r'); print(a.dtype.str, a.shape, a.flags.c_contiguous, a.tolist())");
  EXPECT_EQ(said.out, "<f4 (3, 2) True [[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]]\n") << said.err;
}

TEST(Npy, WeReadNumpys) {
  SUPPLE_REQUIRE_NUMPY();
  const ScratchFolder work;
  const auto made =
      python("import numpy as np, os; os.chdir('" + work.path().string() +
             "'); a = (np.arange(24) / 7).reshape(2, 4, 3)\n"
             "np.save('f4.npy', a.astype('<f4')); np.save('f8.npy', a); np.save('f.npy', np.asfortranarray(a))\n"
             "np.save('be.npy', a.astype('>f4')); np.save('i.npy', np.arange(6)); np.save('u1.npy', np.arange(6, "
             "dtype='u1'))\n"
             "np.save('scalar.npy', np.float32(2)); np.save('empty.npy', np.zeros((0, 3), 'f4'))\n"
             "np.lib.format.write_array(open('v2.npy', 'wb'), a.astype('<f4'), version=(2, 0))\n");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const std::string name : {"f4.npy", "f8.npy", "v2.npy"}) {
    const auto array = read_npy(work / name);
    ASSERT_TRUE(array) << array.error().message();
    EXPECT_EQ(array->shape, (std::vector<std::size_t>{2, 4, 3})) << name;
    const auto values = to_floats(*array).value();
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(values[i], static_cast<float>(static_cast<double>(i) / 7)) << name;
  }
  EXPECT_EQ(to_indices(read_npy(work / "i.npy").value()).value()[5], 5u);
  EXPECT_EQ(to_indices(read_npy(work / "u1.npy").value()).value()[5], 5u);
  EXPECT_EQ(to_floats(read_npy(work / "scalar.npy").value()).value()[0], 2.0f);
  EXPECT_EQ(read_npy(work / "empty.npy").value().count(), 0u);
  EXPECT_NE(read_npy(work / "f.npy").error().message().find("Fortran"), std::string::npos);
  EXPECT_NE(read_npy(work / "be.npy").error().message().find("big-endian"), std::string::npos);
}

}  // namespace
}  // namespace supple::test
