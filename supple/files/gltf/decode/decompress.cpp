#include "supple/files/gltf/decode/decompress.h"

#include <algorithm>

namespace supple::gltf {

namespace {

bool lists(const Item& root, std::string_view list, std::string_view name) {
  const std::vector<Item> names = root.list(list);
  const Json wanted(name);
  return std::any_of(names.begin(), names.end(), [&](const Item& item) { return item.json() == wanted; });
}

}  // namespace

bool requires_extension(const Item& root, std::string_view name) { return lists(root, "extensionsRequired", name); }

bool uses_extension(const Item& root, std::string_view name) {
  return lists(root, "extensionsUsed", name) || requires_extension(root, name);
}

bool uses_meshopt(const Item& root) {
  return uses_extension(root, "EXT_meshopt_compression") || uses_extension(root, "KHR_meshopt_compression");
}

bool is_stand_in(const Item& buffer, bool uses_meshopt) {
  for (const auto name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    if (const auto extension = extension_of(buffer, name)) return extension->flag("fallback", false);
  }
  return uses_meshopt && !buffer.has("uri");
}

DecodedBudget::DecodedBudget(const Document& document) {
  // Streams of differences that are all zero reach four times this ratio, skins of characters 3 to 40.
  constexpr std::uint64_t most_times_larger = 256, always_allowed = 1 << 20;
  left_ = always_allowed;
  for (const Bytes& buffer : document.buffers) left_ += most_times_larger * buffer.size();
}

void DecodedBudget::take(std::uint64_t bytes, const std::string& item) {
  if (bytes > left_) {
    fail(item, "says that it becomes " + std::to_string(bytes) + " bytes, which is implausible for so small a file",
         "export it again, or decompress it with another program first");
  }
  left_ -= bytes;
}

std::optional<Item> extension_of(const Item& item, std::string_view name) {
  const auto extensions = item.object("extensions");
  return extensions ? extensions->object(name) : std::nullopt;
}

void remove_extension(Json& item, std::string_view name) {
  Json* const extensions = item.find("extensions");
  if (extensions == nullptr || !extensions->is_object()) return;
  extensions->erase(name);
  if (extensions->empty()) item.erase("extensions");
}

void unlist_extension(Json& root, std::string_view name) {
  for (const auto list : {"extensionsUsed", "extensionsRequired"}) {
    Json* const names = root.find(list);
    if (names == nullptr || !names->is_array()) continue;
    for (std::size_t i = names->size(); i-- > 0;) {
      if ((*names)[i] == Json(name)) names->erase(i);
    }
    if (names->empty()) root.erase(list);
  }
}

std::span<const std::byte> bytes_of_range(const Document& document, const Item& range) {
  const std::size_t buffer = range.required_index("buffer", document.buffers.size());
  const Bytes& bytes = document.buffers[buffer];
  const std::uint64_t offset = range.unsigned_integer("byteOffset", 0), length = range.unsigned_integer("byteLength");
  if (offset + length > bytes.size()) {
    fail(range.path(), "reaches to byte " + std::to_string(offset + length) + " of buffers[" + std::to_string(buffer) +
                           "], which has " + std::to_string(bytes.size()));
  }
  return std::span(bytes).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

void decompress(Document& document) {
  DecodedBudget budget(document);
  decompress_meshopt(document, budget);
  decompress_draco(document, budget);
}

}  // namespace supple::gltf
