# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel "Supple" of the sidebar (N) of the 3D view, and the line in File > Import."""

from __future__ import annotations

from typing import Any

import bpy

from . import rig


class SUPPLE_PT_main(bpy.types.Panel):
    bl_label = "Supple"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"

    def draw(self, context: Any) -> None:
        layout = self.layout
        layout.operator("import_scene.supple", text="Import glTF", icon="IMPORT")
        column = layout.column(align=True)
        armature = rig.active_armature(context)
        if armature is None:
            column.label(text="Choose an armature or its mesh", icon="INFO")
            return
        column.label(text=armature.name, icon="ARMATURE_DATA")
        drivers = armature.animation_data.drivers if armature.animation_data else []
        ours = sum(one.data_path.startswith('["supple ') for one in drivers)
        column.label(text=f"{ours} drivers of Supple" if ours else "No drivers of Supple")
        if armature.supple.store is not None:
            self._draw_layers(armature.supple)
        column.operator_menu_enum("supple.improve", "effort", text="Improve Skin", icon="MOD_SMOOTH")
        column.operator("export_scene.supple", text="Export glTF", icon="EXPORT")

    def _draw_layers(self, settings: Any) -> None:
        """Of what the engine moves."""
        column = self.layout.column(align=True)
        column.prop(settings, "live")
        if settings.problem:
            column.label(text=settings.problem, icon="ERROR")
        row = column.row(align=True)
        row.prop(settings, "dynamics", expand=True)
        if settings.dynamics == "WINDOW":
            column.prop(settings, "window")
        if settings.dynamics == "RANGE":
            column.prop(settings, "loop")
        column.prop(settings, "gravity")
        row = column.row(align=True)
        row.operator("supple.bake", icon="RENDER_ANIMATION")
        row.operator("supple.bake_free", text="", icon="TRASH")
        column.operator("supple.layers_remove", icon="X")


def menu(self: Any, context: Any) -> None:
    self.layout.operator("import_scene.supple", text="glTF with Supple (.glb/.gltf)")


CLASSES = (SUPPLE_PT_main,)
