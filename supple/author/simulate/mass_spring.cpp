#include "supple/author/simulate/mass_spring.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "supple/base/rng.h"

namespace supple::simulate {
namespace {

/// Of the longest stable step: the fastest vibration is found from below, and springs that are stretched resist being
/// turned too.
constexpr double safety = 0.8;
constexpr int power_iterations = 100;

Result<void> check(const TetMesh& mesh, std::span<const std::uint32_t> held, const MassSpringOptions& options) {
  if (mesh.nodes_per_element != 4) return Error{"mesh", "has quadratic elements", "give linear ones"};
  if (mesh.elements.empty()) return Error{"mesh", "has no elements", "choose a smaller element size"};
  if (auto ok = validate(mesh); !ok) return ok;
  for (const std::uint32_t node : held) {
    if (node >= mesh.nodes.size()) {
      return Error{"held node " + std::to_string(node),
                   "does not exist among " + std::to_string(mesh.nodes.size()) + " nodes", ""};
    }
  }
  const auto above_zero = [](double value) { return std::isfinite(value) && value > 0; };
  if (!above_zero(options.density)) return Error{"density", "is not a positive number", "water has 1000 kg/m^3"};
  if (!above_zero(options.stiffness)) return Error{"stiffness", "is not a positive number", "try 10000 Pa"};
  if (!above_zero(options.max_step)) return Error{"max_step", "is not a positive number", "try 0.001 s"};
  if (!(std::isfinite(options.damping) && options.damping >= 0)) {
    return Error{"damping", "is negative or not a number", "0 is no damping"};
  }
  if (!is_finite(options.gravity)) return Error{"gravity", "is not finite", "on Earth it is 0 -9.81 0"};
  return {};
}

}  // namespace

Result<MassSpring> MassSpring::make(const TetMesh& mesh, std::span<const std::uint32_t> held,
                                    const MassSpringOptions& options) {
  if (auto ok = check(mesh, held, options); !ok) return ok.error();
  MassSpring body;
  body.options_ = options;
  body.rest_ = body.positions_ = mesh.nodes;
  body.velocities_.resize(mesh.nodes.size());
  body.forces_.resize(mesh.nodes.size());
  body.held_.assign(held.begin(), held.end());
  body.add_springs(mesh);
  for (std::size_t i = 0; i < body.masses_.size(); ++i) {
    if (!(body.masses_[i] > 0)) return Error{"node " + std::to_string(i), "is of no element", "leave it out"};
    body.inverse_masses_.push_back(1 / body.masses_[i]);
  }
  for (const std::uint32_t node : held) body.inverse_masses_[node] = 0;
  body.find_longest_step();
  return body;
}

/// A spring has a sixth of the volume of every element about its edge. Springs of stiffness E_s * volume / length^2
/// that point in all directions alike store the energy density E_s / 2 * mean((n . strain n)^2) = E_s / 30 * (2 strain
/// : strain + trace^2): both of Lame's constants are E_s / 15, and Young's modulus is E_s / 6.
void MassSpring::add_springs(const TetMesh& mesh) {
  masses_.assign(mesh.nodes.size(), 0);
  struct Share {
    std::array<std::uint32_t, 2> ends;
    double volume;
  };
  std::vector<Share> shares;
  for (std::size_t e = 0; e < mesh.element_count(); ++e) {
    const std::span<const std::uint32_t> corners = mesh.element(e);
    const double volume = signed_volume(mesh.corner(e, 0), mesh.corner(e, 1), mesh.corner(e, 2), mesh.corner(e, 3));
    for (const std::uint32_t node : corners) masses_[node] += options_.density * volume / 4;
    for (const auto& edge : tet_edges) {
      const auto [low, high] = std::minmax(corners[edge[0]], corners[edge[1]]);
      shares.push_back({{low, high}, volume / 6});
    }
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.ends < b.ends; });
  for (std::size_t i = 0; i < shares.size();) {
    const auto ends = shares[i].ends;
    double volume = 0;
    for (; i < shares.size() && shares[i].ends == ends; ++i) volume += shares[i].volume;
    const double squared = squared_length(mesh.nodes[ends[1]] - mesh.nodes[ends[0]]);
    springs_.push_back({ends, std::sqrt(squared), 6 * options_.stiffness * volume / squared});
  }
}

/// The square of the fastest vibration about the rest shape, by power iteration on the stiffness matrix between roots
/// of the masses; 0 where every node is held.
double MassSpring::fastest_squared() const {
  std::vector<Vec3d> shape(rest_.size()), pushed(rest_.size());
  Rng rng(1);
  for (Vec3d& v : shape) v = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
  double squared = 0;
  for (int i = 0; i < power_iterations; ++i) {
    double size = 0;
    for (const Vec3d v : shape) size += squared_length(v);
    size = std::sqrt(size);
    if (!(size > 0)) return 0;
    squared = size;  // of what a unit vector became
    std::fill(pushed.begin(), pushed.end(), Vec3d{});
    for (const Spring& s : springs_) {
      const auto [a, b] = s.ends;
      const Vec3d along = (rest_[b] - rest_[a]) / s.length;
      const double root_a = std::sqrt(inverse_masses_[a]), root_b = std::sqrt(inverse_masses_[b]);
      const double pull = s.stiffness * dot(shape[b] * root_b - shape[a] * root_a, along) / size;
      pushed[a] -= along * (pull * root_a);
      pushed[b] += along * (pull * root_b);
    }
    shape.swap(pushed);
  }
  return squared;
}

/// A step t of step() is stable for w^2 t (t + 2 damping) < 4: there its two factors leave the unit circle.
void MassSpring::find_longest_step() {
  longest_step_ = options_.max_step;
  if (const double squared = fastest_squared(); squared > 0) {
    const double d = options_.damping, limit = 4 / squared;
    longest_step_ = std::min(longest_step_, safety * limit / (d + std::sqrt(d * d + limit)));
  }
}

void MassSpring::advance(const Affined& bone, double seconds) {
  if (!(seconds > 0)) return;
  for (const std::uint32_t node : held_) velocities_[node] = (bone.point(rest_[node]) - positions_[node]) / seconds;
  const double steps = std::ceil(seconds / longest_step_);
  for (double i = 0; i < steps; ++i) step(seconds / steps);
  for (const std::uint32_t node : held_) positions_[node] = bone.point(rest_[node]);
}

/// Half a step of motion, a whole of forces, half a step of motion: second order without damping, exact under gravity
/// alone, and momentum and angular momentum stay but for rounding, since springs pull along themselves.
void MassSpring::step(double seconds) {
  const std::size_t nodes = positions_.size();
  for (std::size_t i = 0; i < nodes; ++i) {
    positions_[i] += velocities_[i] * (seconds / 2);
    forces_[i] = options_.gravity * masses_[i];
  }
  const Vec3d *at = positions_.data(), *speed = velocities_.data();
  Vec3d* force = forces_.data();
  const double damping = options_.damping;
  for (const Spring& s : springs_) {
    const auto [i, j] = s.ends;
    const Vec3d across = at[j] - at[i];
    const double squared = squared_length(across), length = std::sqrt(squared);
    if (!(length > 0)) continue;                                     // ends that meet pull nowhere
    const double rate = dot(speed[j] - speed[i], across) / squared;  // of length / length
    const Vec3d pull = across * (s.stiffness * (1 - s.length / length + damping * rate));
    force[i] += pull;
    force[j] -= pull;
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    velocities_[i] += forces_[i] * (inverse_masses_[i] * seconds);
    positions_[i] += velocities_[i] * (seconds / 2);
  }
}

double MassSpring::energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    sum += masses_[i] * (squared_length(velocities_[i]) / 2 - dot(options_.gravity, positions_[i]));
  }
  for (const Spring& s : springs_) {
    const double stretch = length(positions_[s.ends[1]] - positions_[s.ends[0]]) - s.length;
    sum += s.stiffness * stretch * stretch / 2;
  }
  return sum;
}

}  // namespace supple::simulate
