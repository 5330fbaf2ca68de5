// Fields to meshes, meshes to a bound character.
#include "supple/make/hand.h"

#include <cmath>
#include <optional>

#include "supple/base/parallel.h"
#include "supple/geometry/isosurface.h"
#include "supple/geometry/remesh.h"
#include "supple/geometry/simplify.h"
#include "supple/make/hand_anatomy.h"
#include "supple/make/hand_bones.h"
#include "supple/make/hand_rig.h"
#include "supple/make/hand_shape.h"
#include "supple/rig/bind.h"

namespace supple::make {
namespace {

constexpr std::size_t fewest_hand_vertices = 100, most_hand_vertices = 200000;
// With fewer vertices, equal edges would be longer than fingers are thick: the mesh is thinned out by error instead.
constexpr std::size_t fewest_isotropic_of_hand = 800;
constexpr std::size_t bone_vertices = 220;  // per surface
constexpr double hand_area = 52000;         // square millimetres, about

// All meshes are made in anatomical space, so that both sides come from the same numbers.
Result<Mesh> skin_mesh(const HandShape& shape, std::size_t vertices, const Progress& progress) {
  // Coarse enough to be quick, fine enough to keep neighbouring fingers apart.
  const double edge = std::sqrt(hand_area / (std::sqrt(3.0) / 2 * static_cast<double>(vertices)));
  const double spacing = std::clamp(0.7 * edge, 0.6, 1.3);
  const Field field = [&](Vec3d p) { return shape(p); };
  const Mesh raw = isosurface(field, grid_around(HandShape::low, HandShape::high, spacing), HandShape::lipschitz);
  RemeshOptions options;
  options.edge_length = [&](Vec3d p) { return shape.relative_edge(p); };
  options.project = [&](Vec3d p) { return shape.project(p); };
  options.vertices = std::max(vertices, fewest_isotropic_of_hand);
  Result<Mesh> mesh = remesh(raw, options, progress);
  if (mesh && vertices < fewest_isotropic_of_hand) mesh = simplify(*mesh, vertices);
  if (!mesh) return mesh;
  // Normals show the relief that edges of this length can carry, and no more.
  const double normal_step = std::min(0.25 * edge, 1.0);
  mesh->normals.resize(mesh->positions.size());
  parallel_for(mesh->positions.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      mesh->normals[v] = Vec3f(normalized(shape.gradient(Vec3d(mesh->positions[v]), normal_step), {0, 1, 0}));
    }
  });
  return mesh;
}

Result<Mesh> bone_mesh(const AnatomicalBone& bone) {
  const Field field = [&](Vec3d p) { return bone_field(bone, p); };
  const double margin = bone.kind == BoneKind::digit ? 9 : 27;
  const Vec3d margins = {margin, margin, margin};
  const Grid grid = grid_around(min(bone.head, bone.tail()) - margins, max(bone.head, bone.tail()) + margins, 1.0);
  RemeshOptions options;
  options.edge_length = [](Vec3d) { return 1.0; };
  options.project = [&](Vec3d p) {
    constexpr double h = 0.02;
    for (int i = 0; i < 2; ++i) {
      const Vec3d g = Vec3d{field({p.x + h, p.y, p.z}) - field({p.x - h, p.y, p.z}),
                            field({p.x, p.y + h, p.z}) - field({p.x, p.y - h, p.z}),
                            field({p.x, p.y, p.z + h}) - field({p.x, p.y, p.z - h})} /
                      (2 * h);
      p -= g * (field(p) / std::max(squared_length(g), 0.25));
    }
    return p;
  };
  options.vertices = bone.kind == BoneKind::forearm ? 2 * bone_vertices : bone_vertices;
  Result<Mesh> mesh = remesh(isosurface(field, grid, 2), options);
  if (!mesh) return mesh;
  mesh->normals.resize(mesh->positions.size());
  compute_normals(mesh->positions, mesh->triangles, mesh->normals);
  return mesh;
}

Mesh in_model_space(const Mesh& mesh, Side side) {
  Mesh result = mesh;
  for (Vec3f& p : result.positions) p = Vec3f(to_model(Vec3d(p), side));
  for (Vec3f& n : result.normals) n = Vec3f(to_model(Vec3d(n), side) * 1000.0);
  if (side == Side::right) {
    for (Triangle& t : result.triangles) std::swap(t[1], t[2]);
  }
  return result;
}

// The joint numbers of the weights become places among all joints.
void renumber(SkinWeights& weights, std::span<const Bone> bones) {
  for (Influence& influence : weights.entries) influence.joint = bones[influence.joint].joint;
}

}  // namespace

Result<Character> make_hand(const HandOptions& options, const Progress& progress) {
  if (options.vertices < fewest_hand_vertices || options.vertices > most_hand_vertices) {
    return Error{"vertices", std::to_string(options.vertices) + " is out of range",
                 "choose " + std::to_string(fewest_hand_vertices) + " to " + std::to_string(most_hand_vertices)};
  }
  const HandAnatomy anatomy = hand_anatomy();
  const HandShape shape(anatomy);

  if (!report(progress, "bones", 0)) return Error{"hand", "stopped on request", ""};
  std::vector<std::optional<Result<Mesh>>> bone_meshes(anatomy.bones.size());
  parallel_for(bone_meshes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) bone_meshes[i].emplace(bone_mesh(anatomy.bones[i]));
  });
  for (const auto& mesh : bone_meshes) {
    if (!mesh->ok()) return mesh->error();
  }
  Result<Mesh> skin = skin_mesh(shape, options.vertices, within(progress, 0.1, 0.7));
  if (!skin) return skin.error();

  // Weights are made on the left hand for both, so that they too are the same.
  Result<Skeleton> left = hand_skeleton(anatomy, Side::left);
  if (!left) return left.error();
  std::vector<Bone> bones;
  for (std::size_t i = 0; i < anatomy.bones.size(); ++i) {
    const AnatomicalBone& source = anatomy.bones[i];
    Bone bone;
    bone.joint = *left->find(source.joint);
    if (source.parent != i) bone.parent = static_cast<std::uint32_t>(source.parent);
    bone.head = Vec3f(to_model(source.head, Side::left));
    bone.tail = Vec3f(to_model(source.tail(), Side::left));
    bone.surface = in_model_space(**bone_meshes[i], Side::left);
    bones.push_back(std::move(bone));
  }
  Result<SkinWeights> weights = bind_skin(in_model_space(*skin, Side::left), bones, {}, within(progress, 0.7, 1));
  if (!weights) return weights.error();
  renumber(*weights, bones);

  Result<Skeleton> skeleton = hand_skeleton(anatomy, options.side);
  if (!skeleton) return skeleton.error();
  Character hand;
  hand.name = options.side == Side::left ? "left-hand" : "right-hand";
  hand.skeleton = std::move(*skeleton);
  hand.skins.push_back(bind_at_rest("hand", hand.skeleton));
  hand.materials.push_back({"skin", {0.75f, 0.45f, 0.35f, 1}, 0, 0.6f, false});

  Part skin_part;
  skin_part.name = "skin";
  skin_part.mesh = in_model_space(*skin, options.side);
  skin_part.weights = std::move(*weights);
  skin_part.skin = 0;
  skin_part.material = 0;
  hand.parts.push_back(std::move(skin_part));
  if (options.bones) {
    hand.materials.push_back({"bone", {0.86f, 0.80f, 0.66f, 1}, 0, 0.7f, false});
    Part bone_part;
    bone_part.name = "bones";
    bone_part.skin = 0;
    bone_part.material = 1;
    for (std::size_t i = 0; i < bones.size(); ++i) {
      append_rigid(bone_part, in_model_space(**bone_meshes[i], options.side), bones[i].joint);
    }
    hand.parts.push_back(std::move(bone_part));
  }
  hand.clips.push_back(fist_clip(hand.skeleton));
  if (Result<void> valid = validate(hand); !valid) return valid.error();
  return hand;
}

}  // namespace supple::make
