// What the readers of the volume formats share: a scanner of words and binary numbers, and the mesh as a file numbers
// it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/result.h"
#include "supple/base/vec.h"
#include "supple/files/lines.h"

namespace supple::detail {

/// Walks over a file of words, with stretches of binary numbers. The first failure sticks: later reads give zeros, and
/// one look at failed() per item is enough.
class Scanner {
 public:
  /// From `comment` to the end of its line words are skipped; 0: no comments.
  Scanner(std::string_view text, std::string file, char comment = 0)
      : text_(text), file_(std::move(file)), comment_(comment) {}

  /// Next word wherever it stands, or "" at the end.
  std::string_view word();
  /// The word that word() would give next.
  std::string_view peek();
  void skip_line();
  /// Goes behind the next occurrence of `mark`; false where there is none.
  bool skip_behind(std::string_view mark);

  void set_binary(bool binary) { binary_ = binary; }
  bool is_binary() const { return binary_; }

  /// The next number: a word, or its bytes in a binary stretch.
  template <class T>
  T read(const char* what) {
    T value{};
    if (failed()) return value;
    if (!binary_) {
      const std::string_view found = word();
      if (const std::optional<T> number = to_number<T>(found)) return *number;
      fail(std::string(what) + " expected, found " + (found.empty() ? "the end of the file" : quoted(found)));
    } else if (text_.size() - at_ < sizeof(T)) {
      fail(std::string("ends within a ").append(what));
    } else {
      std::memcpy(&value, text_.data() + at_, sizeof(T));
      at_ += sizeof(T);
    }
    return value;
  }
  /// A number of things that follow, each at least `bytes` long: no file can make us reserve more than its own size.
  std::size_t read_count(const char* what, std::size_t bytes);
  Vec3d read_position();

  std::size_t line() const { return binary_ ? 0 : line_; }
  void fail(std::string problem, std::string remedy = "");
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::string_view text_;
  std::string file_;
  char comment_;
  std::size_t at_ = 0, line_ = 1;
  bool binary_ = false;
  std::optional<Error> error_;
};

/// One tetrahedron with nodes as the file numbers them, in our order.
struct RawTet {
  std::uint32_t size = 4;  // 4 or 10
  std::array<std::uint64_t, 10> nodes{};
  std::int64_t region = 0;
  std::size_t line = 0;  // 0: in a binary stretch
};

struct RawVolume {
  std::vector<Vec3d> positions;
  std::vector<std::uint64_t> numbers;  // #positions: the file's; empty: 1, 2, ...
  std::vector<RawTet> tets;
  std::map<std::string, std::size_t> others;  // elements of other kinds: how many of each
};

Result<RawVolume> read_gmsh(std::string_view text, const std::string& name);
Result<RawVolume> read_medit(std::string_view text, const std::string& name);
Result<RawVolume> read_netgen(std::string_view text, const std::string& name);

/// Our middle node k is the format's node order[k]; its own inverse for both.
inline constexpr std::array<std::uint8_t, 10> gmsh_order = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
inline constexpr std::array<std::uint8_t, 10> medit_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
/// Netgen's middle nodes are on edges 01 02 03 12 13 23.
inline constexpr std::array<std::uint8_t, 10> netgen_order = {0, 1, 2, 3, 4, 7, 5, 6, 8, 9};

}  // namespace supple::detail
