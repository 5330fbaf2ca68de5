// supple inspect: what an artist asks of a file before using it.
#include <fmt/core.h>

#include <filesystem>
#include <numbers>

#include "cli/commands/commands.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/files/engines.h"
#include "supple/geometry/topology.h"
#include "supple/rig/deformers.h"
#include "supple/rig/flat_rig.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/unit.h"

namespace supple::cli {
namespace {

struct InspectCommand {
  std::string input;
  bool joints = false, strict = false;
};

void declare(Command& app, InspectCommand& o) {
  app.option("file", o.input, "File to look at (.glb, .gltf, .obj, .bvh)").required().type("FILE");
  app.flag("--joints", o.joints, "List every joint with its degrees of freedom");
  app.flag("--strict", o.strict, "Refuse what would otherwise be repaired");
}

/// How deep each joint lies; roots are 1.
std::vector<std::size_t> depths(const Skeleton& s) {
  std::vector<std::size_t> depth(s.size(), 1);
  for (JointIndex j = 0; j < s.size(); ++j) {
    if (s.parent(j) != no_joint) depth[j] = depth[s.parent(j)] + 1;
  }
  return depth;
}

/// Things in the shape of a part that make deformers or engines stumble.
std::vector<std::string> problems_of(const Part& part) {
  std::vector<std::string> problems;
  const Weld welded = weld(part.mesh.positions);
  const Defects d = find_defects(part.mesh.positions, part.mesh.triangles, welded.to_point);
  const auto add = [&](std::size_t n, const char* one, const char* many) {
    if (n > 0) problems.push_back(fmt::format("{}: {} {}", part.name, n, n == 1 ? one : many));
  };
  add(d.boundary_edges, "open edge: the surface is not closed", "open edges: the surface is not closed");
  add(d.non_manifold_edges, "edge with more than two triangles", "edges with more than two triangles");
  add(d.degenerate_triangles, "triangle without area", "triangles without area");
  add(d.unused_vertices, "vertex in no triangle", "vertices in no triangle");
  return problems;
}

/// Whether some skin binds in another pose than the rest pose: allowed, but a surprise to many tools.
bool binds_elsewhere(const Character& c, const SkinBinding& skin) {
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const Affinef m = world[skin.joints[k]] * skin.inverse_bind[k];
    if (norm(m.linear - Mat3f{}) + length(m.translation) > 1e-3f) return true;
  }
  return false;
}

/// Sizes are those in the world, at rest: nodes above a skeleton may scale or turn what a mesh says.
void describe_parts(const Character& c, double unit, Outcome& out) {
  out.json["parts"] = Json::array();
  const auto posed = posed_surfaces(c, c.rest());
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    const Part& part = c.parts[p];
    const Box box = bounds(posed ? posed->parts[p].mesh.positions : part.mesh.positions);
    const Vec3d size = Vec3d(box.high - box.low) * unit;
    const std::size_t influences = part.skin ? part.weights.max_influences() : 0;
    out.text += fmt::format("  {:<24} {:>7} vertices {:>7} triangles  {:.3f} x {:.3f} x {:.3f} m",
                            part.name.empty() ? "(no name)" : part.name, part.mesh.positions.size(),
                            part.mesh.triangles.size(), size.x, size.y, size.z);
    out.text += part.skin ? fmt::format("  up to {} influences", influences) : "  rigid";
    if (!part.morphs.empty()) out.text += fmt::format("  {} morph targets", part.morphs.size());
    out.text += "\n";
    Json morphs = Json::array();
    for (const MorphTarget& m : part.morphs)
      morphs.push_back({{"name", m.name},
                        {"vertices", m.vertices.empty() ? part.mesh.positions.size() : m.vertices.size()},
                        {"sparse", !m.vertices.empty()}});
    out.json["parts"].push_back({{"name", part.name},
                                 {"vertices", part.mesh.positions.size()},
                                 {"triangles", part.mesh.triangles.size()},
                                 {"skinned", part.skin.has_value()},
                                 {"max_influences", influences},
                                 {"morph_targets", morphs},
                                 {"size", {size.x, size.y, size.z}}});
  }
}

void describe_joints(const Character& c, bool list, Outcome& out) {
  const std::vector<bool> skinned = skinned_joints(c);
  const std::vector<std::size_t> depth_of = depths(c.skeleton);
  std::size_t depth = 0, dofs = 0;
  Json joints = Json::array();
  std::string text;
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
    depth = std::max(depth, depth_of[j]);
    dofs += c.skeleton.dofs(j).size();
    Json json{{"name", c.skeleton.name(j)},
              {"parent", c.skeleton.parent(j) == no_joint ? Json() : Json(c.skeleton.name(c.skeleton.parent(j)))},
              {"skinned", static_cast<bool>(skinned[j])}};
    text += fmt::format("  {:>{}}{}{}", "", 2 * (depth_of[j] - 1), c.skeleton.name(j),
                        skinned[j] ? "" : "  (not in a skin)");
    for (const Dof& dof : c.skeleton.dofs(j)) {
      const double low = dof.min * 180 / std::numbers::pi, high = dof.max * 180 / std::numbers::pi;
      json["dofs"].push_back({{"name", dof.name}, {"min_degrees", low}, {"max_degrees", high}});
      text += fmt::format("  {} {:.0f}..{:.0f}", dof.name, low, high);
    }
    text += "\n";
    joints.push_back(json);
  }
  const auto used = static_cast<std::size_t>(std::count(skinned.begin(), skinned.end(), true));
  out.text += fmt::format("joints   {} nodes, {} in skins, {} deep, {} degrees of freedom with limits\n",
                          c.skeleton.size(), used, depth, dofs);
  if (list) out.text += text;
  out.json["joints"] = joints;
}

/// What joints are called whose file has no name for them, or the name of another joint.
void note_names(const Skeleton& skeleton, std::vector<std::string>& notes) {
  std::size_t nameless = 0, doubled = 0;
  std::string first_nameless, first_doubled;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (skeleton.name(j) == skeleton.given_name(j)) continue;
    const bool is_nameless = skeleton.given_name(j).empty();
    if ((is_nameless ? nameless : doubled)++ == 0) (is_nameless ? first_nameless : first_doubled) = skeleton.name(j);
  }
  if (nameless > 0)
    notes.push_back(fmt::format("{} joints have no name: they are called by their nodes' numbers, such as '{}'",
                                nameless, first_nameless));
  if (doubled > 0)
    notes.push_back(
        fmt::format("{} joints have the name of another: they are told apart by their nodes' numbers, such as '{}'",
                    doubled, first_doubled));
}

void describe_clips(const Character& c, Outcome& out) {
  out.json["clips"] = Json::array();
  for (const Clip& clip : c.clips) {
    out.text += fmt::format("clip     {:<24} {:.2f} s, {} tracks\n", clip.name.empty() ? "(no name)" : clip.name,
                            clip.duration(), clip.tracks.size());
    out.json["clips"].push_back(
        {{"name", clip.name}, {"start", clip.start()}, {"end", clip.end()}, {"tracks", clip.tracks.size()}});
  }
}

void describe_deformers(const Character& c, Outcome& out) {
  out.json["deformers"] = Json::array();
  for (const DeformerKind* kind : deformers()) {
    if (kind->count(c) == 0) continue;
    const std::string summary = kind->summary(c);
    out.text += fmt::format("deformer {:<24} {}\n         {:<24} without Supple: {}\n", kind->name, summary, "",
                            kind->elsewhere);
    out.json["deformers"].push_back({{"name", kind->name},
                                     {"member", kind->member},
                                     {"count", kind->count(c)},
                                     {"summary", summary},
                                     {"elsewhere", kind->elsewhere}});
  }
}

void describe_engines(const Character& c, Outcome& out) {
  out.text += "engines";
  for (const Engine& engine : engines()) {
    const std::vector<std::string> exceeded = exceeded_limits(engine, c);
    std::string reasons;
    for (const std::string& line : exceeded) reasons += (reasons.empty() ? "" : "; ") + line;
    out.text += fmt::format("{}{:<12} {}\n", out.text.ends_with("engines") ? "  " : "         ", engine.name,
                            exceeded.empty() ? "fits" : reasons);
    out.json["engines"][std::string(engine.name)] = {{"fits", exceeded.empty()}, {"exceeded", exceeded}};
  }
}

Result<Outcome> run(const InspectCommand& o, Session& session) {
  auto model = load_model(o.input, session, o.strict);
  if (!model) return model.error();
  workflow::Work noticed;
  const double unit = settle_unit(model->character(), noticed);
  const Character& c = model->character();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(o.input, ignored);
  Outcome out;
  const Json& root = model->document.root;
  const auto entries = [&](const char* key) {
    return root.contains(key) && root[key].is_array() ? root[key].size() : 0;
  };
  out.text = fmt::format("{}: {:.1f} kB, {} materials, {} textures\n", o.input, static_cast<double>(bytes) / 1000,
                         entries("materials"), entries("textures"));
  out.json = {
      {"file", o.input}, {"bytes", bytes}, {"materials", entries("materials")}, {"textures", entries("textures")}};
  out.json["extensions"] = root.value("extensionsUsed", Json::array());
  out.text += fmt::format("parts    {}\n", c.parts.size());
  describe_parts(c, unit, out);
  out.json["unit"] = unit;
  describe_joints(c, o.joints, out);
  describe_clips(c, out);
  describe_deformers(c, out);
  std::vector<std::string> problems = session.warnings, notes = noticed.warnings;
  session.warnings.clear();  // shown here, where they belong
  for (const Part& part : c.parts) {
    const auto own = problems_of(part);
    problems.insert(problems.end(), own.begin(), own.end());
  }
  if (noticed.warnings.empty() && unit != 1)
    notes.push_back(fmt::format("the file says that its unit is {:g} m", unit));
  note_names(c.skeleton, notes);
  if (const auto flat = flat_rig(c))
    notes.push_back(fmt::format(
        "a flat skeleton: {} of its joints hang on {}, so that bending one moves none of the others (supple convert "
        "--reparent makes a tree by names and places)",
        flat->joints.size(), flat->parent == no_joint ? "nothing" : "'" + c.skeleton.name(flat->parent) + "'"));
  for (const SkinBinding& skin : c.skins) {
    if (binds_elsewhere(c, skin)) notes.push_back("skin '" + skin.name + "' binds in another pose than the rest pose");
  }
  for (const std::string& p : problems) out.text += "problem  " + p + "\n";
  for (const std::string& n : notes) out.text += "note     " + n + "\n";
  if (problems.empty()) out.text += "problem  none found\n";
  out.json["problems"] = problems;
  out.json["notes"] = notes;
  describe_engines(c, out);
  return out;
}

}  // namespace

void add_inspect(Command& app, Session& session) {
  add_command<InspectCommand>(app, session, "inspect",
                              "Tell what is in a file, what is wrong with it and which engines it fits",
                              "supple inspect hand.glb --joints", declare, run);
}

}  // namespace supple::cli
