// What kinodynamic skinning costs in a frame on two cores, beside linear blending and plain copies of the same run:
// flow alone, flow and muscles; and time against vertices, muscles and joints. With --svg=FILE these are drawn.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "best_times.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/base/parallel.h"
#include "supple/deform/field/build.h"
#include "supple/deform/skin.h"
#include "supple/make/figure.h"
#include "supple/make/limb.h"

namespace {

using namespace supple;

constexpr std::size_t steps = 4;  // of four evaluations of the field each

/// Twelve where the figure has room for eight: what is missing lies in forearms and shoulders. Any number by
/// repetition.
std::vector<VortexMuscle> muscles_of(const Character& figure, std::size_t count) {
  std::vector<VortexMuscle> muscles = propose_muscles(figure, 12).value();
  for (const char* joint : {"forearm-left", "forearm-right", "shoulder-left", "shoulder-right"}) {
    VortexMuscle m;
    m.joint = figure.skeleton.require(joint).value();
    m.center = {0, 0.08f, 0};
    m.radii = {0.03f, 0.07f, 0.03f};
    m.gravity = {};
    m.skin_joints = {m.joint, figure.skeleton.parent(m.joint)};
    muscles.push_back(m);
  }
  const std::vector<VortexMuscle> all = muscles;
  while (muscles.size() < count) muscles.push_back(all[muscles.size() % all.size()]);
  muscles.resize(count);
  return muscles;
}

struct Scene {
  Character character;
  std::vector<Pose> poses;
};

/// All joints at work: elbows and knees at 110 degrees, the rest at 25.
Scene figure(std::size_t vertices, std::size_t muscles) {
  Scene scene{make::make_figure({vertices}).value(), {}};
  Character& c = scene.character;
  c.kinodynamics.emplace();
  c.kinodynamics->muscles = muscles_of(c, muscles);
  c.kinodynamics->field.step = 110.0f / steps * 3.1416f / 180;
  for (int frame = 0; frame < 16; ++frame) {
    Pose pose = c.rest();
    for (JointIndex j = 2; j < c.skeleton.size(); ++j) {
      const std::string& name = c.skeleton.name(j);
      const bool sharp = name.starts_with("forearm") || name.starts_with("shin");
      const float degrees = (sharp ? 100.0f : 15.0f) + 10 * std::sin(0.4f * static_cast<float>(frame));
      pose.local[j].rotation = pose.local[j].rotation * from_axis_angle(Vec3f{1, 0, 0}, degrees * 3.1416f / 180);
    }
    scene.poses.push_back(pose);
  }
  return scene;
}

/// Curled by 110 degrees in all.
Scene limb(std::size_t vertices, std::size_t joints) {
  Scene scene{make::make_limb({8, 1, joints, vertices}).value(), {}};
  Character& c = scene.character;
  Pose pose = c.rest();
  const float angle = 110.0f * 3.1416f / 180 / static_cast<float>(joints - 1);
  c.kinodynamics.emplace();
  c.kinodynamics->field.step = angle / steps;
  for (JointIndex j = 1; j < c.skeleton.size(); ++j)
    pose.local[j].rotation = pose.local[j].rotation * from_axis_angle(Vec3f{1, 0, 0}, angle);
  scene.poses.push_back(pose);
  return scene;
}

/// Scenes are made once: repetitions take turns.
template <class Make>
auto& once(const std::string& name, const Make& make) {
  static std::map<std::string, decltype(make())> made;
  const auto found = made.find(name);
  return found != made.end() ? found->second : made.emplace(name, make()).first->second;
}
const Scene& figure_of(std::size_t vertices, std::size_t muscles) {
  return once(std::to_string(vertices) + " " + std::to_string(muscles), [&] { return figure(vertices, muscles); });
}
const Scene& limb_of(std::size_t joints) {
  return once(std::to_string(joints), [&] { return limb(8000, joints); });
}

/// Positions alone, of the pose of each frame.
void flow(benchmark::State& state, const std::string& name, const Scene& scene) {
  const FleshBody& body = once(name, [&] { return FleshBody::of(scene.character).value(); });
  const FieldTable& table =
      once(name, [&] { return build_field(scene.character, body, scene.character.kinodynamics->field).value(); });
  const FieldBlocks& blocks = once(name, [&] { return make_blocks(table, body.positions); });
  FieldState field(table);
  std::vector<Vec3f> positions(body.positions.size());
  std::vector<Affinef> world(scene.character.skeleton.size());
  std::size_t frame = 0;
  for (auto _ : state) {
    to_world(scene.character.skeleton, scene.poses[frame++ % scene.poses.size()].local, world);
    field.set(table, world, steps);
    FieldJob{&table, &blocks, &field, positions, 0}.run();
    benchmark::DoNotOptimize(positions.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

/// A whole frame: positions and normals, muscles swinging on.
void skin(benchmark::State& state, const std::string& name, const Scene& scene, Blend blend) {
  Skin& shown = once(name, [&] { return Skin::make(scene.character, blend).value(); });
  std::size_t frame = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(shown.animate(scene.poses[frame++ % scene.poses.size()], 1.0 / 60).ok());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void copy(benchmark::State& state, std::size_t vertices) {
  const std::vector<Vec3f> from(2 * vertices);
  std::vector<Vec3f> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), to.size() * sizeof(Vec3f));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

struct Curve {
  const char* name;
  std::vector<std::size_t> at;
};
const Curve curves[] = {{"vertices", {1000, 2000, 4000, 8000, 16000, 32000}},
                        {"muscles", {1, 3, 6, 12, 24}},
                        {"joints", {2, 3, 5, 9, 17, 33}}};

std::string case_name(const Curve& curve, std::size_t n) { return std::string(curve.name) + "_" + std::to_string(n); }

class Figures : public BestTimes {
 public:
  void print() const {
    for (const char* name : {"copy", "linear blend", "flow of a limb", "flow of a figure", "flow and muscles"}) {
      if (!ns_.contains(name) || !ns_.contains("linear blend")) continue;
      const double ns = ns_.at(name);
      std::printf("%-18s %9.1f us %9.0f a second %8.2f x linear blend\n", name, ns / 1e3, 1e9 / ns,
                  ns / ns_.at("linear blend"));
    }
    for (const Curve& curve : curves) {
      std::printf("%s:", curve.name);
      for (const std::size_t n : curve.at)
        if (ns_.contains(case_name(curve, n))) std::printf("  %zu %.2f ms", n, ns_.at(case_name(curve, n)) / 1e6);
      std::printf("\n");
    }
  }

  /// Both axes logarithmic, a panel for each curve.
  void draw(const char* path) const {
    std::ofstream out(path);
    out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 960 300' font-family='sans-serif' font-size='13'>\n"
        << "<rect width='960' height='300' fill='white'/>\n";
    constexpr double least = 0.05e6, most = 50e6;  // ns
    double left = 60;
    for (const Curve& curve : curves) {
      const double low = std::log(static_cast<double>(curve.at.front())),
                   high = std::log(static_cast<double>(curve.at.back()));
      const auto x = [&](std::size_t n) {
        return left + 230 * (std::log(static_cast<double>(n)) - low) / (high - low);
      };
      const auto y = [&](double ns) { return 250 - 220 * std::log(ns / least) / std::log(most / least); };
      for (const double ms : {0.1, 1.0, 10.0})
        out << "<path d='M" << left << " " << y(ms * 1e6) << "h230' stroke='#ccc'/><text x='" << left - 6 << "' y='"
            << y(ms * 1e6) + 4 << "' text-anchor='end'>" << ms << " ms</text>\n";
      out << "<polyline fill='none' stroke='#b4472e' stroke-width='2' points='";
      for (const std::size_t n : curve.at)
        if (ns_.contains(case_name(curve, n))) out << x(n) << "," << y(ns_.at(case_name(curve, n))) << " ";
      out << "'/>\n";
      for (const std::size_t n : curve.at)
        out << "<text x='" << x(n) << "' y='268' text-anchor='middle'>" << n << "</text>\n";
      out << "<text x='" << left + 115 << "' y='290' text-anchor='middle'>" << curve.name << "</text>\n";
      left += 310;
    }
    out << "</svg>\n";
  }
};

}  // namespace

int main(int argc, char** argv) {
  set_thread_count(std::min(2u, thread_count()));
  const char* svg = nullptr;
  if (argc > 1 && std::strncmp(argv[argc - 1], "--svg=", 6) == 0) svg = argv[--argc] + 6;
  const auto add = [](const std::string& name, auto function) {
    benchmark::RegisterBenchmark(name.c_str(), function)->Repetitions(8)->MinTime(0.03)->UseRealTime();
  };
  add("copy", [](benchmark::State& s) { copy(s, 8000); });
  add("linear blend", [](benchmark::State& s) { skin(s, "linear", figure_of(8000, 12), Blend::linear); });
  add("flow of a limb", [](benchmark::State& s) { flow(s, "limb 2", limb_of(2)); });
  add("flow of a figure", [](benchmark::State& s) { flow(s, "figure", figure_of(8000, 12)); });
  const auto add_skin = [&](const std::string& name, std::size_t vertices, std::size_t muscles) {
    add(name, [=](benchmark::State& s) { skin(s, name, figure_of(vertices, muscles), Blend::kinodynamic); });
  };
  add_skin("flow and muscles", 8000, 12);
  for (const std::size_t n : curves[0].at) add_skin(case_name(curves[0], n), n, 12);
  for (const std::size_t n : curves[1].at) add_skin(case_name(curves[1], n), 8000, n);
  for (const std::size_t n : curves[2].at)
    add(case_name(curves[2], n), [n](benchmark::State& s) { flow(s, "limb " + std::to_string(n), limb_of(n)); });
  Figures figures;
  if (!figures.run(argc, argv)) return 1;
  figures.print();
  if (svg != nullptr) figures.draw(svg);
}
