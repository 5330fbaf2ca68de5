#include "supple/imaging/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace supple::imaging {
namespace {

namespace fs = std::filesystem;

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

class PlainSource final : public ByteSource {
 public:
  static Result<std::unique_ptr<PlainSource>> open(const fs::path& path, std::uint64_t begin) {
    std::error_code failed;
    if (fs::is_directory(path, failed)) return Error{path.string(), "is a folder, not a file", ""};
    auto source = std::make_unique<PlainSource>();
    source->path_ = path;
    source->begin_ = begin;
    source->file_.reset(std::fopen(path.c_str(), "rb"));
    const std::uint64_t size = source->file_ ? fs::file_size(path, failed) : 0;
    if (!source->file_ || failed) return Error{path.string(), "cannot be read", "check the path and its permissions"};
    source->limit_ = size - std::min(size, begin);
    if (auto placed = source->start_at(0); !placed) return placed.error();
    return source;
  }

  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t got = std::fread(out.data(), 1, out.size(), file_.get());
    if (got < out.size() && std::ferror(file_.get())) return Error{path_.string(), "cannot be read to its end", ""};
    return got;
  }
  Result<void> start_at(std::uint64_t offset) override {
    if (::fseeko(file_.get(), static_cast<off_t>(begin_ + offset), SEEK_SET) == 0) return {};
    return Error{path_.string(), "cannot be read from byte " + std::to_string(begin_ + offset), "use a plain file"};
  }
  std::uint64_t limit() const override { return limit_; }

 private:
  fs::path path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::uint64_t begin_ = 0, limit_ = 0;
};

class PackedSource final : public ByteSource {
 public:
  PackedSource(std::unique_ptr<ByteSource> plain, std::string name)
      : plain_(std::move(plain)), name_(std::move(name)), input_(input_size) {
    constexpr int any_wrapper = 32;  // zlib or gzip, whichever the stream shows
    usable_ = inflateInit2(&state_, MAX_WBITS + any_wrapper) == Z_OK;
  }
  PackedSource(const PackedSource&) = delete;
  PackedSource& operator=(const PackedSource&) = delete;
  ~PackedSource() override {
    if (usable_) inflateEnd(&state_);
  }

  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size() && usable_) {
      if (state_.avail_in == 0) {
        const auto got = plain_->read(std::as_writable_bytes(std::span(input_)));
        if (!got) return got.error();
        if (*got == 0) {
          if (!between_members_) return damaged("ends early");
          break;
        }
        state_.next_in = input_.data();
        state_.avail_in = static_cast<uInt>(*got);
      }
      if (between_members_) {
        // After a member comes another one, or padding that is nobody's.
        if (members_ > 0 && *state_.next_in != gzip_mark) break;
        between_members_ = false;
      }
      const auto room = static_cast<uInt>(std::min<std::size_t>(out.size() - done, input_size));
      state_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      state_.avail_out = room;
      const int code = inflate(&state_, Z_NO_FLUSH);
      done += room - state_.avail_out;
      if (code == Z_STREAM_END) {
        ++members_;
        between_members_ = true;
        inflateReset(&state_);
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        return damaged(members_ == 0 && state_.total_out == 0 ? "is not compressed as it says" : "is damaged");
      }
    }
    return done;
  }

  Result<void> start_at(std::uint64_t offset) override {
    if (!usable_) return damaged("cannot be unpacked");
    if (auto placed = plain_->start_at(0); !placed) return placed;
    inflateReset(&state_);
    state_.avail_in = 0;
    members_ = 0;
    between_members_ = true;
    std::vector<std::byte> passed(static_cast<std::size_t>(std::min<std::uint64_t>(offset, input_size)));
    while (offset > 0) {
      const auto got = read(std::span(passed).first(std::min<std::size_t>(passed.size(), offset)));
      if (!got) return got.error();
      if (*got == 0) return damaged("ends early");
      offset -= *got;
    }
    return {};
  }

  std::uint64_t limit() const override {
    constexpr std::uint64_t most = 1032;  // bytes that deflate can make of one
    return plain_->limit() * most;
  }

 private:
  static constexpr std::size_t input_size = 1 << 18;
  static constexpr unsigned char gzip_mark = 0x1f;

  Error damaged(const std::string& how) const {
    return {name_, "its compressed data " + how, "copy the file again, or write it uncompressed"};
  }

  std::unique_ptr<ByteSource> plain_;
  std::string name_;
  std::vector<Bytef> input_;
  z_stream state_{};
  std::size_t members_ = 0;
  bool usable_ = false, between_members_ = true;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - next_);
    if (count > 0) std::memcpy(out.data(), bytes_.data() + next_, count);
    next_ += count;
    return count;
  }
  Result<void> start_at(std::uint64_t offset) override {
    next_ = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size()));
    return {};
  }
  std::uint64_t limit() const override { return bytes_.size(); }

 private:
  Bytes bytes_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_plain(const fs::path& path, std::uint64_t begin) {
  auto source = PlainSource::open(path, begin);
  if (!source) return source.error();
  return std::unique_ptr<ByteSource>(std::move(*source));
}

Result<std::unique_ptr<ByteSource>> open_packed(const fs::path& path, std::uint64_t begin) {
  auto plain = open_plain(path, begin);
  if (!plain) return plain.error();
  return std::unique_ptr<ByteSource>(std::make_unique<PackedSource>(std::move(*plain), path.string()));
}

std::unique_ptr<ByteSource> from_memory(Bytes bytes) { return std::make_unique<MemorySource>(std::move(bytes)); }

}  // namespace supple::imaging
