#include "supple/imaging/dicom_slice.h"

#include <gdcmFragment.h>
#include <gdcmImage.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

#include <bit>
#include <cstring>
#include <exception>

#include "supple/imaging/dicom_file.h"
#include "supple/imaging/header_text.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

/// Everything that may stand in a file's own data set or in the functional groups of a frame.
void read_geometry(const DicomSet& set, Slice& slice) {
  if (const auto p = set.numbers(0x00200032); p.size() == 3) slice.position = Vec3d{p[0], p[1], p[2]};
  if (const auto o = set.numbers(0x00200037); o.size() == 6) {
    slice.along_row = normalized(Vec3d{o[0], o[1], o[2]});
    slice.along_column = normalized(Vec3d{o[3], o[4], o[5]});
  }
  if (const auto s = set.numbers(0x00280030); s.size() == 2) {
    slice.row_spacing = s[0];
    slice.column_spacing = s[1];
  }
  if (const auto s = set.numbers(0x00281053); s.size() == 1) slice.slope = s[0];
  if (const auto b = set.numbers(0x00281052); b.size() == 1) slice.intercept = b[0];
}

/// Functional groups of enhanced files: sequences of one item each, inside an item of the outer sequence.
void read_groups(const DicomSet& file, DicomTag outer, std::size_t item, Slice& slice) {
  const DicomElement* groups = file.find(outer);
  if (groups == nullptr || groups->items.size() <= item) return;
  for (const DicomTag tag : {0x00209113u, 0x00209116u, 0x00289110u, 0x00289145u}) {
    // position, orientation, measures, transformation of values
    const DicomElement* inner = groups->items[item].find(tag);
    if (inner != nullptr && !inner->items.empty()) read_geometry(inner->items.front(), slice);
  }
}

Error damaged_slice(const fs::path& path, const std::string& how) {
  return {path.string(), how, "copy the file again from the scanner or archive"};
}

/// Unpacks a compressed picture. GDCM gets the fragments only, which were found whole, never the file.
Result<std::vector<char>> decode(const DicomFile& file, const Slice& slice) {
  gdcm::Trace::WarningOff();  // it would talk to standard error; here the caller is told
  gdcm::Trace::ErrorOff();
  const gdcm::TransferSyntax::TSType transfer = gdcm::TransferSyntax::GetTSType(file.transfer.c_str());
  if (transfer == gdcm::TransferSyntax::TS_END)
    return Error{slice.path.string(), "is compressed in a way that is not known: " + file.transfer,
                 "export it uncompressed"};
  const auto& fragments = file.set.find(pixel_data)->fragments;
  const gdcm::SmartPointer<gdcm::SequenceOfFragments> sequence = new gdcm::SequenceOfFragments;
  for (std::size_t f = 1; f < fragments.size(); ++f) {  // 0 is the table of offsets
    gdcm::Fragment fragment;
    fragment.SetByteValue(reinterpret_cast<const char*>(fragments[f].data()),
                          static_cast<std::uint32_t>(fragments[f].size()));
    sequence->AddFragment(fragment);
  }
  gdcm::DataElement element(gdcm::Tag(0x7fe0, 0x0010));
  element.SetVR(gdcm::VR::OB);
  element.SetValue(*sequence);
  gdcm::Image image;
  image.SetNumberOfDimensions(slice.frames > 1 ? 3 : 2);
  image.SetDimension(0, static_cast<unsigned>(slice.columns));
  image.SetDimension(1, static_cast<unsigned>(slice.rows));
  if (slice.frames > 1) image.SetDimension(2, static_cast<unsigned>(slice.frames));
  const auto bits = static_cast<std::uint16_t>(slice.bits_stored);
  image.SetPixelFormat(gdcm::PixelFormat(1, static_cast<std::uint16_t>(slice.bits_allocated), bits,
                                         static_cast<std::uint16_t>(bits - 1), slice.is_signed ? 1 : 0));
  image.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
  image.SetTransferSyntax(transfer);
  image.SetDataElement(element);
  std::vector<char> decoded(slice.columns * slice.rows * slice.frames * (slice.bits_allocated / 8));
  if (fragments.size() < 2 || image.GetBufferLength() != decoded.size() || !image.GetBuffer(decoded.data()))
    return damaged_slice(slice.path, "has a picture that cannot be decoded: it is damaged");
  return decoded;
}

/// A text of the header; the standard allows 64 characters, and every frame has a copy.
std::string short_text(const DicomSet& set, DicomTag tag) { return set.text(tag).substr(0, 256); }

}  // namespace

std::string Slice::label() const {
  return path.filename().string() + (frames > 1 ? ", frame " + std::to_string(frame + 1) : "");
}

Result<void> check_picture(const Slice& slice) {
  const std::size_t wanted = slice.columns * slice.rows * slice.frames * slice.bits_allocated / 8;
  if (!slice.compressed) {
    if (slice.stored_bytes >= wanted) return {};
    return damaged_slice(slice.path, "has a picture of " + std::to_string(slice.stored_bytes) + " bytes instead of " +
                                         std::to_string(wanted));
  }
  // Blank slices become very small; nothing makes a thousandth of a file of many.
  constexpr std::size_t blank = 16 << 20, most = 1000;
  if (wanted <= blank + most * slice.stored_bytes) return {};
  return damaged_slice(slice.path, "has " + std::to_string(slice.stored_bytes) +
                                       " compressed bytes, too few for a picture of " + std::to_string(wanted));
}

Result<std::vector<Slice>> read_slices(const fs::path& path) {
  if (!is_dicom(path)) return std::vector<Slice>();
  const auto file = open_dicom(path);
  if (!file) return file.error();
  const DicomSet& set = file->set;
  Slice slice;
  slice.path = path;
  slice.columns = set.count(0x00280011, 0);
  slice.rows = set.count(0x00280010, 0);
  if (slice.columns == 0 || slice.rows == 0) return std::vector<Slice>();  // a report, a directory: no picture
  const DicomElement* picture = set.find(pixel_data);
  if (picture == nullptr) return damaged_slice(path, "ends before its picture");
  slice.compressed = !picture->fragments.empty();
  slice.stored_bytes = picture->value.size();
  for (const auto& fragment : picture->fragments) slice.stored_bytes += fragment.size();
  slice.series = short_text(set, 0x0020000e);
  slice.description = short_text(set, 0x0008103e);
  slice.modality = short_text(set, 0x00080060);
  slice.photometric = short_text(set, 0x00280004);
  slice.bits_allocated = set.count(0x00280100, 16);
  slice.bits_stored = set.count(0x00280101, slice.bits_allocated);
  slice.is_signed = set.count(0x00280103, 0) == 1;
  read_geometry(set, slice);
  constexpr std::size_t most_frames = 1 << 20;
  slice.frames = std::clamp<std::size_t>(to_number<std::size_t>(set.text(0x00280008)).value_or(1), 1, most_frames);
  if (slice.frames > 1) {
    if (slice.frames > 8 * slice.stored_bytes)
      return damaged_slice(path, "claims " + std::to_string(slice.frames) + " frames in a picture of " +
                                     std::to_string(slice.stored_bytes) + " bytes");
    if (auto held = check_picture(slice); !held) return held.error();
    read_groups(set, 0x52009229, 0, slice);  // shared by all frames
  }
  std::vector<Slice> slices(slice.frames, slice);
  for (std::size_t f = 0; f < slices.size() && slice.frames > 1; ++f) {
    slices[f].frame = f;
    read_groups(set, 0x52009230, f, slices[f]);
  }
  return slices;
}

Result<void> PixelReader::load(const Slice& slice) {
  const auto file = open_dicom(slice.path);
  if (!file) return file.error();
  const DicomElement* picture = file->set.find(pixel_data);
  if (picture == nullptr) return damaged_slice(slice.path, "ends before its picture");
  big_endian_ = file->set.big_endian;
  if (!picture->fragments.empty()) {
    try {
      auto decoded = decode(*file, slice);
      if (!decoded) return decoded.error();
      decoded_ = std::move(*decoded);
    } catch (const std::bad_alloc&) {
      throw;  // the machine's fault, not the file's
    } catch (const std::exception&) {
      return damaged_slice(slice.path, "has a picture that cannot be decoded");
    }
    big_endian_ = std::endian::native == std::endian::big;
    return {};
  }
  const std::size_t wanted = slice.columns * slice.rows * slice.frames * (slice.bits_allocated / 8);
  if (picture->value.size() < wanted) return damaged_slice(slice.path, "changed while it was read");
  decoded_.resize(wanted);
  std::memcpy(decoded_.data(), picture->value.data(), wanted);
  return {};
}

Result<std::span<const std::int32_t>> PixelReader::read(const Slice& slice) {
  const std::size_t count = slice.columns * slice.rows, bytes = slice.bits_allocated / 8;
  if (path_ != slice.path) {
    path_.clear();
    if (auto loaded = load(slice); !loaded) return loaded.error();
    path_ = slice.path;
  }
  pixels_.resize(count);
  const char* at = decoded_.data() + slice.frame * count * bytes;
  const int unused = 32 - static_cast<int>(slice.bits_stored);
  const bool inverted = slice.photometric == "MONOCHROME1",
             swap = big_endian_ != (std::endian::native == std::endian::big);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t raw = static_cast<unsigned char>(at[i * bytes]);
    if (bytes == 2) std::memcpy(&raw, at + 2 * i, 2);
    if (bytes == 2 && swap) raw = static_cast<std::uint16_t>(raw << 8 | raw >> 8);
    // Bits above those stored may hold anything, overlays for one; the highest one stored is the sign.
    const std::uint32_t high = static_cast<std::uint32_t>(raw) << unused;
    const std::int32_t pixel =
        slice.is_signed ? static_cast<std::int32_t>(high) >> unused : static_cast<std::int32_t>(high >> unused);
    pixels_[i] = inverted ? slice.lowest() + slice.highest() - pixel : pixel;
  }
  return std::span<const std::int32_t>(pixels_);
}

}  // namespace supple::imaging
