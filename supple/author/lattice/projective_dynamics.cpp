#include "supple/author/lattice/projective_dynamics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "supple/base/decompose.h"

namespace supple::lattice {
namespace {

/// The global step goes so much farther than the one that never overshoots: fewer iterations to the same rest.
constexpr double over_relaxation = 1.6;

/// A joint's motion as flesh takes it: a rotation and a translation, and how much larger it makes things.
struct RigidMotion {
  DualQuatd rigid;
  double scale = 1;
};

RigidMotion rigid_motion(const Affined& motion) {
  const RotationSvd svd = rotation_svd(motion.linear);
  return {make_dual_quat(from_matrix(svd.u * transpose(svd.v)), motion.translation),
          std::cbrt(std::abs(determinant(motion.linear)))};
}

/// Blended as dual quaternions are (Kavan et al. 2008): signs by the heaviest.
DualQuatd blend(std::span<const Influence> influences, std::span<const RigidMotion> motions) {
  const Quatd& first = motions[influences[0].joint].rigid.real;
  DualQuatd sum{{0, 0, 0, 0}, {0, 0, 0, 0}};
  for (const Influence& i : influences) {
    const DualQuatd& q = motions[i.joint].rigid;
    sum = sum + q * (double{i.weight} * (dot(first, q.real) < 0 ? -1.0 : 1.0));
  }
  return normalized(sum);
}

double scale_of(std::span<const Influence> influences, std::span<const RigidMotion> motions) {
  double sum = 0;
  for (const Influence& i : influences) sum += double{i.weight} * motions[i.joint].scale;
  return sum;
}

}  // namespace

struct ElasticLattice::Batch {
  std::vector<Lanes> x, target, force;  // #nodes by 3
  std::vector<Lanes> rotations;         // #cells by 6 by 4
  std::vector<Lanes> scale;             // #cells, or none where nothing is scaled
  std::vector<Affined> frames;          // #poses: from the units of the lattice to the pose's

  Vec3d node(std::uint32_t n, std::size_t pose) const {
    return {double{x[3 * n].lane[pose]}, double{x[3 * n + 1].lane[pose]}, double{x[3 * n + 2].lane[pose]}};
  }
};

/// The contacts of one pose, and how each gives way.
struct ElasticLattice::Pressed {
  std::vector<Contact> contacts;
  std::vector<float> compliance;                    // #contacts^2: how far a gap opens by a unit of force at another
  std::vector<float> force;                         // #contacts
  std::vector<float> opens;                         // #contacts: by how much the gaps have opened since they were found
  std::set<std::array<std::uint32_t, 2>> given_up;  // cells that no pressure parts: whoever posed them meant it
};

LatticeDrive drive_of(SkinWeights node_weights, const ElasticOptions& options) {
  LatticeDrive drive{std::move(node_weights), {}, {}};
  for (std::size_t n = 0; n < drive.weights.vertices(); ++n) {
    const double most = double{drive.weights.of(n)[0].weight};
    drive.held.push_back(
        static_cast<float>(std::clamp((most - options.held_from) / (options.held_at - options.held_from), 0.0, 1.0)));
  }
  return drive;
}

LatticeDrive drive_of(const SkinWeights& node_weights, const AnatomyShares& anatomy, std::size_t joints,
                      const ElasticOptions& options) {
  constexpr float enough_bone = 2;  // nodes: a joint with less bone is held by the skin's weights
  constexpr float in_bone = 0.5f;   // share of a node's surroundings from which it is wholly held
  LatticeDrive drive = drive_of(node_weights, options);
  std::vector<float> bone(joints);
  for (const std::vector<Influence>& shares : anatomy.bone)
    for (const Influence& i : shares) bone[i.joint] += i.weight;
  SkinWeights weights;
  for (std::size_t n = 0; n < node_weights.vertices(); ++n) {
    if (bone[node_weights.of(n)[0].joint] >= enough_bone) drive.held[n] = 0;
    float all = 0;
    for (const Influence& i : anatomy.bone[n])
      if (bone[i.joint] >= enough_bone) all += i.weight;
    const float share = std::min(1.0f, all / in_bone);
    std::vector<Influence> own;
    for (const Influence& i : node_weights.of(n)) own.push_back({i.joint, i.weight * (1 - share)});
    for (const Influence& i : anatomy.bone[n])
      if (bone[i.joint] >= enough_bone) own.push_back({i.joint, i.weight / all * share});
    if (all > 0) drive.held[n] = share;
    weights.push_vertex(own);
  }
  clean(weights, joints, 0, 2);
  drive.weights = std::move(weights);
  for (const float muscle : anatomy.muscle)
    drive.stiffness.push_back(static_cast<float>(1 + (options.muscle - 1) * double{muscle}));
  return drive;
}

ElasticLattice::ElasticLattice(Lattice lattice, const LatticeDrive& drive, const Surface& surface,
                               const ElasticOptions& options)
    : lattice_(std::move(lattice)), stiffness_(drive.stiffness), options_(options) {
  SymmetricMatrix matrix(lattice_);
  // The sum over six tetrahedra of volume * gradient gradient^T, whose gradients are differences along their edges.
  constexpr int ways[6][2] = {{4, 6}, {2, 6}, {2, 3}, {1, 3}, {1, 5}, {4, 5}};
  for (std::size_t k = 0; k < lattice_.cells.size(); ++k) {
    const Cell& cell = lattice_.cells[k];
    const double stiffness =
        (1 + options_.volume) / (6 * over_relaxation) * (stiffness_.empty() ? 1.0 : double{stiffness_[k]});
    for (const auto& way : ways) {
      matrix.add_edge(cell[0], cell[static_cast<std::size_t>(way[0])], stiffness);
      matrix.add_edge(cell[static_cast<std::size_t>(way[0])], cell[static_cast<std::size_t>(way[1])], stiffness);
      matrix.add_edge(cell[static_cast<std::size_t>(way[1])], cell[7], stiffness);
    }
  }
  std::vector<float> hold(lattice_.nodes.size());
  for (std::uint32_t n = 0; n < hold.size(); ++n) {
    const double held = double{drive.held[n]};
    hold[n] = static_cast<float>(options_.hold * held * held + options_.tether);
    // A piece that nothing holds is kept from drifting; beside any hold this counts nothing.
    matrix.add(n, n, double{hold[n]} + 1e-4);
  }
  factor_ = std::make_unique<const Factor>(matrix);
  renumber(lattice_, factor_->order());
  for (const std::uint32_t n : factor_->order()) {
    weights_.push_vertex(drive.weights.of(n));
    hold_.push_back(hold[n]);
  }
  if (options_.pressure > 0) contact_.emplace(surface, lattice_);
}

void ElasticLattice::start(std::span<const std::vector<Affined>> motions, Batch& batch) const {
  const std::size_t nodes = lattice_.nodes.size(), poses = motions.size();
  batch.x.resize(3 * nodes);
  batch.target.resize(3 * nodes);
  batch.force.resize(3 * nodes);
  batch.rotations.resize(24 * lattice_.cells.size());
  // Seen from the joint that carries most, so that single precision is enough wherever the character stands.
  std::vector<double> carried(motions[0].size());
  for (const Influence& i : weights_.entries) carried[i.joint] += double{i.weight};
  const auto middle = static_cast<std::size_t>(std::max_element(carried.begin(), carried.end()) - carried.begin());
  const Affined to_surface{Mat3d::diagonal({lattice_.edge, lattice_.edge, lattice_.edge}), lattice_.origin};
  std::vector<std::vector<RigidMotion>> rigid(lanes);
  std::vector<std::vector<Affined>> local(lanes);
  std::array<bool, lanes> scaled{};  // each pose by itself: none depends on the others of its batch
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::vector<Affined>& own = motions[std::min(l, poses - 1)];  // spare lanes repeat the last pose
    const RigidMotion frame = rigid_motion(own[middle]);
    const Affined world = Affined{to_matrix(frame.rigid.real), frame.rigid.translation()} * to_surface;
    const Affined back = inverse(world);
    if (l < poses) batch.frames.push_back(world);
    for (const Affined& motion : own) {
      local[l].push_back(back * motion * to_surface);
      rigid[l].push_back(rigid_motion(local[l].back()));
      scaled[l] = scaled[l] || std::abs(rigid[l].back().scale - 1) > 1e-3;
    }
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::span<const Influence> influences = weights_.of(n);
    const Vec3d rest(lattice_.nodes[n]);
    for (std::size_t l = 0; l < lanes; ++l) {
      Vec3d linear{};
      for (const Influence& i : influences) linear += local[l][i.joint].point(rest) * double{i.weight};
      const double tether = hold_[n] > 0 ? options_.tether / double{hold_[n]} : 1;
      const Vec3f held(local[l][influences[0].joint].point(rest) * (1 - tether) + linear * tether);
      // Scale acts about each joint; a blend of affine maps has it right, and bends that it flattens are few then.
      const Vec3f at(scaled[l] ? linear : blend(influences, rigid[l]).point(rest));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        batch.x[3 * n + axis].lane[l] = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
        batch.target[3 * n + axis].lane[l] = axis == 0 ? held.x : axis == 1 ? held.y : held.z;
      }
    }
  }
  const bool any_scaled = std::ranges::count(scaled, true) > 0;
  if (any_scaled) batch.scale.resize(lattice_.cells.size());
  for (std::size_t k = 0; k < lattice_.cells.size(); ++k) {
    const std::span<const Influence> influences = weights_.of(lattice_.cells[k][0]);
    for (std::size_t l = 0; l < lanes; ++l) {
      const Quatd q = blend(influences, rigid[l]).real;
      for (std::size_t t = 0; t < 6; ++t) {
        Lanes* to = &batch.rotations[4 * (6 * k + t)];
        to[0].lane[l] = static_cast<float>(q.x), to[1].lane[l] = static_cast<float>(q.y);
        to[2].lane[l] = static_cast<float>(q.z), to[3].lane[l] = static_cast<float>(q.w);
      }
      if (any_scaled)
        batch.scale[k].lane[l] = scaled[l] ? static_cast<float>(std::max(1e-3, scale_of(influences, rigid[l]))) : 1.0f;
    }
  }
}

std::vector<Vec3d> ElasticLattice::skin_of(const Batch& batch, std::size_t pose) const {
  std::vector<Vec3d> skin(lattice_.cell_of.size());
  for (std::size_t v = 0; v < skin.size(); ++v) {
    const Cell& cell = lattice_.cells[lattice_.cell_of[v]];
    const std::array<float, 8> shape = lattice_.shape(v);
    Vec3d sum{};
    for (std::size_t c = 0; c < 8; ++c) sum += batch.node(cell[c], pose) * double{shape[c]};
    skin[v] = sum;
  }
  return skin;
}

/// Solves for each contact by itself, as many at once as a vector has places. A pose comes out the same wherever its
/// contacts are put.
void ElasticLattice::find_compliances(std::span<Pressed> pressed) const {
  struct Column {
    Pressed* pose;
    std::size_t contact;
  };
  std::vector<Column> columns;
  for (Pressed& p : pressed) {
    p.compliance.assign(p.contacts.size() * p.contacts.size(), 0);
    for (std::size_t k = 0; k < p.contacts.size(); ++k) columns.push_back({&p, k});
  }
  std::vector<Lanes> y(3 * lattice_.nodes.size());
  for (std::size_t first = 0; first < columns.size(); first += 3 * lanes) {
    const std::span<const Column> some = std::span(columns).subspan(first, std::min(3 * lanes, columns.size() - first));
    std::fill(y.begin(), y.end(), Lanes{});
    for (std::size_t i = 0; i < some.size(); ++i) {
      const Contact& contact = some[i].pose->contacts[some[i].contact];
      for (std::size_t n = 0; n < contact.nodes.size(); ++n)
        y[3 * contact.nodes[n] + i / lanes].lane[i % lanes] = contact.weights[n];
    }
    factor_->solve(y.data());
    for (std::size_t i = 0; i < some.size(); ++i) {
      Pressed& own = *some[i].pose;
      const std::size_t k = some[i].contact, count = own.contacts.size();
      for (std::size_t m = 0; m < count; ++m) {
        const Contact& other = own.contacts[m];
        float sum = 0;
        for (std::size_t n = 0; n < other.nodes.size(); ++n)
          sum += other.weights[n] * y[3 * other.nodes[n] + i / lanes].lane[i % lanes];
        own.compliance[m * count + k] = sum * dot(other.away, own.contacts[k].away);
      }
    }
  }
}

/// Steps until every pose is at rest, or `iterations` times. A step goes to where the local energies want the nodes,
/// and with contacts to the nearest place to that, in the metric of the matrix, at which no gap is closed farther than
/// the pressure allows (projected Gauss-Seidel on the forces). Returns whether all poses came to rest.
bool ElasticLattice::relax(Batch& batch, std::span<Pressed> pressed, int iterations,
                           std::span<PoseConvergence> convergence) const {
  constexpr int sweeps = 30;  // over the contacts: forces go on from the last step's
  const std::size_t nodes = lattice_.nodes.size(), poses = batch.frames.size();
  Lanes active{};
  std::array<float, lanes> step{};
  for (std::size_t l = 0; l < poses; ++l)
    active.lane[l] = pressed.empty() || !pressed[l].contacts.empty() ? 1.0f : 0.0f;
  std::vector<Lanes> pushed(pressed.empty() ? 0 : 3 * nodes);
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t l = 0; l < lanes; ++l)
          batch.force[3 * n + axis].lane[l] =
              hold_[n] * (batch.target[3 * n + axis].lane[l] - batch.x[3 * n + axis].lane[l]);
    projective_kernel().local_step({lattice_.cells.data(), lattice_.cells.size(), batch.x.data(), batch.force.data(),
                                    batch.rotations.data(), batch.scale.empty() ? nullptr : batch.scale.data(),
                                    stiffness_.empty() ? nullptr : stiffness_.data(),
                                    static_cast<float>(options_.volume), &active});
    factor_->solve(batch.force.data());
    const auto along = [&](const Contact& contact, std::span<const Lanes> motion, std::size_t l) {
      Vec3f sum{};
      for (std::size_t i = 0; i < contact.nodes.size(); ++i) {
        const Lanes* at = &motion[3 * contact.nodes[i]];
        sum += Vec3f{at[0].lane[l], at[1].lane[l], at[2].lane[l]} * contact.weights[i];
      }
      return dot(sum, contact.away);
    };
    if (!pressed.empty()) {
      std::fill(pushed.begin(), pushed.end(), Lanes{});
      for (std::size_t l = 0; l < poses; ++l) {
        Pressed& p = pressed[l];
        const std::size_t count = p.contacts.size();
        if (active.lane[l] == 0) continue;
        std::vector<float> gap(count);  // without forces
        for (std::size_t k = 0; k < count; ++k)
          gap[k] = p.contacts[k].gap + p.opens[k] + along(p.contacts[k], batch.force, l);
        for (int sweep = 0; sweep < sweeps; ++sweep)
          for (std::size_t k = 0; k < count; ++k) {
            const float* row = &p.compliance[k * count];
            float opened = gap[k];
            for (std::size_t m = 0; m < count; ++m) opened += row[m] * p.force[m];
            const float most = static_cast<float>(options_.pressure) * p.contacts[k].area;
            p.force[k] = std::clamp(p.force[k] - opened / (row[k] + 1e-4f), 0.0f, most);
          }
        for (std::size_t k = 0; k < count; ++k)
          for (std::size_t i = 0; i < p.contacts[k].nodes.size(); ++i) {
            const Vec3f by = p.contacts[k].away * (p.force[k] * p.contacts[k].weights[i]);
            Lanes* at = &pushed[3 * p.contacts[k].nodes[i]];
            at[0].lane[l] += by.x, at[1].lane[l] += by.y, at[2].lane[l] += by.z;
          }
      }
      factor_->solve(pushed.data());
      for (std::size_t i = 0; i < pushed.size(); ++i)
        for (std::size_t l = 0; l < lanes; ++l) batch.force[i].lane[l] += pushed[i].lane[l];
      for (std::size_t l = 0; l < poses; ++l)
        for (std::size_t k = 0; k < pressed[l].contacts.size() && active.lane[l] != 0; ++k)
          pressed[l].opens[k] += along(pressed[l].contacts[k], batch.force, l);
    }
    step.fill(0);
    for (std::size_t i = 0; i < batch.x.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) {
        step[l] = std::max(step[l], std::abs(batch.force[i].lane[l]));
        batch.x[i].lane[l] += active.lane[l] * batch.force[i].lane[l];
      }
    bool all_done = true;
    for (std::size_t l = 0; l < poses; ++l) {
      if (active.lane[l] == 0) continue;
      ++convergence[l].iterations;
      convergence[l].last_step = step[l];
      if (step[l] < static_cast<float>(options_.tolerance)) active.lane[l] = 0;
      all_done = all_done && active.lane[l] == 0;
    }
    if (all_done) return true;
  }
  return false;
}

/// Pushes skin out of skin, from poses at rest. Contacts are looked for again after some steps: what was pushed meets
/// other skin.
void ElasticLattice::press(Batch& batch, std::span<PoseConvergence> convergence) const {
  constexpr int looks = 4, steps_between = 8;
  constexpr float given_up_overlap = 0.1f;  // that is left after these steps
  const std::size_t poses = batch.frames.size();
  std::vector<Pressed> pressed(poses);
  for (int look = 0; look < looks; ++look) {
    bool any = false;
    for (std::size_t l = 0; l < poses; ++l) {
      Pressed& p = pressed[l];
      if (look > 0 && p.contacts.empty()) continue;  // nothing has moved
      const std::vector<Vec3d> skin = skin_of(batch, l);
      p.contacts = contact_->find(lattice_, std::vector<Vec3f>(skin.begin(), skin.end()));
      if (look == 0 && (p.contacts.empty() || p.contacts[0].gap >= 0)) p.contacts.clear();
      std::erase_if(p.contacts, [&](const Contact& c) { return p.given_up.contains(c.cells); });
      p.force.assign(p.contacts.size(), 0);
      p.opens.assign(p.contacts.size(), 0);
      any = any || !p.contacts.empty();
    }
    if (!any) break;
    find_compliances(pressed);
    relax(batch, pressed, steps_between, convergence);
    for (Pressed& p : pressed)
      for (std::size_t k = 0; k < p.contacts.size(); ++k)
        if (p.contacts[k].gap + p.opens[k] < -given_up_overlap) p.given_up.insert(p.contacts[k].cells);
  }
  for (std::size_t l = 0; l < poses; ++l)
    for (std::size_t k = 0; k < pressed[l].contacts.size(); ++k) {
      if (pressed[l].force[k] > 0) ++convergence[l].contacts;
      convergence[l].overlap = std::max(convergence[l].overlap, -(pressed[l].contacts[k].gap + pressed[l].opens[k]));
    }
}

void ElasticLattice::pose(std::span<const std::vector<Affined>> motions, std::span<std::vector<Vec3d>> positions,
                          std::span<PoseConvergence> convergence) const {
  if (motions.empty()) return;
  std::ranges::fill(convergence.first(motions.size()), PoseConvergence{});
  Batch batch;
  start(motions, batch);
  relax(batch, {}, options_.most_iterations, convergence);
  if (contact_) press(batch, convergence);
  constexpr int ways[6][2] = {{4, 6}, {2, 6}, {2, 3}, {1, 3}, {1, 5}, {4, 5}};
  constexpr double sign[6] = {1, -1, 1, -1, 1, -1};  // of the orders of the axes
  for (std::size_t l = 0; l < motions.size(); ++l) {
    for (const Cell& cell : lattice_.cells)
      for (std::size_t t = 0; t < 6; ++t) {
        const Vec3d a = batch.node(cell[0], l), b = batch.node(cell[static_cast<std::size_t>(ways[t][0])], l),
                    c = batch.node(cell[static_cast<std::size_t>(ways[t][1])], l), d = batch.node(cell[7], l);
        if (sign[t] * dot(b - a, cross(c - b, d - c)) <= 0) ++convergence[l].inverted;
      }
    positions[l].clear();
    for (const Vec3d& p : skin_of(batch, l)) positions[l].push_back(batch.frames[l].point(p));
  }
}

}  // namespace supple::lattice
