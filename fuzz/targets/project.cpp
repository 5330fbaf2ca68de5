#include "supple/workflow/study/project.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

// Scans whose files are there: any folder is, for the check.
bool read_project_input(Input input) { return workflow::parse_project(std::string(as_text(input)), "/a.json").ok(); }

Seeds project_seeds() {
  return {
      {"volumes",
       R"({"supple": "scan project", "version": 1, "name": "hand", "template": "hand", "side": "left", "base": "a",
"skin_triangles": 5000, "bone_blur": 0.5, "skin_blur": 1, "smallest_piece_mm3": 60, "decisions": {},
"scans": [{"name": "b", "volume": ".", "series": "s", "role": "test"}, {"name": "a", "volume": "."}, {"name": "c",
"bones": [".", "."], "skin": "."}]})"},
      {"least",
       R"({"supple": "scan project", "version": 1, "scans": [{"name": "a", "volume": "."}, {"name": "b", "volume": "."}]})"}};
}

}  // namespace

extern const Target project_target{
    "project",
    read_project_input,
    project_seeds,
    {"\"supple\": \"scan project\"", "\"version\": 1", "\"base\": ", "\"side\": \"left\"", "\"scans\": [",
     "\"name\": ", "\"volume\": \".\"", "\"bones\": [", "\"skin\": \".\"", "\"role\": \"train\"", "\"decisions\": {",
     "null", "1e999"}};

}  // namespace supple::fuzz
