# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that may be changed in linked characters too, and what several groups of them share."""

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}

#: Frequency in hertz and damping ratio, as `supple add flesh` has them under the same names.
PRESETS = {"soft": (4.0, 0.3), "firm": (7.0, 0.4), "jelly": (2.2, 0.12)}
PRESET_ITEMS = [
    (name, name.capitalize(), f"{what}: {PRESETS[name][0]:g} Hz, damped by {PRESETS[name][1]:g}")
    for name, what in (("soft", "Relaxed muscle and fat"), ("firm", "Tense muscle, an athlete"), ("jelly", "Cartoons and monsters"))
]


def number(name: str, description: str, **options: Any) -> Any:
    return FloatProperty(name=name, description=description, override=OVERRIDABLE, **options)


def vector(name: str, description: str, **options: Any) -> Any:
    return FloatVectorProperty(name=name, description=description, override=OVERRIDABLE, **options)


def count(name: str, description: str, **options: Any) -> Any:
    return IntProperty(name=name, description=description, override=OVERRIDABLE, **options)


def flag(name: str, description: str, **options: Any) -> Any:
    return BoolProperty(name=name, description=description, override=OVERRIDABLE, **options)


def text(name: str, description: str, **options: Any) -> Any:
    return StringProperty(name=name, description=description, override=OVERRIDABLE, **options)
