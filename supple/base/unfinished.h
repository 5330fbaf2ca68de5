// Files and folders that are being written under temporary names, kept where a signal handler can take them away: what
// file.cpp and folder.cpp share.
#pragma once

#include <filesystem>
#include <string>

namespace supple::unfinished {

/// A name beside the destination, another one with every call.
std::string temporary_name(const std::filesystem::path& destination);

/// More at once than there is room for are simply not remembered.
void remember_file(const std::string& path);
void remember_folder(const std::string& path);

/// A file, or a folder, in a folder that is remembered: a folder must be empty before it can be removed, and a signal
/// handler may not look what is in it.
struct FileInFolder {
  std::string path;
  const FileInFolder* before = nullptr;
};
/// The list, newest first, must live until forget(), which returns when no handler reads it any more.
void remember_files_of(const std::string& folder, const FileInFolder* newest);

void forget(const std::string& path);

/// Deletes all that is remembered. Only calls what a signal handler may.
void remove_all() noexcept;

}  // namespace supple::unfinished
