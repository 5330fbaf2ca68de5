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
        active = context.view_layer.objects.active
        armature = active if active and active.type == "ARMATURE" else rig.armature_of(active) if active and active.type == "MESH" else None
        if armature is None:
            column.label(text="Choose an armature or its mesh", icon="INFO")
            return
        column.label(text=armature.name, icon="ARMATURE_DATA")
        drivers = armature.animation_data.drivers if armature.animation_data else []
        ours = sum(one.data_path.startswith('["supple ') for one in drivers)
        column.label(text=f"{ours} drivers of Supple" if ours else "No drivers of Supple")
        column.operator_menu_enum("supple.improve", "effort", text="Improve Skin", icon="MOD_SMOOTH")
        column.operator("export_scene.supple", text="Export glTF", icon="EXPORT")


def menu(self: Any, context: Any) -> None:
    self.layout.operator("import_scene.supple", text="glTF with Supple (.glb/.gltf)")


CLASSES = (SUPPLE_PT_main,)
