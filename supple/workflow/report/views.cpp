#include "supple/workflow/report/views.h"

#include <algorithm>
#include <cmath>

#include "supple/geometry/mesh.h"

namespace supple::workflow {
namespace {

bool is_hand(const Character& c) { return c.skeleton.find("wrist") && c.skeleton.find("middle-finger-tip"); }

/// +1 where the thumb points to +x (a left hand, palm down), -1 otherwise.
float thumb_side(const Character& c) {
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  const auto thumb = c.skeleton.find("thumb-tip");
  return thumb && world[*thumb].translation.x < 0 ? -1.0f : 1.0f;
}

/// How far flesh moves each vertex of a skinned part, relative to others: under the same acceleration a spring gives
/// way by the inverse square of its frequency.
std::vector<float> flesh_amounts(const Character& c, const Part& part) {
  std::vector<float> of_joint(c.skeleton.size());
  for (const FleshElement& e : c.flesh.elements) {
    float give = 0;
    for (const FleshSpring& s : e.springs) give += s.share / (s.frequency * s.frequency);
    for (const FleshTwin& twin : e.twins) of_joint[twin.joint] = give * e.gain * e.reach;
  }
  const SkinBinding& skin = c.skins[*part.skin];
  std::vector<float> amounts;
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
    float amount = 0;
    for (const Influence& i : part.weights.of(v)) amount += i.weight * of_joint[skin.joints[i.joint]];
    amounts.push_back(amount);
  }
  return amounts;
}

/// The upright view that most of the flesh faces; null where there is no flesh.
const render::View* view_of_flesh(const Character& c) {
  if (c.flesh.empty()) return nullptr;
  std::vector<render::View> upright;
  for (const render::View& view : render::views())
    if (std::abs(normalized(view.direction).y) < 0.5f) upright.push_back(view);
  std::vector<Vec3f> normals;
  std::vector<float> amounts;
  for (const Part& part : c.parts) {
    if (!part.skin) continue;
    std::vector<Vec3f> own = part.mesh.normals;
    if (own.empty()) {
      own.resize(part.mesh.positions.size());
      compute_normals(part.mesh.positions, part.mesh.triangles, own);
    }
    const std::vector<float> moved = flesh_amounts(c, part);
    normals.insert(normals.end(), own.begin(), own.end());
    amounts.insert(amounts.end(), moved.begin(), moved.end());
  }
  const render::View* best = view_of_most(upright, normals, amounts);
  if (best == nullptr) return nullptr;
  // Of the library's own views, which last.
  for (const render::View& view : render::views())
    if (view.name == best->name) return &view;
  return nullptr;
}

}  // namespace

const render::View* view_of_most(std::span<const render::View> views, std::span<const Vec3f> normals,
                                 std::span<const float> amounts) {
  const render::View* best = nullptr;
  double most = 0;
  for (const render::View& view : views) {
    const Vec3f towards = normalized(view.direction);
    double seen = 0;
    for (std::size_t v = 0; v < normals.size(); ++v)
      seen += double{amounts[v]} * std::max(0.0, double{dot(normals[v], towards)});
    if (seen > most) most = seen, best = &view;
  }
  return best;
}

render::View default_view(const Character& character) {
  if (const render::View* flesh = view_of_flesh(character)) return *flesh;
  const auto view = view_of(character, is_hand(character) ? "dorsal" : "three-quarter");
  return view ? *view : render::View{};
}

std::string detail_view(const Character& character) { return is_hand(character) ? "oblique" : "three-quarter"; }

Result<render::View> view_of(const Character& character, const std::string& name) {
  if (is_hand(character)) {
    // Hands lie palm down with the fingers along -z: seen with the fingers up.
    const Vec3f up{0, 0, -1};
    const float thumb = thumb_side(character);
    if (name == "palm") return render::View{name, {0.1f * thumb, -1, 0.15f}, up};
    if (name == "dorsal") return render::View{name, {0, 1, 0.15f}, up};
    if (name == "thumb") return render::View{name, {thumb, -0.1f, 0.25f}, up};
    if (name == "oblique") return render::View{name, {0.6f * thumb, -0.75f, 0.5f}, up};
  }
  return render::find_view(name);
}

std::vector<render::View> views_around(const Character& character) {
  std::vector<render::View> result;
  if (!is_hand(character)) {
    for (const render::View& view : render::views()) result.push_back(view);
    return result;
  }
  for (const char* name : {"palm", "dorsal", "thumb", "oblique"})
    if (auto view = view_of(character, name)) result.push_back(std::move(*view));
  return result;
}

}  // namespace supple::workflow
