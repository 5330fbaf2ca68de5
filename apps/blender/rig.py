# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters of Blender as characters and poses of the engine, and back.

Blender's z is up, glTF's and the engine's y: a point (x, y, z) of Blender is (x, z, -y). Bones that Blender's glTF importer
made (with its bone direction "Blender") have the axes of their nodes; bones of other armatures have axes of their own, and
joints made from them have those of the world. Such characters are as large as the armature's own units say; whatever the
scale of the armature object is, `Binding.unit` of the world is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from mathutils import Matrix

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


def active_armature(context: Any) -> Any | None:
    """The armature that is active, that bends the active mesh, or that the active muscle or tissue is of."""
    active = context.view_layer.objects.active
    if active is None:
        return None
    if active.supple_helper.kind != "NONE" and active.supple_helper.armature is not None:
        return active.supple_helper.armature
    return active if active.type == "ARMATURE" else armature_of(active) if active.type == "MESH" else None


def is_proxy(mesh: Any) -> bool:
    """Whether a mesh object stands in for another one that is finer."""
    return any(one.supple_proxy == mesh for one in bpy.data.objects)


def has_weights(mesh: Any, armature: Any) -> bool:
    """Whether a vertex of a mesh object follows a bone."""
    bones = {group.index for group in mesh.vertex_groups if group.name in armature.data.bones and armature.data.bones[group.name].use_deform}
    return any(one.group in bones and one.weight > 0 for vertex in mesh.data.vertices for one in vertex.groups)


def find(context: Any) -> Rig:
    """The armature that is active, or that bends the active mesh, with its meshes. Raises RigError."""
    active = context.view_layer.objects.active
    if active is None:
        raise RigError("Nothing is active: click on an armature, or on a mesh that one bends")
    if active.supple_helper.kind != "NONE" and active.supple_helper.armature is not None:
        active = active.supple_helper.armature
    armature = active
    if active.type == "MESH":
        armature = armature_of(active)
        if armature is None:
            raise RigError(f"No armature bends '{active.name}': parent it to one (Ctrl P, With Automatic Weights)")
    elif active.type != "ARMATURE":
        raise RigError(f"'{active.name}' is neither an armature nor a mesh: click on one of them")
    return of_armature(armature, context.view_layer.objects)


def of_armature(armature: Any, objects: Any) -> Rig:
    """An armature with those of some objects that it bends. Raises RigError."""
    meshes = [one for one in objects if one.type == "MESH" and armature_of(one) == armature and not is_proxy(one)]
    if not meshes:
        raise RigError(f"The armature '{armature.name}' bends no mesh: parent one to it (Ctrl P, With Automatic Weights)")
    bound = [one for one in meshes if has_weights(one, armature)]
    if not bound:
        raise RigError(f"No vertex of '{meshes[0].name}' follows a bone of '{armature.name}': paint weights, or bind it anew (Ctrl P, With Automatic Weights)")
    return Rig(armature, bound)


class Binding:
    """Joints of a character of the engine, and the bones of an armature that they are."""

    def __init__(self, character: supple.Character, armature: Any, bones: list[str | None], to_joint: list[Matrix], unit: float = 1.0) -> None:
        self.character = character
        self.armature = armature
        #: Of each joint the name of its bone, None where there is none: it stays as it is relative to its parent.
        self.bones = bones
        #: Of each joint what leads from its bone's axes to its own.
        self.to_joint = to_joint
        #: Units of the scene that one unit of the character is.
        self.unit = unit
        self._known: list[str] = []  # bones as the tables below were made for
        rest = character.rest().world().astype(np.float64)
        self._at_rest = rest.copy()  # (J, 4, 4), relative to the parent
        for joint, parent in enumerate(character.parents):
            if parent >= 0:
                self._at_rest[joint] = np.linalg.inv(rest[parent]) @ rest[joint]

    @staticmethod
    def of_file(character: supple.Character, armature: Any) -> Binding:
        """Of a character that was loaded from the file that Blender's importer made the armature from: by names."""
        names = [name if name in armature.pose.bones else None for name in character.joint_names]
        if not any(names):
            raise RigError(f"No bone of '{armature.name}' has the name of a joint of the file")
        return Binding(character, armature, names, [Matrix.Identity(4)] * len(names))

    def with_character(self, character: supple.Character) -> Binding:
        """The same of a character that was made from this one: joints by their names, those that came to it have no bones."""
        before = {name: joint for joint, name in enumerate(self.character.joint_names)}
        places = [before.get(name) for name in character.joint_names]
        bones = [None if one is None else self.bones[one] for one in places]
        to_joint = [Matrix.Identity(4) if one is None else self.to_joint[one] for one in places]
        return Binding(character, self.armature, bones, to_joint, self.unit)

    def _tables(self, armature: Any) -> None:
        names = [bone.name for bone in armature.pose.bones]
        if names == self._known:
            return
        place = {name: number for number, name in enumerate(names)}
        lost = [name for name in self.bones if name is not None and name not in place]
        if lost:
            raise RigError(f"'{armature.name}' has lost the bone '{lost[0]}': undo that, or make the layer anew")
        self._known = names
        self._joints = [joint for joint, name in enumerate(self.bones) if name is not None]
        self._places = [place[self.bones[joint]] for joint in self._joints]
        self._turns = np.array([self.to_joint[joint] for joint in self._joints], np.float64)
        self._others = [joint for joint, name in enumerate(self.bones) if name is None]

    def world(self, evaluated: Any | None = None) -> np.ndarray:
        """(J, 4, 4): where joints are in the world, the engine's axes: see read()."""
        armature = self.armature if evaluated is None else evaluated
        self._tables(armature)
        flat = np.empty(16 * len(self._known), np.float32)
        armature.pose.bones.foreach_get("matrix", flat)
        matrices = flat.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
        outer = np.array(DOWN @ armature.matrix_world)
        outer[:3] /= self.unit
        result = np.empty((len(self.bones), 4, 4))
        result[self._joints] = outer @ matrices[self._places] @ self._turns
        for joint in self._others:
            parent = self.character.parents[joint]
            result[joint] = result[parent] @ self._at_rest[joint] if parent >= 0 else self._at_rest[joint]
        return result

    def read(self, evaluated: Any | None = None) -> supple.Pose:
        """The pose that the armature stands in: with constraints and drivers where `evaluated` is its evaluated copy."""
        pose = self.character.rest()
        pose.set_world(self.world(evaluated))
        return pose

    def write(self, pose: supple.Pose) -> None:
        """Puts the bones into a pose of the engine. The armature object stays where it is."""
        inner = (DOWN @ self.armature.matrix_world).inverted() @ Matrix.Scale(self.unit, 4)
        world = [inner @ Matrix(one.tolist()) @ turn.inverted() for one, turn in zip(pose.world(), self.to_joint)]
        places = {name: place for name, place in zip(self.bones, world) if name is not None}
        for name, place in places.items():
            bone = self.armature.pose.bones[name]
            before = places.get(bone.parent.name, bone.parent.matrix) if bone.parent else Matrix.Identity(4)
            at_rest = bone.parent.bone.matrix_local.inverted() @ bone.bone.matrix_local if bone.parent else bone.bone.matrix_local
            bone.matrix_basis = at_rest.inverted() @ before.inverted() @ place


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


def bind(armature: Any, *meshes: Any) -> Binding:
    """A character of the engine with the bones and meshes as they are modelled: one part, vertex by vertex, mesh after mesh, without shape keys.

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
    positions, triangles, follow = [], [], []
    first = 0
    for mesh in meshes:
        own = weights(mesh, names)
        own[:, [not bone.use_deform for bone in bones]] = 0  # groups of controls bend nothing
        sums = own.sum(axis=1, keepdims=True)
        loose = int((sums <= 0).sum())
        if loose:
            raise RigError(f"{loose} of {len(own)} vertices of '{mesh.name}' follow no bone of '{armature.name}': paint weights for them")
        follow.append(own / sums)  # as Blender's modifier does
        positions.append(modelled_points(mesh, armature))
        mesh.data.calc_loop_triangles()
        corners = np.empty(3 * len(mesh.data.loop_triangles), np.int32)
        mesh.data.loop_triangles.foreach_get("vertices", corners)
        triangles.append(corners.reshape(-1, 3) + first)
        first += len(own)
    heads = np.array([DOWN @ bone.head_local for bone in bones])
    parents = [names.index(bone.parent.name) if bone.parent else -1 for bone in bones]
    character = supple.Character.from_arrays(
        np.concatenate(positions), np.concatenate(triangles), names, parents, heads, np.concatenate(follow), name=meshes[0].name
    )
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
        unit_of(armature),
    )


def unit_of(armature: Any) -> float:
    """Units of the scene that one unit of an armature is: its scale."""
    size = armature.matrix_world.median_scale
    if size <= 0:
        raise RigError(f"'{armature.name}' is scaled to nothing: give it a size (Alt S), or apply its scale (Ctrl A)")
    return float(size)


def modelled_points(mesh: Any, armature: Any) -> np.ndarray:
    """(V, 3) float64, the engine's axes: vertices of a mesh object as they are modelled, relative to an armature."""
    points = np.empty(3 * len(mesh.data.vertices), np.float32)
    keys = mesh.data.shape_keys
    (keys.reference_key.data if keys else mesh.data.vertices).foreach_get("co", points)
    to_armature = to_engine(armature, mesh)
    return points.reshape(-1, 3) @ to_armature[:3, :3].T + to_armature[:3, 3]


def evaluated_points(mesh: Any, depsgraph: Any) -> np.ndarray:
    """(V, 3) float32, the engine's axes: where the vertices of a mesh object are in the world, as Blender shows them."""
    shown = mesh.evaluated_get(depsgraph)
    data = shown.to_mesh()
    points = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", points)
    shown.to_mesh_clear()
    world = np.array(DOWN @ shown.matrix_world)
    return (points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]).astype(np.float32)
