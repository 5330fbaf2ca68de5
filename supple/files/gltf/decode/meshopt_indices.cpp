// Modes 1 and 2: triangle lists, by edges and vertices that were seen just before, and sequences of indices.
#include <array>

#include "supple/files/gltf/decode/meshopt.h"

namespace supple::gltf::meshopt {
namespace {

std::uint32_t unzigzag_index(std::uint32_t v) { return (v & 1) != 0 ? ~(v >> 1) : v >> 1; }

/// Indices of two or four bytes, as they come.
class IndexWriter {
 public:
  IndexWriter(std::uint8_t* out, std::size_t stride) : out_(out), stride_(stride) {}
  void put(std::uint32_t index) {
    for (std::size_t b = 0; b < stride_; ++b) *out_++ = static_cast<std::uint8_t>(index >> (8 * b) & 255);
  }

 private:
  std::uint8_t* out_;
  std::size_t stride_;
};

/// The last 16 entries; 0 is the newest.
template <class Entry>
class Recent {
 public:
  const Entry& operator[](unsigned age) const { return entries_[(next_ - 1 - age) & 15]; }
  void push(Entry entry) { entries_[next_++ & 15] = entry; }

 private:
  std::array<Entry, 16> entries_{};
  unsigned next_ = 0;
};

class TriangleDecoder {
 public:
  TriangleDecoder(Stream data, std::span<const std::uint8_t> table) : data_(data), table_(table) {}

  /// The three corners of the triangle that `code` stands for.
  bool decode(std::uint8_t code, std::array<std::uint32_t, 3>& corners) {
    if (code < 0xf0) return decode_at_edge(code >> 4, code & 15, corners);
    auto& [a, b, c] = corners;
    const bool listed = code < 0xfe;
    unsigned which = 0;
    if (listed) {
      which = table_[code & 15];
    } else {
      const std::uint8_t* byte = data_.take(1);
      if (byte == nullptr) return false;
      which = *byte;
      if (which == 0) next_ = 0;  // a stream of its own begins here
    }
    const unsigned second = which >> 4, third = which & 15;
    if (code == 0xff) {
      if (!take_free(a)) return false;
    } else {
      a = next_++;
    }
    if (!corner(second, listed, b) || !corner(third, listed, c)) return false;
    edges_.push({b, a});
    edges_.push({c, b});
    edges_.push({a, c});
    vertices_.push(a);
    if (second == 0 || (!listed && second == 15)) vertices_.push(b);
    if (third == 0 || (!listed && third == 15)) vertices_.push(c);
    return true;
  }

  bool at_end() const { return data_.at_end(); }

 private:
  /// A triangle at an edge of an earlier one: with the next new vertex, a recent one, or one that is given.
  bool decode_at_edge(unsigned edge, unsigned vertex, std::array<std::uint32_t, 3>& corners) {
    auto& [a, b, c] = corners;
    a = edges_[edge][0];
    b = edges_[edge][1];
    if (vertex == 0) {
      c = next_++;
    } else if (vertex < 13) {
      c = vertices_[vertex];
    } else if (vertex < 15) {
      c = last_ = vertex == 13 ? last_ - 1 : last_ + 1;
    } else if (!take_free(c)) {
      return false;
    }
    edges_.push({c, b});
    edges_.push({a, c});
    if (vertex == 0 || vertex >= 13) vertices_.push(c);
    return true;
  }

  bool corner(unsigned which, bool listed, std::uint32_t& index) {
    if (which == 15 && !listed) return take_free(index);
    index = which == 0 ? next_++ : vertices_[which - 1];
    return true;
  }

  /// An index given by its difference from the last such one.
  bool take_free(std::uint32_t& index) {
    std::uint32_t number = 0;
    if (!data_.take_number(number)) return false;
    index = last_ += unzigzag_index(number);
    return true;
  }

  Stream data_;
  std::span<const std::uint8_t> table_;
  Recent<std::array<std::uint32_t, 2>> edges_;
  Recent<std::uint32_t> vertices_;
  std::uint32_t next_ = 0, last_ = 0;
};

}  // namespace

bool decode_triangles(std::span<const std::uint8_t> stream, std::size_t count, std::size_t stride, std::uint8_t* out) {
  const std::size_t triangles = count / 3, table_bytes = 16;
  if (count % 3 != 0 || stream.size() < 1 + table_bytes + triangles || stream[0] != 0xe1) return false;
  const std::span codes = stream.subspan(1, triangles), table = stream.last(table_bytes);
  TriangleDecoder decoder(Stream(stream.subspan(1 + triangles, stream.size() - 1 - triangles - table_bytes)), table);
  IndexWriter writer(out, stride);
  for (const std::uint8_t code : codes) {
    std::array<std::uint32_t, 3> corners{};
    if (!decoder.decode(code, corners)) return false;
    for (const std::uint32_t corner : corners) writer.put(corner);
  }
  return decoder.at_end();
}

bool decode_indices(std::span<const std::uint8_t> stream, std::size_t count, std::size_t stride, std::uint8_t* out) {
  constexpr std::size_t padding = 4;
  if (stream.size() < 1 + padding || stream[0] != 0xd1) return false;
  Stream data(stream.subspan(1, stream.size() - 1 - padding));
  IndexWriter writer(out, stride);
  std::array<std::uint32_t, 2> last{};  // two sequences may be spliced together
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t number = 0;
    if (!data.take_number(number)) return false;
    std::uint32_t& baseline = last[number & 1];
    writer.put(baseline += unzigzag_index(number >> 1));
  }
  return data.at_end();
}

}  // namespace supple::gltf::meshopt
