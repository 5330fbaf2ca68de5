// Three cuts through a scan in one picture.
#pragma once

#include <array>
#include <string>

#include "supple/geometry/label_map.h"
#include "supple/render/image.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// Which axis of the lattice runs most along the patient's left-right, front-back and feet-head direction.
struct PatientAxes {
  std::array<std::size_t, 3> axis{0, 1, 2};       // by x, y, z of the patient
  std::array<bool, 3> forward{true, true, true};  // towards left, back, head
  double off_degrees = 0;                         // the largest angle between an axis and the direction it stands for
};
PatientAxes patient_axes(const Volume& volume);
/// Where columns, rows and slices run: "L P S" for left, back (posterior) and head (superior).
std::string axis_letters(const Volume& volume);

/// Grey levels of a picture: black at `low`, white at `high`.
struct Window {
  double low = 0, high = 1;
};

/// The middle axial, coronal and sagittal slice as radiologists look at them: the patient's left to the right, the back
/// or the feet down.
Result<render::Image> draw_preview(const Volume& volume, Window window, const std::string& title);
/// The same with labels over it in their colours and a legend of their names, the slices through the middle of all that
/// is labelled but skin. `is_skin`: #labels; skin is drawn thinner.
Result<render::Image> draw_preview(const Volume& volume, Window window, const LabelMap& labels,
                                   const std::vector<bool>& is_skin, const std::string& title);

/// What --preview asks for. The name is checked before the work, none is fine; the picture is written after it, and
/// told.
Result<void> check_preview(const std::string& file);
Result<void> write_preview(const std::string& file, const Result<render::Image>& picture);

}  // namespace supple::workflow
