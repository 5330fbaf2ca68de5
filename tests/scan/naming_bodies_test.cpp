#include "supple/author/scan/naming_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supple/author/scan/parts_surface.h"
#include "supple/base/rng.h"
#include "supple/base/transform.h"
#include "supple/make/hand_template.h"
#include "support/shapes.h"

namespace supple::scan {
namespace {

/// Pieces of somebody's wrist: single bones are balls of the template's sizes, metacarpals are long, everything is a
/// few millimetres off, turned and shifted.
struct Wrist {
  BoneTemplate hand;
  std::vector<BonePart> parts;
  std::vector<std::uint32_t> body_of;  // #parts: the (first) single bone that it is; none of metacarpals
  Naming naming;
};

BonePart part_of(Mesh mesh) {
  mesh.normals.resize(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  BonePart part;
  part.surface = std::move(mesh);
  measure_part(part);
  return part;
}

Mesh stretched_ball(Vec3d centre, Vec3d half) {
  Mesh mesh = test::sphere(1, 8, 12);
  for (Vec3f& p : mesh.positions) p = Vec3f(centre + Vec3d{p.x * half.x, p.y * half.y, p.z * half.z});
  return mesh;
}

void append_mesh(Mesh& to, const Mesh& from) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
  for (const Triangle& t : from.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

/// `together`: single bones that hang together with the one named before them.
Wrist somebodys_wrist(make::Side side, std::uint64_t seed,
                      const std::vector<std::pair<std::string, std::string>>& together = {}) {
  Wrist wrist;
  wrist.hand = make::hand_template(side);
  Rng rng(seed);
  const auto jitter = [&](double most) {
    return Vec3d{rng.uniform(-most, most), rng.uniform(-most, most), rng.uniform(-most, most)};
  };
  const Mat3d turn = to_matrix(from_axis_angle(normalized(jitter(1), {1, 0, 0}), rng.uniform(0, 3)));
  const double scale = rng.uniform(0.85, 1.15);
  const Vec3d shift = jitter(0.1);
  std::vector<std::pair<Mesh, std::uint32_t>> made;  // and body
  const auto find = [&](const std::string& name) {
    std::uint32_t i = 0;
    while (wrist.hand.bodies[i].name != name) ++i;
    return i;
  };
  for (std::uint32_t i = 0; i < wrist.hand.bodies.size(); ++i) {
    const TemplateBody& body = wrist.hand.bodies[i];
    const Vec3d centre = body.centre + jitter(0.0025);
    const double r = std::cbrt(body.volume * 3 / (4 * std::numbers::pi));
    // Of the forearm 60 mm, towards the elbow.
    Mesh mesh = body.volume > 0 ? stretched_ball(centre, {r, r, r})
                                : stretched_ball(centre + Vec3d{0, 0.022, 0}, {0.006, 0.03, 0.006});
    const auto with =
        std::find_if(together.begin(), together.end(), [&](const auto& t) { return t.second == body.name; });
    if (with == together.end())
      made.emplace_back(std::move(mesh), i);
    else
      append_mesh(
          std::find_if(made.begin(), made.end(), [&](const auto& m) { return m.second == find(with->first); })->first,
          mesh);
  }
  wrist.naming.bones.resize(wrist.hand.bones.size());
  for (std::uint32_t b = 0; b < wrist.hand.bones.size(); ++b) wrist.naming.bones[b].bone = b;
  const auto add = [&](Mesh mesh, std::uint32_t bone, std::uint32_t body) {
    for (Vec3f& p : mesh.positions) p = Vec3f(turn * Vec3d(p) * scale + shift);
    wrist.naming.bones[bone].pieces.push_back(static_cast<std::uint32_t>(wrist.parts.size()));
    wrist.parts.push_back(part_of(std::move(mesh)));
    wrist.body_of.push_back(body);
  };
  for (std::size_t i = made.size(); i-- > 0;)  // in an order that is not the template's
    add(made[i].first, wrist.hand.bodies[made[i].second].bone, made[i].second);
  for (const BoneTemplate::Mark& mark : wrist.hand.marks) {
    const Vec3d base = mark.base + jitter(0.002), end = mark.end + jitter(0.002), along = normalized(end - base);
    const double half = length(end - base) / 2;
    Mesh mesh = test::sphere(1, 10, 12);
    const Mat3d frame{any_perpendicular(along), along, cross(any_perpendicular(along), along)};
    for (Vec3f& p : mesh.positions) p = Vec3f((base + end) * 0.5 + frame * Vec3d{p.x * 0.005, p.y * half, p.z * 0.005});
    add(std::move(mesh), mark.bone, TemplateBone::none);
  }
  return wrist;
}

void expect_named(const Wrist& wrist, const std::vector<NamedBody>& named) {
  for (const NamedBody& body : named) {
    for (const std::uint32_t p : body.pieces)
      EXPECT_EQ(wrist.hand.bodies[wrist.body_of[p]].name, wrist.hand.bodies[body.bodies.front()].name)
          << body_name(body, wrist.hand);
  }
}

TEST(NamingBodies, NamesCarpalsRadiusAndUlnaInAnyOrientation) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Wrist wrist = somebodys_wrist(seed % 2 == 0 ? make::Side::left : make::Side::right, seed);
    Warnings warnings;
    const auto named = name_bodies(wrist.parts, wrist.hand, wrist.naming, {}, &warnings);
    ASSERT_EQ(named.size(), 10u);
    expect_named(wrist, named);
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    EXPECT_EQ(body_name(named.front(), wrist.hand), "capitate");  // leads the carpus
    EXPECT_TRUE(leads(named.front(), wrist.hand));
  }
}

TEST(NamingBodies, SaysWhichBonesHangTogether) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Wrist wrist = somebodys_wrist(make::Side::right, seed, {{"trapezoid", "trapezium"}});
    Warnings warnings;
    const auto named = name_bodies(wrist.parts, wrist.hand, wrist.naming, {}, &warnings);
    ASSERT_EQ(named.size(), 9u);
    expect_named(wrist, named);
    const auto both = std::find_if(named.begin(), named.end(), [](const NamedBody& b) { return b.bodies.size() == 2; });
    ASSERT_NE(both, named.end());
    EXPECT_EQ(body_name(*both, wrist.hand), "trapezoid+trapezium");
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("trapezoid and trapezium hang together"), std::string::npos) << warnings[0];
  }
}

TEST(NamingBodies, ABoneOfOnePieceStaysOneBodyAndThatIsSaid) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const char* name : {"hamate", "trapezoid", "trapezium", "scaphoid", "lunate", "triquetrum", "pisiform"})
    all.emplace_back("capitate", name);
  const Wrist wrist = somebodys_wrist(make::Side::right, 1, all);
  Warnings warnings;
  const auto named = name_bodies(wrist.parts, wrist.hand, wrist.naming, {}, &warnings);
  ASSERT_EQ(named.size(), 2u);  // radius and ulna
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("pisiform do not come apart"), std::string::npos) << warnings[0];
}

TEST(NamingBodies, WhatWasGivenHolds) {
  const Wrist wrist = somebodys_wrist(make::Side::right, 3);
  const auto piece_of = [&](const std::string& name) {
    std::uint32_t p = 0;
    while (wrist.body_of[p] == TemplateBone::none || wrist.hand.bodies[wrist.body_of[p]].name != name) ++p;
    return p;
  };
  std::vector<std::optional<std::vector<std::uint32_t>>> given(wrist.hand.bodies.size());
  for (std::size_t i = 0; i < given.size(); ++i) {  // exchanged, as somebody insists
    if (wrist.hand.bodies[i].name == "scaphoid") given[i] = {piece_of("lunate")};
    if (wrist.hand.bodies[i].name == "lunate") given[i] = {piece_of("scaphoid")};
  }
  std::size_t seen = 0;
  for (const NamedBody& body : name_bodies(wrist.parts, wrist.hand, wrist.naming, given)) {
    const std::string name = body_name(body, wrist.hand);
    const std::string wanted = name == "scaphoid" ? "lunate" : name == "lunate" ? "scaphoid" : name;
    if (wanted == name && name != "capitate") continue;
    EXPECT_EQ(body.pieces, std::vector<std::uint32_t>{piece_of(wanted)}) << name;
    ++seen;
  }
  EXPECT_EQ(seen, 3u);
}

}  // namespace
}  // namespace supple::scan
