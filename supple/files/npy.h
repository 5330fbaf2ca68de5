// NumPy's .npy files: one array, read without copying and written row by row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "supple/base/file.h"
#include "supple/base/shared_array.h"

namespace supple {

/// An array in memory or in a mapped file: C order, little-endian, one number type.
struct NpyArray {
  std::string name;                   // the file, for messages
  std::string dtype;                  // as numpy writes it: "<f4"
  std::vector<std::size_t> shape;     // empty: a single number
  std::span<const std::byte> data;    // product of the shape * item size
  std::shared_ptr<const void> owner;  // of the data, a mapped file as a rule

  std::size_t count() const;  // product of the shape
  std::string shape_text() const { return shape_text(shape); }
  static std::string shape_text(std::span<const std::size_t> shape);  // "(120, 10900, 3)"
};

/// Versions 1.0 and 2.0 (and 3.0, which differs in the names of fields only). The error says what is not supported:
/// big-endian and Fortran-ordered arrays, structures, objects; or how much of the data is missing.
Result<NpyArray> read_npy(const std::filesystem::path& path);
/// The same of memory that `owner` keeps.
Result<NpyArray> parse_npy(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner = {});

/// Whether the array has this shape; the error shows both, and `what` says what the shape follows from.
Result<void> require_shape(const NpyArray& array, std::span<const std::size_t> shape, const std::string& what);

/// As floats: the mapped memory itself for "<f4"; converted for "<f8", an error for every other type.
Result<SharedArray<float>> to_floats(const NpyArray& array);
/// As indices: the mapped memory itself for "<u4"; converted and checked for the other integer types.
Result<SharedArray<std::uint32_t>> to_indices(const NpyArray& array);

/// Writes an array of rows without knowing how many there will be: the header has room for any number and gets it at
/// the end. Version 1.0; temporary name until commit().
class NpyWriter {
 public:
  /// `dtype` "<f4" or "<u4"; a row has `row_shape`, so the array has shape (rows, row_shape...).
  static Result<NpyWriter> create(const std::filesystem::path& path, std::string dtype,
                                  std::vector<std::size_t> row_shape);
  const std::filesystem::path& path() const { return stream_.path(); }
  std::size_t rows() const { return rows_; }

  /// Whole rows of packed values of the array's type.
  Result<void> append(std::span<const std::byte> rows);
  template <class T>
  Result<void> append(std::span<const T> rows) {
    return append(std::as_bytes(rows));
  }
  /// Drops rows from `count` on, and what a failed append() left of one.
  Result<void> keep(std::size_t count);
  /// Completes the header; the file waits under its temporary name for commit().
  Result<void> close();
  Result<void> commit();

 private:
  explicit NpyWriter(FileStream stream) : stream_(std::move(stream)) {}
  std::string header() const;
  FileStream stream_;
  std::string dtype_;
  std::vector<std::size_t> row_shape_;
  std::size_t row_bytes_ = 0, rows_ = 0;
  bool closed_ = false;
};

}  // namespace supple
