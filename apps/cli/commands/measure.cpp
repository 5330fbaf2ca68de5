// supple measure: what a pose or a clip does to the skin: volume, seams, triangles that cut through others, det J.
#include <fmt/core.h>

#include <functional>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/workflow/jobs/measure_file.h"

namespace supple::cli {
namespace {

void declare(Command& app, MeasureFileOptions& o) {
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

/// One part, or all skinned ones together.
struct Measured {
  const MeasuredPart& figures;
  std::string title;
  std::function<JoinedParts::Place(std::uint32_t)> triangle;  // in the character
  bool several = false;
};

Json to_json(const measure::Crossing& c, const Character& character, const Measured& of) {
  const JoinedParts::Place first = of.triangle(c.first), second = of.triangle(c.second);
  Json json{
      {"triangles", {first.number, second.number}},
      {"position", {c.position.x, c.position.y, c.position.z}},
      {"length_mm", c.length * 1000},
      {"at_rest", c.at_rest},
      {"joint", nearest_joint(character, first.part, character.parts[first.part].mesh.triangles[first.number][0])}};
  if (of.several) json["parts"] = {character.parts[first.part].name, character.parts[second.part].name};
  return json;
}

/// What a report adds of a measure in a clip: when it was.
void add_when(Json& json, std::string& text, const MeasuredMoment& moment, bool clip) {
  if (clip) {
    json["frame"] = moment.frame;
    json["time"] = moment.time;
    text += fmt::format(", at {:.3f} s (frame {})", moment.time, moment.frame);
  }
  text += "\n";
}

void tell_crossings(const Measured& of, const Character& character, bool clip, Outcome& outcome, Json& json) {
  const measure::SelfIntersections& found = of.figures.crossings;
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
  told["worst"] = to_json(worst, character, of);
  for (const measure::Crossing& c : found.crossings) told["crossings"].push_back(to_json(c, character, of));
  outcome.text += fmt::format(" ({} do not at rest), over {:.1f} mm", found.new_triangles, found.length * 1000);
  add_when(told, outcome.text, of.figures.crossings_at, clip);
  const std::string joint = told["worst"]["joint"];
  const JoinedParts::Place first = of.triangle(worst.first), second = of.triangle(worst.second);
  const auto in_part = [&](const JoinedParts::Place& place) {
    return of.several ? " of " + character.parts[place.part].name : std::string();
  };
  outcome.text += fmt::format("  {:<18} triangles {}{} and {}{} at ({:.4f}, {:.4f}, {:.4f}){}\n", "", first.number,
                              in_part(first), second.number, in_part(second), worst.position.x, worst.position.y,
                              worst.position.z, joint.empty() ? "" : ", " + joint);
}

void tell_volume(const MeasuredPart& part, bool clip, Outcome& outcome, Json& json) {
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
  add_when(json["volume"], outcome.text, part.volume_at, clip);
  json["seam"] = {{"gap_mm", part.seams.seam_gap * 1000}, {"vertex", part.seams.seam_vertex}};
  outcome.text += fmt::format("  {:<18} {:.4g} mm apart", "seams", part.seams.seam_gap * 1000);
  if (part.seams.seam_gap > 0) outcome.text += fmt::format(" at vertex {}", part.seams.seam_vertex);
  add_when(json["seam"], outcome.text, part.seams_at, clip && part.seams.seam_gap > 0);
}

void tell_interior(const Interior& inside, const MeasuredMoment& moment, bool clip, Outcome& outcome, Json& json) {
  const measure::JacobianSummary& j = inside.jacobian;
  const Vec3d w = j.worst_position;
  json["jacobian"] = {{"min", j.min},      {"mean", j.mean},    {"fraction_non_positive", j.fraction_non_positive},
                      {"points", j.count}, {"map", inside.map}, {"worst_position", {w.x, w.y, w.z}}};
  outcome.text +=
      fmt::format("  {:<18} min {:.4f} mean {:.4f}, {:.2f} % of {} points folded, worst at ({:.4f}, {:.4f}, {:.4f})",
                  "det J", j.min, j.mean, j.fraction_non_positive * 100, j.count, w.x, w.y, w.z);
  add_when(json["jacobian"], outcome.text, moment, clip);
}

Json frames_json(const MeasuredPart& part) {
  Json frames = Json::array();
  for (const MeasuredFrame& frame : part.frames) {
    Json line{{"time", frame.time}};
    if (frame.volume_change) line["change_percent"] = *frame.volume_change * 100;
    line["triangles"] = frame.triangles;
    line["new_triangles"] = frame.new_triangles;
    frames.push_back(std::move(line));
  }
  return frames;
}

Json tell(const Measured& of, const Character& character, bool clip, Outcome& outcome) {
  Json json{{"name", of.figures.name}};
  outcome.text += fmt::format("{} ({} vertices)\n", of.title, of.figures.vertices);
  tell_volume(of.figures, clip, outcome, json);
  tell_crossings(of, character, clip, outcome, json);
  if (of.figures.interior) tell_interior(*of.figures.interior, of.figures.volume_at, clip, outcome, json);
  if (clip) json["frames"] = frames_json(of.figures);
  return json;
}

/// The skinned parts as one surface; the vertex of the widest seam is told with its part.
Json tell_together(const MeasuredFile& measured, bool clip, Outcome& outcome) {
  const Character& character = measured.model.character();
  const JoinedParts& joined = *measured.joined;
  const Measured all{*measured.together, fmt::format("all {} skinned parts together", joined.parts().size()),
                     [&](std::uint32_t t) { return joined.triangle(t); }, true};
  Json json = tell(all, character, clip, outcome);
  json.erase("name");
  for (const std::size_t p : joined.parts()) json["parts"].push_back(character.parts[p].name);
  if (Json* seam = json.find("seam")) {
    const JoinedParts::Place place = joined.vertex(static_cast<std::uint32_t>(measured.together->seams.seam_vertex));
    (*seam)["vertex"] = place.number;
    (*seam)["part"] = character.parts[place.part].name;
  }
  return json;
}

Result<Outcome> run(const MeasureFileOptions& o, Session& session) {
  const auto measured = workflow::measure_file(o, session);
  if (!measured) return measured.error();
  const bool clip = measured->of_clip();
  const double start = measured->times.front(), end = measured->times.back();
  Outcome outcome;
  outcome.json["file"] = o.input;
  if (clip) {
    outcome.json.update(Json{{"clip", measured->clip},
                             {"rate", measured->rate},
                             {"frames", measured->times.size()},
                             {"start", start},
                             {"end", end}});
    outcome.text += fmt::format("{}: {} frames from {:g} s to {:g} s; the worst of each measure\n", measured->clip,
                                measured->times.size(), start, end);
  }
  outcome.json["parts"] = Json::array();
  for (std::size_t p = 0; p < measured->parts.size(); ++p) {
    const MeasuredPart& part = measured->parts[p];
    const Measured one{part, part.name.empty() ? "part " + std::to_string(p) : part.name, [p](std::uint32_t t) {
                         return JoinedParts::Place{p, t};
                       }};
    outcome.json["parts"].push_back(tell(one, measured->model.character(), clip, outcome));
  }
  if (measured->together) outcome.json["together"] = tell_together(*measured, clip, outcome);
  return outcome;
}

}  // namespace

void add_measure(Command& app, Session& session) {
  add_command<MeasureFileOptions>(app, session, "measure", "Measure what a pose or a clip does to the skin",
                                  "supple measure hand.glb --clip fist --blend dual\n"
                                  "  supple measure hand.glb --pose 'index-finger-*.flexion=90' --interior 1000",
                                  declare, run);
}

}  // namespace supple::cli
