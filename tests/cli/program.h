// The program under test.
#pragma once

#include <string>

#include "support/run_command.h"

namespace supple::test {

inline const std::string cli = SUPPLE_CLI;

inline CommandResult supple(const std::string& arguments) { return run(cli + " " + arguments); }

}  // namespace supple::test
