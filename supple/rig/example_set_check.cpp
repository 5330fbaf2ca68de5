// What an example set must satisfy, by itself and next to the character it belongs to.
#include <algorithm>
#include <cmath>
#include <map>

#include "supple/base/parallel.h"
#include "supple/rig/example_set.h"

namespace supple {
namespace {

constexpr float unit_tolerance = 1e-3f;   // of lengths that should be 1: files may store rounded vectors
constexpr float far_away = 100;           // sizes
constexpr float match_tolerance = 1e-5f;  // of the size

std::string counted(std::size_t n, const char* what) { return std::to_string(n) + " " + what; }

Error mismatch(std::string item, std::size_t has, const char* what, std::size_t needed, const char* whose) {
  return {std::move(item), "has " + counted(has, what) + " for " + counted(needed, whose), ""};
}

bool is_unit(Vec3f v) { return std::abs(length(v) - 1) <= unit_tolerance; }

Result<void> check_joint(const Transformf& t, const std::string& item) {
  if (!is_finite(t.translation) || !is_finite(t.scale)) return Error{item, "has a transform that is not finite", ""};
  // The comparison is false for what is not a number.
  const float norm = std::sqrt(dot(t.rotation, t.rotation));
  if (!(std::abs(norm - 1) <= unit_tolerance)) {
    return Error{item, "has a rotation of length " + std::to_string(norm),
                 "rotations are unit quaternions (x, y, z, w)"};
  }
  return {};
}

Result<void> check_normals(std::span<const Vec3f> normals, const std::string& item) {
  for (std::size_t v = 0; v < normals.size(); ++v) {
    if (is_unit(normals[v])) continue;
    return Error{item + ", vertex " + std::to_string(v),
                 is_finite(normals[v]) ? "has a normal of length " + std::to_string(length(normals[v]))
                                       : "has a normal that is not finite",
                 "normals are unit vectors"};
  }
  return {};
}

Result<void> check_parts(const ExampleSet& set) {
  std::size_t vertices = 0;
  for (const ExamplePart& p : set.parts) {
    if (p.vertices > set.vertices())  // a sum of such numbers may wrap
      return mismatch("part '" + p.name + "'", p.vertices, "vertices", set.vertices(), "vertices of the set");
    vertices += p.vertices;
  }
  if (!set.parts.empty() && vertices != set.vertices())
    return mismatch("parts", vertices, "vertices in all", set.vertices(), "vertices of the set");
  return {};
}

Result<void> check_rest(const ExampleSet& set) {
  const std::size_t vertices = set.vertices();
  if (vertices == 0) return Error{"rest skin", "has no vertices", ""};
  if (set.skeleton.size() == 0) return Error{"skeleton", "has no joints", ""};
  if (set.rest_normals.size() != vertices)
    return mismatch("rest skin", set.rest_normals.size(), "normals", vertices, "vertices");
  for (std::size_t v = 0; v < vertices; ++v) {
    if (!is_finite(set.rest_positions[v]))
      return Error{"rest skin, vertex " + std::to_string(v), "has a position that is not finite", ""};
  }
  if (auto ok = check_normals(set.rest_normals, "rest skin"); !ok) return ok;
  for (std::size_t t = 0; t < set.triangles.size(); ++t) {
    for (const std::uint32_t v : set.triangles[t]) {
      if (v >= vertices)
        return Error{"rest skin, triangle " + std::to_string(t),
                     "names vertex " + std::to_string(v) + " of " + std::to_string(vertices), ""};
    }
  }
  return {};
}

Result<void> check_sizes(const ExampleSet& set) {
  const std::size_t per_joint = set.size() * set.skeleton.size(), per_vertex = set.size() * set.vertices();
  if (set.rotations.size() != per_joint)
    return mismatch("example set", set.rotations.size(), "rotations", per_joint, "joints of all poses");
  if (!set.translations.empty() && set.translations.size() != per_joint)
    return mismatch("example set", set.translations.size(), "translations", per_joint, "joints of all poses");
  if (!set.scales.empty() && set.scales.size() != per_joint)
    return mismatch("example set", set.scales.size(), "scales", per_joint, "joints of all poses");
  if (set.positions.size() != per_vertex)
    return mismatch("example set", set.positions.size(), "positions", per_vertex, "vertices of all poses");
  if (set.normals.size() != per_vertex)
    return mismatch("example set", set.normals.size(), "normals", per_vertex, "vertices of all poses");
  return {};
}

Result<void> check_skeletons(const Skeleton& set, const Skeleton& rig, float size) {
  if (set.size() != rig.size())
    return Error{"skeleton",
                 "has " + counted(rig.size(), "joints") + "; the examples have " + std::to_string(set.size()),
                 "use the file that the examples were made from"};
  for (JointIndex j = 0; j < set.size(); ++j) {
    const std::string item = "joint " + std::to_string(j) + " '" + rig.name(j) + "'";
    if (set.name(j) != rig.name(j)) return Error{item, "is called '" + set.name(j) + "' in the examples", ""};
    if (set.parent(j) != rig.parent(j)) return Error{item, "hangs on another joint in the examples", ""};
    const Transformf &a = set.rest(j), &b = rig.rest(j);
    // Radians: floats are good to 1e-7, programs that write rotations as Euler angles to a few 1e-5.
    const bool turned = angle_between(a.rotation, b.rotation) > 1e-4f;
    if (turned || length(a.translation - b.translation) > match_tolerance * size ||
        length(a.scale - b.scale) > match_tolerance * length(b.scale)) {
      return Error{item, "rests elsewhere in the examples", "the rig was changed after they were made"};
    }
  }
  return {};
}

}  // namespace

Result<void> check_example(const Example& example, const Skeleton& skeleton, std::span<const Transformf> local,
                           std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                           std::span<const Vec3f> rest_positions, float set_size) {
  const std::string item = "example '" + example.name + "'";
  if (example.name.empty()) return Error{"example", "has no name", "every example needs a name of its own"};
  if (!(example.weight >= 0) || !std::isfinite(example.weight))
    return Error{item, "has the weight " + std::to_string(example.weight), "weights are >= 0"};
  if (!(example.range >= 0) || !std::isfinite(example.range))
    return Error{item, "has the range " + std::to_string(example.range), "ranges are >= 0, in radians"};
  if (local.size() != skeleton.size()) return mismatch(item, local.size(), "transforms", skeleton.size(), "joints");
  if (positions.size() != rest_positions.size())
    return mismatch(item, positions.size(), "positions", rest_positions.size(), "vertices");
  if (normals.size() != rest_positions.size())
    return mismatch(item, normals.size(), "normals", rest_positions.size(), "vertices");
  for (JointIndex j = 0; j < local.size(); ++j) {
    if (auto ok = check_joint(local[j], item + ", joint '" + skeleton.name(j) + "'"); !ok) return ok;
  }
  Vec3d gone{};  // the whole may be anywhere: characters walk, and stand where scenes have them
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (!is_finite(positions[v]))
      return Error{item + ", vertex " + std::to_string(v), "has a position that is not finite", ""};
    gone += (Vec3d(positions[v]) - Vec3d(rest_positions[v])) * (1 / static_cast<double>(positions.size()));
  }
  std::size_t farthest = 0;
  double distance = 0;
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (const double own = length(Vec3d(positions[v]) - Vec3d(rest_positions[v]) - gone); own > distance)
      distance = own, farthest = v;
  if (distance > double{far_away} * double{set_size})
    return Error{item + ", vertex " + std::to_string(farthest),
                 "is " + std::to_string(distance) + " m from where it rests beside the others; the whole is " +
                     std::to_string(set_size) + " m large",
                 "positions are metres in world space"};
  return check_normals(normals, item);
}

Result<void> validate(const ExampleSet& set) {
  if (auto ok = check_rest(set); !ok) return ok;
  if (auto ok = check_parts(set); !ok) return ok;
  if (auto ok = check_sizes(set); !ok) return ok;
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto [found, fresh] = places.emplace(set.examples[i].name, i);
    if (!fresh)
      return Error{"example '" + set.examples[i].name + "'",
                   "occurs twice, at " + std::to_string(found->second) + " and " + std::to_string(i),
                   "give every example a name of its own"};
  }
  const float size = size_of(set.skeleton, set.rest_positions);
  std::vector<Result<void>> results(set.size());
  parallel_for(set.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      results[i] = check_example(set.examples[i], set.skeleton, set.pose(i).local, set.positions_of(i),
                                 set.normals_of(i), set.rest_positions, size);
    }
  });
  for (Result<void>& result : results) {
    if (!result) return result;
  }
  return {};
}

Result<void> check_matches(const ExampleSet& set, const Character& character, std::size_t part) {
  return check_matches(set, character, std::span(&part, 1));
}

Result<void> check_matches(const ExampleSet& set, const Character& character, std::span<const std::size_t> parts) {
  std::vector<Vec3f> skin;
  for (const std::size_t p : parts)
    skin.insert(skin.end(), character.parts[p].mesh.positions.begin(), character.parts[p].mesh.positions.end());
  const float size = size_of(character.skeleton, skin);
  if (auto ok = check_skeletons(set.skeleton, character.skeleton, size); !ok) return ok;
  const auto other = [&](const std::string& item, std::size_t has, const char* what, std::size_t examples) {
    return Error{item, "has " + counted(has, what) + "; the examples have " + std::to_string(examples),
                 "use the file that the examples were made from"};
  };
  const auto item_of = [&](std::size_t place) { return "part '" + character.parts[parts[place]].name + "'"; };
  for (std::size_t i = 0; set.parts.size() == parts.size() && i < parts.size(); ++i)  // else parts were made one
    if (const std::size_t has = character.parts[parts[i]].mesh.positions.size(); has != set.parts[i].vertices)
      return other(item_of(i), has, "vertices", set.parts[i].vertices);
  if (set.vertices() != skin.size()) return other(item_of(0), skin.size(), "vertices", set.vertices());
  std::size_t triangles = 0;
  for (const std::size_t p : parts) triangles += character.parts[p].mesh.triangles.size();
  if (set.triangles.size() != triangles) return other(item_of(0), triangles, "triangles", set.triangles.size());
  std::uint32_t first = 0;
  std::size_t first_triangle = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Mesh& mesh = character.parts[parts[i]].mesh;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const Triangle& own = mesh.triangles[t];
      if (set.triangles[first_triangle + t] != Triangle{first + own[0], first + own[1], first + own[2]})
        return Error{item_of(i) + ", triangle " + std::to_string(t), "has other corners in the examples", ""};
    }
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      if (const float distance = length(set.rest_positions[first + v] - mesh.positions[v]);
          !(distance <= match_tolerance * size))
        return Error{item_of(i) + ", vertex " + std::to_string(v),
                     "rests " + std::to_string(distance) + " m from where it does in the examples",
                     "the mesh was changed after they were made"};
    }
    first += static_cast<std::uint32_t>(mesh.positions.size());
    first_triangle += mesh.triangles.size();
  }
  return {};
}

Result<std::vector<std::size_t>> parts_of(const ExampleSet& set, const Character& character) {
  std::vector<std::size_t> result;
  if (set.parts.empty()) {
    const auto part = find_part(character, set.part);
    if (!part) return part.error();
    return std::vector{*part};
  }
  for (const ExamplePart& wanted : set.parts) {
    const auto named = find_parts(character, wanted.name);
    if (!named) return named.error();
    std::optional<std::size_t> found;
    for (const std::size_t p : *named) {
      if (std::find(result.begin(), result.end(), p) != result.end()) continue;
      const bool fits = character.parts[p].mesh.positions.size() == wanted.vertices;
      if (!found || (fits && character.parts[*found].mesh.positions.size() != wanted.vertices)) found = p;
    }
    if (!found)
      return Error{"part '" + wanted.name + "'", "is in the examples more often than in '" + character.name + "'",
                   "use the file that the examples were made from"};
    result.push_back(*found);
  }
  return result;
}

}  // namespace supple
