// MuJoCo's XML format, version 3 and later.
#include <array>
#include <functional>

#include "supple/base/quat.h"
#include "supple/workflow/study/biomechanics/model_files.h"
#include "supple/workflow/study/biomechanics/xml.h"

namespace supple::workflow {
namespace {

std::string mjcf_quaternion(const Mat3d& rotation) {
  const Quatd q = normalized(from_matrix(rotation));
  return numbers(std::array<double, 4>{q.w, q.x, q.y, q.z});
}

void mjcf_joint(const ModelBody& body, const ModelCoordinate& c, XmlWriter& xml) {
  xml.empty("joint", {{"name", c.name},
                      {"type", c.turns ? "hinge" : "slide"},
                      {"pos", numbers(body.centre)},
                      {"axis", numbers(c.axis)},
                      {"range", numbers(std::array<double, 2>{c.low, c.high})}});
}

void mjcf_body(const HandModel& model, std::size_t b, XmlWriter& xml) {
  const ModelBody& body = model.bodies[b];
  const Affined local =
      body.parent == ModelBody::ground ? body.rest : inverse(model.bodies[body.parent].rest) * body.rest;
  const Mat3d& i = body.mass.inertia;
  xml.open("body", {{"name", body.name}, {"pos", numbers(local.translation)}, {"quat", mjcf_quaternion(local.linear)}});
  xml.empty("inertial",
            {{"pos", numbers(body.mass.centre)},
             {"mass", numbers(body.mass.volume)},
             {"fullinertia", numbers(std::array<double, 6>{i.c0.x, i.c1.y, i.c2.z, i.c1.x, i.c2.x, i.c2.y})}});
  for (const ModelCoordinate& c : body.coordinates) mjcf_joint(body, c, xml);
  xml.empty("geom", {{"name", body.name}, {"class", "bone"}, {"mesh", body.name}});
  for (const ModelBody::Landmark& landmark : body.landmarks)
    xml.empty("site", {{"name", landmark.name}, {"class", "skin"}, {"pos", numbers(landmark.at)}});
  for (std::size_t child = b + 1; child < model.bodies.size(); ++child)
    if (model.bodies[child].parent == b) mjcf_body(model, child, xml);
  xml.close();
}

}  // namespace

std::string geometry_file(const ModelBody& body) { return body.name + ".stl"; }

std::string to_mjcf(const HandModel& model) {
  XmlWriter xml;
  xml.open("mujoco", {{"model", model.name}});
  xml.comment("metres, radians, kilograms; y up; coordinates are 0 in the pose of the base scan");
  xml.empty("compiler",
            {{"angle", "radian"}, {"meshdir", "Geometry"}, {"autolimits", "true"}, {"inertiafromgeom", "false"}});
  xml.empty("option", {{"gravity", "0 -9.81 0"}});
  xml.open("default");
  xml.comment("A finger weighs some grams: without damping and inertia of a drive, steps of 2 ms would not hold it.");
  xml.empty("joint", {{"damping", "0.002"}, {"armature", "0.00002"}});
  xml.open("default", {{"class", "bone"}});
  xml.empty("geom", {{"type", "mesh"}, {"contype", "0"}, {"conaffinity", "0"}, {"rgba", "0.86 0.8 0.66 1"}});
  xml.close();
  xml.open("default", {{"class", "skin"}});
  xml.empty("site", {{"type", "sphere"}, {"size", "0.0015"}, {"rgba", "0.75 0.25 0.2 1"}});
  xml.close();
  xml.close();
  xml.open("asset");
  for (const ModelBody& body : model.bodies)
    xml.empty("mesh", {{"name", body.name}, {"file", geometry_file(body)}, {"inertia", "shell"}});
  xml.close();
  xml.open("worldbody");
  xml.empty("light", {{"pos", "0 1 0"}, {"dir", "0 -1 0"}, {"diffuse", "0.7 0.7 0.7"}});
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (model.bodies[b].parent == ModelBody::ground) mjcf_body(model, b, xml);
  return xml.finish();
}

}  // namespace supple::workflow
