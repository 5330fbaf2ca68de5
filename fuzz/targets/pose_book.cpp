// Poses by name: a book of them, or a name that is a pose itself.
#include "supple/files/pose_book.h"

#include "fuzz/target.h"
#include "support/example_sets.h"

namespace supple::fuzz {
namespace {

bool read_pose_book_input(Input input) {
  static const Skeleton skeleton = test::bar().skeleton;
  const std::string_view text = as_text(input);
  if (const auto pose = pose_from_name(text, skeleton)) return pose->ok();
  const auto json = parse_json(text, "a.json");
  return json && to_pose_book(*json, skeleton, "a.json").ok();
}

Seeds pose_book_seeds() {
  return {
      {"book",
       R"({"fist": {"joints": {"elbow": {"flexion": 80}, "root": {"x": 10}, "tip": [0, 0, 0.38, 0.92]}, "role": "test",
"sweep": "s", "tags": ["t"], "weight": 1, "range": 0, "flags": []}, "far": {"joints": {"root": {"translation": [0, 1, 0],
"rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}}}})"},
      {"name", "elbow.flexion=60, elbow.twist=-10"}};
}

}  // namespace

extern const Target pose_book_target{"pose_book",
                                     read_pose_book_input,
                                     pose_book_seeds,
                                     {"\"joints\": {", "\"elbow\": ", "\"flexion\": ", "\"x\": ", "\"translation\": [",
                                      "\"rotation\": [", "\"scale\": [", "\"role\": ", "\"tags\": [",
                                      "\"weight\": ", "\"flags\": [", "elbow.", "flexion=", "twist=", ", "}};

}  // namespace supple::fuzz
