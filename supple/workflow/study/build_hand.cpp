#include "supple/workflow/study/build_hand.h"

#include <filesystem>

#include "supple/author/bake/bake_drivers.h"
#include "supple/base/file.h"
#include "supple/files/example_set_file.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/study/report.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

/// The examples of a character as the file has it, where every node is a joint.
Result<void> write_examples(const fs::path& folder, const ExampleSet& set, const Character& character) {
  auto writer = ExampleWriter::create(folder, subject_of(character, 0, set.origin));
  if (!writer) return writer.error();
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Pose scanned = set.pose(i);
    Pose pose = character.rest();
    for (JointIndex j = 0; j < set.skeleton.size(); ++j)
      pose.local[*character.skeleton.find(set.skeleton.name(j))] = scanned.local[j];
    if (auto ok = writer->add(set.examples[i], pose, set.positions_of(i), set.normals_of(i)); !ok) return ok;
  }
  return writer->finish();
}

/// Before minutes of work, not after them.
Result<void> check_outputs(const BuildHandOptions& o) {
  const std::string extension = fs::path(o.output).extension().string();
  if (extension != ".glb" && extension != ".gltf")
    return Error{o.output, "is not a name of a glTF file", "let it end in .glb or .gltf"};
  for (const std::string& path : {o.output, o.report, o.examples, o.review}) {
    const fs::path above = fs::path(path).parent_path();
    std::error_code failed;
    if (!above.empty() && !fs::is_directory(above, failed))
      return Error{path, "cannot be written: " + above.string() + " is no folder", "make it first"};
  }
  return {};
}

}  // namespace

Result<BuiltHand> build_hand(const BuildHandOptions& o, Work& work) {
  const RunClock clock;
  if (auto usable = check_outputs(o); !usable) return usable.error();
  auto project = read_project(o.project);
  if (!project) return project.error();
  auto chain = run_chain(std::move(*project), work);
  if (!chain) return chain.error();
  auto judged = judge(**chain, work);
  if (!judged) return judged.error();
  Character& character = judged->characters[static_cast<std::size_t>(o.method)];
  bake_drivers(character);
  auto model = to_model(character);
  if (!model) return model.error();
  if (!o.examples.empty())
    if (auto ok = write_examples(o.examples, (*chain)->assembled.examples, model->character()); !ok) return ok.error();
  if (auto ok = save_model(o.output, *model, work); !ok) return ok.error();
  Json facts = scan_json(**chain, *judged, analyse_joints(**chain), work.warnings);
  facts["file"] = o.output;
  if (!o.report.empty()) {
    auto page = scan_html(**chain, *judged, facts, o.pictures, clock, work);
    if (!page) return page.error();
    if (auto ok = write_file(o.report, *page); !ok) return ok.error();
  }
  if (!o.review.empty())
    if (auto ok = write_file(o.review, review_csv((*chain)->review)); !ok) return ok.error();
  const double seconds = clock.seconds();
  facts["seconds"] = seconds;
  facts["processor_seconds"] = clock.processor_seconds();
  facts["memory_mb"] = memory_used_mb();
  return BuiltHand{std::move(*chain), std::move(*judged), std::move(facts), seconds};
}

}  // namespace supple::workflow
