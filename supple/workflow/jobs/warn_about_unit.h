// A guess at what went wrong: characters in centimetres.
#pragma once

#include <string>

#include "supple/deform/flesh/body.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// A character of other than human size is probably not in metres, and gravity would be off by as much. `remedy` says
/// what helps if the unit is the centimetre.
void warn_about_unit(const FleshBody& body, const std::string& remedy, Work& work);

}  // namespace supple::workflow
