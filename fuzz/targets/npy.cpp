#include "supple/files/npy.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

bool read_npy_input(Input input) {
  const auto array = parse_npy(input, "a.npy");
  if (!array) return false;
  if (const auto floats = to_floats(*array)) require(floats->size() == array->count(), "every number becomes a float");
  if (const auto indices = to_indices(*array))
    require(indices->size() == array->count(), "every number becomes an index");
  return true;
}

std::string array_of(const std::string& type, const std::string& shape, std::size_t bytes) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size()) + '\0' + header +
         std::string(bytes, '\1');
}

Seeds npy_seeds() {
  const ScratchFile file(".npy");
  auto writer = NpyWriter::create(file.path(), "<f4", {3});
  const std::vector<float> row{1, 2, 3};
  require(writer && writer->append(std::span<const float>(row)).ok() && writer->commit().ok(), "an array is written");
  return {{"ours", file.contents()},
          {"doubles", array_of("<f8", "(2,)", 16)},
          {"bytes", array_of("|u1", "(2, 2)", 4)},
          {"longs", array_of("<i8", "()", 8)}};
}

}  // namespace

extern const Target npy_target{
    "npy",
    read_npy_input,
    npy_seeds,
    {"\x93NUMPY", "'descr': ", "'fortran_order': ", "'shape': ", "'<f4'", "'<f8'", "'<u4'", "'|i1'", "'<i8'", "False",
     "True", "(", ")", ",", "4294967296", "9223372036854775807", "0"}};

}  // namespace supple::fuzz
