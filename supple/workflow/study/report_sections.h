// The sections of the report of a scan project, each as HTML.
#pragma once

#include "supple/workflow/study/report.h"

namespace supple::workflow {
class ScanStudio;
}

/// Functions here would have the names of other reports'.
namespace supple::workflow::scan_report {

// What a person should look at first: report_review.cpp. `pictures`: of the first items, or none.
Result<std::string> pictures_of_review(const Chain& chain, ScanStudio& studio);
std::string review_section(const Json& report, const std::string& pictures);

// Tables, from the report for programs: report_tables.cpp and report_bone_tables.cpp.
std::string verdict(const Json& report);
std::string headline(const Json& report);
std::string scans_table(const Json& report);
std::string bones_table(const Json& report);
std::string single_bones_table(const Json& report);  // and what it is made of: report_single_bones.cpp
Json single_bones_json(const Chain& chain);
std::string alignment_table(const Json& report);
std::string joints_table(const Json& report);
std::string angles_table(const Json& report);
std::string kinds_table(const Json& report);  // this and the next two: report_joint_tables.cpp
std::string anatomical_table(const Json& report);
std::string bone_axes_table(const Json& report);
std::string fits_table(const Json& report);
std::string errors_table(const Json& report);
std::string stages_table(const Json& report);

// Pictures of bones: report_bones.cpp.
Result<std::string> pictures_of_scans(const Chain& chain, ScanStudio& studio);
Result<std::string> pictures_of_names(const Chain& chain, ScanStudio& studio);
Result<std::string> pictures_of_alignment(const Chain& chain, ScanStudio& studio);
Result<std::string> pictures_of_joints(const Chain& chain, ScanStudio& studio);

// Pictures of skins: report_skins.cpp.
Result<std::string> pictures_of_fitting(const Chain& chain, const Judged& judged, ScanStudio& studio);
Result<std::string> pictures_of_fits(const Chain& chain, ScanStudio& studio);

// Poses that were not scanned: report_poses.cpp.
Result<std::string> pictures_of_poses(const Chain& chain, const Judged& judged, ScanStudio& studio);
Result<std::string> pictures_of_methods(const Chain& chain, const Judged& judged, ScanStudio& studio);

}  // namespace supple::workflow::scan_report
