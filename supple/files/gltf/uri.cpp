#include "supple/files/gltf/uri.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <optional>

namespace supple::gltf {
namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> base64_values = [] {
  std::array<std::int8_t, 256> values{};
  for (auto& v : values) v = -1;
  for (std::size_t i = 0; i < 64; ++i)
    values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::int8_t>(i);
  return values;
}();

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::string percent_decoded(std::string_view uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size()) {
      const auto high = hex_digit(uri[i + 1]), low = hex_digit(uri[i + 2]);
      if (high && low) {
        text.push_back(static_cast<char>(*high * 16 + *low));
        i += 2;
        continue;
      }
    }
    text.push_back(uri[i]);
  }
  return text;
}

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < left ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text.push_back(k <= left ? base64_digits[bits >> (18 - 6 * k) & 63] : '=');
  }
  return text;
}

bool is_data_uri(std::string_view uri) { return uri.substr(0, 5) == "data:"; }

Result<Bytes> decode_data_uri(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return Error{"", "the data URI has no comma", ""};
  constexpr std::string_view marker = ";base64";
  const std::string_view type = uri.substr(0, comma);
  if (type.size() < marker.size() || type.substr(type.size() - marker.size()) != marker) {
    return Error{"", "the data URI is not base64", ""};
  }
  std::string_view digits = uri.substr(comma + 1);
  while (!digits.empty() && digits.back() == '=') digits.remove_suffix(1);
  if (digits.size() % 4 == 1) return Error{"", "the base64 data is cut short", "export the file again"};
  Bytes bytes;
  bytes.reserve(digits.size() * 3 / 4);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : digits) {
    const int value = base64_values[static_cast<unsigned char>(c)];
    if (value < 0) return Error{"", "the base64 data holds a character that is not base64", "export the file again"};
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> have & 255));
    }
  }
  return bytes;
}

std::string encode_uri(std::string_view file_name) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string uri;
  for (const char c : file_name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      uri.push_back(c);
    } else {
      uri += {'%', hex[u >> 4], hex[u & 15]};
    }
  }
  return uri;
}

Result<std::filesystem::path> resolve_uri(std::string_view uri, const std::filesystem::path& folder) {
  const auto refused = [&](std::string why) {
    return Error{std::string(uri.substr(0, 80)), std::move(why),
                 "put the file next to the model and name it relative to it"};
  };
  const std::size_t colon = uri.find(':');
  if (colon != std::string_view::npos && colon < uri.find('/')) return refused("is not a file beside the model");
  const std::string name = percent_decoded(uri);
  if (name.empty() || name.find('\0') != std::string::npos) return refused("is not a file name");
  const std::filesystem::path path(name);
  if (path.is_absolute() || name.front() == '\\') return refused("is an absolute path");
  const std::filesystem::path inside = path.lexically_normal();
  if (inside.empty() || *inside.begin() == "..") return refused("leaves the model's folder");
  return folder / inside;
}

}  // namespace supple::gltf
