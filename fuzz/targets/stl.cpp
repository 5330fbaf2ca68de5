#include "supple/files/stl.h"

#include "fuzz/target.h"
#include "support/shapes.h"

namespace supple::fuzz {
namespace {

bool read_stl_input(Input input) { return parse_stl(as_text(input), "a.stl").ok(); }

Seeds stl_seeds() {
  return {{"binary", to_stl(test::box({0, 0, 0}, {1, 1, 1}))},
          {"text",
           "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1e3 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
           "endsolid a\n"}};
}

}  // namespace

extern const Target stl_target{
    "stl",
    read_stl_input,
    stl_seeds,
    {"solid ", "facet ", "normal ", "outer loop\n", "vertex ", "endloop\n", "endfacet\n", "endsolid\n", "nan", "1e38"}};

}  // namespace supple::fuzz
