// NIfTI-1: https://nifti.nimh.nih.gov/pub/dist/src/niftilib/nifti1.h
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "supple/imaging/formats.h"
#include "supple/imaging/header_text.h"
#include "supple/imaging/lattice.h"
#include "supple/imaging/samples.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

/// The 348 bytes of a header in either byte order; offsets are those of struct nifti_1_header.
class NiftiHeader {
 public:
  static constexpr std::size_t size = 348;

  std::span<std::byte> bytes() { return bytes_; }
  /// Finds the byte order by the header's own size.
  bool detect_order() {
    for (const bool swap : {false, true}) {
      swap_ = swap;
      if (at<std::int32_t>(0) == static_cast<std::int32_t>(size)) return true;
    }
    return false;
  }
  /// sizeof_hdr of the second version of the format, in either order.
  bool is_version_2() const {
    const auto first = std::to_integer<int>(bytes_[0]) | std::to_integer<int>(bytes_[1]) << 8;
    const auto last = std::to_integer<int>(bytes_[3]) | std::to_integer<int>(bytes_[2]) << 8;
    return first == 540 || last == 540;
  }
  std::string magic() const { return std::string(reinterpret_cast<const char*>(bytes_.data()) + 344, 3); }
  bool big_endian() const { return swap_ != (std::endian::native == std::endian::big); }

  template <class T>
  T at(std::size_t offset) const {
    std::array<std::byte, sizeof(T)> raw{};
    std::memcpy(raw.data(), bytes_.data() + offset, sizeof(T));
    if (swap_) std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
  }
  std::int16_t dimension(std::size_t i) const { return at<std::int16_t>(40 + 2 * i); }
  std::int16_t datatype() const { return at<std::int16_t>(70); }
  double pixdim(std::size_t i) const { return static_cast<double>(at<float>(76 + 4 * i)); }
  double vox_offset() const { return static_cast<double>(at<float>(108)); }
  double scl_slope() const { return static_cast<double>(at<float>(112)); }
  double scl_inter() const { return static_cast<double>(at<float>(116)); }
  int xyz_units() const { return at<std::uint8_t>(123) & 7; }
  int qform_code() const { return at<std::int16_t>(252); }
  int sform_code() const { return at<std::int16_t>(254); }
  double quatern(std::size_t i) const { return static_cast<double>(at<float>(256 + 4 * i)); }  // b, c, d
  double qoffset(std::size_t i) const { return static_cast<double>(at<float>(268 + 4 * i)); }
  double srow(std::size_t row, std::size_t column) const {
    return static_cast<double>(at<float>(280 + 16 * row + 4 * column));
  }

 private:
  std::array<std::byte, size> bytes_{};
  bool swap_ = false;
};

std::optional<SampleType> to_type(int code) {
  switch (code) {
    case 2:
      return SampleType::uint8;
    case 4:
      return SampleType::int16;
    case 8:
      return SampleType::int32;
    case 16:
      return SampleType::float32;
    case 64:
      return SampleType::float64;
    case 256:
      return SampleType::int8;
    case 512:
      return SampleType::uint16;
    case 768:
      return SampleType::uint32;
    case 1024:
      return SampleType::int64;
    case 1280:
      return SampleType::uint64;
    default:
      return std::nullopt;
  }
}

/// Method 2 of nifti1.h: a quaternion with a >= 0 that is left out, and a sign for the third axis.
Affined from_quaternion(const NiftiHeader& h) {
  const double b = h.quatern(0), c = h.quatern(1), d = h.quatern(2);
  const double a = std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d));
  const double handed = h.pixdim(0) < 0 ? -1 : 1;
  Affined axes;
  axes.linear.c0 = Vec3d{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)} * h.pixdim(1);
  axes.linear.c1 = Vec3d{2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)} * h.pixdim(2);
  axes.linear.c2 =
      Vec3d{2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - c * c - b * b} * (h.pixdim(3) * handed);
  axes.translation = {h.qoffset(0), h.qoffset(1), h.qoffset(2)};
  return axes;
}

/// To millimetres, x to the left and y to the back; the file has x to the right and y to the front.
/// Where both forms are given the first holds, as the format has it; a file whose forms are mirror images is refused,
/// since nobody can tell whether it shows a left hand or a right one.
Result<Affined> read_axes(const NiftiHeader& h, const std::string& name, Warnings* warnings) {
  Affined axes;
  if (h.sform_code() > 0) {
    for (std::size_t column = 0; column < 3; ++column)
      axes.linear[column] = {h.srow(0, column), h.srow(1, column), h.srow(2, column)};
    axes.translation = {h.srow(0, 3), h.srow(1, 3), h.srow(2, 3)};
    if (h.qform_code() > 0 && determinant(axes.linear) * determinant(from_quaternion(h).linear) < 0) {
      return Error{name, "has an sform and a qform that are mirror images of each other: left and right are open",
                   "find out which is right and set the code of the other to 0"};
    }
  } else if (h.qform_code() > 0) {
    axes = from_quaternion(h);
  } else {
    axes.linear = Mat3d::diagonal({h.pixdim(1), h.pixdim(2), h.pixdim(3)});
    if (warnings)
      warnings->push_back(name + ": does not say how the patient lies: its axes are taken as right, front and head");
  }
  constexpr int unit_metre = 1, unit_micron = 3;
  const double unit = h.xyz_units() == unit_metre ? 1000 : h.xyz_units() == unit_micron ? 1e-3 : 1;
  return turned_to_lps({axes.linear * unit, axes.translation * unit}, true, true);
}

}  // namespace

Result<Volume> read_nifti(const fs::path& path, Warnings* warnings, const Progress& progress) {
  const std::string extension = lower(path.extension().string());
  fs::path head_path = path, data_path = path;
  if (extension == ".img") head_path.replace_extension(".hdr");
  if (extension == ".hdr") data_path.replace_extension(".img");
  const bool packed = extension == ".gz";
  auto source = packed ? open_packed(head_path) : open_plain(head_path);
  if (!source) return source.error();
  Volume volume;
  volume.name = path.string();
  NiftiHeader header;
  const auto got = (*source)->read(header.bytes());
  if (!got) return got.error();
  if (*got < NiftiHeader::size) return Error{volume.name, "is too short for a NIfTI header", "copy the file again"};
  if (!header.detect_order()) {
    if (header.is_version_2())
      return Error{volume.name, "is NIfTI-2, which is not read here", "store it as NIfTI-1, NRRD or MetaImage"};
    return Error{volume.name, "is not a NIfTI file", ""};
  }
  const bool attached = header.magic() == "n+1";
  if (!attached && header.magic() != "ni1")
    return Error{volume.name, "is an Analyze file, which does not say how the patient lies", "store it as NIfTI"};
  if (!attached && data_path == head_path)
    return Error{volume.name, "has its numbers in another file", "name the .hdr of a pair .hdr and .img"};

  std::vector<std::size_t> sizes;
  const int dimensions = header.dimension(0);
  if (dimensions < 1 || dimensions > 7)
    return Error{volume.name, "has " + std::to_string(dimensions) + " dimensions", "correct its header"};
  for (std::size_t i = 1; i <= static_cast<std::size_t>(dimensions); ++i)
    sizes.push_back(static_cast<std::size_t>(std::max<int>(header.dimension(i), 0)));
  if (auto sized = set_size(volume, sizes); !sized) return sized.error();
  const auto axes = read_axes(header, volume.name, warnings);
  if (!axes) return axes.error();
  if (auto placed = set_axes(volume, *axes); !placed) return placed.error();

  const auto type = to_type(header.datatype());
  if (!type) {
    return Error{volume.name, "holds numbers of NIfTI type " + std::to_string(header.datatype()),
                 "store it as whole numbers or floats of one channel"};
  }
  Encoding encoding{*type, header.big_endian()};
  if (header.scl_slope() != 0 && std::isfinite(header.scl_slope())) {  // 0: nothing is scaled, says the format
    encoding.slope = header.scl_slope();
    encoding.intercept = header.scl_inter();
  }
  constexpr double past_any_file = 1e15;
  const double offset = std::min(header.vox_offset(), past_any_file);
  if (!(offset >= 0) || (attached && offset < static_cast<double>(NiftiHeader::size)))
    return Error{volume.name, "has its numbers inside its header", "correct vox_offset"};
  if (!attached) {
    source = open_plain(data_path);
    if (!source) return source.error();
  }
  auto read = read_samples(**source, static_cast<std::uint64_t>(offset), encoding, volume, warnings, progress);
  if (!read) return read.error();
  return volume;
}

}  // namespace supple::imaging
