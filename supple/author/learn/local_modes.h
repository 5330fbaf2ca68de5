// Modes that are few and near: principal displacements of all examples turned among themselves until each lives in one
// place, cut where others matter more, and fitted again to the examples. Few targets leave as little error as principal
// modes do, and few of them move any one vertex.
#pragma once

#include <cstdint>

#include "supple/author/learn/modes.h"

namespace supple::learn {

struct LocalModesOptions {
  std::size_t modes = 46;
  std::size_t per_vertex = 10;
};

struct LocalModes {
  std::vector<std::vector<Vec3f>> modes;  // #modes, each #V; 0 where a mode does not act. The strongest first
  DenseMatrix coordinates;                // #examples by #modes: those that come nearest to the examples
  std::vector<double> sizes;              // #modes: root of the energy each one has over all examples, metres
  /// Per vertex: modes that act there.
  std::vector<std::vector<std::uint32_t>> acting;
  /// Per vertex: how much of each of those is let in, in (0, 1]; it fades out towards the border of its support.
  std::vector<std::vector<float>> masks;
};

/// `principal`: at least as many modes as are wanted; more of them let the result come nearer to the examples.
LocalModes local_modes(const PrincipalModes& principal, std::span<const float> weights,
                       const LocalModesOptions& options);

/// The changes of another field (normals) that go with the modes, by the same fit: `examples` as those of the modes.
std::vector<std::vector<Vec3f>> companion_modes(const LocalModes& modes,
                                                std::span<const std::span<const Vec3f>> examples,
                                                std::span<const float> weights);

}  // namespace supple::learn
