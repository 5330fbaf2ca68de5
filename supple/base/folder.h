// Folders written whole or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "supple/base/result.h"

namespace supple {

/// A folder of files that belong together, with the promise of FileTransaction: it is made next to its destination
/// under a temporary name and renamed in commit(). An error, a full disk or a signal before that leaves nothing behind.
class FolderTransaction {
 public:
  /// The destination is new or empty; the folder above it is there.
  static Result<FolderTransaction> create(const std::filesystem::path& folder);
  FolderTransaction(FolderTransaction&&) noexcept;
  FolderTransaction& operator=(FolderTransaction&&) noexcept;
  ~FolderTransaction();  // removes what was not committed

  /// Where the caller writes the file of that name; "bones/wrist.stl" lies in a folder that is made.
  std::filesystem::path add(const std::string& name);
  /// The same, written.
  Result<void> write(const std::string& name, std::string_view contents);
  Result<void> commit();

 private:
  struct Unfinished;
  explicit FolderTransaction(std::unique_ptr<Unfinished> unfinished);
  std::unique_ptr<Unfinished> unfinished_;  // none once committed
};

}  // namespace supple
