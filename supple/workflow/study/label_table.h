// Tables that say what labels are called.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "supple/base/result.h"
#include "supple/files/json.h"

namespace supple::workflow {

/// An object of names by the label's own name or its number: {"7": "radius", "Segment_3": "", ...}.
Result<std::map<std::string, std::string>> label_table_of(const Json& json, const std::string& item);

/// The same in a file: .json, or a text with a line for each label as 3D Slicer ("7 radius 230 220 70 255") or ITK-SNAP
/// ("7 230 220 70 1 1 1 "radius"") write it.
Result<std::map<std::string, std::string>> read_label_table(const std::filesystem::path& file);

}  // namespace supple::workflow
