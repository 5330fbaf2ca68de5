// An immutable array that shares its memory with whoever else holds it: a vector's, or part of a mapped file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace supple {

/// Copies are as cheap as a pointer; the memory lives as long as the last of them.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(std::vector<T> values) {
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = *owned;
    owner_ = std::move(owned);
  }
  SharedArray(std::span<const T> view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  operator std::span<const T>() const { return view_; }
  std::span<const T> span() const { return view_; }
  std::span<const T> subspan(std::size_t first, std::size_t count) const { return view_.subspan(first, count); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T& operator[](std::size_t i) const { return view_[i]; }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }

  /// The same memory as groups of scalars, such as float -> Vec3f; what does not fill a group is left out.
  template <class Group>
  SharedArray<Group> grouped() const {
    static_assert(sizeof(Group) % sizeof(T) == 0 && alignof(Group) <= alignof(T));
    const std::size_t count = view_.size_bytes() / sizeof(Group);
    return {std::span(reinterpret_cast<const Group*>(view_.data()), count), owner_};
  }

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace supple
