// The header of a NRRD file: what it says, where the samples lie and where their numbers are.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "supple/imaging/samples.h"

namespace supple::imaging {

struct NrrdHeader {
  std::string name;                           // of the file, for messages
  std::map<std::string, std::string> fields;  // by lower-case name without blanks
  std::map<std::string, std::string> keys;    // key:=value, by lower-case name
  std::size_t size = 0;                       // bytes up to the data of an attached header

  std::string field(const std::string& key) const {
    const auto found = fields.find(key);
    return found == fields.end() ? std::string() : found->second;
  }
  Error wrong(const std::string& key) const {
    return {name, "has no usable '" + key + "' (it says '" + field(key) + "')", "correct its header"};
  }
};

Result<NrrdHeader> parse_nrrd_header(std::string_view text, const std::string& name);

std::optional<SampleType> nrrd_type(std::string_view word);

/// Where the samples of a file lie.
struct NrrdLattice {
  std::vector<std::size_t> sizes;  // of the axes in space
  std::size_t per_sample = 1;      // numbers for each sample, which lie next to each other: layers of labels
  Affined axes;                    // millimetres, x to the left, y to the back, z to the head
};
Result<NrrdLattice> nrrd_lattice(const NrrdHeader& header, Warnings* warnings);

/// The numbers behind the header; `encoding` becomes that of the source. `count`: how many there are to be.
Result<SampleData> open_nrrd_data(const NrrdHeader& header, const std::filesystem::path& path, Encoding& encoding,
                                  std::size_t count);

}  // namespace supple::imaging
