#include "supple/workflow/jobs/warn_about_unit.h"

#include <fmt/core.h>

#include "supple/geometry/mesh.h"

namespace supple::workflow {

void warn_about_unit(const FleshBody& body, const std::string& remedy, Work& work) {
  const double size = double{bounds(body.positions).diagonal()};  // metres, if the unit is the metre
  if (size > 20)
    work.warnings.push_back(
        fmt::format("the character is {:.0f} m large; if its unit is the centimetre, {}", size, remedy));
}

}  // namespace supple::workflow
