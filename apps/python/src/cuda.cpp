// Batches of poses with gradients, on a GPU or on the CPU: what supple.cuda is made of.
#include "supple/gpu/cuda/batch.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "arrays.h"
#include "batch_arrays.h"
#include "errors.h"
#include "layers.h"
#include "module.h"

namespace supple::python {
namespace {

/// One call at a time works on it, since the interpreter's lock is released meanwhile.
class BatchHandle {
 public:
  BatchHandle(const RigHandle& of, const NameOrNumber& part, int gpu, const std::vector<std::string>& off,
              const std::vector<std::string>& given)
      : character_(std::make_unique<Character>(of.character())) {
    const std::size_t number = part_of(*character_, part);
    const Layers layers = layers_of(off, given);
    call_ = {character_->skeleton.size(),
             character_->morph_weights.size(),
             character_->parts[number].mesh.positions.size(),
             {}};
    if (gpu >= 0) call_.place.gpu = gpu;
    batch_ = take(gpu >= 0 ? gpu::make_cuda_batch(*character_, number, layers, gpu)
                           : gpu::make_cpu_batch(*character_, number, layers));
  }

  std::uint64_t evaluate(nb::handle rotations, nb::handle translations, nb::handle scales, nb::handle morph_weights,
                         nb::handle positions, nb::handle normals, std::uintptr_t stream) {
    return take(
        call_.evaluate(*batch_, rotations, translations, scales, morph_weights, positions, normals, stream, mutex_));
  }
  void differentiate(nb::handle by_positions, nb::handle by_normals, nb::handle rotations, nb::handle translations,
                     nb::handle scales, nb::handle morph_weights, nb::handle by_rotations, nb::handle by_translations,
                     nb::handle by_scales, nb::handle by_weights, std::uintptr_t stream, std::uint64_t call) {
    take(call_.differentiate(*batch_, {by_positions, by_normals}, {rotations, translations, scales, morph_weights},
                             {by_rotations, by_translations, by_scales, by_weights}, stream, call, mutex_));
  }
  const BatchCall& call() const { return call_; }

 private:
  std::unique_ptr<const Character> character_;
  std::unique_ptr<gpu::Batch> batch_;
  BatchCall call_;
  std::mutex mutex_;
};

}  // namespace

void bind_cuda(nb::module_& m) {
  m.def("has_cuda", &gpu::has_cuda, "Whether the package was built with CUDA.");
  m.def("cuda_device_count", &gpu::cuda_device_count, "GPUs that can be used; 0 without CUDA or a driver.");
  const auto nothing = nb::none();
  nb::class_<BatchHandle>(m, "Batch", "The engine behind supple.cuda.Batch, which says what the arguments are.")
      .def(nb::init<const RigHandle&, const NameOrNumber&, int, const std::vector<std::string>&,
                    const std::vector<std::string>&>(),
           nb::arg("character"), nb::arg("part").none(), nb::arg("gpu"), nb::arg("off"), nb::arg("given"))
      .def("evaluate", &BatchHandle::evaluate, nb::arg("rotations").none(), nb::arg("translations").none() = nothing,
           nb::arg("scales").none() = nothing, nb::arg("morph_weights").none() = nothing, nb::kw_only(),
           nb::arg("positions").none() = nothing, nb::arg("normals").none() = nothing, nb::arg("stream") = 0)
      .def("differentiate", &BatchHandle::differentiate, nb::arg("by_positions").none(), nb::arg("by_normals").none(),
           nb::arg("rotations").none(), nb::arg("translations").none(), nb::arg("scales").none(),
           nb::arg("morph_weights").none(), nb::kw_only(), nb::arg("by_rotations").none() = nothing,
           nb::arg("by_translations").none() = nothing, nb::arg("by_scales").none() = nothing,
           nb::arg("by_weights").none() = nothing, nb::arg("stream") = 0, nb::arg("call") = 0)
      .def_prop_ro("joints", [](const BatchHandle& b) { return b.call().joints; })
      .def_prop_ro("weights", [](const BatchHandle& b) { return b.call().weights; })
      .def_prop_ro("vertices", [](const BatchHandle& b) { return b.call().vertices; });
}

}  // namespace supple::python
