// The published JSON schema is what the descriptions of deformers say, and the page about the extension knows them all.
#include "supple/files/gltf/deformers_schema.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "supple/base/file.h"
#include "supple/files/json_file.h"

namespace supple {
namespace {

const std::filesystem::path docs = std::filesystem::path(SUPPLE_SOURCE_DIR) / "docs";

TEST(DeformersSchema, IsWhatTheDescriptionsSay) {
  const std::filesystem::path path = docs / "schema/SUPPLE_deformers.schema.json";
  const std::string wanted = to_text(gltf::deformers_schema());
  if (std::getenv("SUPPLE_WRITE_SCHEMA") != nullptr) {  // as script/schema sets it
    ASSERT_TRUE(write_file(path, wanted));
  }
  const auto published = read_text(path);
  ASSERT_TRUE(published) << published.error().message();
  EXPECT_TRUE(*published == wanted) << "the schema is out of date: run script/schema and look at what has changed";
}

/// The names of all fields, at any depth.
void collect_fields(const Json& schema, std::vector<std::string>& names) {
  if (schema.is_array()) return;
  for (const auto& [key, value] : schema.members()) {
    if (key == "properties") {
      for (const auto& [name, field] : value.members()) {
        names.push_back(name);
        collect_fields(field, names);
      }
    } else if (key == "items" && value.is_object()) {
      collect_fields(value, names);
    }
  }
}

TEST(DeformersSchema, EveryFieldIsOnThePage) {
  const std::string page = *read_text(docs / "SUPPLE_deformers.md");
  std::vector<std::string> names;
  collect_fields(gltf::deformers_schema(), names);
  EXPECT_GT(names.size(), 100u);
  for (const std::string& name : names)
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos)
        << "docs/SUPPLE_deformers.md does not say what " << name << " is";
}

}  // namespace
}  // namespace supple
