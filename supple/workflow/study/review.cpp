#include "supple/workflow/study/review.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "supple/workflow/study/biomechanics/csv.h"
#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/decisions.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

constexpr double hardly_believed = 0.2;
constexpr std::size_t most_printed = 8;

/// 0: hardly to be believed; 1: to be looked at; 2: neither.
int urgency(const ReviewItem& item) { return !item.to_look_at() ? 2 : item.confidence.value < hardly_believed ? 0 : 1; }

bool comes_before(const ReviewItem& a, const ReviewItem& b) {
  const int need_a = urgency(a), need_b = urgency(b);
  if (need_a != need_b) return need_a < need_b;
  if (need_a == 2) return a.confidence.value < b.confidence.value;
  return std::tuple(a.decided, a.confidence.value) < std::tuple(b.decided, b.confidence.value);
}

/// A bone that fits well under a wrong name is wrong all the same.
void inherit_from_names(const Chain& chain, ReviewItems& items) {
  std::vector<Confidence> names(chain.bones.size());
  for (const ReviewItem& item : items)
    if (item.decided == Decided::name && item.bone) names[*item.bone] = item.confidence;
  for (ReviewItem& item : items) {
    if (item.decided <= Decided::name || !item.bone) continue;
    const Confidence& name = names[*item.bone];
    if (name.value >= look_below || name.value >= item.confidence.value) continue;
    item.confidence = {name.value, "the name of its bone is not sure: " + name.why};
    item.inherited = true;
  }
}

std::size_t count_to_look_at(const ReviewItems& items) {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const ReviewItem& item) { return item.to_look_at(); }));
}

}  // namespace

const char* key_of(Decided decided) {
  constexpr std::array<const char*, 12> keys{"size",      "threshold", "side",   "pieces", "name",    "scan",
                                             "alignment", "landmark",  "centre", "kind",   "feature", "fit"};
  return keys[static_cast<std::size_t>(decided)];
}

std::string ReviewItem::field_text() const {
  if (field.empty()) return "";
  std::string text = "decisions";
  for (const std::string& name : field) text += "." + name;
  return text;
}

std::string ReviewItem::title() const {
  constexpr std::array<const char*, 12> words{"size",         "thresholds",      "side of the hand", "pieces of bone",
                                              "name",         "scan as a whole", "alignment",        "landmark",
                                              "joint centre", "kind of joint",   "feature",          "fitted skin"};
  std::string text = words[static_cast<std::size_t>(decided)];
  if (!item.empty()) text += " of " + item;
  if (!scan.empty()) text += " in " + scan;
  return text;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double usual_residual(std::span<const scan::BoneFit> bones) {
  std::vector<double> residuals;
  for (const scan::BoneFit& fit : bones)
    if (fit.found) residuals.push_back(fit.residual);
  return median_of(std::move(residuals));
}

bool is_by_hand(const Chain& chain, const std::vector<std::string>& path) {
  const Json* at = chain.project.document.find("decisions");
  for (const std::string& name : path) at = at != nullptr && at->is_object() ? at->find(name) : nullptr;
  const Json* decided = at != nullptr && at->is_object() ? at->find("decided") : nullptr;
  return decided != nullptr && *decided == hand_mark;
}

std::vector<ReviewItem> review_of(const Chain& chain) {
  ReviewItems items;
  for (const auto review :
       {review_sizes, review_thresholds, review_side, review_pieces, review_names, review_scans, review_alignment,
        review_landmarks, review_centres, review_kinds, review_features, review_fits})
    review(chain, items);
  inherit_from_names(chain, items);
  std::stable_sort(items.begin(), items.end(), comes_before);
  return items;
}

Json review_json(const ReviewItems& items) {
  Json list = Json::array();
  for (const ReviewItem& item : items) {
    Json json = {{"decided", key_of(item.decided)},
                 {"title", item.title()},
                 {"confidence", rounded(item.confidence.value)},
                 {"look", item.to_look_at()},
                 {"why", item.confidence.why}};
    if (!item.scan.empty()) json["scan"] = item.scan;
    if (!item.item.empty()) json["item"] = item.item;
    if (!item.field.empty()) json["field"] = item.field_text();
    json["remedy"] = item.remedy;
    list.push_back(std::move(json));
  }
  return {{"look_below", look_below}, {"to_look_at", count_to_look_at(items)}, {"items", std::move(list)}};
}

std::string review_csv(const ReviewItems& items) {
  CsvTable table({"decided", "scan", "item", "confidence", "look", "why", "field", "remedy"});
  for (const ReviewItem& item : items) {
    table.add(key_of(item.decided)).add(item.scan).add(item.item).add(rounded(item.confidence.value));
    table.add(item.to_look_at()).add(item.confidence.why).add(item.field_text()).add(item.remedy).end_row();
  }
  return table.text();
}

std::string review_text(const ReviewItems& items) {
  const std::size_t count = count_to_look_at(items);
  if (count == 0) {
    const std::string least =
        items.empty() ? "" : fmt::format(", the least sure {:.2f}, {}", items[0].confidence.value, items[0].title());
    return fmt::format("Nothing needs a look: {} decisions{}.\n", items.size(), least);
  }
  std::string text = fmt::format("To look at first, {} of {} decisions:\n", count, items.size());
  for (std::size_t i = 0; i < std::min(count, most_printed); ++i) {
    const ReviewItem& item = items[i];
    text += fmt::format("  {:.2f}  {}: {}\n        {}{}\n", item.confidence.value, item.title(), item.confidence.why,
                        item.field.empty() ? "" : item.field_text() + ": ", item.remedy);
  }
  return count > most_printed ? text + fmt::format("  and {} more\n", count - most_printed) : text;
}

}  // namespace supple::workflow
