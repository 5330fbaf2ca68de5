#include "supple/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace supple {
namespace {

Error cannot_read(const std::filesystem::path& path, int code) {
  return {path.string(), "cannot be read: " + std::string(std::strerror(code)), "check the path and its permissions"};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not make us wait
  if (fd < 0) return cannot_read(path, errno);
  struct stat status {};
  const int failed = ::fstat(fd, &status) == 0 ? 0 : errno;
  if (failed != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    if (failed != 0) return cannot_read(path, failed);
    if (S_ISDIR(status.st_mode)) return Error{path.string(), "is a folder, not a file", ""};
    return Error{path.string(), "is a device or pipe, not a file", "copy it into a file first"};
  }
  MappedFile mapped;
  mapped.path_ = path;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > 0) {  // nothing cannot be mapped
    void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int code = errno;
    ::close(fd);
    if (memory == MAP_FAILED) return cannot_read(path, code);
    mapped.bytes_ = {static_cast<const std::byte*>(memory), size};
  } else {
    ::close(fd);
  }
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

MappedFile::~MappedFile() { unmap(); }

void MappedFile::unmap() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  bytes_ = {};
}

}  // namespace supple
