#include "supple/phantom/bone_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace supple::phantom {
namespace {

std::vector<std::string> words(std::string_view name) {
  std::vector<std::string> result(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!result.back().empty()) {
      result.emplace_back();
    }
  }
  return result;
}

}  // namespace

std::optional<BoneName> parse_bone_name(std::string_view name) {
  const std::vector<std::string> all = words(name);
  const auto has = [&](std::string_view word) { return std::find(all.begin(), all.end(), word) != all.end(); };
  BoneName bone;
  if (has("right") == has("left")) return std::nullopt;
  bone.right = has("right");
  for (const char* single : {"radius", "ulna"}) {
    if (!has(single)) continue;
    bone.kind = make::BoneKind::forearm;
    bone.single = single;
    return bone;
  }
  for (const char* single :
       {"scaphoid", "lunate", "triquetral", "triquetrum", "pisiform", "trapezium", "trapezoid", "capitate", "hamate"}) {
    if (!has(single)) continue;
    bone.kind = make::BoneKind::carpus;
    bone.single = std::string_view(single) == "triquetral" ? "triquetrum" : single;
    return bone;
  }
  if (has("metacarpal")) {
    constexpr std::array<std::string_view, 5> order = {"first", "second", "third", "fourth", "fifth"};
    const auto found = std::find_if(order.begin(), order.end(), has);
    if (found == order.end()) return std::nullopt;
    bone.digit = make::digits[static_cast<std::size_t>(found - order.begin())];
    return bone;
  }
  if (!has("phalanx")) return std::nullopt;
  // "middle" is a finger and a phalanx: the phalanx is the word before "phalanx", the digit comes after it.
  const auto at = std::find(all.begin(), all.end(), "phalanx");
  if (at == all.begin()) return std::nullopt;
  const std::string& which = *(at - 1);
  if (which == "proximal")
    bone.segment = make::Segment::proximal;
  else if (which == "middle")
    bone.segment = make::Segment::middle;
  else if (which == "distal")
    bone.segment = make::Segment::distal;
  else
    return std::nullopt;
  constexpr std::array<std::string_view, 5> names = {"thumb", "index", "middle", "ring", "little"};
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (std::find(at, all.end(), names[d]) == all.end()) continue;
    bone.digit = make::digits[d];
    return bone;
  }
  return std::nullopt;
}

}  // namespace supple::phantom
