#include "supple/workflow/jobs/fit/fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "supple/author/learn/details.h"
#include "supple/author/learn/kernel_skin.h"
#include "supple/author/learn/vertex_budget.h"
#include "supple/files/engines.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/workflow/jobs/fit/learning_curve.h"

namespace supple::workflow {
namespace {

constexpr std::size_t most_per_joint = 6;  // of the curve of errors
constexpr double samples_per_second = 30;  // of clips, to find the ranges of weights

std::vector<Pose> poses_of_clips(const Character& character) {
  std::vector<Pose> poses;
  for (const Clip& clip : character.clips) {
    const auto steps = static_cast<std::size_t>(std::ceil(double{clip.duration()} * samples_per_second));
    for (std::size_t i = 0; i <= steps; ++i)
      poses.push_back(character.at(clip, clip.start() + clip.duration() * static_cast<float>(i) /
                                                            static_cast<float>(std::max<std::size_t>(steps, 1))));
  }
  return poses;
}

/// Surfaces of the mesh that is learnt, the one that examples show first: of merged parts there is one.
std::span<const std::size_t> surfaces_of(const FitJob& job) {
  static constexpr std::size_t merged = 0;
  return job.merged ? std::span(&merged, 1) : std::span(job.meshes[0]);
}

/// Puts what was learnt onto the character that is written, and onto the one that it is measured on.
void attach_learnt(FitJob& job, const learn::AttachOptions& options) {
  Character& character = job.model.character();
  if (job.merged) {
    job.learnt = job.original;
    job.attached = learn::attach(job.skin, job.set, job.learnt, surfaces_of(job), options);
    learn::attach(job.skin, job.set, character, *job.merged, job.meshes, options);
    bake(job);
  } else {
    job.attached = learn::attach(job.skin, job.set, character, surfaces_of(job), options);
    bake(job);
    job.learnt = character;
  }
}

/// Morph targets that one mode becomes.
std::size_t targets_per_mode(const FitOptions& o) { return o.learn.normals == learn::NormalModes::own ? 2 : 1; }

std::array<learn::ErrorSummary, 3> errors_of(learn::ErrorMeter& meter, const FitJob& job, const learn::EigenSkin& skin,
                                             const std::vector<bool>& used,
                                             std::array<std::vector<learn::PoseError>, 3>* poses = nullptr,
                                             learn::Group first = learn::Group::train) {
  std::array<learn::ErrorSummary, 3> result;
  const std::size_t vertices = job.set.vertices(), moved = learn::moved_vertices(skin, vertices);
  for (std::size_t g = static_cast<std::size_t>(first); g < 3; ++g) {
    const auto examples = learn::examples_of(job.set, static_cast<learn::Group>(g));
    auto errors = meter.measure(examples, used);
    result[g] = learn::summarize(errors, vertices, moved);
    if (poses != nullptr) (*poses)[g] = std::move(errors);
  }
  return result;
}

/// Which targets belong to the first modes that were granted.
std::vector<bool> first_granted(const learn::EigenSkin& skin, const learn::Attached& attached, std::size_t modes) {
  learn::EigenSkin fewer;
  fewer.order = skin.order;
  fewer.normal_order = skin.normal_order;
  fewer.corrections.resize(skin.corrections.size());
  learn::keep_first(fewer, modes);
  std::vector<bool> used;
  for (const learn::TargetSource& t : attached.targets) {
    const learn::Correction& c = fewer.corrections[t.correction];
    used.push_back(t.mode < (t.of_normals ? c.kept_normals : c.kept));
  }
  return used;
}

/// Errors against the number of modes, measured by evaluating: training set and held-out poses.
void measure_curves(FitJob& job, learn::EigenSkin all) {
  for (learn::Correction& c : all.corrections) {
    if (c.is_pair()) continue;
    c.kept = std::min(most_per_joint, c.singular_values.size());
    c.kept_normals = std::min(most_per_joint, c.normal_singular_values.size());
  }
  Character character = job.original;
  const learn::Attached attached =
      learn::attach(all, job.set, character, surfaces_of(job), {.signed_weights = true, .poses = {}});
  learn::ErrorMeter meter(character, job.part, attached, job.set, &job.input);
  for (std::size_t k = 0; k <= most_per_joint; ++k)
    job.by_modes_per_joint.push_back({k, errors_of(meter, job, all, learn::first_modes(all, attached, k, false))});
}

/// Errors of what is written, with some of the modes that were granted first.
void measure_granted(FitJob& job, learn::ErrorMeter& meter) {
  constexpr std::size_t points = 8;
  const std::size_t modes = job.skin.order.size();
  for (std::size_t i = 0; i <= points && modes > 0; ++i) {
    const std::size_t n = i * modes / points;
    if (!job.by_targets.empty() && job.by_targets.back().modes == n) continue;
    job.by_targets.push_back({n, errors_of(meter, job, job.skin, first_granted(job.skin, job.attached, n))});
  }
}

/// What is left of a skin with its first modes only, and no more of them at a vertex than the budget has.
learn::EigenSkin limited(const learn::EigenSkin& skin, std::size_t modes, std::size_t vertices) {
  learn::EigenSkin result = skin;
  learn::keep_first(result, modes);
  if (skin.options.allocation == learn::Allocation::faded)
    learn::limit_modes_per_vertex(result, vertices, skin.options.budget.per_vertex);
  return result;
}

/// The least number of modes whose error on the training examples is at most `wanted`, by bisection; all where none is.
std::size_t modes_for_error(const FitJob& job, double wanted, Work& work) {
  const auto examples = learn::examples_of(job.set, learn::Group::train);
  const auto error_with = [&](std::size_t modes) {
    Character character = job.original;
    const learn::Attached attached = learn::attach(limited(job.skin, modes, job.set.vertices()), job.set, character,
                                                   surfaces_of(job), {.signed_weights = true, .poses = {}});
    return learn::summarize(learn::measure_poses(character, job.part, attached, job.set, examples, {}, &job.input),
                            job.set.vertices(), 0)
        .relative;
  };
  std::size_t low = 1, high = job.skin.order.size();
  if (const double least = error_with(high); least > wanted)
    work.warnings.push_back("--error: all " + std::to_string(high) + " modes within the budget leave " +
                            std::to_string(least) + " of linear blend's error; a larger --budget may leave less");
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (error_with(middle) <= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Of --targets and --for-engine the one that allows less.
std::string what_limits_targets(const FitOptions& o) {
  const Engine* engine = engine_of(o);
  if (engine == nullptr || !engine->morph_targets || o.targets.value_or(std::size_t(-1)) <= engine->morph_targets->most)
    return "--targets";
  return "--for-engine " + o.engine + ", which takes " + std::to_string(engine->morph_targets->most) +
         " morph targets: " + engine->morph_targets->reason;
}

void choose_modes(FitJob& job, const FitOptions& o, std::size_t most_modes, Work& work) {
  job.granted = job.skin.order.size();
  std::size_t modes = job.granted;
  if (o.error) {
    modes = modes_for_error(job, *o.error, work);
    job.chosen_by = "--error";
  } else if (o.modes) {
    job.chosen_by = "--modes";
  } else if (o.budget || o.targets) {
    job.chosen_by = o.budget ? "--budget" : "--targets";
  } else {
    modes = learn::knee(job.skin);
    job.chosen_by = "the knee of the error curve";
  }
  if (modes > most_modes) {
    modes = most_modes;
    job.chosen_by = what_limits_targets(o);
  }
  learn::keep_first(job.skin, modes);
}

/// The paper's trainer. Returns the skin with all that was kept, before crowded vertices are relieved.
Result<learn::EigenSkin> train_joints(FitJob& job, const FitOptions& o, std::size_t most_modes, Work& work) {
  learn::EigenSkinOptions options = o.learn;
  if (o.budget) options.budget.per_vertex = *o.budget;
  if (o.modes) {
    options.budget = {std::size_t(-1), std::size_t(-1), *o.modes};
    options.allocation = learn::Allocation::equal;
  }
  auto skin = learn::train_eigenskin(job.set, job.original, job.part, options, &work.warnings,
                                     within(work.progress, 0, trained));
  if (!skin) return skin.error();
  job.skin = std::move(*skin);
  choose_modes(job, o, most_modes, work);
  learn::EigenSkin unlimited = job.skin;
  job.skin = limited(job.skin, job.skin.order.size(), job.set.vertices());
  return unlimited;
}

/// The least number of modes whose skin leaves at most `wanted` on the training examples.
std::size_t modes_for_error(const FitJob& job, const learn::KernelTrainer& trainer, double wanted, std::size_t most,
                            Work& work) {
  const auto error_with = [&](std::size_t modes) { return errors_of(job, trainer.skin(modes))[0].relative; };
  std::size_t low = 1, high = most;
  if (const double least = error_with(high); least > wanted)
    work.warnings.push_back("--error: all " + std::to_string(high) + " modes leave " + std::to_string(least) +
                            " of linear blend's error; a larger --budget or --targets may leave less");
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (error_with(middle) <= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

learn::DetailOptions details_of(const FitOptions& o) {
  return {o.details, o.detail_reach_degrees * std::numbers::pi / 180};
}

/// Examples that will have a target of their own, at most.
std::size_t most_details(const FitJob& job, const FitOptions& o) {
  if (o.method != FitMethod::kernel) return 0;
  std::size_t tagged = 0;
  for (const Example& e : job.set.examples)
    tagged += e.role == Role::train && std::find(e.tags.begin(), e.tags.end(), learn::exact_tag) != e.tags.end();
  return tagged + o.details;
}

learn::KernelSkinOptions kernel_options(const FitOptions& o, std::size_t most_modes) {
  learn::KernelSkinOptions options;
  options.normals = o.learn.normals != learn::NormalModes::none;
  options.kernel.pairs = o.learn.coupling;
  if (o.targets) options.most_modes = most_modes;
  options.most_modes = std::min(options.most_modes, most_modes);
  if (o.budget) options.per_vertex = *o.budget;
  return options;
}

Result<learn::KernelTrainer> train_kernel(FitJob& job, const FitOptions& o, std::size_t most_modes, Work& work) {
  const learn::KernelSkinOptions options = kernel_options(o, most_modes);
  auto trainer = learn::KernelTrainer::make(job.set, job.original, job.part, options, &work.warnings,
                                            within(work.progress, 0, trained));
  if (!trainer) return trainer.error();
  job.granted = trainer->modes();
  job.kernel = trainer->kernel().choice();
  std::size_t modes = trainer->enough();
  job.chosen_by = "the error of examples left out";
  if (o.error) {
    modes = modes_for_error(job, *trainer, *o.error, job.granted, work);
    job.chosen_by = "--error";
  } else if (o.targets) {
    modes = job.granted;
    job.chosen_by = "--targets";
  }
  job.skin = trainer->skin(modes);
  auto details = learn::add_details(job.skin, trainer->examples(), job.original.skeleton, details_of(o));
  if (!details) return details.error();
  job.details = *details;
  return trainer;
}

/// Skins of fewer modes beside the one that is written.
void measure_smaller(FitJob& job, const learn::KernelTrainer& trainer) {
  const std::size_t modes = job.skin.order.size() - job.details;
  for (const std::size_t n : {modes / 8, modes / 4, modes / 2, 3 * modes / 4})
    if (n > 0 && (job.by_targets.empty() || job.by_targets.back().modes < n))
      job.by_targets.push_back({n, errors_of(job, trainer.skin(n))});
  job.by_targets.push_back({modes, job.errors});
}

}  // namespace

std::array<learn::ErrorSummary, 3> errors_of(const FitJob& job, const learn::EigenSkin& skin, learn::Group first) {
  Character character = job.original;
  const learn::Attached attached =
      learn::attach(skin, job.set, character, surfaces_of(job), {.signed_weights = true, .poses = {}});
  learn::ErrorMeter meter(character, job.part, attached, job.set, &job.input);
  return errors_of(meter, job, skin, {}, nullptr, first);
}

Result<FitJob> fit_modes(const FitOptions& o, Work& work) {
  FitJob job;
  job.method = o.method == FitMethod::kernel ? "Pose kernel" : "EigenSkin";
  if (auto ok = prepare(job, o, work); !ok) return ok.error();
  Character& character = job.model.character();
  const Engine* engine = engine_of(o);
  std::size_t most_targets = o.targets.value_or(std::size_t(-1));
  if (engine != nullptr && engine->morph_targets) most_targets = std::min(most_targets, engine->morph_targets->most);
  std::size_t had = 0;
  for (const std::size_t p : job.parts) had = std::max(had, character.parts[p].morphs.size());
  const std::size_t taken = had + most_details(job, o);
  const std::size_t most_modes = (most_targets - std::min(most_targets, taken)) / targets_per_mode(o);
  if (most_modes == 0)
    return Error{
        o.targets ? "--targets " + std::to_string(*o.targets) : "--for-engine " + o.engine,
        "leaves no room: " + std::to_string(taken) + " morph targets are there or for details, and a mode needs " +
            std::to_string(targets_per_mode(o)),
        o.details > 0 ? "allow more targets, or fewer --details" : "allow more targets, or use --normals shared"};
  const auto start = std::chrono::steady_clock::now();
  if (auto ok = refine_weights(job, o, work); !ok) return ok.error();
  const auto in_examples = [&](const Error& e) { return Error{o.examples + ", " + e.item, e.problem, e.remedy}; };
  std::optional<learn::KernelTrainer> trainer;
  learn::EigenSkin unlimited;
  if (o.method == FitMethod::kernel) {
    auto trained = train_kernel(job, o, most_modes, work);
    if (!trained) return in_examples(trained.error());
    trainer = std::move(*trained);
  } else {
    auto trained = train_joints(job, o, most_modes, work);
    if (!trained) return in_examples(trained.error());
    unlimited = std::move(*trained);
  }
  job.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  job.attaching = {o.signed_weights, poses_of_clips(character)};
  for (const auto& still : job.stills) job.attaching.poses.push_back(still.second);
  job.plain = job.model;
  attach_learnt(job, job.attaching);
  const Progress measuring = within(work.progress, trained, 1);
  report(measuring, "measuring", 0);
  learn::ErrorMeter meter(job.learnt, job.part, job.attached, job.set, &job.input);
  job.errors = errors_of(meter, job, job.skin, {}, &job.poses);
  report(measuring, "measuring", 0.3);
  if (trainer) {
    measure_smaller(job, *trainer);
    if (o.learning_curve) job.by_examples = learning_curve(job, kernel_options(o, most_modes), work);
  } else {
    measure_granted(job, meter);
    measure_curves(job, unlimited);
  }
  report(measuring, "measuring", 1);
  if (auto ok = gltf::put_morphs(job.model.document, job.model.imported, all_surfaces(job)); !ok) return ok.error();
  return job;
}

Result<void> fade(FitJob& job, std::span<const float> keep) {
  for (learn::Correction& c : job.skin.corrections)
    for (std::vector<std::vector<Vec3f>>* modes : {&c.positions, &c.normals})
      for (std::vector<Vec3f>& mode : *modes)
        for (std::size_t i = 0; i < mode.size(); ++i) mode[i] = mode[i] * keep[c.support.vertices[i]];
  job.model = *job.plain;
  attach_learnt(job, job.attaching);
  learn::ErrorMeter meter(job.learnt, job.part, job.attached, job.set, &job.input);
  job.errors = errors_of(meter, job, job.skin, {}, &job.poses);
  return gltf::put_morphs(job.model.document, job.model.imported, all_surfaces(job));
}

}  // namespace supple::workflow
