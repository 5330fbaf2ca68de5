// An example set in one piece: the index, a byte of zero, then the arrays, each of which begins with its own
// array_mark.
#include <array>

#include "fuzz/target.h"
#include "supple/files/example_set_file.h"
#include "supple/files/npy.h"
#include "support/example_sets.h"

namespace supple::fuzz {
namespace {

constexpr std::array<const char*, 8> array_names{"rest_positions.npy", "rest_normals.npy", "triangles.npy",
                                                 "rotations.npy",      "positions.npy",    "normals.npy",
                                                 "translations.npy",   "scales.npy"};
constexpr std::string_view array_mark = "\x93NUMPY";

bool read_examples_input(Input input) {
  const std::string_view text = as_text(input);
  std::map<std::string, std::string> arrays;  // aligned as a mapped file is
  std::size_t at = text.find(array_mark);
  for (const char* name : array_names) {
    if (at == std::string_view::npos) break;
    const std::size_t next = text.find(array_mark, at + 1);
    arrays[name] = text.substr(at, next - at);
    at = next;
  }
  const auto set = parse_examples(text.substr(0, text.find('\0')), "examples.json",
                                  [&](const char* name) { return parse_npy(as_input(arrays[name]), name); });
  return set && validate(*set).ok();
}

Seeds examples_seeds() {
  Seeds seeds;
  for (const bool moved : {false, true}) {
    const ScratchFile folder("");
    require(save_examples(folder.path(), test::bar_examples(moved)).ok(), "an example set is written");
    const auto contents = [&](const std::string& name) {
      const auto text = read_text(folder.path() + "/" + name);
      return text ? *text : std::string();
    };
    std::string& seed = seeds[moved ? "moved" : "turned"];
    seed = contents("examples.json") + '\0';
    for (const char* name : array_names) seed += contents(name);
  }
  return seeds;
}

}  // namespace

extern const Target examples_target{
    "examples",
    read_examples_input,
    examples_seeds,
    {"\"format\"", "\"supple-examples\"", "\"version\"", "\"counts\"", "\"examples\"", "\"joints\"", "\"vertices\"",
     "\"triangles\"", "\"translations\"", "\"scales\"", "true", "null", "\"parent\"", "\"dofs\"", "\"axis\"",
     "\"rotation\"", "'shape': (", "18446744073709551615"}};

}  // namespace supple::fuzz
