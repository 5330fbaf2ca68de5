// What is decided about the scans of a project, item by item, and who decided it.
#pragma once

#include <initializer_list>
#include <optional>

#include "supple/workflow/study/project.h"

namespace supple::workflow {

/// What an item's "decided" says where a person decided.
inline constexpr const char* hand_mark = "by hand";

/// Items are "thresholds" > scan, "pieces", "bones" > bone, "alignment" > scan > bone, "joints" > bone, "features" >
/// scan. An item that differs from what the program last wrote, or that it never wrote, was set by hand and holds from
/// then on; it is marked so, and taking it away lets the program decide again.
class Decisions {
 public:
  Decisions(Project& project, Json remembered);

  using Path = std::vector<std::string>;
  /// What was set by hand.
  std::optional<Json> by_hand(const Path& path);
  /// What the program found. Items set by hand stay, but for the members that are `measured`: they tell how well the
  /// item, whoever decided it, agrees with the scans.
  void decide(const Path& path, Json value, std::initializer_list<const char*> measured = {});
  /// How sure it is, beside whatever was decided and by whomever: members "confidence", "why" and those of kinds of
  /// joints, which do not tell who decided. An item of such members alone is nobody's decision.
  void state(const Path& path, const Json& measured);
  /// What the program last wrote, to be kept beside the results.
  const Json& remembered() const { return remembered_; }

 private:
  Project* project_;
  Json remembered_;
};

/// Null is as good as nothing: a member that somebody emptied was not given.
Json without_nulls(const Json& object);

/// Whatever the order of members, which editors sort, and however sure they are.
bool same_decision(const Json& a, const Json& b);

}  // namespace supple::workflow
