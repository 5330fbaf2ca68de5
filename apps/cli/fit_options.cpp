#include "cli/fit_options.h"

#include "supple/files/engines.h"

namespace supple::cli {

void declare_fit_options(Command& app, FitCommand& o) {
  app.option("model", o.model, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("--examples", o.examples, "Folder of examples: supple simulate or supple examples import make one")
      .required()
      .type("FOLDER");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE").writes_character();
  app.option("--part", o.part, "Part, mesh or node to fit (default: all that the examples show)").type("NAME");
  app.option("--report", o.report, "Write a report with pictures, one HTML file").type("FILE");
  app.flag("--no-pictures", o.no_pictures, "Leave the pictures out of the report");

  app.choice<FitMethod>(
      "--method", o.method,
      "kernel: few local modes driven by all joints together, from any mixture of examples; eigenskin-2002: modes of "
      "each joint by itself, as the paper; psd: the examples themselves, mixed by the pose; wpsd: mixed for each "
      "vertex "
      "by the joints it feels, live in supple and its studio, psd everywhere else; default kernel",
      {{"kernel", FitMethod::kernel},
       {"eigenskin-2002", FitMethod::eigenskin},
       {"psd", FitMethod::psd},
       {"wpsd", FitMethod::wpsd}});

  const std::string size =
      "How much to keep (default: as much as lowers the error of examples left out, within the budget)";
  app.option("--modes", o.modes, "Of eigenskin-2002: the same number of modes for every joint")
      .range(1, 12)
      .group(size)
      .type("N");
  app.option("--error", o.error, "As few modes as leave this share of linear blend's error on the training examples")
      .range(0.0, 1.0)
      .group(size)
      .type("X");
  app.option("--budget", o.budget, "Modes that may move one vertex (default 10)").range(1, 64).group(size).type("N");
  app.option("--targets", o.targets, "Morph targets in all").range(1, 4096).group(size).type("N");
  app.option(
         "--details", o.details,
         "Morph targets of their own for the N examples that modes miss most, which are then hit exactly, as examples "
         "with the tag 'exact' always are")
      .range(0, 1000)
      .show_default()
      .group(size)
      .type("N");
  app.option("--detail-reach", o.detail_reach_degrees, "Degrees, all joints together, over which such a detail fades")
      .range(1.0, 360.0)
      .show_default()
      .group(size)
      .type("DEG");
  std::vector<std::string> names{"generic"};
  std::string limits;
  for (const Engine& e : engines()) {
    names.emplace_back(e.option);
    limits += (limits.empty() ? "" : "; ") + std::string(e.option) + ": " + limits_text(e);
  }
  app.choice(
         "--for-engine", names, [&o, names](std::size_t place) { o.engine = names[place]; },
         "Stay within the limits of an engine (default generic: none). " + limits)
      .group(size)
      .formerly("--target");

  const std::string method = "Method kernel and eigenskin-2002", paper = "Method eigenskin-2002";
  app.choice<learn::NormalModes>(
      "--normals", o.learn.normals,
      "Normals: shared with positions, own modes (eigenskin-2002 only), or none; default shared",
      {{"own", learn::NormalModes::own}, {"shared", learn::NormalModes::shared}, {"none", learn::NormalModes::none}});
  app.choice<learn::Allocation>(
      "--allocation", o.learn.allocation,
      "Who gets modes: faded (largest gain first; crowded vertices keep their strongest), greedy (largest "
      "gain that fits every vertex), equal (the paper); default faded",
      {{"faded", learn::Allocation::faded},
       {"greedy", learn::Allocation::greedy},
       {"equal", learn::Allocation::equal}});
  app.choice<RbfKernel>("--kernel", o.learn.kernel, "Radial basis function; default exponential",
                        {{"exponential", RbfKernel::exponential},
                         {"gaussian", RbfKernel::gaussian},
                         {"linear", RbfKernel::linear},
                         {"cubic", RbfKernel::cubic}});
  app.option("--radius", o.learn.radius_factor, "Radius of the kernel in distances between neighbouring examples")
      .range(0.1, 1000.0)
      .show_default()
      .type("X");
  app.option("--support", o.learn.support.threshold, "Displacements below this share of a joint's largest are left out")
      .range(1e-4, 0.5)
      .show_default()
      .type("X");
  app.flag("--hard-support", o.learn.support.hard, "Cut supports off there, as the paper does (it used 0.04)");
  app.flag("--swing-twist", o.learn.swing_twist, "Take twist about the bone and swing apart in distances of poses");
  app.flag(
      "--no-coupling", [&o] { o.learn.coupling = false; }, "Learn nothing of what joints do together, each by itself");
  app.flag("--refine-weights", o.refine_weights,
           "Fit the skin weights to the examples first, where that brings linear blend nearer to them");
  for (const char* name : {"--normals", "--no-coupling", "--refine-weights"}) app.get(name).group(method);
  for (const char* name : {"--allocation", "--kernel", "--radius", "--support", "--hard-support", "--swing-twist"})
    app.get(name).group(paper);

  const std::string mixing = "Method psd and wpsd";
  app.choice<JointInfluence>("--influence", o.influence,
                             "What a joint counts for a vertex: subtree (how much it bends the skin there) or weights "
                             "(its skin weight: the paper); default subtree",
                             {{"subtree", JointInfluence::subtree}, {"weights", JointInfluence::weights}});
  app.option("--pose-radius", o.pose_radius,
             "How far an example reaches in the space of poses, degrees (default 300; psd, which adds up all "
             "joints, 900)")
      .range(1.0, 1e5)
      .type("DEG");
  for (const char* name : {"--influence", "--pose-radius"}) app.get(name).group(mixing);

  const std::string file = "What the file holds";
  app.option("--pose", o.poses, "Also a still clip NAME in a pose: NAME=JOINT.DOF=ANGLE,... or NAME=FILE.json")
      .one_each()
      .group(file)
      .type("POSE");
  app.choice<bool>("--weights", o.signed_weights,
                   "Morph weights: unit ([0, 1], since some importers clamp) or signed; default unit",
                   {{"unit", false}, {"signed", true}});
  app.get("--weights").group(file);

  app.mark_advanced({"--modes", "--details", "--detail-reach", "--normals", "--allocation", "--kernel", "--radius",
                     "--support", "--hard-support", "--swing-twist", "--no-coupling", "--influence", "--pose-radius",
                     "--weights", "--pose", "--no-pictures"});

  for (const char* name : {"--error", "--budget", "--targets", "--normals", "--no-coupling", "--weights"})
    o.modes_only.push_back(app.get(name));
  for (const char* name :
       {"--modes", "--allocation", "--kernel", "--radius", "--support", "--hard-support", "--swing-twist"})
    o.eigenskin_only.push_back(app.get(name));
  for (const char* name : {"--details", "--detail-reach"}) o.kernel_only.push_back(app.get(name));
  o.weighted_only.push_back(app.get("--influence"));
  o.pose_space_only.push_back(app.get("--pose-radius"));
}

Result<void> check_method(const FitCommand& o) {
  const auto refuse = [](const std::vector<Option>& options, const char* owner) -> Result<void> {
    for (const Option& option : options)
      if (option.given())
        return Error{option.name(), std::string("belongs to ") + owner, "leave it out, or choose that method"};
    return {};
  };
  if (o.method != FitMethod::eigenskin)
    if (auto ok = refuse(o.eigenskin_only, "--method eigenskin-2002"); !ok) return ok;
  if (o.method != FitMethod::kernel)
    if (auto ok = refuse(o.kernel_only, "--method kernel"); !ok) return ok;
  if (o.method == FitMethod::kernel && o.learn.normals == learn::NormalModes::own)
    return Error{"--normals own", "belongs to --method eigenskin-2002", "leave it out, or choose that method"};
  if (!o.is_of_modes())
    if (auto ok = refuse(o.modes_only, "--method kernel and --method eigenskin-2002"); !ok) return ok;
  if (o.method != FitMethod::wpsd)
    if (auto ok = refuse(o.weighted_only, "--method wpsd"); !ok) return ok;
  return o.is_of_modes() ? refuse(o.pose_space_only, "--method psd and --method wpsd") : Result<void>();
}

}  // namespace supple::cli
