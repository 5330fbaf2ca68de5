# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an armature is at other frames than the one that is shown.

A second scene holds the armatures alone; its frame goes to and fro while that of the scene on screen stays. Bones have what
they are animated by there: keys, constraints, drivers, the objects they look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import bpy

SCENE = "Supple motion"  # made as it is needed, gone again before anyone saves or exports it
IDLE = 1.0  # seconds after which it goes where it was to be kept

Sample = Callable[[Any], Any]  # of a depsgraph


def is_ours(scene: Any) -> bool:
    return scene.name.startswith(SCENE)


def _scene(of: Any, objects: Iterable[Any]) -> Any:
    scene = next((one for one in bpy.data.scenes if is_ours(one)), None) or bpy.data.scenes.new(SCENE)
    scene.render.fps, scene.render.fps_base = of.render.fps, of.render.fps_base
    scene.frame_start, scene.frame_end = of.frame_start, of.frame_end
    linked = scene.collection.objects
    for one in objects:
        if one.name not in linked:
            linked.link(one)
    return scene


def sample(scene: Any, objects: list[Any], frames: Iterable[int], what: Sample, keep: bool = False) -> list[Any]:
    """What `what` says at frames of a scene, of a depsgraph that has the objects. `keep`: the next frame is asked for soon."""
    hidden = _scene(scene, objects)
    result = []
    for frame in frames:
        hidden.frame_set(frame)
        result.append(what(hidden.view_layers[0].depsgraph))
    if not keep:
        remove()
    elif not bpy.app.background:
        if bpy.app.timers.is_registered(remove):
            bpy.app.timers.unregister(remove)
        bpy.app.timers.register(remove, first_interval=IDLE)
    return result


def remove() -> None:
    for scene in [one for one in bpy.data.scenes if is_ours(one)]:
        if len(bpy.data.scenes) > 1:
            bpy.data.scenes.remove(scene)
