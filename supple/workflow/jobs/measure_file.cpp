#include "supple/workflow/jobs/measure_file.h"

#include <cmath>

#include "supple/author/bake/clip_player.h"
#include "supple/rig/find_part.h"
#include "supple/workflow/jobs/clip_frames.h"
#include "supple/workflow/jobs/unit.h"

namespace supple::workflow {
namespace {

/// A part at rest, and what was measured of it so far.
struct PartMeter {
  Mesh rest;
  measure::SelfIntersectionTest test;
  MeasuredPart worst;
  std::vector<Vec3f> worst_volume;  // the skin in that frame
};

bool cuts_worse(const measure::SelfIntersections& a, const measure::SelfIntersections& b) {
  if (a.new_triangles != b.new_triangles) return a.new_triangles > b.new_triangles;
  return a.triangles != b.triangles ? a.triangles > b.triangles : a.length > b.length;
}

Result<PartMeter> part_meter(Mesh rest, const std::string& name) {
  auto test = measure::SelfIntersectionTest::make(rest);
  if (!test) return test.error();
  PartMeter meter{std::move(rest), std::move(*test), {}, {}};
  meter.worst.name = name;
  meter.worst.vertices = meter.rest.positions.size();
  if (const auto volume = measure::closed_volume(meter.rest); !volume) meter.worst.open = volume.error();
  return meter;
}

std::vector<Vec3f> joined_positions(const JoinedParts& joined, const Skin& skin) {
  return joined.join([&](std::size_t p) { return skin.positions(p); });
}

/// Takes in one more frame.
Result<void> add_frame(PartMeter& meter, std::span<const Vec3f> posed, const MeasuredMoment& moment, std::size_t list) {
  MeasuredPart& worst = meter.worst;
  MeasuredFrame frame{moment.time, {}, 0, 0};
  if (!worst.open) {
    const auto volume = measure::volume_change(meter.rest, posed);
    if (!volume) return volume.error();
    if (moment.frame == 0 || std::abs(volume->relative) > std::abs(worst.volume.relative)) {
      worst.volume = *volume;
      worst.volume_at = moment;
      meter.worst_volume.assign(posed.begin(), posed.end());
    }
    if (moment.frame == 0 || volume->seam_gap > worst.seams.seam_gap) {
      worst.seams = *volume;
      worst.seams_at = moment;
    }
    frame.volume_change = volume->relative;
  }
  auto crossings = meter.test.run(posed, list);
  if (!crossings) return crossings.error();
  frame.triangles = crossings->triangles;
  frame.new_triangles = crossings->new_triangles;
  if (moment.frame == 0 || cuts_worse(*crossings, worst.crossings)) {
    worst.crossings = std::move(*crossings);
    worst.crossings_at = moment;
  }
  worst.frames.push_back(frame);
  return {};
}

void to_metres(MeasuredPart& part, double unit) {
  for (measure::VolumeChange* volume : {&part.volume, &part.seams}) {
    volume->rest *= unit * unit * unit;
    volume->posed *= unit * unit * unit;
    volume->seam_gap *= unit;
  }
  part.crossings.length *= unit;
  part.crossings.worst.length *= unit;
  for (measure::Crossing& crossing : part.crossings.crossings) crossing.length *= unit;
}

/// The times of a clip's frames, or one for a single pose.
Result<void> choose_frames(const MeasureFileOptions& o, MeasuredFile& measured) {
  const bool whole_clip = !o.pose.clip.empty() && !o.pose.time;
  if (!whole_clip) {
    if (o.rate) return Error{"--rate", "is for whole clips", "give --clip without --time"};
    measured.times = {o.pose.time ? double{*o.pose.time} : 0.0};
    return {};
  }
  const auto found = find_clip(measured.model.character(), o.pose.clip);
  if (!found) return found.error();
  measured.clip = (*found)->name;
  measured.rate = o.rate ? *o.rate : clip_rate(**found);
  measured.times = frame_times(**found, measured.rate);
  return {};
}

}  // namespace

Result<MeasuredFile> measure_file(const MeasureFileOptions& o, Work& work) {
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  MeasuredFile measured{std::move(*model), {}, 0, {}, {}, {}, {}};
  const double unit = settle_unit(measured.model.character(), work);
  const Character& character = measured.model.character();
  if (character.parts.empty()) return Error{o.input, "has no mesh to measure", "use a file with a surface"};
  if (auto ok = choose_frames(o, measured); !ok) return ok.error();
  auto skin = Skin::make(character, o.blend, {}, &work.warnings);
  if (!skin) return skin.error();
  const auto of_part = [&](std::size_t p, const Error& e) {
    const std::string& name = character.parts[p].name;
    return Error{o.input + ", part " + (name.empty() ? std::to_string(p) : "'" + name + "'") + ", " + e.item, e.problem,
                 e.remedy};
  };
  std::vector<PartMeter> meters;
  for (std::size_t p = 0; p < skin->parts(); ++p) {
    auto meter =
        part_meter({{skin->positions(p).begin(), skin->positions(p).end()}, {}, character.parts[p].mesh.triangles},
                   character.parts[p].name);
    if (!meter) return of_part(p, meter.error());
    meters.push_back(std::move(*meter));
  }
  std::optional<PartMeter> together;
  if (std::vector<std::size_t> skinned = skinned_parts(character); skinned.size() > 1) {
    measured.joined.emplace(character, std::move(skinned));
    auto meter = part_meter({joined_positions(*measured.joined, *skin), {}, measured.joined->triangles()}, "");
    if (!meter) return Error{o.input + ", " + meter.error().item, meter.error().problem, meter.error().remedy};
    together = std::move(*meter);
  }
  const auto show = [&](double seconds, bool swinging) -> Result<void> {
    PoseOptions options = o.pose;
    if (measured.of_clip()) options.time = static_cast<float>(seconds);
    const auto pose = pose_of(character, options);
    if (!pose) return pose.error();
    return swinging ? skin->animate(*pose, 1 / measured.rate) : skin->evaluate(*pose);
  };
  const std::size_t frames = measured.times.size();
  for (std::size_t f = 0; f < frames; ++f) {
    if (auto ok = show(measured.times[f], measured.of_clip()); !ok) return ok.error();
    for (std::size_t p = 0; p < meters.size(); ++p)
      if (auto ok = add_frame(meters[p], skin->positions(p), {f, measured.times[f]}, o.list); !ok)
        return of_part(p, ok.error());
    if (together)
      if (auto ok = add_frame(*together, joined_positions(*measured.joined, *skin), {f, measured.times[f]}, o.list);
          !ok)
        return Error{o.input + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
    report(work.progress, "measure", static_cast<double>(f + 1) / static_cast<double>(frames));
  }
  for (std::size_t p = 0; p < meters.size(); ++p) {
    PartMeter& meter = meters[p];
    if (o.interior > 0) {
      if (meter.worst.open) return of_part(p, *meter.worst.open);
      if (auto ok = show(meter.worst.volume_at.time, false); !ok) return ok.error();
      auto inside = measure_interior(*skin, p, meter.rest, meter.worst_volume, o.interior);
      if (!inside) return of_part(p, inside.error());
      meter.worst.interior = std::move(*inside);
    }
    to_metres(meter.worst, unit);
    measured.parts.push_back(std::move(meter.worst));
  }
  if (together) {
    to_metres(together->worst, unit);
    measured.together = std::move(together->worst);
  }
  return measured;
}

}  // namespace supple::workflow
