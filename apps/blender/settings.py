# SPDX-License-Identifier: GPL-3.0-or-later
"""What a .blend keeps of our layers: ordinary properties of objects, which take keys and drivers."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from .properties import OVERRIDABLE

EARTH = 9.81  # m/s^2


def _changed(self: Any, context: Any) -> None:
    """Show what was set: the motion is played anew with it."""
    from . import playing

    playing.settings_changed(self.id_data)


def live_number(name: str, text: str, default: float, low: float, high: float, **options: Any) -> Any:
    """A keyframeable number that may be changed in linked characters too."""
    return FloatProperty(name=name, description=text, default=default, min=low, soft_max=high, override=OVERRIDABLE, update=_changed, **options)


class SuppleFleshElement(bpy.types.PropertyGroup):
    """Springs of one body part. The name is the element's."""

    driver: StringProperty(name="Driver", description="Bone whose flesh swings")  # type: ignore[valid-type]
    recipe: StringProperty(description="The element as it was proposed, JSON", options={"HIDDEN"})  # type: ignore[valid-type]
    frequency: live_number("Frequency", "How fast it swings: hertz, without damping", 3.0, 0.1, 20.0)  # type: ignore[valid-type]
    damping: live_number("Damping", "How soon it stops: 0 swings for ever, 1 does not swing", 0.3, 0.0, 2.0)  # type: ignore[valid-type]
    gravity: live_number("Gravity", "Times that of the earth", 1.0, -10.0, 10.0)  # type: ignore[valid-type]
    gain: live_number("Gain", "How much of the swinging is shown", 1.0, 0.0, 3.0)  # type: ignore[valid-type]


class SuppleSettings(bpy.types.PropertyGroup):
    """Of an armature, but for what a mesh object has."""

    store: PointerProperty(type=bpy.types.Mesh, options={"HIDDEN"}, override=OVERRIDABLE)  # type: ignore[valid-type]
    vertices: StringProperty(description="Of a mesh object: its place in the engine's character, JSON", options={"HIDDEN"}, override=OVERRIDABLE)  # type: ignore[valid-type]
    keys: StringProperty(description="Of a mesh object: which shape keys are morph targets of the engine's character, JSON", options={"HIDDEN"}, override=OVERRIDABLE)  # type: ignore[valid-type]
    native: StringProperty(description="How Blender bends the skin by itself: linear or dual", default="linear", options={"HIDDEN"}, override=OVERRIDABLE)  # type: ignore[valid-type]
    blend: StringProperty(default="linear", options={"HIDDEN"}, override=OVERRIDABLE)  # type: ignore[valid-type]
    problem: StringProperty(options={"HIDDEN", "SKIP_SAVE"})  # type: ignore[valid-type]
    live: BoolProperty(name="Live", description="Show the layers that the engine moves", default=True, override=OVERRIDABLE, update=_changed)  # type: ignore[valid-type]
    dynamics: EnumProperty(  # type: ignore[valid-type]
        name="Dynamics",
        items=[
            ("OFF", "Off", "Flesh and muscles hang as the pose lets them, at every frame"),
            ("WINDOW", "Window", "Every frame is played from a few frames before it: any frame of the longest timeline at once"),
            ("RANGE", "Range", "The frames of the scene are played from the first one; cycles close"),
        ],
        default="RANGE",
        override=OVERRIDABLE,
        update=_changed,
    )
    window: IntProperty(name="Window", description="Frames before the one shown that dynamics know of; 0: none", default=24, min=0, soft_max=100, override=OVERRIDABLE, update=_changed)  # type: ignore[valid-type]
    loop: EnumProperty(  # type: ignore[valid-type]
        name="Loop",
        items=[
            ("auto", "Auto", "Where the last frame of the scene has the pose of the first"),
            ("on", "On", "The last frame of the scene is the first again"),
            ("off", "Off", "The scene begins at rest"),
        ],
        default="auto",
        override=OVERRIDABLE,
        update=_changed,
    )
    gravity: live_number("Gravity", "Times that of the scene, for all flesh and muscles", 1.0, -10.0, 10.0)  # type: ignore[valid-type]
    flesh: CollectionProperty(type=SuppleFleshElement, override=OVERRIDABLE)  # type: ignore[valid-type]
    flesh_index: IntProperty(options={"HIDDEN"})  # type: ignore[valid-type]


def gravity_of(scene: Any, armature: Any, factor: float, unit: float) -> list[float]:
    """m/s^2 as the engine counts, its axes, in units of its character."""
    x, y, z = scene.gravity if scene.use_gravity else (0.0, 0.0, 0.0)
    factor *= armature.supple.gravity / unit
    return [x * factor, z * factor, -y * factor]


def flesh_values(scene: Any, armature: Any, unit: float) -> dict[str, dict[str, Any]]:
    """Settings of all elements at the frame that an (evaluated) armature is at."""
    return {
        one.name: {
            "frequency": one.frequency,
            "damping_ratio": one.damping,
            "gain": one.gain,
            "gravity": gravity_of(scene, armature, one.gravity, unit),
        }
        for one in armature.supple.flesh
    }


CLASSES = (SuppleFleshElement, SuppleSettings)


def register() -> None:
    bpy.types.Object.supple = PointerProperty(type=SuppleSettings, override=OVERRIDABLE)


def unregister() -> None:
    del bpy.types.Object.supple
