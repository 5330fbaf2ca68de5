// supple scan phantom: scans of a hand that is known, with the truth beside them.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "cli/scan/commands/scan.h"
#include "supple/base/file.h"
#include "supple/files/json_file.h"
#include "supple/files/obj.h"
#include "supple/files/stl.h"
#include "supple/imaging/label_file.h"
#include "supple/imaging/volume_file.h"
#include "supple/phantom/phantom.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/units.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;
constexpr const char* touching_pose = "grasp";  // the one in which fingers come nearest

enum class Format { nrrd, dicom, both };
enum class Labels { none, each, grouped };

struct PhantomOptions {
  std::string folder, bones, pose_file;
  std::vector<double> voxel{0.9};   // millimetres, one or three
  std::vector<std::size_t> size{};  // samples, none or three
  double noise = 30, migration = 0, missing = 0, joint_space = 1.2, crop = 0;
  std::uint64_t seed = 1;
  std::size_t vertices = 20000, poses = 4;
  double element_size = 5;
  Format format = Format::nrrd;
  Labels labels = Labels::none;
  bool resonance = false;
  bool left = false, touching = false, no_flesh = false, moving_carpals = false, table = false, force = false;
};

void declare_phantom(Command& app, PhantomOptions& o) {
  app.option("-o,--output", o.folder, "Folder to write scans, truth and project.json into").required().type("FOLDER");
  app.option("--bones", o.bones,
             "Real bones instead of modelled ones: a folder of surfaces named as BodyParts3D's (.stl, millimetres)")
      .type("FOLDER");
  app.option("--joint-space", o.joint_space,
             "Between real bones, whose surfaces touch: cartilage, which a scan does not show, millimetres")
      .range(0.0, 5.0)
      .needs(app.get("--bones"))
      .show_default()
      .type("MM");
  app.flag("--moving-carpals", o.moving_carpals,
           "Move every carpal, radius and ulna for itself, with larger motions of the wrist: real bones only; off, "
           "carpus "
           "and forearm are one rigid body each")
      .needs(app.get("--bones"));
  app.option("--voxel", o.voxel, "Distance of samples, millimetres: one number, or X,Y,Z; default 0.9")
      .with_commas()
      .count(1, 3)
      .positive()
      .type("MM");
  app.option("--samples", o.size, "Columns, rows and slices at least: more air around the hand")
      .with_commas()
      .count(3, 3)
      .type("X,Y,Z");
  app.option("--noise", o.noise, "Standard deviation of the noise, Hounsfield units")
      .not_negative()
      .show_default()
      .type("HU");
  app.option("--seed", o.seed, "Of the noise, of how the hand lies, and of the poses' angles (0: as listed)")
      .show_default()
      .type("N");
  app.option("--migration", o.migration, "How far joint centres wander over their range, millimetres; 0.5 to 1 is real")
      .not_negative()
      .type("MM");
  app.flag("--touching", o.touching, "Let neighbouring bones of the palm touch");
  app.option("--missing", o.missing,
             "Radius of a patch of skin that cannot be seen in the grasp, where two fingers touch, millimetres")
      .not_negative()
      .type("MM");
  app.flag("--table", o.table, "Scan the table under the hand as well, in a field of view of 270 mm");
  app.option("--crop", o.crop,
             "How much of the forearm every other scan does not show, from the second on, millimetres")
      .not_negative()
      .type("MM");
  app.choice<bool>("--modality", o.resonance,
                   "ct, or mr: bone dark and bright, so that no threshold tells it from flesh (default ct)",
                   {{"ct", false}, {"mr", true}});
  app.choice<Labels>(
      "--labels", o.labels,
      "Also write what each sample is, as segmentations of 3D Slicer, and have the project use them: each "
      "bone by itself, or grouped as programs for whole bodies do (default none)",
      {{"none", Labels::none}, {"each", Labels::each}, {"grouped", Labels::grouped}});
  app.choice<bool>("--side", o.left, "left or right, of modelled bones (default right)",
                   {{"left", true}, {"right", false}});
  app.option("--vertices", o.vertices, "Vertices of the skin").show_default().type("N");
  app.option("--poses", o.poses, "Poses to learn from, beside the relaxed one; two more are held out")
      .range(1, 100)
      .show_default()
      .type("N");
  app.option(
         "--pose-file", o.pose_file,
         "Poses of your choice instead: {\"flexed\": {\"wrist\": {\"flexion\": 30}}}, degrees from the relaxed one; "
         "names that begin with \"test\" are held out (.json)")
      .excludes(app.get("--poses"))
      .type("FILE");
  app.option("--element-size", o.element_size, "Of the flesh, millimetres").positive().show_default().type("MM");
  app.flag("--no-flesh", o.no_flesh, "Bend the skin by linear blending, without simulating flesh: for quick trials");
  app.choice<Format>("--format", o.format, "nrrd, dicom or both (default nrrd)",
                     {{"nrrd", Format::nrrd}, {"dicom", Format::dicom}, {"both", Format::both}});
  app.flag("--force", o.force, "Write over what an earlier call left in the folder");
  app.mark_advanced({"--joint-space", "--moving-carpals", "--pose-file", "--samples", "--noise", "--seed",
                     "--migration", "--touching", "--missing", "--table", "--crop", "--modality", "--vertices",
                     "--element-size", "--format"});
}

Result<void> check_folder(const PhantomOptions& o) {
  std::error_code failed;
  if (fs::exists(o.folder, failed) && !fs::is_directory(o.folder, failed))
    return Error{o.folder, "is not a folder", "name another one"};
  if (!o.force && fs::exists(o.folder, failed) && !fs::is_empty(o.folder, failed))
    return Error{o.folder, "is not empty", "name another folder, or write over its scans with --force"};
  return {};
}

Result<void> make_folders(const PhantomOptions& o) {
  std::error_code failed;
  fs::create_directories(fs::path(o.folder) / "truth", failed);
  if (failed) return Error{o.folder, "cannot be made: " + failed.message(), ""};
  return {};
}

Result<phantom::Subject> make_subject(const PhantomOptions& o, Session& session) {
  if (o.bones.empty()) return phantom::procedural_hand(!o.left, o.vertices, o.touching, session.progress);
  if (o.touching) return Error{"--touching", "is for modelled bones", "real ones touch as they do"};
  std::error_code failed;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(o.bones, failed)) {
    if (entry.path().extension() == ".stl") files.push_back(entry.path());
  }
  if (files.empty()) return Error{o.bones, "holds no .stl files", "give a folder of bone surfaces"};
  std::sort(files.begin(), files.end());
  std::vector<phantom::NamedSurface> surfaces;
  for (const fs::path& file : files) {
    auto mesh = read_stl(file);
    if (!mesh) return mesh.error();
    surfaces.push_back({file.stem().string(), std::move(*mesh)});
  }
  return phantom::hand_of_bones(surfaces, {o.vertices, o.joint_space / mm, o.moving_carpals}, session.progress);
}

/// A pose by name, as `supple pose` reads files of poses: joints, their degrees of freedom, degrees.
Result<std::vector<phantom::StudyPose>> given_poses(const PhantomOptions& o, const phantom::Subject& subject,
                                                    Warnings& warnings) {
  std::vector<phantom::StudyPose> poses;
  if (o.pose_file.empty()) return poses;
  const auto json = read_json(o.pose_file);
  if (!json) return json.error();
  if (!json->is_object() || json->empty())
    return Error{o.pose_file, "names no poses", "write {\"flexed\": {\"wrist\": {\"flexion\": 30}}}"};
  const Skeleton& skeleton = subject.character.skeleton;
  for (const auto& pose : json->members()) {
    const std::string item = o.pose_file + ", " + pose.key;
    phantom::StudyPose& made = poses.emplace_back();
    made = {pose.key, pose.key.starts_with("test"), rest_pose(skeleton)};
    if (!pose.value.is_object()) return Error{item, "is not an object of joints", ""};
    for (const auto& joint : pose.value.members()) {
      if (!joint.value.is_object()) return Error{item + "." + joint.key, "is not an object of angles in degrees", ""};
      for (const auto& dof : joint.value.members()) {
        if (!dof.value.is_number()) return Error{item + "." + joint.key, dof.key + " is not a number of degrees", ""};
        const std::string turn = fmt::format("{}.{}={}", joint.key, dof.key, dof.value.get<double>());
        if (auto ok = workflow::apply_turn(made.pose, skeleton, turn); !ok)
          return Error{item, ok.error().problem, ok.error().remedy};
      }
    }
    for (const std::string& line : workflow::exceeded_limits(skeleton, made.pose))
      warnings.push_back("pose '" + pose.key + "': " + line);
  }
  return poses;
}

Json numbers(Vec3d v) { return {v.x, v.y, v.z}; }
/// Rows of a 3 x 4 matrix.
Json rows(const Affined& a) {
  Json json = Json::array();
  for (std::size_t r = 0; r < 3; ++r)
    json.push_back({a.linear.c0[r], a.linear.c1[r], a.linear.c2[r], a.translation[r]});
  return json;
}

/// Where joints truly are in the base scan.
Json joints_json(const phantom::Subject& subject, const Affined& base) {
  const Skeleton& skeleton = subject.character.skeleton;
  const std::vector<Affinef> world = to_world(skeleton, rest_pose(skeleton));
  Json json = Json::array();
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    Json joint = {{"name", skeleton.name(j)}, {"centre", numbers(base.point(Vec3d(world[j].translation)))}};
    for (const Dof& dof : skeleton.dofs(j))
      joint["axes"][dof.name] = numbers(base.vector(Vec3d(world[j].vector(dof.axis))));
    json.push_back(std::move(joint));
  }
  return json;
}

Json pose_json(const phantom::Subject& subject, const phantom::PosedTruth& pose, const Affined& placement,
               const Affined& base, double missing) {
  const Skeleton& skeleton = subject.character.skeleton;
  Json json = {{"name", pose.name}, {"held_out", pose.held_out}, {"skin", "truth/" + pose.name + ".obj"}};
  json["placement"] = rows(placement);
  for (std::size_t b = 0; b < subject.bones.size(); ++b)
    json["bones"][subject.bones[b].name] = rows(placement * pose.bones[b] * inverse(base));
  Json angles = Json::object();
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const std::vector<float> radians = get_angles(pose.pose, skeleton, j);
    for (std::size_t d = 0; d < radians.size(); ++d)
      angles[skeleton.name(j) + "." + skeleton.dofs(j)[d].name] = double{radians[d]} * 180 / std::numbers::pi;
  }
  json["angles"] = std::move(angles);
  if (missing > 0) {
    if (const auto contact = nearest_fingers(subject, pose))
      json["missing_patch"] = {{"from", numbers(placement.point(contact->a))},
                               {"to", numbers(placement.point(contact->b))},
                               {"radius", missing}};
  }
  return json;
}

Result<void> write_volume(const PhantomOptions& o, const Volume& volume) {
  const fs::path folder = o.folder;
  if (o.format != Format::dicom) {
    if (auto written = imaging::write_nrrd(folder / (volume.name + ".nrrd"), volume); !written) return written;
  }
  if (o.format == Format::nrrd) return {};
  std::error_code failed;
  fs::remove_all(folder / volume.name, failed);  // of an earlier call, with --force
  imaging::DicomOptions dicom;
  dicom.description = "Hand " + volume.name;
  return imaging::write_dicom(folder / volume.name, volume, dicom);
}

Result<void> write_skin(const PhantomOptions& o, const phantom::Subject& subject, const phantom::PosedTruth& pose,
                        const Affined& placement) {
  Part part;
  part.name = pose.name;
  part.mesh.triangles = subject.character.parts[0].mesh.triangles;
  for (const Vec3f p : pose.skin) part.mesh.positions.emplace_back(placement.point(Vec3d(p)));
  return write_obj(fs::path(o.folder) / "truth" / (pose.name + ".obj"), {&part, 1});
}

phantom::ScanOptions scan_options(const PhantomOptions& o, std::size_t pose) {
  phantom::ScanOptions options;
  const auto at = [&](std::size_t axis) { return o.voxel[o.voxel.size() == 1 ? 0 : axis] / mm; };
  options.voxel = {at(0), at(1), at(2)};
  if (o.size.size() == 3) std::copy_n(o.size.begin(), 3, options.size.begin());
  options.noise = o.noise;
  options.seed = o.seed * 1000 + pose;  // no two scans have the same noise
  options.placement = phantom::placement_of(o.seed, pose);
  if (o.table) options.table.emplace();
  if (pose % 2 == 1) options.crop = o.crop / mm;
  if (o.resonance) options.resonance.emplace();
  return options;
}

Json project_entry(const PhantomOptions& o, const phantom::PosedTruth& pose) {
  Json entry = {{"name", pose.name}, {"volume", o.format == Format::dicom ? pose.name : pose.name + ".nrrd"}};
  if (o.labels != Labels::none) entry["labels"] = pose.name + ".seg.nrrd";
  if (pose.held_out) entry["role"] = "test";
  return entry;
}

Result<Outcome> run_phantom(const PhantomOptions& o, Session& session) {
  if (o.voxel.size() == 2) return Error{"--voxel", "has two numbers", "give one, or three"};
  if (auto checked = check_folder(o); !checked) return checked.error();
  const auto subject = make_subject(o, session);
  if (!subject) return subject.error();
  phantom::PoseOptions posing;
  posing.migration = o.migration / mm;
  posing.element_size = o.element_size / mm;
  posing.seed = o.seed;
  posing.examples = o.poses;
  posing.flesh = !o.no_flesh;
  auto given = given_poses(o, *subject, session.warnings);
  if (!given) return given.error();
  posing.given = std::move(*given);
  const auto poses = phantom::pose_subject(*subject, posing, session.progress);
  if (!poses) return poses.error();
  if (auto made = make_folders(o); !made) return made.error();

  const Affined base = phantom::placement_of(o.seed, 0);
  const bool left = subject->character.name == "left-hand";
  Json truth = {{"supple", "scan truth"},
                {"version", 1},
                {"about",
                 "metres, in the space of each scan; "
                 "joints: in the base scan; bones: rows of the motion from the base scan; placement: model to scan"},
                {"seed", o.seed},
                {"migration", posing.migration},
                {"noise", o.noise}};
  truth["joints"] = joints_json(*subject, base);
  Json project = {{"supple", "scan project"},
                  {"version", 1},
                  {"template", "hand"},
                  {"side", left ? "left" : "right"},
                  {"base", poses->front().name}};
  Outcome outcome;
  for (std::size_t p = 0; p < poses->size(); ++p) {
    const phantom::PosedTruth& pose = (*poses)[p];
    phantom::ScanOptions options = scan_options(o, p);
    if (pose.name == touching_pose) options.missing_patch = o.missing / mm;
    const auto volume = phantom::scan(*subject, pose, options, session.progress);
    if (!volume) return volume.error();
    if (auto written = write_volume(o, *volume); !written) return written.error();
    if (o.labels != Labels::none) {
      const auto labelling = o.labels == Labels::each ? phantom::Labelling::each : phantom::Labelling::grouped;
      const auto map = phantom::labels_of_scan(*subject, pose, options, labelling, session.progress);
      if (!map) return map.error();
      const fs::path file = fs::path(o.folder) / (pose.name + ".seg.nrrd");
      if (auto written = imaging::write_labels(file, *map); !written) return written.error();
    }
    if (auto written = write_skin(o, *subject, pose, options.placement); !written) return written.error();
    truth["poses"].push_back(pose_json(*subject, pose, options.placement, base, options.missing_patch));
    project["scans"].push_back(project_entry(o, pose));
    outcome.text += fmt::format("{:<14} {} x {} x {}{}\n", pose.name, volume->size[0], volume->size[1], volume->size[2],
                                pose.held_out ? ", held out" : "");
    outcome.json["scans"].push_back({{"name", pose.name}, {"size", volume->size}, {"held_out", pose.held_out}});
  }
  FileTransaction files;
  const fs::path folder = o.folder;
  if (auto added = files.add(folder / "truth.json", to_text(truth)); !added) return added.error();
  if (auto added = files.add(folder / "project.json", to_text(project)); !added) return added.error();
  if (auto written = files.commit(); !written) return written.error();
  outcome.text +=
      fmt::format("{}: {} scans, their truth, and project.json for supple scan build\n", o.folder, poses->size());
  outcome.json["project"] = (folder / "project.json").string();
  outcome.json["truth"] = (folder / "truth.json").string();
  return outcome;
}

}  // namespace

void add_scan_phantom(Command& scan, Session& session) {
  add_command<PhantomOptions>(
      scan, session, "phantom", "Write scans of a hand that is known, with the truth beside them: to try the rest on",
      "supple scan phantom --voxel 0.6 --noise 30 --seed 2 -o hand-scans", declare_phantom, run_phantom);
}

}  // namespace supple::cli
