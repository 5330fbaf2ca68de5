// Several parts of a character as one surface, one after another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

class JoinedParts {
 public:
  /// A vertex or triangle of a part.
  struct Place {
    std::size_t part = 0;  // in the character
    std::uint32_t number = 0;
  };

  JoinedParts(const Character& character, std::vector<std::size_t> parts);

  const std::vector<std::size_t>& parts() const { return parts_; }
  std::uint32_t vertices() const { return first_vertex_.back(); }
  /// Of the place `i` in parts().
  std::uint32_t first_vertex(std::size_t i) const { return first_vertex_[i]; }
  std::uint32_t vertices_of(std::size_t i) const { return first_vertex_[i + 1] - first_vertex_[i]; }
  const std::vector<Triangle>& triangles() const { return triangles_; }

  Place vertex(std::uint32_t joined) const { return place(first_vertex_, joined); }
  Place triangle(std::uint32_t joined) const { return place(first_triangle_, joined); }

  /// What `of(part)` has for each vertex of a part, for all of them.
  template <class Of>
  auto join(const Of& of) const {
    std::vector<std::remove_cvref_t<decltype(of(std::size_t{})[0])>> all;
    all.reserve(vertices());
    for (const std::size_t p : parts_) {
      const auto& one = of(p);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

 private:
  Place place(const std::vector<std::uint32_t>& first, std::uint32_t joined) const;

  std::vector<std::size_t> parts_;
  std::vector<std::uint32_t> first_vertex_{0}, first_triangle_{0};  // #parts + 1
  std::vector<Triangle> triangles_;
};

}  // namespace supple
