// What elements of flesh and muscles are like while they are played, frame by frame.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "supple/rig/character.h"

namespace supple::python {

/// Fields of elements and muscles that someone gave other values than the character has. Between two frames values are
/// in between.
class Settings {
 public:
  /// `given`: a dictionary of dictionaries, name of an element or muscle -> name of a field -> one value, or one for
  /// each of `frames`; None: none. KeyError names who is not there, ValueError which value is out of range.
  Settings(const Character& character, nanobind::handle given, std::size_t frames);

  bool empty() const { return tracks_.empty(); }
  void tune(double frame, Flesh& flesh) const;
  void tune(double frame, Kinodynamics& kinodynamics) const;

 private:
  struct Track {
    bool is_muscle = false;
    std::size_t item = 0;   // element or muscle
    std::size_t field = 0;  // in the list of its kind
    std::size_t width = 1;
    std::vector<float> values;  // one, or #frames, by width
  };
  static Vec3f at(const Track& track, double frame);

  std::vector<Track> tracks_;
};

}  // namespace supple::python
