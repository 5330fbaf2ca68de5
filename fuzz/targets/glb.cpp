// Binary glTF whose container is always right: the JSON, a byte of zero, the buffer. So changes of lengths reach what
// is behind the container.
#include <algorithm>

#include "fuzz/targets/gltf_character.h"
#include "supple/files/gltf/encode/compress.h"
#include "supple/files/gltf/save.h"
#include "supple/files/gltf/write.h"

namespace supple::fuzz {
namespace {

void append_word(std::string& out, std::size_t word) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(word >> shift & 255));
}

bool read_glb_input(Input input) {
  const std::string_view text = as_text(input);
  const std::size_t end = std::min(text.find('\0'), text.size());
  std::string json(text.substr(0, end)), buffer(text.substr(std::min(end + 1, text.size())));
  json.resize((json.size() + 3) / 4 * 4, ' ');
  buffer.resize((buffer.size() + 3) / 4 * 4, '\0');
  std::string file = "glTF";
  append_word(file, 2);
  append_word(file, 28 + json.size() + buffer.size());
  append_word(file, json.size());
  file += "JSON" + json;
  append_word(file, buffer.size());
  file += std::string("BIN\0", 4) + buffer;
  return read_gltf_character(as_input(file));
}

Seeds glb_seeds() {
  const auto written = [](const Character& character) {
    const auto document = gltf::to_document(character);
    require(document.ok(), "the character is written");
    return gltf::compacted(*document);
  };
  const gltf::Document one = written(small_character());
  const auto parts = [](const gltf::Document& d) { return d.root.dump() + '\0' + std::string(as_text(d.buffers[0])); };
  Seeds seeds;
  seeds["small"] = parts(one);
  seeds["everything"] = parts(written(character_of_everything()));
  // Where this build can write it; reading is always there.
  const auto packed = gltf::guarded("", [&]() -> Result<gltf::Document> { return gltf::compressed(one); });
  if (packed) seeds["compressed"] = parts(*packed);
  seeds["triangle"] =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":44}],"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,)"
      R"("byteOffset":36,"byteLength":8}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},)"
      R"({"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR"},{"componentType":5126,"count":3,"type":"VEC3",)"
      R"("sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":0}}}],"meshes":[{)"
      R"("primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":2}],"mode":5}],"weights":[0.5]}],"nodes":[{"mesh":0,)"
      R"("matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},{"children":[0],"rotation":[0,0,0,1],"extras":{"supple":{"dofs":[{"name":"x",)"
      R"("axis":[1,0,0],"min":-1,"max":1}]}}}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"weights"}}],)"
      R"("samplers":[{"input":1,"output":1,"interpolation":"STEP"}]}]})" +
      std::string(13, '\0') + "\x80\x3f" + std::string(14, '\0') + "\x80\x3f" + std::string(8, '\0') + "\0\0\x80\x3f";
  seeds["triangle"] += std::string("\0\0\x80\x3f\0\0\x00\x40", 8);
  return seeds;
}

}  // namespace

extern const Target glb_target{"glb", read_glb_input, glb_seeds, gltf_words};

}  // namespace supple::fuzz
