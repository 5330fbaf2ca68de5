// How every bone lies in every scan, as other programs read it: tables, JSON, transforms of 3D Slicer, surfaces.
#pragma once

#include "supple/base/folder.h"
#include "supple/files/json.h"
#include "supple/workflow/study/chain.h"

namespace supple::workflow {

/// Names that can be names of files: letters, digits, point, dash and underscore; different ones stay different.
std::vector<std::string> file_names(const std::vector<std::string>& names);

/// Base scan to scan, millimetres: a row for each bone of each scan, the matrix by rows. Single bones of the carpus and
/// the forearm come after those with joints.
std::string transforms_csv(const Chain& chain);
Json transforms_json(const Chain& chain);

/// ITK's text form of a rigid motion, as 3D Slicer loads it: patient's axes (LPS), millimetres, and the way back, since
/// such files tell where a resampled image takes its values from. What is put under it in Slicer moves by `motion`.
std::string itk_transform(const Affined& motion);

/// transforms.csv, transforms.json, bones/SCAN/BONE.stl (millimetres, in the space of that scan, all triangles) and
/// transforms/SCAN/BONE.tfm. Bones that were not found in a scan are left out.
Result<void> write_transforms(const Chain& chain, FolderTransaction& folder);

}  // namespace supple::workflow
