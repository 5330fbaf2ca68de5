#include "supple/author/simulate/contact.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "supple/base/parallel.h"

namespace supple::simulate {
namespace {

constexpr std::size_t contacts_at_once = 128;
constexpr double of_mean_edge = 0.1;
constexpr double seen_overlap = 2;   // distances: what may have gone through where watching starts
constexpr double of_rest_gap = 0.9;  // skins that are near at rest push when they are nearer than that

double youngs_modulus(const Hyperelastic& m) {
  return 9 * m.bulk_modulus() * m.shear_modulus() / (3 * m.bulk_modulus() + m.shear_modulus());
}

}  // namespace

ContactOptions contact_options(const Tissue& tissue, double distance) {
  ContactOptions options;
  const double watched = options.watch / options.distance;
  options.distance = distance > 0 ? distance : of_mean_edge * tissue.quality.mean_edge;
  options.watch = watched * options.distance;
  return options;
}

ContactModel::ContactModel(const Body& body, const Tissue& tissue, const ContactOptions& options)
    : tissue_(&tissue), options_(options), skin_(body, tissue, options.watch, seen_overlap * options.distance) {
  double softest = 0;
  for (const Hyperelastic& m : tissue.model.materials())
    softest = softest == 0 ? youngs_modulus(m) : std::min(softest, youngs_modulus(m));
  pressure_ = options.stiffness * softest / options.distance;
  distances_.assign(body.skin.positions.size(), options.distance);
  for (const Contact& c : watch(tissue.mesh.nodes))
    distances_[c.vertex] = std::min(options.distance, of_rest_gap * std::max(c.gap, 0.0));
}

std::vector<Contact> ContactModel::watch(std::span<const Vec3d> x) const {
  std::vector<Contact> contacts;
  for (FacingPatch& f : skin_.watch(x)) static_cast<FacingPatch&>(contacts.emplace_back()) = std::move(f);
  return contacts;
}

std::vector<Contact> ContactModel::follow(std::span<const Contact> contacts, std::span<const Vec3d> x) const {
  if (contacts.empty()) return {};
  const FacingSkin::Posed skin = skin_.pose(x);
  std::vector<Contact> result(contacts.begin(), contacts.end());
  parallel_for(result.size(), contacts_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      static_cast<FacingPatch&>(result[c]) = skin_.follow(contacts[c], skin);
      result[c].pressed = force(result[c]);
    }
  });
  return result;
}

std::vector<Contact> ContactModel::track(std::span<const Contact> contacts, std::span<const Vec3d> x) const {
  std::vector<Contact> touching = follow(contacts, x);
  std::erase_if(touching, [&](const Contact& c) { return !pushes(c); });
  std::vector<Contact> found = watch(x), result;
  result.reserve(found.size() + touching.size());
  const auto by_vertex = [](const Contact& a, const Contact& b) { return a.vertex < b.vertex; };
  // Both are in the order of vertices; of equals, a union keeps the first.
  std::set_union(std::move_iterator(touching.begin()), std::move_iterator(touching.end()),
                 std::move_iterator(found.begin()), std::move_iterator(found.end()), std::back_inserter(result),
                 by_vertex);
  return result;
}

void ContactModel::hold(std::span<Contact> contacts, std::span<const Vec3d> x) const {
  std::vector<Vec3d> skin(distances_.size());
  apply(tissue_->skin, tissue_->mesh, x, skin);
  for (Contact& c : contacts) {
    c.grip = c.patch;
    c.held = skin[c.vertex] - c.grip.mean(skin);
    c.slip = {};
    c.pressed = force(c);
  }
}

void ContactModel::measure(std::span<Contact> contacts, std::span<const Vec3d> x) const {
  if (contacts.empty()) return;
  std::vector<Vec3d> skin(distances_.size());
  apply(tissue_->skin, tissue_->mesh, x, skin);
  for (Contact& c : contacts) {
    c.gap = dot(skin[c.vertex] - c.patch.mean(skin), c.away) + c.offset;
    if (c.grip.vertices.empty()) continue;
    c.slip = skin[c.vertex] - c.grip.mean(skin) - c.held;
    c.slip -= c.away * dot(c.slip, c.away);
  }
}

double ContactModel::drag(const Contact& c) const {
  return options_.friction * c.pressed / std::max(soft_slip(), length(c.slip));
}

double ContactModel::energy(std::span<const Contact> contacts) const {
  double sum = 0;
  const double soft = soft_slip();
  for (const Contact& c : contacts) {
    sum += 0.5 * force(c) * (distances_[c.vertex] - c.gap);
    const double slip = length(c.slip);
    sum += options_.friction * c.pressed * (slip < soft ? slip * slip / (2 * soft) : slip - soft / 2);
  }
  return sum;
}

ContactNodes ContactModel::nodes(std::uint32_t vertex, const SkinPatch& patch) const {
  std::map<std::uint32_t, double> weights;
  const auto add = [&](std::uint32_t v, double factor) {
    const auto corners = tissue_->mesh.element(tissue_->skin.elements[v]);
    const auto& l = tissue_->skin.coordinates[v];
    if (corners.size() == 4) {
      for (std::size_t a = 0; a < 4; ++a) weights[corners[a]] += factor * l[a];
    } else {
      const auto shape = quadratic_shape(l);
      for (std::size_t a = 0; a < corners.size(); ++a) weights[corners[a]] += factor * shape[a];
    }
  };
  add(vertex, 1);
  for (const SkinPatch::Vertex& q : patch.vertices) add(q.vertex, -q.weight);
  ContactNodes result;
  for (const auto& [node, weight] : weights) {
    result.nodes.push_back(node);
    result.weights.push_back(weight);
  }
  return result;
}

double deepest_overlap(std::span<const Contact> contacts) {
  double depth = 0;
  for (const Contact& c : contacts) depth = std::max(depth, -c.gap * c.strength);
  return depth;
}

}  // namespace supple::simulate
