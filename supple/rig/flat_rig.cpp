#include "supple/rig/flat_rig.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace supple {
namespace {

constexpr double without_shared_skin = 4;  // times as far: joints whose skin does not meet
constexpr double same_row = 0.25, known_pair = 0.5;
constexpr std::size_t fewest = 6;

/// What a name says: "thigh_L" and "LeftUpLeg" are sides and words.
struct JointName {
  std::vector<std::string> words;  // small letters
  std::string stem;                // all words but the side
  int number = -1;                 // at the end
  int side = 0;                    // -1 left, 1 right
};

JointName name_of(const std::string& text) {
  JointName name;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    const bool is_number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    if (word == "l" || word == "left") {
      name.side = -1;
    } else if (word == "r" || word == "right") {
      name.side = 1;
    } else if (is_number) {
      name.number = word.size() < 6 ? std::stoi(word) : -1;
    } else {
      name.words.push_back(word);
      name.stem += word;
    }
    word.clear();
  };
  char before = ' ';
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c), b = static_cast<unsigned char>(before);
    const bool kind_changes =
        (std::isdigit(u) != 0) != (std::isdigit(b) != 0) || (std::isupper(u) != 0 && std::islower(b) != 0);
    if (std::isalnum(u) == 0 || kind_changes) finish();
    if (std::isalnum(u) != 0) word.push_back(static_cast<char>(std::tolower(u)));
    before = c;
  }
  finish();
  return name;
}

bool has_any(const JointName& name, std::span<const char* const> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return name.stem.find(word) != std::string::npos; });
}

/// Parts of a body from the middle outwards; each hangs on the one before it in its row.
int kind_of(const JointName& name) {
  constexpr std::array<const char*, 3> shin{"shin", "calf", "lowerleg"}, forearm{"forearm", "lowerarm", "elbow"},
      hand{"hand", "wrist", "palm"}, thigh{"thigh", "upleg", "upperleg"}, foot{"foot", "ankle", "paw"},
      toe{"toe", "ball", "claw"}, shoulder{"shoulder", "clavicle", "collar"}, arm{"upperarm", "uparm", "arm"};
  constexpr std::array<const char*, 2> head{"head", "skull"}, neck{"neck", "cervical"};
  if (has_any(name, toe)) return 13;
  if (has_any(name, foot)) return 12;
  if (has_any(name, shin)) return 11;
  if (has_any(name, thigh)) return 10;
  if (has_any(name, hand)) return 23;
  if (has_any(name, forearm)) return 22;
  if (has_any(name, shoulder)) return 20;
  if (has_any(name, arm)) return 21;
  if (has_any(name, head)) return 31;
  if (has_any(name, neck)) return 30;
  return -1;
}

/// Which finger, and how far along it; -1 where a name says nothing of the kind.
int place_in(const JointName& name, std::span<const char* const> words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (std::find(name.words.begin(), name.words.end(), words[i]) != name.words.end()) return static_cast<int>(i);
  return -1;
}
int finger_of(const JointName& name) {
  constexpr std::array<const char*, 6> fingers{"thumb", "index", "middle", "ring", "pinky", "little"};
  return place_in(name, fingers);
}
int phalanx_of(const JointName& name) {
  constexpr std::array<const char*, 5> bones{"metacarpal", "proximal", "intermediate", "distal", "tip"};
  return place_in(name, bones);
}

bool are_neighbours_in_row(const JointName& a, const JointName& b) {
  return a.stem == b.stem && a.side == b.side && a.number >= 0 && b.number >= 0 && std::abs(a.number - b.number) == 1;
}

/// Below 1 where names say that `child` hangs on `parent`, far above where they say that it does not; on distances.
double by_names(const JointName& parent, const JointName& child) {
  constexpr double unlikely = 1e3, never = 1e6;
  if (are_neighbours_in_row(parent, child)) return same_row;
  if (parent.side * child.side < 0) return never;
  const int finger = finger_of(parent), other_finger = finger_of(child);
  if (finger >= 0 && other_finger >= 0 && finger != other_finger) return never;
  if (parent.side != 0 && child.side == 0) return unlikely;
  if (finger >= 0 && finger == other_finger && phalanx_of(parent) >= 0 && phalanx_of(child) >= 0)
    return phalanx_of(child) == phalanx_of(parent) + 1 ? known_pair
           : phalanx_of(child) > phalanx_of(parent)    ? 1
                                                       : unlikely;
  const int kind = kind_of(parent), below = kind_of(child);
  if (kind < 0 || below < 0) return 1;
  if (kind / 10 != below / 10) return unlikely;  // a shoulder on a neck
  return below == kind + 1 ? known_pair : below > kind ? 1 : unlikely;
}

/// How much skin each pair of joints shares: the sum of the smaller of both weights over all vertices.
std::map<std::pair<JointIndex, JointIndex>, double> shared_skin(const Character& c) {
  std::map<std::pair<JointIndex, JointIndex>, double> shared;
  for (const Part& part : c.parts) {
    if (!part.skin) continue;
    const std::vector<JointIndex>& joints = c.skins[*part.skin].joints;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
      const auto own = part.weights.of(v);
      for (std::size_t a = 0; a < own.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          shared[std::minmax(joints[own[a].joint], joints[own[b].joint])] += double{own[a].weight};
    }
  }
  return shared;
}

/// By its name, or the one that the others are nearest to.
std::size_t root_of(std::span<const JointName> names, std::span<const Vec3f> places) {
  for (const char* word : {"hips", "hip", "pelvis", "root", "cog", "torso", "body"})
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].side == 0 && names[i].stem == word) return i;
  for (const char* word : {"hips", "pelvis"})
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].side == 0 && names[i].stem.find(word) != std::string::npos) return i;
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < places.size(); ++i) {
    double sum = 0;
    for (const Vec3f p : places) sum += double{length(p - places[i])};
    if (sum < least) least = sum, best = i;
  }
  return best;
}

}  // namespace

std::optional<FlatRig> flat_rig(const Character& character) {
  const std::vector<bool> skinned = skinned_joints(character);
  std::map<JointIndex, std::vector<JointIndex>> below;
  std::size_t all = 0;
  for (JointIndex j = 0; j < skinned.size(); ++j) {
    if (!skinned[j]) continue;
    ++all;
    below[character.skeleton.parent(j)].push_back(j);
  }
  for (auto& [parent, joints] : below) {
    // The joint that the others hang on may be one of the skin itself.
    const std::size_t others = parent != no_joint && skinned[parent] ? all - 1 : all;
    if (joints.size() >= fewest && 4 * joints.size() >= 3 * others) return FlatRig{parent, std::move(joints)};
  }
  return std::nullopt;
}

std::vector<JointIndex> proposed_parents(const Character& character, const FlatRig& flat) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<JointIndex> parents(skeleton.parents().begin(), skeleton.parents().end());
  const std::vector<Affinef> world = to_world(skeleton, character.rest());
  const auto shared = shared_skin(character);
  // The joint that all hang on begins the tree where skin follows it; otherwise it only carries the whole.
  std::vector<JointIndex> joints = flat.joints;
  const bool begins = std::any_of(shared.begin(), shared.end(), [&](const auto& pair) {
    return pair.first.first == flat.parent || pair.first.second == flat.parent;
  });
  if (begins) joints.push_back(flat.parent);
  const std::size_t count = joints.size();
  std::vector<JointName> names;
  std::vector<Vec3f> places;
  for (const JointIndex j : joints) {
    names.push_back(name_of(skeleton.given_name(j)));
    places.push_back(world[j].translation);
  }
  const auto cost = [&](std::size_t parent, std::size_t child) {
    const bool is_shared = shared.contains(std::minmax(joints[parent], joints[child]));
    return double{length(places[parent] - places[child])} * (is_shared ? 1 : without_shared_skin) *
           by_names(names[parent], names[child]);
  };
  // Prim's tree: always the cheapest joint that is not in it yet.
  const std::size_t root = begins ? count - 1 : root_of(names, places);
  std::vector<bool> joined(count, false);
  std::vector<std::size_t> nearest(count, root);
  joined[root] = true;
  for (std::size_t n = 1; n < count; ++n) {
    std::size_t next = count;
    for (std::size_t i = 0; i < count; ++i)
      if (!joined[i] && (next == count || cost(nearest[i], i) < cost(nearest[next], next))) next = i;
    joined[next] = true;
    parents[joints[next]] = joints[nearest[next]];
    for (std::size_t i = 0; i < count; ++i)
      if (!joined[i] && cost(next, i) < cost(nearest[i], i)) nearest[i] = next;
  }
  return parents;
}

}  // namespace supple
