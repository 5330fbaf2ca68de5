// NRRD files with one number or several for each sample.
#pragma once

#include "supple/imaging/nrrd_header.h"

namespace supple::imaging {

struct NrrdLists {
  Volume volume;  // `per_sample` times as many columns: numbers of a sample are neighbours
  std::size_t per_sample = 1;
  std::map<std::string, std::string> keys;  // what the header says besides, by lower-case name
};
Result<NrrdLists> read_nrrd_lists(const std::filesystem::path& path, Warnings* warnings, const Progress& progress);

}  // namespace supple::imaging
