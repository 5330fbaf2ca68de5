#include "supple/workflow/jobs/simulate/teach.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/pose_plan_file.h"
#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/deformers.h"
#include "supple/rig/joined_parts.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/simulate/folder.h"
#include "supple/workflow/jobs/simulate/job.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Result<Taught> load_teacher(const SimulateOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  Character& character = model->character();
  // Of a file that was fitted: they would be learnt twice. A pose space is what is to be learnt.
  if (o.deformer->moved == nullptr) remove_driven_morphs(character);
  auto parts = o.deformer == &pose_space_kind && o.body.skin_part.empty() && character.pose_space
                   ? std::vector{std::size_t{character.pose_space->part}}
                   : skin_parts(character, o.body.skin_part, o.body.bones_part);
  if (!parts) return Error{o.input + ", " + parts.error().item, parts.error().problem, parts.error().remedy};
  for (const DeformerKind* kind : deformers())
    if (kind->learnt && kind->moved == nullptr && kind != o.deformer) kind->clear(character);
  Character teacher = character;
  std::vector<std::size_t> taught = *parts;
  if (o.deformer->count(character) == 0 && o.deformer->add_usual != nullptr) {
    if (parts->size() > 1) {
      teacher = merge_parts(character, *parts, Seams::kept).character;
      taught = {0};
    }
    o.deformer->add_usual(teacher, static_cast<std::uint32_t>(taught[0]));
    work.warnings.push_back(o.input + ": has no " + o.deformer->name + " of its own; usual values are used (" +
                            o.deformer->made_by + ")");
  }
  if (o.deformer->count(teacher) == 0 ||
      (o.deformer == &pose_space_kind && *parts != std::vector{std::size_t{character.pose_space->part}}))
    return Error{o.input + ", " + words_of_parts(character, *parts), std::string("has no ") + o.deformer->name,
                 o.deformer->made_by};
  auto plan = plan_of(o, character, work);
  if (!plan) return plan.error();
  const Blend blend = o.deformer == &kinodynamic_kind ? Blend::kinodynamic : Blend::linear;
  return Taught{
      std::move(*model), std::move(*parts), std::move(teacher), std::move(taught), blend, std::move(*plan), {}, 0};
}

/// Evaluates, measures and writes the poses one by one, until all are done or the work is stopped.
Result<void> teach_poses(Taught& taught, ExampleWriter& writer, Work& work) {
  const Character& character = taught.teacher;
  auto skin = Skin::make(character, taught.blend, {}, &work.warnings);
  if (!skin) return skin.error();
  const JoinedParts joined(character, taught.taught);
  const Mesh rest{taught.positions(*skin), {}, joined.triangles()};
  const auto crossings = measure::SelfIntersectionTest::make(rest);
  if (!crossings) return crossings.error();
  const auto closed = measure::closed_volume(rest);
  if (!closed) work.warnings.push_back("no volume is measured: " + closed.error().message());
  const float size = size_of(character.skeleton, rest.positions);
  const std::size_t all = taught.plan.pose_count();
  for (std::size_t w = 0; w < taught.plan.sweeps.size(); ++w) {
    for (std::size_t p = 0; p < taught.plan.sweeps[w].poses.size(); ++p) {
      const PlannedPose& planned = taught.plan.sweeps[w].poses[p];
      const std::size_t done = taught.poses.size() + taught.missing;
      if (!report(work.progress, "deforming", static_cast<double>(done) / static_cast<double>(all))) {
        taught.missing = all - taught.poses.size();
        return {};
      }
      Pose pose = pose_of(planned, character.skeleton);
      pose.morph_weights = character.morph_weights;
      TaughtPose result{w, p, {}, 0, 0, {}};
      const auto start = Clock::now();
      if (auto posed = skin->evaluate(pose); !posed) return posed.error();
      result.seconds = seconds_since(start);
      Example example;
      example.name = planned.name;
      example.sweep = taught.plan.sweeps[w].name;
      example.role = planned.role;
      example.tags = planned.tags;
      example.weight = planned.weight;
      const std::vector<Vec3f> positions = taught.positions(*skin);
      const std::vector<Vec3f> normals = joined.join([&](std::size_t of) { return skin->normals(of); });
      if (auto sound = check_example(example, character.skeleton, pose.local, positions, normals, rest.positions, size);
          !sound) {
        work.warnings.push_back("left out: " + sound.error().message());
        ++taught.missing;
        continue;
      }
      if (closed) {
        if (const auto volume = measure::volume_change(rest, positions)) result.volume_change = volume->relative;
      }
      if (const auto found = crossings->run(positions, 0)) result.new_triangles = found->new_triangles;
      if (result.new_triangles > 0) result.flags.push_back("self-intersecting");
      example.flags = result.flags;
      if (auto added = writer.add(example, pose, positions); !added) return added.error();
      taught.poses.push_back(std::move(result));
    }
  }
  return {};
}

/// The file as supple fit will see it, without what was learnt before.
Character without_corrections(Character character) {
  remove_driven_morphs(character);
  return character;
}

}  // namespace

std::vector<Vec3f> Taught::positions(const Skin& skin) const {
  std::vector<Vec3f> all;
  for (const std::size_t p : taught) all.insert(all.end(), skin.positions(p).begin(), skin.positions(p).end());
  return all;
}

Result<Taught> teach(const SimulateOptions& o, Work& work) {
  if (auto usable = check_folder(o); !usable) return usable.error();
  auto taught = load_teacher(o, work);
  if (!taught) return taught.error();
  if (auto opened = open_folder(o); !opened) return opened.error();
  if (auto written = write_pose_plan(written_plan(o), taught->plan); !written) return written.error();
  const std::string origin =
      fmt::format("supple simulate {} --deformer {}", fs::path(o.input).filename().string(), o.deformer->teacher);
  auto writer = ExampleWriter::create(
      o.output, subject_of(without_corrections(taught->model.character()), taught->parts, origin));
  if (!writer) return writer.error();
  if (auto ok = teach_poses(*taught, *writer, work); !ok)
    return Error{o.input + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
  if (!taught->poses.empty())  // no set is better than an empty one
    if (auto finished = writer->finish(); !finished) return finished.error();
  return taught;
}

}  // namespace supple::workflow
