// Views that EXT_meshopt_compression or KHR_meshopt_compression packed become plain views of one new buffer.
#include "supple/files/gltf/decode/decompress.h"
#include "supple/files/gltf/decode/meshopt.h"

namespace supple::gltf {
namespace {

/// One view and what it takes to decode it.
struct PackedView {
  std::size_t view = 0;
  std::string item;  // for messages
  std::span<const std::byte> stream;
  meshopt::Mode mode{};
  meshopt::Filter filter{};
  std::size_t count = 0, stride = 0;
  std::size_t offset = 0;  // in the new buffer

  std::size_t bytes() const { return count * stride; }
};

PackedView packed_view(const Document& document, const Item& view, std::size_t place, const Item& extension) {
  PackedView packed;
  packed.view = place;
  packed.item = extension.path();
  packed.stream = bytes_of_range(document, extension);
  const std::string mode = extension.required_text("mode"), filter = extension.text("filter", "NONE");
  const auto known_mode = meshopt::mode_named(mode);
  const auto known_filter = meshopt::filter_named(filter);
  if (!known_mode) fail(extension.path("mode"), mode + " is none of ATTRIBUTES, TRIANGLES and INDICES");
  if (!known_filter)
    fail(extension.path("filter"), filter + " is none of NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL and COLOR");
  packed.mode = *known_mode;
  packed.filter = *known_filter;
  const std::uint64_t count = extension.unsigned_integer("count"), stride = extension.unsigned_integer("byteStride");
  if (stride > 256 || !meshopt::is_stride(packed.mode, packed.filter, static_cast<std::size_t>(stride))) {
    fail(extension.path("byteStride"),
         std::to_string(stride) + " bytes are no element of mode " + mode + " with filter " + filter);
  }
  packed.stride = static_cast<std::size_t>(stride);
  if (count == 0) fail(extension.path("count"), "must not be 0");
  if (meshopt::least_bytes(packed.mode, count, packed.stride) > packed.stream.size()) {
    fail(extension.path("count"), std::to_string(count) + " elements do not fit into a stream of " +
                                      std::to_string(packed.stream.size()) + " bytes");
  }
  packed.count = static_cast<std::size_t>(count);
  if (view.unsigned_integer("byteLength") > packed.bytes()) {
    fail(view.path("byteLength"),
         "is more than the " + std::to_string(packed.bytes()) + " bytes that " + extension.path() + " holds");
  }
  return packed;
}

std::vector<PackedView> packed_views(const Document& document, const char* name) {
  std::vector<PackedView> packed;
  const std::vector<Item> views = Item(document.root, "").list("bufferViews");
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (const auto extension = extension_of(views[v], name))
      packed.push_back(packed_view(document, views[v], v, *extension));
  }
  return packed;
}

void decompress_by(const char* name, Document& document, DecodedBudget& budget) {
  std::vector<PackedView> packed = packed_views(document, name);
  std::size_t total = 0;
  for (PackedView& view : packed) {
    budget.take(view.bytes(), view.item);
    view.offset = total;
    total += (view.bytes() + 3) / 4 * 4;
  }
  Bytes decoded(total);
  for (const PackedView& view : packed) {
    const std::span to = std::span(decoded).subspan(view.offset, view.bytes());
    if (!meshopt::decode(view.stream, view.mode, view.filter, view.count, view.stride, to)) {
      fail(view.item, "its compressed data are damaged", "the file is damaged or incomplete; copy or export it again");
    }
  }
  Json& root = document.root;
  for (const PackedView& view : packed) {
    Json& json = root["bufferViews"][view.view];
    json["buffer"] = document.buffers.size();
    json["byteOffset"] = view.offset;
    json["byteLength"] = view.bytes();
    remove_extension(json, name);
  }
  if (!packed.empty()) {
    document.buffers.push_back(std::move(decoded));
    root["buffers"].push_back({{"byteLength", total}});
  }
  for (std::size_t b = 0; b < count(root, "buffers"); ++b) remove_extension(root["buffers"][b], name);
  unlist_extension(root, name);
}

}  // namespace

void decompress_meshopt(Document& document, DecodedBudget& budget) {
  for (const auto name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    if (uses_extension(Item(document.root, ""), name)) decompress_by(name, document, budget);
  }
}

}  // namespace supple::gltf
