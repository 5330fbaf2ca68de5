# SPDX-License-Identifier: GPL-3.0-or-later
"""What menus and the panel call."""

from __future__ import annotations

import tempfile
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

from . import live, rig


def _tell(operator: Any, result: live.Result) -> None:
    for text in result.warnings:
        operator.report({"WARNING"}, text)
    if result.driven_keys:
        operator.report({"INFO"}, f"{result.driven_keys} shape keys follow the bones, by {result.drivers} drivers")
    else:
        operator.report({"INFO"}, "Imported; the file has no drivers of Supple")


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


STOPPED = "Stopped"


class _Stopped(Exception):
    pass


class ImproveJob:
    """`supple improve` on a thread of its own, which touches nothing of Blender."""

    def __init__(self, source: str, effort: str) -> None:
        self.stop = False
        self.progress = ("starting", 0.0)  # stage, and how much of it is done
        self.result: Any = None
        self.problem: str | None = None
        self._thread = threading.Thread(target=self._work, args=(source, effort))
        self._thread.start()

    def runs(self) -> bool:
        return self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join()

    def _told(self, stage: str, part: float) -> None:
        self.progress = (stage, part)
        if self.stop:
            raise _Stopped

    def _work(self, source: str, effort: str) -> None:
        import supple

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are about the file between, which nobody sees
                self.result = supple.improve(source, effort=effort, no_report=True, no_pictures=True, progress=self._told)
            if not self.result.ok:
                self.problem = " ".join(self.result.text.split()) or "Supple cannot help this character"
        except _Stopped:
            self.problem = STOPPED
        except supple.Error as error:
            self.problem = str(error)
        except Exception:  # a fault of ours: the console has the rest
            traceback.print_exc()
            self.problem = "Supple failed; the system console says where"


class SUPPLE_OT_improve(bpy.types.Operator):
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

    def execute(self, context: Any) -> set[str]:
        """At once, for scripts and Blender without windows."""
        if not self._begin(context):
            return {"CANCELLED"}
        self._job.wait()
        return self._finish(context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if not self._begin(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "ESC":
            self._job.stop = True
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        stage, part = self._job.progress
        context.window_manager.progress_update(100 * part)
        context.workspace.status_text_set("Supple is stopping" if self._job.stop else f"Supple: {stage}, {100 * part:.0f} % (Esc stops it)")
        if self._job.runs():
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return self._finish(context)

    def cancel(self, context: Any) -> None:
        """Blender is closed meanwhile."""
        self._job.stop = True
        self._job.wait()

    def _begin(self, context: Any) -> bool:
        """Exports the active character and starts the job."""
        self._folder = tempfile.TemporaryDirectory(prefix="supple-")
        try:
            found = rig.find(context)
            self._original, source = found.armature.name, str(Path(self._folder.name) / "character.glb")
            _export(context, found, source)
        except rig.RigError as error:
            self.report({"ERROR"}, str(error))
            self._folder.cleanup()
            return False
        self._job = ImproveJob(source, self.effort)
        return True

    def _finish(self, context: Any) -> set[str]:
        with self._folder:
            if self._job.problem is not None:
                self.report({"WARNING" if self._job.problem == STOPPED else "ERROR"}, self._job.problem)
                return {"CANCELLED"}
            try:
                result = live.import_live(str(self._job.result.path))
            except rig.RigError as error:
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        original = bpy.data.objects.get(self._original)
        for armature in result.armatures:
            width = max((mesh.dimensions.x for mesh in result.meshes), default=0.0)
            if original is not None and armature.parent is None:
                armature.location.x += 1.2 * width
        _tell(self, result)
        return {"FINISHED"}


def _export(context: Any, found: rig.Rig, path: str) -> None:
    """Writes an armature and its meshes as glTF, by Blender's own exporter."""
    if not hasattr(bpy.types, "EXPORT_SCENE_OT_gltf"):
        raise rig.RigError("Blender's glTF add-on is off: switch 'glTF 2.0 format' on in Edit > Preferences > Add-ons")
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    objects = context.view_layer.objects
    selected, active = [one for one in objects if one.select_get()], objects.active
    try:
        for one in objects:
            one.select_set(one == found.armature or one in found.meshes)
        objects.active = found.armature
        bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", use_selection=True)
    except RuntimeError as error:
        raise rig.RigError(f"Blender cannot export '{found.armature.name}': {str(error).strip()}") from None
    finally:
        for one in objects:
            one.select_set(one in selected)
        objects.active = active


CLASSES = (SUPPLE_OT_import, SUPPLE_OT_improve)
