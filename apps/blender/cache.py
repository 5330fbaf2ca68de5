# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking: offsets of all frames in a file, which Blender plays by itself (Mesh Cache), on any machine, without the add-on.

The carrier of a mesh object is baked, not the mesh: what follows the modifier goes on, and a baked frame is the live one to the
last bit.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.props import StringProperty

from . import engine, motion, offsets, playing, rig

STEP = 0.04  # seconds of work between two looks at the keyboard


def write_mdd(path: Path, frames: np.ndarray, rate: float) -> None:
    """(F, V, 3) as MDD, whole or not at all."""
    header = np.array(frames.shape[:2], ">i4").tobytes() + (np.arange(len(frames)) / rate).astype(">f4").tobytes()
    unfinished = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(header + frames.astype(">f4").tobytes())
        os.replace(unfinished, path)
    except OSError as error:
        if unfinished.is_file():
            unfinished.unlink()
        raise rig.RigError(f"'{path}' cannot be written: {error.strerror}") from None


def play_file(mesh: Any, path: str, first: int) -> None:
    """Lets the carrier of a mesh object play a cache."""
    carrier = offsets.carrier_of(mesh)
    modifier = carrier.modifiers.get(offsets.CACHE) or carrier.modifiers.new(offsets.CACHE, "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "MDD", path
    modifier.frame_start, modifier.interpolation = first, "LINEAR"
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"


def free(mesh: Any) -> None:
    if offsets.is_baked(mesh):
        modifiers = offsets.carrier_of(mesh).modifiers
        modifiers.remove(modifiers[offsets.CACHE])


class Baker:
    """Offsets of a scene's frames, one after the other."""

    def __init__(self, scene: Any, armature: Any) -> None:
        found = playing.layer_of(armature)
        if found is None:
            raise rig.RigError(armature.supple.problem or f"'{armature.name}' has no layers that could be baked: propose flesh first")
        self.layer, self.scene = found, scene
        self.first, self.count = scene.frame_start, scene.frame_end - scene.frame_start + 1
        self.done = 0
        self._frames: dict[str, list[np.ndarray]] = {}

    def step(self, seconds: float | None = None) -> bool:
        """Bakes for that long, or to the end; whether that is reached."""
        until = None if seconds is None else time.perf_counter() + seconds
        objects = [self.layer.armature(), *(mesh for one in self.layer.meshes if (mesh := one.find()) is not None and one.needs_depsgraph(mesh))]
        frames = range(self.first + self.done, self.first + self.count)

        def within(depsgraph: Any) -> None:
            frame = self.first + self.done
            for mesh, values in self.layer.offsets(self.scene, depsgraph, frame):
                self._frames.setdefault(mesh.name, []).append(values)
            self.done += 1

        with playing.held():
            for frame in frames:
                motion.sample(self.scene, objects, [frame], within, keep=True)
                if until is not None and time.perf_counter() > until:
                    break
        if self.done == self.count:
            motion.remove()
        return self.done == self.count

    def write(self, folder: Path) -> list[tuple[Any, Path]]:
        rate = self.scene.render.fps / self.scene.render.fps_base
        written = []
        for name, frames in self._frames.items():
            path = folder / f"{bpy.path.clean_name(self.layer.armature_name)}-{bpy.path.clean_name(name)}.mdd"
            write_mdd(path, np.stack(frames), rate)
            written.append((bpy.data.objects[name], path))
        return written


class SUPPLE_OT_bake(bpy.types.Operator):
    """Write the layers of all frames of the scene into files that Blender plays by itself: for render farms, and for people without this add-on"""

    bl_idname = "supple.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    folder: StringProperty(name="Folder", description="Where the files go; beside the scene's own where nothing is said", subtype="DIR_PATH")  # type: ignore[valid-type]

    def _begin(self, context: Any) -> bool:
        armature = rig.active_armature(context)
        try:
            if armature is None:
                raise rig.RigError("Nothing to bake: click on an armature that has layers of Supple, or on its mesh")
            if not self.folder and not bpy.data.filepath:
                raise rig.RigError("The scene has no file yet: save it, or choose a folder for the cache")
            for mesh in engine.attached(armature):
                free(mesh)
            self._baker = Baker(context.scene, armature)
        except rig.RigError as error:
            self.report({"ERROR"}, str(error))
            return False
        return True

    def _end(self, context: Any) -> set[str]:
        inside = self.folder or f"//{Path(bpy.data.filepath).stem}-supple"
        try:
            written = self._baker.write(Path(bpy.path.abspath(inside)))
        except rig.RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for mesh, path in written:
            play_file(mesh, bpy.path.relpath(str(path)) if bpy.data.filepath else str(path), self._baker.first)
        self.report({"INFO"}, f"{self._baker.count} frames of {', '.join(mesh.name for mesh, _ in written)} baked")
        return {"FINISHED"}

    def execute(self, context: Any) -> set[str]:
        if not self._begin(context):
            return {"CANCELLED"}
        try:
            self._baker.step()
        except (rig.RigError, ValueError, KeyError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return self._end(context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if not self._begin(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.progress_begin(0, self._baker.count)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type not in ("ESC", "TIMER"):
            return {"PASS_THROUGH"}
        try:
            finished = event.type == "TIMER" and self._baker.step(STEP)
            problem = "Stopped" if event.type == "ESC" else None
        except (rig.RigError, ValueError, KeyError) as error:
            finished, problem = False, str(error)
        context.window_manager.progress_update(self._baker.done)
        context.workspace.status_text_set(f"Supple: frame {self._baker.done} of {self._baker.count} (Esc stops it)")
        if not finished and problem is None:
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        if problem is not None:
            motion.remove()
            self.report({"WARNING"}, problem)
            return {"CANCELLED"}
        return self._end(context)


class SUPPLE_OT_bake_free(bpy.types.Operator):
    """Forget the cache: the layers are live again. Its files stay"""

    bl_idname = "supple.bake_free"
    bl_label = "Free Bake"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        armature = rig.active_armature(context)
        for mesh in engine.attached(armature) if armature is not None else []:
            free(mesh)
        playing.refresh()
        return {"FINISHED"}


CLASSES = (SUPPLE_OT_bake, SUPPLE_OT_bake_free)
