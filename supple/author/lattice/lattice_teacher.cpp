#include "supple/author/lattice/lattice_teacher.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/decompose.h"
#include "supple/geometry/topology.h"
#include "supple/rig/bind_pose.h"
#include "supple/rig/hard_skin.h"

namespace supple::lattice {
namespace {

constexpr auto none = std::numeric_limits<std::uint32_t>::max();
constexpr float same_place = 1e-6f;  // of the size: what files split along seams
constexpr float one_joint = 0.999f;  // weight from which a vertex follows a joint alone

/// The rotation and translation that bring `from` nearest to `to`, after `from` was scaled.
Affined best_rigid_motion(std::span<const Vec3d> from, std::span<const Vec3d> to, double scale) {
  Vec3d from_middle{}, to_middle{};
  for (std::size_t i = 0; i < from.size(); ++i) from_middle += from[i], to_middle += to[i];
  from_middle = from_middle * (1 / static_cast<double>(from.size()));
  to_middle = to_middle * (1 / static_cast<double>(to.size()));
  Mat3d covariance = Mat3d::diagonal({});
  for (std::size_t i = 0; i < from.size(); ++i)
    covariance = covariance + outer(to[i] - to_middle, from[i] - from_middle);
  const RotationSvd svd = rotation_svd(covariance);
  const Mat3d linear = svd.u * transpose(svd.v) * scale;
  return {linear, to_middle - linear * from_middle};
}

Error not_bound(const Part& part) {
  return {"part '" + part.name + "'", "is not bound to joints", "supple bind gives it weights"};
}

}  // namespace

Result<LatticeTeacher> LatticeTeacher::make(const Character& character, std::vector<std::size_t> parts,
                                            const TeacherOptions& options) {
  LatticeTeacher teacher;
  teacher.character_ = &character;
  teacher.parts_ = std::move(parts);
  std::vector<std::size_t> bound = teacher.parts_;
  bound.insert(bound.end(), options.bones.begin(), options.bones.end());
  bound.insert(bound.end(), options.muscles.begin(), options.muscles.end());
  for (const std::size_t p : bound)
    if (!character.parts[p].skin) return not_bound(character.parts[p]);
  teacher.bound_ = bound_joints(character, bound);
  for (const std::size_t p : teacher.parts_) {
    const Part& part = character.parts[p];
    const auto first = static_cast<std::uint32_t>(teacher.places_.size());
    const std::vector<Vec3d> own = blended(character, part, teacher.bound_);
    teacher.reference_.insert(teacher.reference_.end(), own.begin(), own.end());
    for (std::uint32_t v = 0; v < own.size(); ++v) teacher.places_.push_back({p, v});
    for (const Triangle& t : part.mesh.triangles)
      teacher.triangles_.push_back({first + t[0], first + t[1], first + t[2]});
  }
  if (teacher.places_.empty()) return Error{"character", "has no vertices that follow joints", "name a skinned part"};
  teacher.find_hard_pieces();
  if (auto ok = teacher.make_elastic(options); !ok) return ok.error();
  return teacher;
}

void LatticeTeacher::find_hard_pieces() {
  const Character& c = *character_;
  std::vector<Vec3f> positions;
  for (const Vec3d& p : reference_) positions.push_back(Vec3f(p));
  const Weld welded = weld(positions, same_place * bounds(positions).diagonal());
  point_ = welded.to_point;
  const std::vector<Triangle> triangles = welded_triangles(triangles_, welded);
  const Parts connected = connected_parts(welded.points(), triangles);
  std::vector<std::vector<std::uint32_t>> members(connected.count);
  for (std::uint32_t v = 0; v < places_.size(); ++v) members[connected.of_vertex[point_[v]]].push_back(v);
  std::vector<bool> in_shell(places_.size(), false);
  std::vector<std::uint32_t> first_of(c.parts.size(), none);
  for (auto v = static_cast<std::uint32_t>(places_.size()); v-- > 0;)
    if (places_[v].vertex == 0) first_of[places_[v].part] = v;
  for (const HardSkin::Shell& shell : find_hard_skin(c).shells)
    if (first_of[shell.part] != none)
      for (const std::uint32_t v : shell.vertices) in_shell[first_of[shell.part] + v] = true;
  for (std::vector<std::uint32_t>& piece : members) {
    const auto joint_of = [&](std::uint32_t v) {
      const Part& part = c.parts[places_[v].part];
      const Influence& most = part.weights.of(places_[v].vertex)[0];
      return most.weight >= one_joint ? c.skins[*part.skin].joints[most.joint] : no_joint;
    };
    const JointIndex joint = joint_of(piece[0]);
    const bool follows_one =
        joint != no_joint && std::ranges::all_of(piece, [&](std::uint32_t v) { return joint_of(v) == joint; });
    // A shell of one part may be joined to other skin by a border that another part has.
    if (follows_one || std::ranges::all_of(piece, [&](std::uint32_t v) { return in_shell[v]; }))
      pieces_.push_back({std::move(piece), follows_one});
  }
}

Result<void> LatticeTeacher::make_elastic(const TeacherOptions& options) {
  const Character& c = *character_;
  std::vector<bool> hard(places_.size(), false);
  for (const Piece& piece : pieces_)
    for (const std::uint32_t v : piece.vertices) hard[v] = true;
  Surface surface;
  elastic_of_.assign(places_.size(), none);
  std::vector<std::uint32_t> of_point(places_.size(), none), place_of(c.skeleton.size(), none);
  std::vector<std::vector<Influence>> weights;
  std::vector<bool> used(c.skeleton.size(), false);
  std::vector<bool> has_triangle(places_.size(), false);  // #points; others are where linear blend has them
  for (const Triangle& t : triangles_) {
    const Triangle points{point_[t[0]], point_[t[1]], point_[t[2]]};
    if (points[0] == points[1] || points[1] == points[2] || points[2] == points[0]) continue;
    for (const std::uint32_t p : points) has_triangle[p] = true;
  }
  for (std::uint32_t v = 0; v < places_.size(); ++v) {
    if (hard[v] || !has_triangle[point_[v]]) continue;
    std::uint32_t& own = of_point[point_[v]];
    if (own == none) {
      own = static_cast<std::uint32_t>(surface.positions.size());
      surface.positions.push_back(Vec3f(reference_[v]));
      const Part& part = c.parts[places_[v].part];
      std::vector<Influence>& influences = weights.emplace_back();
      for (const Influence& i : part.weights.of(places_[v].vertex)) {
        influences.push_back({c.skins[*part.skin].joints[i.joint], i.weight});
        used[influences.back().joint] = true;
      }
    }
    elastic_of_[v] = own;
  }
  if (surface.positions.empty()) return {};
  for (const std::size_t p : options.bones)
    for (const Influence& i : c.parts[p].weights.entries) used[c.skins[*c.parts[p].skin].joints[i.joint]] = true;
  for (JointIndex j = 0; j < used.size(); ++j) {
    if (!used[j]) continue;
    place_of[j] = static_cast<std::uint32_t>(joints_.size());
    joints_.push_back(j);
    JointIndex up = c.skeleton.parent(j);
    while (up != no_joint && !used[up]) up = c.skeleton.parent(up);
    surface.parents.push_back(up == no_joint ? no_joint : place_of[up]);
  }
  for (std::vector<Influence>& influences : weights) {
    for (Influence& i : influences) i.joint = place_of[i.joint];
    surface.weights.push_vertex(influences);
  }
  clean(surface.weights, joints_.size());
  for (const Triangle& t : triangles_) {
    const Triangle own{elastic_of_[t[0]], elastic_of_[t[1]], elastic_of_[t[2]]};
    if (own[0] == none || own[1] == none || own[2] == none) continue;
    if (own[0] != own[1] && own[1] != own[2] && own[2] != own[0]) surface.triangles.push_back(own);
  }
  if (surface.triangles.empty()) {  // loose points are where linear blend has them
    std::ranges::fill(elastic_of_, none);
    return {};
  }
  auto lattice = make_lattice(surface, options.cells);
  if (!lattice) return lattice.error();
  const SkinWeights node_weights = extend_weights(*lattice, surface);
  const Anatomy anatomy = anatomy_of(options, place_of);
  const LatticeDrive drive = anatomy.bones.triangles.empty() && anatomy.muscles.triangles.empty()
                                 ? drive_of(node_weights, options.elastic)
                                 : drive_of(node_weights, anatomy_shares(*lattice, node_weights, surface, anatomy),
                                            joints_.size(), options.elastic);
  elastic_ = std::make_unique<const ElasticLattice>(std::move(*lattice), drive, surface, options.elastic);
  return {};
}

Anatomy LatticeTeacher::anatomy_of(const TeacherOptions& options, std::span<const std::uint32_t> place_of) const {
  const Character& c = *character_;
  Anatomy anatomy;
  const auto add = [&](std::size_t p, Mesh& mesh) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Vec3d& at : blended(c, c.parts[p], bound_)) mesh.positions.push_back(Vec3f(at));
    for (const Triangle& t : c.parts[p].mesh.triangles)
      mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  };
  for (const std::size_t p : options.bones) {
    add(p, anatomy.bones);
    for (const Triangle& t : c.parts[p].mesh.triangles)
      anatomy.joint_of.push_back(place_of[c.skins[*c.parts[p].skin].joints[c.parts[p].weights.of(t[0])[0].joint]]);
  }
  for (const std::size_t p : options.muscles) add(p, anatomy.muscles);
  return anatomy;
}

std::size_t LatticeTeacher::elastic_vertices() const {
  return static_cast<std::size_t>(std::ranges::count_if(elastic_of_, [](std::uint32_t v) { return v != none; }));
}

std::vector<Vec3d> LatticeTeacher::linear(const Pose& pose) const {
  std::vector<Affined> world;
  for (const Affinef& joint : to_world(character_->skeleton, pose)) world.emplace_back(joint);
  std::vector<Vec3d> result;
  result.reserve(places_.size());
  for (const std::size_t p : parts_) {
    const std::vector<Vec3d> own = blended(*character_, character_->parts[p], world);
    result.insert(result.end(), own.begin(), own.end());
  }
  return result;
}

void LatticeTeacher::pose(std::span<const Pose> poses, std::span<std::vector<Vec3f>> positions,
                          std::span<PoseConvergence> convergence) const {
  const Character& c = *character_;
  std::vector<std::vector<Vec3d>> elastic(poses.size());
  if (elastic_) {
    std::vector<std::vector<Affined>> motions;
    for (const Pose& pose : poses) {
      const std::vector<Affinef> world = to_world(c.skeleton, pose);
      std::vector<Affined>& own = motions.emplace_back();
      for (const JointIndex j : joints_) own.push_back(Affined(world[j]) * inverse(bound_[j]));
    }
    elastic_->pose(motions, elastic, convergence);
  }
  for (std::size_t i = 0; i < poses.size(); ++i) {
    std::vector<Vec3d> posed = linear(poses[i]);
    for (const Piece& piece : pieces_) {
      if (piece.one_joint) continue;
      std::vector<Vec3d> from, to;
      for (const std::uint32_t v : piece.vertices) from.push_back(reference_[v]), to.push_back(posed[v]);
      // A blend of rotations shrinks; the joints say how large the piece is.
      const std::vector<Affinef> world = to_world(c.skeleton, poses[i]);
      const Part& part = c.parts[places_[piece.vertices[0]].part];
      double scale = 0;
      for (const Influence& w : part.weights.of(places_[piece.vertices[0]].vertex)) {
        const JointIndex j = c.skins[*part.skin].joints[w.joint];
        scale += double{w.weight} * std::cbrt(std::abs(determinant((Affined(world[j]) * inverse(bound_[j])).linear)));
      }
      const Affined motion = best_rigid_motion(from, to, scale);
      for (std::size_t k = 0; k < piece.vertices.size(); ++k) posed[piece.vertices[k]] = motion.point(from[k]);
    }
    positions[i].resize(posed.size());
    for (std::size_t v = 0; v < posed.size(); ++v) {
      const Vec3d at = elastic_of_[v] != none ? elastic[i][elastic_of_[v]] : posed[v];
      const bool sound = std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
      positions[i][v] = Vec3f(sound ? at : posed[v]);
    }
  }
}

}  // namespace supple::lattice
