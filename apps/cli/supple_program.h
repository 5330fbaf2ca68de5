// supple with all its commands: what the command line runs, and what bindings of other languages are made from.
#pragma once

#include "cli/session.h"

namespace supple::cli {

class SuppleProgram : public Program {
 public:
  /// parse() leaves the command that was given in the session.
  explicit SuppleProgram(Session& session);
};

}  // namespace supple::cli
