// A character around real bones: measured joints, their flesh and skin, bound as every hand.
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/geometry/isosurface.h"
#include "supple/geometry/remesh.h"
#include "supple/phantom/bone_solids.h"
#include "supple/phantom/carpal_joints.h"
#include "supple/rig/bind.h"

namespace supple::phantom {
namespace {

using make::AnatomicalBone;
using make::BoneKind;

constexpr std::size_t fewest_vertices = 800, most_vertices = 200000;  // of the skin
constexpr double widest_joint_space = 0.005;                          // metres
constexpr double skin_area = 52000;                                   // square millimetres, about
constexpr double bone_spacing = 1;                                    // of the lattice in which bones are cut, mm

Result<Mesh> skin_mesh(const BoneFlesh& flesh, std::size_t vertices, const Progress& progress) {
  const double edge = std::sqrt(skin_area / (std::sqrt(3.0) / 2 * static_cast<double>(vertices)));
  const double spacing = std::clamp(0.7 * edge, 0.7, 1.3);  // keeps neighbouring fingers apart
  const Field field = [&](Vec3d p) { return flesh(p); };
  const Mesh raw = isosurface(field, grid_around(flesh.low(), flesh.high(), spacing), BoneFlesh::lipschitz);
  RemeshOptions options;
  options.edge_length = [&](Vec3d p) { return flesh.relative_edge(p); };
  options.project = [&](Vec3d p) { return flesh.project(p); };
  options.vertices = vertices;
  Result<Mesh> mesh = remesh(raw, options, progress);
  if (!mesh) return mesh;
  const double normal_step = std::min(0.25 * edge, 1.0);
  mesh->normals.resize(mesh->positions.size());
  parallel_for(mesh->positions.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      mesh->normals[v] = Vec3f(normalized(flesh.gradient(Vec3d(mesh->positions[v]), normal_step), {0, 1, 0}));
  });
  return mesh;
}

/// Anatomical space to the model's, which mirrors right hands.
Mesh in_model_space(Mesh mesh, make::Side side) {
  for (Vec3f& p : mesh.positions) p = Vec3f(to_model(Vec3d(p), side));
  if (side == make::Side::right) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
  }
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

// Limits are anatomical: a finger that rests bent by 30 degrees can bend 30 degrees less, and stretch by 30 more.
Result<Skeleton> skeleton_of(const MeasuredHand& hand, bool moving_carpals) {
  auto made = hand_skeleton(hand.anatomy, hand.side);
  if (!made) return made;
  std::vector<RawJoint> joints;
  for (JointIndex j = 0; j < made->size(); ++j) {
    RawJoint joint{made->name(j), std::nullopt, made->rest(j), {made->dofs(j).begin(), made->dofs(j).end()}};
    if (made->parent(j) != no_joint) joint.parent = made->parent(j);
    for (std::size_t b = 0; b < hand.anatomy.bones.size(); ++b) {
      if (hand.anatomy.bones[b].joint != joint.name) continue;
      for (Dof& dof : joint.dofs) {
        const double bent = dof.name == "flexion" ? hand.bent[b].flexion : hand.bent[b].abduction;
        dof.min -= static_cast<float>(bent);
        dof.max -= static_cast<float>(bent);
      }
    }
    joints.push_back(std::move(joint));
  }
  if (moving_carpals) {
    if (auto added = add_carpal_joints(hand, *made, joints); !added) return added.error();
  }
  auto built = build_skeleton(joints);
  if (!built) return built.error();
  return std::move(built->skeleton);
}

/// What moves as one: a bone of the skeleton, or one piece of it.
struct Body {
  std::string name, joint;
  std::size_t bone = 0;
  std::optional<std::size_t> piece{};
};
std::vector<Body> bodies_of(const MeasuredHand& hand, bool moving_carpals) {
  std::vector<Body> bodies;
  for (std::size_t b = 0; b < hand.pieces.size(); ++b) {
    const AnatomicalBone& bone = hand.anatomy.bones[b];
    if (!moving_carpals || bone.kind == BoneKind::digit) {
      bodies.push_back({bone.joint, bone.joint, b});
      continue;
    }
    for (std::size_t p = 0; p < hand.names[b].size(); ++p)
      bodies.push_back({hand.names[b][p], joint_of_single(hand.names[b][p]), b, p});
  }
  return bodies;
}

/// As they are drawn, with cartilage; of the forearm, what lies within the skin.
std::vector<Mesh> surfaces_of(const MeasuredHand& hand, const Body& body, double forearm_end) {
  const std::vector<Mesh>& pieces = hand.pieces[body.bone];
  if (hand.anatomy.bones[body.bone].kind != BoneKind::forearm)
    return body.piece ? std::vector<Mesh>{pieces[*body.piece]} : pieces;
  const BoneSolid whole(hand, body.bone, 0, forearm_end, body.piece);
  const Vec3d margin{2, 2, 2};
  return {isosurface([&](Vec3d p) { return whole(p); },
                     grid_around(whole.low() - margin, whole.high() + margin, bone_spacing), 1)};
}

Result<void> bind_parts(Character& hand, const Progress& progress) {
  const std::vector<Bone> bones =
      with_surfaces(bones_of(hand.skeleton, hand.skins[0].joints), hand.parts[1], hand.skins[0]);
  auto weights = bind_skin(hand.parts[0].mesh, bones, {}, progress);
  if (!weights) return weights.error();
  for (Influence& influence : weights->entries) influence.joint = bones[influence.joint].joint;
  hand.parts[0].weights = std::move(*weights);
  return validate(hand);
}

}  // namespace

Result<Subject> hand_of_bones(std::span<const NamedSurface> bones, const BoneHandOptions& options,
                              const Progress& progress) {
  if (options.vertices < fewest_vertices || options.vertices > most_vertices)
    return Error{"vertices", std::to_string(options.vertices) + " is out of range", "choose 800 to 200000"};
  if (!(options.joint_space >= 0 && options.joint_space <= widest_joint_space))
    return Error{"joint space", "is out of range", "choose 0 to 5 millimetres"};
  auto measured = measure_hand(bones);
  if (!measured) return measured.error();
  const BoneFlesh flesh(*measured);
  auto skin = skin_mesh(flesh, options.vertices, within(progress, 0.1, 0.7));
  if (!skin) return skin.error();
  auto skeleton = skeleton_of(*measured, options.moving_carpals);
  if (!skeleton) return skeleton.error();

  Subject subject;
  Character& hand = subject.character;
  hand.name = measured->side == make::Side::left ? "left-hand" : "right-hand";
  hand.skeleton = std::move(*skeleton);
  hand.skins.push_back(bind_at_rest("hand", hand.skeleton));
  hand.materials = {{"skin", {0.75f, 0.45f, 0.35f, 1}, 0, 0.6f, false},
                    {"bone", {0.86f, 0.80f, 0.66f, 1}, 0, 0.7f, false}};
  Part skin_part, bone_part;
  skin_part.name = "skin", bone_part.name = "bones";
  skin_part.skin = bone_part.skin = 0;
  skin_part.material = 0, bone_part.material = 1;
  std::vector<Vec3f> normals = skin->normals;
  skin_part.mesh = in_model_space(std::move(*skin), measured->side);
  for (std::size_t v = 0; v < normals.size(); ++v)
    skin_part.mesh.normals[v] = Vec3f(to_model(Vec3d(normals[v]), measured->side) * 1000.0);
  for (const Body& body : bodies_of(*measured, options.moving_carpals)) {
    const JointIndex joint = *hand.skeleton.find(body.joint);
    for (const Mesh& piece : surfaces_of(*measured, body, flesh.bones_end()))
      append_rigid(bone_part, in_model_space(piece, measured->side), joint);
    const BoneSolid mineral(*measured, body.bone, options.joint_space * 1000, flesh.bones_end(), body.piece);
    subject.bones.push_back(solid_of(mineral, body.name, measured->side));
    subject.joint_of.push_back(joint);
  }
  hand.parts.push_back(std::move(skin_part));
  hand.parts.push_back(std::move(bone_part));
  if (auto bound = bind_parts(hand, within(progress, 0.7, 1)); !bound) return bound.error();
  return subject;
}

}  // namespace supple::phantom
