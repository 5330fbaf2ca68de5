// Folders, bytes and expectations that tests of volume files share.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "supple/imaging/volume_file.h"

namespace supple::test {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "supple-imaging-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

inline void put_file(const std::filesystem::path& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}
inline std::string get_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
void append(std::string& out, T value, bool big_endian) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof value);
  if (big_endian) std::reverse(raw, raw + sizeof value);
  out.append(raw, sizeof value);
}

/// 4 x 3 x 2 samples -40, -39, ... in an oblique left-handed lattice, as a scan would give them.
inline Volume small_volume() {
  Volume v;
  v.name = "small";
  v.modality = "CT";
  v.size = {4, 3, 2};
  const double c = 0.8, s = 0.6;  // a turn about y
  v.to_world = {{Vec3d{c, 0, s} * 0.5e-3, Vec3d{0, 1, 0} * 0.75e-3, Vec3d{s, 0, -c} * 2e-3}, {-0.1, 0.25, 0.0625}};
  v.intercept = -1000;
  for (int i = 0; i < 24; ++i) v.samples.push_back(static_cast<std::int16_t>(960 + i * i));
  return v;
}

/// Every sample of `a` is found at the same place of the world in `b`, with the same value. Lattices may be numbered
/// from other corners.
inline void expect_same_scan(const Volume& a, const Volume& b, double value_tolerance = 0) {
  ASSERT_EQ(a.count(), b.count());
  const Affined from_world = inverse(b.to_world);
  for (std::size_t k = 0; k < a.size[2]; ++k) {
    for (std::size_t j = 0; j < a.size[1]; ++j) {
      for (std::size_t i = 0; i < a.size[0]; ++i) {
        const Vec3d world = a.to_world.point({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
        const Vec3d place = from_world.point(world);
        std::size_t at[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
          // DICOM keeps 16 characters of a number, NIfTI a float: a thousandth of a sample is far above both.
          ASSERT_NEAR(place[axis], std::round(place[axis]), 1e-3);
          ASSERT_TRUE(place[axis] > -0.5 && place[axis] < static_cast<double>(b.size[axis]) - 0.5);
          at[axis] = static_cast<std::size_t>(std::lround(place[axis]));
        }
        EXPECT_NEAR(a.value(i, j, k), b.value(at[0], at[1], at[2]), value_tolerance) << i << " " << j << " " << k;
      }
    }
  }
}

template <class T>
void expect_error(const Result<T>& result, const std::string& said) {
  ASSERT_FALSE(result) << said;
  EXPECT_NE(result.error().message().find(said), std::string::npos) << result.error().message();
}

inline bool some_line_holds(const Warnings& warnings, const std::string& said) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& line) { return line.find(said) != std::string::npos; });
}

}  // namespace supple::test
