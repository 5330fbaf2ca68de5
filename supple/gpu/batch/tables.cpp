#include "supple/gpu/batch/tables.h"

#include <algorithm>
#include <limits>
#include <string>

#include "supple/deform/part_binding.h"

namespace supple::gpu {
namespace {

std::uint32_t counted(std::size_t size) { return static_cast<std::uint32_t>(size); }

/// From one number a joint to lists: `first` has #keys + 1, `items` the places in `keys` of each key in turn.
void group_by(const std::vector<std::uint32_t>& keys, std::size_t count, std::vector<std::uint32_t>& first,
              std::vector<std::uint32_t>& items) {
  first.assign(count + 1, 0);
  for (const std::uint32_t key : keys)
    if (key < count) ++first[key + 1];
  for (std::size_t k = 0; k < count; ++k) first[k + 1] += first[k];
  items.resize(first[count]);
  std::vector<std::uint32_t> filled(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] < count) items[filled[keys[i]]++] = counted(i);
}

void add_joints(const Skeleton& skeleton, BatchTables& t) {
  t.joint_count = counted(skeleton.size());
  std::vector<std::uint32_t> depth(skeleton.size()), first;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex parent = skeleton.parent(j);
    t.parents.push_back(parent);
    depth[j] = parent == no_joint ? 0 : depth[parent] + 1;
    const Transformf& rest = skeleton.rest(j);
    t.rest_rotations.insert(t.rest_rotations.end(),
                            {rest.rotation.x, rest.rotation.y, rest.rotation.z, rest.rotation.w});
    t.rest_translations.insert(t.rest_translations.end(), {rest.translation.x, rest.translation.y, rest.translation.z});
    t.rest_scales.insert(t.rest_scales.end(), {rest.scale.x, rest.scale.y, rest.scale.z});
  }
  group_by(depth, skeleton.size(), first, t.level_joints);
  for (const std::uint32_t j : t.level_joints) t.levels.push_back(depth[j]);
  group_by(t.parents, skeleton.size(), t.child_first, t.children);
}

void add_palette(const SkinBinding& binding, BatchTables& t) {
  t.palette_size = counted(palette_size(binding));
  t.palette_joints.assign(binding.joints.begin(), binding.joints.end());
  t.palette_joints.resize(t.palette_size, no_joint);
  for (std::size_t s = 0; s < t.palette_size; ++s) {
    const Affinef a = s < binding.inverse_bind.size() ? binding.inverse_bind[s] : Affinef{};
    const Mat3f& l = a.linear;
    t.inverse_bind.insert(t.inverse_bind.end(), {l.c0.x, l.c1.x, l.c2.x, a.translation.x, l.c0.y, l.c1.y, l.c2.y,
                                                 a.translation.y, l.c0.z, l.c1.z, l.c2.z, a.translation.z});
  }
  group_by(t.palette_joints, t.joint_count, t.slot_first, t.slots);
}

RowKind kind_of(RbfKernel kernel) {
  switch (kernel) {
    case RbfKernel::exponential:
      return RowKind::exponential;
    case RbfKernel::gaussian:
      return RowKind::gaussian;
    case RbfKernel::linear:
      return RowKind::linear;
    case RbfKernel::cubic:
      return RowKind::cubic;
    case RbfKernel::pose:
      break;
  }
  return RowKind::other;
}

void add_rows_of(const BatchDriver& d, BatchTables& t) {
  for (std::uint32_t row = 0; row < d.rows; ++row) {
    const bool is_plain = d.joints == 1 && row < d.centres && !d.has_twist;
    t.row_kinds.push_back(is_plain ? d.kind : RowKind::other);
    t.row_drivers.push_back(t.driver_count);
    t.row_settings.push_back(d.first_joint);
    t.row_targets.push_back(d.first_target);
    t.row_target_counts.push_back(d.targets);
    t.row_coefficients.push_back(d.first_coefficient + row * d.targets);
    t.row_over_radii.push_back(d.over_radius);
  }
}

/// Centres of plain rows, by coordinate.
void add_row_centres(BatchTables& t) {
  t.row_centres.resize(4 * std::size_t{t.row_count});
  for (std::uint32_t at = 0; at < t.row_count; ++at) {
    if (t.row_kinds[at] == RowKind::other) continue;
    const BatchDriver& d = t.drivers[t.row_drivers[at]];
    for (std::size_t c = 0; c < 4; ++c)
      t.row_centres[c * t.row_count + at] = t.centre_turns[4 * (std::size_t{d.first_centre} + (at - d.first_row)) + c];
  }
}

/// Sets weights of the part that follow the joints, or stay where they are (`kept` false: no rows, only the rest).
void add_driver(const MorphDriver& d, bool kept, BatchTables& t) {
  const std::uint32_t begin = std::max(d.first_weight, t.first_weight);
  const std::uint32_t end = std::min(d.first_weight + counted(d.targets()), t.first_weight + t.target_count);
  if (begin >= end) return;
  BatchDriver made;
  made.kind = kind_of(d.kernel);
  made.is_pose_kernel = d.kernel == RbfKernel::pose;
  made.first_joint = counted(t.driver_joints.size());
  made.first_centre = counted(t.centre_turns.size() / 4);
  made.first_coefficient = counted(t.coefficients.size());
  made.first_neighbour = counted(t.neighbour_ranges.size());
  made.first_target = begin - t.first_weight;
  made.targets = end - begin;
  for (std::uint32_t w = begin; w < end; ++w) {
    t.driver_rest[w - t.first_weight] = d.rest_weights[w - d.first_weight];
    if (t.is_limited && !d.least.empty()) t.driver_least[w - t.first_weight] = d.least[w - d.first_weight];
    if (t.is_limited && !d.most.empty()) t.driver_most[w - t.first_weight] = d.most[w - d.first_weight];
  }
  if (kept) {
    made.joints = counted(d.joints.size());
    made.centres = counted(d.centre_count());
    made.rows = counted(d.rows());
    made.has_twist = !d.twist_axes.empty();
    made.over_radius = 1 / double{d.radius};
    made.twist_weight = double{d.twist_weight};
    made.pair_weight = double{d.pair_weight};
    for (std::size_t k = 0; k < d.joints.size(); ++k) {
      t.driver_joints.push_back(d.joints[k]);
      const Quatd r(d.reference[k]);
      t.driver_references.insert(t.driver_references.end(), {r.x, r.y, r.z, r.w});
      t.driver_radii.push_back(d.radii.empty() ? 0 : double{d.radii[k]});
      const Vec3d axis = d.twist_axes.empty() ? Vec3d{} : Vec3d(d.twist_axes[k]);
      t.driver_twists.insert(t.driver_twists.end(), {axis.x, axis.y, axis.z});
      t.neighbour_ranges.push_back(counted(t.neighbours.size()));
      for (const auto& [a, b] : d.pairs)
        if (a == k || b == k) t.neighbours.push_back(a == k ? b : a);
    }
    t.neighbour_ranges.push_back(counted(t.neighbours.size()));
    for (const Quatf& turned : d.centres) {
      const Quatd c(turned);
      t.centre_turns.insert(t.centre_turns.end(), {c.x, c.y, c.z, c.w});
    }
    for (std::size_t row = 0; row < d.rows(); ++row)
      for (std::uint32_t w = begin; w < end; ++w)
        t.coefficients.push_back(d.coefficients[row * d.targets() + (w - d.first_weight)]);
    made.first_row = t.row_count;
    t.row_count += made.rows;
    add_rows_of(made, t);
    t.max_driver_joints = std::max(t.max_driver_joints, made.joints);
  }
  for (std::uint32_t m = 0; m < made.targets; ++m) {
    const std::uint32_t target = made.first_target + m;
    t.target_row_counts[target] = made.rows;
    t.target_rows[target] = made.first_row;
    t.target_coefficients[target] = made.first_coefficient + m;
    t.target_strides[target] = made.targets;
  }
  t.drivers.push_back(made);
  t.driver_count = counted(t.drivers.size());
}

/// Weights that stand still whatever the pose says: of layers that are switched off.
void add_still(std::uint32_t first, std::vector<float> values, BatchTables& t) {
  MorphDriver still;
  still.first_weight = first;
  still.rest_weights = std::move(values);
  add_driver(still, false, t);
}

void add_weights(const Character& character, const Part& part, const Layers& layers, BatchTables& t) {
  t.weight_count = counted(character.morph_weights.size());
  t.first_weight = part.first_morph_weight;
  t.target_count = counted(part.morphs.size());
  t.rest_weights = character.morph_weights;
  t.target_row_counts.assign(t.target_count, no_rows);
  for (auto* array : {&t.target_rows, &t.target_coefficients, &t.target_strides}) array->assign(t.target_count, 0);
  t.driver_rest.assign(t.target_count, 0);
  t.is_limited =
      layers.drivers == LayerSource::live && std::any_of(character.drivers.begin(), character.drivers.end(),
                                                         [](const MorphDriver& d) { return d.is_limited(); });
  if (t.is_limited) {
    t.driver_least.assign(t.target_count, -std::numeric_limits<float>::infinity());
    t.driver_most.assign(t.target_count, std::numeric_limits<float>::infinity());
  }
  if (layers.drivers != LayerSource::as_given)
    for (const MorphDriver& d : character.drivers) add_driver(d, layers.drivers == LayerSource::live, t);
  if (layers.pose_space == LayerSource::at_rest && character.pose_space)
    add_still(character.pose_space->first_weight, std::vector<float>(character.pose_space->targets()), t);
  if (layers.wrinkles == LayerSource::at_rest)
    for (const Wrinkle& wrinkle : character.wrinkles) add_still(wrinkle.weight, {0}, t);
}

/// Which drivers follow each joint alone, and which several.
void add_drivers_of_joints(BatchTables& t) {
  t.driver_joint_count = counted(t.driver_joints.size());
  std::vector<std::uint32_t> alone(t.driver_count, no_joint);
  for (std::uint32_t n = 0; n < t.driver_count; ++n) {
    const BatchDriver& d = t.drivers[n];
    if (d.joints == 1 && d.rows > 0) alone[n] = t.driver_joints[d.first_joint];
    if (d.joints > 1) t.joined_drivers.push_back(n);
  }
  t.joined_count = counted(t.joined_drivers.size());
  group_by(alone, t.joint_count, t.joint_driver_first, t.joint_drivers);
}

/// The dense rows of weights of every group, in the order of the palette.
void add_rows(const SkinWeights& weights, BatchTables& t) {
  for (std::uint32_t g = 0; g < t.group_count; ++g) {
    t.row_first.push_back(counted(t.row_slots.size()));
    const std::size_t begin = std::size_t{g} * group_vertices;
    const std::size_t end = std::min<std::size_t>(begin + group_vertices, t.vertex_count);
    std::vector<std::uint32_t> joints;
    for (std::size_t v = begin; v < end; ++v)
      for (const Influence& i : weights.of(v)) joints.push_back(i.joint);
    std::sort(joints.begin(), joints.end());
    joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
    const std::size_t first = t.row_slots.size();
    t.row_slots.insert(t.row_slots.end(), joints.begin(), joints.end());
    t.row_weights.resize((first + joints.size()) * group_vertices);
    for (std::size_t v = begin; v < end; ++v)
      for (const Influence& i : weights.of(v)) {
        const auto row =
            static_cast<std::size_t>(std::lower_bound(joints.begin(), joints.end(), i.joint) - joints.begin());
        t.row_weights[(first + row) * group_vertices + (v - begin)] += i.weight;
      }
  }
  t.row_first.push_back(counted(t.row_slots.size()));
}

void put_vertex(std::vector<float>& values, std::size_t group, std::size_t lane, Vec3f position, Vec3f normal) {
  const float six[6] = {position.x, position.y, position.z, normal.x, normal.y, normal.z};
  for (std::size_t c = 0; c < 6; ++c) values[offset_place(group, c, lane)] = six[c];
}

/// Entries of every group: targets that move any of its vertices, in order.
void add_entries(const std::vector<MorphTarget>& targets, BatchTables& t) {
  std::vector<std::vector<std::uint32_t>> target_of(t.group_count);  // of each group
  const auto for_offsets = [&](const MorphTarget& target, const auto& visit) {
    const std::size_t count = std::max(target.positions.size(), target.normals.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3f position = i < target.positions.size() ? target.positions[i] : Vec3f{};
      const Vec3f normal = i < target.normals.size() ? target.normals[i] : Vec3f{};
      if (position == Vec3f{} && normal == Vec3f{}) continue;
      visit(target.vertices.empty() ? i : std::size_t{target.vertices[i]}, position, normal);
    }
  };
  for (std::uint32_t m = 0; m < targets.size(); ++m)
    for_offsets(targets[m], [&](std::size_t v, Vec3f, Vec3f) {
      std::vector<std::uint32_t>& list = target_of[v / group_vertices];
      if (list.empty() || list.back() != m) list.push_back(m);
    });
  for (const std::vector<std::uint32_t>& list : target_of) {
    t.entry_first.push_back(counted(t.entry_targets.size()));
    t.entry_targets.insert(t.entry_targets.end(), list.begin(), list.end());
  }
  t.entry_first.push_back(counted(t.entry_targets.size()));
  t.entry_offsets.resize(t.entry_targets.size() * 6 * group_vertices);
  for (std::uint32_t m = 0; m < targets.size(); ++m)
    for_offsets(targets[m], [&](std::size_t v, Vec3f position, Vec3f normal) {
      const std::size_t g = v / group_vertices;
      const std::vector<std::uint32_t>& list = target_of[g];
      const auto entry =
          t.entry_first[g] + static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), m) - list.begin());
      put_vertex(t.entry_offsets, entry, v % group_vertices, position, normal);
    });
}

/// The layer that a batch cannot do, if any.
const char* missing_layer(const Character& character, std::size_t part, const Layers& layers) {
  if (layers.pose_space == LayerSource::live && character.pose_space && character.pose_space->part == part)
    return "pose-space";
  if (layers.delta_mush == LayerSource::live && is_smoothed(character, part)) return "delta-mush";
  const Part& p = character.parts[part];
  if (layers.wrinkles == LayerSource::live)
    for (const Wrinkle& wrinkle : character.wrinkles)
      if (wrinkle.weight >= p.first_morph_weight && wrinkle.weight - p.first_morph_weight < p.morphs.size())
        return "wrinkles";
  return nullptr;
}

}  // namespace

BatchView view_without_arrays(const BatchTables& t) {
  BatchView view;
  view.joint_count = t.joint_count;
  view.palette_size = t.palette_size;
  view.weight_count = t.weight_count;
  view.first_weight = t.first_weight;
  view.target_count = t.target_count;
  view.driver_count = t.driver_count;
  view.row_count = t.row_count;
  view.joined_count = t.joined_count;
  view.driver_joint_count = t.driver_joint_count;
  view.max_driver_joints = t.max_driver_joints;
  view.is_limited = t.is_limited;
  view.vertex_count = t.vertex_count;
  view.group_count = t.group_count;
  view.size = t.size;
  view.is_affine = t.is_affine;
  view.matrix_size = t.matrix_size;
  return view;
}

BatchView view_of(const BatchTables& tables) {
  BatchView view = view_without_arrays(tables);
  for_arrays(tables, view, [](const auto& array, auto& pointer) { pointer = array.data(); });
  return view;
}

Result<BatchTables> build_batch_tables(const Character& character, std::size_t number, const Layers& layers) {
  if (number >= character.parts.size()) return Error{"part " + std::to_string(number), "does not exist"};
  const Part& part = character.parts[number];
  if (const char* layer = missing_layer(character, number, layers))
    return Error{"part '" + part.name + "'",
                 "has a layer that a batch with gradients does not have: " + std::string(layer),
                 "switch it off, or use SkinBatch, which has all layers and no gradients"};
  if (layers.max_modes != Layers{}.max_modes)
    return Error{"max_modes", "is not for batches with gradients", "leave it as it is"};
  BatchTables t;
  t.vertex_count = counted(part.mesh.positions.size());
  t.group_count = (t.vertex_count + group_vertices - 1) / group_vertices;
  add_joints(character.skeleton, t);
  add_palette(binding_of(character, part), t);
  add_weights(character, part, layers, t);
  add_drivers_of_joints(t);
  add_row_centres(t);
  const std::vector<Vec3f> normals = rest_normals(part);
  t.rest.resize(std::size_t{t.group_count} * 6 * group_vertices);
  for (std::size_t v = 0; v < t.vertex_count; ++v)
    put_vertex(t.rest, v / group_vertices, v % group_vertices, part.mesh.positions[v], normals[v]);
  add_rows(layers.flesh == LayerSource::at_rest ? split_flesh(character, part).bones : weights_of(part), t);
  add_entries(part.morphs, t);
  return t;
}

}  // namespace supple::gpu
