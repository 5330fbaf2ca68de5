#include "supple/author/simulate/calculix.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>  // mkdtemp
#include <functional>

#include "supple/author/simulate/calculix/deck.h"
#include "supple/author/simulate/calculix/results.h"
#include "supple/base/file.h"
#include "supple/base/parallel.h"
#include "supple/base/process.h"
#include "supple/base/text.h"

namespace supple::simulate {
namespace {

constexpr const char* job = "flesh";  // deck and output are named after it
constexpr const char* solver_output = "spooles.out";

/// The folder asked for, made where it is missing, or one that goes away again.
class WorkFolder {
 public:
  static Result<WorkFolder> make(const std::filesystem::path& wanted) {
    WorkFolder folder;
    std::error_code failed;
    if (!wanted.empty()) {
      std::filesystem::create_directories(wanted, failed);
      if (failed) return Error{wanted.string(), "cannot be made: " + failed.message(), "name a folder to write to"};
      folder.path_ = wanted;
      return folder;
    }
    std::string name = (std::filesystem::temp_directory_path(failed) / "supple-calculix-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr)
      return Error{name, "cannot be made", "set TMPDIR to a folder with space, or name one for the deck"};
    folder.path_ = name;
    folder.temporary_ = true;
    return folder;
  }
  WorkFolder(WorkFolder&& other) noexcept : path_(std::move(other.path_)), temporary_(other.temporary_) {
    other.temporary_ = false;
  }
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    if (temporary_) std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path file(const char* ending) const { return path_ / (std::string(job) + ending); }
  const std::filesystem::path& path() const { return path_; }

 private:
  WorkFolder() = default;
  std::filesystem::path path_;
  bool temporary_ = false;
};

Error install(const Error& cause) {
  return {cause.item, cause.problem, "install it (apt-get install calculix-ccx), or say where it is"};
}

CalculixSummary summary_of(const WorkFolder& folder) {
  const auto text = read_text(folder.file(".sta"));
  return text ? read_summary(*text) : CalculixSummary{};
}

/// Why it ended: its last error, or that of its sparse solver, which writes into a file of its own.
std::string last_words(const ProcessResult& ended, const WorkFolder& folder) {
  const std::string said = ended.out + ended.err;
  if (const std::size_t at = said.rfind("*ERROR"); at != std::string::npos)
    return said.substr(at, said.find("\n\n", at) - at);
  if (const auto solver = read_text(folder.path() / solver_output); solver && !last_lines(*solver, 1).empty())
    return last_lines(*solver, 1);
  return last_lines(said, 3);
}

Result<void> check_waypoints(const TissueModel& model, std::span<const std::vector<Vec3d>> waypoints) {
  if (waypoints.empty()) return Error{"CalculiX", "was given nowhere to go", "name at least one waypoint"};
  for (const std::vector<Vec3d>& waypoint : waypoints) {
    if (waypoint.size() != model.mesh().nodes.size())
      return Error{"CalculiX",
                   "was given " + std::to_string(waypoint.size()) + " positions for " +
                       std::to_string(model.mesh().nodes.size()) + " nodes",
                   ""};
    for (std::size_t v = 0; v < waypoint.size(); ++v) {
      if (model.bone_of()[v] != no_bone && !std::isfinite(squared_length(waypoint[v])))
        return Error{"node " + std::to_string(v), "is to be held at a position that is not finite", ""};
    }
  }
  return {};
}

}  // namespace

bool has_calculix(const CalculixOptions& options) {
  const auto said = run_process(options.program, {"-v"});  // its exit code is 201 then, as for errors
  return said.ok() && said->out.find("Version") != std::string::npos;
}

Result<CalculixResult> solve_with_calculix(const TissueModel& model, std::span<const std::vector<Vec3d>> waypoints,
                                           const CalculixOptions& options, const Progress& progress) {
  if (auto valid = check_waypoints(model, waypoints); !valid) return valid.error();
  auto folder = WorkFolder::make(options.folder);
  if (!folder) return folder.error();
  // Output of an earlier run must not be taken for that of this one.
  for (const auto& file : {folder->file(".dat"), folder->file(".sta"), folder->path() / solver_output}) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
  if (auto written = write_file(folder->file(".inp"), calculix_deck(model, waypoints, options.increments)); !written)
    return written.error();

  const std::string threads = std::to_string(options.threads != 0 ? options.threads : thread_count());
  const ProcessOptions surroundings{folder->path(),
                                    {{"OMP_NUM_THREADS", threads},
                                     {"CCX_NPROC_EQUATION_SOLVER", threads},
                                     {"CCX_NPROC_STIFFNESS", threads},
                                     {"CCX_NPROC_RESULTS", threads}}};
  const auto steps = static_cast<double>(waypoints.size());
  std::function<bool()> keep_going;
  if (progress)
    keep_going = [&] { return report(progress, "CalculiX", std::min(1.0, summary_of(*folder).time / steps)); };
  const auto start = std::chrono::steady_clock::now();
  auto ended = run_process(options.program, {"-i", job}, surroundings, options.timeout, keep_going);
  if (!ended) return install(ended.error());

  CalculixResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const CalculixSummary summary = summary_of(*folder);
  result.steps = static_cast<int>(waypoints.size());
  result.increments = summary.increments;
  result.iterations = summary.iterations;
  result.cutbacks = summary.cutbacks;
  if (ended->stopped) return Error{"simulation", "was stopped", ""};
  if (ended->timed_out) return Error{options.program, "took longer than it was given", "allow more time"};
  const auto dat = read_text(folder->file(".dat"));
  if (ended->ok() && dat) {
    auto shapes = read_displacements(*dat, model, waypoints);
    if (!shapes) return shapes.error();
    if (shapes->size() == waypoints.size()) {
      for (const std::vector<Vec3d>& shape : *shapes) result.health.push_back(model.health(shape));
      result.shapes = std::move(*shapes);
      return result;
    }
  }
  return Error{options.program,
               "gave up after " + std::to_string(summary.increments) + " increments, in step " +
                   std::to_string(static_cast<int>(summary.time) + 1) + " of " + std::to_string(waypoints.size()) +
                   ": " + last_words(*ended, *folder),
               "take smaller steps, or look into a folder where its output stays"};
}

Result<CalculixResult> calculix_walk(const Body& body, const Tissue& tissue, std::span<const Pose> poses,
                                     double max_step, const CalculixOptions& options, const Progress& progress) {
  const TissueModel& model = tissue.model;
  std::vector<std::vector<Vec3d>> waypoints;
  std::vector<std::size_t> arrivals;  // waypoint of each pose
  std::vector<Affined> motions(body.bones.size());
  Pose from = rest_pose(body.skeleton);
  for (const Pose& to : poses) {
    for (const Pose& pose : poses_between(from, to, max_step)) {
      bone_motions(body, pose, motions);
      std::vector<Vec3d>& waypoint = waypoints.emplace_back(model.mesh().nodes);
      for (std::size_t v = 0; v < waypoint.size(); ++v)
        if (const std::uint32_t bone = model.bone_of()[v]; bone != no_bone)
          waypoint[v] = motions[bone].point(waypoint[v]);
    }
    arrivals.push_back(waypoints.size() - 1);
    from = to;
  }
  auto result = solve_with_calculix(model, waypoints, options, progress);
  if (!result) return result;
  for (std::size_t p = 0; p < arrivals.size(); ++p) {
    std::swap(result->shapes[p], result->shapes[arrivals[p]]);
    result->health[p] = result->health[arrivals[p]];
  }
  result->shapes.resize(arrivals.size());
  result->health.resize(arrivals.size());
  return result;
}

}  // namespace supple::simulate
