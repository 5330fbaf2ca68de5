// PNG and JPEG by stb_image, without its readers of other formats.
#include "supple/render/decode_image.h"

#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_FAILURE_USERMSG
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace supple::render {
namespace {

/// What is wrong with bytes that are no picture to the reader.
std::string kind_of(std::span<const std::byte> bytes) {
  const auto starts = [&](std::string_view magic) {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (starts("\x89PNG") || starts("\xff\xd8")) {
    const char* reason = stbi_failure_reason();
    return "damaged: " + std::string(reason == nullptr || bytes.size() < 8 ? "it is cut off" : reason);
  }
  if (starts("\xabKTX 20")) return "a KTX2 (Basis Universal) picture";
  if (starts("RIFF")) return "a WebP picture";
  if (starts("DDS ")) return "a DDS picture";
  if (starts("GIF8")) return "a GIF picture";
  return "neither PNG nor JPEG";
}

/// Whether every Huffman table that a reader could come across has at most 256 codes. Versions of stb_image before 2.28
/// do not look, and write beyond their table. Up to the first scan a file is made of segments with a length; after it,
/// the bytes of the marker cannot stand for anything else.
bool has_sound_huffman_tables(std::span<const std::byte> bytes) {
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned>(bytes[i]) : 0u; };
  const auto sound = [&](std::size_t begin, std::size_t end) {  // of one segment
    for (std::size_t i = begin; i < end;) {
      std::size_t codes = 0;
      for (std::size_t k = 1; k <= 16; ++k) codes += at(i + k);
      if (codes > 256) return false;
      i += 17 + codes;
    }
    return true;
  };
  constexpr unsigned tables = 0xc4, scan = 0xda;
  bool scanned = false;
  for (std::size_t i = 2; i + 1 < bytes.size(); ++i) {
    const unsigned marker = at(i + 1);
    if (at(i) != 0xff || marker == 0 || marker == 0xff) continue;
    const std::size_t body = i + 4, end = i + 2 + (at(i + 2) << 8 | at(i + 3));
    if (marker == tables && !sound(body, end)) return false;
    scanned = scanned || marker == scan;
    if (!scanned && !(marker >= 0xd0 && marker <= 0xd8)) i = end - 1;
  }
  return true;
}

bool is_jpeg(std::span<const std::byte> bytes) { return !bytes.empty() && bytes[0] == std::byte{0xff}; }

}  // namespace

Result<Image> decode_image(std::span<const std::byte> bytes) {
  if (is_jpeg(bytes) && !has_sound_huffman_tables(bytes))
    return Error{"picture", "is damaged: it has a Huffman table of more than 256 codes", "save it again"};
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  int width = 0, height = 0, channels = 0;
  if (bytes.size() > INT_MAX || bytes.size() < 8 ||
      stbi_info_from_memory(data, static_cast<int>(bytes.size()), &width, &height, &channels) == 0) {
    return Error{"picture", "is " + kind_of(bytes), "convert it to PNG or JPEG"};
  }
  const auto pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
  if (width <= 0 || height <= 0 || width > static_cast<int>(max_decoded_side) ||
      height > static_cast<int>(max_decoded_side)) {
    return Error{"picture", "has " + size, "make it at most " + std::to_string(max_decoded_side) + " pixels a side"};
  }
  // Deflate packs at most 1032 bytes into one, and a row has at least a bit a pixel. JPEG can say in very few bytes
  // that thousands of blocks are alike; what nobody draws by hand is refused all the same.
  const std::uint64_t most = bytes.size() * (is_jpeg(bytes) ? 20000 : 8 * 1032);
  if (pixels > most)
    return Error{"picture", "has " + size + " in " + std::to_string(bytes.size()) + " bytes: it is cut off", ""};
  const std::unique_ptr<stbi_uc, void (*)(void*)> decoded(
      stbi_load_from_memory(data, static_cast<int>(bytes.size()), &width, &height, &channels, 4), stbi_image_free);
  if (!decoded) return Error{"picture", "cannot be decoded: " + std::string(stbi_failure_reason()), "save it again"};
  Image image({static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)}, {});
  static_assert(sizeof(Rgba8) == 4);
  std::memcpy(image.pixels.data(), decoded.get(), image.pixels.size() * sizeof(Rgba8));
  return image;
}

}  // namespace supple::render
