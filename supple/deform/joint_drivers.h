// Drivers of one joint each, such as EigenSkin has, laid out flat: their basis functions are evaluated all at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/rig/morph_driver.h"
#include "supple/rig/pose.h"

namespace supple {

/// An entry is a centre; those of a driver lie together. Gives the same bits as drive.h.
class JointDriverTable {
 public:
  /// Exponential and Gaussian ones of one joint by its whole angle; the others are for others.
  static bool takes(const MorphDriver& driver);

  void add(const MorphDriver& driver);
  /// For all drivers that were added.
  void evaluate(std::span<const Transformf> local);
  /// Writes the weights of driver `number` of those that were added.
  void write(std::size_t number, std::span<float> morph_weights) const;

 private:
  struct Driver {
    const MorphDriver* driver;
    std::size_t first_entry;
    bool at_rest;
  };
  std::vector<Driver> drivers_;
  std::vector<double> x_, y_, z_, w_;              // #entries: the centre's rotation
  std::vector<double> scale_, gaussian_;           // #entries: 1 / radius; 1 where the exponent is the square, or 0
  std::vector<double> at_x_, at_y_, at_z_, at_w_;  // #entries: the joint's rotation
  std::vector<double> values_;                     // #entries
};

}  // namespace supple
