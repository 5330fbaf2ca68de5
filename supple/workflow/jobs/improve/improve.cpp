#include "supple/workflow/jobs/improve/improve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "supple/files/pose_plan_file.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/improve/flesh_setup.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"
#include "supple/workflow/jobs/simulate/teach.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr double worth_it = 0.9;        // of linear blend's error left: more is no improvement to speak of
constexpr double volume_slack = 0.005;  // by which the mean change of volume may grow
const char* const tissue = "tissue";

EffortFigures figures_of(Effort effort) {
  if (effort == Effort::quick) return {60, 5e3};
  if (effort == Effort::normal) return {240, 13e3};
  return {500, 50e3};
}

std::string capital(std::string words) {
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

Error in_file_of(const ImproveOptions& o, const Error& error) {
  return {o.input + (error.item.empty() ? "" : ", " + error.item), error.problem, error.remedy};
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
  Result<void> make_examples(const std::string& teacher, SimulateOptions& options);
  void judge();
  void tell_parts();
  void choose(std::string sentence) { result_.choices.push_back(std::move(sentence)); }

  const ImproveOptions& o_;
  Work& work_;
  EffortFigures effort_;
  fs::path folder_;
  Character input_;                 // without what was learnt before: what linear blend makes of the file
  std::vector<std::size_t> skins_;  // parts that are to be improved, as far as a teacher shows them
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
  remove_driven_morphs(input_);
  clear_deformers(input_);
  auto skins = skin_parts(input_, o_.part);
  if (!skins) return in_file_of(o_, skins.error());
  skins_ = std::move(*skins);
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

Result<void> Improvement::make_examples(const std::string& teacher, SimulateOptions& options) {
  options.input = o_.input;
  options.output = (folder_ / teacher).string();
  options.plan_file = (folder_ / (teacher + "-plan.json")).string();
  if (auto made = make_folder(folder_); !made) return made;
  if (auto written = write_pose_plan(options.plan_file, result_.plan.plan); !written) return written;
  Work teaching;
  teaching.progress = within(work_.progress, 0.02, 0.8);
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
    auto flesh = flesh_setup(input_, o_.part, o_.input, folder_, effort_, work_);
    if (!flesh) return flesh.error();
    options = std::move(flesh->options);
    result_.plan = std::move(flesh->plan);
    for (std::string& choice : flesh->choices) choose(std::move(choice));
  } else {
    options.body.skin_part = o_.part;
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
  fitting.progress = within(work_.progress, 0.8, 0.95);
  fitting.asked_to_stop = work_.asked_to_stop;
  auto fitted = fit_modes(fit, fitting);
  if (!fitted) return fitted.error();
  report(work_.progress, "comparing with linear blend", 0.95);
  Work comparing;
  comparing.progress = within(work_.progress, 0.95, 1);
  const Character& learnt = fitted->model.character();
  const ComparisonPoses poses = comparison_poses(input_, learnt, result_.plan.plan);
  auto comparison = compare_skins(input_, learnt, poses, {.parts = fitted->parts}, comparing);
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

/// Which skins are improved, and which stay as they are, of a file that has several.
void Improvement::tell_parts() {
  const std::vector<std::size_t>& learnt = result_.fit->parts;
  const std::vector<std::size_t> skinned = skinned_parts(input_);
  const auto skins = static_cast<std::size_t>(
      std::ranges::count_if(skinned, [&](std::size_t p) { return input_.parts[p].name != bones_part_name; }));
  if (skins <= 1) return;
  const std::vector<std::size_t> left = left_out(input_, learnt);
  std::string sentence =
      capital(words_of_parts(input_, learnt)) + (learnt.size() == 1 ? " is improved" : " are improved, as one surface");
  if (!left.empty())
    sentence += fmt::format(
        "; {} {} as {}", words_of_parts(input_, left),
        o_.part.empty() ? (left.size() == 1 ? "shares no border with it and stays" : "share no border with it and stay")
                        : (left.size() == 1 ? "stays" : "stay"),
        left.size() == 1 ? "it is" : "they are");
  if (const std::size_t hard = skins - learnt.size() - left.size(); hard > 0)
    sentence += hard == 1 ? "; a part that follows one joint everywhere stays hard"
                          : fmt::format("; {} parts that follow one joint everywhere stay hard", hard);
  choose(sentence + ".");
}

Result<Improved> Improvement::run() {
  const auto start = std::chrono::steady_clock::now();
  if (auto ok = open(); !ok) return ok.error();
  const auto finished = [&]() -> Result<Improved> {
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  };
  if (std::ranges::all_of(skins_, [&](std::size_t p) { return is_rigid(input_.parts[p]); })) {
    result_.reason =
        "Part '" + input_.parts[skins_[0]].name +
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
    tell_parts();
    if (auto saved = save_model(o_.output, result_.fit->model, work_); !saved) return saved.error();
    if (o_.flesh) {
      AddFleshOptions swinging;
      swinging.input = swinging.output = o_.output;
      swinging.automatic = true;
      const auto added = add_flesh(swinging, work_);
      if (!added) return added.error();
      choose(fmt::format("{} body parts swing behind the bones.", added->regions.size()));
    }
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
