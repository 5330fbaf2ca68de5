#include "supple/workflow/jobs/improve/improve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "supple/files/pose_plan_file.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/find_part.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/improve/flesh_setup.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"
#include "supple/workflow/jobs/simulate/teach.h"
#include "supple/workflow/jobs/simulate/teach_lattice.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr double worse_than = 0.05;           // a share by which strain or volume may grow
constexpr double some_gain = 0.08;            // of strain or volume: less is no improvement to speak of
constexpr double farther_than_taught = 1.25;  // than the teacher moves any vertex: nothing learnt may go beyond
constexpr std::size_t modes_per_vertex = 24;  // flesh of many poses has more to tell than a few joints' modes
constexpr int most_mends = 3;
const char* const tissue = "tissue";
const char* const lattice_name = "lattice";

EffortFigures figures_of(Effort effort) {
  if (effort == Effort::quick) return {60, 90, 4000, 60, 5e3};
  if (effort == Effort::normal) return {200, 240, 8000, 240, 13e3};
  return {400, 500, 20000, 500, 50e3};
}

std::string capital(std::string words) {
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words;
}

/// All that a player shows: what a hand holds may come apart from it, though nothing of it is learnt.
std::vector<std::size_t> drawn_parts(const Character& character) {
  std::vector<std::size_t> parts(character.parts.size());
  std::iota(parts.begin(), parts.end(), std::size_t{0});
  return parts;
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
  Result<void> make_plan(const std::string& teacher, SimulateOptions& options);
  Result<void> make_examples(const std::string& teacher, SimulateOptions& options);
  Result<void> mend();
  std::vector<float> of_the_set(std::span<const float> keep, std::span<const std::size_t> parts) const;
  Result<void> judge();
  void tell_parts();
  Error unfinished(const std::string& failure) {
    result_.unfinished = true;
    result_.reason = failure;
    return {"", failure, ""};
  }
  void choose(std::string sentence) { result_.choices.push_back(std::move(sentence)); }
  /// Each once: every job reads the file and says what is wrong with it.
  void tell(const Warnings& warnings) {
    for (const std::string& warning : warnings)
      if (std::ranges::find(work_.warnings, warning) == work_.warnings.end()) work_.warnings.push_back(warning);
  }

  const ImproveOptions& o_;
  Work& work_;
  EffortFigures effort_;
  fs::path folder_;
  Character input_;                  // without what was learnt before: what linear blend makes of the file
  std::vector<std::size_t> skins_;   // parts that are to be improved, as far as a teacher shows them
  std::vector<TeachingPose> poses_;  // that were taught
  double farthest_ = 0;              // units of the file: how far the teacher moved a vertex at most; 0: not known
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

/// Bones that somebody modelled know more than skin weights; any other rig is taught by its own weights.
std::vector<std::string> Improvement::teachers() const {
  if (!o_.teacher.empty()) return {o_.teacher};
  const bool bones = std::ranges::any_of(input_.parts, [](const Part& p) { return p.name == bones_part_name; });
  if (bones) return {tissue, lattice_name};
  return {lattice_name};
}

Result<void> Improvement::make_plan(const std::string& teacher, SimulateOptions& options) {
  options.body.skin_part = o_.part;
  if (teacher == tissue) {
    auto flesh = flesh_setup(input_, o_.part, o_.input, folder_, effort_, work_);
    if (!flesh) return flesh.error();
    options = std::move(flesh->options);
    result_.plan = std::move(flesh->plan);
    for (std::string& choice : flesh->choices) choose(std::move(choice));
    poses_ = teaching_poses(result_.plan.plan, input_);
    return {};
  }
  if (teacher == lattice_name) {
    auto full = full_plan(input_, effort_.poses, effort_.clip_frames);
    if (!full) return full.error();
    result_.plan = std::move(full->plan);
    poses_ = std::move(full->poses);
    return {};
  }
  auto plan = teaching_plan(input_, std::vector<bool>(input_.skeleton.size(), true), effort_.tissue_poses);
  if (!plan) return plan.error();
  result_.plan = std::move(*plan);
  poses_ = teaching_poses(result_.plan.plan, input_);
  return {};
}

Result<void> Improvement::make_examples(const std::string& teacher, SimulateOptions& options) {
  options.input = o_.input;
  options.output = (folder_ / teacher).string();
  options.plan_file = (folder_ / (teacher + "-plan.json")).string();
  if (auto made = make_folder(folder_); !made) return made;
  if (auto written = write_pose_plan(options.plan_file, result_.plan.plan); !written) return written;
  Work teaching;
  teaching.progress = within(work_.progress, 0.02, teacher == lattice_name ? 0.4 : 0.8);
  teaching.asked_to_stop = work_.asked_to_stop;
  std::size_t bad = 0, poses = 0;
  farthest_ = 0;
  options.lattice = teacher == lattice_name;
  if (teacher == lattice_name || teacher == tissue) {
    options.resume = !o_.force;
    options.force = o_.force;
    options.farm = o_.farm;
  }
  if (teacher == lattice_name) {
    options.cells = effort_.cells;
    if (o_.task_command) options.task_command = o_.task_command(options);
    auto taught = teach_lattice(options, poses_, teaching);
    if (!taught) return taught.error();
    poses_ = std::move(taught->poses);
    if (taught->absurd > 0)
      choose(fmt::format(
          "{} left out: more stretched than the skin is in any clip.",
          taught->absurd == 1 ? std::string("One pose was") : fmt::format("{} poses were", taught->absurd)));
    if (!taught->failures.empty()) return unfinished(taught->failures[0]);
    if (taught->missing > 0) return Error{"improve", "was stopped", "the same command goes on"};
    poses = taught->outcomes.size();
    farthest_ = taught->farthest();
    choose(fmt::format("Flesh is {} elastic cells, held by the skin's own weights{}.", taught->cells,
                       taught->hard_pieces == 0 ? std::string()
                       : taught->hard_pieces == 1
                           ? std::string("; one hard piece keeps its shape")
                           : fmt::format("; {} hard pieces keep their shape", taught->hard_pieces)));
    if (const std::size_t unconverged = taught->unconverged(); unconverged > 0)
      choose(fmt::format("In {} of {} poses the flesh had not quite come to rest.", unconverged, poses));
  } else if (teacher == tissue) {
    if (o_.task_command) options.task_command = o_.task_command(options);
    const auto simulated = simulate(options, teaching);
    if (!simulated) return simulated.error();
    if (simulated->gathered.missing > 0 && work_.stopped())
      return Error{"improve", "was stopped", "the same command goes on"};
    // A failure on a cluster says nothing about the flesh.
    if (!simulated->run.failures.empty() && o_.farm.back_end != BackEnd::local)
      return unfinished(simulated->run.failures[0]);
    if (!simulated->run.failures.empty()) return Error{"flesh", simulated->run.failures[0], ""};
    poses = simulated->gathered.poses.size() + simulated->gathered.missing;
    bad = bad_poses(simulated->gathered);
    if (std::string partial = simulated->gathered.partial_sentence(); !partial.empty()) choose(std::move(partial));
  } else {
    for (const DeformerKind* kind : deformers())
      if (kind->teacher != nullptr && kind->teacher == teacher) options.deformer = kind;
    options.force = true;
    const auto taught = teach(options, teaching);
    if (!taught) return taught.error();
    if (taught->missing > 0 && work_.stopped()) return Error{"improve", "was stopped", "the same command begins again"};
    poses = taught->poses.size() + taught->missing;
    bad = taught->missing;
  }
  if (poses == 0 || static_cast<double>(bad) > most_bad_poses * static_cast<double>(poses))
    return Error{"", fmt::format("it goes wrong in {} of {} poses", bad, poses), ""};
  if (bad > 0)
    choose(fmt::format("The teacher went wrong in {} of {} poses, and nothing is learnt from {}.", bad, poses,
                       bad == 1 ? "that one" : "these"));
  tell(teaching.warnings);
  return {};
}

Result<void> Improvement::learn_from(const std::string& teacher) {
  SimulateOptions options;
  if (auto ok = make_plan(teacher, options); !ok) return ok.error();
  if (auto ok = make_examples(teacher, options); !ok) return ok.error();
  FitOptions fit;
  fit.model = o_.input;
  fit.examples = options.output;
  fit.output = o_.output;
  fit.budget = modes_per_vertex;
  Work fitting;
  fitting.progress = within(work_.progress, teacher == lattice_name ? 0.4 : 0.8, 0.85);
  fitting.asked_to_stop = work_.asked_to_stop;
  auto fitted = fit_modes(fit, fitting);
  if (!fitted) return fitted.error();
  result_.teacher = teacher;
  result_.fit_options = std::move(fit);
  result_.fit.emplace(std::move(*fitted));
  const ExampleCounts counts = count_examples(result_.fit->set);
  const std::size_t taught = counts.test - counts.left_out_test;
  result_.held_out_without_teacher = result_.plan.held_out - std::min(taught, result_.plan.held_out);
  if (auto ok = mend(); !ok) return ok;
  report(work_.progress, "comparing with linear blend", 0.95);
  Work comparing;
  comparing.progress = within(work_.progress, 0.95, 1);
  const Character& learnt = result_.fit->model.character();
  auto poses = comparison_poses(input_, learnt);
  if (!poses) return poses.error();
  for (ComparedMoment& moment : poses->moments)
    moment.muscles.clear();  // what is learnt plays without the file's muscles
  auto comparison = compare_skins(input_, learnt, *poses, {.parts = result_.fit->parts}, comparing);
  if (!comparison) return comparison.error();
  result_.comparison = std::move(*comparison);
  if (auto ok = judge(); !ok) return ok;
  tell(fitting.warnings);
  return {};
}

/// Fades what was learnt where it does harm. Attaching leaves out what is too small to see, so that a faded skin is not
/// quite what was asked for: where harm is left, it is faded on.
Result<void> Improvement::mend() {
  FitJob& fit = *result_.fit;
  const HarmFinder finder(input_, drawn_parts(input_));
  LookedAt first = moments_to_look_at(input_, fit.model.character(), poses_);
  if (auto ok = finder.leave_out_absurd(first); !ok) return ok;
  const auto moments = [&] {  // clips carry what was baked, each time anew
    LookedAt all = moments_to_look_at(input_, fit.model.character(), poses_);
    const auto keep = [](std::vector<ComparedMoment>& some, const std::vector<ComparedMoment>& kept) {
      std::set<std::string> names;
      for (const ComparedMoment& moment : kept) names.insert(moment.name);
      std::erase_if(some, [&](const ComparedMoment& moment) { return !names.contains(moment.name); });
    };
    keep(all.poses, first.poses);
    keep(all.beyond, first.beyond);
    return all;
  };
  const HarmFinder::Bounds bounds{farther_than_taught * farthest_, result_.teacher != tissue};
  std::vector<float> kept;
  for (int attempt = 0; attempt < most_mends; ++attempt) {
    const double begin = 0.85 + 0.08 * attempt / most_mends, middle = begin + 0.06 / most_mends;
    Work finding, looking;
    finding.progress = within(work_.progress, begin, middle);
    looking.progress = within(work_.progress, middle, begin + 0.08 / most_mends);
    finding.asked_to_stop = looking.asked_to_stop = work_.asked_to_stop;
    const auto harm = finder.find(fit.model.character(), moments(), bounds, finding);
    if (!harm) return harm.error();
    if (attempt == 0) {
      result_.seen = result_.learnt = harm->learnt;
      kept.assign(harm->keep.size(), 1);
    }
    if (!harm->found()) return {};
    for (std::size_t v = 0; v < kept.size(); ++v) kept[v] *= harm->keep[v];
    if (auto ok = fade(fit, of_the_set(harm->keep, finder.parts())); !ok) return ok;
    auto seen = finder.look(fit.model.character(), moments(), looking);
    if (!seen) return seen.error();
    result_.seen = std::move(*seen);
    finder.tell_kept(result_.seen, kept);
    if (!result_.seen.bad()) return {};
  }
  return {};
}

/// Finds for each vertex of the example set how much of it is kept: `keep` is of the parts that were looked at.
std::vector<float> Improvement::of_the_set(std::span<const float> keep, std::span<const std::size_t> parts) const {
  const FitJob& fit = *result_.fit;
  std::vector<float> own(fit.set.vertices(), 1);
  std::size_t first = 0;
  for (const std::size_t p : parts) {
    const std::size_t vertices = input_.parts[p].mesh.positions.size();
    const auto place = static_cast<std::size_t>(std::ranges::find(fit.parts, p) - fit.parts.begin());
    for (std::size_t v = 0; v < vertices && place < fit.parts.size(); ++v) {
      float& least = own[fit.merged ? fit.merged->vertices[place][v] : v];
      least = std::min(least, keep[first + v]);
    }
    first += vertices;
  }
  return own;
}

/// The verdict, from what an eye sees; what speaks against writing the file is the error.
Result<void> Improvement::judge() {
  const SkinComparison& c = result_.comparison;
  const SeenFigures& seen = result_.seen;
  const Gain gain = result_.gain();
  result_.verdict = Verdict::no_help;
  if (seen.bad())
    return Error{"", fmt::format("what was learnt tears or folds the skin, most of all in {}", seen.worst_frame), ""};
  if (c.breaks_more()) return Error{"", "what was learnt puts vertices nowhere in some poses", ""};
  const std::string where = seen.clips.frames > 0 ? "In the clips" : "In poses within the joints' limits";
  const auto change = [](const char* what, double share) {
    return share >= 0 ? fmt::format("{} is {:.0f} % lower than by linear blend", what, 100 * share)
                      : fmt::format("{} is {:.0f} % higher", what, -100 * share);
  };
  const std::size_t crossing_before = c.crossing(&ComparedPose::before),
                    crossing_after = c.crossing(&ComparedPose::after);
  const std::size_t slack = 2 * c.poses.size();
  const bool crossing_worse = crossing_after > crossing_before + crossing_before / 10 + slack;
  const bool crossing_much_worse = crossing_after > 2 * crossing_before + 10 * slack;
  const bool some = gain.strain >= some_gain || gain.volume >= some_gain;
  const bool uncrossed = crossing_before > 5 * slack && 2 * crossing_after < crossing_before;
  const bool better = gain.strain >= better_strain || gain.volume >= better_volume;
  const bool worse = gain.strain < -worse_than || gain.volume < -worse_than;
  result_.reason = fmt::format("{}, {}, and {}.", where, change("stretching of the skin", gain.strain),
                               change("the error of its volume", gain.volume));
  if (uncrossed)
    result_.reason +=
        fmt::format(" Fewer triangles cross than by linear blend, {} instead of {}.", crossing_after, crossing_before);
  if (crossing_worse)
    result_.reason +=
        fmt::format(" More triangles cross than by linear blend, {} instead of {}.", crossing_after, crossing_before);
  if (!some || crossing_much_worse || (worse && !better)) return Error{"", result_.reason, ""};
  result_.verdict = better && !worse && !crossing_worse ? Verdict::better : Verdict::mixed;
  if (std::string none = held_out_sentence(result_.held_out_without_teacher, result_.plan.held_out); !none.empty())
    choose(std::move(none));
  if (const std::size_t measured = held_out_poses(*result_.fit); measured < enough_held_out)
    choose(fmt::format(
        "Only {} held-out poses were measured: too few to say how the skin does in poses it has not learnt.",
        measured));
  return {};
}

/// Which skins are improved, and which stay as they are, of a file that has several.
void Improvement::tell_parts() {
  const std::vector<std::size_t>& learnt = result_.fit->parts;
  const std::vector<std::size_t> skinned = skinned_parts(input_);
  const auto skins = static_cast<std::size_t>(std::ranges::count_if(skinned, [&](std::size_t p) {
    return input_.parts[p].name != bones_part_name && input_.parts[p].name != muscles_part_name;
  }));
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
    if (result_.unfinished) return finished();
    if (!learnt) {
      std::string words = learnt.error().message();
      if (!words.ends_with(".")) words += ".";
      choose((teacher == tissue         ? "Simulated tissue does not help: "
              : teacher == lattice_name ? "Elastic flesh does not help: "
                                        : teacher + " does not help: ") +
             words);
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
  result_.reason = "Nothing that was tried does better than linear blend; nothing was written.";
  return finished();
}

}  // namespace

Gain Improved::gain() const {
  const auto share = [](double before, double after) { return before > 0 ? 1 - after / before : 0.0; };
  return {share(seen.strain_before, seen.strain_after), share(seen.volume_before, seen.volume_after)};
}

double held_out_error(const FitJob& fit) {
  double squared = 0, blend = 0;
  for (const learn::Group group : {learn::Group::held_out_single, learn::Group::held_out_several})
    for (const learn::PoseError& e : fit.poses[static_cast<std::size_t>(group)])
      squared += e.squared, blend += e.blend_squared;
  return blend > 0 ? std::sqrt(squared / blend) : fit.errors[0].relative;
}

std::size_t held_out_poses(const FitJob& fit) {
  return fit.poses[static_cast<std::size_t>(learn::Group::held_out_single)].size() +
         fit.poses[static_cast<std::size_t>(learn::Group::held_out_several)].size();
}

Result<Improved> improve(const ImproveOptions& options, Work& work) { return Improvement(options, work).run(); }

}  // namespace supple::workflow
