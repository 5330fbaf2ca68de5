#include "supple/author/simulate/body.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "supple/author/simulate/capsule.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/holes.h"

namespace supple::simulate {
namespace {

std::string millimetres(Vec3d p) {
  char text[96];
  std::snprintf(text, sizeof text, "(%.1f, %.1f, %.1f) mm", p.x * 1000, p.y * 1000, p.z * 1000);
  return text;
}
std::string millimetres(double d) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f mm", d * 1000);
  return text;
}

const Part* find_part(const Character& c, const std::string& name) {
  const auto found = std::find_if(c.parts.begin(), c.parts.end(), [&](const Part& p) { return p.name == name; });
  return found == c.parts.end() ? nullptr : &*found;
}

Result<std::size_t> choose_skin(const Character& c, const BodyOptions& options) {
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    const Part& part = c.parts[p];
    if (options.skin_part.empty() ? part.name != options.bones_part && part.skin : part.name == options.skin_part) {
      if (part.skin) return p;
      return Error{"part '" + part.name + "'", "is not bound to joints", "bind it first, with supple bind"};
    }
  }
  std::string names;
  for (const Part& part : c.parts) names += (names.empty() ? "" : ", ") + ("'" + part.name + "'");
  if (options.skin_part.empty())
    return Error{c.name, "has no part bound to joints",
                 "bind one first, with supple bind" + (names.empty() ? "" : "; its parts are " + names)};
  return Error{"part '" + options.skin_part + "'", "is not in " + c.name, "its parts are " + names};
}

Error open_skin(const std::string& part, std::span<const Hole> holes) {
  std::string where;
  for (std::size_t h = 0; h < std::min<std::size_t>(holes.size(), 5); ++h) {
    where += (h == 0 ? "" : "; ") + ("hole of " + std::to_string(holes[h].vertices.size()) + " vertices round ") +
             millimetres(holes[h].centre) + ", " + millimetres(holes[h].perimeter) + " about";
  }
  if (holes.size() > 5) where += "; and " + std::to_string(holes.size() - 5) + " more";
  return {"part '" + part + "'", "is open, so it has no inside to fill: " + where,
          "--close caps the holes; the flesh at the caps then follows the nearest bone"};
}

std::uint32_t nearest_bone(const Body& body, Vec3d point) {
  std::uint32_t best = 0;
  float distance = std::numeric_limits<float>::infinity();
  for (std::uint32_t b = 0; b < body.bones.size(); ++b) {
    const Mesh& surface = body.bones[b].surface;
    if (surface.triangles.empty()) continue;
    const float d = Bvh(surface.positions, surface.triangles).closest(Vec3f(point)).distance;
    if (d < distance) distance = d, best = b;
  }
  return best;
}

/// A limb that was cut off flat, close to where its first bone begins, and square to it.
void find_flat_cut(Body& body) {
  for (std::uint32_t b = 0; b < body.bones.size(); ++b) {
    const Bone& bone = body.bones[b];
    if (bone.parent < body.bones.size()) continue;
    if (std::any_of(body.cuts.begin(), body.cuts.end(), [&](const CutEnd& c) { return c.bone == b; })) continue;
    const Vec3d head(bone.head), back = normalized(head - Vec3d(bone.tail));
    double end = -std::numeric_limits<double>::infinity();
    for (const Vec3f p : body.closed_skin.positions) end = std::max(end, dot(back, Vec3d(p) - head));
    CutEnd cut;
    cut.cap.positions = body.closed_skin.positions;
    const double thickness = 0.005 * bounds(body.closed_skin.positions).diagonal();
    for (const Triangle& t : body.closed_skin.triangles) {
      const Vec3d x(cut.cap.positions[t[0]]), y(cut.cap.positions[t[1]]), z(cut.cap.positions[t[2]]);
      const bool faces_back = dot(normalized(cross(y - x, z - x)), back) > 0.9;
      const double depth = end - dot(back, (x + y + z) / 3.0 - head);
      if (faces_back && depth < thickness) cut.cap.triangles.push_back(t);
    }
    const double radius = std::sqrt(surface_area(cut.cap.positions, cut.cap.triangles) / std::numbers::pi);
    if (radius == 0 || std::abs(end) > 2 * radius) continue;
    cut.bone = b;
    body.cuts.push_back(std::move(cut));
  }
}

/// The joint that moves each vertex of the skin all but alone, or no_joint.
std::vector<JointIndex> holding_joints(const Character& c, const Part& skin, double held_weight) {
  std::vector<JointIndex> result(skin.weights.vertices(), no_joint);
  for (std::size_t v = 0; held_weight > 0 && v < result.size(); ++v)
    for (const Influence& influence : skin.weights.of(v))
      if (double{influence.weight} >= held_weight) result[v] = c.skins[*skin.skin].joints[influence.joint];
  return result;
}

Result<void> find_bones(const Character& c, const Part& skin, const Character& at_rest, const BodyOptions& options,
                        Body& body, Warnings* warnings) {
  std::vector<JointIndex> joints = c.skins[*skin.skin].joints;
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());  // skins made one may name a joint twice
  std::vector<Bone> bones = bones_of(c.skeleton, joints);
  const Part* bones_part = find_part(c, options.bones_part);
  const bool surfaces = options.bones == BoneSource::surfaces ||
                        (options.bones == BoneSource::automatic && bones_part != nullptr && bones_part->skin);
  if (surfaces) {
    if (bones_part == nullptr || !bones_part->skin)
      return Error{"part '" + options.bones_part + "'", "is not there, or not bound to joints",
                   "--bones capsules fits bones to the joints"};
    Part placed = *bones_part;
    placed.mesh = at_rest.parts[static_cast<std::size_t>(bones_part - c.parts.data())].mesh;
    body.bones = with_surfaces(bones, placed, c.skins[*bones_part->skin]);
    return {};
  }
  body.capsules = true;
  const std::vector<JointIndex> holder = holding_joints(c, skin, options.held_weight);
  const Bvh tree(body.closed_skin.positions, body.closed_skin.triangles);
  std::vector<std::uint32_t> place(bones.size(), 0xffffffffu);  // of each bone, or of the nearest one above it
  std::string outside;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Bone bone = bones[b];
    if (bone.parent < bones.size()) bone.parent = place[bone.parent];
    place[b] = bone.parent;
    const auto capsule = fit_capsule(bone, tree, options.capsule_radius);
    const bool holds = std::find(holder.begin(), holder.end(), bone.joint) != holder.end();
    if (!capsule && !holds) {
      outside += (outside.empty() ? "" : ", ") + ("'" + c.skeleton.name(bone.joint) + "'");
      continue;
    }
    if (capsule) bone.surface = capsule_surface(*capsule);
    place[b] = static_cast<std::uint32_t>(body.bones.size());
    body.bones.push_back(std::move(bone));
  }
  if (options.held_weight > 0) {
    body.held_by.assign(holder.size(), no_bone);
    body.held_margin = options.held_margin;
    for (std::size_t v = 0; v < holder.size(); ++v)
      for (std::uint32_t b = 0; b < body.bones.size(); ++b)
        if (body.bones[b].joint == holder[v]) body.held_by[v] = b;
  }
  if (!outside.empty() && warnings != nullptr)
    warnings->push_back("no bone fits these joints, whose axes run outside the skin: " + outside);
  return {};
}

Result<void> check_bones(const Body& body, const BodyOptions& options) {
  if (body.bones.empty())
    return Error{"skin", "has no bones: nothing would move it", "--bones capsules fits bones to the joints"};
  const Bvh skin(body.closed_skin.positions, body.closed_skin.triangles);
  for (const Bone& bone : body.bones) {
    const std::string name = "bone of joint '" + body.skeleton.name(bone.joint) + "'";
    const Defects defects =
        find_defects(bone.surface.positions, bone.surface.triangles, weld(bone.surface.positions).to_point);
    if (defects.unbalanced_edges > 0) return Error{name, "is an open surface", "close it, or use --bones capsules"};
    float farthest = 0;
    Vec3f where{};
    for (const Vec3f p : bone.surface.positions) {
      const float d = skin.signed_distance(p);
      if (d > farthest) farthest = d, where = p;
    }
    if (static_cast<double>(farthest) > options.bone_tolerance) {
      return Error{name,
                   "sticks out of the skin by " + millimetres(double{farthest}) + " at " + millimetres(Vec3d(where)),
                   "move it inside, allow more with --bone-tolerance, or use --bones capsules"};
    }
  }
  return {};
}

}  // namespace

Result<Body> body_of(const Character& character, const BodyOptions& options, Warnings* warnings) {
  const auto part = choose_skin(character, options);
  if (!part) return part.error();
  const Part& skin = character.parts[*part];
  const auto at_rest = posed_surfaces(character, character.rest());
  if (!at_rest) return at_rest.error();
  Body body;
  body.skeleton = character.skeleton;
  body.part = *part;
  body.skin = at_rest->parts[*part].mesh;
  const std::vector<Hole> holes = find_holes(body.skin);
  if (!holes.empty() && !options.close_holes) return open_skin(skin.name, holes);
  ClosedSurface closed = close_holes(body.skin);
  if (!closed.open.empty()) {
    Error error = open_skin(skin.name, closed.open);
    error.remedy = "these holes touch each other or a non-manifold edge: mend the mesh there";
    return error;
  }
  body.closed_skin = std::move(closed.mesh);
  const double volume = enclosed_volume(body.closed_skin.positions, body.closed_skin.triangles);
  if (!(volume > 0))
    return Error{"part '" + skin.name + "'", "is inside out: its triangles face inwards", "flip the faces"};
  if (auto found = find_bones(character, skin, *at_rest, options, body, warnings); !found) return found.error();
  if (auto sound = check_bones(body, options); !sound) return sound.error();
  for (const Cap& cap : closed.caps) {
    CutEnd cut;
    cut.cap.positions = body.closed_skin.positions;
    const auto first = body.closed_skin.triangles.begin() + cap.first_triangle;
    cut.cap.triangles.assign(first, first + cap.triangle_count);
    cut.bone = nearest_bone(body, cap.hole.centre);
    body.cuts.push_back(std::move(cut));
  }
  find_flat_cut(body);
  return body;
}

void bone_motions(const Body& body, const Pose& pose, std::span<Affined> motions) {
  const auto world_of = [&](std::span<const Transformf> local) {
    std::vector<Affined> world(local.size());
    for (JointIndex j = 0; j < local.size(); ++j) {
      const Transform<double> t{Vec3d(local[j].translation), normalized(Quatd(local[j].rotation)),
                                Vec3d(local[j].scale)};
      const JointIndex parent = body.skeleton.parent(j);
      world[j] = parent == no_joint ? t.affine() : world[parent] * t.affine();
    }
    return world;
  };
  const std::vector<Affined> rest = world_of(body.skeleton.rest()), posed = world_of(pose.local);
  for (std::size_t b = 0; b < body.bones.size(); ++b) {
    const JointIndex j = body.bones[b].joint;
    motions[b] = posed[j] * inverse(rest[j]);
  }
}

}  // namespace supple::simulate
