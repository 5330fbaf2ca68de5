// Figures of the lattice teacher on characters' own clips, beside linear blend: strain, stretched edges, triangles that
// cross, convergence and time. Usage: supple_lattice_figures FILE [CELLS] [FRAMES of each clip]
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "supple/author/lattice/lattice_teacher.h"
#include "supple/files/load_character.h"
#include "supple/measure/intersections.h"

namespace {

using namespace supple;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Strain {
  double squared = 0, worst = 0;
  std::size_t edges = 0, stretched = 0;
  double rms() const { return std::sqrt(squared / static_cast<double>(std::max<std::size_t>(1, edges))); }
};

template <class Positions>
void add_strain(const std::vector<Triangle>& triangles, const std::vector<Vec3d>& rest, const Positions& posed,
                double size, Strain& strain) {
  for (const Triangle& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      const double before = length(rest[a] - rest[b]), after = length(Vec3d(posed[a]) - Vec3d(posed[b]));
      if (before < 1e-4 * size) continue;
      const double s = after / before - 1;
      strain.squared += s * s;
      ++strain.edges;
      strain.worst = std::max(strain.worst, s);
      if (after > 2 * before && after - before > .005 * size) ++strain.stretched;
    }
}

int run(const char* path, std::size_t cells, int frames) {
  const auto loaded = load_character(path);
  if (!loaded) return fmt::print("{}\n", loaded.error().message()), 1;
  const Character& character = *loaded;
  std::vector<std::size_t> parts;
  for (std::size_t p = 0; p < character.parts.size(); ++p)
    if (character.parts[p].skin && character.parts[p].name != "bones") parts.push_back(p);
  lattice::TeacherOptions options;
  for (std::size_t p = 0; p < character.parts.size() && std::getenv("NO_BONES") == nullptr; ++p)
    if (character.parts[p].name == "bones") options.bones.push_back(p);
  options.cells = cells;
  if (const char* most = std::getenv("ITERATIONS")) options.elastic.most_iterations = std::atoi(most);
  if (const char* tolerance = std::getenv("TOLERANCE")) options.elastic.tolerance = std::atof(tolerance);
  if (const char* hold = std::getenv("HOLD")) options.elastic.hold = std::atof(hold);
  if (const char* w = std::getenv("HELD_FROM")) options.elastic.held_from = std::atof(w);
  if (const char* w = std::getenv("HELD_AT")) options.elastic.held_at = std::atof(w);
  if (const char* w = std::getenv("TETHER")) options.elastic.tether = std::atof(w);
  if (const char* w = std::getenv("VOLUME")) options.elastic.volume = std::atof(w);
  if (const char* p = std::getenv("PRESSURE")) options.elastic.pressure = std::atof(p);
  auto start = Clock::now();
  const auto teacher = lattice::LatticeTeacher::make(character, parts, options);
  if (!teacher) return fmt::print("{}\n", teacher.error().message()), 1;
  const auto* elastic = teacher->lattice();
  fmt::print("{}: {} vertices, {} elastic, {} hard pieces", path, teacher->vertices(), teacher->elastic_vertices(),
             teacher->hard_pieces());
  if (elastic != nullptr)
    fmt::print(", {} cells, {} nodes, {} factor entries", elastic->lattice().cells.size(),
               elastic->lattice().nodes.size(), elastic->factor_entries());
  fmt::print(", made in {:.2f} s\n", seconds_since(start));
  std::vector<Pose> poses{character.rest()};
  std::vector<std::string> names{"rest"};
  for (const Clip& clip : character.clips)
    for (int f = 0; f < frames; ++f) {
      const float t = clip.start() + clip.duration() * (static_cast<float>(f) + .5f) / static_cast<float>(frames);
      poses.push_back(character.at(clip, t));
      names.push_back(fmt::format("{}@{:.2f}", clip.name, t));
    }
  std::vector<Triangle> triangles;
  std::uint32_t first = 0;
  for (const std::size_t p : parts) {
    for (const Triangle& t : character.parts[p].mesh.triangles)
      triangles.push_back({first + t[0], first + t[1], first + t[2]});
    first += static_cast<std::uint32_t>(character.parts[p].mesh.positions.size());
  }
  std::vector<std::vector<Vec3f>> posed(poses.size());
  std::vector<lattice::PoseConvergence> convergence(poses.size());
  start = Clock::now();
  for (std::size_t i = 0; i < poses.size(); i += lattice::lanes) {
    const std::size_t n = std::min(lattice::lanes, poses.size() - i);
    teacher->pose(std::span(poses).subspan(i, n), std::span(posed).subspan(i, n), std::span(convergence).subspan(i, n));
  }
  const double seconds = seconds_since(start);
  const std::vector<Vec3d> rest = teacher->reference();
  Box box = bounds(posed[0]);
  const double size = double{box.diagonal()};
  Mesh reference;
  for (const Vec3d& p : rest) reference.positions.push_back(Vec3f(p));
  reference.triangles = triangles;
  const auto crossing = measure::SelfIntersectionTest::make(reference);
  if (!crossing) return fmt::print("{}\n", crossing.error().message()), 1;
  std::size_t cross_linear = 0, cross_elastic = 0, contacts = 0;
  double length_linear = 0, length_elastic = 0;
  Strain linear, elastic_strain;
  double far = 0, last_step = 0;
  std::size_t far_pose = 0, inverted = 0;
  double iterations = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const std::vector<Vec3d> blend = teacher->linear(poses[i]);
    add_strain(triangles, rest, blend, size, linear);
    add_strain(triangles, rest, posed[i], size, elastic_strain);
    for (std::size_t v = 0; v < blend.size(); ++v)
      if (const double apart = length(blend[v] - Vec3d(posed[i][v])) / size; apart > far) far = apart, far_pose = i;
    iterations += convergence[i].iterations;
    last_step = std::max(last_step, double{convergence[i].last_step});
    inverted += convergence[i].inverted;
    contacts += convergence[i].contacts;
    const auto before = crossing->run(std::vector<Vec3f>(blend.begin(), blend.end())), after = crossing->run(posed[i]);
    if (!before || !after) continue;
    cross_linear += before->new_pairs, cross_elastic += after->new_pairs;
    length_linear += before->length, length_elastic += after->length;
  }
  fmt::print("  {} poses in {:.2f} s, {:.0f} iterations, last step {:.3f} cells, inverted {:.1f} a pose\n",
             poses.size(), seconds, iterations / static_cast<double>(poses.size()), last_step,
             static_cast<double>(inverted) / static_cast<double>(poses.size()));
  fmt::print("  strain linear {:.4f} teacher {:.4f}; stretched {} {}; far {:.1f} % in {}\n", linear.rms(),
             elastic_strain.rms(), linear.stretched, elastic_strain.stretched, 100 * far, names[far_pose]);
  fmt::print(
      "  new pairs of triangles that cross, linear {} teacher {}; length of the cuts {:.3g} {:.3g}; {} contacts\n",
      cross_linear, cross_elastic, length_linear, length_elastic, contacts);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return fmt::print("usage: supple_lattice_figures FILE [CELLS] [FRAMES]\n"), 2;
  return run(words[1], count > 2 ? std::strtoul(words[2], nullptr, 10) : 8000, count > 3 ? std::atoi(words[3]) : 6);
}
