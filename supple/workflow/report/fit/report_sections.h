// The sections of the report of a fit, each as HTML.
#pragma once

#include "supple/workflow/report/fit/report.h"

namespace supple::workflow {

class SkinPictures;

// Tables: report_tables.cpp.
/// The first sentence: whether the skin is nearer to the examples than linear blend, in poses that were held out.
std::string verdict(const Json& facts);
std::string headline(const Json& facts);
/// Rows about examples in which the teacher failed, wholly or at some place.
std::string teacher_facts(const Json& teacher);
std::string errors_table(const Json& errors);
/// Held-out poses by their tags.
std::string tags_table(const Json& tags);
std::string worst_of_all(const Json& errors);
std::string engines_table(const Json& facts);
std::string corrections_table(const Json& facts);
std::string size_and_cost(const Json& facts);
std::string options_used(const FitOptions& options);

// Curves: report_curves.cpp.
std::string error_against_modes(const FitJob& job);
std::string spectra(const FitJob& job);
std::string error_against_examples(const FitJob& job);

// Pictures: report_modes.cpp and report_heat.cpp.
Result<std::string> pictures_of_modes(const FitJob& job, SkinPictures& drawn, const Progress& progress);
Result<std::string> pictures_of_errors(const Fit& job, SkinPictures& drawn, const Progress& progress);

}  // namespace supple::workflow
