// Results of stages as bytes: each type lists its fields once, for writing and for reading alike.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "supple/base/file.h"

namespace supple::workflow {

template <class T>
inline constexpr bool is_plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

/// Types that are not plain bytes have a function `fields(archive, value)` that names their members.
class ArchiveWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  Bytes bytes;

 private:
  void raw(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
  void put(const std::string& text) { put(std::vector<char>(text.begin(), text.end())); }
  void put(const std::vector<bool>& flags) { put(std::vector<char>(flags.begin(), flags.end())); }
  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    if constexpr (is_plain<T>) {
      raw(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }
  template <class T>
  void put(const T& value) {
    if constexpr (is_plain<T>) {
      raw(&value, sizeof(T));
    } else {
      fields(*this, const_cast<T&>(value));  // fields() only reads for a ArchiveWriter
    }
  }
};

/// Stops at the first thing that does not fit; what was read before it stays.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

 private:
  void raw(void* data, std::size_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return;
    }
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  void get(std::string& text) {
    std::vector<char> letters;
    get(letters);
    text.assign(letters.begin(), letters.end());
  }
  void get(std::vector<bool>& flags) {
    std::vector<char> values;
    get(values);
    flags.assign(values.begin(), values.end());
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    if (failed_ || count > rest_.size()) {  // every element takes a byte at least
      failed_ = true;
      return;
    }
    if constexpr (is_plain<T>) {
      if (count > rest_.size() / sizeof(T)) {
        failed_ = true;
        return;
      }
      values.resize(count);
      raw(values.data(), count * sizeof(T));
    } else {
      values.resize(count);
      for (T& value : values) get(value);
    }
  }
  template <class T>
  void get(T& value) {
    if constexpr (is_plain<T>) {
      raw(&value, sizeof(T));
    } else {
      fields(*this, value);
    }
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace supple::workflow
