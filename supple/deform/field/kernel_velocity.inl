// Velocities of a block at a moment: field_velocity() in lanes. Included by kernel.inl only.

constexpr std::uint32_t most_limbs = most_active;

/// What one group of vertices feels: limbs that are kin, with values and gradients that are not normalised, and limbs
/// that touch it.
struct Felt {
  struct Limb {
    std::uint32_t rank, end, joint;
    Lanes value;
    Lanes3 gradient;
  };
  Limb limbs[most_limbs];
  std::uint32_t count;
  Lanes sum, inverse;  // inverse: 1 / sum, and 0 where no shape reaches
  Lanes3 slope;
  Lanes share;  // of kin next to what touches
};

/// Where a point that went farther than that, or nowhere, was to stay: with its limb.
SUPPLE_INLINE Lanes3 kept_near(Lanes3 to, Lanes3 stay, float farthest) {
  const Lanes3 way = to - stay;
  const Mask near = dot(way, way) <= splat(farthest * farthest);
  return {select(near, to.x, stay.x), select(near, to.y, stay.y), select(near, to.z, stay.z)};
}

SUPPLE_INLINE Lanes3 screw(const Motion& m, Lanes3 q) { return cross(splat3(m.axis), q) * m.rate + splat3(m.shift); }
SUPPLE_INLINE Lanes3 potential(const Motion& m, Lanes3 q) {
  const Lanes3 axis = splat3(m.axis);
  const Lanes along = dot(q, axis);
  const Lanes3 off = q - axis * along;
  return off * (along * (m.alpha * m.rate)) - axis * (dot(off, off) * (m.beta * m.rate / 2)) +
         cross(splat3(m.shift), q) * ((m.alpha + m.beta) / 2);
}

SUPPLE_INLINE Lanes shares(const Block& block, const Pick& pick, std::size_t i) {
  return pick.shares == Pick::all ? splat(1.0f) : load(block.shares[pick.shares] + i);
}

/// Shapes of one limb come one after another.
SUPPLE_INLINE void add(Felt& felt, const Shape& s, Value v) {
  if (felt.count == 0 || felt.limbs[felt.count - 1].joint != s.joint) {
    if (felt.count == most_limbs) return;
    felt.limbs[felt.count++] = {s.rank, s.end, s.joint, Lanes{}, zero3()};
  }
  Felt::Limb& limb = felt.limbs[felt.count - 1];
  limb.value += v.value;
  limb.gradient = limb.gradient + v.gradient;
  felt.sum += v.value;
  felt.slope = felt.slope + v.gradient;
}

SUPPLE_INLINE void feel_kin(const Moment& m, const Block& block, const Active& active, std::size_t at, Lanes3 p,
                            Felt& felt) {
  if (!m.relative) {
    for (std::uint32_t i = 0; i < active.count; ++i) {
      const Shape& s = m.shapes[active.shapes[i].item];
      const Value v = shape_value(s, p);
      if (!any(v.value > 0.0f)) continue;
      const Lanes share = shares(block, active.shapes[i], at);
      add(felt, s, {v.value * share, v.gradient * share});
    }
    return;
  }
  Distance distances[most_active];
  Lanes nearest = splat(1e30f);
  for (std::uint32_t i = 0; i < active.count; ++i) {
    const Shape& s = m.shapes[active.shapes[i].item];
    distances[i] = block.thinness == nullptr ? segment_distance(s, p) : thin_distance(s, p, load(block.thinness + at));
    const Lanes share = shares(block, active.shapes[i], at);
    nearest = select(share > 0.0f, least(nearest, distances[i].exponent), nearest);
  }
  for (std::uint32_t i = 0; i < active.count; ++i) {
    if (!any(distances[i].exponent < nearest + negligible)) continue;
    const Shape& s = m.shapes[active.shapes[i].item];
    const Value v = block.thinness == nullptr ? segment_value(s, distances[i], nearest)
                                              : thin_value(s, distances[i], nearest, load(block.thinness + at));
    const Lanes share = shares(block, active.shapes[i], at);
    add(felt, s, {v.value * share, v.gradient * share});
  }
}

SUPPLE_INLINE void feel(const Moment& m, const Block& block, const Active& active, const Contacts& contacts,
                        std::size_t at, Lanes3 p, Felt& felt) {
  felt.count = 0;
  felt.sum = Lanes{};
  felt.slope = zero3();
  feel_kin(m, block, active, at, p, felt);
  const Mask some = felt.sum > 1e-30f;
  felt.inverse = select(some, splat(1.0f) / select(some, felt.sum, splat(1.0f)), Lanes{});
  Lanes all = splat(1.0f);
  for (std::uint32_t i = 0; i < contacts.count; ++i) all += load(contacts.weight[i] + at);
  felt.share = splat(1.0f) / all;
}

/// W_j: what of the weights hangs on a joint. Vertices that no shape reaches stay with their limb.
SUPPLE_INLINE Lanes weight_below(const Felt& felt, const Contacts& contacts, std::size_t at, const Motion& motion,
                                 float owner) {
  Lanes kin{}, touching{};
  for (std::uint32_t i = 0; i < felt.count; ++i)
    if (is_below(motion, felt.limbs[i].rank)) kin += felt.limbs[i].value;
  for (std::uint32_t i = 0; i < contacts.count; ++i)
    if (is_below(motion, contacts.rank[i])) touching += load(contacts.weight[i] + at);
  return (select(felt.sum > 1e-30f, kin * felt.inverse, splat(owner)) + touching) * felt.share;
}

/// Its gradient as far as volume is kept: see volume_gradient().
SUPPLE_INLINE Lanes3 gradient_below(const Moment& m, const Felt& felt, const Motion& motion) {
  Lanes3 sum = zero3();
  if (m.all_kin) {
    Lanes value{};
    for (std::uint32_t i = 0; i < felt.count; ++i) {
      if (!is_below(motion, felt.limbs[i].rank)) continue;
      value += felt.limbs[i].value;
      sum = sum + felt.limbs[i].gradient;
    }
    return (sum - felt.slope * (value * felt.inverse)) * felt.inverse;
  }
  for (std::uint32_t i = 0; i < felt.count; ++i) {
    const Felt::Limb& below = felt.limbs[i];
    if (!is_below(motion, below.rank)) continue;
    for (std::uint32_t k = 0; k < felt.count; ++k) {
      const Felt::Limb& above = felt.limbs[k];
      if (below.rank < above.rank || below.rank >= above.end || is_below(motion, above.rank)) continue;
      // Each is normalised by itself: where weights are tiny the square of what they are divided by is no float.
      sum = sum + (below.gradient * felt.inverse) * (above.value * felt.inverse) -
            (above.gradient * felt.inverse) * (below.value * felt.inverse);
    }
  }
  return sum;
}

/// Whether a joint moves anything that a group feels against the owner.
SUPPLE_INLINE bool tells_apart(const Motion& motion, const Felt& felt, const Contacts& contacts, bool owner) {
  bool apart = false;
  for (std::uint32_t i = 0; i < felt.count; ++i) apart |= is_below(motion, felt.limbs[i].rank) != owner;
  for (std::uint32_t i = 0; i < contacts.count; ++i) apart |= is_below(motion, contacts.rank[i]) != owner;
  return apart;
}

/// Velocities against the owner, in its frame, of points given there.
static void limb_slope(const Moment& m, const Block& block, const Contacts& contacts, const float (*at)[block_size],
                       float (*slope)[block_size]) {
  const Frame& frame = m.joints[block.owner];
  float world[3][block_size];
  for (std::size_t i = 0; i < block_size; i += width) store(world, i, moved(frame, load(at, i)));
  Active active;
  find_active(m, block, ball_of(world), active);
  std::uint32_t motions[most_motions];
  const bool alone = active.one_limb && contacts.count == 0;
  const std::uint32_t count = alone ? 0 : find_motions(m, active, contacts, block.owner_rank, motions);
  if (count == 0) {
    for (std::size_t i = 0; i < block_size; i += width) store(slope, i, zero3());
    return;
  }
  Felt felt;
  for (std::size_t i = 0; i < block_size; i += width) {
    const Lanes3 p = load(world, i);
    feel(m, block, active, contacts, i, p, felt);
    Lanes3 v = zero3();
    for (std::uint32_t j = 0; j < count; ++j) {
      const Motion& motion = m.motions[motions[j]];
      const bool owned = is_below(motion, block.owner_rank);
      if (!tells_apart(motion, felt, contacts, owned)) continue;
      const float owner = owned ? 1 : 0;
      const Lanes3 q = p - splat3(motion.center);
      v = v + screw(motion, q) * (weight_below(felt, contacts, i, motion, owner) - owner) +
          cross(gradient_below(m, felt, motion), potential(motion, q)) * felt.share;
    }
    store(slope, i, turned_back(frame.linear, v));
  }
}

/// Equations 5 and 7: every limb's own motion over the step, blended; and the volume term.
static void blended_step(const Moment& from, const Moment& to, float h, float farthest, bool volume, Block& block) {
  Active active;
  find_active(from, block, ball_of(block.x), active);
  Contacts contacts;
  find_contacts(from, block, block.x, contacts);
  std::uint32_t motions[most_motions];
  const std::uint32_t count = volume ? find_motions(from, active, contacts, block.owner_rank, motions) : 0;
  const auto carried = [&](std::uint32_t joint, Lanes3 p) {
    return moved(to.joints[joint], moved_back(from.joints[joint], p));
  };
  Felt felt;
  for (std::size_t i = 0; i < block_size; i += width) {
    const Lanes3 p = load(block.x, i);
    feel(from, block, active, contacts, i, p, felt);
    const Lanes alone = select(felt.sum > 1e-30f, Lanes{}, splat(1.0f));
    Lanes3 blend = carried(block.owner, p) * (alone * felt.share);
    for (std::uint32_t a = 0; a < felt.count; ++a)
      blend = blend + carried(felt.limbs[a].joint, p) * (felt.limbs[a].value * felt.inverse * felt.share);
    for (std::uint32_t a = 0; a < contacts.count; ++a)
      blend = blend + carried(contacts.joint[a], p) * (load(contacts.weight[a] + i) * felt.share);
    for (std::uint32_t j = 0; j < count; ++j) {
      const Motion& motion = from.motions[motions[j]];
      const Lanes3 term = cross(gradient_below(from, felt, motion), potential(motion, p - splat3(motion.center)));
      blend = blend + term * (felt.share * h);
    }
    store(block.x, i, kept_near(blend, carried(block.owner, p), farthest));
  }
}
