// Writes the characters with a trait of other people's that the tests are made with: supple_trait_rigs FOLDER
#include <cstdio>
#include <filesystem>

#include "supple/files/load.h"
#include "support/trait_rigs.h"

int main(int count, char** arguments) {
  using namespace supple;
  if (count != 2) return std::fputs("usage: supple_trait_rigs FOLDER\n", stderr), 2;
  const std::filesystem::path folder(arguments[1]);
  std::filesystem::create_directories(folder);
  for (const Character& c : {test::wide_tunic(), test::limb_with(test::HardThing::buckle),
                             test::limb_with(test::HardThing::plate), test::head_on_neck()})
    if (auto saved = save(folder / (c.name + ".glb"), c); !saved)
      return std::fputs(saved.error().message().c_str(), stderr), 2;
  return 0;
}
