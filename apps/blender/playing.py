# SPDX-License-Identifier: GPL-3.0-or-later
"""When layers are shown anew: frames, bones that move, files, undo. Every frame is evaluated once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import supple
from bpy.app.handlers import persistent

from . import motion, offsets
from .engine import Layer
from .rig import RigError

_layers: dict[str, Layer] = {}  # by the full name of the armature
_counted = -1  # objects of the file when they were found
_busy = False


def forget() -> None:
    """Another file, or another state of it: everything is found anew."""
    global _counted
    _layers.clear()
    _counted = -1


def layers() -> list[Layer]:
    """Of all armatures that have any."""
    global _counted
    if _counted != len(bpy.data.objects):
        wanted = {one.name_full: one for one in bpy.data.objects if one.type == "ARMATURE" and one.supple.store is not None}
        for name in [one for one in _layers if one not in wanted or _layers[one].block != wanted[one].supple.store.name_full]:
            del _layers[name]
        _separate()
        for name, armature in wanted.items():
            if name not in _layers:
                try:
                    _layers[name] = Layer(armature)
                except (RigError, supple.Error) as error:
                    armature.supple.problem = str(error)
        _counted = len(bpy.data.objects)
    return list(_layers.values())


def _separate() -> None:
    """Copies and overrides of a character share its carriers at first."""
    taken: set[str] = set()
    for mesh in [one for one in bpy.data.objects if one.type == "MESH" and one.supple.vertices]:
        offsets.make_own(mesh, taken)
        carrier = offsets.carrier_of(mesh)
        if carrier is not None:
            taken.add(carrier.name_full)


def layer_of(armature: Any) -> Layer | None:
    layers()
    return _layers.get(armature.name_full)


@contextmanager
def held() -> Iterator[None]:
    """Nothing is shown anew meanwhile: many settings are written at once."""
    global _busy
    before, _busy = _busy, True
    try:
        yield
    finally:
        _busy = before


def show(scene: Any, depsgraph: Any, only: Layer | None = None, arrives: bool = False) -> None:
    """Writes the offsets of the moment that a depsgraph has; `arrives`: its frame was just gone to."""
    if _busy or motion.is_ours(scene):
        return
    with held():
        for layer in layers() if only is None else [only]:
            armature = layer.armature()
            if armature is not None and armature.name in scene.objects:
                _show(layer, armature, scene, depsgraph, arrives)


def _show(layer: Layer, armature: Any, scene: Any, depsgraph: Any, arrives: bool) -> None:
    problem = ""
    try:
        if arrives:
            layer.arrive(scene, depsgraph)
        if armature.supple.live:
            layer.show(scene, depsgraph)
        else:
            layer.hide()
    except (RigError, supple.Error, ValueError, KeyError) as error:
        layer.hide()
        problem = str(error)
    if armature.supple.problem != problem:
        armature.supple.problem = problem
        if problem:
            print(f"Supple: '{armature.name}' is shown without its layers: {problem}")


def refresh() -> None:
    """Shows the scene on screen anew."""
    scene = bpy.context.scene
    if scene is not None and not _busy:
        show(scene, bpy.context.evaluated_depsgraph_get())


def settings_changed(armature: Any) -> None:
    if _busy or not isinstance(armature, bpy.types.Object):
        return
    layer = _layers.get(armature.name_full)
    if layer is not None:
        layer.forget_motion()
        armature.update_tag()  # Blender does that after this call
        refresh()


@persistent
def _on_frame(scene: Any, depsgraph: Any = None) -> None:
    show(scene, depsgraph or bpy.context.evaluated_depsgraph_get(), arrives=True)


@persistent
def _on_update(scene: Any, depsgraph: Any = None) -> None:
    """Something was edited. Bones that move by hand are followed at once; what swings learns of it at the next frame."""
    if _busy or motion.is_ours(scene) or depsgraph is None or not layers():
        return
    touched = {one.id.original for one in depsgraph.updates}
    edited = any(isinstance(one, (bpy.types.Action, bpy.types.Armature)) or (isinstance(one, bpy.types.Object) and one.type != "MESH") for one in touched)
    for layer in layers():
        layer.is_stale |= edited
        armature = layer.armature()
        if armature is None:
            forget()
        elif armature in touched or armature.data in touched:
            show(scene, depsgraph, layer)


@persistent
def _on_state(*_: Any) -> None:
    """A file was opened, or a step undone."""
    forget()
    refresh()


@persistent
def _before_saving(*_: Any) -> None:
    """A file that is opened without the add-on shows what Blender can by itself, at every frame."""
    for layer in layers():
        layer.hide()
    motion.remove()


@persistent
def _after_saving(*_: Any) -> None:
    refresh()


_HANDLERS = {
    "frame_change_post": _on_frame,
    "depsgraph_update_post": _on_update,
    "load_post": _on_state,
    "undo_post": _on_state,
    "redo_post": _on_state,
    "save_pre": _before_saving,
    "save_post": _after_saving,
}


def register() -> None:
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Switched off, in the middle of playing perhaps: characters stand as Blender shows them by itself."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
    try:
        motion.remove()
        for layer in layers():
            layer.hide()
    except AttributeError:
        pass  # Blender is closing: there are no data any more
    forget()
