# SPDX-License-Identifier: GPL-3.0-or-later
"""What menus and the panel call."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from . import live, rig
from .export import export_gltf
from .jobs import Job, JobOperator


def _tell(operator: Any, result: live.Result) -> None:
    for text in result.warnings:
        operator.report({"WARNING"}, text)
    if result.driven_keys:
        operator.report({"INFO"}, f"{result.driven_keys} shape keys follow the bones, by {result.drivers} drivers")
    if result.layers:
        operator.report({"INFO"}, f"Live by the engine: {', '.join(result.layers)}")
    if not result.driven_keys and not result.layers:
        operator.report({"INFO"}, "Imported; the file has no deformers of Supple")


class SUPPLE_OT_import(bpy.types.Operator, ImportHelper):
    """Import a glTF file; corrections that Supple wrote follow the bones live, by drivers that also work without this add-on"""

    bl_idname = "import_scene.supple"
    bl_label = "Import glTF with Supple"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".glb"
    filter_glob: StringProperty(default="*.glb;*.gltf", options={"HIDDEN"})  # type: ignore[valid-type]

    def execute(self, context: Any) -> set[str]:
        try:
            result = live.import_live(bpy.path.abspath(self.filepath))
        except rig.RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        _tell(self, result)
        return {"FINISHED"}


def improve_job(source: str, effort: str) -> Job:
    """`supple improve`."""
    import supple

    def work(told: Any) -> Any:
        result = supple.improve(source, effort=effort, no_report=True, no_pictures=True, progress=told)
        if not result.ok:
            raise rig.RigError(" ".join(result.text.split()) or "Supple cannot help this character")
        return result

    return Job(work)


class SUPPLE_OT_improve(JobOperator, bpy.types.Operator):
    """Give the active character a better skin: Supple simulates flesh in many poses and learns corrections from it. The result stands beside the original"""

    bl_idname = "supple.improve"
    bl_label = "Improve Skin"
    bl_options = {"REGISTER", "UNDO"}

    effort: EnumProperty(  # type: ignore[valid-type]
        name="Effort",
        items=[
            ("quick", "Quick", "Few poses: about a minute"),
            ("normal", "Normal", "A few minutes"),
            ("thorough", "Thorough", "Many poses"),
        ],
        default="quick",
    )

    def _begin(self, context: Any) -> Job:
        """Exports the active character and starts the job."""
        self._folder = tempfile.TemporaryDirectory(prefix="supple-")
        found = rig.find(context)
        self._original, source = found.armature.name, str(Path(self._folder.name) / "character.glb")
        export_gltf(context, found, Path(source))
        return improve_job(source, self.effort)

    def _finish(self, context: Any, improved: Any) -> None:
        result = live.import_live(str(improved.path))
        original = bpy.data.objects.get(self._original)
        for armature in result.armatures:
            width = max((mesh.dimensions.x for mesh in result.meshes), default=0.0)
            if original is not None and armature.parent is None:
                armature.location.x += 1.2 * width
        _tell(self, result)

    def _clean(self) -> None:
        self._folder.cleanup()


CLASSES = (SUPPLE_OT_import, SUPPLE_OT_improve)
