#include "supple/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "supple/base/unfinished.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

Error read_error(const fs::path& path, std::string why) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {path.string(), "is a folder, not a file", ""};
  return {path.string(), "cannot be read: " + std::move(why), "check the path and its permissions"};
}

Error write_error(const fs::path& path) {
  const int code = errno;
  std::string remedy = "check the folder and its permissions";
  if (code == ENOSPC || code == EDQUOT) remedy = "free some space; nothing was written";
  if (code == ENOENT) remedy = "create the folder first";
  return {path.string(), "cannot be written: " + std::string(std::strerror(code)), remedy};
}

/// A new file beside the destination, with the permissions any new file gets.
int open_temporary(const fs::path& destination, std::string& name) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = unfinished::temporary_name(destination);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

bool write_all(int fd, std::span<const std::byte> contents) {
  std::size_t done = 0;
  while (done < contents.size()) {
    const ssize_t n = ::write(fd, contents.data() + done, contents.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

/// Where a file of that name really goes: through links, and never onto folders, devices or pipes.
Result<fs::path> destination_of(const fs::path& path) {
  std::error_code failed;
  const fs::path destination = fs::is_symlink(path, failed) ? fs::weakly_canonical(path, failed) : path;
  const fs::file_status status = fs::status(destination, failed);
  if (fs::is_directory(status)) return Error{path.string(), "is a folder, not a file", "name a file in it"};
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return Error{path.string(), "is a device or pipe, not a file", "write to a file"};
  }
  return destination;
}

/// A file that is replaced keeps its permissions, where that is allowed.
void keep_permissions(int fd, const fs::path& destination) {
  std::error_code failed;
  const fs::file_status status = fs::status(destination, failed);
  if (fs::exists(status)) ::fchmod(fd, static_cast<mode_t>(status.permissions()));
}

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

template <class Container>
Result<Container> read_whole(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_error(path, "");
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
  if (!file) return read_error(path, reason());
  Container contents;
  constexpr std::size_t block = 1 << 20;  // no trust in reported sizes: pipes and /proc files report 0
  while (true) {
    const std::size_t old = contents.size();
    contents.resize(old + block);
    const std::size_t got = std::fread(contents.data() + old, 1, block, file.get());
    contents.resize(old + got);
    if (got < block) break;
  }
  if (std::ferror(file.get())) return read_error(path, reason());
  return contents;
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

std::string lower_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Result<Bytes> read_file(const fs::path& path) { return read_whole<Bytes>(path); }
Result<std::string> read_text(const fs::path& path) { return read_whole<std::string>(path); }

FileTransaction::~FileTransaction() {
  for (const Entry& e : entries_) {
    ::unlink(e.temporary.c_str());
    unfinished::forget(e.temporary);
  }
}

Result<void> FileTransaction::add(const fs::path& path, std::span<const std::byte> contents) {
  const auto destination = destination_of(path);
  if (!destination) return destination.error();
  std::string temporary;
  const int fd = open_temporary(*destination, temporary);
  if (fd < 0) return write_error(path);
  unfinished::remember_file(temporary);
  entries_.push_back({temporary, *destination});
  keep_permissions(fd, *destination);
  if (!write_all(fd, contents) || ::fsync(fd) != 0) {  // a full disk may show only in fsync
    const Error error = write_error(path);
    ::close(fd);
    return error;
  }
  return ::close(fd) == 0 ? Result<void>() : write_error(path);
}

Result<void> FileTransaction::add(const fs::path& path, std::string_view contents) {
  return add(path, as_bytes(contents));
}

Result<void> FileTransaction::commit() {
  while (!entries_.empty()) {
    const Entry& e = entries_.front();
    if (::rename(e.temporary.c_str(), e.destination.c_str()) != 0) return write_error(e.destination);
    unfinished::forget(e.temporary);
    entries_.erase(entries_.begin());
  }
  return {};
}

Result<FileStream> FileStream::create(const fs::path& path) {
  auto destination = destination_of(path);
  if (!destination) return destination.error();
  FileStream stream;
  stream.path_ = path;
  stream.destination_ = std::move(*destination);
  stream.fd_ = open_temporary(stream.destination_, stream.temporary_);
  if (stream.fd_ < 0) {
    stream.temporary_.clear();  // nothing to take away
    return write_error(path);
  }
  unfinished::remember_file(stream.temporary_);
  keep_permissions(stream.fd_, stream.destination_);
  return stream;
}

FileStream::FileStream(FileStream&& other) noexcept
    : path_(std::move(other.path_)),
      destination_(std::move(other.destination_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

FileStream& FileStream::operator=(FileStream&& other) noexcept {
  if (this != &other) {
    drop();
    path_ = std::move(other.path_);
    destination_ = std::move(other.destination_);
    temporary_ = std::exchange(other.temporary_, {});
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FileStream::~FileStream() { drop(); }

void FileStream::drop() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  unfinished::forget(temporary_);
  temporary_.clear();
}

Result<void> FileStream::append(std::span<const std::byte> contents) {
  return write_all(fd_, contents) ? Result<void>() : write_error(path_);
}

Result<void> FileStream::write_at(std::size_t offset, std::span<const std::byte> contents) {
  const bool written = ::lseek(fd_, static_cast<off_t>(offset), SEEK_SET) >= 0 && write_all(fd_, contents) &&
                       ::lseek(fd_, 0, SEEK_END) >= 0;
  return written ? Result<void>() : write_error(path_);
}

Result<void> FileStream::cut(std::size_t size) {
  const bool done = ::ftruncate(fd_, static_cast<off_t>(size)) == 0 && ::lseek(fd_, 0, SEEK_END) >= 0;
  return done ? Result<void>() : write_error(path_);
}

Result<void> FileStream::close() {
  if (fd_ < 0) return {};
  const bool synced = ::fsync(fd_) == 0;
  const int failure = errno;
  const bool closed = ::close(std::exchange(fd_, -1)) == 0;
  if (synced && closed) return {};
  if (!synced) errno = failure;
  return write_error(path_);
}

Result<void> FileStream::commit() {
  if (auto closed = close(); !closed) return closed;
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) return write_error(path_);
  unfinished::forget(temporary_);
  temporary_.clear();
  return {};
}

void remove_unfinished_files() noexcept { unfinished::remove_all(); }

Result<void> write_file(const fs::path& path, std::span<const std::byte> contents) {
  FileTransaction transaction;
  if (auto added = transaction.add(path, contents); !added) return added;
  return transaction.commit();
}

Result<void> write_file(const fs::path& path, std::string_view contents) {
  return write_file(path, as_bytes(contents));
}

}  // namespace supple
