#include "cli/simulate/distil.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "cli/simulate/folder.h"
#include "cli/simulate/job.h"
#include "cli/simulate/sheet.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/pose_plan_file.h"
#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/deformers.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Result<void> refuse_tissue_options(const SimulateOptions& o) {
  for (const Option& option : o.tissue_only) {
    if (!option.given()) continue;
    return Error{option.name(), std::string("is about simulated tissue, not --deformer ") + o.deformer->teacher,
                 "leave it out, or use --deformer tissue"};
  }
  return {};
}

struct Teacher {
  Model model;
  std::size_t part = 0;
  PosePlan plan;
};

Result<Teacher> load_teacher(const SimulateOptions& o, Session& session) {
  auto model = load_model(o.input, session);
  if (!model) return model.error();
  Character& character = model->character();
  // Of a file that was fitted: they would be learnt twice. A pose space is what is to be learnt.
  if (o.deformer->moved == nullptr) remove_driven_morphs(character);
  const auto part = find_part(character, o.body.skin_part);
  if (!part) return Error{o.input + ", " + part.error().item, part.error().problem, part.error().remedy};
  if (!character.parts[*part].skin)
    return Error{o.input + ", part '" + character.parts[*part].name + "'", "is not bound to joints",
                 "supple bind gives it skin weights"};
  for (const DeformerKind* kind : deformers())
    if (kind->learnt && kind->moved == nullptr && kind != o.deformer) kind->clear(character);
  if (o.deformer->count(character) == 0 && o.deformer->add_usual != nullptr) {
    o.deformer->add_usual(character, static_cast<std::uint32_t>(*part));
    session.warnings.push_back(o.input + ": has no " + o.deformer->name + " of its own; usual values are used (" +
                               o.deformer->made_by + ")");
  }
  if (o.deformer->count(character) == 0 || (o.deformer == &pose_space_kind && character.pose_space->part != *part))
    return Error{o.input + ", part '" + character.parts[*part].name + "'", std::string("has no ") + o.deformer->name,
                 o.deformer->made_by};
  auto plan = plan_of(o, character, session);
  if (!plan) return plan.error();
  return Teacher{std::move(*model), *part, std::move(*plan)};
}

/// A pose that went into the set.
struct TaughtPose {
  std::size_t sweep = 0;
  const PlannedPose* planned = nullptr;
  std::optional<double> volume_change;  // relative to rest; none of an open skin
  std::size_t new_triangles = 0;        // that cross others where they do not at rest
  double seconds = 0;                   // to evaluate it
  std::vector<std::string> flags;
};

struct TaughtPoses {
  std::vector<TaughtPose> given;
  std::size_t missing = 0;
};

/// Evaluates, measures and writes the poses one by one, until all are done or Ctrl-C was pressed.
Result<TaughtPoses> teach(const Teacher& teacher, Skin& skin, ExampleWriter& writer, Session& session) {
  const Character& character = teacher.model.character();
  const std::size_t part = teacher.part;
  const Mesh rest{{skin.positions(part).begin(), skin.positions(part).end()}, {}, character.parts[part].mesh.triangles};
  const auto crossings = measure::SelfIntersectionTest::make(rest);
  if (!crossings) return crossings.error();
  const auto closed = measure::closed_volume(rest);
  if (!closed) session.warnings.push_back("no volume is measured: " + closed.error().message());
  const float size = size_of(character.skeleton, rest.positions);
  const Progress progress = session.progress();
  TaughtPoses taught;
  const std::size_t all = teacher.plan.pose_count();
  for (std::size_t w = 0; w < teacher.plan.sweeps.size(); ++w) {
    for (const PlannedPose& planned : teacher.plan.sweeps[w].poses) {
      const std::size_t done = taught.given.size() + taught.missing;
      if (!report(progress, "deforming", static_cast<double>(done) / static_cast<double>(all))) {
        taught.missing = all - taught.given.size();
        return taught;
      }
      Pose pose = pose_of(planned, character.skeleton);
      pose.morph_weights = character.morph_weights;
      TaughtPose pose_taught{w, &planned, {}, 0, 0, {}};
      const auto start = Clock::now();
      if (auto posed = skin.evaluate(pose); !posed) return posed.error();
      pose_taught.seconds = seconds_since(start);
      Example example;
      example.name = planned.name;
      example.sweep = teacher.plan.sweeps[w].name;
      example.role = planned.role;
      example.tags = planned.tags;
      example.weight = planned.weight;
      const std::span<const Vec3f> positions = skin.positions(part);
      if (auto sound = check_example(example, character.skeleton, pose.local, positions, skin.normals(part),
                                     rest.positions, size);
          !sound) {
        session.warnings.push_back("left out: " + sound.error().message());
        ++taught.missing;
        continue;
      }
      if (closed) {
        if (const auto volume = measure::volume_change(rest, positions)) pose_taught.volume_change = volume->relative;
      }
      if (const auto found = crossings->run(positions, 0)) pose_taught.new_triangles = found->new_triangles;
      if (pose_taught.new_triangles > 0) pose_taught.flags.push_back("self-intersecting");
      example.flags = pose_taught.flags;
      if (auto added = writer.add(example, pose, positions); !added) return added.error();
      taught.given.push_back(std::move(pose_taught));
    }
  }
  return taught;
}

/// The skin that is learnt from the set is judged by the plan's test poses, which fit reports as held out.
std::string fit_command(const SimulateOptions& o) {
  const std::string name = fs::path(o.input).stem().string();
  return fmt::format("supple fit {} --examples {} -o {}-skin.glb --report {}-skin.html", o.input, o.output, name, name);
}

/// The file as supple fit will see it, without what was learnt before.
Character without_corrections(Character character) {
  remove_driven_morphs(character);
  return character;
}

Json report_of(const Teacher& teacher, const TaughtPoses& taught, const SimulateOptions& o, const Warnings& warnings) {
  Json poses = Json::array();
  double seconds = 0;
  const TaughtPose* volume = nullptr;
  const TaughtPose* crossing = nullptr;
  std::size_t intersecting = 0;
  for (const TaughtPose& l : taught.given) {
    seconds += l.seconds;
    intersecting += l.new_triangles > 0 ? 1 : 0;
    if (l.volume_change && (volume == nullptr || std::abs(*l.volume_change) > std::abs(*volume->volume_change)))
      volume = &l;
    if (l.new_triangles > (crossing == nullptr ? 0 : crossing->new_triangles)) crossing = &l;
    poses.push_back({{"name", l.planned->name},
                     {"sweep", teacher.plan.sweeps[l.sweep].name},
                     {"role", l.planned->role == Role::train ? "train" : "test"},
                     {"seconds", l.seconds},
                     {"volume_change", l.volume_change ? Json(*l.volume_change) : Json()},
                     {"intersecting_triangles", l.new_triangles},
                     {"flags", l.flags}});
  }
  Json report = {
      {"model", o.input},
      {"deformer", o.deformer->teacher},
      {"deformer_summary", std::string(o.deformer->name) + ": " + o.deformer->summary(teacher.model.character())},
      {"part", teacher.model.character().parts[teacher.part].name}};
  report.update({{"poses_finished", taught.given.size()},
                 {"poses_missing", taught.missing},
                 {"sweeps", teacher.plan.sweeps.size()},
                 {"seconds_per_pose", taught.given.empty() ? 0 : seconds / static_cast<double>(taught.given.size())},
                 {"worst_volume_change", volume == nullptr ? Json() : Json(*volume->volume_change)},
                 {"worst_volume_pose", volume == nullptr ? "" : volume->planned->name},
                 {"intersecting_poses", intersecting},
                 {"most_intersecting_triangles", crossing == nullptr ? 0 : crossing->new_triangles},
                 {"most_intersecting_pose", crossing == nullptr ? "" : crossing->planned->name},
                 {"fit_command", fit_command(o)},
                 {"warnings", warnings},
                 {"poses", std::move(poses)}});
  return report;
}

Outcome summary(const SimulateOptions& o, const Json& report) {
  const auto count = [&](const char* key) { return report[key].get<std::size_t>(); };
  Outcome outcome;
  outcome.json = report;
  outcome.text =
      fmt::format("{}: {} of {} poses, {:.0f} ms each; ", o.output, count("poses_finished"),
                  count("poses_finished") + count("poses_missing"), report["seconds_per_pose"].get<double>() * 1000);
  if (!report["worst_volume_change"].is_null())
    outcome.text += fmt::format("volume at most {:+.3f} % ('{}'), ", report["worst_volume_change"].get<double>() * 100,
                                report["worst_volume_pose"].get<std::string>());
  outcome.text +=
      count("intersecting_poses") == 0
          ? "no pose cuts through itself\n"
          : fmt::format("{} cut through themselves, most of all '{}' with {} triangles\n", count("intersecting_poses"),
                        report["most_intersecting_pose"].get<std::string>(), count("most_intersecting_triangles"));
  if (count("poses_missing") > 0) {
    outcome.text += "Not complete; the same command with --force begins again.\n";
    outcome.exit_code = incomplete;
  }
  if (count("poses_finished") > 0)
    outcome.text += "next, a plain file, and how far it is from this in poses that were held out:\n  " +
                    report["fit_command"].get<std::string>() + "\n";
  return outcome;
}

}  // namespace

Result<Outcome> distil(const SimulateOptions& o, Session& session) {
  if (auto fits = refuse_tissue_options(o); !fits) return fits.error();
  if (auto usable = check_folder(o); !usable) return usable.error();
  const auto teacher = load_teacher(o, session);
  if (!teacher) return teacher.error();
  const Character& character = teacher->model.character();
  const Blend blend = o.deformer == &kinodynamic_kind ? Blend::kinodynamic : Blend::linear;
  auto skin = Skin::make(character, blend, Driven::live, &session.warnings);
  if (!skin) return Error{o.input + ", " + skin.error().item, skin.error().problem, skin.error().remedy};
  if (auto opened = open_folder(o); !opened) return opened.error();
  if (auto written = write_pose_plan(fs::path(o.output) / "plan.json", teacher->plan); !written) return written.error();
  const std::string origin =
      fmt::format("supple simulate {} --deformer {}", fs::path(o.input).filename().string(), o.deformer->teacher);
  auto writer = ExampleWriter::create(o.output, subject_of(without_corrections(character), teacher->part, origin));
  if (!writer) return writer.error();
  const auto taught = teach(*teacher, *skin, *writer, session);
  if (!taught) return taught.error();
  if (!taught->given.empty())  // no set is better than an empty one
    if (auto finished = writer->finish(); !finished) return finished.error();

  Json report = report_of(*teacher, *taught, o, session.warnings);
  const DrawSheet sheet = [&] {
    std::vector<SheetPose> poses;
    for (const TaughtPose& l : taught->given)
      poses.push_back({l.sweep, l.planned->name + (l.flags.empty() ? "" : ", " + l.flags[0]), !l.flags.empty()});
    const auto positions = [&](std::size_t i) -> std::optional<std::vector<Vec3f>> {
      Pose pose = pose_of(*taught->given[i].planned, character.skeleton);
      pose.morph_weights = character.morph_weights;
      if (!skin->evaluate(pose)) return std::nullopt;
      return std::vector<Vec3f>(skin->positions(teacher->part).begin(), skin->positions(teacher->part).end());
    };
    return draw_sheet(character, teacher->part, poses, positions, session.progress());
  };
  write_reports(o, report, distil_html, taught->given.empty() ? DrawSheet() : sheet, session);
  return summary(o, report);
}

}  // namespace supple::cli
