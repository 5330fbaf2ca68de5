// One stage of a longer task, as the caller sees it.
#pragma once

#include "supple/base/progress.h"

namespace supple::make {

/// Runs from one fraction of the whole to another while the stage runs from 0 to 1; nothing where nobody listens.
inline Progress part_of(const Progress& progress, double from, double to) {
  if (!progress) return {};
  return [=](std::string_view stage, double fraction) { return progress(stage, from + (to - from) * fraction); };
}

}  // namespace supple::make
