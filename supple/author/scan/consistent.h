// One mesh for all scans: the base skin brought onto the skin of another scan (Kurihara and Miyata 2004, section 4).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "supple/base/progress.h"
#include "supple/geometry/mesh.h"

namespace supple::scan {

/// A pair of points that belong together: a vertex of the base skin and where it lies in the other scan.
struct Feature {
  std::string name;          // "index-finger-tip", "pinky-finger crease 2"
  std::uint32_t vertex = 0;  // of the base skin
  Vec3d target{};            // world of the other scan, metres
};

/// How well a feature agrees with all else that is known of its place, metres.
struct FeatureScore {
  double off_skin = 0;  // its target from the skin of the scan
  double off_neighbours =
      0;               // its way there from the blended skin, beside the median of the six nearest features' ways
  double off_fit = 0;  // its target from where the fitted skin has its vertex
};

struct FitOptions {
  double feature_reach = 1.6;  // D of the kernel exp(-r / D), metres (eq. 4)
  /// Metres, stiff to soft: displacements are smooth over about this length, see SmoothDisplacement.
  std::vector<double> stiffness{0.003, 0.0022, 0.0016, 0.0012, 0.0009};
  int iterations = 3;         // at each stiffness
  double reach = 0.010;       // metres: farther targets are not believed
  double least_cosine = 0.5;  // between normals of vertex and target
};

/// How good one fitted mesh is.
struct FitQuality {
  double forward_rms = 0, forward_max = 0;    // metres: fitted vertices to the scan, reliable ones
  double backward_rms = 0, backward_max = 0;  // scan to fitted surface, away from borders
  std::uint32_t worst_vertex = 0;             // of forward_max
  double whole_rms = 0, whole_max = 0;        // as forward, of all vertices but those that a volume cut off
  std::uint32_t whole_worst = 0;              // vertex of whole_max
  std::uint32_t worst_scan_vertex = 0;        // of backward_max
  std::size_t flipped = 0;                    // triangles that face against the skin around them: folded over
  std::uint32_t first_flipped = 0;
  double stretch_p99 = 1, stretch_max = 1;    // edge length over the base's, or its inverse
  std::array<std::uint32_t, 2> worst_edge{};  // of stretch_max
  std::size_t stretched = 0;                  // triangles with an edge five times as long as the base's, or more
  std::size_t unreliable = 0;                 // vertices without a believable target: left to smoothness
};

struct FittedSkin {
  std::vector<Vec3f> blended, warped, positions;  // after SSD, after the features, fitted: the other scan's space
  std::vector<bool> reliable;                     // #V
  std::vector<Feature> features;                  // given or found
  std::vector<FeatureScore> scores{};             // #features
  FitQuality quality;
};

/// Fits `base` to `scan`. `blended`: the base skin in the other scan's pose by linear blend skinning, #V. `features`:
/// none: found automatically (tips of limbs and points of high curvature whose surroundings look alike); an empty list:
/// no warp. `base_border`, `scan_border`: vertices at the border of the volumes (see near_border): no targets there.
/// Warns of features whose target is nowhere near the scan, of skin that lies off it, and of triangles that are folded
/// over or drawn out.
Result<FittedSkin> fit_skin(const Mesh& base, std::span<const Vec3f> blended, const Mesh& scan,
                            const std::optional<std::vector<Feature>>& features, const FitOptions& options = {},
                            const std::vector<bool>& base_border = {}, const std::vector<bool>& scan_border = {},
                            Warnings* warnings = nullptr, const Progress& progress = {});

}  // namespace supple::scan
