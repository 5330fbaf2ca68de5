// A finer surface for the same character.
#pragma once

#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct SubdivideFileOptions {
  std::string input{}, output{};
  int levels = 1;                    // each makes four triangles of one
  std::vector<std::string> parts{};  // names; empty: all but surfaces of bones
};

struct SubdividedFile {
  std::size_t parts = 0, vertices = 0, triangles = 0;  // of those that were refined
};

Result<SubdividedFile> subdivide_file(const SubdivideFileOptions& options, Work& work);

}  // namespace supple::workflow
