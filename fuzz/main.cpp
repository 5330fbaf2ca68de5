// The fuzzer: libFuzzer calls what the environment names in SUPPLE_FUZZ_TARGET, in children too.
//   supple_fuzz --list           prints the names of all targets
//   supple_fuzz --seeds FOLDER   writes the seeds of each into FOLDER/TARGET and its words into FOLDER/TARGET.dict
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/target.h"

namespace {

using supple::fuzz::Target;
const Target* chosen = nullptr;

void write_seeds(const std::filesystem::path& folder) {
  for (const Target* target : supple::fuzz::targets()) {
    std::filesystem::create_directories(folder / target->name);
    for (const auto& [name, contents] : target->seeds())
      std::ofstream(folder / target->name / name, std::ios::binary) << contents;
    std::ofstream words(folder / (std::string(target->name) + ".dict"));
    for (const std::string& word : target->words) {
      words << '"';
      for (const char c : word) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
        words << escaped;
      }
      words << "\"\n";
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string first = *argc > 1 ? (*argv)[1] : "";
  if (first == "--list") {
    for (const Target* target : supple::fuzz::targets()) std::puts(target->name);
    std::exit(0);
  }
  if (first == "--seeds" && *argc > 2) {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  const char* name = std::getenv("SUPPLE_FUZZ_TARGET");
  chosen = supple::fuzz::find_target(name == nullptr ? "" : name);
  if (chosen == nullptr) {
    std::fputs("supple_fuzz: SUPPLE_FUZZ_TARGET names no target (see --list)\n", stderr);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->read(std::as_bytes(std::span(data, size)));
  return 0;
}
