# SPDX-License-Identifier: GPL-3.0-or-later
"""Supple in Blender: characters whose skin behaves, without leaving it. See docs/blender.md of the project."""

from __future__ import annotations

from typing import Any

import bpy

from . import (
    cache,
    correct,
    correct_panel,
    examples,
    export,
    flesh,
    flesh_bones,
    jobs,
    kinodynamic_edit,
    kinodynamic_operators,
    kinodynamic_panel,
    kinodynamic_settings,
    operators,
    panel,
    playing,
    settings,
    simulate,
)
from .imported import glTF2ImportUserExtension  # noqa: F401: Blender's glTF importer looks for it here

CLASSES = (
    *settings.CLASSES,
    *examples.CLASSES,
    *kinodynamic_settings.CLASSES,
    *operators.CLASSES,
    *correct.CLASSES,
    *simulate.CLASSES,
    *export.CLASSES,
    *cache.CLASSES,
    *flesh_bones.CLASSES,
    *kinodynamic_operators.CLASSES,
    *kinodynamic_edit.CLASSES,
    *panel.CLASSES,
    *correct_panel.CLASSES,
    *flesh.CLASSES,
    *kinodynamic_panel.CLASSES,
)


def draw_import(context: Any, layout: Any) -> None:
    """Blender's glTF importer asks add-ons for settings to show; there are none."""


def register() -> None:
    for one in CLASSES:
        bpy.utils.register_class(one)
    settings.register()
    kinodynamic_settings.register()
    playing.register()
    examples.register()
    bpy.types.TOPBAR_MT_file_import.append(panel.menu)
    bpy.types.TOPBAR_MT_file_export.append(export.menu)


def unregister() -> None:
    jobs.stop_all()
    bpy.types.TOPBAR_MT_file_import.remove(panel.menu)
    bpy.types.TOPBAR_MT_file_export.remove(export.menu)
    examples.unregister()
    playing.unregister()
    kinodynamic_settings.unregister()
    settings.unregister()
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
