#include "supple/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

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

/// Names of temporary files where a signal handler can see them. More files at once than slots
/// are simply not remembered.
struct TemporaryName {
  std::atomic<bool> taken{false}, complete{false};
  char path[4096];
};
TemporaryName temporary_names[16];

void remember(const std::string& path) {
  for (TemporaryName& name : temporary_names) {
    bool expected = false;
    if (path.size() >= sizeof name.path || !name.taken.compare_exchange_strong(expected, true)) continue;
    std::memcpy(name.path, path.c_str(), path.size() + 1);
    name.complete = true;
    return;
  }
}

void forget(const std::string& path) {
  for (TemporaryName& name : temporary_names) {
    if (!name.complete || path != name.path) continue;
    name.complete = false;
    name.taken = false;
  }
}

/// A new file beside the destination, with the permissions any new file gets.
int open_temporary(const fs::path& destination, std::string& name) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = destination.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
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

Result<Bytes> read_file(const fs::path& path) { return read_whole<Bytes>(path); }
Result<std::string> read_text(const fs::path& path) { return read_whole<std::string>(path); }

FileTransaction::~FileTransaction() {
  for (const Entry& e : entries_) {
    ::unlink(e.temporary.c_str());
    forget(e.temporary);
  }
}

Result<void> FileTransaction::add(const fs::path& path, std::span<const std::byte> contents) {
  std::error_code failed;
  const fs::path destination = fs::is_symlink(path, failed) ? fs::weakly_canonical(path, failed) : path;
  const fs::file_status status = fs::status(destination, failed);
  if (fs::is_directory(status)) return Error{path.string(), "is a folder, not a file", "name a file in it"};
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return Error{path.string(), "is a device or pipe, not a file", "write to a file"};
  }
  std::string temporary;
  const int fd = open_temporary(destination, temporary);
  if (fd < 0) return write_error(path);
  remember(temporary);
  entries_.push_back({temporary, destination});
  if (fs::exists(status)) ::fchmod(fd, static_cast<mode_t>(status.permissions()));  // where allowed; else the default
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
    forget(e.temporary);
    entries_.erase(entries_.begin());
  }
  return {};
}

void remove_unfinished_files() noexcept {
  for (TemporaryName& name : temporary_names) {
    if (name.complete) ::unlink(name.path);
  }
}

Result<void> write_file(const fs::path& path, std::span<const std::byte> contents) {
  FileTransaction transaction;
  if (auto added = transaction.add(path, contents); !added) return added;
  return transaction.commit();
}

Result<void> write_file(const fs::path& path, std::string_view contents) {
  return write_file(path, as_bytes(contents));
}

}  // namespace supple
