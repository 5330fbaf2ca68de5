// The model that the studio's page shows, in one piece, and read again once its files have changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "supple/base/file.h"

namespace supple::cli {

class StudioModel {
 public:
  static Result<StudioModel> open(const std::filesystem::path& file, Session& session);
  /// The page's own demo, or a hand made on the spot where it was built without one: nobody changes those.
  static Result<StudioModel> demo(const std::filesystem::path& page, Session& session);

  const std::string& name() const { return name_; }
  std::shared_ptr<const Bytes> glb() const { return glb_; }

  /// Whether it is somebody's file, which may become another one.
  bool is_watched() const { return !file_.empty(); }
  /// One more whenever another model was read.
  int version() const { return version_; }
  /// Why the files as they are now could not be read; the model is the one before then.
  const std::optional<Error>& problem() const { return problem_; }
  /// Reads the files again where they have changed since, and not once more since the last look: whoever writes them
  /// may not be done.
  void look();

 private:
  /// When a file was written and how large it is, or nothing where there is none.
  struct Stamp {
    std::filesystem::file_time_type time{};
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  static std::vector<Stamp> stamps(const std::vector<std::filesystem::path>& files);
  Result<void> read(Work& work);

  std::string name_;
  std::filesystem::path file_;  // empty: not watched
  std::shared_ptr<const Bytes> glb_;
  int version_ = 1;
  std::optional<Error> problem_;
  std::vector<std::filesystem::path> parts_;  // the file and those that it links to
  std::vector<Stamp> read_, seen_;            // of the parts: when they were read, and at the last look
};

}  // namespace supple::cli
