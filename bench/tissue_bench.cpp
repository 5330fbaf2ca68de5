// How the simulation of a hand grows with its elements: time of every part of a step, memory, and rates beside the copy
// bandwidth of the same machine. Prints a table; with a path, draws it as SVG too.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numbers>
#include <string>

#include "supple/author/simulate/sparse/front_kernel.h"
#include "supple/author/simulate/walk.h"
#include "supple/base/parallel.h"
#include "supple/make/hand.h"

namespace {

using namespace supple;
using namespace supple::simulate;

double seconds_of(const std::function<void()>& work, int repetitions = 3) {
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

struct Row {
  std::string kind;
  double size_mm = 0, elements = 0, unknowns = 0;
  double mesh = 0, analyse = 0, assemble = 0, factor = 0, solve = 0, step = 0, iterations = 0;  // seconds, per step
  double factor_mb = 0, rate = 0;  // of the factor; billions of operations a second
};

Row measure(const Body& body, double size_mm, bool quadratic) {
  Row row;
  row.kind = quadratic ? "T10" : "T4";
  row.size_mm = size_mm;
  TissueOptions options;
  options.element_size = size_mm / 1000;
  options.quadratic = quadratic;
  std::optional<Tissue> tissue;
  row.mesh = seconds_of([&] { tissue.emplace(make_tissue(body, options).value()); }, 1);
  const TissueModel& model = tissue->model;
  row.elements = static_cast<double>(tissue->mesh.element_count());
  row.unknowns = 3.0 * static_cast<double>(model.free_count());
  std::unique_ptr<SparseSolver> solver;
  row.analyse = seconds_of(
      [&] { solver = make_solver(SolverKind::cholesky, model.pattern(), model.elimination_order()).value(); }, 1);
  TissueWorkspace workspace;
  std::vector<Vec3d> forces(model.free_count());
  std::vector<double> stiffness(9 * model.pattern().blocks()), x(3 * model.free_count(), 1.0);
  row.assemble = seconds_of([&] { model.derivatives(tissue->mesh.nodes, false, workspace, forces, stiffness); });
  row.factor = seconds_of([&] { solver->factorize(stiffness); });
  row.solve = seconds_of([&] { solver->solve(x); });
  row.factor_mb = solver->factor_entries() * 8 / 1e6;
  row.rate = solver->factor_operations() / row.factor / 1e9;
  solver.reset();
  Walker walker = Walker::make(body, *tissue).value();
  Pose pose = rest_pose(body.skeleton);
  const auto angle = static_cast<float>(30 * std::numbers::pi / 180);
  if (!rotate(pose, body.skeleton, "index-finger-phalanx-intermediate", "flexion", angle)) std::abort();
  const PoseReport report = walker.go(pose).value();
  row.step = report.seconds / static_cast<double>(report.steps.size());
  row.iterations = report.iterations() / static_cast<double>(report.steps.size());
  return row;
}

double copy_bandwidth() {
  std::vector<double> from(1 << 24, 1.0), to(from.size());
  const double s = seconds_of([&] { std::memcpy(to.data(), from.data(), from.size() * sizeof(double)); }, 5);
  return 2.0 * static_cast<double>(from.size()) * sizeof(double) / s / 1e9;
}

/// Seconds a step over elements, both logarithmic.
void draw(const std::string& path, const std::vector<Row>& rows) {
  constexpr double width = 640, height = 400, left = 70, bottom = 50;
  const auto x = [&](double elements) { return left + (std::log10(elements) - 3.5) / 2 * (width - left - 20); };
  const auto y = [&](double s) { return height - bottom - (std::log10(s) + 2) / 4 * (height - bottom - 20); };
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << height
      << "' font-family='sans-serif' font-size='13'><rect width='100%' height='100%' fill='#fff'/>\n";
  for (const double s : {0.01, 0.1, 1.0, 10.0, 100.0})
    svg << "<path d='M" << left << ' ' << y(s) << " H" << width - 20 << "' stroke='#e3e7ec'/><text x='" << left - 8
        << "' y='" << y(s) + 4 << "' text-anchor='end'>" << s << " s</text>\n";
  for (const double e : {5000.0, 10000.0, 30000.0, 100000.0, 300000.0})
    svg << "<path d='M" << x(e) << " 20 V" << height - bottom << "' stroke='#e3e7ec'/><text x='" << x(e) << "' y='"
        << height - bottom + 18 << "' text-anchor='middle'>" << e / 1000 << "k</text>\n";
  svg << "<text x='" << width / 2 << "' y='" << height - 10
      << "' text-anchor='middle'>elements; seconds for a step of 7.5 degrees</text>\n";
  for (const char* kind : {"T4", "T10"}) {
    const char* colour = std::strcmp(kind, "T4") == 0 ? "#2f6fb5" : "#d4572a";
    std::string line;
    for (const Row& r : rows) {
      if (r.kind != kind) continue;
      line += (line.empty() ? "M" : " L") + std::to_string(x(r.elements)) + " " + std::to_string(y(r.step));
      svg << "<circle cx='" << x(r.elements) << "' cy='" << y(r.step) << "' r='4' fill='" << colour << "'><title>"
          << r.step << " s</title></circle>\n";
    }
    if (!line.empty()) svg << "<path d='" << line << "' fill='none' stroke='" << colour << "' stroke-width='2'/>\n";
  }
  svg << "<text x='" << left + 15 << "' y='40' fill='#2f6fb5'>T4, linear</text><text x='" << left + 15
      << "' y='58' fill='#d4572a'>T10, quadratic</text></svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  const Body body = body_of(make::make_hand({}).value()).value();
  std::printf("%u threads, %s, copy %.1f GB/s\n\n", thread_count(), front_kernel().name, copy_bandwidth());
  std::printf(
      "| mesh | elements | unknowns | meshing s | analysis s | assembly s | factor s | solve s | step s | "
      "iterations | factor MB | Gflop/s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<Row> rows;
  struct Case {
    double size_mm;
    bool quadratic;
  };
  for (const Case c : {Case{10, false},
                       {8, false},
                       {7, false},
                       {6, false},
                       {5, false},
                       {4, false},
                       {3.2, false},
                       {12, true},
                       {10, true},
                       {8, true},
                       {7, true}}) {
    rows.push_back(measure(body, c.size_mm, c.quadratic));
    const Row& r = rows.back();
    std::printf("| %s %.3g mm | %.0f | %.0f | %.2f | %.2f | %.3f | %.3f | %.3f | %.2f | %.1f | %.0f | %.1f |\n",
                r.kind.c_str(), r.size_mm, r.elements, r.unknowns, r.mesh, r.analyse, r.assemble, r.factor, r.solve,
                r.step, r.iterations, r.factor_mb, r.rate);
    std::fflush(stdout);
  }
  if (argc > 1) draw(argv[1], rows);
  // Steps grow with a power of the number of elements: the slope between the first and the last of each kind.
  for (const char* kind : {"T4", "T10"}) {
    const Row *first = nullptr, *last = nullptr;
    for (const Row& r : rows)
      if (r.kind == kind) (first == nullptr ? first : last) = &r;
    std::printf("\n%s: step ~ elements ^ %.2f", kind,
                std::log(last->step / first->step) / std::log(last->elements / first->elements));
  }
  std::printf("\n");
}
