// Volumes in NRRD files.
#include "supple/imaging/nrrd.h"

#include <cmath>

#include "supple/imaging/formats.h"
#include "supple/imaging/header_text.h"
#include "supple/imaging/lattice.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<NrrdLists> read_nrrd_lists(const fs::path& path, Warnings* warnings, const Progress& progress) {
  auto header = read_header(path, parse_nrrd_header);
  if (!header) return header.error();
  const auto lattice = nrrd_lattice(*header, warnings);
  if (!lattice) return lattice.error();
  NrrdLists lists;
  lists.per_sample = lattice->per_sample;
  Volume& volume = lists.volume;
  volume.name = path.string();
  if (auto sized = set_size(volume, lattice->sizes); !sized) return sized.error();
  if (auto placed = set_axes(volume, lattice->axes); !placed) return placed.error();
  constexpr std::size_t most_numbers = 1024;  // for each sample
  if (lists.per_sample == 0 || lists.per_sample > most_numbers) return header->wrong("sizes");
  volume.size[0] *= lists.per_sample;

  Encoding encoding;
  const auto type = nrrd_type(lower(header->field("type")));
  if (!type) return header->wrong("type");
  encoding.type = *type;
  const std::string order = lower(header->field("endian"));
  encoding.big_endian = order == "big";
  if (bytes_of(*type) > 1 && order != "big" && order != "little" && lower(header->field("encoding")) != "ascii" &&
      !header->field("encoding").starts_with('t'))
    return header->wrong("endian");
  const auto key = [&](const char* name, double fallback) {
    const auto found = header->keys.find(name);
    return found == header->keys.end() ? fallback : to_number<double>(found->second).value_or(std::nan(""));
  };
  encoding.slope = key("rescale slope", 1);
  encoding.intercept = key("rescale intercept", 0);
  if (const auto found = header->keys.find("modality"); found != header->keys.end()) volume.modality = found->second;
  auto data = open_nrrd_data(*header, path, encoding, volume.count());
  if (!data) return data.error();
  if (auto read = read_samples(*data->source, data->offset, encoding, volume, warnings, progress); !read)
    return read.error();
  lists.keys = std::move(header->keys);
  return lists;
}

Result<Volume> read_nrrd(const fs::path& path, Warnings* warnings, const Progress& progress) {
  auto lists = read_nrrd_lists(path, warnings, progress);
  if (!lists) return lists.error();
  if (lists->per_sample > 1) {
    return Error{path.string(), "holds " + std::to_string(lists->per_sample) + " numbers per sample",
                 "store one channel by itself"};
  }
  return std::move(lists->volume);
}

}  // namespace supple::imaging
