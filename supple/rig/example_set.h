// Example sets: poses of one rig and the skin that belongs to each. What simulation, scans and sculpts produce and
// trainers read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/shared_array.h"
#include "supple/rig/find_part.h"
#include "supple/rig/role.h"

namespace supple {

/// Tag of examples in which flesh touches itself.
inline constexpr const char* contact_tag = "contact";
/// Tag of examples that are frames of the file's clips.
inline constexpr const char* clip_tag = "clip";
/// Tag of poses that no clip has: mixed from several poses, turned farther, or mirrored.
inline constexpr const char* mixed_tag = "mixed";

/// What is known of one example besides its pose and its skin.
struct Example {
  std::string name{};  // unique in its set
  /// Examples of one continuous motion share a sweep, in the order of the set; may be empty.
  std::string sweep{};
  Role role = Role::train;
  std::vector<std::string> tags{};
  float weight = 1;                  // of its error in training, >= 0
  float range = 0;                   // how far it reaches in the space of poses, radians; 0: the trainer's choice
  std::vector<std::string> flags{};  // what went wrong, see excludes()
  friend bool operator==(const Example&, const Example&) = default;
};

/// Flag of examples that are simulated but for some place, at which flesh went wrong: there they show linear blend.
inline constexpr const char* partial_flag = "partial";

/// Whether a flag keeps an example out of training: "snapped", "inverted" and "unconverged" do; others are remarks.
bool excludes(std::string_view flag);

/// A part of the character in a set that shows several.
struct ExamplePart {
  std::string name;
  std::size_t vertices = 0;
  friend bool operator==(const ExamplePart&, const ExamplePart&) = default;
};

/// Poses and skins of one topology. The arrays may lie in mapped files: copies of a set share them.
struct ExampleSet {
  std::string part;  // of the character, that the skin is; of several the first
  /// Of a set that shows several parts: all of them, whose vertices and triangles lie one after another; else empty.
  std::vector<ExamplePart> parts;
  std::string origin;  // how the set was made, for people
  /// Whether the skin is linear blend's in the pose that it was bound in, and not in the rest pose: where they differ,
  /// corrections are 0 there.
  bool zero_at_bind = false;
  Skeleton skeleton;
  /// The skin as the part stores it: what skinning is applied to. In the rest pose it is where the skinning matrices
  /// of the rest pose take it, which for most rigs is the same place.
  SharedArray<Vec3f> rest_positions, rest_normals;  // #V
  SharedArray<Triangle> triangles;                  // #T
  std::vector<Example> examples;                    // #P
  SharedArray<Quatf> rotations;                     // #P * #joints, local
  SharedArray<Vec3f> translations, scales;          // #P * #joints, local; empty where none differs from rest
  SharedArray<Vec3f> positions, normals;            // #P * #V, world space, metres

  std::size_t size() const { return examples.size(); }
  std::size_t vertices() const { return rest_positions.size(); }
  std::span<const Quatf> rotations_of(std::size_t i) const {
    return rotations.subspan(i * skeleton.size(), skeleton.size());
  }
  std::span<const Vec3f> positions_of(std::size_t i) const { return positions.subspan(i * vertices(), vertices()); }
  std::span<const Vec3f> normals_of(std::size_t i) const { return normals.subspan(i * vertices(), vertices()); }
  /// Local transforms of every joint; no morph weights.
  Pose pose(std::size_t i) const;
  /// Fit for training and for measuring: no flag excludes it.
  bool usable(std::size_t i) const;
  std::optional<std::size_t> find(std::string_view name) const;
  Mesh rest_mesh() const;
  /// The parts that it shows, for people: "shirt, face".
  std::string part_names() const;
};

/// The same poses, of other vertices: `from` are the set's vertices that the new ones are, `triangles` join the new
/// ones.
ExampleSet with_vertices(const ExampleSet& set, std::span<const std::uint32_t> from, std::vector<Triangle> triangles);

/// The larger of the rest skin's and the skeleton's extents, metres: what distances in a set are judged by.
float size_of(const Skeleton& skeleton, std::span<const Vec3f> rest_positions);
/// The same in the unit of a part's mesh, which nodes above the skeleton may scale: what displacements of the mesh are
/// judged by.
float size_of(const Character& character, const Part& part);

/// What one example must satisfy: one transform per joint, one position and one normal per vertex, all finite,
/// rotations and normals of unit length, no vertex farther than 100 sizes from where it rests beside the others, a
/// weight that counts.
/// The error names the example and the joint or vertex. `set_size` comes from size_of().
Result<void> check_example(const Example& example, const Skeleton& skeleton, std::span<const Transformf> local,
                           std::span<const Vec3f> positions, std::span<const Vec3f> normals,
                           std::span<const Vec3f> rest_positions, float set_size);

/// Checks the whole set: sizes, the rest skin, names that occur twice, and every example. The first fault is named.
Result<void> validate(const ExampleSet& set);

/// Whether the set was made for this part of this character: joints (names, parents, rest), vertex count, triangles and
/// rest positions (within 1e-5 of the size). The error says what differs first.
Result<void> check_matches(const ExampleSet& set, const Character& character, std::size_t part);
/// The same of the parts that a set shows, in its order.
Result<void> check_matches(const ExampleSet& set, const Character& character, std::span<const std::size_t> parts);

/// The parts of a character that a set shows, in its order, by their names. Of several parts of one name those are
/// taken that have the vertices, in the order of the character. See check_matches() for whether they are what the set
/// shows.
Result<std::vector<std::size_t>> parts_of(const ExampleSet& set, const Character& character);

}  // namespace supple
