#include "cli/simulate_options.h"

#include <fmt/core.h>

#include "cli/plan_options.h"

namespace supple::cli {
namespace {

void declare_adaptive(Command& app, SimulateOptions& o) {
  const Option adaptive =
      app.option("--adaptive", o.adaptive,
                 "After the plan, so many more training poses, chosen in batches where a skin of all examples so far "
                 "would learn most; the file's clips count as much as all other poses")
          .range(1, 100000)
          .type("N");
  app.option("--batch", o.batch, "Poses to choose at once").show_default().range(1, 10000).needs(adaptive).type("N");
  app.option("--enough-error", o.enough_error,
             "Stop when examples of several joints, left out, come out at this share of linear blend's error")
      .range(0.0, 1.0)
      .needs(adaptive)
      .type("X");
  app.option("--enough-minutes", o.enough_minutes, "Begin no batch after so many minutes")
      .positive()
      .needs(adaptive)
      .type("N");
}

void declare_flesh(Command& app, SimulateOptions& o) {
  o.unit = 0;  // as the file says
  app.option("--size", o.size_mm, "Element size, millimetres").show_default().positive().type("MM");
  app.option("--order", o.order,
             "1: linear elements (T4), 2: quadratic (T10): slower, closer to the truth, and up to --poisson .49")
      .show_default()
      .range(1, 2)
      .type("N");
  app.option("--poisson", o.poisson,
             "Poisson's ratio: the nearer to .5, the better flesh keeps its volume; .47 suits linear elements")
      .show_default()
      .type("NU");
  app.option("--material", o.materials,
             "YOUNG,POISSON of each region of a volume mesh in turn, such as --material 1,.47 --material 3,.45")
      .type("E,NU");
  app.choice<simulate::Law>(
      "--law", o.law, "Stable Neo-Hookean (default), or the engineers' one that refuses inverted elements",
      {{"stable", simulate::Law::stable_neo_hookean}, {"neo-hookean", simulate::Law::neo_hookean}});
  app.option("--mesh", o.volume_file, "Elements from a volume mesher (.msh, .mesh, .vol) instead of our own")
      .type("FILE");
  app.option("--mesh-scale", o.volume_scale, "Metres per unit of that file").show_default().positive().type("X");
  app.option("--max-elements", o.max_elements, "Refuse element sizes that would make more")
      .show_default()
      .range(1.0, 1e9)
      .type("N");
}

void declare_body(Command& app, SimulateOptions& o) {
  app.choice<simulate::BoneSource>(
      "--bones", o.body.bones,
      "Where the bones come from: surfaces in the file, or capsules fitted to the joints (default: surfaces where "
      "there are any)",
      {{"auto", simulate::BoneSource::automatic},
       {"surfaces", simulate::BoneSource::surfaces},
       {"capsules", simulate::BoneSource::capsules}});
  app.option("--part", o.body.skin_part,
             "Part, mesh or node that is the skin (default: all skin; of flesh the largest that shares borders)")
      .type("NAME");
  app.option("--bones-part", o.body.bones_part, "The part whose surfaces are the bones, for the lattice too")
      .show_default()
      .type("NAME");
  app.option("--capsule-radius", o.body.capsule_radius, "Of the way from a bone's axis to the skin")
      .show_default()
      .positive()
      .range(0.05, 0.95)
      .type("X");
  app.option(
         "--bone-tolerance", [&o](double mm) { o.body.bone_tolerance = mm / 1000; },
         "Millimetres a bone may stick out of the skin (default 1)")
      .positive()
      .type("MM");
  app.option("--held-weight", o.body.held_weight,
             "With capsules: skin that follows one joint by at least this weight stays as it was modelled, with the "
             "flesh below, such as .95; 0 holds bones alone")
      .range(0.0, 1.0)
      .show_default()
      .type("X");
  app.option("--held-margin", o.body.held_margin, "Elements that such flesh keeps away from all other skin")
      .range(0.0, 100.0)
      .show_default()
      .type("N");
  app.flag("--close", o.body.close_holes, "Cap holes of the skin; flesh at the caps follows the nearest bone");
}

}  // namespace

void declare_farm(Command& app, workflow::FarmOptions& o) {
  app.choice<BackEnd>("--back-end", o.back_end,
                      "Poses are simulated on this machine's cores (default), or by a Slurm job array",
                      {{"local", BackEnd::local}, {"slurm", BackEnd::slurm}});
  app.option("--slurm-option", o.slurm_options, "Passed on to sbatch, such as --slurm-option=--partition=long")
      .type("OPTION");
  app.option("--slurm-jobs", o.slurm_jobs, "Jobs at once at most (default: no limit of ours)").type("N");
  app.option("--slurm-poll", o.slurm_poll, "Seconds between looks at the queue")
      .show_default()
      .range(0.1, 3600.0)
      .type("S");
  app.mark_advanced({"--back-end", "--slurm-option", "--slurm-jobs", "--slurm-poll"});
}

std::vector<std::string> words_of_task(const SimulateOptions& o) {
  std::vector<std::string> words{"simulate", o.input, "-o", o.output};
  const auto add = [&](const char* name, const auto& value) {
    words.emplace_back(name);
    words.push_back(fmt::format("{}", value));
  };
  if (!o.body.skin_part.empty()) add("--part", o.body.skin_part);
  if (o.lattice) {
    add("--deformer", "lattice");
    add("--cells", o.cells);
    add("--bones-part", o.body.bones_part);
    if (!o.contact) words.emplace_back("--no-contact");
    return words;
  }
  add("--plan", o.plan_file);
  add("--unit", o.unit);
  add("--size", o.size_mm);
  add("--step", o.step_degrees);
  add("--tolerance", o.tolerance_mm);
  add("--bone-tolerance", o.body.bone_tolerance * 1000);
  add("--held-weight", o.body.held_weight);
  add("--held-margin", o.body.held_margin);
  if (o.body.close_holes) words.emplace_back("--close");
  if (!o.contact) words.emplace_back("--no-contact");
  return words;
}

void declare(Command& app, SimulateCommand& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "Folder for the example set, the report and the pictures")
      .required()
      .type("FOLDER");
  std::vector<std::string> names{"tissue", "lattice"};
  std::vector<const DeformerKind*> kinds{nullptr, nullptr};
  for (const DeformerKind* kind : deformers())
    if (kind->teacher != nullptr) names.emplace_back(kind->teacher), kinds.push_back(kind);
  app.choice(
      "--deformer", names,
      [&o, kinds](std::size_t place) {
        o.deformer = kinds[place];
        o.lattice = place == 1;
      },
      "Finite elements of flesh over moving bones (default), elastic flesh on a lattice, which any rigged character "
      "has, or a deformer of the file that costs more than a plain file may");
  app.option("--cells", o.cells, "With --deformer lattice: cells that fill the skin, about")
      .show_default()
      .range(100, 1000000)
      .type("N");
  const Option plan =
      app.option("--plan", o.plan_file,
                 "Poses to simulate, from supple plan (default: made from the joint limits; with --deformer lattice "
                 "from limits, anatomy and clips, unless another option says which)")
          .type("FILE");
  o.plan_options = declare_plan_options(app, o.plan);
  for (const Option& option : o.plan_options) option.excludes(plan);
  o.plan_options.push_back(plan);
  declare_adaptive(app, o);
  declare_flesh(app, o);
  declare_body(app, o);
  app.flag(
      "--no-contact", [&o] { o.contact = false; }, "Let flesh pass through itself: quicker, and a fist is wrong");
  app.option("--contact-distance", o.contact_distance_mm,
             "Millimetres at which skins begin to push (default: a tenth of the elements' edges)")
      .positive()
      .excludes(app.get("--no-contact"))
      .type("MM");
  app.option("--step", o.step_degrees, "Degrees a joint turns at most between two solves")
      .show_default()
      .positive()
      .range(0.1, 45.0)
      .type("DEG");
  app.option("--tolerance", o.tolerance_mm, "A solve is done when Newton's step is smaller, millimetres")
      .show_default()
      .positive()
      .type("MM");
  app.choice<FleshSolver>(
      "--solver", o.solver,
      "Our own sparse solver (default), CHOLMOD where built with it, or the program ccx as an independent check",
      {{"cholesky", FleshSolver::cholesky}, {"cholmod", FleshSolver::cholmod}, {"calculix", FleshSolver::calculix}});
  declare_farm(app, o.farm);
  app.flag("--resume", o.resume, "Go on where a stopped simulation was; finished poses are kept");
  app.flag("--force", o.force, "Start again in a folder that holds an earlier result").excludes(app.get("--resume"));
  app.flag("--dry-run", o.dry_run, "Mesh the body, say what would be done, and stop");
  app.flag("--no-pictures", o.no_pictures, "No sheet of the poses");
  const Option task = app.option("--task", o.task,
                                 "Simulate this sweep or batch of poses only, by number, and leave the rest to others")
                          .group("")
                          .type("N");
  app.option("--poses", o.poses_file, "With --task and --deformer lattice: a file of the poses, instead of a plan")
      .group("")
      .needs(task)
      .type("FILE");
  app.option("--unit", o.unit, "With --task: metres of one unit of the file").group("").needs(task).type("X");
  app.mark_advanced({"--batch", "--law", "--material", "--mesh", "--mesh-scale", "--max-elements", "--bones-part",
                     "--capsule-radius", "--bone-tolerance", "--held-weight", "--held-margin", "--contact-distance",
                     "--step", "--tolerance", "--solver", "--no-pictures"});
  for (const char* name : {"--size",
                           "--order",
                           "--poisson",
                           "--material",
                           "--law",
                           "--mesh",
                           "--mesh-scale",
                           "--max-elements",
                           "--bones",
                           "--capsule-radius",
                           "--held-weight",
                           "--held-margin",
                           "--bone-tolerance",
                           "--close",
                           "--step",
                           "--tolerance",
                           "--solver",
                           "--dry-run",
                           "--contact-distance",
                           "--adaptive",
                           "--batch",
                           "--enough-error",
                           "--enough-minutes"})
    o.tissue_only.push_back(app.get(name));
  for (const char* name : {"--back-end", "--slurm-option", "--slurm-jobs", "--slurm-poll", "--resume", "--task",
                           "--no-contact", "--bones-part"})
    o.flesh_only.push_back(app.get(name));
}

}  // namespace supple::cli
