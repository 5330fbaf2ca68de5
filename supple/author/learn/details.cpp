#include "supple/author/learn/details.h"

#include <algorithm>
#include <cmath>

#include "supple/author/learn/correction.h"
#include "supple/author/learn/rbf_fit.h"

namespace supple::learn {
namespace {

constexpr double nothing_left = 1e-5;  // of the mesh's size: an example that is hit this well needs no detail
constexpr float faint = 0.01f;         // of the largest offset of a detail: what is below is left out

double distance(std::span<const Quatf> a, std::span<const Quatf> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::pow(angle_between(Quatd(a[k]), Quatd(b[k])), 2);
  return std::sqrt(sum);
}

float largest(std::span<const Vec3f> field) {
  float result = 0;
  for (const Vec3f& d : field) result = std::max(result, length(d));
  return result;
}

bool is_exact(const Residual& residual, std::size_t e) {
  const auto& tags = residual.example(e).tags;
  return std::find(tags.begin(), tags.end(), exact_tag) != tags.end();
}

/// Those with the tag, then the worst; places among the training examples.
std::vector<std::size_t> chosen_details(const Residual& left, std::span<const JointIndex> joints,
                                        const DetailOptions& options) {
  std::vector<std::pair<float, std::size_t>> by_size;
  std::vector<std::size_t> chosen;
  const double enough = nothing_left * double{bounds(left.set->rest_positions).diagonal()};
  for (std::size_t e = 0; e < left.chosen.size(); ++e) {
    const float size = largest(left.fields.positions_of(e));
    if (left.settings.moved[e].empty() || !(double{size} > enough)) continue;
    if (is_exact(left, e)) {
      chosen.push_back(e);
    } else {
      by_size.emplace_back(-size, e);
    }
  }
  std::sort(by_size.begin(), by_size.end());
  const std::size_t most = chosen.size() + options.worst;
  for (const auto& [size, e] : by_size) {
    if (chosen.size() >= most) break;
    const auto at = left.settings.of(e, joints);
    const bool near = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t other) {
      return distance(at, left.settings.of(other, joints)) < options.reach / 2;
    });
    if (!near) chosen.push_back(e);
  }
  return chosen;
}

/// The vertices that some detail moves, and each detail on them.
void put_fields(Correction& c, const Residual& left, std::span<const std::size_t> chosen, bool normals) {
  std::vector<bool> moved(left.fields.vertices);
  std::vector<float> sizes;
  for (const std::size_t e : chosen) {
    sizes.push_back(largest(left.fields.positions_of(e)));
    const auto field = left.fields.positions_of(e);
    for (std::size_t v = 0; v < field.size(); ++v)
      if (length(field[v]) > faint * sizes.back()) moved[v] = true;
  }
  for (std::uint32_t v = 0; v < moved.size(); ++v) {
    if (!moved[v]) continue;
    c.support.vertices.push_back(v);
    c.support.mask.push_back(1.0f);
  }
  for (std::size_t d = 0; d < chosen.size(); ++d) {
    const auto field = left.fields.positions_of(chosen[d]), turned = left.fields.normals_of(chosen[d]);
    auto& positions = c.positions.emplace_back();
    for (const std::uint32_t v : c.support.vertices)
      positions.push_back(length(field[v]) > faint * sizes[d] ? field[v] : Vec3f{});
    c.singular_values.push_back(double{sizes[d]});
    if (!normals) continue;
    auto& of_normals = c.normals.emplace_back();
    for (const std::uint32_t v : c.support.vertices)
      of_normals.push_back(length(field[v]) > faint * sizes[d] ? turned[v] : Vec3f{});
  }
  c.kept = c.positions.size();
}

}  // namespace

Result<std::size_t> add_details(EigenSkin& skin, const Residual& residual, const Skeleton& skeleton,
                                const DetailOptions& options) {
  std::vector<std::size_t> all(residual.chosen.size());
  for (std::size_t e = 0; e < all.size(); ++e) all[e] = e;
  if (options.worst == 0 && std::none_of(all.begin(), all.end(), [&](std::size_t e) { return is_exact(residual, e); }))
    return std::size_t{0};
  Residual left = residual;
  for (const Correction& c : skin.corrections) subtract(c, all, left);
  std::vector<JointIndex> joints;
  for (JointIndex j = 0; j < skeleton.size(); ++j)
    if (std::any_of(all.begin(), all.end(), [&](std::size_t e) { return left.settings.moves(e, j); }))
      joints.push_back(j);
  const std::vector<std::size_t> chosen = chosen_details(left, joints, options);
  if (chosen.empty()) return std::size_t{0};
  if (joints.size() > MorphDriver::most_joints)
    return Error{"details", "would follow " + std::to_string(joints.size()) + " joints, more than a driver can", ""};
  EigenSkinOptions gaussian;
  gaussian.kernel = RbfKernel::gaussian;
  Correction c = make_correction(skeleton, joints, gaussian);
  c.driver.name = "details";
  c.driver.radius = static_cast<float>(options.reach);
  std::vector<RbfSample> samples;
  DenseMatrix coordinates(chosen.size(), chosen.size());
  for (std::size_t d = 0; d < chosen.size(); ++d) {
    samples.push_back({left.example(chosen[d]).name, left.settings.of(chosen[d], joints)});
    coordinates(d, d) = 1;
    c.examples.push_back(left.chosen[chosen[d]]);
  }
  if (auto ok = interpolate_within(c.driver, samples, coordinates); !ok) return ok.error();
  limit_to_training(c, left);
  const bool normals = !skin.corrections.empty() && !skin.corrections[0].normals.empty();
  put_fields(c, left, chosen, normals);
  skin.order.insert(skin.order.end(), c.kept, skin.corrections.size());
  skin.corrections.push_back(std::move(c));
  return chosen.size();
}

}  // namespace supple::learn
