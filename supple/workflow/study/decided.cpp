#include "supple/workflow/study/decided.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "supple/base/hash.h"
#include "supple/base/twist.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/decisions.h"

namespace supple::workflow {
namespace {

// Metres. A threshold moves the centre of a piece by tenths of a millimetre; other bones are further away than this.
constexpr double same_piece = 0.003;
// Metres: about the distance between vertices of the base skin.
constexpr double same_place = 0.001;

Json point_json(Vec3d p, double unit) { return {rounded(p.x * unit), rounded(p.y * unit), rounded(p.z * unit)}; }

Result<Vec3d> point_of(const Json& json, const char* key, double unit, const std::string& item) {
  const auto found = json.find(key);
  const bool three = found != nullptr && found->is_array() && found->size() == 3 &&
                     std::all_of(found->begin(), found->end(), [](const Json& x) { return x.is_number(); });
  if (!three) return Error{item, std::string("needs '") + key + "': three numbers", "or take the whole item away"};
  return Vec3d{(*found)[0].get<double>(), (*found)[1].get<double>(), (*found)[2].get<double>()} / unit;
}

}  // namespace

double rounded(double x) { return std::round(x * 1000) / 1000; }

Json pieces_json(const scan::Parts& parts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    const scan::BonePart& part = parts.parts[i];
    list.push_back(
        {{"piece", i}, {"volume_mm3", rounded(part.volume * 1e9)}, {"centre_mm", point_json(part.centre, mm)}});
  }
  return {{"marker", rounded(parts.marker)}, {"dropped", parts.dropped.size()}, {"found", std::move(list)}};
}

Json bone_json(const scan::NamedBone& bone, const scan::Parts& parts) {
  Json centres = Json::object();
  for (const std::uint32_t piece : bone.pieces)
    centres[std::to_string(piece)] = point_json(parts.parts[piece].centre, mm);
  return {{"pieces", bone.pieces}, {"centres_mm", std::move(centres)}, {"doubt", rounded(bone.doubt)}};
}

Result<std::vector<std::uint32_t>> pieces_of(const Json& json, const scan::Parts& parts, const std::string& item) {
  const auto list = json.find("pieces");
  if (list == nullptr || !list->is_array() || list->empty())
    return Error{item, "names no pieces", "\"pieces\": [3] says that it is piece 3 of decisions.pieces.found"};
  std::vector<std::uint32_t> pieces;
  for (const Json& number : *list) {
    if (!number.is_number_unsigned() || number.get<std::size_t>() >= parts.parts.size())
      return Error{item, "names a piece that is not there: " + number.dump(),
                   "pieces are numbered 0 to " + std::to_string(parts.parts.size() - 1)};
    pieces.push_back(number.get<std::uint32_t>());
    const auto centres = json.find("centres_mm");
    if (centres == nullptr || !centres->contains(number.dump())) continue;
    const auto before = point_of(*centres, number.dump().c_str(), mm, item + ".centres_mm");
    if (!before) return before.error();
    const double off = length(parts.parts[pieces.back()].centre - *before);
    if (off > same_piece)
      return Error{item,
                   "piece " + number.dump() + " is another one now, " + std::to_string(std::lround(off * mm)) +
                       " mm from where it was: the pieces have been numbered anew",
                   "look the bone's pieces up in decisions.pieces.found, list them again and take centres_mm away; or "
                   "take the whole item away"};
  }
  return pieces;
}

Json motion_json(const scan::BoneFit& fit, const scan::ScanBone& bone) {
  const Vec3d turn = log_rotation(from_matrix(fit.motion.linear));
  return {{"turn_degrees", point_json(turn, degrees)},
          {"shift_mm", point_json(fit.motion.point(bone.facing) - bone.facing, mm)},
          {"residual_mm", rounded(fit.residual * mm)},
          {"overlap", rounded(fit.overlap)}};
}

Result<Affined> motion_of(const Json& json, const scan::ScanBone& bone, const std::string& item) {
  const auto turn = point_of(json, "turn_degrees", degrees, item);
  if (!turn) return turn.error();
  const auto shift = point_of(json, "shift_mm", mm, item);
  if (!shift) return shift.error();
  const Mat3d r = to_matrix(exp_rotation(*turn));
  return Affined{r, bone.facing + *shift - r * bone.facing};
}

Json joint_json(const scan::JointEstimate& joint) {
  return {{"centre_mm", point_json(joint.centre, mm)},
          {"slides", joint.slides},
          {"residual_mm", rounded(joint.residual * mm)},
          {"uncertainty_mm", point_json(joint.uncertainty, mm)},
          {"directions_seen", joint.seen}};
}

Result<std::optional<Vec3d>> centre_of_joint(const Json& json, const std::string& item) {
  if (!json.contains("centre_mm")) return std::optional<Vec3d>();
  const auto centre = point_of(json, "centre_mm", mm, item);
  if (!centre) return centre.error();
  return std::optional<Vec3d>(*centre);
}

namespace {

/// Tells one base skin from another.
std::string print_of(const Mesh& skin) {
  Fingerprint print;
  for (const Vec3f& p : skin.positions) print.add(p.x).add(p.y).add(p.z);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(print.value()));
  return text;
}

std::uint32_t nearest_vertex(const Mesh& skin, Vec3d p) {
  const auto distance = [&](const Vec3f& v) { return squared_length(Vec3d(v) - p); };
  const auto nearest = std::ranges::min_element(skin.positions, {}, distance);
  return static_cast<std::uint32_t>(nearest - skin.positions.begin());
}

/// The vertex that one point of a list means; writes what it found into the point.
Result<std::uint32_t> vertex_of(Json& point, const Mesh& skin, bool same_skin, const std::string& place) {
  const bool has_base = point.contains("base_mm"), has_vertex = point.contains("vertex");
  const std::size_t count = skin.positions.size();
  if (!has_vertex && !has_base)
    return Error{place, "says not where it is on the base skin", "give its 'vertex', or 'base_mm', three numbers"};
  const std::size_t number = has_vertex ? point["vertex"].get<std::size_t>() : count;
  if (has_base && !(same_skin && has_vertex)) {
    const auto base = point_of(point, "base_mm", mm, place);
    if (!base) return base.error();
    if (number >= count || length(Vec3d(skin.positions[number]) - *base) > same_place) {
      const std::uint32_t nearest = nearest_vertex(skin, *base);
      point["vertex"] = nearest;  // base_mm stays as given: it would drift from skin to skin
      return nearest;
    }
  }
  if (number >= count) return Error{place, "needs a 'vertex' of the base skin, 0 to " + std::to_string(count - 1), ""};
  if (same_skin || !has_base) point["base_mm"] = point_json(Vec3d(skin.positions[number]), mm);
  return static_cast<std::uint32_t>(number);
}

}  // namespace

Json features_json(std::span<const scan::Feature> features, const Mesh& base_skin) {
  Json list = Json::array();
  for (const scan::Feature& f : features)
    list.push_back({{"name", f.name},
                    {"vertex", f.vertex},
                    {"base_mm", point_json(Vec3d(base_skin.positions[f.vertex]), mm)},
                    {"target_mm", point_json(f.target, mm)}});
  return {{"points", std::move(list)}, {"base_skin", print_of(base_skin)}};
}

Result<GivenFeatures> features_of(const Json& json, const Mesh& base_skin, const std::string& item) {
  GivenFeatures given{{}, json};
  if (!json.contains("points")) return Error{item, "needs 'points', a list", "an empty one is allowed"};
  const std::string print = print_of(base_skin);
  const bool same_skin = json.contains("base_skin") && json["base_skin"] == print;
  for (Json& point : given.item["points"]) {
    const std::string place = item + ".points[" + std::to_string(given.features.size()) + "]";
    point = without_nulls(point);
    const auto vertex = vertex_of(point, base_skin, same_skin, place);
    if (!vertex) return vertex.error();
    const auto target = point_of(point, "target_mm", mm, place);
    if (!target) return target.error();
    const std::string name = point.contains("name") ? point["name"].get<std::string>() : "";
    given.features.push_back({name, *vertex, *target});
  }
  given.item["base_skin"] = print;
  return given;
}

}  // namespace supple::workflow
