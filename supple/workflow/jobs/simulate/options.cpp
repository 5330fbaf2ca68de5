#include "supple/workflow/jobs/simulate/options.h"

#include <cstdlib>
#include <cstring>

namespace supple::workflow {

Result<std::vector<simulate::Material>> materials_of(const SimulateOptions& o) {
  std::vector<simulate::Material> materials;
  for (const std::string& text : o.materials) {
    simulate::Material m;
    m.law = o.law;
    const char* comma = std::strchr(text.c_str(), ',');
    char *end_of_young = nullptr, *end_of_poisson = nullptr;
    m.young = std::strtod(text.c_str(), &end_of_young);
    if (comma != nullptr) m.poisson = std::strtod(comma + 1, &end_of_poisson);
    if (comma == nullptr || end_of_young != comma || end_of_poisson == comma + 1 || *end_of_poisson != '\0')
      return Error{"--material " + text, "is not two numbers", "write YOUNG,POISSON, such as 1,.47"};
    materials.push_back(m);
  }
  if (materials.empty()) materials.push_back({1, o.poisson, o.law});
  return materials;
}

}  // namespace supple::workflow
