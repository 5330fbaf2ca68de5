# SPDX-License-Identifier: GPL-3.0-or-later
"""Tissue and muscles of one side on the other: across the plane x = 0 of the armature, to the bone of the other name."""

from __future__ import annotations

import re
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .kinodynamic_objects import bone_of, hang, place_at_rest
from .kinodynamic_recipe import skin_group
from .rig import RigError

ACROSS = Matrix.Diagonal((-1, 1, 1, 1))
#: Of the length of a bone: how far a head may be from where the other side's is, where names do not tell.
NEAR = 0.05


def other_name(name: str) -> str:
    """As Blender turns names round (.L and .R, left and right at either end), and in the middle of a name as Mixamo has it."""
    flipped = bpy.utils.flip_name(name)
    if flipped != name:
        return flipped
    words = {"left": "right", "right": "left", "Left": "Right", "Right": "Left", "LEFT": "RIGHT", "RIGHT": "LEFT"}
    return re.sub("|".join(words), lambda found: words[found[0]], name, count=1)


def other_bone(armature: Any, bone: str) -> str:
    """The bone on the other side; the same where it is in the middle. Raises RigError."""
    bones = armature.data.bones
    named = other_name(bone)
    if named != bone and named in bones:
        return named
    one = bones[bone]
    head, tail = ACROSS @ one.head_local, ACROSS @ one.tail_local
    nearest = min(bones, key=lambda other: (other.head_local - head).length + (other.tail_local - tail).length)
    if (nearest.head_local - head).length + (nearest.tail_local - tail).length > NEAR * one.length:
        raise RigError(f"'{armature.name}' has no bone on the other side of '{bone}': name bones .L and .R, or place them alike")
    return nearest.name


def _mirrored_mesh(data: Any) -> Any:
    """A copy with x turned round, shape keys included, its faces still outward."""
    copy = data.copy()
    blocks = [copy.vertices] + [key.data for key in (copy.shape_keys.key_blocks if copy.shape_keys else [])]
    for block in blocks:
        points = np.empty(3 * len(block), np.float32)
        block.foreach_get("co", points)
        points[::3] *= -1
        block.foreach_set("co", points)
    copy.flip_normals()
    copy.update()
    return copy


def _mirror_group(mesh: Any, armature: Any, before: str, after: str) -> None:
    """Paints a vertex group for the other side: each vertex as the one that is nearest to its mirror image."""
    from mathutils.kdtree import KDTree

    to_armature = armature.matrix_world.inverted() @ mesh.matrix_world
    places = [to_armature @ vertex.co for vertex in mesh.data.vertices]
    tree = KDTree(len(places))
    for index, place in enumerate(places):
        tree.insert(place, index)
    tree.balance()
    source = mesh.vertex_groups[before].index
    weights = {vertex.index: one.weight for vertex in mesh.data.vertices for one in vertex.groups if one.group == source}
    group = mesh.vertex_groups.get(after) or mesh.vertex_groups.new(name=after)
    for index, place in enumerate(places):
        weight = weights.get(tree.find(ACROSS @ place)[1], 0.0)
        group.add([index], weight, "REPLACE")


def mirror(helper: Any, armature: Any, meshes: list[Any]) -> Any:
    """A copy of tissue or a muscle on the other side; one that is there already by its name is replaced. Raises RigError."""
    if helper.supple_helper.star:
        raise RigError(f"'{helper.name}' is a star shape out of a file, whose numbers cannot be mirrored: model its surface")
    before = bone_of(helper, armature)
    bone = other_bone(armature, before)
    place = ACROSS @ place_at_rest(helper, armature) @ ACROSS  # still a rotation
    name = helper.name.replace(before, bone) if before in helper.name else other_name(helper.name)
    if name == helper.name:
        name = f"{helper.name} mirrored"
    there = bpy.data.objects.get(name)
    if there is not None and there.supple_helper.kind == helper.supple_helper.kind and there.supple_helper.armature == armature:
        bpy.data.objects.remove(there)
    copy = helper.copy()
    copy.animation_data_clear()  # keys of the other side are its own
    copy.name = name
    is_symmetric = helper.type != "MESH" or (helper.supple_helper.shape == "ELLIPSOID" and not helper.supple_helper.target)
    if not is_symmetric:
        copy.data = _mirrored_mesh(helper.data)
    for one in helper.users_collection:
        one.objects.link(copy)
    settings = copy.supple_helper
    settings.stretch_axis = ACROSS.to_3x3() @ Vector(settings.stretch_axis)
    settings.stretch_center = ACROSS.to_3x3() @ Vector(settings.stretch_center)
    for one in settings.skin_bones:
        one.name = other_bone(armature, one.name)
    hang(copy, armature, bone, place)
    copy.select_set(False)  # or the next mirroring would take it for an original
    group = skin_group(helper, meshes, armature) if helper.supple_helper.kind == "MUSCLE" else None
    for mesh in meshes if group is not None else []:
        if group in mesh.vertex_groups:
            _mirror_group(mesh, armature, group, copy.name)
            settings.skin_group = copy.name
    return copy
