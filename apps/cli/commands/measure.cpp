// supple measure: what a pose or a clip does to the skin: volume, seams, triangles that cut through others, det J.
#include <fmt/core.h>

#include <cmath>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"
#include "supple/workflow/jobs/interior.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct MeasureCommand {
  std::string input;
  PoseOptions pose;
  std::optional<double> rate;
  Blend blend = Blend::linear;
  std::size_t interior = 0, list = 0;
};

void declare(Command& app, MeasureCommand& o) {
  app.option("file", o.input, "Character (.glb, .gltf)").required().type("FILE");
  add_pose_options(app, o.pose);
  app.option("--rate", o.rate, "Frames a second of a clip without --time (default: as its keys ask, 24 to 120)")
      .range(0.01, 10000.0)
      .type("F");
  add_blend_option(app, o.blend);
  app.option("--interior", o.interior,
             "Also det J at about this many points inside; of a clip, in the frame with the worst volume")
      .range(1, 1000000)
      .type("N");
  app.option("--list", o.list, "Crossings to list with --json (default: none but the worst)")
      .range(0, 1000000)
      .type("N");
}

/// A moment of the measured motion; a single pose is a motion of one.
struct Frame {
  std::size_t number = 0;
  double time = 0;  // seconds of the clip
};

/// The worst that a part went through, each measure in its own frame.
struct PartFigures {
  Mesh rest;
  std::optional<measure::SelfIntersectionTest> test;
  std::optional<Error> open;  // why it has no volume
  measure::VolumeChange volume, seams;
  measure::SelfIntersections crossings;
  Frame volume_frame, seam_frame, crossing_frame;
  std::vector<Vec3f> worst_volume;  // the skin in that frame
  Json frames = Json::array();
};

bool worse(const measure::SelfIntersections& a, const measure::SelfIntersections& b) {
  if (a.new_triangles != b.new_triangles) return a.new_triangles > b.new_triangles;
  return a.triangles != b.triangles ? a.triangles > b.triangles : a.length > b.length;
}

Result<PartFigures> at_rest(const Skin& skin, const Character& character, std::size_t p) {
  PartFigures part;
  part.rest = {{skin.positions(p).begin(), skin.positions(p).end()}, {}, character.parts[p].mesh.triangles};
  auto test = measure::SelfIntersectionTest::make(part.rest);
  if (!test) return test.error();
  part.test = std::move(*test);
  if (const auto volume = measure::closed_volume(part.rest); !volume) part.open = volume.error();
  return part;
}

/// Takes in one more frame.
Result<void> add_frame(PartFigures& part, std::span<const Vec3f> posed, const Frame& frame, std::size_t list) {
  Json line{{"time", frame.time}};
  if (!part.open) {
    const auto volume = measure::volume_change(part.rest, posed);
    if (!volume) return volume.error();
    if (frame.number == 0 || std::abs(volume->relative) > std::abs(part.volume.relative)) {
      part.volume = *volume;
      part.volume_frame = frame;
      part.worst_volume.assign(posed.begin(), posed.end());
    }
    if (frame.number == 0 || volume->seam_gap > part.seams.seam_gap) {
      part.seams = *volume;
      part.seam_frame = frame;
    }
    line["change_percent"] = volume->relative * 100;
  }
  auto crossings = part.test->run(posed, list);
  if (!crossings) return crossings.error();
  line["triangles"] = crossings->triangles;
  line["new_triangles"] = crossings->new_triangles;
  if (frame.number == 0 || worse(*crossings, part.crossings)) {
    part.crossings = std::move(*crossings);
    part.crossing_frame = frame;
  }
  part.frames.push_back(std::move(line));
  return {};
}

Json to_json(const measure::Crossing& c, const Character& character, std::size_t part) {
  return {{"triangles", {c.first, c.second}},
          {"position", {c.position.x, c.position.y, c.position.z}},
          {"length_mm", c.length * 1000},
          {"at_rest", c.at_rest},
          {"joint", nearest_joint(character, part, character.parts[part].mesh.triangles[c.first][0])}};
}

/// What a report adds of a measure in a clip: when it was.
void add_when(Json& json, std::string& text, const Frame& frame, bool clip) {
  if (clip) {
    json["frame"] = frame.number;
    json["time"] = frame.time;
    text += fmt::format(", at {:.3f} s (frame {})", frame.time, frame.number);
  }
  text += "\n";
}

void tell_crossings(const PartFigures& part, const Character& character, std::size_t p, bool clip, Outcome& outcome,
                    Json& json) {
  const measure::SelfIntersections& found = part.crossings;
  Json& told = json["self_intersections"] = {{"triangles", found.triangles},
                                             {"new_triangles", found.new_triangles},
                                             {"pairs", found.pairs},
                                             {"new_pairs", found.new_pairs},
                                             {"length_mm", found.length * 1000}};
  outcome.text += fmt::format("  {:<18} {} triangles cross others", "self-intersection", found.triangles);
  if (found.none()) {
    outcome.text += "\n";
    return;
  }
  const measure::Crossing& worst = found.worst;
  told["worst"] = to_json(worst, character, p);
  for (const measure::Crossing& c : found.crossings) told["crossings"].push_back(to_json(c, character, p));
  outcome.text += fmt::format(" ({} do not at rest), over {:.1f} mm", found.new_triangles, found.length * 1000);
  add_when(told, outcome.text, part.crossing_frame, clip);
  const std::string joint = told["worst"]["joint"];
  outcome.text +=
      fmt::format("  {:<18} triangles {} and {} at ({:.4f}, {:.4f}, {:.4f}){}\n", "", worst.first, worst.second,
                  worst.position.x, worst.position.y, worst.position.z, joint.empty() ? "" : ", " + joint);
}

void tell_volume(const PartFigures& part, bool clip, Outcome& outcome, Json& json) {
  if (part.open) {
    json["volume"] = nullptr;
    json["open"] = part.open->message();
    outcome.text += fmt::format("  {:<18} none: {}\n", "volume", part.open->message());
    return;
  }
  json["volume"] = {{"rest_ml", part.volume.rest * 1e6},
                    {"posed_ml", part.volume.posed * 1e6},
                    {"change_percent", part.volume.relative * 100}};
  outcome.text += fmt::format("  {:<18} {:.2f} ml at rest, {:.2f} ml posed: {:+.3f} %", "volume",
                              part.volume.rest * 1e6, part.volume.posed * 1e6, part.volume.relative * 100);
  add_when(json["volume"], outcome.text, part.volume_frame, clip);
  json["seam"] = {{"gap_mm", part.seams.seam_gap * 1000}, {"vertex", part.seams.seam_vertex}};
  outcome.text += fmt::format("  {:<18} {:.4g} mm apart", "seams", part.seams.seam_gap * 1000);
  if (part.seams.seam_gap > 0) outcome.text += fmt::format(" at vertex {}", part.seams.seam_vertex);
  add_when(json["seam"], outcome.text, part.seam_frame, clip && part.seams.seam_gap > 0);
}

void tell_interior(const Interior& inside, const Frame& frame, bool clip, Outcome& outcome, Json& json) {
  const measure::JacobianSummary& j = inside.jacobian;
  const Vec3d w = j.worst_position;
  json["jacobian"] = {{"min", j.min},      {"mean", j.mean},    {"fraction_non_positive", j.fraction_non_positive},
                      {"points", j.count}, {"map", inside.map}, {"worst_position", {w.x, w.y, w.z}}};
  outcome.text +=
      fmt::format("  {:<18} min {:.4f} mean {:.4f}, {:.2f} % of {} points folded, worst at ({:.4f}, {:.4f}, {:.4f})",
                  "det J", j.min, j.mean, j.fraction_non_positive * 100, j.count, w.x, w.y, w.z);
  add_when(json["jacobian"], outcome.text, frame, clip);
}

/// The times of a clip's frames, or one for a single pose.
Result<std::vector<double>> frame_times(const MeasureCommand& o, const Character& character, double& rate) {
  const bool clip = !o.pose.clip.empty() && !o.pose.time;
  if (!clip) {
    if (o.rate) return Error{"--rate", "is for whole clips", "give --clip without --time"};
    return std::vector<double>{o.pose.time ? double{*o.pose.time} : 0.0};
  }
  const auto found = find_clip(character, o.pose.clip);
  if (!found) return found.error();
  rate = o.rate ? *o.rate : clip_rate(**found);
  const auto steps = static_cast<std::size_t>(std::floor((*found)->duration() * rate + 1e-4));  // keys are floats
  std::vector<double> times(steps + 1);
  for (std::size_t i = 0; i <= steps; ++i) times[i] = (*found)->start() + static_cast<double>(i) / rate;
  return times;
}

Result<Outcome> run(const MeasureCommand& o, Session& session) {
  const auto model = load_model(o.input, session);
  if (!model) return model.error();
  const Character& character = model->character();
  if (character.parts.empty()) return Error{o.input, "has no mesh to measure", "use a file with a surface"};
  double rate = 0;
  const auto times = frame_times(o, character, rate);
  if (!times) return times.error();
  const bool clip = rate > 0;
  auto skin = Skin::make(character, o.blend, {}, &session.warnings);
  if (!skin) return skin.error();

  const auto of_part = [&](std::size_t p, const Error& e) {
    const std::string& name = character.parts[p].name;
    return Error{o.input + ", part " + (name.empty() ? std::to_string(p) : "'" + name + "'") + ", " + e.item, e.problem,
                 e.remedy};
  };
  std::vector<PartFigures> parts;
  for (std::size_t p = 0; p < skin->parts(); ++p) {
    auto part = at_rest(*skin, character, p);
    if (!part) return of_part(p, part.error());
    parts.push_back(std::move(*part));
  }
  // Along a clip flesh and muscles swing as they would live, at rest in the first frame.
  const auto show = [&](const Frame& frame, bool swinging) -> Result<void> {
    PoseOptions options = o.pose;
    if (clip) options.time = static_cast<float>(frame.time);
    const auto pose = pose_of(character, options);
    if (!pose) return pose.error();
    return swinging ? skin->animate(*pose, 1 / rate) : skin->evaluate(*pose);
  };
  const Progress progress = session.progress;
  for (std::size_t f = 0; f < times->size(); ++f) {
    if (auto ok = show({f, (*times)[f]}, clip); !ok) return ok.error();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (auto ok = add_frame(parts[p], skin->positions(p), {f, (*times)[f]}, o.list); !ok)
        return of_part(p, ok.error());
    }
    report(progress, "measure", static_cast<double>(f + 1) / static_cast<double>(times->size()));
  }

  Outcome outcome;
  outcome.json["file"] = o.input;
  if (clip) {
    outcome.json.update(Json{{"clip", (*find_clip(character, o.pose.clip))->name},
                             {"rate", rate},
                             {"frames", times->size()},
                             {"start", times->front()},
                             {"end", times->back()}});
    outcome.text += fmt::format("{}: {} frames from {:g} s to {:g} s; the worst of each measure\n",
                                outcome.json["clip"].get<std::string>(), times->size(), times->front(), times->back());
  }
  outcome.json["parts"] = Json::array();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    PartFigures& part = parts[p];
    const std::string& name = character.parts[p].name;
    Json json{{"name", name}};
    outcome.text += fmt::format("{} ({} vertices)\n", name.empty() ? "part " + std::to_string(p) : name,
                                part.rest.positions.size());
    tell_volume(part, clip, outcome, json);
    tell_crossings(part, character, p, clip, outcome, json);
    if (o.interior > 0) {
      if (part.open) return of_part(p, *part.open);
      if (auto ok = show(part.volume_frame, false); !ok) return ok.error();
      const auto inside = measure_interior(*skin, p, part.rest, part.worst_volume, o.interior);
      if (!inside) return of_part(p, inside.error());
      tell_interior(*inside, part.volume_frame, clip, outcome, json);
    }
    if (clip) json["frames"] = std::move(part.frames);
    outcome.json["parts"].push_back(std::move(json));
  }
  return outcome;
}

}  // namespace

void add_measure(Command& app, Session& session) {
  add_command<MeasureCommand>(app, session, "measure", "Measure what a pose or a clip does to the skin",
                              "supple measure hand.glb --clip fist --blend dual\n"
                              "  supple measure hand.glb --pose 'index-finger-*.flexion=90' --interior 1000",
                              declare, run);
}

}  // namespace supple::cli
