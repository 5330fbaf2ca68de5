#include "supple/rig/hard_skin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "supple/base/text.h"
#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"
#include "supple/rig/character.h"
#include "supple/rig/find_part.h"

namespace supple {
namespace {

constexpr float same_weights = 0.02f;   // by which weights of a rigid shell differ at most
constexpr float nearly_same = 0.35f;    // linear blend bends such a shell a little: nobody wanted that
constexpr double small = 0.1;           // of the body's size: what is smaller and hangs on one joint is hard
constexpr float one_motion = 0.6f;      // weights that differ by more are a small limb's, such as a finger's
constexpr double not_large = 0.25;      // of the body's size: so is what nearly follows one motion
constexpr float wholly = 0.999f;        // the weight of skin that follows one joint alone
constexpr double wider = 1.25;          // a head by its neck
constexpr double longest_head = 3.5;    // along by across
constexpr double skin_below = 0.3;      // of a head's own skin: eyes and jaws, but no arms
constexpr std::size_t least_head = 12;  // vertices

bool holds(const std::vector<JointIndex>& list, JointIndex j) {
  return std::find(list.begin(), list.end(), j) != list.end();
}

double median_of_values(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// #parts by #V: whether a vertex lies exactly on one of another part of the same skin. Such parts are one surface that
/// was cut, by materials for one.
std::vector<std::vector<bool>> on_cuts(const Character& c) {
  std::vector<Vec3f> positions;
  std::vector<std::uint32_t> part_of;
  for (std::uint32_t p = 0; p < c.parts.size(); ++p) {
    if (!c.parts[p].skin) continue;
    positions.insert(positions.end(), c.parts[p].mesh.positions.begin(), c.parts[p].mesh.positions.end());
    part_of.resize(positions.size(), p);
  }
  const Weld points = weld(positions);
  constexpr std::uint32_t none = 0xffffffff, several = 0xfffffffe;
  std::vector<std::uint32_t> owner(points.points(), none);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    std::uint32_t& of = owner[points.to_point[v]];
    const bool same_skin = of < several && c.parts[of].skin == c.parts[part_of[v]].skin;
    if (of == none) {
      of = part_of[v];
    } else if (of != part_of[v] && same_skin) {
      of = several;
    }
  }
  std::vector<std::vector<bool>> result(c.parts.size());
  for (std::size_t v = 0; v < positions.size(); ++v) result[part_of[v]].push_back(owner[points.to_point[v]] == several);
  return result;
}

/// One skinned part, its surface in connected pieces and its weights by bones.
class PieceFinder {
 public:
  PieceFinder(const Character& c, std::uint32_t number, std::span<const JointIndex> bone_of, std::vector<bool> on_cut)
      : character_(c), part_(c.parts[number]), number_(number), bone_of_(bone_of), on_cut_(std::move(on_cut)) {
    const Weld points = weld(part_.mesh.positions);
    const std::vector<Triangle> triangles = welded_triangles(part_.mesh.triangles, points);
    near_ = vertex_neighbours(points.points(), triangles);
    const Parts pieces = connected_parts(points.points(), triangles);
    to_point_ = points.to_point;
    vertices_of_.resize(pieces.count);
    for (std::uint32_t v = 0; v < to_point_.size(); ++v) {
      const std::uint32_t piece = pieces.of_vertex[to_point_[v]];
      vertices_of_[piece].push_back(v);
      piece_of_.push_back(piece);
    }
    in_shell_.resize(pieces.count, false);
  }

  void find_shells(double body_size, const Hardness& hardness, HardSkin& found) {
    const bool part_is_hard = std::count(hardness.hard_parts.begin(), hardness.hard_parts.end(), number_) > 0;
    const std::size_t first = found.shells.size();
    for (std::uint32_t piece = 0; piece < vertices_of_.size(); ++piece) {
      if (vertices_of_[piece].size() < 3) continue;
      const Following f = following(vertices_of_[piece]);
      const bool told = part_is_hard || (holds(hardness.hard_joints, f.joint) && f.mean >= 0.5);
      if (!told && (holds(hardness.soft_joints, f.joint) || !is_shell(piece, f, body_size))) continue;
      in_shell_[piece] = true;
      found.shells.push_back({number_, f.joint, vertices_of_[piece], {}, {}});
    }
    measure_closeness(std::span(found.shells).subspan(first));
  }

  void find_heads(const Hardness& hardness, HardSkin& found) {
    std::vector<float>& softness = found.softness[number_];
    const std::vector<JointIndex>& joints = character_.skins[*part_.skin].joints;
    std::vector<JointIndex> bones;
    for (const JointIndex j : joints)
      if (bone_of_[j] == j) bones.push_back(j);
    for (const JointIndex j : bones) {
      if (holds(hardness.soft_joints, j)) continue;
      const Head head = head_of(j);
      if (head.vertices.size() < least_head) continue;
      const bool told = holds(hardness.hard_joints, j);
      if (!told && !is_head(head, j)) continue;
      found.heads.push_back(j);
      if (softness.empty()) softness.assign(part_.mesh.positions.size(), 1.0f);
      fade(head, softness);
    }
  }

 private:
  /// Which joint a piece follows most, by how much on the mean, and how much weights differ over it.
  struct Following {
    JointIndex joint = no_joint;
    double mean = 0;
    float difference = 0;
  };
  Following following(std::span<const std::uint32_t> vertices) const {
    const std::size_t joints = character_.skeleton.size();
    std::vector<float> least(joints, 1.0f), most(joints, 0.0f), own(joints);
    std::vector<double> sum(joints);
    for (const std::uint32_t v : vertices) {
      std::fill(own.begin(), own.end(), 0.0f);
      for (const Influence& i : part_.weights.of(v))
        own[bone_of_[character_.skins[*part_.skin].joints[i.joint]]] += i.weight;
      for (std::size_t j = 0; j < joints; ++j) {
        least[j] = std::min(least[j], own[j]);
        most[j] = std::max(most[j], own[j]);
        sum[j] += double{own[j]};
      }
    }
    Following f;
    for (JointIndex j = 0; j < joints; ++j) {
      f.difference = std::max(f.difference, most[j] - least[j]);
      if (sum[j] / static_cast<double>(vertices.size()) <= f.mean) continue;
      f.mean = sum[j] / static_cast<double>(vertices.size());
      f.joint = j;
    }
    return f;
  }

  bool is_shell(std::uint32_t piece, const Following& f, double body_size) const {
    std::vector<Vec3f> points;
    std::size_t on_cut = 0;
    for (const std::uint32_t v : vertices_of_[piece]) {
      points.push_back(part_.mesh.positions[v]);
      on_cut += on_cut_[v] ? 1 : 0;
    }
    if (on_cut > 1) return false;  // an edge of it goes on in another part
    const double size = double{bounds(points).diagonal()};
    if (f.difference <= same_weights) return true;
    if (size <= small * body_size && f.mean >= 0.5 && f.difference <= one_motion) return true;
    return size <= not_large * body_size && f.difference <= nearly_same;
  }

  /// By the distance to what of the part is no shell, next to the shell's own size.
  void measure_closeness(std::span<HardSkin::Shell> shells) const {
    std::vector<Triangle> soft;
    for (const Triangle& t : part_.mesh.triangles)
      if (!in_shell_[piece_of_[t[0]]]) soft.push_back(t);
    const Bvh surface(part_.mesh.positions, soft);
    for (HardSkin::Shell& shell : shells) {
      shell.closeness.assign(shell.vertices.size(), 1.0f);
      if (soft.empty()) continue;
      std::vector<float> distance;
      for (const std::uint32_t v : shell.vertices) {
        const ClosestPoint near = surface.closest(part_.mesh.positions[v]);
        distance.push_back(near.distance);
        const Vec3f b = near.barycentric;
        shell.below.push_back(soft[near.triangle][b.x >= b.y && b.x >= b.z ? 0 : b.y >= b.z ? 1 : 2]);
      }
      const float nearest = *std::min_element(distance.begin(), distance.end());
      std::vector<Vec3f> points;
      for (const std::uint32_t v : shell.vertices) points.push_back(part_.mesh.positions[v]);
      const float reach = std::max(0.25f * bounds(points).diagonal(), 1e-6f);
      for (std::size_t i = 0; i < distance.size(); ++i) {
        const float d = (distance[i] - nearest) / reach;
        shell.closeness[i] = 1 / (1 + d * d);
      }
    }
  }

  float weight_of(std::uint32_t v, JointIndex joint) const {
    float sum = 0;
    for (const Influence& i : part_.weights.of(v))
      if (bone_of_[character_.skins[*part_.skin].joints[i.joint]] == joint) sum += i.weight;
    return sum;
  }

  /// Skin that follows one joint alone, of pieces that are no shells, and how wide it is.
  struct Head {
    std::vector<std::uint32_t> vertices;
    double across = 0, along = 0, neck = 0;  // metres: usual distance from its axis; extent; that of what it sits on
  };
  Head head_of(JointIndex joint) const {
    Head head;
    std::vector<std::uint32_t> between;
    Vec3d middle{};
    for (std::uint32_t v = 0; v < part_.mesh.positions.size(); ++v) {
      if (in_shell_[piece_of_[v]]) continue;
      const float weight = weight_of(v, joint);
      if (weight >= wholly) {
        head.vertices.push_back(v);
        middle += Vec3d(part_.mesh.positions[v]);
      } else if (weight > 0.05f) {
        between.push_back(v);
      }
    }
    if (head.vertices.empty()) return head;
    const Vec3d at = bound_place(joint);
    const Vec3d axis = normalized(middle / static_cast<double>(head.vertices.size()) - at, Vec3d{0, 1, 0});
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::vector<double> across, neck;
    for (const std::uint32_t v : head.vertices) {
      const Vec3d p = Vec3d(part_.mesh.positions[v]) - at;
      low = std::min(low, dot(p, axis));
      high = std::max(high, dot(p, axis));
      across.push_back(length(p - axis * dot(p, axis)));
    }
    for (const std::uint32_t v : between) {
      const Vec3d p = Vec3d(part_.mesh.positions[v]) - at;
      neck.push_back(length(p - axis * dot(p, axis)));
    }
    head.across = median_of_values(across);
    head.along = high - low;
    head.neck = median_of_values(neck);
    return head;
  }

  /// Where the joint is in the space of the mesh, as the skin is bound.
  Vec3d bound_place(JointIndex joint) const {
    const SkinBinding& skin = character_.skins[*part_.skin];
    const auto place = std::find(skin.joints.begin(), skin.joints.end(), joint) - skin.joints.begin();
    return inverse(Affined(skin.inverse_bind[static_cast<std::size_t>(place)])).translation;
  }

  bool is_head(const Head& head, JointIndex joint) const {
    if (!(head.neck > 0) || !(head.across > wider * head.neck) || !(head.along < longest_head * head.across))
      return false;
    std::size_t below = 0;
    for (std::uint32_t v = 0; v < part_.mesh.positions.size(); ++v) {
      const std::span<const Influence> influences = part_.weights.of(v);
      if (influences.empty()) continue;
      const JointIndex j = bone_of_[character_.skins[*part_.skin].joints[influences[0].joint]];
      below += j != joint && character_.skeleton.is_ancestor(joint, j) ? 1 : 0;
    }
    return static_cast<double>(below) < skin_below * static_cast<double>(head.vertices.size());
  }

  /// Softness rises with the way over the surface, to 1 at the width of the neck.
  void fade(const Head& head, std::vector<float>& softness) const {
    const double width = std::max(head.neck > 0 ? head.neck : head.across, 1e-9);
    std::vector<double> way(near_.first.size() - 1, std::numeric_limits<double>::infinity());
    std::vector<Vec3d> places(way.size());
    for (std::uint32_t v = 0; v < to_point_.size(); ++v) places[to_point_[v]] = Vec3d(part_.mesh.positions[v]);
    using Step = std::pair<double, std::uint32_t>;
    std::priority_queue<Step, std::vector<Step>, std::greater<>> open;
    for (const std::uint32_t v : head.vertices) {
      way[to_point_[v]] = 0;
      open.emplace(0.0, to_point_[v]);
    }
    while (!open.empty()) {
      const auto [so_far, point] = open.top();
      open.pop();
      if (so_far > way[point] || so_far > width) continue;
      for (const std::uint32_t next : near_.of(point)) {
        const double on = so_far + length(places[next] - places[point]);
        if (!(on < way[next])) continue;
        way[next] = on;
        open.emplace(on, next);
      }
    }
    for (std::uint32_t v = 0; v < to_point_.size(); ++v) {
      const double t = std::min(way[to_point_[v]] / width, 1.0);
      softness[v] = std::min(softness[v], static_cast<float>(t * t * (3 - 2 * t)));
    }
  }

  const Character& character_;
  const Part& part_;
  std::uint32_t number_;
  std::span<const JointIndex> bone_of_;
  Adjacency near_;                       // of points
  std::vector<std::uint32_t> to_point_;  // #V
  std::vector<std::uint32_t> piece_of_;  // #V
  std::vector<std::vector<std::uint32_t>> vertices_of_;
  std::vector<bool> in_shell_;  // #pieces
  std::vector<bool> on_cut_;    // #V
};

}  // namespace

Result<Hardness> hardness_of(const Character& c, std::span<const std::string> hard, std::span<const std::string> soft) {
  Hardness told;
  const auto add = [&](const std::string& name, std::vector<JointIndex>& joints,
                       std::vector<std::uint32_t>& parts) -> Result<void> {
    const auto joint = c.skeleton.find(name);
    if (joint) joints.push_back(*joint);
    const auto named = find_parts(c, name);
    if (!joint && !named)
      return Error{"'" + name + "'", "is neither a joint nor a part",
                   did_you_mean(name, c.skeleton.names()) + "; " + named.error().remedy};
    if (named) parts.insert(parts.end(), named->begin(), named->end());
    return {};
  };
  for (const std::string& name : hard)
    if (auto ok = add(name, told.hard_joints, told.hard_parts); !ok) return ok.error();
  for (const std::string& name : soft)
    if (auto ok = add(name, told.soft_joints, told.soft_parts); !ok) return ok.error();
  return told;
}

HardSkin find_hard_skin(const Character& c, const Hardness& hardness) {
  HardSkin found;
  found.softness.resize(c.parts.size());
  std::vector<JointIndex> bone_of(c.skeleton.size());
  for (JointIndex j = 0; j < bone_of.size(); ++j) bone_of[j] = j;
  for (const FleshElement& e : c.flesh.elements)
    for (const FleshTwin& twin : e.twins) bone_of[twin.joint] = twin.bone;
  const std::vector<std::vector<bool>> on_cut = on_cuts(c);
  double body_size = 0;
  for (const Part& part : c.parts)
    if (part.skin) body_size = std::max(body_size, double{bounds(part.mesh.positions).diagonal()});
  for (std::uint32_t p = 0; p < c.parts.size(); ++p) {
    const bool soft = std::count(hardness.soft_parts.begin(), hardness.soft_parts.end(), p) > 0;
    if (!c.parts[p].skin || soft || c.parts[p].mesh.triangles.empty()) continue;
    PieceFinder finder(c, p, bone_of, on_cut[p]);
    finder.find_shells(body_size, hardness, found);
    finder.find_heads(hardness, found);
  }
  std::sort(found.heads.begin(), found.heads.end());
  found.heads.erase(std::unique(found.heads.begin(), found.heads.end()), found.heads.end());
  return found;
}

}  // namespace supple
