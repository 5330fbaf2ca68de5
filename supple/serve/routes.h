// What a server has to give: a table from URLs to folders, files and bytes in memory. What is not in it does not exist.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "supple/base/file.h"
#include "supple/base/result.h"
#include "supple/serve/descriptor.h"

namespace supple::serve {

/// The content behind a URL: an open file, or bytes that the routes or `owner` own.
struct Content {
  std::string type;
  std::size_t size = 0;
  Descriptor file{};
  std::span<const std::byte> memory{};
  std::shared_ptr<const Bytes> owner{};  // of the memory, where the routes may have other bytes before all is sent
};

class Routes {
 public:
  /// Every file below `folder`; `url` begins and ends with a slash, and stands for the folder's index.html. Never
  /// given: names that begin with a dot, and links that lead out of the folder.
  Result<void> add_folder(std::string url, const std::filesystem::path& folder);
  /// One file, read anew with every request.
  Result<void> add_file(std::string url, const std::filesystem::path& file);
  void add_bytes(std::string url, Bytes bytes, std::string type);
  void add_text(std::string url, std::string_view text, std::string type);
  /// What `make` has to give whenever somebody asks, on the thread that the server runs on.
  void add_made(std::string url, std::function<std::shared_ptr<const Bytes>()> make, std::string type);

  /// Exact URLs come before folders, and inner folders before outer ones. `path` is decoded: see Request.
  std::optional<Content> find(std::string_view path) const;

 private:
  struct Folder {
    std::string url;
    std::filesystem::path path;  // canonical
  };
  struct Memory {
    Bytes bytes;
    std::string type;
  };
  struct Made {
    std::function<std::shared_ptr<const Bytes>()> make;
    std::string type;
  };
  struct Entry {
    std::string url;
    std::variant<std::filesystem::path, Memory, Made> what;
  };
  std::vector<Folder> folders_;
  std::vector<Entry> entries_;
};

/// The media type by the name's extension; bytes without meaning where that is unknown.
std::string content_type(const std::filesystem::path& name);

}  // namespace supple::serve
