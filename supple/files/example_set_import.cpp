#include "supple/files/example_set_import.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "supple/base/text.h"
#include "supple/deform/skin.h"
#include "supple/files/vertex_cache.h"
#include "supple/files/vertex_match.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

void warn(const ImportTarget& target, std::string line) {
  if (target.warnings != nullptr) target.warnings->push_back(std::move(line));
}

Error stopped() { return {"import", "was stopped", "nothing was written"}; }

/// Exporters may start a triangle at any corner; turning it round is another matter.
bool same_triangle(Triangle a, const Triangle& b) {
  for (int turn = 0; turn < 3; ++turn) {
    if (a == b) return true;
    std::rotate(a.begin(), a.begin() + 1, a.end());
  }
  return false;
}

Result<void> check_topology(const Mesh& surface, const Part& part, bool triangles, const std::string& item) {
  const auto other = [&](std::size_t has, const char* what, std::size_t needed, const char* remedy) {
    return Error{item,
                 "has " + std::to_string(has) + " " + what + "; part '" + part.name + "' has " + std::to_string(needed),
                 remedy};
  };
  if (surface.positions.size() != part.mesh.positions.size()) {
    return other(surface.positions.size(), "vertices", part.mesh.positions.size(),
                 "the vertices must be those of the rig in the same order; glTF splits them along texture seams");
  }
  if (!triangles || surface.triangles.empty()) return {};
  if (surface.triangles.size() != part.mesh.triangles.size())
    return other(surface.triangles.size(), "triangles", part.mesh.triangles.size(),
                 "the vertices may be in another order");
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (!same_triangle(surface.triangles[t], part.mesh.triangles[t]))
      return Error{item + ", triangle " + std::to_string(t), "has other corners than in part '" + part.name + "'",
                   "the vertices may be in another order"};
  }
  return {};
}

void to_our_space(Mesh& surface, const SurfaceOptions& options) {
  const auto turned = [&](Vec3f v) { return options.z_up ? Vec3f{v.x, v.z, -v.y} : v; };
  for (Vec3f& p : surface.positions) p = Vec3f(Vec3d(turned(p)) * options.scale);
  for (Vec3f& n : surface.normals) n = normalized(turned(n));
  const bool whole = surface.normals.size() == surface.positions.size() &&
                     std::all_of(surface.normals.begin(), surface.normals.end(),
                                 [](Vec3f n) { return is_finite(n) && length(n) > 0.5f; });
  if (!whole) surface.normals.clear();  // the writer computes them
}

/// In the order of the rig's vertices.
void reorder(Mesh& surface, std::span<const std::uint32_t> vertex_of) {
  std::vector<Vec3f> positions;
  for (const std::uint32_t v : vertex_of) positions.push_back(surface.positions[v]);
  surface = {std::move(positions), {}, {}};  // normals of split vertices differ: the writer computes them
}

/// Adds surfaces from outside and watches how far they are from what linear blending makes of the same poses: a set in
/// other units, axes or times is far off everywhere.
class SurfaceImport {
 public:
  static Result<SurfaceImport> make(ImportTarget& target, const SurfaceOptions& options) {
    auto skin = Skin::make(target.character);
    if (!skin) return skin.error();
    SurfaceImport result(target, options, std::move(*skin));
    if (options.rest.empty()) return result;
    auto rest = read_surface(options.rest);
    if (!rest) return rest.error();
    if (auto ok = result.match(target.character.rest(), std::move(*rest), options.rest.string()); !ok)
      return ok.error();
    return result;
  }

  /// Finds which vertex is which in a pose; done once, best where the pose is near rest.
  Result<void> match(const Pose& pose, Mesh surface, const std::string& item) {
    to_our_space(surface, options_);
    if (auto ok = skin_.evaluate(pose); !ok) return ok;
    auto found = match_vertices(target_.character.parts[target_.part].mesh.positions, skin_.positions(target_.part),
                                surface.positions);
    if (!found) return Error{item, found.error().problem, found.error().remedy};
    vertex_of_ = std::move(*found);
    file_vertices_ = surface.positions.size();
    return {};
  }
  bool needs_match(std::size_t vertices) const {
    return vertex_of_.empty() && vertices < target_.character.parts[target_.part].mesh.positions.size();
  }

  Result<void> add(const Example& example, const Pose& pose, Result<Mesh> surface, const std::string& item) {
    if (!surface) return surface.error();
    const Part& part = target_.character.parts[target_.part];
    if (needs_match(surface->positions.size()))
      if (auto ok = match(pose, *surface, item); !ok) return ok;
    if (!vertex_of_.empty()) {
      if (surface->positions.size() != file_vertices_)
        return Error{
            item,
            "has " + std::to_string(surface->positions.size()) + " vertices, others " + std::to_string(file_vertices_),
            ""};
      reorder(*surface, vertex_of_);
    }
    if (auto ok = check_topology(*surface, part, options_.compare_triangles, item); !ok) return ok;
    to_our_space(*surface, options_);
    if (auto ok = skin_.evaluate(pose); !ok) return ok;
    const std::span<const Vec3f> blended = skin_.positions(target_.part);
    double sum = 0;
    for (std::size_t v = 0; v < blended.size(); ++v) sum += length(surface->positions[v] - blended[v]);
    const double mean = sum / static_cast<double>(blended.size());
    const float size = bounds(blended).diagonal();
    if (!(mean <= size / 4)) {
      if (far_++ == 0) first_far_ = item;
    }
    if (auto ok = target_.writer.add(example, pose, surface->positions, surface->normals); !ok)
      return Error{item + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
    return {};
  }

  void warn_of_distance() const {
    if (far_ == 0) return;
    warn(target_, std::to_string(far_) +
                      " surfaces are on average farther from the rig's own skin than a quarter of "
                      "its size, first " +
                      first_far_ + "; check the up axis, the scale and the times");
  }

 private:
  SurfaceImport(ImportTarget& target, const SurfaceOptions& options, Skin skin)
      : target_(target), options_(options), skin_(std::move(skin)) {}
  ImportTarget& target_;
  SurfaceOptions options_;
  Skin skin_;
  std::vector<std::uint32_t> vertex_of_;  // #V: place in the files; empty: the same
  std::size_t file_vertices_ = 0;
  std::size_t far_ = 0;
  std::string first_far_;
};

/// A pose of joints only, made whole for evaluation.
Pose with_morphs(const Pose& pose, const Character& character) { return {pose.local, character.morph_weights}; }

Result<std::vector<fs::path>> surface_files(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (is_surface_file(entry.path())) files.push_back(entry.path());
  }
  if (failed) return Error{folder.string(), "cannot be listed: " + failed.message(), "name a folder of meshes"};
  if (files.empty()) return Error{folder.string(), "has no .obj or .ply files", ""};
  std::sort(files.begin(), files.end());
  return files;
}

/// Where the entry of a file is in the book: under its name with extension, or without.
Result<std::size_t> place_in(const PoseBook& poses, const fs::path& file) {
  const NamedPose* found = poses.find(file.filename().string());
  if (found == nullptr) found = poses.find(file.stem().string());
  if (found != nullptr) return static_cast<std::size_t>(found - poses.poses.data());
  const std::string near = did_you_mean(file.filename().string(), poses.names());
  return Error{file.string(), "has no pose in " + poses.source,
               near.empty() ? "add an entry '" + file.stem().string() + "'" : near};
}

/// Which of the frames taken from a cache are for testing: of the blocks, as evenly as the share allows.
std::vector<bool> held_out(std::size_t frames, double frames_in_half_a_second, double share) {
  constexpr std::size_t least_blocks = 8;
  const auto block = std::max<std::size_t>(
      1, std::min(frames / least_blocks, static_cast<std::size_t>(std::llround(frames_in_half_a_second))));
  std::vector<bool> result(frames);
  if (frames < least_blocks) return result;  // too few to spare one
  for (std::size_t f = 0; f < frames; ++f) {
    const auto b = static_cast<double>(f / block);
    result[f] = std::floor((b + 1) * share + 0.5) > std::floor(b * share + 0.5);
  }
  return result;
}

/// The frame whose pose is nearest to rest.
std::size_t calmest_frame(const VertexCache& cache, const Character& character, const Clip& clip, double shift) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < cache.frames(); ++f) {
    const Pose pose = character.at(clip, static_cast<float>(cache.time(f) + shift));
    double turned = 0;
    for (JointIndex j = 0; j < character.skeleton.size(); ++j)
      if (character.skeleton.parent(j) != no_joint)
        turned += angle_between(Quatd(character.skeleton.rest(j).rotation), Quatd(pose.local[j].rotation));
    if (turned < least) least = turned, best = f;
  }
  return best;
}

bool animates_morphs(const Clip& clip) {
  return std::any_of(clip.tracks.begin(), clip.tracks.end(),
                     [](const Track& t) { return t.channel == Channel::morph_weights; });
}

}  // namespace

Result<void> import_meshes(ImportTarget& target, const fs::path& folder, const PoseBook& poses,
                           const SurfaceOptions& options) {
  const auto files = surface_files(folder);
  if (!files) return files.error();
  std::vector<bool> used(poses.poses.size());
  std::vector<std::size_t> places;
  for (const fs::path& file : *files) {
    const auto place = place_in(poses, file);
    if (!place) return place.error();
    if (used[*place])
      return Error{file.string(), "shares the pose '" + poses.poses[*place].example.name + "' with another file",
                   "name the entries by file name with extension"};
    used[*place] = true;
    places.push_back(*place);
  }
  if (const auto unused = std::find(used.begin(), used.end(), false); unused != used.end()) {
    const auto& entry = poses.poses[static_cast<std::size_t>(unused - used.begin())];
    return Error{poses.source + ": pose '" + entry.example.name + "'", "has no mesh in " + folder.string(), ""};
  }
  auto import = SurfaceImport::make(target, options);
  if (!import) return import.error();
  for (std::size_t i = 0; i < files->size(); ++i) {
    if (!report(target.progress, "reading meshes", static_cast<double>(i) / static_cast<double>(files->size())))
      return stopped();
    const NamedPose& entry = poses.poses[places[i]];
    const std::string item = (*files)[i].string();
    if (auto ok =
            import->add(entry.example, with_morphs(entry.pose, target.character), read_surface((*files)[i]), item);
        !ok)
      return ok;
  }
  import->warn_of_distance();
  return {};
}

Result<void> import_cache(ImportTarget& target, const Clip& clip, const fs::path& path, const CacheOptions& options) {
  if (options.every == 0) return Error{"every n-th frame", "must be at least 1", ""};
  const auto cache = VertexCache::open(path, options.frames_per_second);
  if (!cache) return cache.error();
  auto import = SurfaceImport::make(target, options.surface);
  if (!import) return import.error();
  if (animates_morphs(clip))
    warn(target, "clip '" + clip.name + "' animates morph targets; examples keep the joints only");
  const double shift = options.start ? *options.start - cache->time(0) : 0;
  constexpr double slack = 1e-3;  // seconds: caches and clips round their times
  std::size_t outside = 0;
  if (auto first = cache->read(0); first && import->needs_match(first->positions.size())) {
    const std::size_t f = calmest_frame(*cache, target.character, clip, shift);
    auto calm = cache->read(f);
    if (!calm) return calm.error();
    const Pose pose = target.character.at(clip, static_cast<float>(cache->time(f) + shift));
    if (auto ok = import->match(pose, std::move(*calm), cache->label(f)); !ok) return ok;
  }
  const std::size_t taken = (cache->frames() + options.every - 1) / options.every;
  const double seconds = cache->time(cache->frames() - 1) - cache->time(0);
  const std::vector<bool> tested =
      held_out(taken, seconds > 0 ? 0.5 * static_cast<double>(taken) / seconds : 1, options.hold_out);
  for (std::size_t f = 0; f < cache->frames(); f += options.every) {
    if (!report(target.progress, "reading frames", static_cast<double>(f) / static_cast<double>(cache->frames())))
      return stopped();
    const double time = cache->time(f) + shift;
    if (time < clip.start() - slack || time > clip.end() + slack) ++outside;
    Example example;
    example.name = clip.name + " frame " + std::to_string(f);
    example.sweep = clip.name;
    example.role = tested[f / options.every] ? Role::test : Role::train;
    const Pose pose = target.character.at(clip, static_cast<float>(time));
    if (auto ok = import->add(example, pose, cache->read(f), cache->label(f)); !ok) return ok;
  }
  if (outside > 0) {
    char text[96];
    std::snprintf(text, sizeof text, "%.3f to %.3f s", static_cast<double>(clip.start()),
                  static_cast<double>(clip.end()));
    warn(target, std::to_string(outside) + " frames of " + path.string() + " lie outside clip '" + clip.name + "', " +
                     text + "; they take its first or last pose");
  }
  import->warn_of_distance();
  return {};
}

Result<void> import_morphs(ImportTarget& target, std::span<const PoseBook> books, bool only_listed) {
  const Part& part = target.character.parts[target.part];
  if (part.morphs.empty()) return Error{"part '" + part.name + "'", "has no morph targets", ""};
  std::vector<std::string> names;
  for (const MorphTarget& morph : part.morphs) names.push_back(morph.name);
  for (const PoseBook& book : books) {
    for (const std::string& name : book.names()) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        return Error{book.source + ": pose '" + name + "'", "has no morph target of that name",
                     did_you_mean(name, names)};
    }
  }
  auto skin = Skin::make(target.character);
  if (!skin) return skin.error();
  std::size_t left_out = 0;
  for (std::size_t m = 0; m < part.morphs.size(); ++m) {
    if (!report(target.progress, "posing sculpts", static_cast<double>(m) / static_cast<double>(part.morphs.size())))
      return stopped();
    const std::string item = "morph target " + std::to_string(m) + " '" + names[m] + "'";
    NamedPose named;
    named.example.name = names[m].empty() ? "morph " + std::to_string(m) : names[m];
    const auto listed = std::find_if(books.begin(), books.end(), [&](const PoseBook& b) { return b.find(names[m]); });
    if (listed != books.end()) {
      named = *listed->find(names[m]);
    } else if (auto pose = pose_from_name(names[m], target.character.skeleton)) {
      if (!*pose) return Error{item + ", " + pose->error().item, pose->error().problem, pose->error().remedy};
      named.pose = std::move(**pose);
    } else if (only_listed) {
      ++left_out;
      continue;
    } else {
      return Error{item, "does not say which pose it was sculpted for",
                   "give a file of poses, write them into node.extras.supple.poses, or name the target like "
                   "elbow.flexion=90"};
    }
    Pose pose = with_morphs(named.pose, target.character);
    for (std::size_t other = 0; other < part.morphs.size(); ++other)
      pose.morph_weights[part.first_morph_weight + other] = other == m ? 1.0f : 0.0f;
    if (auto ok = skin->evaluate(pose); !ok) return ok;
    // Without normals of its own a sculpt would keep those of the rest shape: the writer computes them instead.
    const auto normals = part.morphs[m].normals.empty() ? std::span<const Vec3f>() : skin->normals(target.part);
    if (auto ok = target.writer.add(named.example, pose, skin->positions(target.part), normals); !ok)
      return Error{item + ", " + ok.error().item, ok.error().problem, ok.error().remedy};
  }
  if (left_out > 0) warn(target, std::to_string(left_out) + " morph targets have no pose; left out");
  return {};
}

Result<PoseBook> poses_in_extras(const gltf::Document& document, const gltf::Imported& imported, std::size_t part) {
  const std::size_t node = imported.sources[part].node;
  const std::string source = document.name + ": nodes[" + std::to_string(node) + "].extras.supple.poses";
  const Json* value = gltf::count(document.root, "nodes") > node ? &document.root["nodes"][node] : nullptr;
  for (const char* key : {"extras", "supple", "poses"}) {
    if (value == nullptr || !value->is_object() || !value->contains(key)) return PoseBook{source, {}};
    value = &value->at(key);
  }
  return to_pose_book(*value, imported.character.skeleton, source);
}

}  // namespace supple
