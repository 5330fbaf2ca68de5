#include "cli/studio_model.h"

#include <stdlib.h>

#include "supple/files/gltf/uri.h"
#include "supple/make/hand.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

/// What the items of one of the document's lists link to, instead of holding it.
std::vector<std::string> links(const gltf::Document& document, const char* list) {
  std::vector<std::string> result;
  const auto items = document.root.find(list);
  if (items == nullptr) return result;
  for (const Json& item : *items) {
    const std::string uri = item.value("uri", std::string());
    if (!uri.empty() && !gltf::is_data_uri(uri)) result.push_back(uri);
  }
  return result;
}

/// The file and the files beside it that it links to.
std::vector<fs::path> parts_of(const fs::path& file, const gltf::Document& document) {
  std::vector<fs::path> result{file};
  for (const char* list : {"buffers", "images"}) {
    for (const std::string& uri : links(document, list)) {
      if (const auto path = gltf::resolve_uri(uri, document.folder)) result.push_back(*path);
    }
  }
  return result;
}

/// The document with its images in one piece: as written to a folder that is not its own.
Result<Bytes> gathered(const gltf::Document& document, Work& work) {
  std::string folder = (fs::temp_directory_path() / "supple-studio-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return Error{folder, "cannot be made", "check that the folder for temporary files exists and has space"};
  }
  const fs::path file = fs::path(folder) / "model.glb";
  const auto written = gltf::write_document(file, document, {}, &work.warnings);
  auto bytes = written ? read_file(file) : Result<Bytes>(written.error());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return bytes;
}

Result<Bytes> glb_of(const fs::path& file, const gltf::Document& document, Work& work) {
  if (!links(document, "images").empty()) return gathered(document, work);
  if (file.extension() == ".glb" && links(document, "buffers").empty()) return read_file(file);
  return gltf::to_glb(document);
}

}  // namespace

std::vector<StudioModel::Stamp> StudioModel::stamps(const std::vector<fs::path>& files) {
  std::vector<Stamp> result;
  for (const fs::path& file : files) {
    std::error_code no_time, no_size;
    const Stamp stamp{fs::last_write_time(file, no_time), fs::file_size(file, no_size)};
    result.push_back(no_time || no_size ? Stamp{} : stamp);
  }
  return result;
}

Result<void> StudioModel::read(Work& work) {
  read_ = stamps(parts_);  // before: what changes while it is read counts as a change
  const auto model = load_model(file_, work);
  if (!model) return model.error();
  if (model->character().parts.empty())
    return Error{file_.string(), "has no surface to show", "put a mesh on its skeleton first: supple bind"};
  auto glb = glb_of(file_, model->document, work);
  if (!glb) return glb.error();
  glb_ = std::make_shared<const Bytes>(std::move(*glb));
  if (auto parts = parts_of(file_, model->document); parts != parts_) {
    parts_ = std::move(parts);
    read_ = stamps(parts_);
  }
  return {};
}

void StudioModel::look() {
  if (!is_watched()) return;
  auto now = stamps(parts_);
  const bool changed = now != read_, settled = now == seen_;
  seen_ = std::move(now);
  if (!changed || !settled) return;
  Work quiet;  // what is odd about the file is told by the page, too
  const auto read_again = read(quiet);
  problem_ = read_again ? std::nullopt : std::optional(read_again.error());
  if (read_again) ++version_;
}

Result<StudioModel> StudioModel::open(const fs::path& file, Session& session) {
  StudioModel model;
  model.name_ = file.filename().string();
  model.file_ = file;
  model.parts_ = {file};
  if (auto read = model.read(session); !read) return read.error();
  model.seen_ = model.read_;
  return model;
}

Result<StudioModel> StudioModel::demo(const fs::path& page, Session& session) {
  if (std::error_code ignored; fs::is_regular_file(page / "demo.glb", ignored)) {
    auto model = open(page / "demo.glb", session);
    if (!model) return model.error();
    model->name_ = "demo hand";
    model->file_.clear();
    return model;
  }
  const auto hand = make::make_hand({}, session.progress);
  if (!hand) return hand.error();
  const auto made = to_model(*hand);
  if (!made) return made.error();
  auto glb = gltf::to_glb(made->document);
  if (!glb) return glb.error();
  StudioModel model;
  model.name_ = "hand.glb";
  model.glb_ = std::make_shared<const Bytes>(std::move(*glb));
  return model;
}

}  // namespace supple::cli
