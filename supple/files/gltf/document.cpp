#include "supple/files/gltf/document.h"

#include <cstring>

#include "supple/files/gltf/decode/decompress.h"
#include "supple/files/gltf/uri.h"

namespace supple::gltf {
namespace {

constexpr std::uint32_t glb_magic = 0x46546C67, json_chunk = 0x4E4F534A, bin_chunk = 0x004E4942;

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k) word |= std::to_integer<std::uint32_t>(bytes[offset + k]) << (8 * k);
  return word;
}

struct Container {
  std::span<const std::byte> json, bin;
  bool has_bin = false;
};

Container split_glb(std::span<const std::byte> file) {
  const std::string remedy = "the file is damaged or incomplete; copy or export it again";
  if (file.size() < 12) fail("header", "the file ends after " + std::to_string(file.size()) + " bytes", remedy);
  const std::uint32_t version = word_at(file, 4), length = word_at(file, 8);
  if (version != 2)
    fail("header", "GLB version " + std::to_string(version) + " is not supported", "convert it to glTF 2.0");
  if (length != file.size()) {
    fail("header", "says " + std::to_string(length) + " bytes but the file has " + std::to_string(file.size()), remedy);
  }
  Container container;
  bool has_json = false;
  for (std::size_t at = 12, chunk = 0; at < file.size(); ++chunk) {
    const std::string item = "chunk " + std::to_string(chunk);
    if (file.size() - at < 8) fail(item, "its header is cut off", remedy);
    const std::size_t size = word_at(file, at);
    const std::uint32_t type = word_at(file, at + 4);
    at += 8;
    if (size > file.size() - at) {
      fail(item, "says " + std::to_string(size) + " bytes but only " + std::to_string(file.size() - at) + " are left",
           remedy);
    }
    if (chunk == 0 && type != json_chunk) fail(item, "is not the JSON chunk that must come first", remedy);
    if (chunk == 0) {
      container.json = file.subspan(at, size);
      has_json = true;
    } else if (chunk == 1 && type == bin_chunk) {
      container.bin = file.subspan(at, size);
      container.has_bin = true;
    }
    at += size;
  }
  if (!has_json) fail("header", "no JSON chunk follows", remedy);
  return container;
}

Bytes load_buffer(const Item& buffer, std::size_t place, const Container& container,
                  const std::filesystem::path& folder, bool compressed) {
  const std::uint64_t length = buffer.unsigned_integer("byteLength");
  const std::string uri = buffer.text("uri", "");
  const bool in_chunk = uri.empty() && place == 0 && container.has_bin;
  Bytes bytes;
  if (!in_chunk && is_stand_in(buffer, compressed)) return bytes;
  if (uri.empty()) {
    if (!in_chunk) fail(buffer.path(), "has no data: neither a uri nor a binary chunk");
    if (length > container.bin.size()) {
      fail(buffer.path(), "says " + std::to_string(length) + " bytes but the binary chunk has " +
                              std::to_string(container.bin.size()));
    }
    bytes.assign(container.bin.begin(), container.bin.begin() + static_cast<std::ptrdiff_t>(length));
    return bytes;
  }
  Result<Bytes> loaded = Bytes{};
  if (is_data_uri(uri)) {
    loaded = decode_data_uri(uri);
  } else {
    const auto path = resolve_uri(uri, folder);
    if (!path)
      throw Malformed{{buffer.path("uri") + " " + path.error().item, path.error().problem, path.error().remedy}};
    loaded = read_file(*path);
  }
  if (!loaded) {
    const Error& e = loaded.error();
    fail(buffer.path("uri") + (e.item.empty() ? "" : " " + e.item), e.problem, e.remedy);
  }
  if (length > loaded->size()) {
    fail(buffer.path(), "says " + std::to_string(length) + " bytes but its data has " + std::to_string(loaded->size()));
  }
  loaded->resize(static_cast<std::size_t>(length));
  return std::move(*loaded);
}

}  // namespace

Result<Document> parse_document(std::span<const std::byte> contents, const std::string& name,
                                const std::filesystem::path& folder) {
  return guarded(name, [&]() -> Result<Document> {
    Container container{.json = contents, .bin = {}, .has_bin = false};
    if (contents.size() >= 4 && word_at(contents, 0) == glb_magic) container = split_glb(contents);
    Document document;
    document.name = name;
    document.folder = folder;
    if (container.json.empty()) fail("", "is empty", "choose a .glb or .gltf file");
    document.root = Json::parse({reinterpret_cast<const char*>(container.json.data()), container.json.size()});
    const Item root(document.root, "");
    if (!root.has("asset")) fail("asset", "is missing: this is not a glTF file", "choose a .glb or .gltf file");
    const bool compressed = uses_meshopt(root);
    const std::vector<Item> buffers = root.list("buffers");
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      document.buffers.push_back(load_buffer(buffers[i], i, container, folder, compressed));
    }
    decompress(document);
    if (auto checked = check(document); !checked) return checked.error();
    return document;
  });
}

Result<Document> read_document(const std::filesystem::path& path) {
  auto contents = read_file(path);
  if (!contents) return contents.error();
  return parse_document(*contents, path.string(), path.parent_path());
}

}  // namespace supple::gltf
