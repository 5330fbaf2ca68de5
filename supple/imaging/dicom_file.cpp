// PS3.5 (data set encoding) and PS3.10 (files) of the standard.
#include "supple/imaging/dicom_file.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include "supple/imaging/header_text.h"

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t preamble = 128;
constexpr std::string_view mark = "DICM";
constexpr std::uint32_t undefined_length = 0xffffffff;
constexpr DicomTag item_tag = 0xfffee000, item_end = 0xfffee00d, sequence_end = 0xfffee0dd;

/// Walks over the bytes; everything that would leave them gives nothing.
class Parser {
 public:
  Parser(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  bool explicit_types = true, big_endian = false;

  std::size_t at() const { return at_; }
  std::optional<DicomTag> peek_tag() const {
    if (bytes_.size() - at_ < 4) return std::nullopt;
    return DicomTag{number(at_, 2)} << 16 | number(at_ + 2, 2);
  }

  /// Elements until `end`, the end of an item, or one whose tag is `last` or above. False where the bytes are damaged.
  bool parse_set(DicomSet& set, std::size_t end, DicomTag last, int depth) {
    set.big_endian = big_endian;
    while (at_ < end) {
      const auto tag = peek_tag();
      if (!tag) return false;
      if (*tag == item_end) return skip(8);
      if (*tag > last) return true;
      DicomElement element;
      if (!parse_element(*tag, element, end, depth)) return false;
      set.elements[*tag] = std::move(element);
      if (*tag == last) return true;
    }
    return at_ == end;
  }

 private:
  static constexpr int deepest = 32;

  std::uint32_t number(std::size_t at, std::size_t size) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t place = big_endian ? i : size - 1 - i;
      value = value << 8 | std::to_integer<std::uint32_t>(bytes_[at + place]);
    }
    return value;
  }
  bool skip(std::size_t count) {
    if (bytes_.size() - at_ < count) return false;
    at_ += count;
    return true;
  }

  bool parse_element(DicomTag tag, DicomElement& element, std::size_t end, int depth) {
    const std::size_t head = at_;
    if (!skip(8)) return false;
    std::string type;
    std::uint32_t length = 0;
    if (explicit_types) {
      type = {static_cast<char>(bytes_[head + 4]), static_cast<char>(bytes_[head + 5])};
      if (!std::all_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) return false;
      constexpr std::string_view long_types = "OB OD OF OL OV OW SQ SV UC UN UR UT UV";
      if (long_types.find(type) != std::string_view::npos) {
        if (!skip(4)) return false;
        length = number(head + 8, 4);
      } else {
        length = number(head + 6, 2);
      }
    } else {
      length = number(head + 4, 4);
    }
    if (length == undefined_length) {
      if (tag == pixel_data) return parse_fragments(element);
      // What a program did not know it has copied as it was, without types.
      const bool types = explicit_types;
      if (type == "UN") explicit_types = false;
      const bool done = parse_items(element, bytes_.size(), depth);
      explicit_types = types;
      return done;
    }
    if (length > end - std::min(at_, end)) return false;
    if (type == "SQ" || (!explicit_types && is_sequence(tag))) return parse_items(element, at_ + length, depth);
    element.value = bytes_.subspan(at_, length);
    return skip(length);
  }

  /// Without types only a dictionary knows sequences: those that are read here.
  static bool is_sequence(DicomTag tag) {
    return tag == 0x52009229 || tag == 0x52009230 || tag == 0x00209113 || tag == 0x00209116 || tag == 0x00289110 ||
           tag == 0x00620002 || tag == 0x0062000a || tag == 0x00289145;
  }

  bool parse_items(DicomElement& element, std::size_t end, int depth) {
    if (depth >= deepest) return false;
    while (at_ < end) {
      const auto tag = peek_tag();
      const std::size_t head = at_;
      if (!tag || !skip(8)) return false;
      if (*tag == sequence_end) return true;
      if (*tag != item_tag) return false;
      const std::uint32_t length = number(head + 4, 4);
      if (length != undefined_length && length > bytes_.size() - at_) return false;
      const std::size_t item_stop = length == undefined_length ? bytes_.size() : at_ + length;
      DicomSet item;
      if (!parse_set(item, item_stop, 0xffffffff, depth + 1)) return false;
      element.items.push_back(std::move(item));
    }
    return at_ == end;
  }

  bool parse_fragments(DicomElement& element) {
    while (const auto tag = peek_tag()) {
      const std::size_t head = at_;
      if (!skip(8)) return false;
      if (*tag == sequence_end) return true;
      const std::uint32_t length = number(head + 4, 4);
      if (*tag != item_tag || length > bytes_.size() - at_) return false;
      element.fragments.push_back(bytes_.subspan(at_, length));
      at_ += length;
    }
    return false;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
};

Error damaged(const fs::path& path, const std::string& how) {
  return {path.string(), how, "copy the file again from the scanner or archive"};
}

}  // namespace

const DicomElement* DicomSet::find(DicomTag tag) const {
  const auto found = elements.find(tag);
  return found == elements.end() ? nullptr : &found->second;
}

std::string DicomSet::text(DicomTag tag) const {
  const DicomElement* element = find(tag);
  if (element == nullptr) return {};
  std::string text(reinterpret_cast<const char*>(element->value.data()), element->value.size());
  text.erase(std::min(text.find('\0'), text.size()));
  // Files come in many alphabets, and damaged ones in none: what is not ASCII must not reach a terminal or JSON.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return std::string(trimmed(text));
}

std::vector<double> DicomSet::numbers(DicomTag tag) const {
  std::string words = text(tag);
  std::replace(words.begin(), words.end(), '\\', ' ');
  return to_numbers<double>(words).value_or(std::vector<double>());
}

std::size_t DicomSet::count(DicomTag tag, std::size_t fallback) const {
  const DicomElement* element = find(tag);
  if (element == nullptr || element->value.size() < 2) return fallback;
  const auto low = std::to_integer<std::size_t>(element->value[big_endian ? 1 : 0]);
  const auto high = std::to_integer<std::size_t>(element->value[big_endian ? 0 : 1]);
  return high << 8 | low;
}

bool is_dicom(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  char found[mark.size()]{};
  return file.seekg(preamble) && file.read(found, sizeof found) && std::string_view(found, sizeof found) == mark;
}

Result<DicomFile> open_dicom(const fs::path& path) {
  if (!is_dicom(path)) return Error{path.string(), "is not a DICOM file", "it lacks the mark DICM of such files"};
  auto mapping = MappedFile::open(path);
  if (!mapping) return mapping.error();
  DicomFile file{std::move(*mapping), {}, {}};
  const auto bytes = file.mapping.bytes();
  Parser parser(bytes, preamble + mark.size());
  DicomSet meta;
  constexpr DicomTag last_of_meta = 0x0002ffff;
  if (!parser.parse_set(meta, bytes.size(), last_of_meta, 0))
    return damaged(path, "has a DICOM header that is damaged");
  file.transfer = meta.text(0x00020010);
  parser.explicit_types = file.transfer != "1.2.840.10008.1.2";
  parser.big_endian = file.transfer == "1.2.840.10008.1.2.2";
  if (file.transfer == "1.2.840.10008.1.2.1.99")
    return Error{path.string(), "is deflated as a whole, which is not read here", "export it uncompressed"};
  if (!parser.parse_set(file.set, bytes.size(), pixel_data, 0))
    return damaged(path, "is cut short or damaged near byte " + std::to_string(parser.at()));
  return file;
}

}  // namespace supple::imaging
