// One DICOM file of several frames.
#include "fuzz/target.h"
#include "supple/imaging/volume_file.h"

namespace supple::fuzz {
namespace {

bool read_dicom_input(Input input) {
  static const ScratchFile file(".dcm");
  file.put(input);
  Warnings warnings;
  const auto volume = imaging::read_volume(file.path(), "", &warnings);
  if (!volume) return false;
  require(volume->samples.size() == volume->count() && volume->slope > 0, "a volume that was read is whole");
  return true;
}

/// Explicit little endian, written byte by byte: the library's own writer makes single slices.
class DicomBytes {
 public:
  DicomBytes& text(std::uint32_t tag, const char* type, std::string value) {
    if (value.size() % 2 != 0) value += ' ';
    head(tag, type);
    number(static_cast<std::uint16_t>(value.size()));
    out += value;
    return *this;
  }
  DicomBytes& count(std::uint32_t tag, std::uint16_t value) {
    head(tag, "US");
    number(std::uint16_t{2});
    number(value);
    return *this;
  }
  DicomBytes& bytes(std::uint32_t tag, const char* type, const std::string& value) {
    head(tag, type);
    number(std::uint16_t{0});
    number(static_cast<std::uint32_t>(value.size()));
    out += value;
    return *this;
  }
  /// A sequence of items.
  DicomBytes& items(std::uint32_t tag, const std::vector<std::string>& items) {
    DicomBytes all;
    for (const std::string& item : items) {
      all.number(std::uint32_t{0xe000fffe});
      all.number(static_cast<std::uint32_t>(item.size()));
      all.out += item;
    }
    return bytes(tag, "SQ", all.out);
  }
  std::string out;

 private:
  template <class T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 255));
  }
  void head(std::uint32_t tag, const char* type) {
    number(static_cast<std::uint16_t>(tag >> 16));
    number(static_cast<std::uint16_t>(tag));
    out += type;
  }
};

std::string place_item(const char* z) {
  return DicomBytes().items(0x00209113, {DicomBytes().text(0x00200032, "DS", std::string("0\\0\\") + z).out}).out;
}

Seeds dicom_seeds() {
  DicomBytes file;
  file.out = std::string(128, '\0') + "DICM";
  file.text(0x00020010, "UI", std::string("1.2.840.10008.1.2.1\0", 20));
  file.text(0x00080060, "CS", "CT").text(0x0020000e, "UI", "1.2").text(0x00280004, "CS", "MONOCHROME2");
  file.text(0x00280008, "IS", "2").count(0x00280010, 2).count(0x00280011, 3).text(0x00280030, "DS", "1\\1");
  file.count(0x00280100, 16).count(0x00280101, 12).count(0x00280103, 1);
  file.text(0x00281052, "DS", "-1024").text(0x00281053, "DS", "1");
  const std::string turned = DicomBytes().text(0x00200037, "DS", "1\\0\\0\\0\\1\\0").out;
  file.items(0x52009229, {DicomBytes().items(0x00209116, {turned}).out});
  file.items(0x52009230, {place_item("0"), place_item("2")});
  file.bytes(0x7fe00010, "OW", std::string(24, '\x01'));
  return {{"frames", file.out}};
}

}  // namespace

extern const Target dicom_target{"dicom",
                                 read_dicom_input,
                                 dicom_seeds,
                                 {"DICM", "1.2.840.10008.1.2", "1.2.840.10008.1.2.2", "1.2.840.10008.1.2.5", "SQ", "OW",
                                  "UN", "DS", "MONOCHROME1", "\xfe\xff\x00\xe0", "\xff\xff\xff\xff", "nan", "1e308"}};

}  // namespace supple::fuzz
