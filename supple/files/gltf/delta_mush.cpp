#include "supple/files/gltf/delta_mush.h"

#include <algorithm>

#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/reader.h"

namespace supple::gltf {

std::vector<DeltaMush> read_delta_mush(const Reader& reader, const Item& extension) {
  std::vector<DeltaMush> result;
  for (const Item& item : extension.list(delta_mush_kind.member)) {
    DeltaMush mush;
    mush.part = part_of(reader, item);
    // What does not fit is too many in any case: validate() says so.
    mush.iterations = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(item.unsigned_integer("iterations", mush.iterations), 0xffffffffu));
    if (item.has("strength")) mush.strength = item.required_float("strength");
    mush.keep_borders = item.flag("keepBorders", mush.keep_borders);
    if (auto ok = validate(mush, reader.result.character); !ok) fail(item.path(), ok.error().problem);
    for (const DeltaMush& other : result)
      if (other.part == mush.part) fail(item.path(), "is for a primitive that has one already");
    result.push_back(mush);
  }
  return result;
}

Result<void> put_delta_mush(Document& document, std::span<const DeltaMush> mush, std::span<const PartSource> sources) {
  const DeltaMush usual;
  Json list = Json::array();
  for (const DeltaMush& m : mush) {
    if (m.part >= sources.size() || sources[m.part].node == no_joint)
      return Error{"delta mush", "is on a part that the file does not have", ""};
    Json item = {{"node", sources[m.part].node}, {"primitive", sources[m.part].primitive}};
    item["iterations"] = m.iterations;
    item["strength"] = short_decimal(m.strength);
    if (m.keep_borders != usual.keep_borders) item["keepBorders"] = m.keep_borders;
    list.push_back(std::move(item));
  }
  if (list.empty()) {
    drop_deformers_member(document.root, delta_mush_kind.member);
  } else {
    put_deformers_member(document.root, delta_mush_kind.member, std::move(list));
  }
  return {};
}

}  // namespace supple::gltf
