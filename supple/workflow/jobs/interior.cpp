#include "supple/workflow/jobs/interior.h"

#include "supple/base/parallel.h"
#include "supple/deform/field/reference.h"
#include "supple/measure/mean_value.h"

namespace supple::workflow {
namespace {

Result<measure::JacobianSummary> flow_jacobian(const KinodynamicLayer& layer, const Mesh& rest, std::size_t count) {
  const auto spacing = measure::interior_spacing(rest, count);
  if (!spacing) return spacing.error();
  const double step = 1e-4 * double{bounds(rest.positions).diagonal()};
  const auto points = measure::interior_points(rest, *spacing, 2 * step);
  if (!points) return points.error();
  std::vector<double> determinants(points->size());
  const FieldTable& table = layer.field();
  parallel_for(points->size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      determinants[i] = flow_determinant(table, layer.field_state().path(), (*points)[i], table.integrator, step);
  });
  return measure::summarize_jacobians(determinants, *points);
}

}  // namespace

Result<Interior> measure_interior(const Skin& skin, std::size_t part, const Mesh& rest, std::span<const Vec3f> posed,
                                  std::size_t count) {
  const KinodynamicLayer* layer = skin.kinodynamics();
  if (layer != nullptr && !layer->flows(part)) layer = nullptr;
  const auto jacobian =
      layer != nullptr ? flow_jacobian(*layer, rest, count) : measure::skin_jacobian(rest, posed, count);
  if (!jacobian) return jacobian.error();
  return Interior{*jacobian, layer != nullptr ? "flow" : "mean value coordinates"};
}

}  // namespace supple::workflow
