# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with SUPPLE_deformers become live: drivers of Blender, which need neither this add-on nor Python.

The cells of a program (expressions.py) are numbers of custom properties of the armature, "supple 1 near" and so on, each
with a driver; shape keys are driven by the last of them. Bones are read as they are shown, with constraints and in any
mode of rotation.
"""

from __future__ import annotations

import json
import struct
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .expressions import Bone, Formula, Program, compile_driver, conjugate, times
from .imported import Imported, Recorder
from .rig import RigError

EXTENSION = "SUPPLE_deformers"
PROPERTY = "supple {} {}"  # number of the driver on its armature, array
KEY_RANGE = 10.0  # the widest that Blender lets a shape key have
#: Kinds that the engine alone can move, and what is seen of them meanwhile.
OTHERS = {"flesh": "flesh", "wrinkles": "wrinkles", "poseSpace": "a pose space", "deltaMush": "delta mush", "kinodynamics": "kinodynamics"}


@dataclass
class Result:
    armatures: list[Any] = field(default_factory=list)
    meshes: list[Any] = field(default_factory=list)
    driven_keys: int = 0
    drivers: int = 0  # of Blender, all together
    warnings: list[str] = field(default_factory=list)


def read_document(path: Path) -> dict[str, Any]:
    """The JSON of a .glb or .gltf file."""
    content = path.read_bytes()
    if content[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", content, 12)
        content = content[20 : 20 + length]
    return json.loads(content)


def import_live(path: str) -> Result:
    """Imports a glTF file by Blender's own importer and makes its drivers live. Raises RigError."""
    import supple

    source = Path(path)
    if not source.is_file():
        raise RigError(f"There is no file '{path}'")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            character = supple.load(str(source))
        except supple.Error as error:
            raise RigError(f"'{source.name}' cannot be read: {error}") from None
    result = Result(warnings=[str(one.message) for one in told])
    document = read_document(source)
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        if any("meshopt" in name for name in document.get("extensionsRequired", [])):  # which Blender cannot read
            source = Path(folder) / f"{source.stem}.glb"
            character.save(str(source))
            document = read_document(source)
        imported = _import(source)
    result.meshes = [bpy.data.objects[one.name] for one in imported.meshes.values()]
    result.armatures = [bpy.data.objects[name] for name in dict.fromkeys(one.armature for one in imported.bones.values())]
    extension = document.get("extensions", {}).get(EXTENSION, {})
    if character.deformers.get("drivers"):
        for driver in extension["drivers"]:
            _make_live(driver, imported, result)
    still = [text for name, text in OTHERS.items() if name in extension]
    if still:
        result.warnings.append(f"not live in Blender: {', '.join(still)} of the file; its clips show what was baked into them")
    return result


def _import(path: Path) -> Imported:
    if not hasattr(bpy.types, "IMPORT_SCENE_OT_gltf"):
        raise RigError("Blender's glTF add-on is off: switch 'glTF 2.0 format' on in Edit > Preferences > Add-ons")
    with Recorder() as recorder:
        try:
            bpy.ops.import_scene.gltf(filepath=str(path), bone_heuristic="BLENDER", guess_original_bind_pose=True)
        except RuntimeError as error:
            raise RigError(f"Blender cannot import '{path.name}': {str(error).strip()}") from None
    if recorder.imported is None:
        raise RigError("Blender's glTF importer did not call Supple: switch Supple off and on in Edit > Preferences > Add-ons")
    return recorder.imported


def _make_live(driver: dict[str, Any], imported: Imported, result: Result) -> None:
    name = driver.get("name") or "without a name"
    mesh = imported.meshes.get(driver["node"])
    bones = [imported.bones.get(node) for node in driver["joints"]]
    if mesh is None or None in bones or len({bone.armature for bone in bones}) != 1:
        result.warnings.append(f"the driver '{name}' is left out: it looks at nodes that are no bones of one armature, or moves no mesh of the scene")
        return
    found = bpy.data.objects[mesh.name]
    if found.data.users > 1:  # shape keys belong to the mesh, drivers to one object
        found.data = found.data.copy()
    offsets = [times(conjugate(reference), bone.rest) for reference, bone in zip(driver["reference"], bones)]
    # What is below the rounding of single precision is none: bones at rest then read as exactly that.
    offsets = [[0.0, 0.0, 0.0, 1.0] if sum(v * v for v in one[:3]) < 1e-12 else one for one in offsets]
    first = driver["firstTarget"]
    keys = mesh.keys[first : first + len(driver["restWeights"])]
    armature = bpy.data.objects[bones[0].armature]
    program = compile_driver(driver, offsets, _reach(found, keys))
    result.drivers += install(program, armature, [bone.name for bone in bones], found, keys)
    result.driven_keys += len(keys)


def _points(items: Any) -> np.ndarray:
    result = np.empty(3 * len(items), np.float32)
    items.foreach_get("co", result)
    return result.reshape(-1, 3)


def _reach(mesh: Any, keys: list[str | None]) -> list[float]:
    """How far shape keys move a vertex at most, in sizes of the mesh."""
    blocks = mesh.data.shape_keys.key_blocks
    basis = _points(blocks[0].data)
    size = float(np.ptp(basis, axis=0).max()) or 1.0
    return [float(np.linalg.norm(_points(blocks[key].data) - basis, axis=1).max()) / size if key else 0.0 for key in keys]


def install(program: Program, armature: Any, bones: list[str], mesh: Any, keys: list[str | None]) -> int:
    """Puts a program onto an armature and the shape keys of a mesh object; tells how many drivers that took."""
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
    return made


def _curve_lists(action: Any) -> list[Any]:
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
        for curves in _curve_lists(action):
            for curve in [one for one in curves if one.data_path in paths]:
                curves.remove(curve)
