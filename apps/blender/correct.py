# SPDX-License-Identifier: GPL-3.0-or-later
"""Correct: examples of how a mesh should look in some poses, and corrections that are learnt from them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.props import EnumProperty, StringProperty

from . import corrections, driven, examples, shapes
from .jobs import Job, JobOperator
from .rig import RigError


@contextmanager
def object_mode(mesh: Any) -> Iterator[None]:
    """Shape keys can be read and made in object mode only; sculpting or editing goes on afterwards."""
    mode = mesh.mode
    if mode != "OBJECT":
        with bpy.context.temp_override(active_object=mesh, object=mesh):
            bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        if mode != "OBJECT" and bpy.context.view_layer.objects.active == mesh:
            bpy.ops.object.mode_set(mode=mode)


def show_key(mesh: Any, key: str) -> None:
    """Shows one shape key alone, at its full value, to be sculpted."""
    blocks = mesh.data.shape_keys.key_blocks
    blocks[key].mute = False
    mesh.active_shape_key_index = blocks.find(key)
    mesh.show_only_shape_key = True


class _Operator(bpy.types.Operator):
    """What fails is reported with its remedy."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        try:
            armature, mesh = examples.chosen(context)
            with object_mode(mesh):
                self.report({"INFO"}, self.work(context, armature, mesh))
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class SUPPLE_OT_add_example(_Operator):
    """Say how the mesh should look in the pose that the armature stands in"""

    bl_idname = "supple.add_example"
    bl_label = "Add Example"

    source: EnumProperty(  # type: ignore[valid-type]
        name="Shape",
        items=[
            ("NEW_KEY", "New Shape Key", "A new shape key to sculpt into, which begins with the skin as it is now"),
            ("ACTIVE_KEY", "Active Shape Key", "The shape key that is active, as it is"),
            ("COPY", "Posed Copy", "A copy of the posed mesh to sculpt; it may be moved aside"),
            ("SELECTED", "Selected Meshes", "Other meshes that are selected, as they stand there: sculpted copies of this mesh in this pose"),
        ],
        default="NEW_KEY",
    )
    name: StringProperty(name="Name", description="Of the example; otherwise after the bone that is turned most")  # type: ignore[valid-type]

    def work(self, context: Any, armature: Any, mesh: Any) -> str:
        if armature.data.pose_position == "REST":
            raise RigError(f"'{armature.name}' shows its rest position: switch it to Pose Position, in its data properties")
        pose = examples.pose_name(armature, mesh)
        others = [one for one in context.selected_objects if one.type == "MESH" and one != mesh] if self.source == "SELECTED" else [None]
        if not others:
            raise RigError(f"No other mesh is selected: select sculpted copies of '{mesh.name}', then '{mesh.name}' itself last")
        for other in others:
            if other is not None:
                examples.same_topology(mesh, other)
        key = self._active_key(mesh) if self.source == "ACTIVE_KEY" else ""
        if self.source == "COPY":
            others = [self._posed_copy(context, mesh)]
        for other in others:
            example = mesh.supple_correct.examples.add()
            examples.store_pose(example, armature)
            example.name = _unique(self.name or (other.name if self.source == "SELECTED" else key or pose), mesh, example)
            example.kind, example.mesh, example.moved = "MESH" if other else "KEY", other, self.source == "COPY"
            if other is None:
                example.key = key or self._new_key(mesh, example.name)
            elif self.source == "COPY":
                other.name = other.data.name = f"{mesh.name} {example.name}"
        mesh.supple_correct.active = len(mesh.supple_correct.examples) - 1
        if self.source in ("NEW_KEY", "COPY"):
            return f"Sculpt '{example.key or example.mesh.name}', then press Fit"
        return f"'{mesh.name}' has {len(mesh.supple_correct.examples)} examples"

    @staticmethod
    def _active_key(mesh: Any) -> str:
        block = mesh.active_shape_key
        keys = mesh.data.shape_keys
        if block is None or block == keys.reference_key:
            raise RigError(f"'{mesh.name}' has no active shape key but the basis: choose the sculpted one in the mesh's properties")
        if keys.animation_data and any(one.data_path == block.path_from_id("value") for one in keys.animation_data.drivers):
            raise RigError(f"The shape key '{block.name}' has a driver already: delete it (right click on its value), or choose another shape key")
        return block.name

    @staticmethod
    def _new_key(mesh: Any, name: str) -> str:
        begin = examples.mixed_offsets(mesh, driven.driven_keys(mesh))  # corrections that there are go on to be seen
        if mesh.data.shape_keys is None:
            mesh.shape_key_add(name="Basis")
        block = mesh.shape_key_add(name=name, from_mix=False)
        block.value = 0.0
        block.data.foreach_set("co", (examples.rest_points(mesh) + begin).ravel())
        show_key(mesh, block.name)
        return block.name

    @staticmethod
    def _posed_copy(context: Any, mesh: Any) -> Any:
        with shapes.bent_copy(mesh) as bent:
            middle, matrices = bent.bending()
        begin = examples.mixed_offsets(mesh, driven.driven_keys(mesh))
        data = bpy.data.meshes.new_from_object(mesh, preserve_all_data_layers=True)  # without shape keys
        copy = bpy.data.objects.new(mesh.name, data)
        context.collection.objects.link(copy)
        data.vertices.foreach_set("co", (middle + np.einsum("vij,vj->vi", matrices, begin)).astype(np.float32).ravel())
        data.update()
        copy.matrix_world = mesh.matrix_world
        return copy


def _unique(name: str, mesh: Any, example: Any) -> str:
    taken = {one.name for one in mesh.supple_correct.examples if one != example}
    number, result = 1, name
    while result in taken:
        number += 1
        result = f"{name} ({number})"
    return result


class SUPPLE_OT_remove_example(_Operator):
    """Forget the example that is chosen in the list. Its shape key or mesh stays; corrections stay until the next fit"""

    bl_idname = "supple.remove_example"
    bl_label = "Remove Example"

    def work(self, context: Any, armature: Any, mesh: Any) -> str:
        settings = mesh.supple_correct
        example = _active(mesh)
        if example.kind == "SIMULATED" and example.simulated is not None:
            bpy.data.meshes.remove(example.simulated)
        if example.kind == "KEY":
            mesh.show_only_shape_key = False
        name = example.name
        settings.examples.remove(settings.active)
        settings.active = max(0, min(settings.active, len(settings.examples) - 1))
        return f"'{name}' is no example any more"


class SUPPLE_OT_pose_example(_Operator):
    """Bring the armature into the pose of the example that is chosen in the list, and show its shape to sculpt on"""

    bl_idname = "supple.pose_example"
    bl_label = "Show Example"

    def work(self, context: Any, armature: Any, mesh: Any) -> str:
        example = _active(mesh)
        examples.put_pose(example, armature)
        blocks = mesh.data.shape_keys.key_blocks if mesh.data.shape_keys else {}
        if example.kind == "KEY" and example.key in blocks:
            show_key(mesh, example.key)
            return f"The shape key '{example.key}' is shown alone; Fit shows all again"
        mesh.show_only_shape_key = False
        return f"'{armature.name}' is in the pose of '{example.name}'"


def _active(mesh: Any) -> Any:
    settings = mesh.supple_correct
    if not 0 <= settings.active < len(settings.examples):
        raise RigError(f"No example of '{mesh.name}' is chosen: choose one in the list")
    return settings.examples[settings.active]


class SUPPLE_OT_fit(JobOperator, bpy.types.Operator):
    """Learn corrections from the examples: shape keys of this mesh that follow the bones, by drivers that need no add-on"""

    bl_idname = "supple.fit"
    bl_label = "Fit"
    bl_options = {"REGISTER", "UNDO"}

    _folder: Any = None

    def _begin(self, context: Any) -> Job:
        armature, mesh = examples.chosen(context)
        self._names = armature.name, mesh.name
        with object_mode(mesh):
            self._shapes = shapes.gather(armature, mesh)
        if np.abs(self._shapes.positions - self._shapes.linear).max() <= 1e-6 * np.ptp(self._shapes.linear, axis=(0, 1)).max():
            raise RigError(f"No example of '{mesh.name}' differs from what the armature does by itself: sculpt them first")
        self._folder = tempfile.TemporaryDirectory(prefix="supple-")
        return corrections.fit_job(self._shapes, Path(self._folder.name))

    def _finish(self, context: Any, result: Any) -> None:
        armature, mesh = (bpy.data.objects.get(name) for name in self._names)
        if armature is None or mesh is None:
            raise RigError(f"'{self._names[1]}' was deleted meanwhile")
        fitted = result.character
        errors = corrections.measure(self._shapes, fitted)
        if errors.after.mean() >= errors.before.mean():
            raise RigError(
                f"Corrections would be worse than none: the mean error goes from {errors.before.mean():.4g} to {errors.after.mean():.4g}. "
                "Examples that contradict each other are the usual reason: take one out"
            )
        with object_mode(mesh):
            mesh.show_only_shape_key = False
            drivers = corrections.put_on(mesh, armature, self._shapes, Path(result.path), fitted)
        self._write_down(mesh, errors, result.figures.verdict)
        for text in self._job.warnings:
            if not text.startswith("--"):  # about options that nobody chose here
                self.report({"WARNING"}, text)
        keys = len(driven.driven_keys(mesh, "fit"))
        self.report({"INFO"}, f"Mean error {errors.before.mean():.3g} -> {errors.after.mean():.3g}: {keys} shape keys follow the bones, by {drivers} drivers")

    def _write_down(self, mesh: Any, errors: corrections.Errors, verdict: str) -> None:
        settings = mesh.supple_correct
        worst, settings.worst_vertex = errors.worst()
        settings.worst_example = self._shapes.names[worst]
        settings.fitted, settings.verdict = len(self._shapes.names), verdict
        settings.mean_before, settings.mean_after = errors.before.mean(), errors.after.mean()
        settings.worst_before, settings.worst_after = errors.before.max(), errors.after.max()
        for example in settings.examples:
            if example.name in self._shapes.names:
                number = self._shapes.names.index(example.name)
                example.before, example.after = errors.before[number].max(), errors.after[number].max()
                if example.kind == "KEY":  # the corrections have it now
                    mesh.data.shape_keys.key_blocks[example.key].mute = True

    def _clean(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


class SUPPLE_OT_remove_corrections(_Operator):
    """Take all corrections out of the mesh again: shape keys, their drivers and properties. Examples stay"""

    bl_idname = "supple.remove_corrections"
    bl_label = "Remove Corrections"

    def work(self, context: Any, armature: Any, mesh: Any) -> str:
        if not driven.record(mesh):
            raise RigError(f"'{mesh.name}' has no corrections of Supple")
        return f"{corrections.remove(mesh, armature)} shape keys are removed"


CLASSES = (SUPPLE_OT_add_example, SUPPLE_OT_remove_example, SUPPLE_OT_pose_example, SUPPLE_OT_fit, SUPPLE_OT_remove_corrections)
