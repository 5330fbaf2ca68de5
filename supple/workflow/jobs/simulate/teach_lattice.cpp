#include "supple/workflow/jobs/simulate/teach_lattice.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "supple/base/file.h"
#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/joined_parts.h"
#include "supple/workflow/jobs/simulate/finished_poses.h"
#include "supple/workflow/jobs/simulate/folder.h"
#include "supple/workflow/jobs/simulate/job.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"
#include "supple/workflow/jobs/simulate/teaching_plan.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_poses = 200, usual_clip_frames = 240;
constexpr const char* record_name = "lattice.json";  // beside the examples: what they were made from

/// Tells whether examples that are there already are those which would be made.
Result<std::string> key_of(const SimulateOptions& o, const LatticeTaught& taught) {
  const auto bytes = read_file(o.input);
  if (!bytes) return bytes.error();
  Fingerprint key;
  key.add(std::span(*bytes)).add(o.cells);
  for (const std::size_t p : taught.parts) key.add(p);
  for (const TeachingPose& pose : taught.poses) {
    key.add(std::span(pose.name)).add(static_cast<int>(pose.role));
    for (const Transformf& t : pose.pose.local)
      for (const float x : {t.translation.x, t.translation.y, t.translation.z, t.rotation.x, t.rotation.y, t.rotation.z,
                            t.rotation.w, t.scale.x, t.scale.y, t.scale.z})
        key.add(x);
  }
  return fmt::format("{:016x}", key.value());
}

Result<void> write_record(const SimulateOptions& o, const std::string& key, const LatticeTaught& taught) {
  Json poses = Json::array();
  for (const LatticePose& p : taught.outcomes)
    poses.push_back({p.convergence.iterations, p.convergence.last_step, p.convergence.inverted, p.farthest});
  Json names = Json::array(), weights = Json::array();
  for (const TeachingPose& pose : taught.poses) names.push_back(pose.name), weights.push_back(pose.weight);
  const Json record = {{"key", key},
                       {"poses", poses},
                       {"names", names},
                       {"weights", weights},
                       {"vertices", taught.vertices},
                       {"elastic_vertices", taught.elastic_vertices},
                       {"hard_pieces", taught.hard_pieces},
                       {"cells", taught.cells}};
  return write_file(fs::path(o.output) / record_name, record.dump(1));
}

/// Whether the folder holds the same examples, whole; then `taught` says what became of them. Else it stays as it is.
bool read_record(const SimulateOptions& o, const std::string& key, LatticeTaught& taught) {
  std::error_code failed;
  if (!fs::exists(fs::path(o.output) / "examples.json", failed)) return false;
  const auto text = read_text(fs::path(o.output) / record_name);
  if (!text) return false;
  try {
    const Json record = Json::parse(*text);
    if (record["key"].get<std::string>() != key) return false;
    const Json &names = record["names"], &weights = record["weights"], &poses = record["poses"];
    if (weights.size() != names.size() || poses.size() != names.size()) return false;  // stopped before its end
    LatticeTaught read;
    for (const TeachingPose& pose : taught.poses) {
      const std::size_t next = read.poses.size();
      if (next == names.size() || names[next].get<std::string>() != pose.name) continue;
      read.poses.push_back(pose);
      read.poses.back().weight = weights[next].get<float>();
    }
    if (read.poses.size() != names.size()) return false;
    for (const Json& p : poses)
      read.outcomes.push_back({{p[0].get<int>(), p[1].get<float>(), p[2].get<std::size_t>()}, p[3].get<double>()});
    read.vertices = record["vertices"].get<std::size_t>();
    read.elastic_vertices = record["elastic_vertices"].get<std::size_t>();
    read.hard_pieces = record["hard_pieces"].get<std::size_t>();
    read.cells = record["cells"].get<std::size_t>();
    read.absurd = taught.poses.size() - read.poses.size();
    read.model = std::move(taught.model);
    read.parts = std::move(taught.parts);
    taught = std::move(read);
  } catch (const JsonError&) {
    return false;
  }
  return true;
}

/// Poses that are solved one after another before they are written: as many for each thread as share a vector.
std::size_t poses_at_once() { return lattice::lanes * thread_count(); }

Result<LatticeTaught> load_for_lattice(const SimulateOptions& o, std::vector<TeachingPose> poses, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  Character& character = model->character();
  remove_driven_morphs(character);  // of a file that was fitted: they would be learnt twice
  for (const DeformerKind* kind : deformers())
    if (kind->learnt && kind->moved == nullptr) kind->clear(character);
  auto parts = skin_parts(character, o.body.skin_part, o.body.bones_part);
  if (!parts) return Error{o.input + ", " + parts.error().item, parts.error().problem, parts.error().remedy};
  if (poses.empty() && o.all_poses) {
    auto full = full_plan(character, usual_poses, usual_clip_frames);
    if (!full) return Error{o.input + ", " + full.error().item, full.error().problem, full.error().remedy};
    poses = std::move(full->poses);
  }
  if (poses.empty()) {
    const auto plan = plan_of(o, character, work);
    if (!plan) return plan.error();
    poses = teaching_poses(*plan, character);
  }
  LatticeTaught taught;
  taught.model = std::move(*model);
  taught.parts = std::move(*parts);
  taught.poses = std::move(poses);
  return taught;
}

constexpr float beside_clips = 0.5f;  // what another pose counts at most

bool is_of_clip(const TeachingPose& pose) { return std::ranges::find(pose.tags, clip_tag) != pose.tags.end(); }

/// RMS of edge length / length as bound - 1, by linear blend.
double linear_strain(const lattice::LatticeTeacher& teacher, std::span<const Triangle> triangles, const Pose& pose) {
  const std::vector<Vec3d> is = teacher.linear(pose);
  const std::vector<Vec3d>& was = teacher.reference();
  double sum = 0;
  std::size_t edges = 0;
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double before = length(was[a] - was[b]);
      if (!(before > 0)) continue;
      const double strain = length(is[a] - is[b]) / before - 1;
      sum += std::min(strain * strain, 100.0);  // slivers must not speak for all
      ++edges;
    }
  return edges > 0 ? std::sqrt(sum / static_cast<double>(edges)) : 0;
}

/// See teach_lattice().
void weigh_poses(LatticeTaught& taught, const lattice::LatticeTeacher& teacher) {
  const JoinedParts joined(taught.model.character(), taught.parts);
  std::vector<double> strain(taught.poses.size());
  parallel_for(strain.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      strain[i] = linear_strain(teacher, joined.triangles(), taught.poses[i].pose);
  });
  double most = 0, squares = 0;
  std::size_t frames = 0;
  const bool clips = std::ranges::any_of(taught.poses, is_of_clip);
  for (std::size_t i = 0; i < strain.size(); ++i) {
    if (clips && !is_of_clip(taught.poses[i])) continue;
    most = std::max(most, strain[i]);
    squares += strain[i] * strain[i];
    ++frames;
  }
  if (frames == 0 || squares == 0) return;
  const double usual = squares / static_cast<double>(frames);
  std::vector<TeachingPose> kept;
  for (std::size_t i = 0; i < strain.size(); ++i) {
    TeachingPose& pose = taught.poses[i];
    if (!(clips && is_of_clip(pose))) {
      if (clips && strain[i] > absurd_strain * most) {
        ++taught.absurd;
        continue;
      }
      const auto gentler = static_cast<float>(std::min(1.0, usual / std::max(strain[i] * strain[i], 1e-30)));
      pose.weight *= clips ? beside_clips * gentler : gentler;
    }
    kept.push_back(std::move(pose));
  }
  taught.poses = std::move(kept);
}

Result<void> add_example(LatticeTaught& taught, const LatticePose& outcome, std::span<const Vec3f> positions,
                         ExampleWriter& writer) {
  const TeachingPose& of = taught.poses[taught.outcomes.size()];
  const Example example{of.name, of.sweep, of.role, of.tags, of.weight, 0, {}};
  if (auto added = writer.add(example, of.pose, positions); !added) return added;
  taught.outcomes.push_back(outcome);
  return {};
}

/// Adds the poses that an earlier run had finished.
Result<void> take_finished(LatticeTaught& taught, FinishedPoses& finished, ExampleWriter& writer) {
  std::vector<Vec3f> positions(taught.vertices);
  for (std::size_t i = 0; i < std::min(finished.size(), taught.poses.size()); ++i) {
    FinishedPose pose;
    if (auto read = finished.read(i, pose, positions); !read) return read;
    const LatticePose outcome{{pose.iterations, pose.last_step, static_cast<std::size_t>(pose.inverted)},
                              pose.farthest};
    if (auto added = add_example(taught, outcome, positions, writer); !added) return added;
  }
  return {};
}

Result<void> teach_poses(LatticeTaught& taught, const lattice::LatticeTeacher& teacher, FinishedPoses& finished,
                         ExampleWriter& writer, Work& work) {
  const std::size_t all = taught.poses.size();
  const auto start = std::chrono::steady_clock::now();
  if (auto taken = take_finished(taught, finished, writer); !taken) return taken;
  for (std::size_t first = taught.outcomes.size(); first < all; first += poses_at_once()) {
    const double done = static_cast<double>(first) / static_cast<double>(all);
    if (!report(work.progress, "posing flesh", done)) break;
    const std::size_t count = std::min(poses_at_once(), all - first);
    std::vector<std::vector<Vec3f>> positions(count);
    std::vector<LatticePose> outcomes(count);
    parallel_for(count, lattice::lanes, [&](std::size_t begin, std::size_t end) {
      std::vector<Pose> poses;
      for (std::size_t i = begin; i < end; ++i) poses.push_back(taught.poses[first + i].pose);
      std::vector<lattice::PoseConvergence> convergence(end - begin);
      teacher.pose(poses, std::span(positions).subspan(begin, end - begin), convergence);
      for (std::size_t i = begin; i < end; ++i) {
        outcomes[i].convergence = convergence[i - begin];
        const std::vector<Vec3d> blend = teacher.linear(poses[i - begin]);
        for (std::size_t v = 0; v < blend.size(); ++v)
          outcomes[i].farthest = std::max(outcomes[i].farthest, length(Vec3d(positions[i][v]) - blend[v]));
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const lattice::PoseConvergence& c = outcomes[i].convergence;
      const FinishedPose pose{c.iterations, c.last_step, c.inverted, outcomes[i].farthest};
      if (auto kept = finished.add(pose, positions[i]); !kept) return kept;
      if (auto added = add_example(taught, outcomes[i], positions[i], writer); !added) return added;
    }
  }
  taught.missing = all - taught.outcomes.size();
  taught.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

}  // namespace

std::size_t LatticeTaught::unconverged() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcomes, [](const LatticePose& p) { return p.convergence.last_step > unconverged_step; }));
}

double LatticeTaught::farthest() const {
  double most = 0;
  for (const LatticePose& pose : outcomes) most = std::max(most, pose.farthest);
  return most;
}

Result<LatticeTaught> teach_lattice(const SimulateOptions& o, std::vector<TeachingPose> poses, Work& work) {
  if (auto usable = check_folder(o); !usable) return usable.error();
  auto taught = load_for_lattice(o, std::move(poses), work);
  if (!taught) return taught.error();
  const auto key = key_of(o, *taught);
  if (!key) return key.error();
  if (o.resume && read_record(o, *key, *taught)) return taught;
  const Character& character = taught->model.character();
  report(work.progress, "filling the skin with cells", 0);
  const auto start = std::chrono::steady_clock::now();
  const auto teacher = lattice::LatticeTeacher::make(character, taught->parts, {o.cells, {}});
  if (!teacher) return Error{o.input + ", " + teacher.error().item, teacher.error().problem, teacher.error().remedy};
  taught->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  taught->vertices = teacher->vertices();
  taught->elastic_vertices = teacher->elastic_vertices();
  taught->hard_pieces = teacher->hard_pieces();
  if (teacher->lattice() != nullptr) taught->cells = teacher->lattice()->lattice().cells.size();
  weigh_poses(*taught, *teacher);
  if (auto opened = open_folder(o); !opened) return opened.error();
  const std::string origin =
      fmt::format("supple simulate {} --deformer lattice", fs::path(o.input).filename().string());
  ExampleSubject subject = subject_of(character, taught->parts, origin);
  subject.zero_at_bind = true;
  auto writer = ExampleWriter::create(o.output, std::move(subject));
  if (!writer) return writer.error();
  const fs::path work_folder = fs::path(o.output) / "work";
  std::error_code failed;
  fs::create_directories(work_folder, failed);
  auto finished_poses = FinishedPoses::open(work_folder / "lattice.bin", *key, taught->vertices);
  if (!finished_poses) return finished_poses.error();
  if (auto ok = teach_poses(*taught, *teacher, *finished_poses, *writer, work); !ok)
    return Error{o.input + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
  if (taught->outcomes.empty()) return taught;
  if (auto finished = writer->finish(); !finished) return finished.error();
  if (auto written = write_record(o, *key, *taught); !written) return written.error();
  if (taught->missing == 0) {
    finished_poses->remove();
    fs::remove(work_folder, failed);  // where nothing else is in it
  }
  return taught;
}

}  // namespace supple::workflow
