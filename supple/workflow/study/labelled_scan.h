// Scans that come with labels: read, their names understood, made surfaces of.
#pragma once

#include <set>

#include "supple/author/scan/align.h"
#include "supple/author/scan/label_names.h"
#include "supple/workflow/study/project.h"

namespace supple::workflow {

/// What names of labels are about, and how their surfaces are drawn.
struct LabelledHand {
  const BoneTemplate& skeleton;
  bool right = true;
  double blur = 0.8;        // samples
  bool refine = true;       // see LabelledOptions
  double smallest = 60e-9;  // cubic metres
};

struct UsedLabels {
  LabelMap map;
  std::vector<scan::LabelMeaning> meanings;  // #labels
  std::vector<scan::LabelUse> uses() const;
};

/// What a label is called: what the table says of its name or number, else its own name.
std::string called(const Label& label, const std::map<std::string, std::string>& names);

/// Reads labels and understands their names. Labels that are not understood are told as a warning; the error tells a
/// table that names what is no bone, and labels none of which is understood.
Result<UsedLabels> read_used_labels(const std::filesystem::path& file, const std::map<std::string, std::string>& names,
                                    const LabelledHand& hand, Work& work);

Result<scan::Surfaces> surfaces_of_labels(const ScanEntry& entry, const scan::ExtractOptions& options,
                                          const LabelledHand& hand, Work& work);
Result<scan::Parts> parts_of_labels(const ScanEntry& entry, double smallest, const LabelledHand& hand, Work& work);

/// What labels say against what shapes and places of the bones say, but for pieces that people gave. Pieces of a group
/// that were named as none of its bones are warned of, and so are names that do not fit; two that are exchanged are an
/// error.
Result<void> doubt_names(const scan::Parts& parts, const BoneTemplate& skeleton, const scan::Naming& naming,
                         const std::set<std::uint32_t>& by_hand, Warnings& warnings);
/// A bone of the base that was found where a scan's labels have another one.
struct LabelMismatch {
  std::uint32_t bone = 0, label = 0;  // places in the list of bones
};
std::vector<LabelMismatch> labels_elsewhere(const scan::Surfaces& surfaces, std::span<const scan::ScanBone> bones,
                                            const scan::Alignment& found);
/// Warns of them.
void doubt_labels(const scan::Surfaces& surfaces, std::span<const scan::ScanBone> bones, const scan::Alignment& found,
                  Warnings& warnings);

}  // namespace supple::workflow
