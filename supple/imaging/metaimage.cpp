// MetaImage, as ITK writes it: https://itk.org/Wiki/ITK/MetaIO/Documentation
#include <array>
#include <bit>
#include <map>

#include "supple/imaging/formats.h"
#include "supple/imaging/header_text.h"
#include "supple/imaging/lattice.h"
#include "supple/imaging/samples.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

struct Header {
  std::string name;
  std::map<std::string, std::string> fields;  // by lower-case key
  std::size_t size = 0;                       // bytes up to the data of a .mha

  /// The first of the keys that the file has: old files use other words.
  std::string field(std::initializer_list<const char*> keys) const {
    for (const char* key : keys) {
      if (const auto found = fields.find(key); found != fields.end()) return found->second;
    }
    return {};
  }
  bool is_true(std::initializer_list<const char*> keys) const {
    const std::string value = lower(field(keys));
    return value.starts_with('t') || value.starts_with('y') || value == "1";
  }
  Error wrong(const char* key) const {
    return {name, std::string("has no usable ") + key + " (it says '" + field({lower(key).c_str()}) + "')",
            "correct its header"};
  }
};

Result<Header> parse_header(std::string_view text, const std::string& name) {
  Header header;
  header.name = name;
  std::string_view rest = text;
  while (const auto line = take_line(rest)) {
    const std::size_t equals = line->find('=');
    if (equals == std::string_view::npos) break;
    const std::string key = lower(trimmed(line->substr(0, equals)));
    header.fields[key] = trimmed(line->substr(equals + 1));
    if (key != "elementdatafile") continue;  // the last line of every header
    header.size = text.size() - rest.size();
    return header;
  }
  return Error{name, "is not a MetaImage file", "its header must end in a line 'ElementDataFile = ...'"};
}

std::optional<SampleType> to_type(std::string_view word) {
  // MET_LONG has 4 bytes in MetaIO, whatever the machine's long has.
  constexpr std::array<std::pair<std::string_view, SampleType>, 12> types{{{"met_char", SampleType::int8},
                                                                           {"met_uchar", SampleType::uint8},
                                                                           {"met_short", SampleType::int16},
                                                                           {"met_ushort", SampleType::uint16},
                                                                           {"met_int", SampleType::int32},
                                                                           {"met_uint", SampleType::uint32},
                                                                           {"met_long", SampleType::int32},
                                                                           {"met_ulong", SampleType::uint32},
                                                                           {"met_long_long", SampleType::int64},
                                                                           {"met_ulong_long", SampleType::uint64},
                                                                           {"met_float", SampleType::float32},
                                                                           {"met_double", SampleType::float64}}};
  for (const auto& [name, type] : types) {
    if (name == word) return type;
  }
  return std::nullopt;
}

/// The file is written in the patient's space, x to the left, y to the back: TransformMatrix holds the direction of
/// each axis in turn.
Result<Affined> read_axes(const Header& header, std::size_t dimensions, Warnings* warnings) {
  Affined axes;
  auto spacing = to_numbers<double>(header.field({"elementspacing", "elementsize"}));
  if (!spacing || (!spacing->empty() && spacing->size() < 3)) return header.wrong("ElementSpacing");
  if (spacing->empty()) {
    spacing = std::vector<double>(3, 1.0);
    if (warnings) warnings->push_back(header.name + ": does not say how far samples lie apart: 1 mm is taken");
  }
  const auto directions = to_numbers<double>(header.field({"transformmatrix", "rotation", "orientation"}));
  if (!directions || (!directions->empty() && directions->size() != dimensions * dimensions))
    return header.wrong("TransformMatrix");
  const auto origin = to_numbers<double>(header.field({"offset", "position", "origin"}));
  if (!origin || (!origin->empty() && origin->size() < 3)) return header.wrong("Offset");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!directions->empty()) {
      const double* d = directions->data() + axis * dimensions;
      axes.linear[axis] = {d[0], d[1], d[2]};
    }
    axes.linear[axis] *= (*spacing)[axis];
    if (!origin->empty()) axes.translation[axis] = (*origin)[axis];
  }
  return axes;
}

Result<SampleData> open_data(const Header& header, const fs::path& path, Encoding& encoding, std::size_t count) {
  const std::string where = header.field({"elementdatafile"});
  const bool attached = lower(where) == "local";
  if (lower(where).starts_with("list") || where.find('%') != std::string::npos)
    return Error{header.name, "has its data in several files", "join them into one .mha"};
  const fs::path file = attached ? path : path.parent_path() / where;
  const std::uint64_t begin = attached ? header.size : 0;
  if (header.is_true({"compresseddata"})) {
    auto source = open_packed(file, begin);
    if (!source) return source.error();
    return SampleData{std::move(*source), 0};
  }
  if (header.fields.contains("binarydata") && !header.is_true({"binarydata"})) {
    auto source = open_text_numbers(file, begin, count);
    if (!source) return source.error();
    encoding.type = SampleType::float64;
    encoding.big_endian = std::endian::native == std::endian::big;
    return SampleData{std::move(*source), 0};
  }
  auto source = open_plain(file, begin);
  if (!source) return source.error();
  std::int64_t skipped = to_number<std::int64_t>(header.field({"headersize"})).value_or(0);
  if (skipped < 0) {  // the data are the last bytes of the file
    skipped = static_cast<std::int64_t>(offset_of_last(**source, count, encoding.type));
  }
  return SampleData{std::move(*source), static_cast<std::uint64_t>(skipped)};
}

}  // namespace

Result<Volume> read_metaimage(const fs::path& path, Warnings* warnings, const Progress& progress) {
  const auto header = read_header(path, parse_header);
  if (!header) return header.error();
  Volume volume;
  volume.name = path.string();
  const auto sizes = to_numbers<std::size_t>(header->field({"dimsize"}));
  if (!sizes || sizes->empty()) return header->wrong("DimSize");
  if (auto sized = set_size(volume, *sizes); !sized) return sized.error();
  const std::string channels = header->field({"elementnumberofchannels"});
  if (!channels.empty() && channels != "1")
    return Error{volume.name, "holds " + channels + " numbers per sample", "store one channel by itself"};
  const auto axes = read_axes(*header, sizes->size(), warnings);
  if (!axes) return axes.error();
  if (auto placed = set_axes(volume, *axes); !placed) return placed.error();

  const auto type = to_type(lower(header->field({"elementtype"})));
  if (!type) return header->wrong("ElementType");
  Encoding encoding;
  encoding.type = *type;
  encoding.big_endian = header->is_true({"elementbyteordermsb", "binarydatabyteordermsb"});
  constexpr std::string_view modality_prefix = "MET_MOD_";
  const std::string modality = header->field({"modality"});
  if (modality.starts_with(modality_prefix) && !modality.ends_with("UNKNOWN"))
    volume.modality = modality.substr(modality_prefix.size());
  auto data = open_data(*header, path, encoding, volume.count());
  if (!data) return data.error();
  if (auto read = read_samples(*data->source, data->offset, encoding, volume, warnings, progress); !read)
    return read.error();
  return volume;
}

}  // namespace supple::imaging
