// What an example is for: to be learnt from, or to be kept back and compared with.
#pragma once

#include <cstdint>

namespace supple {

enum class Role : std::uint8_t { train, test };

}  // namespace supple
