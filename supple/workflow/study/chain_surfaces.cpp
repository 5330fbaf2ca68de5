#include "supple/workflow/study/chain_runner.h"

#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/fields.h"

namespace supple::workflow {

Result<void> ChainRunner::surfaces() {
  const Project& project = chain_.project;
  for (const ScanEntry& entry : project.scans) {
    const Decisions::Path place{"thresholds", entry.name};
    scan::ExtractOptions options;
    options.bone_blur = project.bone_blur;
    options.skin_blur = project.skin_blur;
    const auto given = decisions_.by_hand(place);
    options.bone = number_in(given, "bone");
    options.skin = number_in(given, "skin");
    const std::uint64_t key = Key()
                                  .add(source_fingerprint(entry, project.file.parent_path()))
                                  .add(options.bone)
                                  .add(options.skin)
                                  .add(project.bone_blur)
                                  .add(project.skin_blur)
                                  .add(entry.labels.empty() ? 0 : project.label_blur)
                                  .add(entry.labels.empty() ? 0 : project.smallest_mm3)
                                  .add(entry.labels.empty() || project.right)
                                  .add(entry.labels.empty() || project.refine_labels)
                                  .value();
    auto made = stages_.run<scan::Surfaces>("surfaces of " + entry.name, key,
                                            [&] { return surfaces_of(entry, options, labelled_hand(), work_); });
    if (!made) return made.error();
    if (!entry.volume.empty() && entry.labels.empty()) {
      decisions_.decide(place, {{"bone", rounded(made->thresholds.bone)}, {"skin", rounded(made->thresholds.skin)}});
    } else if (made->thresholds.skin != 0) {
      decisions_.decide(place, {{"skin", rounded(made->thresholds.skin)}});
    }
    ScanWork work;
    work.entry = &entry;
    work.surfaces = std::move(*made);
    chain_.scans.push_back(std::move(work));
    surface_keys_.push_back(key);
  }
  return {};
}

Result<void> ChainRunner::pieces() {
  const Decisions::Path place{"pieces"};
  const auto given = decisions_.by_hand(place);
  scan::PartOptions options;
  options.iso = chain_.scans[0].surfaces.thresholds.bone;
  options.blur = chain_.project.bone_blur;
  options.smallest = chain_.project.smallest_mm3 * 1e-9;
  options.marker = number_in(given, "marker");
  parts_key_ = Key().add(surface_keys_[0]).add(options.marker).add(options.smallest).value();
  auto made = stages_.run<scan::Parts>("pieces of bone", parts_key_, [&] {
    auto parts = parts_of(base(), options, labelled_hand(), work_);
    // Surfaces that somebody made and labels are bones because they say so.
    if (parts && !base().volume.empty() && base().labels.empty())
      scan::drop_outside(*parts, chain_.scans[0].surfaces.skin, &work_.warnings);
    return parts;
  });
  if (!made) return made.error();
  chain_.parts = std::move(*made);
  decisions_.decide(place, pieces_json(chain_.parts), {"dropped", "found"});
  return {};
}

}  // namespace supple::workflow
