#include "supple/base/unfinished.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace supple::unfinished {
namespace {

/// Names are copied, because a handler may come while strings change.
struct Slot {
  std::atomic<bool> taken{false}, complete{false};
  std::atomic<int> readers{0};  // handlers that look at it now
  bool is_folder = false;
  std::atomic<const FileInFolder*> files{nullptr};
  char path[4096];
};
Slot slots[16];

void remember(const std::string& path, bool is_folder) {
  for (Slot& slot : slots) {
    bool expected = false;
    if (path.size() >= sizeof slot.path || !slot.taken.compare_exchange_strong(expected, true)) continue;
    std::memcpy(slot.path, path.c_str(), path.size() + 1);
    slot.is_folder = is_folder;
    slot.files = nullptr;
    slot.complete = true;
    return;
  }
}

/// A file, or a folder that has become empty.
void remove_one(const char* path) {
  if (::unlink(path) != 0) ::rmdir(path);
}

}  // namespace

std::string temporary_name(const std::filesystem::path& destination) {
  static std::atomic<unsigned> counter{0};
  return destination.string() + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
}

void remember_file(const std::string& path) { remember(path, false); }
void remember_folder(const std::string& path) { remember(path, true); }

void remember_files_of(const std::string& folder, const FileInFolder* newest) {
  for (Slot& slot : slots) {
    if (slot.complete && folder == slot.path) slot.files = newest;
  }
}

void forget(const std::string& path) {
  for (Slot& slot : slots) {
    if (!slot.complete || path != slot.path) continue;
    slot.complete = false;
    while (slot.readers > 0) std::this_thread::yield();  // a handler on another thread; on this one, it is done
    slot.taken = false;
  }
}

void remove_all() noexcept {
  for (Slot& slot : slots) {
    ++slot.readers;
    if (slot.complete) {
      for (const FileInFolder* file = slot.files; file != nullptr; file = file->before) remove_one(file->path.c_str());
      slot.is_folder ? ::rmdir(slot.path) : ::unlink(slot.path);
    }
    --slot.readers;
  }
}

}  // namespace supple::unfinished
