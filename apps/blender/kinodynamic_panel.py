# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of kinodynamic skin, in the tab "Supple" of the sidebar (N) of the 3D view."""

from __future__ import annotations

from typing import Any

import bpy

from .kinodynamic_objects import counts_as_surface, helpers
from .rig import active_armature

LIVE = ("frequency", "stiffness", "damping", "density", "gravity", "life", "stretch")


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return active_armature(context) is not None


class SUPPLE_PT_kinodynamic(_Panel, bpy.types.Panel):
    bl_label = "Kinodynamic Skin"
    bl_parent_id = "SUPPLE_PT_main"

    def draw(self, context: Any) -> None:
        armature = active_armature(context)
        settings = armature.supple_kinodynamics
        layout = self.layout
        column = layout.column(align=True)
        column.operator("supple.kinodynamic_propose", icon="LIGHT")
        column.prop(settings, "max_muscles")
        if armature.supple.store is not None and not settings.built:
            column.operator("supple.kinodynamic_objects", icon="FILE_REFRESH")
        column.operator("supple.add_tissue", icon="MESH_UVSPHERE")
        column.operator("supple.add_muscle", icon="MOD_SIMPLEDEFORM")
        column.operator("supple.kinodynamic_build", icon="PLAY")
        column.operator("supple.kinodynamic_remove", icon="X")
        column.label(text=f"{len(helpers(armature, 'MUSCLE'))} muscles, {len(helpers(armature, 'TISSUE'))} pieces of tissue")
        layout.prop(settings, "layer")


class SUPPLE_PT_kinodynamic_flow(_Panel, bpy.types.Panel):
    bl_label = "Flow"
    bl_parent_id = "SUPPLE_PT_kinodynamic"

    def draw(self, context: Any) -> None:
        settings = active_armature(context).supple_kinodynamics
        column = self.layout.column()
        column.prop(settings, "source")
        for name in {"AUTOMATIC": ("shortening", "spread"), "PAINTED": ("reach",)}.get(settings.source, ()):
            column.prop(settings, name)
        column.prop(settings, "step")
        column.prop(settings, "contact")
        column.prop(settings, "everywhere")
        column.prop(settings, "integrator")
        column.prop(settings, "bound_group")
        column.separator()
        column.prop(settings, "preview")
        column.prop(settings, "preview_step")
        column.operator("supple.kinodynamic_proxy", icon="MOD_DECIM")


class SUPPLE_PT_kinodynamic_dynamics(_Panel, bpy.types.Panel):
    bl_label = "Dynamics"
    bl_parent_id = "SUPPLE_PT_kinodynamic"

    def draw(self, context: Any) -> None:
        settings = active_armature(context).supple_kinodynamics
        column = self.layout.column()
        layers = active_armature(context).supple  # of everything that the engine moves
        column.prop(layers, "dynamics")
        column.prop(layers, "window")
        column.prop(layers, "gravity")
        column.prop(settings, "wind")
        column.prop(settings, "environment")
        column.operator_menu_enum("supple.muscle_preset", "preset", text="Preset For Muscles")


class SUPPLE_PT_kinodynamic_bone(_Panel, bpy.types.Panel):
    bl_label = "Active Bone"
    bl_parent_id = "SUPPLE_PT_kinodynamic"

    def draw(self, context: Any) -> None:
        armature = active_armature(context)
        column = self.layout.column()
        bone = armature.data.bones.active
        if bone is None:
            column.label(text="Click on a bone in pose mode", icon="INFO")
            return
        joint = armature.pose.bones[bone.name].supple_joint
        column.label(text=bone.name, icon="BONE_DATA")
        column.prop(joint, "flow", slider=True)
        column.prop(joint, "hardness")
        for number, key in enumerate(joint.volume):
            row = column.row(align=True)
            row.prop(key, "angle")
            row.prop(key, "alpha")
            row.prop(key, "beta")
            row.operator("supple.volume_key", text="", icon="REMOVE").remove = number
        column.operator("supple.volume_key", text="Add Volume Key", icon="ADD").remove = -1


class SUPPLE_PT_kinodynamic_piece(_Panel, bpy.types.Panel):
    bl_label = "Active Tissue or Muscle"
    bl_parent_id = "SUPPLE_PT_kinodynamic"
    bl_options: set[str] = set()

    @classmethod
    def poll(cls, context: Any) -> bool:
        active = context.view_layer.objects.active
        return active is not None and active.supple_helper.kind != "NONE" and active_armature(context) is not None

    def draw(self, context: Any) -> None:
        piece = context.view_layer.objects.active
        settings = piece.supple_helper
        column = self.layout.column()
        column.label(text=piece.name, icon="MESH_UVSPHERE")
        column.prop(settings, "kind")
        if piece.type == "MESH":
            column.prop(settings, "shape")
        if settings.kind == "TISSUE":
            column.prop(settings, "tissue")
            column.prop(settings, "weight")
            if counts_as_surface(piece):
                column.prop(settings, "margin")
        else:
            self._draw_muscle(column, piece, settings, active_armature(context))
        column.operator("supple.mirror_helper", icon="MOD_MIRROR")
        column.operator("supple.remove_helper", icon="X")

    def _draw_muscle(self, column: Any, piece: Any, settings: Any, armature: Any) -> None:
        column.operator_menu_enum("supple.muscle_preset", "preset", text="Preset")
        for name in LIVE:
            column.prop(settings, name)
        column.prop(settings, "stretch_axis")
        column.prop(settings, "stretch_center")
        column.separator()
        for name in ("reach", "limit", "samples", "shear", "medium_density", "modelled_gravity"):
            column.prop(settings, name)
        if piece.type == "MESH" and piece.data.shape_keys is not None:
            column.prop_search(settings, "target", piece.data.shape_keys, "key_blocks")
        column.separator()
        column.prop(settings, "skin_group")
        column.operator("supple.paint_muscle", icon="BRUSH_DATA")
        for number, one in enumerate(settings.skin_bones):
            row = column.row(align=True)
            row.prop_search(one, "name", armature.data, "bones", text="")
            row.operator("supple.skin_bone", text="", icon="REMOVE").remove = number
        column.operator("supple.skin_bone", text="Add Bone", icon="ADD").remove = -1


CLASSES = (SUPPLE_PT_kinodynamic, SUPPLE_PT_kinodynamic_flow, SUPPLE_PT_kinodynamic_dynamics, SUPPLE_PT_kinodynamic_bone, SUPPLE_PT_kinodynamic_piece)
