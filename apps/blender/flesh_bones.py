# SPDX-License-Identifier: GPL-3.0-or-later
"""Flesh baked into bones: every element gets twins of the bones whose flesh swings, with keys for every frame.

The armature then needs neither the add-on nor a modifier, and exports to any engine. That is exact: a twin lies in its bone and
has part of its weight, see docs/flesh.md.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from . import engine, playing, rig


def twins_of(layer: engine.Layer) -> dict[int, int]:
    """Joints of a character that have no bone but lie in one, and the joints of those."""
    character, bones = layer.binding.character, layer.binding.bones
    bound = {int(joint) for part in character.parts for joint in part.joints}
    return {joint: int(character.parents[joint]) for joint in sorted(bound) if bones[joint] is None and bones[character.parents[joint]] is not None}


def _make_bones(context: Any, armature: Any, wanted: dict[str, str]) -> None:
    """Names of new bones, and of those they lie in."""
    active, mode = context.view_layer.objects.active, context.mode
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, inside in wanted.items():
        bone, parent = armature.data.edit_bones.new(name), armature.data.edit_bones[inside]
        bone.head, bone.tail, bone.roll, bone.parent = parent.head, parent.tail, parent.roll, parent
    bpy.ops.object.mode_set(mode="OBJECT")
    context.view_layer.objects.active = active


def _share_weights(layer: engine.Layer, names: dict[int, str]) -> None:
    """Vertices that swing follow twins besides bones, as the engine's character has it."""
    bones = layer.binding.bones
    for one in layer.meshes:
        mesh = one.find()
        for part, first, at, count in one.vertices:
            weights = layer.binding.character.parts[part].weights[first : first + count]
            moved = np.flatnonzero(weights[:, list(names)].sum(axis=1) > 0)
            for joint in np.flatnonzero(weights[moved].sum(axis=0) > 0):
                name = names.get(int(joint)) or bones[joint]
                group = mesh.vertex_groups.get(name) or mesh.vertex_groups.new(name=name)
                for vertex in moved:
                    group.add([int(vertex) + at], float(weights[vertex, joint]), "REPLACE")


def _key(armature: Any, binding: rig.Binding, joint: int, name: str, take: Any, first: int) -> None:
    """Where the twin is relative to its bone, frame by frame."""
    turn = binding.to_joint[binding.character.parents[joint]]
    bone = armature.pose.bones[name]
    bone.rotation_mode = "QUATERNION"
    before = None
    for frame, (place, rotation) in enumerate(zip(take.translations[:, joint], take.rotations[:, joint])):
        x, y, z, w = (float(value) for value in rotation)
        basis = turn @ Matrix.LocRotScale(place.tolist(), Quaternion((w, x, y, z)), None) @ turn.inverted()
        bone.location, bone.rotation_quaternion = basis.to_translation(), basis.to_quaternion()
        if before is not None:
            bone.rotation_quaternion.make_compatible(before)
        before = bone.rotation_quaternion.copy()
        for channel in ("location", "rotation_quaternion"):
            bone.keyframe_insert(channel, frame=first + frame)


class SUPPLE_OT_flesh_bake_bones(bpy.types.Operator):
    """Turn the flesh into bones with keys for every frame of the scene: exact, and exported to any engine. The live layer goes"""

    bl_idname = "supple.flesh_bake_bones"
    bl_label = "Bake To Bones"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        armature = rig.active_armature(context)
        try:
            count = bake(context, armature)
        except rig.RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Flesh of '{armature.name}' is in {count} bones")
        return {"FINISHED"}


def bake(context: Any, armature: Any | None) -> int:
    """How many bones that took. Raises RigError."""
    layer = playing.layer_of(armature) if armature is not None else None
    if layer is None or not layer.binding.character.deformers.get("flesh"):
        raise rig.RigError("There is no flesh to bake: click on an armature, and propose some")
    if "kinodynamics" in layer.binding.character.deformers:
        raise rig.RigError(f"Muscles of '{armature.name}' have no bones that they could be baked to: use Bake")
    twins = twins_of(layer)
    if not twins:
        raise rig.RigError(f"'{armature.name}' has bones for its flesh already, from its file: clips that are exported have their keys")
    if armature.library is not None or armature.override_library is not None:
        raise rig.RigError(f"'{armature.name}' is of another file, and takes no bones: use Bake, or bake it there")
    scene = context.scene
    first = scene.frame_start
    take = layer.play_range(scene)
    taken = set(armature.data.bones.keys())
    names: dict[int, str] = {}
    for joint in twins:
        name = layer.binding.character.joint_names[joint]
        while name in taken:
            name += "+"
        taken.add(name)
        names[joint] = name
    with playing.held():
        _make_bones(context, armature, {name: layer.binding.bones[twins[joint]] for joint, name in names.items()})
        _share_weights(layer, names)
        for joint, name in names.items():
            _key(armature, layer.binding, joint, name, take, first)
        for mesh in engine.attached(armature):
            engine.detach(mesh)
        armature.supple.flesh.clear()
    playing.forget()
    scene.frame_set(scene.frame_current)
    return len(names)


CLASSES = (SUPPLE_OT_flesh_bake_bones,)
