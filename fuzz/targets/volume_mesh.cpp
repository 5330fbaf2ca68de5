// Tetrahedra of other programs.
#include "supple/files/volume_mesh.h"

#include "fuzz/target.h"
#include "support/tet_bars.h"

namespace supple::fuzz {
namespace {

bool read_as(Input input, const char* name) {
  Warnings warnings;
  const auto volume = parse_volume_mesh(as_text(input), name, {0.001}, &warnings);
  if (!volume) return false;
  require(validate(volume->mesh).ok(), "a volume mesh that was read is a good one");
  return true;
}

std::string written_mesh(const std::string& extension) {
  const ScratchFile file(extension);
  require(write_volume_mesh(file.path(), {test::tet_bar({1, 1, 1}, 1, 1, 1), {0, 1, 2, 0, 1, 2}}).ok(),
          "it is written");
  return file.contents();
}

template <class T>
void append_all(std::string& text, std::initializer_list<T> values) {
  for (const T value : values) text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string binary_gmsh_4() {
  std::string text = "$MeshFormat\n4.1 1 8\n";
  append_all<std::int32_t>(text, {1});
  text += "\n$EndMeshFormat\n$Nodes\n";
  append_all<std::uint64_t>(text, {1, 4, 1, 4});
  append_all<std::int32_t>(text, {3, 1, 0});
  append_all<std::uint64_t>(text, {4, 1, 2, 3, 4});
  append_all<double>(text, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  text += "\n$EndNodes\n$Elements\n";
  append_all<std::uint64_t>(text, {1, 1, 1, 1});
  append_all<std::int32_t>(text, {3, 1, 4});
  append_all<std::uint64_t>(text, {1, 1, 1, 2, 3, 4});
  return text + "\n$EndElements\n";
}

Seeds gmsh_seeds() {
  return {{"text_2", written_mesh(".msh")},
          {"text_4",
           "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n$Nodes\n"
           "1 4 1 4\n3 1 1 4\n1\n2\n3\n4\n0 0 0 0 0 0\n1 0 0 0 0 0\n0 1 0 0 0 0\n0 0 1 0 0 0\n$EndNodes\n$Elements\n"
           "2 2 1 2\n3 1 4 1\n1 1 2 3 4\n2 1 2 1\n2 1 2 3\n$EndElements\n"},
          {"binary_4", binary_gmsh_4()}};
}

Seeds medit_seeds() {
  return {{"ours", written_mesh(".mesh")},
          {"others",
           "MeshVersionFormatted 2\nDimension 3\n# c\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\nTriangles\n1\n"
           "1 2 3 5\nCorners\n1\n1\nTetrahedra\n1\n1 2 4 3 -2\nEnd\n"}};
}

Seeds netgen_seeds() {
  return {{"one",
           "mesh3d\ndimension\n3\ngeomtype\n0\n# c\nsurfaceelements\n1\n2 1 1 0 3 1 2 3\nvolumeelements\n2\n"
           "1 4 1 2 3 4\n1 5 1 2 3 4 1\npoints\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nendmesh\n"}};
}

}  // namespace

extern const Target gmsh_target{"gmsh",
                                [](Input input) { return read_as(input, "a.msh"); },
                                gmsh_seeds,
                                {"$MeshFormat\n", "$EndMeshFormat\n", "2.2 0 8\n", "2.2 1 8\n", "4.1 0 8\n",
                                 "4.1 1 8\n", "$Nodes\n", "$EndNodes\n", "$Elements\n", "$EndElements\n", "$Entities\n",
                                 "$EndEntities\n", " 11 ", "2147483647", "-2147483648", "18446744073709551615", "nan"}};
extern const Target medit_target{"medit",
                                 [](Input input) { return read_as(input, "a.mesh"); },
                                 medit_seeds,
                                 {"MeshVersionFormatted ", "Dimension ", "Vertices\n", "Tetrahedra\n", "TetrahedraP2\n",
                                  "Triangles\n", "End", "#", "9223372036854775807", "-1"}};
extern const Target netgen_target{"netgen",
                                  [](Input input) { return read_as(input, "a.vol"); },
                                  netgen_seeds,
                                  {"mesh3d\n", "dimension\n", "volumeelements\n", "points\n", "surfaceelements\n",
                                   "endmesh\n", " 10 ", " 4 ", "#", "2147483647", "-2147483648"}};

}  // namespace supple::fuzz
