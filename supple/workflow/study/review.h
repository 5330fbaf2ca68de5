// Every decision of a scan project with how sure it is, in the order in which a person should look at them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "supple/base/vec.h"
#include "supple/files/json.h"
#include "supple/workflow/study/confidence.h"

namespace supple::workflow {

struct Chain;

/// What was decided, in the order in which decisions rest on each other.
enum class Decided : std::uint8_t {
  size,
  threshold,
  side,
  pieces,
  name,
  scan,
  alignment,
  landmark,
  centre,
  kind,
  feature,
  fit
};
const char* key_of(Decided decided);  // "centre"

struct ReviewItem {
  Decided decided = Decided::scan;
  std::string scan;  // name of the scan; empty: of all
  std::string item;  // bone, joint or feature; empty: the whole
  Confidence confidence{};
  std::vector<std::string> field;  // of "decisions" in the project file: where it can be changed; empty: not there
  std::string remedy;              // what to do, or to set there
  std::size_t scan_number = 0;     // place in Chain::scans, for pictures; and what they show:
  std::optional<std::uint32_t> bone{};
  std::optional<Vec3d> place{};  // metres, in that scan

  bool inherited = false;  // as little sure as the name of its bone, which is what to look at

  bool to_look_at() const { return confidence.value < look_below && !inherited; }
  /// "decisions.alignment.grasp.wrist"
  std::string field_text() const;
  /// "alignment of wrist in grasp"
  std::string title() const;
};

/// All decisions of a chain whose stages are done. First come those that can hardly be believed (below 0.2), then those
/// that should be looked at (below 0.5), among both what others rest on first; then the rest, least sure first.
std::vector<ReviewItem> review_of(const Chain& chain);

/// For programs: all items, and how many are to be looked at.
Json review_json(const std::vector<ReviewItem>& items);
/// One line for each item, in their order.
std::string review_csv(const std::vector<ReviewItem>& items);
/// For people at a terminal: what to look at first, and how to mend it.
std::string review_text(const std::vector<ReviewItem>& items);

}  // namespace supple::workflow
