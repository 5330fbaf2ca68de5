// What a pose or a clip does to the skin: volume, seams, triangles that cut through others, det J.
#pragma once

#include <optional>

#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"
#include "supple/rig/joined_parts.h"
#include "supple/workflow/jobs/interior.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/named_pose.h"

namespace supple::workflow {

struct MeasureFileOptions {
  std::string input{};
  PoseOptions pose{};            // a clip without a time: all of it
  std::optional<double> rate{};  // frames a second of a whole clip; none: as its keys ask
  Blend blend = Blend::linear;
  std::size_t interior = 0;  // points inside each part at which det J is measured; 0: none
  std::size_t list = 0;      // crossings to keep, besides the worst
};

/// A moment of the measured motion; a single pose is a motion of one.
struct MeasuredMoment {
  std::size_t frame = 0;
  double time = 0;  // seconds of the clip
};

struct MeasuredFrame {
  double time = 0;                      // seconds of the clip
  std::optional<double> volume_change;  // relative to rest; none of an open part
  std::size_t triangles = 0;            // that cross others
  std::size_t new_triangles = 0;        // those of them that do not at rest
};

/// The worst that a part went through, each measure in its own frame: metres, whatever the file's unit is; places are
/// in that unit.
struct MeasuredPart {
  std::string name;
  std::size_t vertices = 0;
  std::optional<Error> open;  // why it has no volume
  measure::VolumeChange volume, seams;
  measure::SelfIntersections crossings;
  MeasuredMoment volume_at, seams_at, crossings_at;
  std::optional<Interior> interior;  // at volume_at
  std::vector<MeasuredFrame> frames;
};

struct MeasuredFile {
  Model model;
  std::string clip;           // empty: a single pose
  double rate = 0;            // frames a second; 0: a single pose
  std::vector<double> times;  // #frames
  std::vector<MeasuredPart> parts;
  /// The skinned parts as one surface, where there are several: what one encloses with others, and where they cut
  /// through each other. Vertices and triangles are numbered by `joined`; its interior is not measured.
  std::optional<MeasuredPart> together;
  std::optional<JoinedParts> joined;

  bool of_clip() const { return rate > 0; }
};

/// Along a clip flesh and muscles swing as they would live, at rest in the first frame.
Result<MeasuredFile> measure_file(const MeasureFileOptions& options, Work& work);

}  // namespace supple::workflow
