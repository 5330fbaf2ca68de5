// Which shapes a block can feel at a moment, and which joints move its vertices against each other: most blocks belong
// to one limb alone and cost next to nothing. Included by kernel.inl only.

/// Weights below e^-11 are not seen: of limbs that are half a metre apart, a hundredth of a millimetre.
constexpr float negligible = 11;
/// The same for shapes that stand alone where nothing else reaches.
constexpr float negligible_alone = 40;

struct Ball {
  float center[3], radius;
};

/// About the box of the vertices.
SUPPLE_INLINE Ball ball_of(const float (*p)[block_size]) {
  Ball ball;
  float squared = 0;
  for (int k = 0; k < 3; ++k) {
    Lanes low = load(p[k]), high = low;
    for (std::size_t i = width; i < block_size; i += width) {
      low = least(low, load(p[k] + i));
      high = most(high, load(p[k] + i));
    }
    float from = low[0], to = high[0];
    for (std::size_t i = 1; i < width; ++i) {
      from = low[i] < from ? low[i] : from;
      to = high[i] > to ? high[i] : to;
    }
    ball.center[k] = (from + to) / 2;
    squared += (to - from) * (to - from) / 4;
  }
  ball.radius = __builtin_sqrtf(squared) * 1.0001f;
  return ball;
}

/// From the ball's centre.
SUPPLE_INLINE float distance_to(const Shape& s, const Ball& ball) {
  float from[3], along = 0;
  for (int k = 0; k < 3; ++k) {
    from[k] = ball.center[k] - s.a[k];
    along += from[k] * s.ab[k];
  }
  float t = along * s.inverse_length2;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  float squared = 0;
  for (int k = 0; k < 3; ++k) {
    const float away = from[k] - s.ab[k] * t;
    squared += away * away;
  }
  return __builtin_sqrtf(squared);
}
SUPPLE_INLINE bool meets(const Touch& t, const Ball& ball) {
  for (int k = 0; k < 3; ++k) {
    float at = t.shift[k] - t.center[k];
    for (int i = 0; i < 3; ++i) at += t.to_rest[3 * k + i] * ball.center[i];
    if ((at < 0 ? -at : at) > t.half[k] + ball.radius) return false;
  }
  return true;
}

struct Active {
  Pick shapes[most_active];
  std::uint32_t count = 0;
  bool one_limb = true;  // all are of the owner
};

/// How far the ball is from what a shape fills, or from its segment as an exponent, at its nearest and farthest.
struct Reach {
  float nearest, farthest;
};
/// The whole bone comes nearer than what is left of it by no more than the cuts: what thin skin may feel at most. Its
/// sharper weights differ by more than these exponents do.
SUPPLE_INLINE Reach reach_of(const Shape& s, const Ball& ball, bool thin) {
  const float d = distance_to(s, ball), cut = s.cut[0] > s.cut[1] ? s.cut[0] : s.cut[1];
  const float margin = ball.radius + (thin ? cut : 0), low = d > margin ? d - margin : 0, high = d + ball.radius;
  if (s.kind != segment) return {low < s.radius ? 0 : 2 * negligible_alone, 0};
  return {s.falloff * low * low, s.falloff * high * high};
}

static void find_active(const Moment& m, const Block& block, const Ball& ball, Active& active) {
  // Beyond this exponent a shape is nothing next to one that every vertex feels more.
  float enough = negligible_alone;
  if (m.relative) {
    float safe = 1e30f;
    for (std::uint32_t i = 0; i < block.shape_count; ++i) {
      if (block.shapes[i].shares != Pick::all) continue;
      const float farthest = reach_of(m.shapes[block.shapes[i].item], ball, false).farthest;
      safe = farthest < safe ? farthest : safe;
    }
    enough = safe + negligible;
  }
  for (std::uint32_t i = 0; i < block.shape_count && active.count < most_active; ++i) {
    const Shape& s = m.shapes[block.shapes[i].item];
    if (!(reach_of(s, ball, block.thinness != nullptr).nearest < enough)) continue;
    active.shapes[active.count++] = block.shapes[i];
    active.one_limb = active.one_limb && s.rank == block.owner_rank;
  }
}

/// Limbs that touch a block, and by how much.
struct Contacts {
  std::uint32_t rank[most_touching], joint[most_touching], count = 0;
  float weight[most_touching][block_size];
};

static void find_contacts(const Moment& m, const Block& block, const float (*world)[block_size], Contacts& contacts) {
  contacts.count = 0;
  if (block.touch_count == 0) return;
  const Ball ball = ball_of(world);
  for (std::uint32_t k = 0; k < block.touch_count && contacts.count < most_touching; ++k) {
    const Pick pick = block.touches[k];
    const Touch& t = m.touches[pick.item];
    if (!meets(t, ball)) continue;
    bool some = false;
    for (std::size_t i = 0; i < block_size; i += width) {
      Lanes weight = touch_value(t, load(world, i));
      if (pick.shares != Pick::all) weight *= load(block.shares[pick.shares] + i);
      __builtin_memcpy(contacts.weight[contacts.count] + i, &weight, sizeof weight);
      some = some || any(weight > 0.0f);
    }
    if (!some) continue;
    contacts.rank[contacts.count] = t.rank;
    contacts.joint[contacts.count++] = t.joint;
  }
  // However many limbs crowd in, skin follows its own by half.
  for (std::size_t i = 0; i < block_size && contacts.count > 1; i += width) {
    Lanes sum{};
    for (std::uint32_t k = 0; k < contacts.count; ++k) sum += load(contacts.weight[k] + i);
    const Lanes scale = splat(1.0f) / most(sum, splat(1.0f));
    for (std::uint32_t k = 0; k < contacts.count; ++k) {
      const Lanes weight = load(contacts.weight[k] + i) * scale;
      __builtin_memcpy(contacts.weight[k] + i, &weight, sizeof weight);
    }
  }
}

SUPPLE_INLINE bool is_below(const Motion& m, std::uint32_t rank) { return m.rank <= rank && rank < m.end; }

/// Joints that may move vertices of a block against each other or against the owner.
constexpr std::uint32_t most_motions = 64;

static std::uint32_t find_motions(const Moment& m, const Active& active, const Contacts& contacts,
                                  std::uint32_t owner_rank, std::uint32_t* motions) {
  std::uint32_t count = 0;
  for (std::uint32_t j = 0; j < m.motion_count && count < most_motions; ++j) {
    const Motion& motion = m.motions[j];
    std::uint32_t below = is_below(motion, owner_rank) ? 1 : 0;
    for (std::uint32_t i = 0; i < active.count; ++i)
      below += is_below(motion, m.shapes[active.shapes[i].item].rank) ? 1 : 0;
    for (std::uint32_t i = 0; i < contacts.count; ++i) below += is_below(motion, contacts.rank[i]) ? 1 : 0;
    if (below > 0 && below < active.count + contacts.count + 1) motions[count++] = j;
  }
  return count;
}
