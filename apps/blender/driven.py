# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys that follow bones by drivers of Blender, which need neither this add-on nor Python.

The cells of a program (expressions.py) are numbers of custom properties of the armature, "supple 1 near" and so on, each
with a driver; shape keys are driven by the last of them. Bones are read as they are shown, with constraints and in any
mode of rotation. What was made is written down in a property of the mesh object, for export and to take it out again.
"""

from __future__ import annotations

import json
from typing import Any

import bpy
import numpy as np

from .expressions import Bone, Formula, Program, compile_driver

PROPERTY = "supple {} {}"  # number of the driver on its armature, array
KEY_RANGE = 10.0  # the widest that Blender lets a shape key have
#: Property of a mesh object: JSON, a list of what `drive` was called with. Places of nodes and targets are left out.
RECORD = "supple drivers"
_PLACES = ("node", "firstTarget", "joints", "reference")


def drive(driver: dict[str, Any], offsets: list[list[float]], armature: Any, bones: list[str], mesh: Any, keys: list[str | None], origin: str) -> int:
    """Makes shape keys of a mesh object follow bones, by a driver of SUPPLE_deformers; tells how many drivers of Blender that took.

    `offsets`: see compile_driver. `origin`: "file" for what came with a file, "fit" for corrections that were fitted here.
    """
    program = compile_driver(driver, offsets, _reach(mesh, keys))
    number, made = install(program, armature, bones, mesh, keys)
    entry = {name: value for name, value in driver.items() if name not in _PLACES}
    entry |= {"origin": origin, "number": number, "armature": armature.name, "bones": bones, "offsets": offsets, "keys": keys}
    _write_record(mesh, [*record(mesh), entry])
    return made


def record(mesh: Any, origin: str | None = None) -> list[dict[str, Any]]:
    """What drives shape keys of a mesh object, of one origin or of all."""
    return [one for one in json.loads(mesh.get(RECORD, "[]")) if origin in (None, one["origin"])]


def _write_record(mesh: Any, entries: list[dict[str, Any]]) -> None:
    if entries:
        mesh[RECORD] = json.dumps(entries)
    elif RECORD in mesh:
        del mesh[RECORD]


def driven_keys(mesh: Any, origin: str | None = None) -> list[str]:
    """Names of shape keys that are driven and still there."""
    blocks = mesh.data.shape_keys.key_blocks if mesh.data.shape_keys else {}
    return [key for entry in record(mesh, origin) for key in entry["keys"] if key and key in blocks]


def remove(mesh: Any, armature: Any, origin: str | None = None) -> int:
    """Takes drivers, their properties and the shape keys that they drive out again; tells how many shape keys."""
    keys = driven_keys(mesh, origin)
    for entry in record(mesh, origin):
        begin = PROPERTY.format(entry["number"], "")
        data = armature.animation_data
        for curve in [one for one in data.drivers if one.data_path.startswith(f'["{begin}')] if data else []:
            data.drivers.remove(curve)
        for name in [one for one in armature.keys() if one.startswith(begin)]:
            del armature[name]
    for key in keys:
        block = mesh.data.shape_keys.key_blocks[key]
        block.driver_remove("value")
        mesh.shape_key_remove(block)
    _write_record(mesh, [one for one in record(mesh) if origin not in (None, one["origin"])])
    return len(keys)


def points(items: Any) -> np.ndarray:
    """(V, 3) float32: coordinates of vertices, or of a shape key."""
    result = np.empty(3 * len(items), np.float32)
    items.foreach_get("co", result)
    return result.reshape(-1, 3)


def _reach(mesh: Any, keys: list[str | None]) -> list[float]:
    """How far shape keys move a vertex at most, in sizes of the mesh."""
    blocks = mesh.data.shape_keys.key_blocks
    basis = points(blocks[0].data)
    size = float(np.ptp(basis, axis=0).max()) or 1.0
    return [float(np.linalg.norm(points(blocks[key].data) - basis, axis=1).max()) / size if key else 0.0 for key in keys]


def install(program: Program, armature: Any, bones: list[str], mesh: Any, keys: list[str | None]) -> tuple[int, int]:
    """Puts a program onto an armature and the shape keys of a mesh object: its number there, and how many drivers that took."""
    count = 1
    while PROPERTY.format(count, "turn") in armature:
        count += 1

    def path(array: str) -> str:
        return f'["{PROPERTY.format(count, array)}"]'

    # Blender looks through all drivers of an object whenever one of them is changed. So each is made on an object that has no
    # other, and copied.
    scratch = bpy.data.objects.new("supple", None)
    scratch.animation_data_create()

    def add(owner: Any, data_path: str, index: int, formula: Formula) -> None:
        curve = scratch.animation_data.drivers.new("location", index=0)
        # Blender puts keys (0, 0) and (1, 1) onto a new curve, and values within 1e-4 of a key become the key's. Without keys
        # the curve gives the driver's value as it is.
        curve.keyframe_points.clear()
        driver = curve.driver
        driver.type = "SCRIPTED"
        for name, source in formula.variables.items():
            variable = driver.variables.new()
            variable.name = name
            variable.type = "TRANSFORMS" if isinstance(source, Bone) else "SINGLE_PROP"
            target = variable.targets[0]
            target.id = armature
            if isinstance(source, Bone):
                target.bone_target = bones[source.joint]
                target.transform_type = f"ROT_{source.component.upper()}"
                target.rotation_mode = "QUATERNION"
                target.transform_space = "LOCAL_SPACE"
            else:
                target.data_path = f"{path(source.array)}[{source.index}]"
        driver.expression = formula.expression
        copy = (owner.animation_data or owner.animation_data_create()).drivers.from_existing(src_driver=curve)
        copy.data_path, copy.array_index = data_path, index
        scratch.animation_data.drivers.remove(curve)

    made = 0
    for array, formulas in program.arrays.items():
        armature[PROPERTY.format(count, array)] = [0.0] * len(formulas)
        for index, formula in enumerate(formulas):
            add(armature, path(array), index, formula)
            made += 1
    shape_keys = mesh.data.shape_keys
    for key, formula in zip(keys, program.weights):
        if key is None:  # a target without positions
            continue
        block = shape_keys.key_blocks[key]
        block.slider_min, block.slider_max = -KEY_RANGE, KEY_RANGE
        add(shape_keys, block.path_from_id("value"), 0, formula)
        made += 1
    bpy.data.objects.remove(scratch)
    _remove_tracks(shape_keys, {shape_keys.key_blocks[key].path_from_id("value") for key in keys if key})
    return count, made


def curve_lists(action: Any) -> list[Any]:
    """Lists of the curves of an action: layered since Blender 4.4, which others than the first are only found in."""
    layers = getattr(action, "layers", None)
    if layers:
        return [bag.fcurves for layer in layers for strip in layer.strips for bag in strip.channelbags]
    return [action.fcurves] if hasattr(action, "fcurves") else []


def _remove_tracks(shape_keys: Any, paths: set[str]) -> None:
    """Takes tracks of driven weights out of the clips that came with them: a driver wins over an animation."""
    data = shape_keys.animation_data
    if data is None:
        return
    actions = {data.action} | {strip.action for track in data.nla_tracks for strip in track.strips}
    for action in actions - {None}:
        for curves in curve_lists(action):
            for curve in [one for one in curves if one.data_path in paths]:
                curves.remove(curve)
