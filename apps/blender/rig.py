# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of Blender as characters and poses of the engine, and back.

Blender's z is up, glTF's and the engine's y: a point (x, y, z) of Blender is (x, z, -y). Bones that Blender's glTF importer
made (with its bone direction "Blender") have the axes of their nodes; bones of other armatures have axes of their own, and
joints made from them have those of the world. Armatures stand in the engine where they stand relative to their own origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from mathutils import Matrix, Quaternion

if TYPE_CHECKING:
    import supple

UP = Matrix(((1, 0, 0, 0), (0, 0, -1, 0), (0, 1, 0, 0), (0, 0, 0, 1)))  # from the engine's axes to Blender's
DOWN = UP.transposed()


class RigError(Exception):
    """Something a person can put right; the text says what."""


@dataclass
class Rig:
    """An armature and the meshes that it bends."""

    armature: Any
    meshes: list[Any]


def armature_of(mesh: Any) -> Any | None:
    """The armature that bends a mesh object: of its modifier, or its parent."""
    for modifier in mesh.modifiers:
        if modifier.type == "ARMATURE" and modifier.object is not None:
            return modifier.object
    by_parent = mesh.parent is not None and mesh.parent.type == "ARMATURE" and mesh.parent_type == "ARMATURE"
    return mesh.parent if by_parent else None


def has_weights(mesh: Any, armature: Any) -> bool:
    """Whether a vertex of a mesh object follows a bone."""
    bones = {group.index for group in mesh.vertex_groups if group.name in armature.data.bones and armature.data.bones[group.name].use_deform}
    return any(one.group in bones and one.weight > 0 for vertex in mesh.data.vertices for one in vertex.groups)


def find(context: Any) -> Rig:
    """The armature that is active, or that bends the active mesh, with its meshes. Raises RigError."""
    active = context.view_layer.objects.active
    if active is None:
        raise RigError("Nothing is active: click on an armature, or on a mesh that one bends")
    armature = active
    if active.type == "MESH":
        armature = armature_of(active)
        if armature is None:
            raise RigError(f"No armature bends '{active.name}': parent it to one (Ctrl P, With Automatic Weights)")
    elif active.type != "ARMATURE":
        raise RigError(f"'{active.name}' is neither an armature nor a mesh: click on one of them")
    meshes = [one for one in context.view_layer.objects if one.type == "MESH" and armature_of(one) == armature]
    if not meshes:
        raise RigError(f"The armature '{armature.name}' bends no mesh: parent one to it (Ctrl P, With Automatic Weights)")
    bound = [one for one in meshes if has_weights(one, armature)]
    if not bound:
        raise RigError(f"No vertex of '{meshes[0].name}' follows a bone of '{armature.name}': paint weights, or bind it anew (Ctrl P, With Automatic Weights)")
    return Rig(armature, bound)


def rest_matrix(bone: Any) -> Matrix:
    """Where a bone is at rest relative to its parent; relative to the armature in the engine's axes where it has none."""
    return (bone.parent.matrix_local.inverted() if bone.parent else DOWN) @ bone.matrix_local


class Binding:
    """Joints of a character of the engine, and the bones of an armature that they are."""

    def __init__(self, character: supple.Character, armature: Any, bones: list[str | None], to_joint: list[Matrix]) -> None:
        self.character = character
        self.armature = armature
        #: Of each joint the name of its bone, None where there is none.
        self.bones = bones
        #: Of each joint the rotation from its bone's axes to its own.
        self.to_joint = to_joint

    @staticmethod
    def of_file(character: supple.Character, armature: Any) -> Binding:
        """Of a character that was loaded from the file that Blender's importer made the armature from: by names."""
        names = [name if name in armature.pose.bones else None for name in character.joint_names]
        if not any(names):
            raise RigError(f"No bone of '{armature.name}' has the name of a joint of the file")
        return Binding(character, armature, names, [Matrix.Identity(4)] * len(names))

    def _local(self, joint: int, posed: bool) -> Matrix:
        """Where a joint is relative to its parent, in its own axes."""
        bone = self.armature.pose.bones[self.bones[joint]]
        if posed:
            local = (bone.parent.matrix.inverted() if bone.parent else DOWN) @ bone.matrix
        else:
            local = rest_matrix(bone.bone)
        parent = self.character.parents[joint]
        before = self.to_joint[parent].inverted() if bone.parent and parent >= 0 else Matrix.Identity(4)
        return before @ local @ self.to_joint[joint]

    def read(self, evaluated: Any | None = None) -> supple.Pose:
        """The pose that the armature stands in: with constraints and drivers where `evaluated` is its evaluated copy."""
        binding = self if evaluated is None else Binding(self.character, evaluated, self.bones, self.to_joint)
        pose = self.character.rest()
        for joint, name in enumerate(self.bones):
            if name is None:
                continue
            place, turn, scale = binding._local(joint, posed=True).decompose()
            pose.rotations[joint] = (turn.x, turn.y, turn.z, turn.w)
            pose.translations[joint] = place
            pose.scales[joint] = scale
        return pose

    def write(self, pose: supple.Pose) -> None:
        """Puts the bones into a pose of the engine."""
        for joint, name in enumerate(self.bones):
            if name is None:
                continue
            bone = self.armature.pose.bones[name]
            x, y, z, w = (float(one) for one in pose.rotations[joint])
            local = Matrix.LocRotScale(pose.translations[joint].tolist(), Quaternion((w, x, y, z)), pose.scales[joint].tolist())
            at_rest = self._local(joint, posed=False)
            to_joint = self.to_joint[joint]
            bone.matrix_basis = to_joint @ at_rest.inverted() @ local @ to_joint.inverted()


def weights(mesh: Any, names: list[str]) -> np.ndarray:
    """(V, J) float32: how far vertices of a mesh object follow bones, by its vertex groups."""
    place = {group.index: names.index(group.name) for group in mesh.vertex_groups if group.name in names}
    result = np.zeros((len(mesh.data.vertices), len(names)), np.float32)
    for vertex in mesh.data.vertices:
        for one in vertex.groups:
            if one.group in place:
                result[vertex.index, place[one.group]] = one.weight
    return result


def to_engine(armature: Any, mesh: Any) -> np.ndarray:
    """(4, 4): from a mesh object's own axes to those of characters that are made of it."""
    return np.array(DOWN @ armature.matrix_world.inverted() @ mesh.matrix_world)


def bind(armature: Any, mesh: Any) -> Binding:
    """A character of the engine with the bones and one mesh as they are modelled: vertex by vertex, without shape keys.

    Raises RigError where a vertex follows no bone.
    """
    import supple

    bones: list[Any] = []

    def visit(bone: Any) -> None:  # parents come before their children
        bones.append(bone)
        for child in bone.children:
            visit(child)

    for bone in armature.data.bones:
        if bone.parent is None:
            visit(bone)
    names = [bone.name for bone in bones]
    follow = weights(mesh, names)
    follow[:, [not bone.use_deform for bone in bones]] = 0  # groups of controls bend nothing
    sums = follow.sum(axis=1, keepdims=True)
    loose = int((sums <= 0).sum())
    if loose:
        raise RigError(f"{loose} of {len(follow)} vertices of '{mesh.name}' follow no bone of '{armature.name}': paint weights for them")
    follow /= sums  # as Blender's modifier does
    data = mesh.data
    positions = np.empty(3 * len(data.vertices), np.float32)
    (data.shape_keys.reference_key.data if data.shape_keys else data.vertices).foreach_get("co", positions)
    to_armature = to_engine(armature, mesh)
    positions = positions.reshape(-1, 3) @ to_armature[:3, :3].T + to_armature[:3, 3]
    data.calc_loop_triangles()
    triangles = np.empty(3 * len(data.loop_triangles), np.int32)
    data.loop_triangles.foreach_get("vertices", triangles)
    heads = np.array([DOWN @ bone.head_local for bone in bones])
    parents = [names.index(bone.parent.name) if bone.parent else -1 for bone in bones]
    character = supple.Character.from_arrays(positions, triangles.reshape(-1, 3), names, parents, heads, follow, name=mesh.name)
    # Joints have the axes of the world at rest: the rotation of a bone is taken back.
    turns = [(DOWN @ bone.matrix_local).to_quaternion().to_matrix().to_4x4().inverted() for bone in bones]
    # The character may have joints besides: one above several roots, one that the mesh hangs on.
    place = {int(joint): k for k, joint in enumerate(character.part().joints)}
    joints = range(len(character.joint_names))
    return Binding(
        character,
        armature,
        [names[place[joint]] if joint in place else None for joint in joints],
        [turns[place[joint]] if joint in place else Matrix.Identity(4) for joint in joints],
    )


def evaluated_points(mesh: Any, depsgraph: Any) -> np.ndarray:
    """(V, 3) float32, the engine's axes: where the vertices of a mesh object are in the world, as Blender shows them."""
    shown = mesh.evaluated_get(depsgraph)
    data = shown.to_mesh()
    points = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", points)
    shown.to_mesh_clear()
    world = np.array(DOWN @ shown.matrix_world)
    return (points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]).astype(np.float32)
