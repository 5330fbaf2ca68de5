#include "supple/rig/fields.h"

namespace supple {

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::none:
      return "";
    case Unit::metres:
      return "metres";
    case Unit::radians:
      return "radians";
    case Unit::seconds:
      return "seconds";
    case Unit::hertz:
      return "hertz";
    case Unit::kilograms:
      return "kilograms";
    case Unit::kilograms_per_cubic_metre:
      return "kg/m^3";
    case Unit::kilograms_per_second:
      return "kg/s";
    case Unit::metres_per_square_second:
      return "m/s^2";
    case Unit::per_square_second:
      return "1/s^2";
  }
  return "";
}

}  // namespace supple
