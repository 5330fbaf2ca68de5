// OpenSim's model format, version 4.
#include <array>
#include <cmath>

#include "supple/workflow/study/biomechanics/model_files.h"
#include "supple/workflow/study/biomechanics/xml.h"

namespace supple::workflow {
namespace {

/// Turns about x, then the new y, then the new z, as OpenSim states orientations. The last one is computed with the
/// first, so that they belong together also where the second is 90 degrees.
Vec3d body_angles(const Mat3d& r) {
  const double x = std::atan2(-r.c2.y, r.c2.z);
  const double y = std::atan2(r.c2.x, std::hypot(r.c0.x, r.c1.x));
  const double sine = std::cos(x) * r.c0.y + std::sin(x) * r.c0.z, cosine = std::cos(x) * r.c1.y + std::sin(x) * r.c1.z;
  return {x, y, std::atan2(sine, cosine)};
}

void osim_frame(const std::string& name, const std::string& parent, const Affined& place, XmlWriter& xml) {
  xml.open("PhysicalOffsetFrame", {{"name", name}});
  xml.leaf("socket_parent", parent);
  xml.leaf("translation", numbers(place.translation));
  xml.leaf("orientation", numbers(body_angles(place.linear)));
  xml.close();
}

/// One of the six axes of a joint: turned or shifted by a coordinate, or not at all.
void osim_axis(const char* name, Vec3d axis, const ModelCoordinate* coordinate, XmlWriter& xml) {
  xml.open("TransformAxis", {{"name", name}});
  xml.leaf("coordinates", coordinate != nullptr ? coordinate->name : "");
  xml.leaf("axis", numbers(axis));
  if (coordinate != nullptr) {
    xml.open("LinearFunction", {{"name", "function"}});
    xml.leaf("coefficients", "1 0");
  } else {
    xml.open("Constant", {{"name", "function"}});
    xml.leaf("value", "0");
  }
  xml.close();
  xml.close();
}

void osim_transform(const ModelBody& body, XmlWriter& xml) {
  std::vector<const ModelCoordinate*> turns, slides;
  for (const ModelCoordinate& c : body.coordinates) (c.turns ? turns : slides).push_back(&c);
  std::vector<Vec3d> axes;
  for (const ModelCoordinate* c : turns) axes.push_back(c->axis);
  // Axes without a coordinate only must not lie in the plane of the others.
  if (axes.empty()) axes.push_back({1, 0, 0});
  if (axes.size() == 1) axes.push_back(any_perpendicular(axes[0]));
  if (axes.size() == 2) axes.push_back(normalized(cross(axes[0], axes[1])));
  xml.open("SpatialTransform");
  constexpr std::array<const char*, 3> rotations{"rotation1", "rotation2", "rotation3"};
  constexpr std::array<const char*, 3> translations{"translation1", "translation2", "translation3"};
  for (std::size_t k = 0; k < 3; ++k) osim_axis(rotations[k], axes[k], k < turns.size() ? turns[k] : nullptr, xml);
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3d axis{};
    axis[k] = 1;
    const bool slides_along = k < slides.size();
    osim_axis(translations[k], slides_along ? slides[k]->axis : axis, slides_along ? slides[k] : nullptr, xml);
  }
  xml.close();
}

void osim_joint(const HandModel& model, const ModelBody& body, XmlWriter& xml) {
  const bool root = body.parent == ModelBody::ground, welded = body.coordinates.empty();
  const std::string parent = root ? "ground" : model.bodies[body.parent].name;
  Affined in_parent = root ? body.rest : inverse(model.bodies[body.parent].rest) * body.rest;
  in_parent.translation = in_parent.point(body.centre);
  xml.open(welded ? "WeldJoint" : "CustomJoint", {{"name", body.name + "_joint"}});
  xml.leaf("socket_parent_frame", parent + "_offset");
  xml.leaf("socket_child_frame", body.name + "_offset");
  if (!welded) {
    xml.open("coordinates");
    for (const ModelCoordinate& c : body.coordinates) {
      xml.open("Coordinate", {{"name", c.name}});
      xml.leaf("default_value", "0");
      xml.leaf("range", numbers(std::array<double, 2>{c.low, c.high}));
      xml.leaf("clamped", "true");
      xml.close();
    }
    xml.close();
  }
  xml.open("frames");
  osim_frame(parent + "_offset", root ? "/ground" : "/bodyset/" + parent, in_parent, xml);
  osim_frame(body.name + "_offset", "/bodyset/" + body.name, {Mat3d{}, body.centre}, xml);
  xml.close();
  if (!welded) osim_transform(body, xml);
  xml.close();
}

void osim_body(const ModelBody& body, XmlWriter& xml) {
  const Mat3d& i = body.mass.inertia;
  xml.open("Body", {{"name", body.name}});
  xml.open("attached_geometry");
  xml.open("Mesh", {{"name", body.name + "_geometry"}});
  xml.leaf("socket_frame", "..");
  xml.leaf("scale_factors", "1 1 1");
  xml.open("Appearance");
  xml.leaf("color", "0.86 0.8 0.66");
  xml.close();
  xml.leaf("mesh_file", geometry_file(body));
  xml.close();
  xml.close();
  xml.leaf("mass", numbers(body.mass.volume));
  xml.leaf("mass_center", numbers(body.mass.centre));
  xml.leaf("inertia", numbers(std::array<double, 6>{i.c0.x, i.c1.y, i.c2.z, i.c1.x, i.c2.x, i.c2.y}));
  xml.close();
}

}  // namespace

std::string to_osim(const HandModel& model) {
  XmlWriter xml;
  xml.open("OpenSimDocument", {{"Version", "40000"}});
  xml.open("Model", {{"name", model.name}});
  xml.comment("metres, radians, kilograms; y up; coordinates are 0 in the pose of the base scan");
  xml.leaf("length_units", "meters");
  xml.leaf("force_units", "N");
  xml.leaf("gravity", "0 -9.81 0");
  xml.empty("Ground", {{"name", "ground"}});
  xml.open("BodySet", {{"name", "bodyset"}});
  xml.open("objects");
  for (const ModelBody& body : model.bodies) osim_body(body, xml);
  xml.close();
  xml.close();
  xml.open("JointSet", {{"name", "jointset"}});
  xml.open("objects");
  for (const ModelBody& body : model.bodies) osim_joint(model, body, xml);
  xml.close();
  xml.close();
  xml.open("MarkerSet", {{"name", "markerset"}});
  xml.open("objects");
  for (const ModelBody& body : model.bodies) {
    for (const ModelBody::Landmark& landmark : body.landmarks) {
      xml.open("Marker", {{"name", landmark.name}});
      xml.leaf("socket_parent_frame", "/bodyset/" + body.name);
      xml.leaf("location", numbers(landmark.at));
      xml.leaf("fixed", "true");
      xml.close();
    }
  }
  return xml.finish();
}

}  // namespace supple::workflow
