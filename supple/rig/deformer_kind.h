// What shapes a character's skin besides weights and morph targets, seen as one kind of thing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "supple/base/result.h"

namespace supple {

struct Character;
class Fields;

/// Morph weights that one item of a deformer moves, and nobody else may.
struct MovedWeights {
  std::string item;  // as errors name it: driver 0 'elbow'
  std::uint32_t first = 0, count = 0;
  std::vector<float> at_rest{};  // #count: what it makes of them where nothing is bent; empty: all are 0
};

/// A kind of deformer, as functions of the character that carries it. deformers() lists them all: whoever checks,
/// reads, writes, counts, takes out or describes deformers goes through that list and knows none by its name.
struct DeformerKind {
  const char* name;    // as people say it: drivers
  const char* member;  // of the extension SUPPLE_deformers
  /// Tells its fields, which are a member of that name; see fields.h. Readers may count on the kinds before it.
  void (*describe)(Fields&, Character&);
  const char* elsewhere;  // what viewers show that do not know it
  /// Examples show the skin with it: a skin that is learnt from them takes its place.
  bool learnt = false;
  /// Where a skin can be learnt from it, as an option names it; null where not.
  const char* teacher = nullptr;
  const char* made_by = nullptr;  // the command that gives a file one
  /// Gives a part one with usual values, where that is possible without being told more.
  void (*add_usual)(Character&, std::uint32_t part) = nullptr;
  /// How many items it has; 0: the character has none of this kind.
  std::size_t (*count)(const Character&);
  /// What it consists of and how large that is, in a line.
  std::string (*summary)(const Character&);
  /// Its own data; that no two move one morph weight is checked for all kinds together.
  Result<void> (*check)(const Character&);
  void (*clear)(Character&);
  /// Null where the kind moves no morph weights.
  std::vector<MovedWeights> (*moved)(const Character&) = nullptr;
  /// Morph weight w of the character is now place[w].
  void (*renumber)(Character&, std::span<const std::uint32_t> place) = nullptr;
};

}  // namespace supple
