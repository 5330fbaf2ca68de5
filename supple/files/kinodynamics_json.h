// Kinodynamics as JSON: every struct is described once, for reading and writing, in recipes that people edit and in
// glTF files.
#pragma once

#include "supple/files/gltf/json.h"
#include "supple/rig/kinodynamics.h"

namespace supple {

/// The looks of a kind of file.
struct KinodynamicsSpelling {
  bool camel_case = false;  // dampingRatio, otherwise damping_ratio
  double angle_unit = 1;    // radians

  /// `words` are joined by underscores.
  std::string key(const char* words) const;
};

/// How a file names joints and parts, for reading. What cannot be read is thrown as gltf::Malformed.
class KinodynamicsReading {
 public:
  explicit KinodynamicsReading(const KinodynamicsSpelling& s) : spelling(s) {}
  virtual ~KinodynamicsReading() = default;
  const KinodynamicsSpelling spelling;

  virtual JointIndex joint(const gltf::Item& item) const = 0;
  /// The part that an object of painted weights is for.
  virtual std::uint32_t part(const gltf::Item& weights) const = 0;
  /// Called for every object that was read.
  virtual void check_keys(const gltf::Item& item, const std::vector<std::string>& known) const = 0;
};

/// The same for writing.
class KinodynamicsWriting {
 public:
  explicit KinodynamicsWriting(const KinodynamicsSpelling& s) : spelling(s) {}
  virtual ~KinodynamicsWriting() = default;
  const KinodynamicsSpelling spelling;

  virtual Json joint(JointIndex joint) const = 0;
  virtual void put_part(Json& weights, std::uint32_t part) const = 0;
};

/// Throw gltf::Malformed. Ranges are validate()'s to check.
Kinodynamics kinodynamics_of(const gltf::Item& item, const KinodynamicsReading& reading);
TissuePrimitive tissue_of(const gltf::Item& item, const KinodynamicsReading& reading);
VortexMuscle muscle_of(const gltf::Item& item, const KinodynamicsReading& reading);

/// Only what differs from the defaults, in numbers that read back as the same floats.
Json to_json(const Kinodynamics& kinodynamics, const KinodynamicsWriting& writing);

}  // namespace supple
