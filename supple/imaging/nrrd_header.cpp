// Nearly raw raster data: https://teem.sourceforge.net/nrrd/format.html
#include "supple/imaging/nrrd_header.h"

#include <array>
#include <bit>

#include "supple/imaging/header_text.h"
#include "supple/imaging/lattice.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

/// "(1,0,0) none (0,1,0)": a vector per axis, nothing for axes that are not in space.
std::optional<std::vector<std::optional<Vec3d>>> to_vectors(std::string_view text) {
  std::vector<std::optional<Vec3d>> vectors;
  while (!(text = trimmed(text)).empty()) {
    if (text.starts_with("none")) {
      vectors.push_back(std::nullopt);
      text.remove_prefix(4);
      continue;
    }
    const std::size_t end = text.find(')');
    if (text.front() != '(' || end == std::string_view::npos) return std::nullopt;
    const auto numbers = to_numbers<double>(text.substr(1, end - 1));
    if (!numbers || numbers->size() != 3) return std::nullopt;
    vectors.push_back(Vec3d{(*numbers)[0], (*numbers)[1], (*numbers)[2]});
    text.remove_prefix(end + 1);
  }
  return vectors;
}

/// Millimetres per unit of length, from "space units": "mm" "mm" "mm".
Result<double> millimetres_per_unit(const NrrdHeader& header) {
  const std::string text = header.field("spaceunits");
  if (text.empty()) return 1.0;
  const std::size_t begin = text.find('"') + 1, end = text.find('"', begin);
  const std::string unit = lower(trimmed(std::string_view(text).substr(begin, end - begin)));
  if (unit == "mm" || unit == "millimeter" || unit == "millimeters" || unit.empty()) return 1.0;
  if (unit == "cm") return 10.0;
  if (unit == "m") return 1000.0;
  if (unit == "um" || unit == "microns" || unit == "micron") return 1e-3;
  return header.wrong("spaceunits");
}

/// Axes of the lattice in the file's space; the sizes of the lattice lose the axes that are not in space.
Result<Affined> read_axes(const NrrdHeader& header, NrrdLattice& lattice, Warnings* warnings) {
  std::vector<std::size_t>& sizes = lattice.sizes;
  const auto warn = [&](const std::string& text) {
    if (warnings) warnings->push_back(header.name + ": " + text);
  };
  Affined axes;
  if (header.fields.contains("spacedirections")) {
    const auto vectors = to_vectors(header.field("spacedirections"));
    if (!vectors || vectors->size() != sizes.size()) return header.wrong("spacedirections");
    std::vector<std::size_t> in_space;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (!(*vectors)[i]) {
        if (i == 0) lattice.per_sample = sizes[i];
        if (i == 0 || sizes[i] == 1) continue;
        return Error{header.name, "holds " + std::to_string(sizes[i]) + " numbers per sample",
                     "store one channel by itself"};
      }
      if (axis < 3) axes.linear[axis++] = *(*vectors)[i];
      in_space.push_back(sizes[i]);
    }
    sizes = in_space;
  } else {
    const auto spacings = to_numbers<double>(header.field("spacings"));
    if (!spacings || spacings->size() < 3) {
      warn("does not say how far samples lie apart: 1 mm is taken");
    } else {
      axes.linear = Mat3d::diagonal({(*spacings)[0], (*spacings)[1], (*spacings)[2]});
    }
  }
  if (header.fields.contains("spaceorigin")) {
    const auto origin = to_vectors(header.field("spaceorigin"));
    if (!origin || origin->size() != 1 || !origin->front()) return header.wrong("spaceorigin");
    axes.translation = *origin->front();
  }
  const auto unit = millimetres_per_unit(header);
  if (!unit) return unit.error();
  axes = {axes.linear * *unit, axes.translation * *unit};
  const std::string space = lower(header.field("space"));
  if (space == "left-posterior-superior" || space == "lps") return axes;
  if (space == "right-anterior-superior" || space == "ras") return turned_to_lps(axes, true, true);
  if (space == "left-anterior-superior" || space == "las") return turned_to_lps(axes, false, true);
  warn("does not say how the patient lies: its axes are taken as left, back and head");
  return axes;
}

/// Bytes up to the end of the given number of lines.
Result<std::uint64_t> lines_size(const fs::path& path, std::uint64_t begin, std::size_t lines) {
  const auto head = read_head(path);
  if (!head) return head.error();
  std::string_view rest = std::string_view(*head).substr(std::min<std::size_t>(begin, head->size()));
  for (std::size_t i = 0; i < lines && !rest.empty(); ++i) take_line(rest);
  return head->size() - rest.size();
}

}  // namespace

Result<NrrdHeader> parse_nrrd_header(std::string_view text, const std::string& name) {
  if (!text.starts_with("NRRD")) return Error{name, "is not a NRRD file", "it must start with NRRD0001 to NRRD0005"};
  NrrdHeader header;
  header.name = name;
  std::string_view rest = text;
  take_line(rest);
  while (const auto line = take_line(rest)) {
    if (line->empty()) break;
    if (line->starts_with('#')) continue;
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos)
      return Error{name, "has a header line without a colon: '" + std::string(line->substr(0, 40)) + "'", ""};
    std::string key = lower(trimmed(line->substr(0, colon)));
    if (line->substr(colon).starts_with(":=")) {
      header.keys[key] = trimmed(line->substr(colon + 2));
    } else {
      std::erase(key, ' ');
      header.fields[key] = trimmed(line->substr(colon + 1));
    }
  }
  header.size = text.size() - rest.size();
  return header;
}

std::optional<SampleType> nrrd_type(std::string_view word) {
  constexpr std::array<std::array<std::string_view, 8>, 10> names{{
      {"signed char", "int8", "int8_t"},
      {"uchar", "unsigned char", "uint8", "uint8_t"},
      {"short", "short int", "signed short", "signed short int", "int16", "int16_t"},
      {"ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"},
      {"int", "signed int", "int32", "int32_t"},
      {"uint", "unsigned int", "uint32", "uint32_t"},
      {"longlong", "long long", "long long int", "signed long long", "signed long long int", "int64", "int64_t"},
      {"ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"},
      {"float"},
      {"double"},
  }};
  for (std::size_t type = 0; type < names.size(); ++type) {
    for (const std::string_view name : names[type]) {
      if (!name.empty() && name == word) return static_cast<SampleType>(type);
    }
  }
  return std::nullopt;
}

Result<NrrdLattice> nrrd_lattice(const NrrdHeader& header, Warnings* warnings) {
  NrrdLattice lattice;
  const auto sizes = to_numbers<std::size_t>(header.field("sizes"));
  if (!sizes || sizes->empty()) return header.wrong("sizes");
  lattice.sizes = *sizes;
  const auto axes = read_axes(header, lattice, warnings);
  if (!axes) return axes.error();
  lattice.axes = *axes;
  return lattice;
}

Result<SampleData> open_nrrd_data(const NrrdHeader& header, const fs::path& path, Encoding& encoding,
                                  std::size_t count) {
  fs::path file = path;
  std::uint64_t begin = header.size;
  std::string other = header.field("datafile");
  if (!other.empty()) {
    if (lower(other).starts_with("list") || other.find('%') != std::string::npos) {
      return Error{header.name, "has its data in several files", "join them into one .nrrd"};
    }
    file = path.parent_path() / other;
    begin = 0;
  } else if (lower(path.extension().string()) == ".nhdr") {
    return header.wrong("datafile");
  }
  if (const std::string skip = header.field("lineskip"); !skip.empty()) {
    const auto lines = to_number<std::size_t>(skip);
    if (!lines) return header.wrong("lineskip");
    const auto size = lines_size(file, begin, *lines);
    if (!size) return size.error();
    begin = *size;
  }
  std::int64_t skipped = 0;
  if (const std::string skip = header.field("byteskip"); !skip.empty()) {
    const auto bytes = to_number<std::int64_t>(skip);
    if (!bytes || *bytes < -1) return header.wrong("byteskip");
    skipped = *bytes;
  }
  const std::string how = lower(header.field("encoding"));
  Result<std::unique_ptr<ByteSource>> source = header.wrong("encoding");
  if (how == "raw") {
    source = open_plain(file, begin);
    if (source && skipped == -1) {  // the data are the last bytes of the file
      skipped = static_cast<std::int64_t>(offset_of_last(**source, count, encoding.type));
    }
  } else if (how == "gzip" || how == "gz") {
    source = open_packed(file, begin);
  } else if (how == "ascii" || how == "text" || how == "txt") {
    source = open_text_numbers(file, begin, count);
    encoding.type = SampleType::float64;
    encoding.big_endian = std::endian::native == std::endian::big;
  } else if (how == "bzip2" || how == "bz2" || how == "hex") {
    source = Error{header.name, "is encoded as " + how + ", which is not read here", "store it as gzip or raw"};
  }
  if (!source) return source.error();
  return SampleData{std::move(*source), static_cast<std::uint64_t>(std::max<std::int64_t>(skipped, 0))};
}

}  // namespace supple::imaging
