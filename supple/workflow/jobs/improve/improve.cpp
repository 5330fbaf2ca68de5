#include "supple/workflow/jobs/improve/improve.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "supple/files/pose_plan_file.h"
#include "supple/measure/volume.h"
#include "supple/rig/append_morphs.h"
#include "supple/workflow/jobs/simulate/simulate.h"
#include "supple/workflow/jobs/simulate/teach.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr double flesh_elements_per_cell = 12;  // tetrahedra that a cube of the element size is cut into, about
constexpr double held_weight = 0.85;            // of one joint: from there on skin moves as it was modelled
constexpr std::size_t trial_poses = 8;          // to find out how flesh is best held
constexpr double most_elements = 3;             // times what the effort wants, where bones are thin
constexpr double most_bad_poses = 1.0 / 3;      // of a simulation, beyond which its flesh is not to be trusted
constexpr double rigid_share = 0.02;            // vertices that follow several joints: fewer are a machine, not flesh
constexpr double worth_it = 0.9;                // of linear blend's error left: more is no improvement to speak of
constexpr double volume_slack = 0.005;          // by which the mean change of volume may grow
const char* const tissue = "tissue";

struct EffortFigures {
  std::size_t poses;
  double elements;
};

EffortFigures figures_of(Effort effort) {
  if (effort == Effort::quick) return {60, 5e3};
  if (effort == Effort::normal) return {200, 13e3};
  return {500, 50e3};
}

/// Part of the way of a long job; stages within it are told by their own names.
Progress part_of_way(const Progress& progress, double from, double to) {
  return [&progress, from, to](std::string_view stage, double fraction) {
    return report(progress, stage, from + (to - from) * fraction);
  };
}

Error in_file_of(const ImproveOptions& o, const Error& error) {
  return {o.input + (error.item.empty() ? "" : ", " + error.item), error.problem, error.remedy};
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directories(folder, failed); failed)
    return Error{folder.string(), "cannot be made: " + failed.message(), "choose another folder"};
  return {};
}

Result<std::size_t> chosen_part(const ImproveOptions& o, const Character& character) {
  if (!o.part.empty()) return find_part(character, o.part);
  std::optional<std::size_t> largest;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (!character.parts[p].skin || character.parts[p].name == "bones") continue;
    if (!largest || character.parts[p].mesh.positions.size() > character.parts[*largest].mesh.positions.size())
      largest = p;
  }
  if (!largest)
    return Error{character.parts.empty() ? "" : "part '" + character.parts[0].name + "'",
                 character.parts.empty() ? "has no mesh" : "is not bound to joints",
                 "supple bind gives a mesh skin weights"};
  return *largest;
}

/// Diameter of the thinner bones: a quarter of them are thinner. Of a cylinder, four volumes over its surface.
double thin_bone(const simulate::Body& body) {
  std::vector<double> diameters;
  for (const Bone& bone : body.bones) {
    const auto volume = measure::closed_volume(bone.surface);
    double area = 0;
    for (const Triangle& t : bone.surface.triangles)
      area += 0.5 * double{length(cross(bone.surface.positions[t[1]] - bone.surface.positions[t[0]],
                                        bone.surface.positions[t[2]] - bone.surface.positions[t[0]]))};
    if (volume && area > 0) diameters.push_back(4 * std::abs(*volume) / area);
  }
  if (diameters.empty()) return std::numeric_limits<double>::infinity();
  const auto quarter = diameters.begin() + static_cast<std::ptrdiff_t>(diameters.size() / 4);
  std::nth_element(diameters.begin(), quarter, diameters.end());
  return *quarter;
}

/// Whether vertices follow one joint each: then nothing bends, and there is nothing to correct.
bool is_rigid(const Part& part) {
  std::size_t blended = 0;
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    const auto influences = part.weights.of(v);
    blended += influences.size() > 1 && influences[1].weight > 1e-3f ? 1 : 0;
  }
  return static_cast<double>(blended) < rigid_share * static_cast<double>(part.weights.vertices());
}

/// One call of improve().
class Improvement {
 public:
  Improvement(const ImproveOptions& options, Work& work) : o_(options), work_(work), effort_(figures_of(o_.effort)) {}

  Result<Improved> run();

 private:
  Result<void> open();
  std::vector<std::string> teachers() const;
  /// Plans, teaches, learns and judges. What speaks against a teacher is its reason.
  Result<void> learn_from(const std::string& teacher);
  Result<SimulateOptions> simulation();
  /// Of the ways to hold flesh to bones that are only capsules, the first that goes well in a few poses, or the best.
  Result<void> choose_hold(SimulateOptions& options);
  Result<void> make_examples(const std::string& teacher, SimulateOptions& options);
  void judge();
  void choose(std::string sentence) { result_.choices.push_back(std::move(sentence)); }

  const ImproveOptions& o_;
  Work& work_;
  EffortFigures effort_;
  fs::path folder_;
  Character input_;  // without what was learnt before: what linear blend makes of the file
  std::size_t part_ = 0;
  Improved result_;
};

Result<void> Improvement::open() {
  if (!o_.output.ends_with(".glb") && !o_.output.ends_with(".gltf"))
    return Error{o_.output, "is no glTF file name", "write .glb or .gltf"};
  if (fs::path(o_.output).lexically_normal() == fs::path(o_.input).lexically_normal())
    return Error{o_.output, "is the input", "write another file, so that both can be compared"};
  Work reading;  // the jobs below read the file again, and tell what there is to tell
  auto model = load_model(o_.input, reading);
  if (!model) return model.error();
  input_ = std::move(model->character());
  clear_deformers(input_);
  remove_driven_morphs(input_);
  auto part = chosen_part(o_, input_);
  if (!part) return in_file_of(o_, part.error());
  part_ = *part;
  std::string others;
  for (std::size_t p = 0; p < input_.parts.size(); ++p)
    if (p != part_ && input_.parts[p].skin && input_.parts[p].name != "bones")
      others += " '" + input_.parts[p].name + "'";
  if (!others.empty())
    choose("Of several skins, part '" + input_.parts[part_].name + "' is improved; left as they are:" + others +
           " (--part chooses another).");
  const fs::path output(o_.output);
  folder_ = o_.folder.empty() ? output.parent_path() / (output.stem().string() + "-work") : fs::path(o_.folder);
  return {};
}

/// Flesh first, then deformers that need no volume to be meshed, the one that is most like flesh before the others:
/// deformers() has it last. What only repeats something learnt before does not teach.
std::vector<std::string> Improvement::teachers() const {
  if (!o_.teacher.empty()) return {o_.teacher};
  std::vector<std::string> names{tissue};
  const auto kinds = deformers();
  for (std::size_t k = kinds.size(); k-- > 0;)
    if (kinds[k]->teacher != nullptr && kinds[k]->moved == nullptr) names.emplace_back(kinds[k]->teacher);
  return names;
}

/// Lengths are fitted to the character, whatever its unit is.
Result<SimulateOptions> Improvement::simulation() {
  SimulateOptions options;
  const double size = double{bounds(input_.parts[part_].mesh.positions).diagonal()};
  options.body.skin_part = input_.parts[part_].name;
  options.body.close_holes = true;
  options.body.bone_tolerance = 5e-3 * size;
  Warnings told_later;
  const auto body = simulate::body_of(input_, options.body, &told_later);
  if (!body) return body.error();
  const auto volume = measure::closed_volume(body->closed_skin);
  if (!volume) return volume.error();
  const auto size_for = [&](double elements) {
    return std::cbrt(std::abs(*volume) * flesh_elements_per_cell / elements);
  };
  // So fine that thin capsules hold some nodes, as far as that does not cost too much.
  const double finest = body->capsules ? size_for(most_elements * effort_.elements) : size_for(effort_.elements);
  const double metres = std::clamp(thin_bone(*body), finest, size_for(effort_.elements));
  options.size_mm = metres * 1000;
  options.tolerance_mm = metres;  // a thousandth of an element
  options.step_degrees = 30;
  std::vector<bool> has_bone(input_.skeleton.size(), false);
  for (const Bone& bone : body->bones) has_bone[bone.joint] = true;
  auto plan = teaching_plan(input_, has_bone, effort_.poses);
  if (!plan) return plan.error();
  result_.plan = std::move(*plan);
  // Whoever animated by linear blend has let limbs pass through each other: only real bones say where flesh must not
  // go.
  options.contact = !body->capsules;
  if (body->capsules)
    if (auto ok = choose_hold(options); !ok) return ok.error();
  choose(fmt::format("Flesh is simulated with elements of {:.3g} of its size over {} {}.", metres / size,
                     body->bones.size(), body->capsules ? "capsules fitted to the joints" : "bones of the file"));
  return options;
}

PosePlan a_few_of(const PosePlan& plan) {
  PosePlan few;
  for (std::size_t i = 0; i < trial_poses && i < plan.sweeps.size(); ++i) {
    Sweep sweep = plan.sweeps[(2 * i + 1) * plan.sweeps.size() / (2 * std::min(trial_poses, plan.sweeps.size()))];
    sweep.poses.erase(sweep.poses.begin(), sweep.poses.end() - 1);
    few.sweeps.push_back(std::move(sweep));
  }
  return few;
}

std::size_t bad_poses(const Gathered& gathered) {
  return static_cast<std::size_t>(
      std::count_if(gathered.poses.begin(), gathered.poses.end(), [](const PoseOutcome& pose) {
        return std::any_of(pose.flags.begin(), pose.flags.end(), [](const std::string& f) { return excludes(f); });
      }));
}

Result<void> Improvement::choose_hold(SimulateOptions& options) {
  const PosePlan few = a_few_of(result_.plan.plan);
  if (auto made = make_folder(folder_); !made) return made;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const double margin : {0.0, 1.0}) {
    SimulateOptions trial = options;
    trial.input = o_.input;
    trial.output = (folder_ / "trial").string();
    trial.plan_file = (folder_ / "trial-plan.json").string();
    trial.body.held_weight = held_weight;
    trial.body.held_margin = margin;
    trial.force = true;
    if (auto written = write_pose_plan(trial.plan_file, few); !written) return written;
    Work trying;
    trying.asked_to_stop = work_.asked_to_stop;
    trying.progress = [&](std::string_view, double) { return report(work_.progress, "trying a few poses", 0.02); };
    const auto simulated = simulate(trial, trying);
    if (!simulated) return simulated.error();
    const std::size_t bad = bad_poses(simulated->gathered) + simulated->gathered.missing;
    if (bad < least) least = bad, options.body.held_margin = margin;
    if (bad == 0) break;
  }
  std::error_code ignored;
  fs::remove_all(folder_ / "trial", ignored);
  fs::remove(folder_ / "trial-plan.json", ignored);
  if (static_cast<double>(least) > most_bad_poses * static_cast<double>(few.pose_count()))
    return Error{"", fmt::format("it goes wrong in {} of {} poses that were tried", least, few.pose_count()), ""};
  options.body.held_weight = held_weight;
  choose("Skin that follows one joint alone stays as it was modelled; flesh gives way between such places.");
  return {};
}

Result<void> Improvement::make_examples(const std::string& teacher, SimulateOptions& options) {
  options.input = o_.input;
  options.output = (folder_ / teacher).string();
  options.plan_file = (folder_ / (teacher + "-plan.json")).string();
  if (auto made = make_folder(folder_); !made) return made;
  if (auto written = write_pose_plan(options.plan_file, result_.plan.plan); !written) return written;
  Work teaching;
  teaching.progress = part_of_way(work_.progress, 0.02, 0.8);
  teaching.asked_to_stop = work_.asked_to_stop;
  std::size_t bad = 0, poses = 0;
  if (teacher == tissue) {
    options.resume = !o_.force;
    options.force = o_.force;
    const auto simulated = simulate(options, teaching);
    if (!simulated) return simulated.error();
    if (simulated->gathered.missing > 0 && work_.stopped())
      return Error{"improve", "was stopped", "the same command goes on"};
    if (!simulated->run.failures.empty()) return Error{"flesh", simulated->run.failures[0], ""};
    poses = simulated->gathered.poses.size();
    bad = bad_poses(simulated->gathered);
  } else {
    for (const DeformerKind* kind : deformers())
      if (kind->teacher != nullptr && kind->teacher == teacher) options.deformer = kind;
    options.force = true;
    const auto taught = teach(options, teaching);
    if (!taught) return taught.error();
    if (taught->missing > 0 && work_.stopped()) return Error{"improve", "was stopped", "the same command begins again"};
    poses = taught->poses.size();
  }
  if (poses == 0 || static_cast<double>(bad) > most_bad_poses * static_cast<double>(poses))
    return Error{"", fmt::format("it goes wrong in {} of {} poses", bad, poses), ""};
  work_.warnings.insert(work_.warnings.end(), teaching.warnings.begin(), teaching.warnings.end());
  return {};
}

Result<void> Improvement::learn_from(const std::string& teacher) {
  SimulateOptions options;
  if (teacher == tissue) {
    auto flesh = simulation();
    if (!flesh) return flesh.error();
    options = std::move(*flesh);
  } else {
    options.body.skin_part = input_.parts[part_].name;
    auto plan = teaching_plan(input_, std::vector<bool>(input_.skeleton.size(), true), effort_.poses);
    if (!plan) return plan.error();
    result_.plan = std::move(*plan);
  }
  if (auto ok = make_examples(teacher, options); !ok) return ok;
  FitOptions fit;
  fit.model = o_.input;
  fit.examples = options.output;
  fit.output = o_.output;
  Work fitting;
  fitting.progress = part_of_way(work_.progress, 0.8, 0.95);
  fitting.asked_to_stop = work_.asked_to_stop;
  auto fitted = fit_modes(fit, fitting);
  if (!fitted) return fitted.error();
  report(work_.progress, "comparing with linear blend", 0.95);
  auto comparison = compare_skins(input_, fitted->model.character(), part_, result_.plan.plan);
  if (!comparison) return comparison.error();
  result_.teacher = teacher;
  result_.fit_options = std::move(fit);
  result_.fit.emplace(std::move(*fitted));
  result_.comparison = std::move(*comparison);
  judge();
  if (result_.verdict == Verdict::no_help) return Error{"", result_.reason, ""};
  work_.warnings.insert(work_.warnings.end(), fitting.warnings.begin(), fitting.warnings.end());
  return {};
}

void Improvement::judge() {
  const double error = held_out_error(*result_.fit);
  const SkinComparison& c = result_.comparison;
  const double volume_before = c.mean_volume(&ComparedPose::before), volume_after = c.mean_volume(&ComparedPose::after);
  const std::size_t crossing_before = c.crossing(&ComparedPose::before),
                    crossing_after = c.crossing(&ComparedPose::after);
  result_.reason = fmt::format("In poses that were held out, {:.0f} % of linear blend's distance to {} is left.",
                               100 * error, result_.teacher == tissue ? "simulated flesh" : result_.teacher);
  if (!(error < worth_it)) {
    result_.verdict = Verdict::no_help;
    result_.reason =
        fmt::format("it leaves {:.0f} % of linear blend's distance in poses that were held out", 100 * error);
    return;
  }
  const bool volume_worse = c.closed && volume_after > volume_before + volume_slack;
  const bool crossing_worse = crossing_after > crossing_before + crossing_before / 10;
  if (volume_worse && crossing_worse) {
    result_.verdict = Verdict::no_help;
    result_.reason = "it loses more volume than linear blend and crosses itself more";
    return;
  }
  std::string worse;
  if (volume_worse)
    worse += fmt::format(" The volume changes more than by linear blend, {:.1f} % instead of {:.1f} %.",
                         100 * volume_after, 100 * volume_before);
  if (crossing_worse)
    worse +=
        fmt::format(" More triangles cross than by linear blend, {} instead of {}.", crossing_after, crossing_before);
  result_.verdict = worse.empty() ? Verdict::better : Verdict::mixed;
  result_.reason += worse;
}

Result<Improved> Improvement::run() {
  const auto start = std::chrono::steady_clock::now();
  if (auto ok = open(); !ok) return ok.error();
  const auto finished = [&]() -> Result<Improved> {
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  };
  if (is_rigid(input_.parts[part_])) {
    result_.reason =
        "Part '" + input_.parts[part_].name +
        "' follows one joint at every vertex, as machines do: nothing bends, so there is nothing to improve.";
    return finished();
  }
  for (const std::string& teacher : teachers()) {
    const auto learnt = learn_from(teacher);
    if (work_.stopped()) return Error{o_.input, "was not finished: stopped", "the same command goes on where it was"};
    if (!learnt) {
      choose((teacher == tissue ? "Flesh cannot teach: " : teacher + " cannot teach: ") + learnt.error().message() +
             ".");
      continue;
    }
    if (auto saved = save_model(o_.output, result_.fit->model, work_); !saved) return saved.error();
    report(work_.progress, "done", 1);
    return finished();
  }
  result_.verdict = Verdict::no_help;
  result_.fit.reset();
  result_.reason = "Nothing that could teach this skin does better than linear blend; nothing was written.";
  return finished();
}

}  // namespace

double held_out_error(const FitJob& fit) {
  double squared = 0, blend = 0;
  for (const learn::Group group : {learn::Group::held_out_single, learn::Group::held_out_several})
    for (const learn::PoseError& e : fit.poses[static_cast<std::size_t>(group)])
      squared += e.squared, blend += e.blend_squared;
  return blend > 0 ? std::sqrt(squared / blend) : fit.errors[0].relative;
}

Result<Improved> improve(const ImproveOptions& options, Work& work) { return Improvement(options, work).run(); }

}  // namespace supple::workflow
