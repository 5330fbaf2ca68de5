// Volume meshes of other programs: each format's node order and numbering, regions, broken files, and Gmsh itself.
#include "supple/files/volume_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "support/run_command.h"

namespace supple {
namespace {

using test::ScratchFolder;

/// Two elements over one face; the second has another size.
VolumeMesh pair_of(std::uint32_t nodes_per_element) {
  TetMesh linear{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 3, 4}}, 4, {0, 1, 2, 3, 1, 2, 3, 4}};
  if (signed_volume(linear.nodes[1], linear.nodes[2], linear.nodes[3], linear.nodes[4]) < 0) {
    std::swap(linear.elements[4], linear.elements[5]);
  }
  return {nodes_per_element == 4 ? linear : to_quadratic(linear), {3, 8}};
}

/// Largest distance of a middle node from the middle of its own edge.
double off_middle(const TetMesh& mesh) {
  double worst = 0;
  for (std::size_t e = 0; e < mesh.element_count() && mesh.nodes_per_element == 10; ++e) {
    const auto n = mesh.element(e);
    for (std::size_t k = 0; k < 6; ++k) {
      const Vec3d middle = (mesh.nodes[n[tet_edges[k][0]]] + mesh.nodes[n[tet_edges[k][1]]]) * 0.5;
      worst = std::max(worst, length(mesh.nodes[n[4 + k]] - middle));
    }
  }
  return worst;
}

std::string problem(std::string_view text, const std::string& name) {
  const Result<VolumeMesh> volume = parse_volume_mesh(text, name);
  return volume ? std::string("read") : volume.error().message();
}

const std::string msh22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"flesh\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n99 5 5 5\n$EndNodes\n"
    "$Elements\n3\n1 2 2 0 1 10 20 30\n2 4 2 7 1 10 20 30 40\n3 15 2 0 1 99\n$EndElements\n";

const std::string msh41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 1\n1 0 0 0 0\n"
    "5 0 0 0 1 1 1 2 7 8 1 -2\n$EndEntities\n"
    "$Nodes\n2 4 1 4\n0 1 0 1\n1\n0 0 0\n3 5 0 3\n2\n3\n4\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
    "$Elements\n2 2 1 2\n0 1 15 1\n1 1\n3 5 4 1\n2 1 2 3 4\n$EndElements\n";

const std::string medit =
    "MeshVersionFormatted 1 # a comment 1 2 3\n\nDimension\n3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
    "Corners 1\n1\nTriangles\n1\n1 2 3 4\nTetrahedra\n1\n1 3 2 4 6\nEnd\n";

// Quadratic, with middle nodes on edges 12 13 14 23 24 34 as Netgen has them, and corners in its order.
const std::string netgen =
    "mesh3d\ndimension\n3\ngeomtype\n0\n\n# surfnr bcnr domin domout np p1 p2 p3\nsurfaceelementsgi\n1\n"
    " 1 1 1 0 3 1 2 3 0 0 0\n\n#  matnr np p1 p2 p3 p4\nvolumeelements\n1\n"
    "  2 10 1 3 2 4 6 5 7 8 10 9\n\nedgesegmentsgi2\n0\n\npoints\n10\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n0.5 0 0\n0 0.5 0\n0 0 0.5\n0.5 0.5 0\n0.5 0 0.5\n0 0.5 0.5\n"
    "materials\n1\n2 points\nendmesh\n";

TEST(VolumeMesh, ReadsSmallFilesOfEachFormat) {
  Warnings warnings;
  auto volume = parse_volume_mesh(msh22, "a.msh", {0.001}, &warnings);
  ASSERT_TRUE(volume.ok()) << volume.error().message();
  EXPECT_EQ(volume->regions, std::vector<std::uint32_t>{7});
  EXPECT_EQ(volume->mesh.nodes.size(), 4u);  // the fifth is of no tetrahedron
  EXPECT_NEAR(quality(volume->mesh).volume, 1e-9 / 6, 1e-20);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "a.msh: 1 points left out: only tetrahedra are used");
  EXPECT_EQ(warnings[1], "a.msh: 1 triangles left out: only tetrahedra are used");

  volume = parse_volume_mesh(msh41, "a.msh");
  ASSERT_TRUE(volume.ok()) << volume.error().message();
  EXPECT_EQ(volume->regions, std::vector<std::uint32_t>{7});  // the first physical group of entity 5
  EXPECT_NEAR(quality(volume->mesh).volume, 1.0 / 6, 1e-15);

  warnings.clear();
  volume = parse_volume_mesh(medit, "a.MESH", {}, &warnings);
  ASSERT_TRUE(volume.ok()) << volume.error().message();
  EXPECT_EQ(volume->regions, std::vector<std::uint32_t>{6});
  EXPECT_NEAR(quality(volume->mesh).volume, 1.0 / 6, 1e-15);  // given inside out
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("1 Triangles left out"), std::string::npos);
  EXPECT_NE(warnings[1].find("1 tetrahedra had their corners in the other order"), std::string::npos);

  volume = parse_volume_mesh(netgen, "a.vol");
  ASSERT_TRUE(volume.ok()) << volume.error().message();
  EXPECT_EQ(volume->regions, std::vector<std::uint32_t>{2});
  EXPECT_EQ(volume->mesh.nodes_per_element, 10u);
  EXPECT_EQ(off_middle(volume->mesh), 0);
  EXPECT_NEAR(quality(volume->mesh).volume, 1.0 / 6, 1e-15);
}

TEST(VolumeMesh, WhatIsWrittenIsReadBack) {
  const ScratchFolder folder;
  for (const std::uint32_t size : {4u, 10u}) {
    for (const char* name : {"pair.msh", "pair.mesh"}) {
      const VolumeMesh volume = pair_of(size);
      ASSERT_TRUE(validate(volume.mesh).ok());
      const Result<void> written = write_volume_mesh(folder / name, volume);
      ASSERT_TRUE(written.ok()) << written.error().message();
      const auto back = read_volume_mesh(folder / name);
      ASSERT_TRUE(back.ok()) << back.error().message();
      EXPECT_EQ(back->mesh.nodes, volume.mesh.nodes);
      EXPECT_EQ(back->mesh.elements, volume.mesh.elements);
      EXPECT_EQ(back->regions, volume.regions);
    }
  }
  EXPECT_FALSE(write_volume_mesh(folder / "pair.vtk", pair_of(4)).ok());
  EXPECT_FALSE(read_volume_mesh(folder / "absent.msh").ok());
}

TEST(VolumeMesh, MixedOrdersBecomeLinear) {
  std::string text = medit;
  text.replace(text.find("End\n"), 4, "TetrahedraP2\n1\n2 3 4 5 1 1 1 1 1 1 9\nEnd\n");
  text.replace(text.find("Vertices\n4\n"), 11, "Vertices\n5\n");
  text.replace(text.find("0 0 1 0\n"), 8, "0 0 1 0\n1 1 1 0\n");
  Warnings warnings;
  const auto volume = parse_volume_mesh(text, "a.mesh", {}, &warnings);
  ASSERT_TRUE(volume.ok()) << volume.error().message();
  EXPECT_EQ(volume->mesh.nodes_per_element, 4u);
  EXPECT_EQ(volume->regions, (std::vector<std::uint32_t>{6, 9}));
  EXPECT_NE(warnings.back().find("1 quadratic tetrahedra became linear"), std::string::npos);
}

TEST(VolumeMesh, BrokenFilesNameTheLine) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const auto expect = [](const std::string& found, const std::string& part) {
    EXPECT_NE(found.find(part), std::string::npos) << found;
  };
  expect(problem(replaced(msh22, "2 4 2 7 1 10 20 30 40", "2 4 2 7 1 10 20 30 41"), "a.msh"),
         "a.msh:19: tetrahedron 1 names node 41");
  expect(problem(replaced(msh22, "30 0 1 0", "30 0 x 0"), "a.msh"), "a.msh:12: coordinate expected, found 'x'");
  expect(problem(replaced(msh22, "40 0 0 1\n", "30 0 0 1\n"), "a.msh"), "two nodes of number 30");
  expect(problem(replaced(msh22, "40 0 0 1\n", "40 1 1 0\n"), "a.msh"), "a.msh:19: tetrahedron 1 has no volume");
  expect(problem(replaced(msh22, "$Nodes\n5", "$Nodes\n500000000000"), "a.msh"), "more than the rest of the file");
  expect(problem(replaced(msh22, "$Elements\n3", "$Elements\n9"), "a.msh"), "element number expected, found '$EndEl");
  expect(problem(replaced(msh22, "2.2", "4.0"), "a.msh"), "version '4.0'");
  expect(problem(replaced(msh22, "2 4 2 7 1", "2 77 2 7 1"), "a.msh"), "unknown type 77");
  expect(problem(msh22.substr(0, 120), "a.msh"), "a.msh:");
  expect(problem("", "a.msh"), "$MeshFormat");
  expect(problem(replaced(msh41, "2 1 2 3 4\n", "2 1 2 3\n"), "a.msh"), "node number expected");
  expect(problem(replaced(msh41, "$EndEntities", "$Ende"), "a.msh"), "$EndEntities expected, found '$Ende'");
  expect(problem(replaced(medit, "1 0 0 0", "1 nan 0 0"), "a.mesh"), "a.mesh:8: has a coordinate that is not finite");
  expect(problem(replaced(medit, "1 3 2 4 6", "1 3 2 0 6"), "a.mesh"), "a.mesh:18: tetrahedron 1 names node 0");
  expect(problem(replaced(medit, "1 3 2 4 6", "1 3 2 -4 6"), "a.mesh"), "a.mesh:18: vertex number expected");
  expect(problem(replaced(medit, "Dimension\n3", "Dimension\n2"), "a.mesh"), "2 dimensions");
  expect(problem("MFEM mesh v1.0", "a.mesh"), "MeshVersionFormatted");
  expect(problem(replaced(medit, "Tetrahedra\n1\n1 3 2 4 6\n", ""), "a.mesh"), "has no tetrahedra");
  expect(problem(replaced(netgen, "endmesh", ""), "a.vol"), "endmesh expected");
  expect(problem(replaced(netgen, "2 10 1 3 2 4", "2 10 1 3 2 44"), "a.vol"), "a.vol:15: tetrahedron 1 names node 44");
  expect(problem(replaced(netgen, "2 10 1 3 2 4", "2 8 1 3 2 4"), "a.vol"), "has no tetrahedra");
  expect(problem("solid", "a.stl"), "Gmsh .msh, MEDIT .mesh or Netgen .vol");
  EXPECT_FALSE(parse_volume_mesh(msh22, "a.msh", {0}).ok());
  EXPECT_FALSE(parse_volume_mesh(msh22, "a.msh", {NAN}).ok());
}

TEST(VolumeMesh, CutFilesAreErrorsWhereverTheyEnd) {
  for (const auto& [text, name] : {std::pair(msh22, "a.msh"), std::pair(msh41, "a.msh"), std::pair(netgen, "a.vol")}) {
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {
      EXPECT_FALSE(parse_volume_mesh(std::string_view(text).substr(0, size), name).ok()) << name << ' ' << size;
    }
  }
}

/// A ball and a box in two physical groups.
class GmshFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::run("gmsh --version").exit_code != 0) GTEST_SKIP() << "needs the program gmsh";
    std::ofstream(folder_ / "two.geo") << "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0, 0, 0, 1};\n"
                                          "Box(2) = {2, 0, 0, 1, 1, 1};\nPhysical Volume(7) = {1};\n"
                                          "Physical Volume(9) = {2};\nMesh.MeshSizeMax = 0.6;\n";
  }
  ScratchFolder folder_;
};

TEST_F(GmshFiles, AllFormatsGiveTheSameMesh) {
  for (const int order : {1, 2}) {
    std::optional<VolumeMesh> first;
    for (const std::string format : {"msh22 -o a.msh", "msh22 -bin -o b.msh", "msh41 -o c.msh", "msh41 -bin -o d.msh",
                                     "mesh -save_all -o e.mesh"}) {
      const auto made = test::run("cd " + folder_.path().string() + " && gmsh -3 two.geo -order " +
                                  std::to_string(order) + " -format " + format);
      ASSERT_EQ(made.exit_code, 0) << made.err;
      const std::string name = format.substr(format.find("-o ") + 3);
      const auto volume = read_volume_mesh(folder_ / name);
      ASSERT_TRUE(volume.ok()) << volume.error().message();
      EXPECT_EQ(volume->mesh.nodes_per_element, order == 1 ? 4u : 10u);
      if (!first) first = *volume;
      // MEDIT numbers regions by entity, not by physical group, and has fewer digits.
      const bool is_medit = name == "e.mesh";
      ASSERT_EQ(volume->mesh.element_count(), first->mesh.element_count());
      EXPECT_NEAR(quality(volume->mesh).volume, quality(first->mesh).volume, 1e-9);
      EXPECT_EQ(quality(volume->mesh).components, 2u);
      std::vector<std::uint32_t> box;
      for (std::uint32_t e = 0; e < volume->regions.size(); ++e) {
        if (volume->regions[e] == (is_medit ? 2u : 9u)) box.push_back(e);
      }
      const TetMesh part = extract_elements(volume->mesh, box);
      EXPECT_NEAR(quality(part).volume, 1, 1e-9);
      EXPECT_LT(off_middle(part), 1e-9);  // the box's edges are straight
      if (order == 2) {
        EXPECT_GT(off_middle(volume->mesh), 0.005);  // the ball's are not
      }
    }
  }
}

TEST_F(GmshFiles, GmshReadsWhatIsWritten) {
  for (const char* name : {"pair.msh", "pair.mesh"}) {
    ASSERT_TRUE(write_volume_mesh(folder_ / name, pair_of(10)).ok());
    const auto back = test::run("cd " + folder_.path().string() + " && gmsh -save -format msh41 -o back.msh " + name);
    ASSERT_EQ(back.exit_code, 0) << back.err;
    const auto volume = read_volume_mesh(folder_ / "back.msh");
    ASSERT_TRUE(volume.ok()) << name << ": " << volume.error().message();
    const TetMesh given = pair_of(10).mesh;
    ASSERT_EQ(volume->mesh.elements.size(), given.elements.size());
    for (std::size_t i = 0; i < given.elements.size(); ++i) {  // nodes have new numbers
      EXPECT_EQ(volume->mesh.nodes[volume->mesh.elements[i]], given.nodes[given.elements[i]]);
    }
  }
}

}  // namespace
}  // namespace supple
