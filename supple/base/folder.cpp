#include "supple/base/folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <deque>
#include <fstream>
#include <utility>

#include "supple/base/unfinished.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

/// A new folder beside the destination, with the permissions any new folder gets; no name where it cannot be made.
std::string make_temporary(const fs::path& destination) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = unfinished::temporary_name(destination);
    if (::mkdir(name.c_str(), 0777) == 0) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

}  // namespace

struct FolderTransaction::Unfinished {
  fs::path folder, destination;  // as the caller named it; without a slash at the end
  std::string temporary;
  std::deque<unfinished::FileInFolder> files;  // of which a signal handler reads: they never move

  ~Unfinished() {
    std::error_code failed;
    fs::remove_all(temporary, failed);
    unfinished::forget(temporary);
  }
};

FolderTransaction::FolderTransaction(std::unique_ptr<Unfinished> unfinished) : unfinished_(std::move(unfinished)) {}
FolderTransaction::FolderTransaction(FolderTransaction&&) noexcept = default;
FolderTransaction& FolderTransaction::operator=(FolderTransaction&&) noexcept = default;
FolderTransaction::~FolderTransaction() = default;

Result<FolderTransaction> FolderTransaction::create(const fs::path& folder) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !(fs::is_directory(folder, failed) && fs::is_empty(folder, failed)))
    return Error{folder.string(), "exists already", "name a new or empty folder"};
  const fs::path destination = folder.filename().empty() ? folder.parent_path() : folder;
  std::string temporary = make_temporary(destination);
  if (temporary.empty())
    return Error{folder.string(), "cannot be created", "check the folder above it and its permissions"};
  unfinished::remember_folder(temporary);
  return FolderTransaction(std::unique_ptr<Unfinished>(new Unfinished{folder, destination, std::move(temporary), {}}));
}

fs::path FolderTransaction::add(const std::string& name) {
  auto& files = unfinished_->files;
  const auto remember = [&](const fs::path& path) {
    files.push_back({path.string(), files.empty() ? nullptr : &files.back()});
    unfinished::remember_files_of(unfinished_->temporary, &files.back());
  };
  // Folders come before what lies in them: a signal handler takes the newest away first.
  fs::path path = unfinished_->temporary;
  for (const fs::path& step : fs::path(name).parent_path()) {
    path /= step;
    if (::mkdir(path.c_str(), 0777) == 0) remember(path);  // where that fails, writing the file does too
  }
  path = fs::path(unfinished_->temporary) / name;
  remember(path);
  return path;
}

Result<void> FolderTransaction::write(const std::string& name, std::string_view contents) {
  std::ofstream file(add(name), std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (file.fail()) return Error{(unfinished_->folder / name).string(), "cannot be written", "check the space left"};
  return {};
}

Result<void> FolderTransaction::commit() {
  std::error_code failed;
  fs::rename(unfinished_->temporary, unfinished_->destination, failed);
  if (failed) return Error{unfinished_->folder.string(), "cannot be created: " + failed.message(), ""};
  unfinished_.reset();
  return {};
}

}  // namespace supple
