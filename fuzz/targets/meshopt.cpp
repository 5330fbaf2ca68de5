// One stream of EXT_meshopt_compression: three bytes say the mode, the filter and the size of an element, two more how
// many there are.
#include "supple/files/gltf/decode/meshopt.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

using gltf::meshopt::Filter;
using gltf::meshopt::Mode;

bool read_meshopt_input(Input input) {
  constexpr std::size_t head = 5;
  if (input.size() < head) return false;
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(input[i]); };
  const auto mode = static_cast<Mode>(byte(0) % 3);
  const auto filter = static_cast<Filter>(byte(1) % 5);
  const std::size_t stride = byte(2) + 1, count = byte(3) | byte(4) << 8;
  const Input stream = input.subspan(head);
  if (!gltf::meshopt::is_stride(mode, filter, stride)) return false;
  if (gltf::meshopt::least_bytes(mode, count, stride) > stream.size()) return false;
  std::vector<std::byte> out(count * stride);
  return gltf::meshopt::decode(stream, mode, filter, count, stride, out);
}

/// Streams of elements that are all the same, as the specification has them.
Seeds meshopt_seeds() {
  const auto attributes = [](char filter, char stride, char version) {
    const auto size = static_cast<std::size_t>(stride);
    std::string stream{'\0', filter, static_cast<char>(stride - 1), 16, 0, static_cast<char>(0xa0 | version)};
    if (version == 1) stream += std::string(size / 4, '\0');  // how each byte of an element is stored
    if (version == 0) stream += std::string(size, '\0');      // groups of 16 in no bits: a byte of zero for each byte
    const std::size_t tail = std::max<std::size_t>(version == 1 ? 24 : 32, size + (version == 1 ? size / 4 : 0));
    return stream + std::string(tail, '\0');
  };
  return {{"plain", attributes(0, 4, 0)},
          {"octahedral", attributes(1, 8, 0)},
          {"quaternion", attributes(2, 8, 0)},
          {"exponential", attributes(3, 12, 0)},
          {"color", attributes(4, 4, 0)}};
}

}  // namespace

extern const Target meshopt_target{
    "meshopt", read_meshopt_input, meshopt_seeds, {"\xa0", "\xa1", "\xe0", "\xe1", "\xd0", "\xd1"}};

}  // namespace supple::fuzz
