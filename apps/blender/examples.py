# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of a mesh: poses of its armature, and how the skin should look in each. They are kept on the mesh object.

A pose is kept twice: as the channels of all bones, controls included, which bring the armature back into it; and as the
rotations that bones show then, with constraints, which drivers see.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty
from mathutils import Matrix, Quaternion

from . import rig
from .driven import points
from .rig import RigError

CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
AT_REST = 1e-6  # what a channel may be off by and still count as at rest
HALF_A_DEGREE = np.radians(0.5)
#: Modifiers that copy vertices: a shape key would move all copies alike, though they bend differently.
COPYING = {"MIRROR", "ARRAY"}


class SUPPLE_PG_bone(bpy.types.PropertyGroup):
    """A bone of a pose; its name is the bone's."""

    location: FloatVectorProperty(size=3)  # type: ignore[valid-type]
    rotation: FloatVectorProperty(size=4, default=(1, 0, 0, 0))  # type: ignore[valid-type]
    scale: FloatVectorProperty(size=3, default=(1, 1, 1))  # type: ignore[valid-type]
    shown: FloatVectorProperty(size=4, default=(1, 0, 0, 0))  # type: ignore[valid-type]


class SUPPLE_PG_example(bpy.types.PropertyGroup):
    """A pose and the shape that belongs to it."""

    kind: EnumProperty(  # type: ignore[valid-type]
        items=[
            ("KEY", "Shape Key", "A shape key of the mesh, as it is before the armature bends it"),
            ("MESH", "Mesh", "Another mesh object: the skin as it should look in the pose"),
            ("SIMULATED", "Simulated", "Flesh that was simulated in the pose"),
        ]
    )
    use: BoolProperty(name="Use", description="Learn from this example", default=True)  # type: ignore[valid-type]
    bones: CollectionProperty(type=SUPPLE_PG_bone)  # type: ignore[valid-type]
    key: StringProperty(name="Shape Key")  # type: ignore[valid-type]
    mesh: PointerProperty(type=bpy.types.Object, name="Mesh")  # type: ignore[valid-type]
    moved: BoolProperty(  # type: ignore[valid-type]
        name="May Be Moved Aside", description="Where the sculpted object stands does not count, its vertices are taken as they are in it"
    )
    simulated: PointerProperty(type=bpy.types.Mesh)  # type: ignore[valid-type]
    before: FloatProperty(name="Before", description="Largest error without corrections", unit="LENGTH")  # type: ignore[valid-type]
    after: FloatProperty(name="After", description="Largest error with them", unit="LENGTH")  # type: ignore[valid-type]


class SUPPLE_PG_correct(bpy.types.PropertyGroup):
    """Examples of a mesh object and what the last fit made of them."""

    examples: CollectionProperty(type=SUPPLE_PG_example)  # type: ignore[valid-type]
    active: IntProperty(name="Example")  # type: ignore[valid-type]
    fitted: IntProperty(name="Examples Fitted", description="Examples that the corrections were learnt from")  # type: ignore[valid-type]
    mean_before: FloatProperty(name="Mean Error Before", unit="LENGTH")  # type: ignore[valid-type]
    mean_after: FloatProperty(name="Mean Error After", unit="LENGTH")  # type: ignore[valid-type]
    worst_before: FloatProperty(name="Worst Error Before", unit="LENGTH")  # type: ignore[valid-type]
    worst_after: FloatProperty(name="Worst Error After", unit="LENGTH")  # type: ignore[valid-type]
    worst_example: StringProperty(name="Worst Example")  # type: ignore[valid-type]
    worst_vertex: IntProperty(name="Worst Vertex")  # type: ignore[valid-type]
    verdict: StringProperty(name="Verdict")  # type: ignore[valid-type]


def chosen(context: Any) -> tuple[Any, Any]:
    """The armature and the mesh object that are worked on. Raises RigError."""
    found = rig.find(context)
    active = context.view_layer.objects.active
    if active.type == "MESH" and active not in found.meshes:
        raise RigError(f"No vertex of '{active.name}' follows a bone of '{found.armature.name}': paint weights, or bind it anew (Ctrl P, With Automatic Weights)")
    mesh = active if active.type == "MESH" else found.meshes[0]
    if active.type != "MESH" and len(found.meshes) > 1:
        raise RigError(f"'{found.armature.name}' bends {len(found.meshes)} meshes: click on the one to correct")
    check(mesh)
    return found.armature, mesh


def check(mesh: Any) -> None:
    """Raises RigError where corrections cannot be put onto a mesh object."""
    if mesh.data.library is not None:
        raise RigError(f"The mesh of '{mesh.name}' is linked from another file: make it local (Object > Relations > Make Local)")
    for modifier in mesh.modifiers:
        if modifier.type == "ARMATURE":
            break
        if modifier.type in COPYING and modifier.show_viewport:
            raise RigError(
                f"The modifier '{modifier.name}' of '{mesh.name}' comes before the armature: both halves would be corrected alike. "
                "Apply it (Ctrl A in the modifier's menu), or move it below the armature's"
            )
    keys = mesh.data.shape_keys
    if keys is not None and not keys.use_relative:
        raise RigError(f"The shape keys of '{mesh.name}' are absolute: switch Relative on, in the mesh's properties")


def shown_rotations(armature: Any) -> dict[str, Quaternion]:
    """By bone, the rotation away from rest that drivers see: relative to the parent, after constraints."""
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {
        bone.name: _near_one(shown.convert_space(pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL").to_quaternion())
        for bone in shown.pose.bones
    }


def _near_one(turn: Quaternion) -> Quaternion:
    """The same rotation by the lesser angle."""
    return -turn if turn.w < 0 else turn


def store_pose(example: Any, armature: Any) -> None:
    """Writes the pose that an armature stands in into an example. Bones at rest are left out."""
    example.bones.clear()
    shown = shown_rotations(armature)
    for bone in armature.pose.bones:
        location, rotation, scale = bone.matrix_basis.decompose()
        away = max(*(abs(one) for one in location), *(abs(one - 1) for one in scale), rotation.angle, shown[bone.name].angle)
        if away < AT_REST:
            continue
        stored = example.bones.add()
        stored.name, stored.location, stored.rotation, stored.scale, stored.shown = bone.name, location, rotation, scale, shown[bone.name]


def put_pose(example: Any, armature: Any) -> None:
    """Brings an armature back into the pose of an example."""
    stored = {one.name: one for one in example.bones}
    for bone in armature.pose.bones:
        one = stored.get(bone.name)
        bone.matrix_basis = Matrix.LocRotScale(one.location, Quaternion(one.rotation), one.scale) if one else Matrix.Identity(4)
    bpy.context.view_layer.update()


def pose_name(armature: Any, mesh: Any) -> str:
    """After the bone that is turned most, one that the mesh follows where there is any, and by how many degrees. Raises RigError at rest."""
    turned = [(mesh.vertex_groups.find(name) >= 0, turn.angle, name) for name, turn in shown_rotations(armature).items() if turn.angle > HALF_A_DEGREE]
    if not turned:
        raise RigError(f"'{armature.name}' stands in its rest pose: bend a joint first, or sculpt the mesh itself")
    _, angle, bone = max(turned)
    return f"{bone} {round(np.degrees(angle))}"


@contextmanager
def kept_pose(armature: Any) -> Iterator[None]:
    """Puts the bones back as they were, channel by channel."""
    saved = [(bone, {name: tuple(getattr(bone, name)) for name in CHANNELS}) for bone in armature.pose.bones]
    position = armature.data.pose_position
    armature.data.pose_position = "POSE"
    try:
        yield
    finally:
        armature.data.pose_position = position
        for bone, channels in saved:
            for name, value in channels.items():
                setattr(bone, name, value)
        bpy.context.view_layer.update()


def rest_points(mesh: Any) -> np.ndarray:
    """(V, 3) float32, the mesh's own axes: its vertices without any shape key."""
    keys = mesh.data.shape_keys
    return points(keys.reference_key.data if keys else mesh.data.vertices)


def offsets_of_key(mesh: Any, name: str) -> np.ndarray:
    """(V, 3) float32: what a shape key adds where its value is 1."""
    block = mesh.data.shape_keys.key_blocks[name]
    return points(block.data) - points(block.relative_key.data)


def mixed_offsets(mesh: Any, keys: list[str]) -> np.ndarray:
    """(V, 3) float32: what shape keys add with the values that they have now."""
    result = np.zeros((len(mesh.data.vertices), 3), np.float32)
    for key in keys:
        block = mesh.data.shape_keys.key_blocks[key]
        if not block.mute:
            result += block.value * offsets_of_key(mesh, key)
    return result


def same_topology(mesh: Any, other: Any) -> None:
    """Raises RigError where two mesh objects do not have the same vertices and faces."""
    ours, theirs = mesh.data, other.data
    if len(ours.vertices) != len(theirs.vertices):
        raise RigError(
            f"'{other.name}' has {len(theirs.vertices)} vertices, '{mesh.name}' {len(ours.vertices)}: an example must be a sculpted copy, "
            "without vertices added, deleted or merged"
        )

    def corners(data: Any) -> np.ndarray:
        result = np.empty(len(data.loops), np.int32)
        data.loops.foreach_get("vertex_index", result)
        return result

    if not np.array_equal(corners(ours), corners(theirs)):
        raise RigError(f"The faces of '{other.name}' are not those of '{mesh.name}': an example must be a sculpted copy, with vertices in the same order")


CLASSES = (SUPPLE_PG_bone, SUPPLE_PG_example, SUPPLE_PG_correct)


def register() -> None:
    bpy.types.Object.supple_correct = PointerProperty(type=SUPPLE_PG_correct)


def unregister() -> None:
    del bpy.types.Object.supple_correct
