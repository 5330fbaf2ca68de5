#include <gdcmAttribute.h>
#include <gdcmImage.h>
#include <gdcmImageChangeTransferSyntax.h>
#include <gdcmTrace.h>
#include <gdcmWriter.h>

#include <charconv>
#include <cstdio>
#include <exception>

#include "supple/base/folder.h"
#include "supple/base/hash.h"
#include "supple/imaging/samples.h"
#include "supple/imaging/volume_file.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

std::optional<gdcm::TransferSyntax> to_transfer(const std::string& name) {
  if (name == "explicit") return gdcm::TransferSyntax::ExplicitVRLittleEndian;
  if (name == "jpeg-lossless") return gdcm::TransferSyntax::JPEGLosslessProcess14_1;
  if (name == "rle") return gdcm::TransferSyntax::RLELossless;
  if (name == "jpeg2000") return gdcm::TransferSyntax::JPEG2000Lossless;
  return std::nullopt;
}

/// The most exact decimal that fits the 16 characters DICOM gives a number.
std::string decimal(double x) {
  constexpr std::ptrdiff_t longest = 16;
  char text[64];
  std::to_chars_result done = std::to_chars(text, text + sizeof text, x);
  for (int digits = 16; done.ptr - text > longest; --digits)
    done = std::to_chars(text, text + sizeof text, x, std::chars_format::general, digits);
  return {text, done.ptr};
}

std::string decimals(std::initializer_list<double> numbers) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : "\\") + decimal(x);
  return text;
}

void put(gdcm::DataSet& set, gdcm::Tag tag, gdcm::VR vr, std::string text) {
  const bool is_uid = vr == gdcm::VR::UI;
  if (text.size() % 2 != 0) text += is_uid ? '\0' : ' ';  // lengths are even
  gdcm::DataElement element(tag);
  element.SetVR(vr);
  element.SetByteValue(text.data(), static_cast<std::uint32_t>(text.size()));
  set.Replace(element);
}

void put(gdcm::DataSet& set, gdcm::Tag tag, std::uint16_t number) {
  gdcm::DataElement element(tag);
  element.SetVR(gdcm::VR::US);
  const char bytes[2]{static_cast<char>(number & 0xff), static_cast<char>(number >> 8)};
  element.SetByteValue(bytes, 2);
  set.Replace(element);
}

/// Ids that tell series apart and are the same for the same scan: 2.25 is the root of numbers that nobody registers.
class Ids {
 public:
  Ids(const Volume& volume, const DicomOptions& options) {
    Fingerprint print;
    print.add(std::span<const std::int16_t>(volume.samples)).add(volume.slope).add(volume.intercept);
    for (std::size_t i = 0; i < 3; ++i)
      print.add(volume.size[i]).add(std::span<const double>(&volume.to_world.linear[i].x, 3));
    print.add(std::span<const double>(&volume.to_world.translation.x, 3));
    print.add(std::span<const char>(options.description)).add(std::span<const char>(options.patient));
    base_ = "2.25." + std::to_string(print.value());
  }
  std::string study() const { return base_ + "1"; }
  std::string series() const { return base_ + "2"; }
  std::string space() const { return base_ + "3"; }
  std::string slice(std::size_t k) const { return base_ + "4" + std::to_string(k + 1); }

 private:
  std::string base_;
};

/// What all slices share.
void put_common(gdcm::DataSet& set, const Volume& volume, const DicomOptions& options, const Ids& ids, bool as_values) {
  using gdcm::Tag, gdcm::VR;
  const bool is_mr = volume.modality == "MR";
  put(set, Tag(0x0008, 0x0005), VR::CS, "ISO_IR 192");
  put(set, Tag(0x0008, 0x0008), VR::CS, "ORIGINAL\\PRIMARY\\AXIAL");
  put(set, Tag(0x0008, 0x0016), VR::UI, is_mr ? "1.2.840.10008.5.1.4.1.1.4" : "1.2.840.10008.5.1.4.1.1.2");
  for (const Tag& empty : {Tag(0x0008, 0x0020), Tag(0x0010, 0x0030)}) put(set, empty, VR::DA, "");
  put(set, Tag(0x0008, 0x0030), VR::TM, "");
  put(set, Tag(0x0008, 0x0050), VR::SH, "");
  put(set, Tag(0x0008, 0x0060), VR::CS, volume.modality.empty() ? "CT" : volume.modality);
  put(set, Tag(0x0008, 0x0070), VR::LO, "supple");
  put(set, Tag(0x0008, 0x0090), VR::PN, "");
  put(set, Tag(0x0008, 0x103e), VR::LO, options.description);
  put(set, Tag(0x0010, 0x0010), VR::PN, options.patient);
  put(set, Tag(0x0010, 0x0020), VR::LO, options.patient);
  put(set, Tag(0x0010, 0x0040), VR::CS, "");
  put(set, Tag(0x0018, 0x0050), VR::DS, decimal(volume.spacing().z * 1000));
  put(set, Tag(0x0020, 0x000d), VR::UI, ids.study());
  put(set, Tag(0x0020, 0x000e), VR::UI, ids.series());
  put(set, Tag(0x0020, 0x0010), VR::SH, "");
  put(set, Tag(0x0020, 0x0011), VR::IS, "1");
  put(set, Tag(0x0020, 0x0052), VR::UI, ids.space());
  put(set, Tag(0x0020, 0x1040), VR::LO, "");
  const Vec3d x = normalized(volume.to_world.linear.c0), y = normalized(volume.to_world.linear.c1);
  put(set, Tag(0x0020, 0x0037), VR::DS, decimals({x.x, x.y, x.z, y.x, y.y, y.z}));
  put(set, Tag(0x0028, 0x0002), 1);
  put(set, Tag(0x0028, 0x0004), VR::CS, "MONOCHROME2");
  put(set, Tag(0x0028, 0x0010), static_cast<std::uint16_t>(volume.size[1]));
  put(set, Tag(0x0028, 0x0011), static_cast<std::uint16_t>(volume.size[0]));
  put(set, Tag(0x0028, 0x0030), VR::DS, decimals({volume.spacing().y * 1000, volume.spacing().x * 1000}));
  put(set, Tag(0x0028, 0x0100), 16);
  put(set, Tag(0x0028, 0x0101), 16);
  put(set, Tag(0x0028, 0x0102), 15);
  put(set, Tag(0x0028, 0x0103), 1);
  put(set, Tag(0x0028, 0x1052), VR::DS, decimal(as_values ? 0 : volume.intercept));
  put(set, Tag(0x0028, 0x1053), VR::DS, decimal(as_values ? 1 : volume.slope));
  if (volume.modality == "CT") put(set, Tag(0x0028, 0x1054), VR::LO, "HU");
}

/// The pixel data of one slice as the transfer syntax has them.
Result<gdcm::DataElement> encode(std::span<const std::int16_t> pixels, const Volume& volume,
                                 const gdcm::TransferSyntax& transfer, const std::string& name) {
  const gdcm::SmartPointer<gdcm::Image> shared = new gdcm::Image;  // the filter below counts its owners
  gdcm::Image& image = *shared;
  image.SetNumberOfDimensions(2);
  image.SetDimension(0, static_cast<unsigned>(volume.size[0]));
  image.SetDimension(1, static_cast<unsigned>(volume.size[1]));
  image.SetPixelFormat(gdcm::PixelFormat(gdcm::PixelFormat::INT16));
  image.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
  image.SetTransferSyntax(gdcm::TransferSyntax::ExplicitVRLittleEndian);
  gdcm::DataElement raw(gdcm::Tag(0x7fe0, 0x0010));
  raw.SetVR(gdcm::VR::OW);
  raw.SetByteValue(reinterpret_cast<const char*>(pixels.data()), static_cast<std::uint32_t>(pixels.size_bytes()));
  image.SetDataElement(raw);
  if (transfer == gdcm::TransferSyntax::ExplicitVRLittleEndian) return raw;
  gdcm::ImageChangeTransferSyntax change;
  change.SetTransferSyntax(transfer);
  change.SetInput(image);
  if (!change.Change()) return Error{name, "cannot be compressed", "write it as 'explicit'"};
  return change.GetOutput().GetDataElement();
}

Result<void> write_slices(FolderTransaction& folder, const Volume& volume, const DicomOptions& options,
                          const gdcm::TransferSyntax& transfer) {
  const Ids ids(volume, options);
  const std::optional<int> offset = offset_to_values(volume);
  const std::size_t per_slice = volume.size[0] * volume.size[1];
  std::vector<std::int16_t> pixels(per_slice);
  for (std::size_t k = 0; k < volume.size[2]; ++k) {
    for (std::size_t i = 0; i < per_slice; ++i)
      pixels[i] = static_cast<std::int16_t>(volume.samples[k * per_slice + i] + offset.value_or(0));
    char name[32];
    std::snprintf(name, sizeof name, "slice%04zu.dcm", k + 1);
    const fs::path path = folder.add(name);
    gdcm::Writer writer;
    gdcm::DataSet& set = writer.GetFile().GetDataSet();
    put_common(set, volume, options, ids, offset.has_value());
    put(set, gdcm::Tag(0x0008, 0x0018), gdcm::VR::UI, ids.slice(k));
    put(set, gdcm::Tag(0x0020, 0x0013), gdcm::VR::IS, std::to_string(k + 1));
    const Vec3d at = volume.to_world.point({0, 0, static_cast<double>(k)}) * 1000;
    put(set, gdcm::Tag(0x0020, 0x0032), gdcm::VR::DS, decimals({at.x, at.y, at.z}));
    const auto encoded = encode(pixels, volume, transfer, path.string());
    if (!encoded) return encoded.error();
    set.Replace(*encoded);
    writer.GetFile().GetHeader().SetDataSetTransferSyntax(transfer);
    writer.SetFileName(path.c_str());
    if (!writer.Write()) return Error{path.string(), "cannot be written", "check the folder and the space left"};
  }
  return {};
}

}  // namespace

Result<void> write_dicom(const fs::path& folder, const Volume& volume, const DicomOptions& options) {
  const auto transfer = to_transfer(options.transfer);
  if (!transfer)
    return Error{"transfer '" + options.transfer + "'", "is not known", "use explicit, jpeg-lossless, rle or jpeg2000"};
  constexpr std::size_t most = 65535;  // rows and columns have 16 bits
  if (volume.count() == 0 || volume.samples.size() != volume.count() || volume.size[0] > most || volume.size[1] > most)
    return Error{folder.string(), "cannot be written: the volume has no samples, or more than DICOM can hold", ""};
  auto files = FolderTransaction::create(folder);
  if (!files) return files.error();
  gdcm::Trace::WarningOff();
  Result<void> written = Error{folder.string(), "cannot be written", "check the space left"};
  try {
    written = write_slices(*files, volume, options, *transfer);
  } catch (const std::exception&) {  // of GDCM, or no memory: told as above
  }
  return written ? files->commit() : written;
}

}  // namespace supple::imaging
