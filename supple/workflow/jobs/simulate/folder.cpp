#include "supple/workflow/jobs/simulate/folder.h"

#include <filesystem>

namespace supple::workflow {

namespace fs = std::filesystem;

Result<void> check_folder(const SimulateOptions& o) {
  const fs::path folder = o.output;
  std::error_code failed;
  const fs::path work = folder / "work";
  const bool begun = fs::exists(work, failed) && !fs::is_empty(work, failed);
  const bool used = begun || fs::exists(folder / "examples.json", failed);
  if (used && !o.resume && !o.force)
    return Error{o.output, "holds an earlier simulation",
                 o.deformer == nullptr ? "--resume goes on with it, --force begins again" : "--force begins again"};
  return {};
}

Result<void> open_folder(const SimulateOptions& o) {
  const fs::path folder = o.output;
  std::error_code failed;
  if (o.force) {
    fs::remove_all(folder / "work", failed);
    for (const char* name : {"examples.json", "sheet.png", "report.json", "report.html"})
      if (!failed) fs::remove(folder / name, failed);
    if (failed) return Error{o.output, "cannot be cleared: " + failed.message(), "delete it by hand"};
  }
  fs::create_directories(folder, failed);
  if (failed) return Error{o.output, "cannot be made: " + failed.message(), "choose another folder"};
  return {};
}

}  // namespace supple::workflow
