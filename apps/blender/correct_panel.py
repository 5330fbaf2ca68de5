# SPDX-License-Identifier: GPL-3.0-or-later
"""The part "Correct" of the panel: examples in a list, what can be done with them, and the error."""

from __future__ import annotations

from typing import Any

import bpy

from . import driven, rig

ICONS = {"KEY": "SHAPEKEY_DATA", "MESH": "MESH_DATA", "SIMULATED": "PHYSICS"}


def length(context: Any, value: float) -> str:
    """A length in units of the scene, as Blender writes it."""
    settings = context.scene.unit_settings
    return bpy.utils.units.to_string(settings.system, "LENGTH", value * settings.scale_length, precision=4, compatible_unit=False)


class SUPPLE_UL_examples(bpy.types.UIList):
    def draw_item(self, context: Any, layout: Any, data: Any, item: Any, icon: int, active_data: Any, active_property: str, index: int = 0, flags: int = 0) -> None:
        row = layout.row(align=True)
        row.prop(item, "use", text="")
        row.prop(item, "name", text="", emboss=False, icon=ICONS[item.kind])
        if data.fitted and item.before > 0:
            row.label(text=f"{length(context, item.before)} > {length(context, item.after)}")


class SUPPLE_PT_correct(bpy.types.Panel):
    bl_label = "Correct"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"
    bl_parent_id = "SUPPLE_PT_main"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        active = context.view_layer.objects.active
        return active is not None and active.type in ("MESH", "ARMATURE")

    def draw(self, context: Any) -> None:
        layout = self.layout
        active = context.view_layer.objects.active
        if active.type == "ARMATURE":
            bent = [one for one in context.view_layer.objects if one.type == "MESH" and rig.armature_of(one) == active]
            active = bent[0] if len(bent) == 1 else None
        if active is None:
            layout.label(text="Choose the mesh to correct", icon="INFO")
            return
        settings = active.supple_correct
        row = layout.row()
        row.template_list("SUPPLE_UL_examples", "", settings, "examples", settings, "active", rows=3)
        column = row.column(align=True)
        column.operator_menu_enum("supple.add_example", "source", text="", icon="ADD")
        column.operator("supple.remove_example", text="", icon="REMOVE")
        column.operator("supple.pose_example", text="", icon="ARMATURE_DATA")
        layout.operator_menu_enum("supple.simulate_examples", "poses", text="Simulate", icon="PHYSICS")
        row = layout.row(align=True)
        row.operator("supple.fit", text="Fit", icon="CHECKMARK")
        row.operator("supple.remove_corrections", text="", icon="TRASH")
        if settings.fitted:
            column = layout.column(align=True)
            column.label(text=f"Mean error {length(context, settings.mean_before)} > {length(context, settings.mean_after)}")
            column.label(text=f"Worst {length(context, settings.worst_before)} > {length(context, settings.worst_after)}")
            column.label(text=f"at vertex {settings.worst_vertex} of '{settings.worst_example}'")
            column.label(text=settings.verdict)
        ours = len(driven.driven_keys(active))
        layout.label(text=f"{ours} driven shape key{'s' * (ours > 1)}" if ours else "No corrections yet")


CLASSES = (SUPPLE_UL_examples, SUPPLE_PT_correct)
