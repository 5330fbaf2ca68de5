#include "supple/workflow/jobs/subdivide_file.h"

#include <algorithm>

#include "supple/base/text.h"
#include "supple/rig/subdivide.h"

namespace supple::workflow {
namespace {

Result<void> check_part_names(const SubdivideFileOptions& o, const Character& character) {
  std::vector<std::string> names;
  for (const Part& part : character.parts) names.push_back(part.name);
  for (const std::string& name : o.parts) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Error{o.input, "has no part '" + name + "'", did_you_mean(name, names)};
  }
  return {};
}

}  // namespace

Result<SubdividedFile> subdivide_file(const SubdivideFileOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  Character& c = model->character();
  if (auto ok = check_part_names(o, c); !ok) return ok.error();
  const auto chosen = [&](const Part& part) {
    return o.parts.empty() ? part.name != "bones"
                           : std::find(o.parts.begin(), o.parts.end(), part.name) != o.parts.end();
  };
  SubdividedFile result;
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    Part& part = c.parts[p];
    if (!chosen(part)) continue;
    for (int level = 0; level < o.levels; ++level) {
      if (auto ok = subdivide(part, &work.warnings); !ok) return ok.error();
    }
    gltf::put_part(model->document, model->imported.sources[p], part, model->morph_weights(p), &work.warnings);
    ++result.parts;
    result.vertices += part.mesh.positions.size();
    result.triangles += part.mesh.triangles.size();
  }
  if (result.parts == 0) return Error{o.input, "has no mesh to subdivide", ""};
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  return result;
}

}  // namespace supple::workflow
