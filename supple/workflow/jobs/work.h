// What every job is given besides its options: where it tells what it noticed and how far it is.
#pragma once

#include "supple/base/progress.h"
#include "supple/base/result.h"

namespace supple::workflow {

/// One job at work. Warnings add up; progress may be empty, and is asked to stop by what it returns.
struct Work {
  Warnings warnings;
  Progress progress;
  bool compress = false;  // glTF files that the job writes: rounded and packed, see files/gltf/encode/compress.h

  /// Whether somebody wants the job to end, with what is done kept.
  bool stopped() const { return asked_to_stop && asked_to_stop(); }
  std::function<bool()> asked_to_stop;
};

}  // namespace supple::workflow
