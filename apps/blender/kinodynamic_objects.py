# SPDX-License-Identifier: GPL-3.0-or-later
"""Tissue and muscles as objects of Blender that are parented to bones: which belong to a character, where they are in the
rest pose, and their shapes in the engine's axes. What is wrong with one is told as a RigError that names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .rig import DOWN, RigError

PARENT_REMEDY = "select it, then a bone of '{}' in pose mode, and press Ctrl P, Bone"


def helpers(armature: Any, kind: str) -> list[Any]:
    """The objects of a kind that belong to an armature, by name: so told, or parented to one of its bones."""
    found = []
    for one in bpy.data.objects:
        settings = one.supple_helper
        if settings.kind != kind or not one.users_scene:
            continue
        owner = settings.armature if settings.armature is not None else _armature_above(one)
        if owner == armature:
            found.append(one)
    return sorted(found, key=lambda one: one.name)


def _armature_above(one: Any) -> Any | None:
    while one is not None and one.type != "ARMATURE":
        one = one.parent
    return one


def bone_of(helper: Any, armature: Any) -> str:
    """The bone that an object hangs on, itself or through other objects. Raises RigError."""
    one = helper
    while one.parent is not None and one.parent.type != "ARMATURE":
        one = one.parent
    remedy = PARENT_REMEDY.format(armature.name)
    if one.parent is None or (one.parent == armature and one.parent_type != "BONE"):
        raise RigError(f"'{helper.name}' is parented to no bone: {remedy}; or remove it from the skin")
    if one.parent != armature:
        raise RigError(f"'{helper.name}' hangs on a bone of '{one.parent.name}', not of '{armature.name}': {remedy}; or remove it from the skin")
    if one.parent_bone not in armature.data.bones:
        raise RigError(f"'{helper.name}' hangs on the bone '{one.parent_bone}', which '{armature.name}' does not have: {remedy}")
    return one.parent_bone


def frame_at_rest(armature: Any, bone: str) -> Matrix:
    """What objects that are parented to a bone are placed in, in the rest pose, relative to the armature."""
    found = armature.data.bones[bone]
    if found.use_relative_parent:
        return Matrix.Identity(4)
    return found.matrix_local @ Matrix.Translation((0, found.length, 0))


def place_at_rest(helper: Any, armature: Any) -> Matrix:
    """Where an object is relative to its armature in the rest pose, whatever pose is shown, in Blender's axes."""
    bone = bone_of(helper, armature)
    place = Matrix.Identity(4)
    one = helper
    while True:
        place = one.matrix_parent_inverse @ one.matrix_basis @ place
        if one.parent.type == "ARMATURE":
            return frame_at_rest(armature, bone) @ place
        one = one.parent


def hang(helper: Any, armature: Any, bone: str, place: Matrix) -> None:
    """Parents an object to a bone so that it is at a place relative to the armature in the rest pose."""
    helper.parent, helper.parent_type, helper.parent_bone = armature, "BONE", bone
    helper.matrix_parent_inverse = frame_at_rest(armature, bone).inverted()
    helper.matrix_basis = place
    helper.supple_helper.armature = armature


@dataclass
class Shape:
    """An object under the skin, in the rest pose, in the engine's axes relative to the armature's origin, its units."""

    center: np.ndarray  # (3,)
    axes: np.ndarray  # (3, 3), its own axes as columns: a rotation
    radii: np.ndarray  # (3,) along them
    points: np.ndarray | None = None  # (P, 3) of a surface, in its own axes from the centre
    triangles: np.ndarray | None = None  # (T, 3), turned outward
    target: np.ndarray | None = None  # (P, 3) of the plastic shape, likewise

    def quaternion(self) -> list[float]:
        """x, y, z, w."""
        turn = Matrix(self.axes.tolist()).to_quaternion()
        return [turn.x, turn.y, turn.z, turn.w]


def _local_points(data: Any, key: str | None = None) -> np.ndarray:
    items = data.vertices if key is None else data.shape_keys.key_blocks[key].data
    points = np.empty(3 * len(items), np.float32)
    items.foreach_get("co", points)
    return points.reshape(-1, 3).astype(float)


def counts_as_surface(helper: Any) -> bool:
    return helper.type == "MESH" and (helper.supple_helper.shape == "SURFACE" or bool(helper.supple_helper.target))


def _own_box(helper: Any) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half the extent of an object in its own coordinates. Raises RigError."""
    if helper.type == "EMPTY":
        return np.zeros(3), np.full(3, helper.empty_display_size)
    if helper.type != "MESH":
        raise RigError(f"'{helper.name}' is neither a mesh nor an empty: use one of them for tissue and muscles")
    if helper.supple_helper.star:  # its mesh shows what the numbers make of the unit ball
        return np.zeros(3), np.ones(3)
    if len(helper.data.vertices) == 0:
        raise RigError(f"The mesh of '{helper.name}' has no vertices: give it a closed shape")
    points = _local_points(helper.data)
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, (high - low) / 2


def _check_size(helper: Any, matrix: np.ndarray, half: np.ndarray) -> None:
    sizes = np.linalg.norm(matrix[:, :3], axis=0) * half
    for axis, size in zip("XYZ", sizes):
        # Next to the largest: below that, single precision cannot tell its shape.
        if not size > 1e-6 * sizes.max():
            raise RigError(f"'{helper.name}' has no size along its {axis} axis: scale it, or set its scale back with Alt S")


def shape_at_rest(helper: Any, armature: Any) -> Shape:
    """Raises RigError where an object is not placed, or has no proper shape."""
    matrix = np.array(DOWN @ place_at_rest(helper, armature))[:3]
    middle, half = _own_box(helper)
    _check_size(helper, matrix, half)
    linear = matrix[:, :3]
    center = linear @ middle + matrix[:, 3]
    if counts_as_surface(helper):
        return _surface(helper, matrix, center)
    lengths = np.linalg.norm(linear, axis=0)
    axes, radii = linear / lengths, lengths * half
    if np.abs(axes.T @ axes - np.eye(3)).max() > 1e-4:  # sheared by a parent: it is an ellipsoid all the same
        axes, radii, _ = np.linalg.svd(linear * half)
    if np.linalg.det(axes) < 0:  # mirrored: it looks the same
        axes = axes * (-1, 1, 1)
    return Shape(center, axes, radii)


def _surface(helper: Any, matrix: np.ndarray, center: np.ndarray) -> Shape:
    """Its own axes are the object's, made square."""
    u, _, vt = np.linalg.svd(matrix[:, :3])
    axes = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
    data = helper.data
    data.calc_loop_triangles()
    triangles = np.empty(3 * len(data.loop_triangles), np.int32)
    data.loop_triangles.foreach_get("vertices", triangles)
    triangles = triangles.reshape(-1, 3)
    _check_closed(helper, triangles)

    def placed(local: np.ndarray) -> np.ndarray:
        return (local @ matrix[:, :3].T + matrix[:, 3] - center) @ axes

    points = placed(_local_points(data))
    if np.einsum("ij,ij->i", points[triangles[:, 0]], np.cross(points[triangles[:, 1]], points[triangles[:, 2]])).sum() < 0:
        triangles = triangles[:, ::-1]  # inside out, or mirrored by its scale
    radii = np.ptp(points, axis=0) / 2
    return Shape(center, axes, radii, points, triangles, _target(helper, placed))


def _check_closed(helper: Any, triangles: np.ndarray) -> None:
    edges = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    if len(triangles) == 0 or (counts != 2).any():
        raise RigError(
            f"The mesh of '{helper.name}' is not closed: {int((counts != 2).sum())} of its edges are not between two faces. "
            "Fill its holes (edit mode, Mesh > Clean Up > Fill Holes) and apply its modifiers, or let it count as an ellipsoid"
        )


def _target(helper: Any, placed: Any) -> np.ndarray | None:
    name = helper.supple_helper.target
    if not name:
        return None
    keys = helper.data.shape_keys
    if keys is None or name not in keys.key_blocks:
        raise RigError(f"'{helper.name}' has no shape key '{name}' to rest in: choose one of its shape keys as Plastic Target, or none")
    return placed(_local_points(helper.data, name))


COLLECTION = "Supple"


def collection(scene: Any) -> Any:
    """Where tissue and muscles are put."""
    found = bpy.data.collections.get(COLLECTION) or bpy.data.collections.new(COLLECTION)
    if found.name not in scene.collection.children and found not in list(scene.collection.children_recursive):
        scene.collection.children.link(found)
    return found


def unit_sphere(segments: int = 24, rings: int = 16) -> Any:
    """A mesh whose box is that of the unit ball, shared by all ellipsoids."""
    name = "Supple ellipsoid"
    found = bpy.data.meshes.get(name)
    if found is not None and len(found.vertices):
        return found
    mesh = bpy.data.meshes.new(name)
    turns, heights = np.arange(segments) * 2 * np.pi / segments, np.arange(1, rings) * np.pi / rings
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    points = [(0.0, 0.0, 1.0), *((x * np.sin(h), y * np.sin(h), np.cos(h)) for h in heights for x, y in ring), (0.0, 0.0, -1.0)]
    faces: list[tuple[int, ...]] = []
    last = len(points) - 1
    for i in range(segments):
        j = (i + 1) % segments
        faces.append((0, 1 + i, 1 + j))
        faces += [(1 + k * segments + i, 1 + (k + 1) * segments + i, 1 + (k + 1) * segments + j, 1 + k * segments + j) for k in range(rings - 2)]
        faces.append((last - segments + i, last, last - segments + j))
    mesh.from_pydata(points, [], faces)
    mesh.shade_smooth()
    return mesh


def add(name: str, kind: str, data: Any, scene: Any) -> Any:
    """A new object of a kind in the collection of helpers."""
    made = bpy.data.objects.new(name, data)
    collection(scene).objects.link(made)
    made.supple_helper.kind = kind
    made.hide_render = True
    made.show_in_front = kind == "MUSCLE"
    if kind == "TISSUE":
        made.display_type = "WIRE"
    made.color = (0.75, 0.15, 0.12, 1.0) if kind == "MUSCLE" else (0.9, 0.8, 0.55, 1.0)
    return made
