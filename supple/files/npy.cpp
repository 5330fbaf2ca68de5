#include "supple/files/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "supple/base/mapped_file.h"
#include "supple/files/lines.h"

namespace supple {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are mapped as they lie in the file");

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr const char* resave = "save it again with numpy.save(name, numpy.ascontiguousarray(a, '<f4')), or '<u4'";

/// The header's dictionary, a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Text after "'key':", or none.
std::optional<std::string_view> value_of(std::string_view dictionary, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string name = quote + std::string(key) + quote;
    const std::size_t at = dictionary.find(name);
    if (at == std::string_view::npos) continue;
    std::string_view rest = dictionary.substr(at + name.size());
    const auto skip_blanks = [&] {
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    };
    skip_blanks();
    if (rest.empty() || rest.front() != ':') continue;
    rest.remove_prefix(1);
    skip_blanks();
    return rest;
  }
  return std::nullopt;
}

Result<std::vector<std::size_t>> parse_shape(std::string_view text, const Error& malformed) {
  std::vector<std::size_t> shape;
  const std::size_t end = text.find(')');
  if (text.empty() || text.front() != '(' || end == std::string_view::npos) return malformed;
  text = text.substr(1, end - 1);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && (word.back() == ' ' || word.back() == 'L')) word.remove_suffix(1);  // 5L: Python 2
    if (word.empty() && text.empty()) break;                                                    // (5,)
    const auto size = to_number<std::size_t>(word);
    if (!size) return malformed;
    shape.push_back(*size);
  }
  return shape;
}

Result<Header> parse_header(std::string_view text, const std::string& name) {
  const Error malformed{name, "has a malformed header", resave};
  const auto descr = value_of(text, "descr"), order = value_of(text, "fortran_order"), shape = value_of(text, "shape");
  if (!descr || !order || !shape || descr->empty()) return malformed;
  const char quote = descr->front();
  if (quote == '[' || quote == '(') return Error{name, "holds structures, not plain numbers", resave};
  const std::size_t end = descr->find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == std::string_view::npos) return malformed;
  if (!order->starts_with("False") && !order->starts_with("True")) return malformed;
  auto sizes = parse_shape(*shape, malformed);
  if (!sizes) return sizes.error();
  return Header{std::string(descr->substr(1, end - 1)), order->starts_with("True"), std::move(*sizes)};
}

/// Bytes of one number; 0 for what is not a number.
std::size_t item_size(std::string_view dtype) {
  if (dtype.empty()) return 0;
  for (const std::string_view known : {"f4", "f8", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"}) {
    if (dtype.substr(1) == known) return static_cast<std::size_t>(known[1] - '0');
  }
  return 0;
}

std::optional<std::size_t> product(std::span<const std::size_t> shape, std::size_t item) {
  std::size_t total = item;
  for (const std::size_t n : shape) {
    if (n != 0 && total > std::numeric_limits<std::ptrdiff_t>::max() / n) return std::nullopt;
    total *= n;
  }
  return total;
}

/// The mapped memory itself where it can be read as T; numpy aligns to 64 bytes, other writers may not.
template <class T>
SharedArray<T> view_or_copy(const NpyArray& array) {
  if (array.data.empty()) return {};
  if (reinterpret_cast<std::uintptr_t>(array.data.data()) % alignof(T) == 0) {
    return {std::span(reinterpret_cast<const T*>(array.data.data()), array.data.size() / sizeof(T)), array.owner};
  }
  std::vector<T> copy(array.data.size() / sizeof(T));
  std::memcpy(copy.data(), array.data.data(), array.data.size());
  return copy;
}

template <class From>
Result<SharedArray<std::uint32_t>> convert_indices(const NpyArray& array) {
  const SharedArray<From> from = view_or_copy<From>(array);
  std::vector<std::uint32_t> result(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!std::in_range<std::uint32_t>(from[i])) {
      return Error{array.name, "entry " + std::to_string(i) + " is " + std::to_string(from[i]) + ", which is no index",
                   ""};
    }
    result[i] = static_cast<std::uint32_t>(from[i]);
  }
  return SharedArray<std::uint32_t>(std::move(result));
}

Error wrong_type(const NpyArray& array, const char* wanted) {
  return {array.name, "holds numbers of type '" + array.dtype + "' where " + wanted + " are needed", resave};
}

}  // namespace

std::size_t NpyArray::count() const { return product(shape, 1).value_or(0); }

std::string NpyArray::shape_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(shape[d]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Result<NpyArray> read_npy(const std::filesystem::path& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  const auto file = std::make_shared<const MappedFile>(std::move(*mapped));
  return parse_npy(file->bytes(), path.string(), file);
}

Result<NpyArray> parse_npy(std::span<const std::byte> bytes, std::string name, std::shared_ptr<const void> owner) {
  NpyArray array;
  array.name = std::move(name);
  array.owner = std::move(owner);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < 10 || !text.starts_with(magic)) return Error{array.name, "is not a .npy file", resave};
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const std::size_t version = byte(6), prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3) {
    return Error{array.name, "is a .npy file of version " + std::to_string(version), "versions 1 to 3 are read"};
  }
  std::size_t length = byte(8) + (byte(9) << 8);
  if (version > 1 && text.size() >= prefix) length += (byte(10) << 16) + (byte(11) << 24);
  if (text.size() < prefix + length) return Error{array.name, "ends inside its header", "copy the file again"};
  auto header = parse_header(text.substr(prefix, length), array.name);
  if (!header) return header.error();
  array.dtype = std::move(header->descr);
  array.shape = std::move(header->shape);
  const std::size_t size = item_size(array.dtype);
  if (size == 0) return Error{array.name, "holds '" + array.dtype + "', not plain numbers", resave};
  if (array.dtype[0] == '>' && size > 1) {
    return Error{array.name, "is big-endian ('" + array.dtype + "')", resave};
  }
  if (header->fortran_order && array.shape.size() > 1) return Error{array.name, "is in Fortran order", resave};
  const auto needed = product(array.shape, size);
  const std::size_t held = bytes.size() - prefix - length;
  if (!needed || *needed != held) {
    return Error{array.name,
                 "holds " + std::to_string(held) + " bytes of data where shape " + array.shape_text() + " of '" +
                     array.dtype + "' needs " + (needed ? std::to_string(*needed) : "more than there can be"),
                 needed && *needed < held ? "save one array in a file" : "the file was cut short: copy it again"};
  }
  array.data = bytes.subspan(prefix + length);
  return array;
}

Result<void> require_shape(const NpyArray& array, std::span<const std::size_t> shape, const std::string& what) {
  if (std::equal(shape.begin(), shape.end(), array.shape.begin(), array.shape.end())) return {};
  return Error{array.name, "has shape " + array.shape_text() + " instead of " + NpyArray::shape_text(shape), what};
}

Result<SharedArray<float>> to_floats(const NpyArray& array) {
  if (array.dtype == "<f4") return view_or_copy<float>(array);
  if (array.dtype != "<f8") return wrong_type(array, "floats");
  const SharedArray<double> wide = view_or_copy<double>(array);
  std::vector<float> result(wide.size());
  std::transform(wide.begin(), wide.end(), result.begin(), [](double v) { return static_cast<float>(v); });
  return SharedArray<float>(std::move(result));
}

Result<SharedArray<std::uint32_t>> to_indices(const NpyArray& array) {
  const std::string_view type = std::string_view(array.dtype).substr(1);
  if (type == "u4") return view_or_copy<std::uint32_t>(array);
  if (type == "u1") return convert_indices<std::uint8_t>(array);
  if (type == "u2") return convert_indices<std::uint16_t>(array);
  if (type == "u8") return convert_indices<std::uint64_t>(array);
  if (type == "i1") return convert_indices<std::int8_t>(array);
  if (type == "i2") return convert_indices<std::int16_t>(array);
  if (type == "i4") return convert_indices<std::int32_t>(array);
  if (type == "i8") return convert_indices<std::int64_t>(array);
  return wrong_type(array, "whole numbers");
}

Result<NpyWriter> NpyWriter::create(const std::filesystem::path& path, std::string dtype,
                                    std::vector<std::size_t> row_shape) {
  const std::size_t size = item_size(dtype);
  const auto row_bytes = product(row_shape, size);
  if (size == 0 || !row_bytes) return Error{path.string(), "cannot hold rows of '" + dtype + "' of that shape", ""};
  auto stream = FileStream::create(path);
  if (!stream) return stream.error();
  NpyWriter writer(std::move(*stream));
  writer.dtype_ = std::move(dtype);
  writer.row_shape_ = std::move(row_shape);
  writer.row_bytes_ = *row_bytes;
  const std::string header = writer.header();
  if (auto ok = writer.stream_.append(std::as_bytes(std::span(header))); !ok) return ok.error();
  return writer;
}

/// Padded to 64 bytes with room for the largest count, so that its length does not depend on the count.
std::string NpyWriter::header() const {
  std::vector<std::size_t> shape{std::numeric_limits<std::size_t>::max()};
  shape.insert(shape.end(), row_shape_.begin(), row_shape_.end());
  const auto dictionary = [&] {
    return "{'descr': '" + dtype_ + "', 'fortran_order': False, 'shape': " + NpyArray::shape_text(shape) + ", }";
  };
  constexpr std::size_t prefix = 10;
  const std::size_t total = (prefix + dictionary().size() + 1 + 63) / 64 * 64;
  shape[0] = rows_;
  std::string text = dictionary();
  text.resize(total - prefix - 1, ' ');
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  return std::string(magic) + '\x01' + '\x00' + static_cast<char>(length & 0xff) + static_cast<char>(length >> 8) +
         text;
}

Result<void> NpyWriter::append(std::span<const std::byte> rows) {
  if (row_bytes_ == 0 || rows.size() % row_bytes_ != 0) {
    return Error{path().string(),
                 "is given " + std::to_string(rows.size()) + " bytes for rows of " + std::to_string(row_bytes_), ""};
  }
  if (auto ok = stream_.append(rows); !ok) return ok;
  rows_ += rows.size() / row_bytes_;
  return {};
}

Result<void> NpyWriter::keep(std::size_t count) {
  rows_ = std::min(rows_, count);
  return stream_.cut(header().size() + rows_ * row_bytes_);
}

Result<void> NpyWriter::close() {
  if (closed_) return {};
  const std::string complete = header();
  if (auto ok = stream_.write_at(0, std::as_bytes(std::span(complete))); !ok) return ok;
  closed_ = true;
  return stream_.close();
}

Result<void> NpyWriter::commit() {
  if (auto ok = close(); !ok) return ok;
  return stream_.commit();
}

}  // namespace supple
