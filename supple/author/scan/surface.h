// From a volume to surfaces of bone and skin.
#pragma once

#include <span>
#include <string>

#include "supple/base/progress.h"
#include "supple/geometry/mesh.h"
#include "supple/geometry/volume.h"

namespace supple::scan {

/// The same lattice, blurred by a Gaussian of `sigma` samples along each axis (0: a copy). Takes away noise before an
/// iso-surface is drawn; 0.5 for bone and 0.8 for skin are enough for 30 HU. Slope and intercept of the result differ:
/// the 16 bits are spread over the range of the samples, so that rounding loses nothing. Takes one volume's memory.
Volume blurred(const Volume& volume, double sigma);

struct SurfaceOptions {
  double iso = 0;               // in the units of the volume; inside is above
  bool close_at_border = true;  // the volume is taken to be surrounded by air: limbs that are cut by it get flat caps
};

/// Where the volume takes the value `iso`, in world space, counter-clockwise seen from outside (the low side), with
/// unit normals from the volume's gradient. Rows that the surface does not cross are skipped after one look (flying
/// edges, Schroeder et al. 2015). Closed and manifold where close_at_border; caps lie half a sample beyond the border.
/// The same for any number of threads.
Mesh isosurface(const Volume& volume, const SurfaceOptions& options);

/// Vertices within `samples` of the border of the volume: caps, and what a scan cut off.
std::vector<bool> near_border(std::span<const Vec3f> positions, const Volume& volume, double samples = 1.5);

/// Takes away steps and noise without shrinking: Taubin's lambda | mu, `passes` times. Normals, where there are any,
/// are those of the smoothed triangles.
void smooth(Mesh& mesh, int passes = 10);

/// To about `triangles`, of good shape: reduced by quadric error, then evened out on the surface. Parts and handles
/// stay, and normals where there are any. `mesh` is closed and manifold.
Result<Mesh> reduce(const Mesh& mesh, std::size_t triangles, const Progress& progress = {});

/// How often each value occurs: what thresholds are chosen by.
struct Histogram {
  double low = 0, step = 1;         // value of the first bin's lower edge, width of a bin
  std::vector<std::size_t> counts;  // #bins; the first and the last hold also the few samples beyond
  /// "values from -1123 to 931: 61 % around -1000, 35 % around 40, 4 % around 800": what stands out, for messages.
  std::string describe() const;
};
Histogram histogram(const Volume& volume);

/// Thresholds read off the histogram: half-way between air and soft tissue, and between soft tissue and the median of
/// what is clearly denser.
struct Thresholds {
  double skin = 0, bone = 0;
};
/// How much hangs on a threshold: the share by which what lies above it grows or shrinks where it moves by a twentieth
/// of the range of values (of all but a thousandth at either end). Surfaces of one volume differ by what a sample
/// spans.
double change_at(const Volume& volume, double threshold);
/// The error shows the histogram where there is nothing to tell apart.
Result<Thresholds> propose_thresholds(const Volume& volume);
/// The skin's alone, of any modality: of CT as above; else half-way between what is dark, air, and the median of the
/// rest.
Result<double> propose_skin(const Volume& volume);

}  // namespace supple::scan
