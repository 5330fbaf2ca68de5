#include "supple/author/scan/label_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace supple::scan {
namespace {

using Words = std::vector<std::string>;

/// In small letters; a number or a capital begins a new word: "DistalPhalanx2" has three.
Words words_of(std::string_view name) {
  Words words(1);
  char before = ' ';
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c), b = static_cast<unsigned char>(before);
    const bool letter = std::isalpha(u) != 0, digit = std::isdigit(u) != 0;
    const bool begins = (std::isupper(u) != 0 && std::islower(b) != 0) || (letter && std::isdigit(b) != 0) ||
                        (digit && std::isalpha(b) != 0);
    if ((begins || (!letter && !digit)) && !words.back().empty()) words.emplace_back();
    if (letter || digit) words.back() += static_cast<char>(std::tolower(u));
    before = c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

class LabelName {
 public:
  explicit LabelName(std::string_view name) : words_(words_of(name)) {}
  template <class... Word>
  bool any(Word... word) const {
    return (has(word) || ...);
  }
  bool has(std::string_view word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }
  std::size_t count(std::string_view word) const {
    return static_cast<std::size_t>(std::count(words_.begin(), words_.end(), word));
  }
  /// The word before a phalanx, or "".
  std::string before_phalanx() const {
    for (std::size_t i = 1; i < words_.size(); ++i)
      if (words_[i] == "phalanx" || words_[i] == "phalanges" || words_[i] == "phalange") return words_[i - 1];
    return {};
  }

 private:
  Words words_;
};

constexpr std::array<std::array<const char*, 7>, 5> finger_words{
    {{"thumb", "pollex", "first", "1", "1st", "i", ""},
     {"index", "forefinger", "second", "2", "2nd", "ii", ""},
     {"middle", "long", "third", "3", "3rd", "iii", ""},
     {"ring", "fourth", "4", "4th", "iv", "", ""},
     {"little", "pinky", "small", "fifth", "5", "5th", "v"}}};
constexpr std::array<const char*, 5> fingers{"thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"};
enum Part { metacarpal, proximal, intermediate, distal };
constexpr std::array<const char*, 4> part_names{"-metacarpal", "-phalanx-proximal", "-phalanx-intermediate",
                                                "-phalanx-distal"};

/// "middle" is a finger and a phalanx: it is the finger where another word says which phalanx it is, and the phalanx
/// where another says which finger it is; of both, or neither, what stands before "phalanx" is the phalanx.
struct Middle {
  bool finger = false, phalanx = false;
};
Middle middle_of(const LabelName& name, bool other_part, bool other_finger) {
  const std::size_t count = name.count("middle");
  if (count == 0) return {};
  if (count > 1) return {true, true};
  if (other_part != other_finger) return {other_part, other_finger};
  const bool phalanx = name.before_phalanx() == "middle";
  return {!phalanx, phalanx};
}

bool has_finger(const LabelName& name, std::size_t finger) {
  return std::any_of(finger_words[finger].begin(), finger_words[finger].end(),
                     [&](const std::string_view word) { return !word.empty() && word != "middle" && name.has(word); });
}

/// Which fingers and which of their bones a name is about; all where it does not say.
void add_digits(const LabelName& name, const BoneTemplate& skeleton, LabelUse& use) {
  std::array<bool, 5> finger{};
  std::array<bool, 4> part{};
  part[metacarpal] = name.any("metacarpal", "metacarpals", "metacarpus", "mc", "mcs");
  part[proximal] = name.any("proximal", "pp");
  part[intermediate] = name.any("intermediate", "medial", "mp", "ip", "pm");
  part[distal] = name.any("distal", "dp", "pd", "terminal");
  for (std::size_t f = 0; f < 5; ++f) finger[f] = has_finger(name, f);
  const auto some = [](const auto& flags) { return std::find(flags.begin(), flags.end(), true) != flags.end(); };
  const Middle middle = middle_of(name, some(part), some(finger));
  finger[2] = finger[2] || middle.finger;
  part[intermediate] = part[intermediate] || middle.phalanx;
  if (!some(part)) part = {false, true, true, true};
  if (!some(finger)) finger.fill(true);
  for (std::size_t f = 0; f < 5; ++f) {
    for (std::size_t p = 0; p < 4; ++p) {
      if (!finger[f] || !part[p]) continue;
      const std::string joint = std::string(fingers[f]) + part_names[p];
      for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b)
        if (skeleton.bones[b].joint == joint) use.bones.push_back(b);
    }
  }
}

}  // namespace

LabelMeaning meaning_of(std::string_view text, const BoneTemplate& skeleton, bool right) {
  LabelMeaning result;
  const LabelName name(text);
  const auto add = [&](const char* joint) {
    for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b)
      if (skeleton.bones[b].joint == joint) result.use.bones.push_back(b);
  };
  if (name.any("foot", "feet", "toe", "toes", "tarsal", "tarsals", "metatarsal", "metatarsals", "fat", "muscle",
               "muscles", "tendon", "tendons", "ligament", "ligaments", "cartilage", "vessel", "vessels", "nerve",
               "nerves", "background", "air", "marrow")) {
    result.kind = NameKind::ignored;
    return result;
  }
  if (name.any("skin", "body", "flesh", "tissue", "tissues", "envelope")) {
    result.kind = NameKind::skin;
    result.use.skin = true;
    return result;
  }
  std::size_t singles = 0;
  for (std::uint32_t i = 0; i < skeleton.bodies.size(); ++i) {
    const std::string& body = skeleton.bodies[i].name;
    if (!name.has(body) && !(body == "triquetrum" && name.has("triquetral"))) continue;
    result.use.body = ++singles == 1 ? i : TemplateBone::none;  // of two, neither
  }
  if (name.any("radius", "ulna", "forearm")) {
    add("forearm");
  } else if (name.any("scaphoid", "lunate", "triquetrum", "triquetral", "pisiform", "trapezium", "trapezoid",
                      "capitate", "hamate", "carpal", "carpals", "carpus", "wrist")) {
    add("wrist");
  } else if (name.any("phalanx", "phalanges", "phalange", "metacarpal", "metacarpals", "metacarpus", "mc", "mcs", "pp",
                      "dp", "finger", "fingers", "digit", "digits", "ray", "thumb", "pollex", "index", "pinky",
                      "proximal", "distal") ||
             (name.any("mp", "ip", "pm", "pd") && name.any("1", "2", "3", "4", "5"))) {
    add_digits(name, skeleton, result.use);
  } else if (name.any("bone", "bones", "skeleton")) {
    for (std::uint32_t b = 0; b < skeleton.bones.size(); ++b) result.use.bones.push_back(b);
  } else {
    return result;
  }
  const bool says_right = name.any("right", "r", "rt"), says_left = name.any("left", "l", "lt");
  if (says_right != says_left && says_right != right) {
    result.use = {};
    result.kind = NameKind::ignored;
    return result;
  }
  result.kind = result.use.bones.size() > 1 ? NameKind::group : NameKind::bone;
  const bool compound = std::any_of(result.use.bones.begin(), result.use.bones.end(),
                                    [&](std::uint32_t b) { return skeleton.bones[b].compound; });
  if (!compound) result.use.count = result.use.bones.size();
  if (compound && result.use.bones.size() == 1 && singles != 1) {
    for (const TemplateBody& body : skeleton.bodies) result.use.most += body.bone == result.use.bones.front() ? 1 : 0;
  }
  if (result.use.bones.empty()) result.kind = NameKind::unknown;
  return result;
}

}  // namespace supple::scan
