// Vertex caches: the positions of one mesh over time, as MDD, PC2 or a numbered sequence of OBJ or PLY files.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "supple/base/result.h"
#include "supple/geometry/mesh.h"

namespace supple {

class VertexCache {
 public:
  /// By the extension, .mdd or .pc2; a folder: its .obj or .ply files in the order of the last number in their names,
  /// which is the frame. `frames_per_second` turns the frames of PC2 and of files into seconds; MDD has its own times.
  static Result<VertexCache> open(const std::filesystem::path& path, double frames_per_second = 24);
  /// The contents of a .mdd or .pc2, which `owner` keeps; `name` tells them apart.
  static Result<VertexCache> parse(std::span<const std::byte> bytes, const std::filesystem::path& name,
                                   double frames_per_second = 24, std::shared_ptr<const void> owner = {});

  std::size_t frames() const { return times_.size(); }
  double time(std::size_t frame) const { return times_[frame]; }  // seconds
  /// For messages and names: "walk.mdd, frame 12", or the file.
  std::string label(std::size_t frame) const;
  /// Positions in the file's vertex order; normals and triangles where the format has them.
  Result<Mesh> read(std::size_t frame) const;

 private:
  std::filesystem::path path_;
  std::vector<double> times_;
  std::vector<std::filesystem::path> files_;  // of a sequence
  std::span<const std::byte> bytes_;          // of MDD and PC2
  std::shared_ptr<const void> owner_;         // of these bytes
  std::size_t vertices_ = 0, data_ = 0;       // where the first frame starts
  bool big_endian_ = false;

  Result<void> open_mdd();
  Result<void> open_pc2(double frames_per_second);
  Result<void> open_sequence(double frames_per_second);
  Result<void> check_length(std::size_t frames) const;
  Result<void> check_times() const;
};

/// One surface: OBJ or PLY by the extension, exactly the file's vertices.
Result<Mesh> read_surface(const std::filesystem::path& path);
/// Whether read_surface takes files of that name.
bool is_surface_file(const std::filesystem::path& path);

/// `frames` all have the same size; `times` in seconds, one per frame.
Result<void> write_mdd(const std::filesystem::path& path, std::span<const double> times,
                       std::span<const std::vector<Vec3f>> frames);
/// Frames start_frame, start_frame + frame_step, ...
Result<void> write_pc2(const std::filesystem::path& path, float start_frame, float frame_step,
                       std::span<const std::vector<Vec3f>> frames);

}  // namespace supple
