#include "supple/files/gltf/save.h"

#include <algorithm>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/encode/compress.h"
#include "supple/files/gltf/uri.h"

namespace supple::gltf {
namespace {

/// Calls visit(reference) for every "bufferView" in the tree outside the list of views itself.
template <class Visit>
void for_each_view_reference(Json& json, const Visit& visit) {
  if (!json.is_structured()) return;
  if (json.is_array()) {
    for (Json& inner : json) for_each_view_reference(inner, visit);
    return;
  }
  for (auto& [key, value] : json.members()) {
    if (key == "bufferViews") continue;
    if (key == "bufferView" && to_unsigned(value)) {
      visit(value);
    } else {
      for_each_view_reference(value, visit);
    }
  }
}

/// A range of an old buffer: an object with "buffer", "byteOffset" and "byteLength". Views are such, and so are some
/// extensions of views.
struct Range {
  Json* owner;
  std::size_t buffer, begin, end;
};

void collect_ranges(Json& json, const std::vector<Bytes>& buffers, std::vector<Range>& ranges) {
  if (!json.is_object()) return;
  if (json.contains("buffer") && json.contains("byteLength") && to_unsigned(json["buffer"])) {
    const Item item(json, "bufferViews");
    const std::size_t buffer = json["buffer"].get<std::size_t>(), begin = item.unsigned_integer("byteOffset", 0);
    const std::size_t end = begin + item.unsigned_integer("byteLength");
    if (buffer < buffers.size() && end <= buffers[buffer].size()) ranges.push_back({&json, buffer, begin, end});
  }
  if (json.contains("extensions")) {
    for (Json& extension : json["extensions"]) collect_ranges(extension, buffers, ranges);
  }
}

/// Copies the ranges one after another, overlapping ones as one piece, keeping each one's alignment to 4 bytes.
Bytes gather(std::vector<Range>& ranges, const std::vector<Bytes>& buffers) {
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tie(a.buffer, a.begin) < std::tie(b.buffer, b.begin);
  });
  Bytes out;
  for (std::size_t first = 0; first < ranges.size();) {
    std::size_t last = first + 1, end = ranges[first].end;
    while (last < ranges.size() && ranges[last].buffer == ranges[first].buffer && ranges[last].begin < end) {
      end = std::max(end, ranges[last++].end);
    }
    const std::size_t begin = ranges[first].begin;
    out.resize(out.size() + (begin - out.size()) % 4);
    const auto data = buffers[ranges[first].buffer].begin();
    const std::size_t moved_to = out.size();
    out.insert(out.end(), data + static_cast<std::ptrdiff_t>(begin), data + static_cast<std::ptrdiff_t>(end));
    for (std::size_t r = first; r < last; ++r) {
      (*ranges[r].owner)["buffer"] = 0;
      (*ranges[r].owner)["byteOffset"] = moved_to + ranges[r].begin - begin;
    }
    first = last;
  }
  return out;
}

const char* image_type(std::string_view name, std::span<const std::byte> bytes) {
  const auto starts = [&](std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(),
                      [](char c, std::byte b) { return static_cast<std::byte>(static_cast<unsigned char>(c)) == b; });
  };
  if (starts("\x89PNG")) return "image/png";
  if (starts("\xff\xd8")) return "image/jpeg";
  if (starts("RIFF")) return "image/webp";
  if (starts("\xabKTX")) return "image/ktx2";
  return name.find(".jpg") != std::string_view::npos ? "image/jpeg" : "image/png";
}

bool same_folder(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  const auto here = [](const std::filesystem::path& p) { return p.empty() ? std::filesystem::path(".") : p; };
  return std::filesystem::equivalent(here(a), here(b), ignored);
}

/// Images that lie in files beside the old document become views of the new one.
void take_in_images(Document& document, Warnings* warnings) {
  if (count(document.root, "images") == 0) return;
  for (Json& image : document.root["images"]) {
    const std::string uri = image.value("uri", std::string());
    if (uri.empty() || is_data_uri(uri)) continue;
    const auto path = resolve_uri(uri, document.folder);
    const auto bytes = path ? read_file(*path) : Result<Bytes>(path.error());
    if (!bytes || bytes->empty()) {
      if (warnings != nullptr)
        warnings->push_back("image " + uri.substr(0, 80) + ": cannot be read; the link was kept as it is");
      continue;
    }
    document.buffers.push_back(*bytes);
    document.root["buffers"].push_back({{"byteLength", bytes->size()}});
    document.root["bufferViews"].push_back({{"buffer", document.buffers.size() - 1}, {"byteLength", bytes->size()}});
    image.erase("uri");
    image["mimeType"] = image_type(uri, *bytes);
    image["bufferView"] = document.root["bufferViews"].size() - 1;
  }
}

void append_word(Bytes& bytes, std::size_t word) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(word >> shift & 255));
}

void append_chunk(Bytes& glb, std::size_t type, std::span<const std::byte> data, std::byte padding) {
  append_word(glb, (data.size() + 3) / 4 * 4);
  append_word(glb, type);
  glb.insert(glb.end(), data.begin(), data.end());
  while (glb.size() % 4 != 0) glb.push_back(padding);
}

/// Names that are not UTF-8 are mended rather than refused.
std::string text_of(const Json& root, int indent) { return root.dump(indent); }

Bytes glb_of(const Document& compact) {
  const std::string json = text_of(compact.root, -1);
  const bool has_data = !compact.buffers.empty();
  const std::size_t json_size = (json.size() + 3) / 4 * 4,
                    data_size = has_data ? (compact.buffers[0].size() + 3) / 4 * 4 + 8 : 0;
  const std::size_t size = 12 + 8 + json_size + data_size;
  if (size > 0xffffffffu) fail("", "is larger than the 4 GiB that a .glb can hold", "write a .gltf instead");
  Bytes glb;
  glb.reserve(size);
  append_word(glb, 0x46546C67);
  append_word(glb, 2);
  append_word(glb, size);
  append_chunk(glb, 0x4E4F534A, std::as_bytes(std::span(json)), std::byte{' '});
  if (has_data) append_chunk(glb, 0x004E4942, compact.buffers[0], std::byte{0});
  return glb;
}

}  // namespace

Document compacted(const Document& document) {
  Document result{document.root, {}, document.folder, document.name};
  Json& root = result.root;
  drop_placeholders(root);
  const std::size_t view_count = count(root, "bufferViews");
  std::vector<bool> used(view_count);
  for_each_view_reference(root, [&](Json& view) {
    if (view.get<std::size_t>() < view_count) used[view.get<std::size_t>()] = true;
  });
  std::vector<std::size_t> renumbered(view_count);
  Json views = Json::array();
  for (std::size_t v = 0; v < view_count; ++v) {
    renumbered[v] = views.size();
    if (used[v]) views.push_back(root["bufferViews"][v]);
  }
  for_each_view_reference(root, [&](Json& view) {
    if (view.get<std::size_t>() < view_count) view = renumbered[view.get<std::size_t>()];
  });
  std::vector<Range> ranges;
  for (Json& view : views) collect_ranges(view, document.buffers, ranges);
  Bytes data = gather(ranges, document.buffers);
  if (data.empty()) {
    root.erase("buffers");
    root.erase("bufferViews");
    return result;
  }
  Json buffer = root["buffers"][0];  // keeps its name and extras
  buffer.erase("uri");
  buffer["byteLength"] = data.size();
  root["buffers"] = Json::array({std::move(buffer)});
  root["bufferViews"] = std::move(views);
  result.buffers.push_back(std::move(data));
  return result;
}

Result<Bytes> to_glb(const Document& document) {
  return guarded(document.name, [&]() -> Result<Bytes> { return glb_of(compacted(document)); });
}

Result<void> write_document(const std::filesystem::path& path, const Document& document, const WriteOptions& options,
                            Warnings* warnings) {
  return guarded(path.string(), [&]() -> Result<void> {
    Document copy = document;
    if (!same_folder(document.folder, path.parent_path())) take_in_images(copy, warnings);
    Document compact = compacted(copy);
    if (options.compress) compact = compressed(compact);
    FileTransaction files;
    if (path.extension() == ".glb") {
      if (auto added = files.add(path, glb_of(compact)); !added) return added;
      return files.commit();
    }
    if (!compact.buffers.empty()) {
      const Bytes& data = compact.buffers[0];
      Json& uri = compact.root["buffers"][0]["uri"];
      if (options.embed) {
        uri = "data:application/octet-stream;base64," + to_base64(data);
      } else {
        const std::filesystem::path bin = std::filesystem::path(path).replace_extension(".bin");
        uri = encode_uri(bin.filename().string());
        if (auto added = files.add(bin, data); !added) return added;
      }
    }
    if (auto added = files.add(path, text_of(compact.root, 2) + "\n"); !added) return added;
    return files.commit();
  });
}

}  // namespace supple::gltf
