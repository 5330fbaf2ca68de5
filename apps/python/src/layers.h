// The layers that callers name in Python.
#pragma once

#include <string>
#include <vector>

#include "supple/deform/pipeline.h"

namespace supple::python {

/// Layers without those in `off`, and as the pose has those in `given`.
Layers layers_of(const std::vector<std::string>& off, const std::vector<std::string>& given);

}  // namespace supple::python
