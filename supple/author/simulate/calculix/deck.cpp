#include "supple/author/simulate/calculix/deck.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace supple::simulate {
namespace {

// CalculiX takes residual forces below 1e-6 for zero, in any unit. Only ratios of moduli matter here, so the first
// region is made so stiff that this is less than the rounding of the forces.
constexpr double shear_modulus_of_first = 1e6;

// The defaults (.5 % of the mean force, corrections of 1 % of the increment) leave errors far larger than the seven
// digits that are printed. Newton's method converges quadratically, so this costs an iteration or two a step. Many
// elements hardly deform and make the mean force small, so less than 1e-8 of it may be out of reach of rounding.
constexpr const char* controls =
    "*CONTROLS, PARAMETERS=FIELD\n"
    "1e-8, 1e-6\n"
    // Checks of the rate of convergence expect the loose criteria too: later, and more iterations in all. The second
    // line keeps its defaults.
    "*CONTROLS, PARAMETERS=TIME INCREMENTATION\n"
    "8, 16, 9, 30, 20, 4, , 10\n"
    ".25, .5, .75, .85, , , 1.5, \n";

// A field is at most 20 characters long: a sign, 14 digits, a point and an exponent.
#define SUPPLE_NUMBER "%.13e"

[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...) {
  char line[160];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text.append(line, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof line) - 1)));
}

void write_nodes(const TissueModel& model, const std::vector<bool>& used, std::string& deck) {
  deck += "*NODE, NSET=NODES\n";
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    const Vec3d p = model.mesh().nodes[v] * calculix_units_per_metre;
    append(deck, "%zu, " SUPPLE_NUMBER ", " SUPPLE_NUMBER ", " SUPPLE_NUMBER "\n", v + 1, p.x, p.y, p.z);
  }
}

/// C3D10 has its middle nodes on edges 12 23 31 14 24 34 (from 1): the order of TetMesh.
void write_regions(const TissueModel& model, std::string& deck) {
  const double stiffen = shear_modulus_of_first / model.materials()[0].shear_modulus();
  for (std::size_t region = 0; region < model.materials().size(); ++region) {
    std::size_t count = 0;
    for (std::size_t e = 0; e < model.mesh().element_count(); ++e) {
      if (model.region(e) != region) continue;
      if (count++ == 0)
        append(deck, "*ELEMENT, TYPE=C3D%u, ELSET=REGION%zu\n", model.mesh().nodes_per_element, region + 1);
      append(deck, "%zu", e + 1);
      for (const std::uint32_t v : model.mesh().element(e)) append(deck, ", %u", v + 1);
      deck += '\n';
    }
    if (count == 0) continue;
    // C10 (I1 - 3) + (J - 1)^2 / D1, with I1 of the deformation without its change of volume.
    const Hyperelastic& h = model.materials()[region];
    append(deck, "*MATERIAL, NAME=FLESH%zu\n*HYPERELASTIC, NEO HOOKE\n" SUPPLE_NUMBER ", " SUPPLE_NUMBER "\n",
           region + 1, stiffen * h.shear_modulus() / 2, 2 / (stiffen * h.bulk_modulus()));
    append(deck, "*SOLID SECTION, ELSET=REGION%zu, MATERIAL=FLESH%zu\n", region + 1, region + 1);
  }
}

}  // namespace

std::string calculix_deck(const TissueModel& model, std::span<const std::vector<Vec3d>> waypoints, int increments) {
  std::vector<bool> used(model.mesh().nodes.size(), false);
  for (const std::uint32_t v : model.mesh().elements) used[v] = true;
  std::string deck;
  write_nodes(model, used, deck);
  write_regions(model, deck);
  for (const std::vector<Vec3d>& waypoint : waypoints) {
    const double first = 1.0 / std::max(1, increments);
    deck += "*STEP, NLGEOM, INC=10000\n*STATIC\n";
    append(deck, "%.9g, 1., 1e-6, %.9g\n", first, first);  // first increment, the whole, the least and the largest
    deck += controls;
    deck += "*BOUNDARY\n";  // displacements from rest, at the end of the step
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (!used[v] || model.bone_of()[v] == no_bone) continue;
      const Vec3d u = (waypoint[v] - model.mesh().nodes[v]) * calculix_units_per_metre;
      for (std::size_t r = 0; r < 3; ++r) append(deck, "%zu, %zu, %zu, " SUPPLE_NUMBER "\n", v + 1, r + 1, r + 1, u[r]);
    }
    // Only the end of the step: increments are counted up to this number, and the last is always printed.
    deck += "*NODE PRINT, NSET=NODES, FREQUENCY=1000000\nU\n*END STEP\n";
  }
  return deck;
}

}  // namespace supple::simulate
