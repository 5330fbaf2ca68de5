#include "cli/simulate/options.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cli/plan_options.h"

namespace supple::cli {
namespace {

/// A finite number above 0; CLI11's own checks let NaN pass and print 300 digits.
const CLI::Validator above_zero(
    [](const std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return *end == '\0' && std::isfinite(value) && value > 0 ? "" : "must be a number above 0, not " + text;
    },
    "");

template <class Enum>
CLI::Option* choice(CLI::App& app, const std::string& name, Enum& value, const std::map<std::string, Enum>& names,
                    const std::string& help) {
  std::string list;
  for (const auto& [text, unused] : names) list += (list.empty() ? "" : "|") + text;
  return app.add_option(name, value, help)
      ->transform(CLI::CheckedTransformer(names, CLI::ignore_case))
      ->type_name(list);
}

void declare_flesh(CLI::App& app, SimulateOptions& o) {
  app.add_option("--size", o.size_mm, "Element size, millimetres")
      ->capture_default_str()
      ->check(above_zero)
      ->type_name("MM");
  app.add_option("--order", o.order,
                 "1: linear elements (T4), 2: quadratic (T10): slower, closer to the truth, and up to --poisson .49")
      ->capture_default_str()
      ->check(CLI::Range(1, 2))
      ->type_name("N");
  app.add_option("--poisson", o.poisson,
                 "Poisson's ratio: the nearer to .5, the better flesh keeps its volume; .47 suits linear elements")
      ->capture_default_str()
      ->type_name("NU");
  app.add_option("--material", o.materials,
                 "YOUNG,POISSON of each region of a volume mesh in turn, such as --material 1,.47 --material 3,.45")
      ->take_all()
      ->type_name("E,NU");
  choice(app, "--law", o.law,
         {{"stable", simulate::Law::stable_neo_hookean}, {"neo-hookean", simulate::Law::neo_hookean}},
         "Stable Neo-Hookean (default), or the engineers' one that refuses inverted elements");
  app.add_option("--mesh", o.volume_file, "Elements from a volume mesher (.msh, .mesh, .vol) instead of our own")
      ->type_name("FILE");
  app.add_option("--mesh-scale", o.volume_scale, "Metres per unit of that file")
      ->capture_default_str()
      ->check(above_zero)
      ->type_name("X");
  app.add_option("--max-elements", o.max_elements, "Refuse element sizes that would make more")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e9))
      ->type_name("N");
}

void declare_body(CLI::App& app, SimulateOptions& o) {
  choice(app, "--bones", o.body.bones,
         {{"auto", simulate::BoneSource::automatic},
          {"surfaces", simulate::BoneSource::surfaces},
          {"capsules", simulate::BoneSource::capsules}},
         "Where the bones come from: surfaces in the file, or capsules fitted to the joints (default: surfaces where "
         "there are any)");
  app.add_option("--part", o.body.skin_part, "The skin, by name (default: the first part bound to joints)")
      ->type_name("NAME");
  app.add_option("--bones-part", o.body.bones_part, "The part whose surfaces are the bones")
      ->capture_default_str()
      ->type_name("NAME");
  app.add_option("--capsule-radius", o.body.capsule_radius, "Of the way from a bone's axis to the skin")
      ->capture_default_str()
      ->check(above_zero)
      ->check(CLI::Range(0.05, 0.95))
      ->type_name("X");
  app.add_option_function<double>(
         "--bone-tolerance", [&o](double mm) { o.body.bone_tolerance = mm / 1000; },
         "Millimetres a bone may stick out of the skin (default 1)")
      ->check(above_zero)
      ->type_name("MM");
  app.add_flag("--close", o.body.close_holes, "Cap holes of the skin; flesh at the caps follows the nearest bone");
}

}  // namespace

void declare(CLI::App& app, SimulateOptions& o) {
  app.add_option("file", o.input, "Rigged character (.glb, .gltf)")->required()->type_name("FILE");
  app.add_option("-o,--output", o.output, "Folder for the example set, the report and the pictures")
      ->required()
      ->type_name("FOLDER");
  choice(
      app, "--deformer", o.deformer,
      {{"tissue", Deformer::tissue}, {"kinodynamic", Deformer::kinodynamic}, {"pose-space", Deformer::pose_space}},
      "Flesh over moving bones (default), the file's volume-keeping flow with its muscles settled, or its pose space "
      "(supple fit --method wpsd makes one)");
  CLI::Option* plan =
      app.add_option("--plan", o.plan_file, "Poses to simulate, from supple plan (default: made from the joint limits)")
          ->type_name("FILE");
  for (CLI::Option* option : declare_plan_options(app, o.plan)) option->excludes(plan);
  declare_flesh(app, o);
  declare_body(app, o);
  app.add_option("--step", o.step_degrees, "Degrees a joint turns at most between two solves")
      ->capture_default_str()
      ->check(above_zero)
      ->check(CLI::Range(0.1, 45.0))
      ->type_name("DEG");
  app.add_option("--tolerance", o.tolerance_mm, "A solve is done when Newton's step is smaller, millimetres")
      ->capture_default_str()
      ->check(above_zero)
      ->type_name("MM");
  choice(app, "--solver", o.solver,
         {{"cholesky", FleshSolver::cholesky}, {"cholmod", FleshSolver::cholmod}, {"calculix", FleshSolver::calculix}},
         "Our own sparse solver (default), CHOLMOD where built with it, or the program ccx as an independent check");
  choice(app, "--engine", o.engine, {{"local", Engine::local}, {"slurm", Engine::slurm}},
         "Sweeps run on this machine's cores (default), or as a Slurm job array");
  app.add_option("--slurm-option", o.slurm_options, "Passed on to sbatch, such as --slurm-option=--partition=long")
      ->take_all()
      ->type_name("OPTION");
  app.add_option("--slurm-jobs", o.slurm_jobs, "Jobs at once at most (default: no limit of ours)")->type_name("N");
  app.add_option("--slurm-poll", o.slurm_poll, "Seconds between looks at the queue")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("S");
  app.add_flag("--resume", o.resume, "Go on where a stopped simulation was; finished poses are kept");
  app.add_flag("--force", o.force, "Start again in a folder that holds an earlier result")->excludes("--resume");
  app.add_flag("--dry-run", o.dry_run, "Mesh the body, say what would be done, and stop");
  app.add_flag("--no-pictures", o.no_pictures, "No sheet of the poses");
  app.add_option("--task", o.task, "Simulate this sweep only, by number, and leave the rest to others")
      ->group("")
      ->type_name("N");
  for (const char* name : {"--size",           "--order",          "--poisson",      "--material",   "--law",
                           "--mesh",           "--mesh-scale",     "--max-elements", "--bones",      "--bones-part",
                           "--capsule-radius", "--bone-tolerance", "--close",        "--step",       "--tolerance",
                           "--solver",         "--engine",         "--slurm-option", "--slurm-jobs", "--slurm-poll",
                           "--resume",         "--dry-run",        "--task"})
    o.tissue_only.push_back(app.get_option(name));
}

Result<std::vector<simulate::Material>> materials_of(const SimulateOptions& o) {
  std::vector<simulate::Material> materials;
  for (const std::string& text : o.materials) {
    simulate::Material m;
    m.law = o.law;
    const char* comma = std::strchr(text.c_str(), ',');
    char *end_of_young = nullptr, *end_of_poisson = nullptr;
    m.young = std::strtod(text.c_str(), &end_of_young);
    if (comma != nullptr) m.poisson = std::strtod(comma + 1, &end_of_poisson);
    if (comma == nullptr || end_of_young != comma || end_of_poisson == comma + 1 || *end_of_poisson != '\0')
      return Error{"--material " + text, "is not two numbers", "write YOUNG,POISSON, such as 1,.47"};
    materials.push_back(m);
  }
  if (materials.empty()) materials.push_back({1, o.poisson, o.law});
  return materials;
}

}  // namespace supple::cli
