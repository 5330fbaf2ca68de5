#include "cli/scan/decided.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/base/twist.h"

namespace supple::cli {
namespace {

constexpr double mm = 1000, degrees = 180 / std::numbers::pi;

Json point_json(Vec3d p, double unit) { return {rounded(p.x * unit), rounded(p.y * unit), rounded(p.z * unit)}; }

Result<Vec3d> point_of(const Json& json, const char* key, double unit, const std::string& item) {
  const auto found = json.find(key);
  const bool three = found != json.end() && found->is_array() && found->size() == 3 &&
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

Result<std::vector<std::uint32_t>> pieces_of(const Json& json, std::size_t piece_count, const std::string& item) {
  const auto list = json.find("pieces");
  if (list == json.end() || !list->is_array() || list->empty())
    return Error{item, "names no pieces", "\"pieces\": [3] says that it is piece 3 of decisions > pieces"};
  std::vector<std::uint32_t> pieces;
  for (const Json& number : *list) {
    if (!number.is_number_unsigned() || number.get<std::size_t>() >= piece_count)
      return Error{item, "names a piece that is not there: " + number.dump(),
                   "pieces are numbered 0 to " + std::to_string(piece_count - 1)};
    pieces.push_back(number.get<std::uint32_t>());
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

Result<Vec3d> centre_of_joint(const Json& json, const std::string& item) {
  return point_of(json, "centre_mm", mm, item);
}

Json features_json(std::span<const scan::Feature> features) {
  Json list = Json::array();
  for (const scan::Feature& f : features)
    list.push_back({{"name", f.name}, {"vertex", f.vertex}, {"target_mm", point_json(f.target, mm)}});
  return {{"points", std::move(list)}};
}

Result<std::vector<scan::Feature>> features_of(const Json& json, std::size_t vertices, const std::string& item) {
  std::vector<scan::Feature> features;
  const auto points = json.find("points");
  if (points == json.end() || !points->is_array())
    return Error{item, "needs 'points', a list", "an empty one is allowed"};
  for (const Json& point : *points) {
    const std::string place = item + ", points[" + std::to_string(features.size()) + "]";
    if (!point.is_object() || !point.contains("vertex") || !point["vertex"].is_number_unsigned() ||
        point["vertex"].get<std::size_t>() >= vertices)
      return Error{place, "needs a 'vertex' of the base skin, 0 to " + std::to_string(vertices - 1), ""};
    const auto target = point_of(point, "target_mm", mm, place);
    if (!target) return target.error();
    features.push_back({point.value("name", ""), point["vertex"].get<std::uint32_t>(), *target});
  }
  return features;
}

}  // namespace supple::cli
