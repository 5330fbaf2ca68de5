#include "supple/rig/joint_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>

namespace supple {
namespace {

/// Words that names are made of without a sign between them: "toebase", "leftforearm".
constexpr std::array<std::string_view, 96> joined_words{
    "left",     "right",        "upper",   "lower",  "up",     "low",        "fore",   "front",    "rear",
    "hind",     "back",         "arm",     "leg",    "hand",   "foot",       "feet",   "toes",     "toe",
    "ball",     "thigh",        "shin",    "calf",   "knee",   "elbow",      "wrist",  "shoulder", "shldr",
    "clavicle", "collar",       "scapula", "blade",  "bone",   "hips",       "hip",    "pelvis",   "spine",
    "chest",    "torso",        "neck",    "head",   "jaw",    "chin",       "mouth",  "eyes",     "eye",
    "lid",      "brow",         "ear",     "tail",   "thumb",  "index",      "middle", "ring",     "pinky",
    "pinkie",   "little",       "fingers", "finger", "palm",   "metacarpal", "carpal", "meta",     "proximal",
    "distal",   "intermediate", "phalanx", "tip",    "end",    "nub",        "leaf",   "twist",    "roll",
    "pole",     "target",       "control", "ctrl",   "ctl",    "base",       "joint",  "root",     "node",
    "rib",      "cage",         "abdomen", "waist",  "heel",   "ankle",      "paw",    "hoof",     "slot",
    "weapon",   "pony",         "hair",    "ik",     "socket", "top"};

bool is_word(std::string_view text) {
  return std::find(joined_words.begin(), joined_words.end(), text) != joined_words.end();
}

/// The words that a token is made of; nothing where it is not made of known ones.
std::optional<std::vector<std::string>> words_within(std::string_view token) {
  if (token.empty()) return std::vector<std::string>{};
  for (std::size_t n = token.size(); n >= 2; --n) {  // longest first: "hips", not "hip" and "s"
    if (!is_word(token.substr(0, n))) continue;
    if (auto rest = words_within(token.substr(n))) {
      rest->insert(rest->begin(), std::string(token.substr(0, n)));
      return rest;
    }
  }
  return std::nullopt;
}

/// Splits at signs, between letters and digits, and where capitals begin a word; lower case.
std::vector<std::string> tokens_of(std::string_view name) {
  std::vector<std::string> tokens(1);
  const auto at = [&](std::size_t i) { return i < name.size() ? static_cast<unsigned char>(name[i]) : 0u; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const int c = static_cast<int>(at(i)), before = i > 0 ? static_cast<int>(at(i - 1)) : 0,
              after = static_cast<int>(at(i + 1));
    if (std::isalnum(c) == 0) {
      if (!tokens.back().empty()) tokens.emplace_back();
      continue;
    }
    const bool digit_edge = std::isalnum(before) != 0 && (std::isdigit(c) != 0) != (std::isdigit(before) != 0);
    const bool word_begins =
        std::isupper(c) != 0 && (std::islower(before) != 0 || (std::isupper(before) != 0 && std::islower(after) != 0));
    if ((digit_edge || word_begins) && !tokens.back().empty()) tokens.emplace_back();
    tokens.back().push_back(static_cast<char>(std::tolower(c)));
  }
  if (tokens.back().empty()) tokens.pop_back();
  return tokens;
}

BodySide side_of(std::string_view token) {
  if (token == "left" || token == "l" || token == "lft" || token == "lt") return BodySide::left;
  if (token == "right" || token == "r" || token == "rt" || token == "rgt") return BodySide::right;
  return BodySide::unknown;
}

/// "lhand", "handr": one letter says the side, and the rest is made of known words.
bool take_side_letter(const std::string& token, std::vector<std::string>& words) {
  for (const bool first : {true, false}) {
    const char letter = first ? token.front() : token.back();
    if ((letter != 'l' && letter != 'r') || token.size() < 4) continue;
    const auto rest =
        words_within(first ? std::string_view(token).substr(1) : std::string_view(token).substr(0, token.size() - 1));
    if (!rest) continue;
    words.emplace_back(1, letter);
    words.insert(words.end(), rest->begin(), rest->end());
    return true;
  }
  return false;
}

std::vector<std::string> words_of(std::string_view name) {
  const std::size_t prefix = name.find_last_of(":|");
  if (prefix != std::string_view::npos && prefix + 1 < name.size()) name = name.substr(prefix + 1);
  std::vector<std::string> words;
  for (const std::string& token : tokens_of(name)) {
    const bool whole = std::isdigit(static_cast<unsigned char>(token[0])) != 0 || token.size() < 4 || is_word(token);
    const auto split = whole ? std::nullopt : words_within(token);
    if (split) {
      words.insert(words.end(), split->begin(), split->end());
    } else if (whole || !take_side_letter(token, words)) {
      words.push_back(token);
    }
  }
  return words;
}

bool is_number(const std::string& word) { return std::isdigit(static_cast<unsigned char>(word[0])) != 0; }

class NameReader {
 public:
  explicit NameReader(std::string_view name) : words_(words_of(name)) {}

  NamedJoint read() {
    for (const std::string& w : words_) {
      result_.plain += (result_.plain.empty() ? "" : " ") + w;
      if (result_.side == BodySide::unknown) result_.side = side_of(w);
      if (side_of(w) == BodySide::unknown && !is_number(w)) result_.stem += (result_.stem.empty() ? "" : " ") + w;
    }
    if (result_.side != BodySide::unknown) result_.mirrored = mirrored();
    const bool limb =
        has({"leg",      "legs", "foot",   "feet",    "paw",    "hoof", "ankle",   "toe",   "toes",  "thigh",
             "shoulder", "hip",  "pelvis", "scapula", "collar", "knee", "humerus", "femur", "elbow", "wrist"});
    result_.front = limb && has({"front", "fore"});
    result_.back = limb && has({"back", "rear", "hind"});
    result_.kind = kind();
    return std::move(result_);
  }

 private:
  bool has(std::string_view word) const { return std::find(words_.begin(), words_.end(), word) != words_.end(); }
  bool has(std::initializer_list<std::string_view> any) const {
    return std::any_of(any.begin(), any.end(), [&](std::string_view w) { return has(w); });
  }

  std::string mirrored() const {
    std::string text;
    for (const std::string& w : words_) {
      std::string_view other = w;
      if (w == "left") other = "right";
      if (w == "right") other = "left";
      if (w == "l") other = "r";
      if (w == "r") other = "l";
      if (w == "lft") other = "rgt";
      if (w == "rgt") other = "lft";
      if (w == "lt") other = "rt";
      if (w == "rt") other = "lt";
      text += (text.empty() ? "" : " ") + std::string(other);
    }
    return text;
  }

  JointKind kind() {
    if (has({"ik",     "pole",   "ctrl",   "ctl",        "control", "target",  "mch",       "slot",
             "socket", "attach", "weapon", "prop",       "holder",  "locator", "helper",    "anchor",
             "drv",    "driver", "dummy",  "corrective", "goal",    "heel",    "constraint"}))
      return JointKind::helper;
    if (has({"end", "nub", "tip", "leaf", "effector", "endsite"}) || (has("head") && has("top"))) return JointKind::end;
    if (has({"lid",    "eyelid", "eyebrow", "brow",    "lip",     "lips", "cheek",   "nose",  "nostril",
             "tongue", "teeth",  "tooth",   "horn",    "hair",    "pony", "whisker", "beard", "skirt",
             "breast", "cloth",  "cape",    "belt",    "feather", "wing", "flipper", "fin",   "pad",
             "armor",  "armour", "strap",   "stomach", "belly",   "hat",  "bag"}))
      return JointKind::unknown;
    if (has({"twist", "roll"})) return has("neck") ? JointKind::neck : JointKind::twist;
    if (has({"eye", "eyes"})) return JointKind::eye;
    if (has({"ear", "ears"})) return has("ring") ? JointKind::unknown : JointKind::ear;
    if (has({"jaw", "chin", "mandible"})) return JointKind::jaw;
    if (has("mouth")) return result_.stem == "mouth" || has("lower") ? JointKind::jaw : JointKind::unknown;
    if (const auto found = digit_or_palm()) return *found;
    if (const auto found = limb()) return *found;
    if (has("neck")) return JointKind::neck;
    if (has({"head", "skull"})) return JointKind::head;
    if (has({"tail"})) return JointKind::tail;
    if (has({"hips", "hip", "pelvis"})) return JointKind::hips;
    if (has({"spine", "chest", "torso", "abdomen", "waist", "rib", "ribs", "ribcage", "thorax", "lumbar", "back"}))
      return result_.side == BodySide::unknown ? JointKind::spine : JointKind::unknown;
    if (has({"root", "armature", "reference", "master", "origin", "body", "trajectory", "rig", "bip", "skeleton"}))
      return JointKind::root;
    return JointKind::unknown;
  }

  std::optional<JointKind> digit_or_palm() {
    const bool part_of_finger = has({"finger", "fingers", "phalanx", "proximal", "intermediate", "distal", "hand"}),
               metacarpal = has({"metacarpal", "carpal", "palm", "meta"});
    if (has({"toe", "toes", "foot", "feet", "metatarsal", "tail", "spine", "rib", "ribs", "chest", "torso", "neck",
             "head", "back", "leg", "arm"}))
      return std::nullopt;
    constexpr std::array<std::array<std::string_view, 3>, 5> digits{{{"thumb", "thumb", "thumb"},
                                                                     {"index", "index", "index"},
                                                                     {"middle", "mid", "mid"},
                                                                     {"ring", "ring", "ring"},
                                                                     {"pinky", "pinkie", "little"}}};
    for (std::size_t d = 0; d < digits.size() && result_.digit < 0; ++d)
      if (has({digits[d][0], digits[d][1], digits[d][2]})) result_.digit = static_cast<int>(d);
    if (result_.digit == 0) return JointKind::thumb;
    if (result_.digit > 0) {
      if (metacarpal) return JointKind::palm;
      result_.needs_hand = !part_of_finger && (has({"middle", "mid", "ring", "little"}));
      return JointKind::finger;
    }
    if (metacarpal) return JointKind::palm;
    const auto finger = std::find_if(words_.begin(), words_.end(),
                                     [](const std::string& w) { return w == "finger" || w == "fingers"; });
    if (finger == words_.end()) return std::nullopt;
    if (has("base")) return JointKind::palm;
    for (auto w = finger; w != words_.end(); ++w)
      if (is_number(*w)) result_.numbers.push_back(std::atoi(w->c_str()));
    // "Finger02" of one number: the finger, then the joint.
    if (result_.numbers.size() == 1 && finger + 1 != words_.end() && (finger + 1)->size() == 2)
      result_.numbers = {(*(finger + 1))[0] - '0', (*(finger + 1))[1] - '0'};
    return JointKind::finger;
  }

  std::optional<JointKind> limb() {
    const bool front = result_.front, upper = has({"upper", "up"}), lower = has({"lower", "low"});
    const bool sided = result_.side != BodySide::unknown;
    if (has({"toe", "toes", "ball"})) return JointKind::toe;
    if (has({"foot", "feet", "ankle", "paw", "hoof", "tarsal", "metatarsal"}))
      return front ? JointKind::hand : JointKind::foot;
    if (has({"hand", "wrist", "fist"})) return JointKind::hand;
    if (has({"shoulder", "shldr", "clavicle", "clav", "collar", "scapula"})) {
      result_.shoulder = has({"shoulder", "shldr"}) && !result_.back && !result_.front;
      return JointKind::clavicle;
    }
    if (has({"leg", "legs"})) {
      if (has("pelvis")) return JointKind::clavicle;
      if (has("hip")) return JointKind::thigh;
      if (upper) return front ? JointKind::upper_arm : JointKind::thigh;
      if (lower) return front ? JointKind::forearm : JointKind::shin;
      (front ? result_.arm : result_.leg) = true;
      return front ? JointKind::upper_arm : JointKind::thigh;
    }
    if (has({"thigh", "femur"})) return front ? JointKind::upper_arm : JointKind::thigh;
    if (has({"shin", "calf", "knee", "tibia"})) return front ? JointKind::forearm : JointKind::shin;
    if (has("humerus")) return JointKind::upper_arm;
    if (has({"elbow", "ulna"})) return JointKind::forearm;
    if (has("arm")) {
      if (has("fore") || lower) return JointKind::forearm;
      result_.arm = !upper;
      return JointKind::upper_arm;
    }
    if (has({"forearm"})) return JointKind::forearm;
    if (sided && has("hip")) {
      result_.hip = true;
      return JointKind::thigh;
    }
    if (sided && has("pelvis")) return JointKind::clavicle;
    return std::nullopt;
  }

  std::vector<std::string> words_;
  NamedJoint result_;
};

}  // namespace

NamedJoint read_joint_name(std::string_view name) { return NameReader(name).read(); }

}  // namespace supple
