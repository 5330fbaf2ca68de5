#include <filesystem>

#include "supple/base/file.h"
#include "supple/workflow/report/simulate/report.h"

namespace supple::workflow {

namespace fs = std::filesystem;

void write_reports(const std::filesystem::path& folder, Json& report, std::string (*page)(const Json&),
                   const DrawSheet& sheet, Work& work) {
  std::error_code failed;
  fs::remove(folder / "sheet.png", failed);  // of an earlier run
  if (sheet && !work.stopped()) {
    const auto image = sheet();
    const auto png = image ? render::encode_png(*image) : Result<Bytes>(image.error());
    const auto written = png ? write_file(folder / "sheet.png", *png) : Result<void>(png.error());
    if (written) report["sheet"] = "sheet.png";
    if (!written) work.warnings.push_back("no sheet of the poses: " + written.error().message());
  }
  FileTransaction files;
  auto added = files.add(folder / "report.json", report.dump(2) + "\n");
  if (added) added = files.add(folder / "report.html", page(report));
  if (added) added = files.commit();
  if (!added) work.warnings.push_back("no report: " + added.error().message());
}

}  // namespace supple::workflow
