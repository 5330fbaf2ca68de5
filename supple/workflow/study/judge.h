// The character of a scan project, taught by its examples, and how far each method is from every scan's own skin.
#pragma once

#include <array>

#include "supple/measure/error.h"
#include "supple/workflow/study/chain.h"

namespace supple::workflow {

enum class SkinMethod : std::uint8_t { ssd, psd, wpsd };
inline constexpr std::array<const char*, 3> method_names{"SSD", "PSD", "weighted PSD"};

/// Distance from the model's skin to the measured one, metres, by method.
struct ScanError {
  std::size_t scan = 0;  // place in Chain::scans
  std::array<measure::ErrorSummary, 3> methods;
  std::array<measure::ErrorSummary, 3> whole;  // the same where the fit found nothing to lie on too
  double share_left_out = 0;                   // of the skin's vertices: not measured, see judge()
};

struct Judged {
  std::array<Character, 3> characters;  // by method
  std::vector<ScanError> errors;        // every scan but the base
  /// Over the scans that were learnt from, or over those that are held out; 0 where there are none. Scans that were to
  /// be learnt from and could not be (see scan::teaches) are neither.
  double rms(SkinMethod method, Role role, const Chain& chain) const;
};

/// Teaches PSD and weighted PSD, and measures all three in the pose of every scan, through the run-time evaluator.
/// Skin is left out that a scan does not show: where the volume cut the base skin or the scan's own, and where the fit
/// found nothing to lie on. Poor teachers among the scans are told as warnings; a base that is held out is an error.
Result<Judged> judge(const Chain& chain, Work& work);

}  // namespace supple::workflow
