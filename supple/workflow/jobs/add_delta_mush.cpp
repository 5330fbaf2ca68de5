#include "supple/workflow/jobs/add_delta_mush.h"

#include "supple/files/gltf/deformers.h"
#include "supple/rig/find_part.h"

namespace supple::workflow {

Result<AddedDeltaMush> add_delta_mush(const AddDeltaMushOptions& o, Work& work) {
  if (auto named = check_gltf_name(o.output); !named) return named.error();
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const auto in_file = [&](const Error& e) { return Error{o.input + ", " + e.item, e.problem, e.remedy}; };
  Character& c = model->character();
  const auto part = find_part(c, o.part);
  if (!part) return in_file(part.error());
  const DeltaMush mush{static_cast<std::uint32_t>(*part), o.iterations, static_cast<float>(o.strength), o.keep_borders};
  if (auto ok = validate(mush, c); !ok) return in_file(ok.error());
  std::erase_if(c.delta_mush, [&](const DeltaMush& m) { return m.part == mush.part; });
  c.delta_mush.push_back(mush);
  std::optional<SkinComparison> compared;
  if (o.compare) {
    const auto result = compare_deformer(c, delta_mush_kind, {.parts = {*part}},
                                         "fewer --iterations do less harm; supple add kinodynamics keeps volume", work);
    if (!result) return in_file(result.error());
    compared = *result;
  }
  if (auto put = gltf::put_deformer(model->document, delta_mush_kind, model->imported); !put) return put.error();
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  return AddedDeltaMush{std::move(*model), mush, compared};
}

}  // namespace supple::workflow
