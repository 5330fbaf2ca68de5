// What is fuzzed: one reader of files each, with files of our own writers to begin with.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supple::fuzz {

using Input = std::span<const std::byte>;
using Seeds = std::map<std::string, std::string>;  // contents of files by their names

struct Target {
  const char* name;
  /// Reads the input as if it were a file, and does with it what the program would do next. Whether it was read;
  /// whatever the bytes are, it comes back. What must hold of whatever was read is told to require().
  bool (*read)(Input input);
  /// All of them are read.
  Seeds (*seeds)();
  /// Words that mean something in the format.
  std::vector<std::string> words;
};

/// All of them, by name.
std::span<const Target* const> targets();
/// Null where there is none of that name.
const Target* find_target(std::string_view name);

inline std::string_view as_text(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }
inline Input as_input(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Stops the program with the words where that does not hold.
void require(bool holds, const char* words);

/// A file in memory (a folder that is none on a disk, where there is one) for readers that only take files. It is there
/// until the program ends.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& extension);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }
  void put(Input contents) const;
  std::string contents() const;

 private:
  std::string folder_, path_;
};

}  // namespace supple::fuzz
