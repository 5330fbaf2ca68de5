// The table of labels that programs such as TotalSegmentator put between header and samples of a NIfTI file: XML with
// <Label Key="1" Red="0.2" Green="0.5" Blue="0.8" Alpha="1"><![CDATA[radius]]></Label>.
#include "supple/imaging/byte_source.h"
#include "supple/imaging/header_text.h"
#include "supple/imaging/label_formats.h"

namespace supple::imaging {
namespace {

/// The value of `key="..."` in a tag.
std::string_view attribute(std::string_view tag, const std::string& key) {
  const std::size_t at = tag.find(" " + key + "=\"");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = tag.substr(at + key.size() + 3);
  return rest.substr(0, std::min(rest.find('"'), rest.size()));
}

/// What stands between a tag and its end, without the mark of plain text.
std::string_view content(std::string_view text) {
  constexpr std::string_view begin = "<![CDATA[", end = "]]>";
  text = trimmed(text);
  if (!text.starts_with(begin) || !text.ends_with(end)) return text;
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

}  // namespace

std::map<std::int16_t, Label> nifti_label_table(const std::filesystem::path& path) {
  std::map<std::int16_t, Label> table;
  auto source = lower(path.extension().string()) == ".gz" ? open_packed(path) : open_plain(path);
  if (!source) return table;
  constexpr std::size_t longest = 1 << 18;  // of the table; samples that follow hold no tags
  std::string text(longest, '\0');
  const auto got = (*source)->read(std::as_writable_bytes(std::span(text)));
  if (!got) return table;
  text.resize(*got);
  std::string_view rest = text;
  for (;;) {
    const std::size_t begin = rest.find("<Label ");
    if (begin == std::string_view::npos) return table;
    rest.remove_prefix(begin);
    const std::size_t head = rest.find('>'), end = rest.find("</Label>");
    if (head == std::string_view::npos || end == std::string_view::npos || end < head) return table;
    const std::string_view tag = rest.substr(0, head);
    const auto value = to_number<std::int16_t>(attribute(tag, "Key"));
    const auto red = to_number<float>(attribute(tag, "Red")), green = to_number<float>(attribute(tag, "Green")),
               blue = to_number<float>(attribute(tag, "Blue"));
    if (value && *value > 0) {
      Label& label = table[*value];
      label.value = *value;
      label.name = content(rest.substr(head + 1, end - head - 1));
      if (red && green && blue) label.colour = Vec3f{*red, *green, *blue};
    }
    rest.remove_prefix(end);
  }
}

}  // namespace supple::imaging
