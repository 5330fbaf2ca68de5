// The parts of the module, one file each, and what they share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "supple/workflow/jobs/model.h"

namespace supple::python {

/// A file's character, which arrays in Python look into: it stays as long as any of them.
struct Rig {
  workflow::Model model;
  std::set<std::size_t> edited;                       // parts that the document does not have yet as they are
  std::vector<std::shared_ptr<const void>> replaced;  // arrays that views may still look into

  const Character& character() const { return model.character(); }
};

/// Character in Python.
struct RigHandle {
  std::shared_ptr<Rig> rig;
  const Character& character() const { return rig->character(); }
};

/// Pose in Python. Its arrays never move.
struct PoseHandle {
  std::shared_ptr<Rig> rig;  // whose joints it turns
  Pose pose;
};

/// The joint by name or number; KeyError or IndexError.
JointIndex joint_of(const Skeleton& skeleton, nanobind::handle joint);
/// The part by name or number, none: the first that joints bend.
std::size_t part_of(const Character& character, nanobind::handle part);

void bind_character(nanobind::module_& m);
void bind_pose(nanobind::module_& m);
/// Local transforms of joints, from (J, 4, 4) where they are in the world. What glTF has no place for, shear, is
/// dropped.
void locals_of(const Skeleton& skeleton, std::span<const float> world, std::span<Transformf> local);

void bind_skin(nanobind::module_& m);
void bind_take(nanobind::module_& m);
void bind_examples(nanobind::module_& m);
void bind_commands(nanobind::module_& m);
void bind_cuda(nanobind::module_& m);

}  // namespace supple::python
