#include "supple/workflow/jobs/simulate/teach_lattice.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "supple/base/file.h"
#include "supple/base/hash.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/rig/append_morphs.h"
#include "supple/workflow/jobs/simulate/folder.h"
#include "supple/workflow/jobs/simulate/job.h"
#include "supple/workflow/jobs/simulate/run_tasks.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"
#include "supple/workflow/jobs/simulate/teaching_plan.h"
#include "supple/workflow/jobs/simulate/weigh_poses.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t usual_poses = 200, usual_clip_frames = 240;
constexpr const char* record_name = "lattice.json";  // beside the examples: what they were made from
constexpr const char* poses_name = "poses.npy";      // beside the batches: for tasks elsewhere

Error in_input(const SimulateOptions& o, const Error& error) {
  return {o.input + ", " + error.item, error.problem, error.remedy};
}

/// Changes with everything but the poses that decides where they come out.
Result<Fingerprint> problem_of(const SimulateOptions& o, std::span<const std::size_t> parts) {
  const auto bytes = read_file(o.input);
  if (!bytes) return bytes.error();
  Fingerprint problem;
  problem.add(std::span(*bytes)).add(o.cells).add(o.contact).add(std::span(o.body.bones_part)).add(parts);
  return problem;
}

/// Tells whether examples that are there already are those which would be made.
std::string key_of(Fingerprint key, const LatticeTaught& taught) {
  for (const TeachingPose& pose : taught.poses) {
    key.add(std::span(pose.name)).add(static_cast<int>(pose.role));
    add_pose(key, pose.pose);
  }
  return fmt::format("{:016x}", key.value());
}

Result<void> write_record(const SimulateOptions& o, const std::string& key, const LatticeTaught& taught) {
  Json poses = Json::array();
  for (const LatticePose& p : taught.outcomes)
    poses.push_back({p.convergence.iterations, p.convergence.last_step, p.convergence.inverted, p.convergence.contacts,
                     p.convergence.overlap, p.farthest});
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
      read.outcomes.push_back(
          {{p[0].get<int>(), p[1].get<float>(), p[2].get<std::size_t>(), p[3].get<std::size_t>(), p[4].get<float>()},
           p[5].get<double>()});
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

/// The character and its skin, without poses.
Result<LatticeTaught> load_for_lattice(const SimulateOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  Character& character = model->character();
  remove_driven_morphs(character);  // of a file that was fitted: they would be learnt twice
  for (const DeformerKind* kind : deformers())
    if (kind->learnt && kind->moved == nullptr) kind->clear(character);
  auto parts = skin_parts(character, o.body.skin_part, o.body.bones_part);
  if (!parts) return in_input(o, parts.error());
  LatticeTaught taught;
  taught.model = std::move(*model);
  taught.parts = std::move(*parts);
  return taught;
}

/// The poses that options name.
Result<std::vector<TeachingPose>> choose_poses(const SimulateOptions& o, const Character& character, Work& work) {
  if (o.all_poses) {
    auto full = full_plan(character, usual_poses, usual_clip_frames);
    if (!full) return in_input(o, full.error());
    return std::move(full->poses);
  }
  const auto plan = plan_of(o, character, work);
  if (!plan) return plan.error();
  return teaching_poses(*plan, character);
}

Result<lattice::LatticeTeacher> make_teacher(const SimulateOptions& o, const LatticeTaught& taught, Work& work) {
  report(work.progress, "filling the skin with cells", 0);
  lattice::TeacherOptions options;
  options.cells = o.cells;
  if (!o.contact) options.elastic.pressure = 0;
  const Character& character = taught.model.character();
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (std::ranges::find(taught.parts, p) != taught.parts.end()) continue;
    if (character.parts[p].name == o.body.bones_part) options.bones.push_back(p);
    if (character.parts[p].name == muscles_part_name) options.muscles.push_back(p);
  }
  auto teacher = lattice::LatticeTeacher::make(character, taught.parts, options);
  if (!teacher) return in_input(o, teacher.error());
  return teacher;
}

std::vector<Pose> plain_poses(std::span<const TeachingPose> poses) {
  std::vector<Pose> plain;
  for (const TeachingPose& pose : poses) plain.push_back(pose.pose);
  return plain;
}

fs::path batch_folder(const SimulateOptions& o) { return fs::path(o.output) / "work"; }

Result<void> open_batch_folder(const SimulateOptions& o) {
  std::error_code failed;
  if (fs::create_directories(batch_folder(o), failed); failed)
    return Error{batch_folder(o).string(), "cannot be made: " + failed.message(), "choose another folder"};
  return {};
}

/// Solves what is not there yet; what cannot be solved is among `taught.failures`.
void solve(const LatticeBatches& batches, const SimulateOptions& o, LatticeTaught& taught, Work& work) {
  SimulateOptions options = o;
  if (o.farm.back_end != BackEnd::local) {
    const fs::path file = batch_folder(o) / poses_name;
    if (auto written = write_poses(file, batches.poses()); !written) {
      taught.failures.push_back(written.error().message());
      return;
    }
    options.task_command.insert(options.task_command.end(), {"--poses", file.string()});
  }
  const Progress posing = within(work.progress, 0, simulated);
  const auto report = run_tasks(batches.tasks(options.task_command), options, [&](std::string_view stage, double done) {
    return supple::report(posing, fmt::format("posing flesh, {}", stage), done);
  });
  if (!report) taught.failures.push_back(report.error().message());
  if (report && !report->failures.empty()) taught.failures.push_back(report->result().error().message());
}

Result<ExampleWriter> open_set(const SimulateOptions& o, const LatticeTaught& taught) {
  const std::string origin =
      fmt::format("supple simulate {} --deformer lattice", fs::path(o.input).filename().string());
  ExampleSubject subject = subject_of(taught.model.character(), taught.parts, origin);
  subject.zero_at_bind = true;
  return ExampleWriter::create(o.output, std::move(subject));
}

/// Writes the set of all finished poses, with one batch in memory at a time; none is better than an empty one.
Result<void> gather(const LatticeBatches& batches, const SimulateOptions& o, LatticeTaught& taught, Work& work) {
  auto writer = open_set(o, taught);
  if (!writer) return writer.error();
  const Progress progress = within(work.progress, simulated, 1);
  std::vector<TeachingPose> finished;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    report(progress, "gathering examples", static_cast<double>(b) / static_cast<double>(batches.size()));
    if (!batches.done(b)) continue;
    const auto solved = batches.read(b);
    if (!solved) {
      taught.failures.push_back(solved.error().message());
      continue;
    }
    for (std::size_t i = 0; i < solved->outcomes.size(); ++i) {
      TeachingPose& of = taught.poses[batches.first(b) + i];
      const Example example{of.name, of.sweep, of.role, of.tags, of.weight, 0, {}};
      const auto positions = std::span(solved->positions).subspan(i * taught.vertices, taught.vertices);
      if (auto added = writer->add(example, of.pose, positions); !added) return added;
      taught.outcomes.push_back(solved->outcomes[i]);
      finished.push_back(std::move(of));
    }
  }
  taught.missing = taught.poses.size() - finished.size();
  taught.poses = std::move(finished);
  if (taught.poses.empty()) return {};
  std::error_code failed;
  fs::remove(fs::path(o.output) / record_name, failed);  // of examples that are replaced now
  return writer->finish();
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
  auto taught = load_for_lattice(o, work);
  if (!taught) return taught.error();
  const Character& character = taught->model.character();
  auto chosen = poses.empty() ? choose_poses(o, character, work) : Result<std::vector<TeachingPose>>(std::move(poses));
  if (!chosen) return chosen.error();
  taught->poses = std::move(*chosen);
  const auto problem = problem_of(o, taught->parts);
  if (!problem) return problem.error();
  const std::string key = key_of(*problem, *taught);
  if (o.resume && read_record(o, key, *taught)) return taught;
  const auto start = std::chrono::steady_clock::now();
  const auto teacher = make_teacher(o, *taught, work);
  if (!teacher) return teacher.error();
  taught->vertices = teacher->vertices();
  taught->elastic_vertices = teacher->elastic_vertices();
  taught->hard_pieces = teacher->hard_pieces();
  if (teacher->lattice() != nullptr) taught->cells = teacher->lattice()->lattice().cells.size();
  weigh_poses(*taught, *teacher);
  if (auto opened = open_folder(o); !opened) return opened.error();
  if (auto opened = open_batch_folder(o); !opened) return opened.error();
  const LatticeBatches batches(*teacher, plain_poses(taught->poses), *problem, batch_folder(o));
  solve(batches, o, *taught, work);
  taught->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (auto ok = gather(batches, o, *taught, work); !ok) return in_input(o, ok.error());
  if (taught->missing > 0 || taught->poses.empty()) return taught;
  if (auto written = write_record(o, key, *taught); !written) return written.error();
  batches.remove_files();
  std::error_code failed;
  fs::remove(batch_folder(o) / poses_name, failed);
  fs::remove(batch_folder(o), failed);  // where nothing else is in it
  return taught;
}

Result<std::size_t> teach_lattice_batch(const SimulateOptions& o, Work& work) {
  auto taught = load_for_lattice(o, work);
  if (!taught) return taught.error();
  const Character& character = taught->model.character();
  const bool chosen = !o.poses_file.empty();
  if (!chosen) {
    auto own = choose_poses(o, character, work);
    if (!own) return own.error();
    taught->poses = std::move(*own);
  }
  const auto problem = problem_of(o, taught->parts);
  if (!problem) return problem.error();
  const auto teacher = make_teacher(o, *taught, work);
  if (!teacher) return teacher.error();
  if (!chosen) weigh_poses(*taught, *teacher);
  auto poses = chosen ? read_poses(o.poses_file, character.skeleton.size())
                      : Result<std::vector<Pose>>(plain_poses(taught->poses));
  if (!poses) return poses.error();
  if (auto opened = open_batch_folder(o); !opened) return opened.error();
  const LatticeBatches batches(*teacher, std::move(*poses), *problem, batch_folder(o));
  const auto batch = static_cast<std::size_t>(o.task);
  if (batch >= batches.size())
    return Error{fmt::format("task {}", batch), fmt::format("is not one of the {} batches of poses", batches.size()),
                 ""};
  if (!batches.done(batch))
    if (auto solved = batches.solve(batch); !solved) return solved.error();
  return batches.first(batch + 1) - batches.first(batch);
}

}  // namespace supple::workflow
