#include "supple/files/ply.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

bool read_ply_input(Input input) { return parse_ply(as_text(input), "a.ply").ok(); }

Seeds ply_seeds() {
  const std::string head = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  std::string binary = "ply\nformat binary_little_endian 1.0\n" + head + faces + std::string(36, '\0');
  binary[binary.size() - 1] = 0x40;  // the last coordinate is 2
  binary += std::string("\x03\0\0\0\0\x01\0\0\0\x02\0\0\0", 13);
  return {{"text", "ply\nformat ascii 1.0\ncomment c\n" + head +
                       "property float nx\nproperty float ny\nproperty float nz\n" + faces +
                       "0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n"},
          {"other", "ply\nformat ascii 1.0\n" + head +
                        "element edge 1\nproperty int vertex1\nproperty list uint8 double other\n" + faces +
                        "0 0 0 1 0 0 0 1 0\n7 2 1 2\n3 0 1 2\n"},
          {"binary", binary}};
}

}  // namespace

extern const Target ply_target{
    "ply",
    read_ply_input,
    ply_seeds,
    {"ply", "format ascii 1.0\n", "format binary_little_endian 1.0\n", "format binary_big_endian 1.0\n", "element ",
     "vertex ", "face ", "property ", "list ", "uchar ", "int ", "float ", "double ", "vertex_indices", "end_header\n",
     "18446744073709551615", "4294967295", "nan", "inf"}};

}  // namespace supple::fuzz
