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
from mathutils import Matrix

from . import flesh, playing
from .driven import drive
from .engine import Keys, Vertices, attach
from .expressions import conjugate, times
from .imported import Imported, Recorder
from .rig import Binding, RigError

EXTENSION = "SUPPLE_deformers"
#: What the engine moves, by its name in files.
ENGINE = {"flesh", "wrinkles", "poseSpace", "deltaMush", "kinodynamics"}


@dataclass
class Result:
    armatures: list[Any] = field(default_factory=list)
    meshes: list[Any] = field(default_factory=list)
    driven_keys: int = 0
    drivers: int = 0  # of Blender, all together
    layers: list[str] = field(default_factory=list)  # that the engine moves, by their names in files
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
    if ENGINE & set(extension):
        _attach(character, imported, extension, result)
    return result


def _attach(character: Any, imported: Imported, extension: dict[str, Any], result: Result) -> None:
    """Layers that the engine moves, on the meshes whose bones are in one armature."""
    if len(result.armatures) != 1:
        result.warnings.append(f"flesh and muscles of the file are not live: it has {len(result.armatures)} armatures, where one is wanted")
        return
    armature = result.armatures[0]
    found = [imported.bones.get(int(node)) for node in character.joint_nodes]
    binding = Binding(character, armature, [one.name if one else None for one in found], [Matrix.Identity(4)] * len(found))
    meshes: dict[str, Vertices] = {}
    keys: dict[str, Keys] = {}
    for number, part in enumerate(character.parts):
        mesh = imported.meshes.get(part.node)
        if mesh is None or not part.is_skinned:
            continue
        places = meshes.setdefault(mesh.name, [])
        at = places[-1][2] + places[-1][3] if places else 0
        places.append([number, 0, at, len(part.positions)])
        keys[mesh.name] = [(part.first_morph_weight + place, key) for place, key in enumerate(mesh.keys) if key is not None]
    for name in list(meshes):
        if meshes[name][-1][2] + meshes[name][-1][3] != len(bpy.data.objects[name].data.vertices):
            result.warnings.append(f"'{name}' is not live: Blender's importer changed its vertices")
            del meshes[name]
    blend = "kinodynamic" if "kinodynamics" in extension else "linear"
    attach([bpy.data.objects[name] for name in meshes], binding, list(meshes.values()), blend, keys)
    if "flesh" in extension:
        flesh.put(armature, flesh.recipe_of(character)["elements"], preset="soft")
    playing.forget()
    playing.refresh()
    result.layers = sorted(ENGINE & set(extension))


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
