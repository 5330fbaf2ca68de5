#include "supple/serve/routes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>

namespace supple::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<std::string_view, std::string_view> types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".wasm", "application/wasm"},
    {".glb", "model/gltf-binary"},
    {".gltf", "model/gltf+json"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".webp", "image/webp"},
    {".svg", "image/svg+xml"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
};

/// A regular file, opened for reading; nothing for anything else. Opening must not wait, as it would for a pipe.
std::optional<Content> open_file(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return Content{content_type(path), static_cast<std::size_t>(facts.st_size), std::move(file), {}};
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

std::optional<Content> open_below(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  const fs::path path = fs::canonical(folder / name, failed);  // links are followed here, and only here
  if (failed || !is_below(path, folder)) return std::nullopt;
  auto content = open_file(path);
  if (content) content->type = content_type(name);  // of the link, not of what it points to
  return content;
}

}  // namespace

std::string content_type(const fs::path& name) {
  std::string extension = name.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  const auto* found =
      std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.first == extension; });
  return std::string(found == std::end(types) ? "application/octet-stream" : found->second);
}

Result<void> Routes::add_folder(std::string url, const fs::path& folder) {
  std::error_code failed;
  const fs::path path = fs::canonical(folder, failed);
  if (failed || !fs::is_directory(path, failed)) {
    return Error{folder.string(), "is not a folder that can be read", "check the path and its permissions"};
  }
  folders_.push_back({std::move(url), path});
  std::stable_sort(folders_.begin(), folders_.end(),
                   [](const Folder& a, const Folder& b) { return a.url.size() > b.url.size(); });
  return {};
}

Result<void> Routes::add_file(std::string url, const fs::path& file) {
  std::error_code failed;
  const fs::path path = fs::canonical(file, failed);
  if (failed || !open_file(path)) {
    return Error{file.string(), "is not a file that can be read", "check the path and its permissions"};
  }
  entries_.push_back({std::move(url), path});
  return {};
}

void Routes::add_bytes(std::string url, Bytes bytes, std::string type) {
  entries_.push_back({std::move(url), Memory{std::move(bytes), std::move(type)}});
}

void Routes::add_text(std::string url, std::string_view text, std::string type) {
  const auto bytes = std::as_bytes(std::span(text));
  add_bytes(std::move(url), Bytes(bytes.begin(), bytes.end()), std::move(type));
}

void Routes::add_made(std::string url, std::function<std::shared_ptr<const Bytes>()> make, std::string type) {
  entries_.push_back({std::move(url), Made{std::move(make), std::move(type)}});
}

std::optional<Content> Routes::find(std::string_view path) const {
  for (const Entry& entry : entries_) {
    if (entry.url != path) continue;
    if (const auto* file = std::get_if<fs::path>(&entry.what)) return open_file(*file);
    if (const auto* made = std::get_if<Made>(&entry.what)) {
      auto bytes = made->make();
      return Content{made->type, bytes->size(), {}, *bytes, bytes};
    }
    const Memory& memory = std::get<Memory>(entry.what);
    return Content{memory.type, memory.bytes.size(), {}, memory.bytes};
  }
  if (path.find("/.") != std::string_view::npos) return std::nullopt;
  for (const Folder& folder : folders_) {
    if (!path.starts_with(folder.url)) continue;
    std::string name(path.substr(folder.url.size()));
    if (name.empty() || name.back() == '/') name += "index.html";
    return open_below(folder.path, name);
  }
  return std::nullopt;
}

}  // namespace supple::serve
