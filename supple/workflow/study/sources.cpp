#include "supple/workflow/study/sources.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/files/stl.h"
#include "supple/files/vertex_cache.h"
#include "supple/geometry/bvh.h"
#include "supple/imaging/header_text.h"
#include "supple/imaging/volume_file.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr float metres_per_unit = 0.001f;  // of files whose readers do not know the unit

// Metres: from a phalanx to a forearm with its hand. Files in metres or micrometres are a thousand times off.
constexpr float least_extent = 0.02f, greatest_extent = 0.6f;

void add_file(Fingerprint& print, const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path from = fs::absolute(folder.empty() ? "." : folder, error);  // as seen from anywhere
  const std::string name =
      fs::absolute(path, error).lexically_normal().lexically_proximate(from.lexically_normal()).generic_string();
  print.add(name.size());
  print.add(std::span<const char>(name));
  print.add(static_cast<std::uint64_t>(fs::file_size(path, error)));
  print.add(static_cast<std::int64_t>(fs::last_write_time(path, error).time_since_epoch().count()));
}

/// What a header of text says after `key`, which has no blanks and no capitals; "" where it says nothing.
std::string header_value(const fs::path& path, std::string_view key) {
  const auto head = imaging::read_head(path);
  if (!head) return {};
  std::string_view rest = *head;
  while (const auto line = imaging::take_line(rest)) {
    if (imaging::trimmed(*line).empty()) break;  // the end of the header
    const std::size_t end = line->find_first_of(":=");
    if (end == std::string_view::npos) continue;
    std::string word = imaging::lower(line->substr(0, end));
    std::erase(word, ' ');
    if (word == key) return std::string(imaging::trimmed(line->substr(end + 1)));
  }
  return {};
}

/// The volume's file and, where that is only a header, the one with its samples; all files of a folder.
std::vector<fs::path> files_of(const fs::path& volume) {
  std::error_code error;
  if (fs::is_directory(volume, error)) {
    std::vector<fs::path> slices;
    for (const auto& file : fs::recursive_directory_iterator(volume, error))
      if (file.is_regular_file(error)) slices.push_back(file.path());
    std::sort(slices.begin(), slices.end());
    return slices;
  }
  std::vector<fs::path> files{volume};
  const std::string extension = imaging::lower(volume.extension().string());
  std::string data;
  if (extension == ".nrrd" || extension == ".nhdr") data = header_value(volume, "datafile");
  if (extension == ".mha" || extension == ".mhd") data = header_value(volume, "elementdatafile");
  if (!data.empty()) files.push_back(volume.parent_path() / data);  // "LOCAL" is no file: it adds only its name
  if (extension == ".hdr") files.push_back(fs::path(volume).replace_extension(".img"));
  if (extension == ".img") files.push_back(fs::path(volume).replace_extension(".hdr"));
  return files;
}

/// Readers cannot see the unit of a surface; a hand has one of a few sizes.
Result<void> check_unit(const Mesh& bones, const fs::path& file) {
  const auto box = bounds(bones.positions);
  const Vec3f size = box.high - box.low;
  const float extent = std::max({size.x, size.y, size.z});
  if (extent >= least_extent && extent <= greatest_extent) return {};
  std::ostringstream text;
  text << std::setprecision(3) << extent / metres_per_unit;
  return Error{file.string(), "is one of bones that reach over " + text.str() + " mm, which is no hand",
               "surfaces must be in millimetres: scale bones and skin in the program that made them"};
}

Result<Mesh> surface_of(const fs::path& path) {
  const bool stl = path.extension() == ".stl" || path.extension() == ".STL";
  auto mesh = stl ? read_stl(path) : read_surface(path);
  if (!mesh) return mesh.error();
  if (!stl)
    for (Vec3f& p : mesh->positions) p = p * metres_per_unit;
  if (const Defects defects = find_defects(mesh->positions, mesh->triangles); !defects.closed())
    return Error{path.string(),
                 "is not closed: " + std::to_string(defects.boundary_edges) + " edges at holes and " +
                     std::to_string(defects.non_manifold_edges) + " where more than two triangles meet",
                 "close it in the program that made it"};
  if (enclosed_volume(mesh->positions, mesh->triangles) < 0)
    for (Triangle& t : mesh->triangles) std::swap(t[1], t[2]);
  mesh->normals.resize(mesh->positions.size());
  compute_normals(mesh->positions, mesh->triangles, mesh->normals);
  return mesh;
}

void append(Mesh& to, const Mesh& mesh) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), mesh.positions.begin(), mesh.positions.end());
  to.normals.insert(to.normals.end(), mesh.normals.begin(), mesh.normals.end());
  for (const Triangle& t : mesh.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

/// Centre of the enclosed volume.
Vec3d centre_of(const Mesh& mesh) {
  const Vec3d origin(bounds(mesh.positions).center());
  Vec3d sum{};
  double six_volumes = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a = Vec3d(mesh.positions[t[0]]) - origin, b = Vec3d(mesh.positions[t[1]]) - origin,
                c = Vec3d(mesh.positions[t[2]]) - origin;
    const double v = dot(a, cross(b, c));
    sum = sum + (a + b + c) * (v / 4);
    six_volumes += v;
  }
  return six_volumes > 0 ? origin + sum / six_volumes : origin;
}

}  // namespace

std::uint64_t source_fingerprint(const ScanEntry& entry, const fs::path& folder) {
  Fingerprint print;
  print.add(std::span<const char>(entry.series));
  std::vector<fs::path> files = entry.bones;
  if (!entry.skin.empty()) files.push_back(entry.skin);
  for (const fs::path& source : {entry.volume, entry.labels}) {
    if (source.empty()) continue;
    const std::vector<fs::path> behind = files_of(source);
    files.insert(files.end(), behind.begin(), behind.end());
  }
  for (const auto& [label, name] : entry.label_names) {
    print.add(std::span<const char>(label)).add(label.size());
    print.add(std::span<const char>(name)).add(name.size());
  }
  for (const fs::path& file : files) add_file(print, file, folder);
  return print.value();
}

Result<scan::Surfaces> surfaces_of(const ScanEntry& entry, const scan::ExtractOptions& options,
                                   const LabelledHand& hand, Work& work) {
  if (!entry.labels.empty()) return surfaces_of_labels(entry, options, hand, work);
  if (!entry.volume.empty()) {
    const auto volume = imaging::read_volume(entry.volume, entry.series, &work.warnings, work.progress);
    if (!volume) return volume.error();
    return scan::extract(*volume, options, &work.warnings, work.progress);
  }
  scan::Surfaces result;
  for (const fs::path& path : entry.bones) {
    const auto bone = surface_of(path);
    if (!bone) return bone.error();
    append(result.bone, *bone);
  }
  if (auto ok = check_unit(result.bone, entry.bones.front()); !ok) return ok.error();
  auto skin = surface_of(entry.skin);
  if (!skin) return skin.error();
  result.skin = std::move(*skin);
  result.skin_border.assign(result.skin.positions.size(), false);
  return result;
}

Result<scan::Parts> parts_of(const ScanEntry& entry, const scan::PartOptions& options, const LabelledHand& hand,
                             Work& work) {
  if (!entry.labels.empty()) return parts_of_labels(entry, options.smallest, hand, work);
  if (!entry.volume.empty()) {
    const auto volume = imaging::read_volume(entry.volume, entry.series, &work.warnings, work.progress);
    if (!volume) return volume.error();
    return scan::separate_bones(*volume, options, &work.warnings, work.progress);
  }
  scan::Parts result;
  for (const fs::path& path : entry.bones) {
    auto bone = surface_of(path);
    if (!bone) return bone.error();
    scan::BonePart part;
    part.volume = enclosed_volume(bone->positions, bone->triangles);
    part.centre = centre_of(*bone);
    part.touches.assign(bone->positions.size(), false);
    append(result.surface, *bone);
    part.surface = std::move(*bone);
    result.parts.push_back(std::move(part));
  }
  return result;
}

std::vector<bool> border_of(std::span<const Vec3f> skin, const scan::Surfaces& measured, const Bvh& surface) {
  std::vector<char> border(skin.size());
  parallel_for(border.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const ClosestPoint nearest = surface.closest(skin[v]);
      for (const std::uint32_t corner : measured.skin.triangles[nearest.triangle])
        border[v] = border[v] != 0 || measured.skin_border[corner] ? 1 : 0;
    }
  });
  return {border.begin(), border.end()};
}

}  // namespace supple::workflow
