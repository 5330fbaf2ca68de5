#include "supple/workflow/study/labelled_scan.h"

#include <algorithm>

#include "supple/base/text.h"
#include "supple/imaging/label_file.h"
#include "supple/imaging/volume_file.h"

namespace supple::workflow {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

/// Names that are worth comparing a mistyped one with.
std::vector<std::string> known_names(const BoneTemplate& skeleton) {
  std::vector<std::string> names{"skin", "radius", "ulna", "carpal", "metacarpals", "phalanges"};
  for (const TemplateBone& bone : skeleton.bones) names.push_back(bone.joint);
  return names;
}

scan::LabelledOptions labelled_options(const LabelledHand& hand, double smallest) {
  scan::LabelledOptions options;
  options.blur = hand.blur;
  options.refine = hand.refine;
  options.smallest = smallest;
  return options;
}

/// That the labels were drawn over; none where only they are given.
Result<std::optional<Volume>> image_of(const ScanEntry& entry, Work& work) {
  if (entry.volume.empty()) return std::optional<Volume>();
  auto read = imaging::read_volume(entry.volume, entry.series, &work.warnings, work.progress);
  if (!read) return read.error();
  return std::optional<Volume>(std::move(*read));
}

}  // namespace

std::vector<scan::LabelUse> UsedLabels::uses() const {
  std::vector<scan::LabelUse> result;
  for (const scan::LabelMeaning& meaning : meanings) result.push_back(meaning.use);
  return result;
}

std::string called(const Label& label, const std::map<std::string, std::string>& names) {
  if (const auto by_name = names.find(label.name); !label.name.empty() && by_name != names.end())
    return by_name->second;
  const auto by_number = names.find(std::to_string(label.value));
  return by_number == names.end() ? label.name : by_number->second;
}

Result<UsedLabels> read_used_labels(const std::filesystem::path& file, const std::map<std::string, std::string>& names,
                                    const LabelledHand& hand, Work& work) {
  const std::vector<std::string> known = known_names(hand.skeleton);
  for (const auto& [label, name] : names) {
    if (name.empty() || scan::meaning_of(name, hand.skeleton, hand.right).kind != scan::NameKind::unknown) continue;
    const std::string suggestion = did_you_mean(name, known);
    return Error{"label_names", "calls label '" + label + "' '" + name + "', which is nothing of a hand",
                 suggestion.empty() ? "names are: " + list_of(known) + "; \"\" leaves a label out" : suggestion};
  }
  auto map = imaging::read_labels(file, &work.warnings, work.progress);
  if (!map) return map.error();
  UsedLabels result{std::move(*map), {}};
  std::vector<std::string> unknown;
  bool any = false;
  for (const Label& label : result.map.labels) {
    const std::string name = called(label, names);
    result.meanings.push_back(scan::meaning_of(name, hand.skeleton, hand.right));
    scan::LabelMeaning& meaning = result.meanings.back();
    const bool left_out = name.empty() && (!label.name.empty() || names.count(std::to_string(label.value)) > 0);
    if (left_out) meaning.kind = scan::NameKind::ignored;
    any = any || !meaning.use.bones.empty();
    if (meaning.kind != scan::NameKind::unknown) continue;
    const std::string meant = nearest_name(name, known);
    unknown.push_back(label.title() + (meant.empty() ? "" : " (did you mean " + meant + "?)"));
  }
  const std::string remedy =
      "say what they are under label_names in the project: \"label_names\": {\"7\": \"radius\", \"Segment_3\": \"\"}";
  if (!any && !unknown.empty())
    return Error{file.string(), "has no label whose name is that of a bone: " + list_of(unknown), remedy};
  if (!any) return Error{file.string(), "has no label of a bone", remedy};
  if (!unknown.empty())
    work.warnings.push_back(file.string() + ": not used, as their names are of nothing in a hand: " + list_of(unknown) +
                            "; " + remedy);
  return result;
}

Result<scan::Surfaces> surfaces_of_labels(const ScanEntry& entry, const scan::ExtractOptions& options,
                                          const LabelledHand& hand, Work& work) {
  auto labels = read_used_labels(entry.labels, entry.label_names, hand, work);
  if (!labels) return labels.error();
  const auto image = image_of(entry, work);
  if (!image) return image.error();
  scan::LabelledOptions drawing = labelled_options(hand, hand.smallest);
  drawing.skin = options.skin;
  drawing.skin_blur = options.skin_blur;
  return scan::labelled_surfaces(labels->map, labels->uses(), *image ? &**image : nullptr, drawing, &work.warnings,
                                 work.progress);
}

Result<scan::Parts> parts_of_labels(const ScanEntry& entry, double smallest, const LabelledHand& hand, Work& work) {
  auto labels = read_used_labels(entry.labels, entry.label_names, hand, work);
  if (!labels) return labels.error();
  const auto image = image_of(entry, work);
  if (!image) return image.error();
  return scan::labelled_bones(labels->map, labels->uses(), *image ? &**image : nullptr,
                              labelled_options(hand, smallest), &work.warnings, work.progress);
}

}  // namespace supple::workflow
