"""Scenes that several tests of the add-on use."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

# Of sculpted offsets: what the kernel's regularisation leaves of examples, of which 0.01 is the most that is accepted.
HIT = 0.01
ARM = ("upper", "lower", "hand")
ENDS = ((0, 0, 0), (0, 0, 1), (0, 0.02, 2), (0, 0, 2.5))


def armature(names: tuple[str, ...] = ARM, ends: Any = ENDS) -> Any:
    """A chain of bones upwards, with rolls, so that the bones' axes are nobody else's."""
    made = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i, name in enumerate(names):
        bone = made.data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll, bone.parent = ends[i], ends[i + 1], 0.4 * i, parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return made


def tube(rig: Any, names: tuple[str, ...] = ARM, rings: int = 21, sides: int = 10) -> Any:
    """A closed tube about such a chain, bound to it by weights that overlap at the joints."""
    height = np.linspace(-0.1, 2.6, rings)
    angle = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    round_ = 0.2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = [(x, y, z) for z in height for x, y in round_] + [(0, 0, -0.15), (0, 0, 2.65)]
    faces = [
        (r * sides + k, r * sides + (k + 1) % sides, (r + 1) * sides + (k + 1) % sides, (r + 1) * sides + k) for r in range(rings - 1) for k in range(sides)
    ]
    last = (rings - 1) * sides
    faces += [((k + 1) % sides, k, len(points) - 2) for k in range(sides)]
    faces += [(last + k, last + (k + 1) % sides, len(points) - 1) for k in range(sides)]
    data = bpy.data.meshes.new("body")
    data.from_pydata(points, [], faces)
    mesh = bpy.data.objects.new("body", data)
    bpy.context.collection.objects.link(mesh)
    mesh.parent = rig
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    joints = (1, 2)
    rows = np.array([[1.0, 0, 0]] * len(points))
    for vertex, point in enumerate(points):
        past = [float(np.clip((point[2] - one) / 0.5 + 0.5, 0, 1)) for one in joints]
        rows[vertex] = (1 - past[0], past[0] * (1 - past[1]), past[0] * past[1])
    for column, name in enumerate(names):
        group = mesh.vertex_groups.new(name=name)
        for vertex, weight in enumerate(rows[:, column]):
            if weight > 0:
                group.add([vertex], float(weight), "REPLACE")
    bpy.context.view_layer.objects.active = mesh
    bpy.context.view_layer.update()
    return mesh


def bend(rig: Any, bone: str, degrees: float, axis: tuple[float, float, float] = (1, 0, 0)) -> None:
    """Turns one bone away from rest, about its own axes."""
    half = np.radians(degrees) / 2
    found = rig.pose.bones[bone]
    found.rotation_mode = "QUATERNION"
    found.rotation_quaternion = (np.cos(half), *(np.sin(half) * np.array(axis)))
    bpy.context.view_layer.update()


def rest(rig: Any) -> None:
    for bone in rig.pose.bones:
        bone.rotation_quaternion, bone.location, bone.scale = (1, 0, 0, 0), (0, 0, 0), (1, 1, 1)
    bpy.context.view_layer.update()


def coordinates(items: Any) -> np.ndarray:
    result = np.empty(3 * len(items), np.float32)
    items.foreach_get("co", result)
    return result.reshape(-1, 3)


def swell(mesh: Any, items: Any, height: float, amount: float = 0.05) -> None:
    """Sculpts: vertices about a height of the tube at rest move outwards and a little up, whatever else moved them."""
    at_rest = coordinates(mesh.data.vertices)
    near = np.exp(-(((at_rest[:, 2] - height) / 0.2) ** 2))
    out = at_rest * (1, 1, 0) / 0.2 + (0, 0, 0.3)
    put(items, coordinates(items) + amount * near[:, None] * out)


def put(items: Any, points: np.ndarray) -> None:
    """Moves vertices, or those of a shape key; Blender 4.2 does not see that by itself."""
    items.foreach_set("co", points.astype(np.float32).ravel())
    items.id_data.update_tag()


def shown(mesh: Any) -> np.ndarray:
    """(V, 3): the vertices as Blender shows them, in the world."""
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = evaluated.to_mesh()
    points = coordinates(data.vertices)
    evaluated.to_mesh_clear()
    world = np.array(evaluated.matrix_world)
    return points @ world[:3, :3].T + world[:3, 3]


def refusal(call: Any, **options: Any) -> str:
    """What an operator reports as an error: from Python that is an exception, of which only the text counts."""
    with pytest.raises(RuntimeError) as caught:
        call(**options)
    text = str(caught.value)
    assert "Traceback" not in text
    return text


def sculpt(rig: Any, mesh: Any, bone: str = "lower", degrees: float = 80, height: float = 1.0, amount: float = 0.05, **options: Any) -> Any:
    """Adds an example in a pose and sculpts into it."""
    bend(rig, bone, degrees)
    assert bpy.ops.supple.add_example(source="NEW_KEY", **options) == {"FINISHED"}
    example = mesh.supple_correct.examples[-1]
    swell(mesh, mesh.data.shape_keys.key_blocks[example.key].data, height, amount)
    bpy.context.view_layer.update()
    return example


def ours(rig: Any, mesh: Any) -> list[str]:
    """All that a fit leaves behind."""
    properties = [name for thing in (rig, mesh) for name in thing.keys() if name.startswith("supple ")]
    owners = [rig, mesh.data.shape_keys]
    curves = [one.data_path for owner in owners if owner and owner.animation_data for one in owner.animation_data.drivers]
    keys = [one.name for one in mesh.data.shape_keys.key_blocks if one.name.startswith("Supple ")] if mesh.data.shape_keys else []
    return properties + curves + keys
