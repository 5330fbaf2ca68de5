#include "supple/files/obj.h"

#include "fuzz/target.h"
#include "support/example_sets.h"

namespace supple::fuzz {
namespace {

bool read_obj_input(Input input) {
  bool either = false;
  for (const bool split : {false, true}) {
    Warnings warnings;
    ObjOptions options;
    options.split_seams = split;
    const auto model = parse_obj(as_text(input), "a.obj", &warnings, options);
    if (!model) continue;
    either = true;
    const std::string again = to_obj(std::span(&model->part, 1));
    require(parse_obj(again, "again.obj").ok(), "what was read from an OBJ file can be written as one");
  }
  return either;
}

Seeds obj_seeds() {
  return {{"bar", to_obj(test::bar().parts)},
          {"seams",
           "o a\ng b\nv 0 0 0\nv 1 0 0\nv 0 1 0 \\\n1\nv 1 1 0\nvt 0 0\nvt 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3/1/1\n"
           "f -3//1 -2//1 -1//1\nf 1 2 3 4\n# end\n"}};
}

}  // namespace

extern const Target obj_target{"obj",
                               read_obj_input,
                               obj_seeds,
                               {"v ", "vt ", "vn ", "f ", "g ", "o ", "//", "/", "\\\n", "-1", "9223372036854775807",
                                "-9223372036854775808", "1e308", "nan"}};

}  // namespace supple::fuzz
