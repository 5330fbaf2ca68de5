// Value and gradient of one shape for a group of vertices: shape_value() in lanes. Included by kernel.inl only.

struct Value {
  Lanes value;
  Lanes3 gradient;  // world axes
};

/// How far from a segment, as an exponent.
struct Distance {
  Lanes exponent;
  Lanes3 away;
};
SUPPLE_INLINE Distance segment_distance(const Shape& s, Lanes3 p) {
  const Lanes3 from = p - splat3(s.a), ab = splat3(s.ab);
  const Lanes t = most(least(dot(from, ab) * s.inverse_length2, splat(1.0f)), Lanes{});
  const Lanes3 away = from - ab * t;
  return {dot(away, away) * s.falloff, away};
}
/// The same for thin skin: cuts of the bone shrink with it, see cut_bone(), and the weight falls off faster.
SUPPLE_INLINE Distance thin_distance(const Shape& s, Lanes3 p, Lanes thinness) {
  const Lanes3 from = p - splat3(s.whole), along = splat3(s.along);
  Lanes low = thinness * s.cut[0], high = splat(s.bone_length) - thinness * s.cut[1];
  const Mask meet = low > high;
  const Lanes point = splat(s.cut[0] > 0 ? (s.cut[1] > 0 ? s.bone_length / 2 : s.bone_length) : 0.0f);
  low = select(meet, point, low);
  high = select(meet, point, high);
  const Lanes3 away = from - along * most(least(dot(from, along), high), low);
  return {dot(away, away) * s.falloff / (thinness * thinness), away};
}
/// exp(lift - exponent): a lift common to all shapes of a vertex cancels out.
SUPPLE_INLINE Value segment_value(const Shape& s, const Distance& d, Lanes lift) {
  const Lanes value = decay(d.exponent - lift) * s.weight;
  return {value, d.away * (value * (-2 * s.falloff))};
}
SUPPLE_INLINE Value thin_value(const Shape& s, const Distance& d, Lanes lift, Lanes thinness) {
  const Lanes value = decay(d.exponent - lift) * s.weight;
  return {value, d.away * (value * (-2 * s.falloff) / (thinness * thinness))};
}

/// Equation 8, or the plateau of a bone, from d^2 and its slope by the point in the world.
SUPPLE_INLINE Value fallen(const Shape& s, Lanes d2, Lanes3 slope) {
  if (s.bone != 0) {
    const Lanes beyond = most(square_root(d2) - 1.0f, Lanes{}) * 4.0f;  // bone_fade is 1.25
    const Lanes rest = most(splat(1.0f) - beyond * beyond, Lanes{});
    return {rest * rest * s.weight, zero3()};
  }
  const Lanes rest = most(splat(1.0f) - d2, Lanes{});
  return {rest * rest * s.weight, slope * (rest * (-2 * s.weight))};
}

SUPPLE_INLINE Value ellipsoid_value(const Shape& s, Lanes3 p) {
  const Lanes3 unit = turned(s.to_unit, p - splat3(s.a));
  return fallen(s, dot(unit, unit), turned_back(s.to_unit, unit * 2.0f));
}

static Value star_value(const Shape& s, Lanes3 p) {
  const Lanes3 unit = turned(s.to_unit, p - splat3(s.a));
  const Lanes d2 = dot(unit, unit);
  const Lanes inverse = splat(1.0f) / square_root(most(d2, splat(1e-20f)));
  const Lanes3 u = unit * inverse;
  Lanes log_radius{};
  Lanes3 slope = zero3();
  for (std::size_t k = 0; k < 64; ++k) {
    const float* n = s.numbers + 4 * k;
    const Lanes x = (u.x * n[0] + u.y * n[1] + u.z * n[2]) * 0.5f + 0.5f;
    const Lanes x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x15 = x8 * x4 * x2 * x;
    log_radius += x15 * x * n[3];
    const Lanes steep = x15 * (8 * n[3]);
    slope = slope + Lanes3{steep * n[0], steep * n[1], steep * n[2]};
  }
  const Lanes shrunk = decay(log_radius * 2.0f);  // 1 / radius^2
  const Lanes dented = d2 * shrunk;
  const Lanes3 across = (slope - u * dot(u, slope)) * inverse;
  return fallen(s, dented, turned_back(s.to_unit, (unit * shrunk - across * dented) * 2.0f));
}

/// Neighbours lie anywhere in memory: vertex by vertex.
template <bool with_slope>
SUPPLE_INLINE Value spline_value(const Grid& g, Lanes3 rest) {
  Value out{Lanes{}, zero3()};
  for (std::size_t i = 0; i < width; ++i) {
    const float at[3] = {(rest.x[i] - g.origin[0]) * g.inverse_spacing, (rest.y[i] - g.origin[1]) * g.inverse_spacing,
                         (rest.z[i] - g.origin[2]) * g.inverse_spacing};
    if (!(at[0] >= 0.5f && at[1] >= 0.5f && at[2] >= 0.5f && at[0] < static_cast<float>(g.size[0]) - 1.5f &&
          at[1] < static_cast<float>(g.size[1]) - 1.5f && at[2] < static_cast<float>(g.size[2]) - 1.5f))
      continue;
    const std::uint32_t middle[3] = {static_cast<std::uint32_t>(at[0] + 0.5f), static_cast<std::uint32_t>(at[1] + 0.5f),
                                     static_cast<std::uint32_t>(at[2] + 0.5f)};
    if (g.felt[((middle[2] >> 2) * g.cubes[1] + (middle[1] >> 2)) * g.cubes[0] + (middle[0] >> 2)] == 0) continue;
    float value[3][3], slope[3][3];
    std::size_t first[3];
    for (int k = 0; k < 3; ++k) {
      const float t = at[k] - static_cast<float>(middle[k]);
      first[k] = middle[k] - 1;
      value[k][0] = 0.5f * (0.5f - t) * (0.5f - t);
      value[k][1] = 0.75f - t * t;
      value[k][2] = 0.5f * (0.5f + t) * (0.5f + t);
      slope[k][0] = t - 0.5f;
      slope[k][1] = -2 * t;
      slope[k][2] = t + 0.5f;
    }
    float sum = 0, dx = 0, dy = 0, dz = 0;
    for (std::size_t z = 0; z < 3; ++z) {
      for (std::size_t y = 0; y < 3; ++y) {
        const float* row = g.values + ((first[2] + z) * g.size[1] + first[1] + y) * g.size[0] + first[0];
        const float along = value[0][0] * row[0] + value[0][1] * row[1] + value[0][2] * row[2];
        const float steep = slope[0][0] * row[0] + slope[0][1] * row[1] + slope[0][2] * row[2];
        const float wy = value[1][y], wz = value[2][z];
        sum += wy * wz * along;
        dx += wy * wz * steep;
        dy += slope[1][y] * wz * along;
        dz += wy * slope[2][z] * along;
      }
    }
    out.value[i] = sum;
    if constexpr (!with_slope) continue;
    out.gradient.x[i] = dx * g.inverse_spacing;
    out.gradient.y[i] = dy * g.inverse_spacing;
    out.gradient.z[i] = dz * g.inverse_spacing;
  }
  return out;
}
static Value grid_value(const Shape& s, Lanes3 p) {
  const Value v = spline_value<true>(*s.painted, turned(s.to_unit, p) + splat3(s.shift));
  return {v.value * s.weight, turned_back(s.to_unit, v.gradient) * s.weight};
}
static Lanes touch_value(const Touch& t, Lanes3 p) {
  return spline_value<false>(*t.painted, turned(t.to_rest, p) + splat3(t.shift)).value;
}

SUPPLE_INLINE Value shape_value(const Shape& s, Lanes3 p) {
  switch (s.kind) {
    case segment:
      return segment_value(s, segment_distance(s, p), Lanes{});
    case ellipsoid:
      return ellipsoid_value(s, p);
    case star:
      return star_value(s, p);
    default:
      return grid_value(s, p);
  }
}
