// Skins one vertex halfway between two joints through the installed library.
#include <supple/deform/skinning/job.h>

#include <cmath>
#include <cstdio>

int main() {
  supple::SkinWeights weights;
  const supple::Influence half[] = {{0, 0.5f}, {1, 0.5f}};
  weights.push_vertex(half);
  const auto table = supple::build_skin_table(weights, 2);
  if (!table) return std::puts(table.error().message().c_str()), 1;
  const supple::JointMatrix palette[] = {supple::pack({}), supple::pack({{}, {2, 0, 0}})};
  const supple::Vec3f rest{0, 1, 0};
  supple::Vec3f posed{};
  const supple::LinearJob job{
      &*table, palette, {supple::ConstVectors(&rest.x, 1), {}, {}, supple::Vectors(&posed.x, 1), {}, {}}};
  if (!job.validate()) return 1;
  job.run();
  std::printf("%g %g %g\n", static_cast<double>(posed.x), static_cast<double>(posed.y), static_cast<double>(posed.z));
  return std::abs(posed.x - 1) < 1e-6f && std::abs(posed.y - 1) < 1e-6f ? 0 : 1;
}
