# SPDX-License-Identifier: GPL-3.0-or-later
"""Files with SUPPLE_deformers become live: drivers of Blender, which need neither this add-on nor Python.

How drivers are made is in driven.py.
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

from .driven import drive
from .expressions import conjugate, times
from .imported import Imported, Recorder
from .rig import RigError

EXTENSION = "SUPPLE_deformers"
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
    result.drivers += drive(driver, offsets, armature, [bone.name for bone in bones], found, keys, origin="file")
    result.driven_keys += len(keys)
