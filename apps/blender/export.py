# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: plain glTF that plays everywhere, with the drivers of its corrections for run times that can compute them.

Blender's exporter writes the file; weights of driven shape keys are sampled frame by frame into its animations (baking.py), which
it does itself for some meshes only. Drivers are written down beside them (docs/SUPPLE_deformers.md), and the engine reads all of
it and writes it anew.
"""

from __future__ import annotations

import tempfile
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from . import baking, driven, motion, offsets, rig
from .expressions import conjugate, times
from .glb import Glb
from .live import EXTENSION
from .rig import RigError

INFLUENCES = 4  # that engines take without being asked


def export_gltf(context: Any, found: rig.Rig, path: Path, **options: Any) -> None:
    """Writes an armature and its meshes as .glb, by Blender's own exporter. Raises RigError."""
    if not hasattr(bpy.types, "EXPORT_SCENE_OT_gltf"):
        raise RigError("Blender's glTF add-on is off: switch 'glTF 2.0 format' on in Edit > Preferences > Add-ons")
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    motion.remove()  # the exporter writes all scenes
    objects = context.view_layer.objects
    selected, active = [one for one in objects if one.select_get()], objects.active
    try:
        for one in objects:
            one.select_set(one == found.armature or one in found.meshes)
        objects.active = found.armature
        bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", use_selection=True, **options)
    except RuntimeError as error:
        raise RigError(f"Blender cannot export '{found.armature.name}': {str(error).strip()}") from None
    finally:
        for one in objects:
            one.select_set(one in selected)
        objects.active = active


def export_character(context: Any, found: rig.Rig, path: Path, influences: int = INFLUENCES, bake: bool = False) -> list[str]:
    """Writes a character with its clips, .glb or .gltf; what gets lost is told. Raises RigError."""
    import supple

    if not path.parent.is_dir():
        raise RigError(f"There is no folder '{path.parent}': choose one that exists")
    told = _lost(found, influences, bake)
    with tempfile.TemporaryDirectory(prefix="supple-") as folder, ExitStack() as stack:
        sampled = [
            stack.enter_context(baking.sampled(context, found.armature, mesh, bake or baking.is_needed(mesh), influences)) for mesh in found.meshes
        ]
        between = Path(folder) / "character.glb"
        export_gltf(context, found, between, export_all_influences=influences == 0, export_influence_nb=influences or INFLUENCES, export_try_sparse_sk=False)
        file = Glb.read(between)
        entries = [entry for mesh in found.meshes for entry in _drivers(file.document, mesh)]
        for one in sampled:
            baking.write_tracks(file, one)
        _free_skins(file.document)
        if entries:
            file.document.setdefault("extensionsUsed", []).append(EXTENSION)
            file.document.setdefault("extensions", {})[EXTENSION] = {"version": 1, "drivers": entries}
        file.write(between)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about the file between, which nobody sees
            try:
                character = supple.load(between)
                character.save(path)
            except supple.Error as error:
                raise RigError(f"'{path.name}' cannot be written: {error}") from None
    if character.deformers.get("drivers", 0) != len(entries):
        told.append("not all drivers could be written")
    return told


def _lost(found: rig.Rig, influences: int, bake: bool) -> list[str]:
    """What of a character glTF does not take."""
    result = []
    for mesh in found.meshes:
        bake = bake or baking.is_needed(mesh)
        shown = [one for one in mesh.modifiers if one.show_viewport]
        lost = [one.name for one in shown if one.type not in (baking.DEFORMING if bake else {"ARMATURE"}) and not offsets.is_ours(one)]
        if lost:
            result.append(f"modifiers of '{mesh.name}' are left out: {', '.join(lost)}" + (" (Bake Modifiers puts those in that add no vertices)" if not bake else ""))
        if not bake:
            if any(one.type == "ARMATURE" and one.use_deform_preserve_volume for one in shown):
                result.append(f"Preserve Volume of '{mesh.name}' is left out, engines blend linearly (Bake Modifiers puts it in)")
        most = (rig.weights(mesh, [bone.name for bone in found.armature.data.bones if bone.use_deform]) > 0).sum(axis=1).max()
        if influences and most > influences and not bake:
            result.append(f"vertices of '{mesh.name}' follow up to {most} bones, of which {influences} are kept: Weights > Limit Total shows what that does")
    return result


def _drivers(document: dict[str, Any], mesh: Any) -> list[dict[str, Any]]:
    """Drivers of a mesh object's shape keys, as SUPPLE_deformers has them."""
    nodes = document["nodes"]
    joints = {nodes[joint]["name"]: joint for skin in document.get("skins", []) for joint in skin["joints"]}
    number = next((i for i, node in enumerate(nodes) if "mesh" in node and node.get("name") == mesh.name), None)
    if number is None:
        return []
    described = document["meshes"][nodes[number]["mesh"]]
    targets = described.get("extras", {}).get("targetNames", [])
    result = []
    for entry in driven.record(mesh):
        if not all(bone in joints for bone in entry["bones"]):
            continue
        places = [targets.index(key) if key in targets else None for key in entry["keys"]]
        # A viewer that plays nothing shows the skin at rest.
        for place, weight in zip(places, entry["restWeights"]):
            if place is not None and "weights" in described:
                described["weights"][place] = weight
        rests = [nodes[joints[bone]].get("rotation", [0.0, 0.0, 0.0, 1.0]) for bone in entry["bones"]]
        common = {name: value for name, value in entry.items() if name not in ("origin", "number", "armature", "bones", "offsets", "keys")}
        common |= {
            "node": number,
            "joints": [joints[bone] for bone in entry["bones"]],
            "reference": [times(rest, conjugate(offset)) for rest, offset in zip(rests, entry["offsets"])],
        }
        result += [
            {
                **common,
                "firstTarget": places[run[0]],
                "coefficients": [[row[i] for i in run] for row in entry["coefficients"]],
                **{name: [entry[name][i] for i in run] for name in ("restWeights", "least", "most") if name in entry},
            }
            for run in _runs(places)
        ]
    return result


def _free_skins(document: dict[str, Any]) -> None:
    """Nodes of skinned meshes stand at the root, without a place of their own: both do nothing to a skin, and validators warn of it."""
    for number, node in enumerate(document["nodes"]):
        if "skin" not in node or "children" in node:
            continue
        for name in ("translation", "rotation", "scale", "matrix"):
            node.pop(name, None)
        for parent in document["nodes"]:
            if number in parent.get("children", []):
                parent["children"].remove(number)
                document["scenes"][document.get("scene", 0)]["nodes"].append(number)
                if not parent["children"]:
                    del parent["children"]


def _runs(places: list[int | None]) -> list[list[int]]:
    """Positions in a list, those together whose places follow on each other."""
    result: list[list[int]] = []
    for i, place in enumerate(places):
        if place is None:
            continue
        if result and result[-1][-1] == i - 1 and places[i - 1] == place - 1:
            result[-1].append(i)
        else:
            result.append([i])
    return result


class SUPPLE_OT_export(bpy.types.Operator, ExportHelper):
    """Write the active character as plain glTF that plays in every engine: shape keys sampled into its clips, drivers beside them"""

    bl_idname = "export_scene.supple"
    bl_label = "Export glTF with Supple"

    filename_ext = ".glb"
    filter_glob: StringProperty(default="*.glb;*.gltf", options={"HIDDEN"})  # type: ignore[valid-type]
    check_extension = None  # .gltf is as good
    influences: IntProperty(  # type: ignore[valid-type]
        name="Bones a Vertex", description="Bones that a vertex may follow; many engines take 4. 0 keeps all", default=INFLUENCES, min=0, max=16
    )
    bake: BoolProperty(  # type: ignore[valid-type]
        name="Bake Modifiers", description="Put what other modifiers and Preserve Volume do in the clips into shape keys of their own"
    )

    def execute(self, context: Any) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        if path.suffix not in (".glb", ".gltf"):
            path = path.with_name(path.name + self.filename_ext)
        try:
            told = export_character(context, rig.find(context), path, self.influences, self.bake)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for text in told:
            self.report({"WARNING"}, text)
        self.report({"INFO"}, f"'{path.name}' is written")
        return {"FINISHED"}


def menu(self: Any, context: Any) -> None:
    self.layout.operator("export_scene.supple", text="glTF with Supple (.glb/.gltf)")


CLASSES = (SUPPLE_OT_export,)
