#include "cli/simulate/folder.h"

#include <filesystem>

#include "supple/base/file.h"

namespace supple::cli {

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

void write_reports(const SimulateOptions& o, Json& report, std::string (*page)(const Json&), const DrawSheet& sheet,
                   Session& session) {
  const fs::path folder = o.output;
  std::error_code failed;
  fs::remove(folder / "sheet.png", failed);  // of an earlier run
  if (!o.no_pictures && sheet && !session.interrupted()) {
    const auto image = sheet();
    const auto png = image ? render::encode_png(*image) : Result<Bytes>(image.error());
    const auto written = png ? write_file(folder / "sheet.png", *png) : Result<void>(png.error());
    if (written) report["sheet"] = "sheet.png";
    if (!written) session.warnings.push_back("no sheet of the poses: " + written.error().message());
  }
  FileTransaction files;
  auto added = files.add(folder / "report.json", report.dump(2) + "\n");
  if (added) added = files.add(folder / "report.html", page(report));
  if (added) added = files.commit();
  if (!added) session.warnings.push_back("no report: " + added.error().message());
}

}  // namespace supple::cli
