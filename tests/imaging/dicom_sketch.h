// DICOM files written byte by byte, without the library that reads them.
#pragma once

#include <map>

#include "imaging/imaging_support.h"

namespace supple::test {

/// Explicit little endian, uncompressed: 3 x 2 pixels of 16 bits unless told otherwise.
struct DicomSketch {
  using Tag = std::pair<std::uint16_t, std::uint16_t>;
  struct Element {
    std::string vr, bytes;
    bool open = false;  // its length is not told
  };
  std::map<Tag, Element> elements;

  DicomSketch& text(Tag tag, const std::string& vr, std::string value) {
    if (value.size() % 2 != 0) value += vr == "UI" ? '\0' : ' ';
    elements[tag] = {vr, value, false};
    return *this;
  }
  DicomSketch& number(Tag tag, std::uint16_t value) {
    std::string bytes;
    append(bytes, value, false);
    elements[tag] = {"US", bytes, false};
    return *this;
  }
  DicomSketch& pixels(const std::vector<int>& values) {
    std::string bytes;
    for (const int v : values) append(bytes, static_cast<std::uint16_t>(v), false);
    elements[{0x7fe0, 0x0010}] = {"OW", bytes, false};
    return *this;
  }
  /// Items of known length, or ended by marks where `open`.
  DicomSketch& sequence(Tag tag, const std::vector<DicomSketch>& items, bool open) {
    std::string bytes;
    const auto mark = [&](std::uint16_t element, std::uint32_t length) {
      append(bytes, std::uint16_t{0xfffe}, false);
      append(bytes, element, false);
      append(bytes, length, false);
    };
    for (const DicomSketch& item : items) {
      mark(0xe000, open ? 0xffffffffu : static_cast<std::uint32_t>(item.data().size()));
      bytes += item.data();
      if (open) mark(0xe00d, 0);
    }
    if (open) mark(0xe0dd, 0);
    elements[tag] = {"SQ", bytes, open};
    return *this;
  }
  /// A slice of the series 1.2.3 at z millimetres whose pixels are first, first + 1, ...
  static DicomSketch slice(double z, int first = 0) {
    DicomSketch d;
    d.text({0x0008, 0x0016}, "UI", "1.2.840.10008.5.1.4.1.1.2").text({0x0008, 0x0018}, "UI", "1.2.3." + number_text(z));
    d.text({0x0008, 0x0060}, "CS", "CT").text({0x0008, 0x103e}, "LO", "Hand relaxed");
    d.text({0x0020, 0x000e}, "UI", "1.2.3").at({0, 0, z});
    d.text({0x0020, 0x0037}, "DS", "1\\0\\0\\0\\1\\0").text({0x0028, 0x0030}, "DS", "0.75\\0.5");
    d.number({0x0028, 0x0002}, 1).text({0x0028, 0x0004}, "CS", "MONOCHROME2");
    d.number({0x0028, 0x0010}, 2).number({0x0028, 0x0011}, 3);
    d.number({0x0028, 0x0100}, 16).number({0x0028, 0x0101}, 16).number({0x0028, 0x0102}, 15);
    d.number({0x0028, 0x0103}, 1);
    d.text({0x0028, 0x1052}, "DS", "-1024").text({0x0028, 0x1053}, "DS", "1");
    return d.pixels({first, first + 1, first + 2, first + 3, first + 4, first + 5});
  }
  DicomSketch& at(Vec3d p) {
    return text({0x0020, 0x0032}, "DS", number_text(p.x) + "\\" + number_text(p.y) + "\\" + number_text(p.z));
  }
  DicomSketch& rescale(const std::string& slope, const std::string& intercept) {
    return text({0x0028, 0x1052}, "DS", intercept).text({0x0028, 0x1053}, "DS", slope);
  }

  std::string file() const {
    DicomSketch meta;
    meta.text({0x0002, 0x0002}, "UI", "1.2.840.10008.5.1.4.1.1.2").text({0x0002, 0x0003}, "UI", "1.2.3.4");
    meta.text({0x0002, 0x0010}, "UI", "1.2.840.10008.1.2.1");
    const std::string body = meta.data();
    std::string out(128, '\0');
    out += "DICM";
    std::string length;
    append(length, static_cast<std::uint32_t>(body.size()), false);
    DicomSketch first;
    first.elements[{0x0002, 0x0000}] = {"UL", length, false};
    return out + first.data() + body + data();
  }
  void write(const std::filesystem::path& path) const { put_file(path, file()); }

 private:
  static std::string number_text(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
  }
  std::string data() const {
    std::string out;
    for (const auto& [tag, element] : elements) {
      append(out, tag.first, false);
      append(out, tag.second, false);
      out += element.vr;
      if (element.vr == "OW" || element.vr == "SQ") {
        append(out, std::uint16_t{0}, false);
        append(out, element.open ? 0xffffffffu : static_cast<std::uint32_t>(element.bytes.size()), false);
      } else {
        append(out, static_cast<std::uint16_t>(element.bytes.size()), false);
      }
      out += element.bytes;
    }
    return out;
  }
};

}  // namespace supple::test
