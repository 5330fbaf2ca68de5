# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel of kinodynamic skin calls to make and change single pieces: tissue, muscles, keys, painted groups."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.props import EnumProperty, IntProperty
from mathutils import Matrix

from . import rig
from .kinodynamic_mirror import mirror
from .kinodynamic_objects import add, hang, helpers, unit_sphere
from .kinodynamic_operators import Refusing, find
from .kinodynamic_recipe import skin_group
from .properties import PRESET_ITEMS, PRESETS
from .rig import RigError

LONG = {"MUSCLE": 0.4, "TISSUE": 0.75}  # of the bone's length: half the length of a new ellipsoid
WIDE = {"MUSCLE": 0.12, "TISSUE": 0.4}  # likewise across


def chosen_armature(context: Any) -> Any:
    armature = rig.active_armature(context)
    if armature is None:
        raise RigError("No armature is active: click on one, on its skin or on a muscle")
    return armature


def chosen_bone(armature: Any) -> Any:
    bone = armature.data.bones.active
    if bone is None:
        raise RigError(f"No bone of '{armature.name}' is active: click on the one that it shall hang on, in pose mode")
    return bone


def chosen_helpers(context: Any, kind: str | None = None) -> list[Any]:
    active = context.view_layer.objects.active
    found = [one for one in context.view_layer.objects if one.select_get() and one.supple_helper.kind in ((kind,) if kind else ("TISSUE", "MUSCLE"))]
    if active is not None and active.supple_helper.kind in ((kind,) if kind else ("TISSUE", "MUSCLE")) and active not in found:
        found.append(active)
    if not found:
        raise RigError(f"No {kind.lower() if kind else 'tissue or muscle'} is selected: click on one")
    return found


def _place_along(bone: Any, kind: str) -> Matrix:
    middle = (bone.head_local + bone.tail_local) / 2
    turn = bone.matrix_local.to_quaternion()
    long, wide = LONG[kind] * bone.length, WIDE[kind] * bone.length
    return Matrix.LocRotScale(middle, turn, (wide, long, wide))


def _unposed(armature: Any, bone: Any, world: Matrix) -> Matrix:
    """Where an object that is seen at a place in the shown pose is relative to the armature at rest."""
    posed = armature.matrix_world @ armature.pose.bones[bone.name].matrix @ bone.matrix_local.inverted()
    return posed.inverted() @ world


class _AddHelper(Refusing):
    kind = "NONE"

    def act(self, context: Any) -> None:
        armature = chosen_armature(context)
        bone = chosen_bone(armature)
        skins = [one for one in context.view_layer.objects if one.type == "MESH" and rig.armature_of(one) is not None]
        given = [one for one in context.selected_objects if one.type in ("MESH", "EMPTY") and one not in skins and one.supple_helper.kind == "NONE"]
        for one in given:
            place = _unposed(armature, bone, one.matrix_world.copy())
            one.supple_helper.kind = self.kind
            one.supple_helper.shape = "SURFACE" if one.type == "MESH" else "ELLIPSOID"
            hang(one, armature, bone.name, place)
        if not given:
            made = add(f"{bone.name} {self.kind.lower()}", self.kind, unit_sphere(), context.scene)
            made.rotation_mode = "QUATERNION"
            hang(made, armature, bone.name, _place_along(bone, self.kind))
            made.supple_helper.skin_bones.clear()
        if self.kind == "TISSUE":
            armature.supple_kinodynamics.source = "PRIMITIVES"


class SUPPLE_OT_add_tissue(_AddHelper, bpy.types.Operator):
    """Add an ellipsoid of tissue to the active bone, to be moved and scaled; selected meshes and empties become tissue of it instead, where they are. Weights are taken from tissue from then on"""

    bl_idname = "supple.add_tissue"
    bl_label = "Add Tissue"
    bl_options = {"REGISTER", "UNDO"}
    kind = "TISSUE"


class SUPPLE_OT_add_muscle(_AddHelper, bpy.types.Operator):
    """Add a muscle to the active bone, to be moved and scaled under the skin; selected meshes and empties become muscles of it instead, where they are"""

    bl_idname = "supple.add_muscle"
    bl_label = "Add Muscle"
    bl_options = {"REGISTER", "UNDO"}
    kind = "MUSCLE"


class SUPPLE_OT_mirror_helper(Refusing, bpy.types.Operator):
    """Copy the selected tissue and muscles to the bones of the other side (.L and .R, left and right), painted groups included"""

    bl_idname = "supple.mirror_helper"
    bl_label = "Mirror To Other Side"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: Any) -> None:
        armature, skins = find(context)
        made = [mirror(one, armature, skins) for one in chosen_helpers(context)]
        self.report({"INFO"}, f"Made {', '.join(one.name for one in made)}")


class SUPPLE_OT_muscle_preset(Refusing, bpy.types.Operator):
    """Set frequency and damping of the selected muscles, or of all where none is selected"""

    bl_idname = "supple.muscle_preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Preset", description="How the muscles feel", items=PRESET_ITEMS, default="soft")  # type: ignore[valid-type]

    def act(self, context: Any) -> None:
        armature = chosen_armature(context)
        chosen = [one for one in helpers(armature, "MUSCLE") if one.select_get()]
        for one in chosen or helpers(armature, "MUSCLE"):
            one.supple_helper.frequency, one.supple_helper.damping = PRESETS[self.preset]


class SUPPLE_OT_paint_muscle(Refusing, bpy.types.Operator):
    """Make a vertex group of the skin for the active muscle, with what it moves now, and paint it: how much of the muscle's motion each vertex has"""

    bl_idname = "supple.paint_muscle"
    bl_label = "Paint Skin Weights"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: Any) -> None:
        muscle = chosen_helpers(context, "MUSCLE")[-1]
        armature, skins = find(context)
        skin = skins[0]
        settings = muscle.supple_helper
        name = skin_group(muscle, skins, armature)
        if name is None:
            bones = [one.name for one in settings.skin_bones] or list(armature.data.bones.keys())
            shares = np.minimum(rig.weights(skin, bones).sum(axis=1), 1)
            name = muscle.name if muscle.name not in armature.data.bones else f"{muscle.name} muscle"
            group = skin.vertex_groups.new(name=name)
            for vertex in np.nonzero(shares > 0)[0]:
                group.add([int(vertex)], float(shares[vertex]), "REPLACE")
            settings.skin_group = group.name
        skin.vertex_groups.active_index = skin.vertex_groups[settings.skin_group or name].index
        if context.mode == "OBJECT" and not bpy.app.background:
            context.view_layer.objects.active = skin
            bpy.ops.object.mode_set(mode="WEIGHT_PAINT")


class SUPPLE_OT_volume_key(Refusing, bpy.types.Operator):
    """Add a key of alpha and beta to the active bone, or take one away"""

    bl_idname = "supple.volume_key"
    bl_label = "Volume Key"
    bl_options = {"REGISTER", "UNDO"}

    remove: IntProperty(name="Remove", description="Number of the key that is taken away; -1 adds one", default=-1)  # type: ignore[valid-type]

    def act(self, context: Any) -> None:
        armature = chosen_armature(context)
        keys = armature.pose.bones[chosen_bone(armature).name].supple_joint.volume
        if self.remove >= len(keys):
            raise RigError(f"There is no volume key {self.remove}: choose one of {len(keys)}")
        if self.remove >= 0:
            keys.remove(self.remove)
            return
        last = max((key.angle for key in keys), default=None)
        made = keys.add()
        made.angle = 0.0 if last is None else min(last + np.pi / 4, np.pi)


class SUPPLE_OT_skin_bone(Refusing, bpy.types.Operator):
    """Let the active muscle move the skin of the active bone too, or take a bone out of its list"""

    bl_idname = "supple.skin_bone"
    bl_label = "Skin Of Bone"
    bl_options = {"REGISTER", "UNDO"}

    remove: IntProperty(name="Remove", description="Number of the bone that is taken out; -1 adds the active one", default=-1)  # type: ignore[valid-type]

    def act(self, context: Any) -> None:
        muscle = chosen_helpers(context, "MUSCLE")[-1]
        bones = muscle.supple_helper.skin_bones
        if self.remove >= len(bones):
            raise RigError(f"The list of '{muscle.name}' has no bone {self.remove}: choose one of {len(bones)}")
        if self.remove >= 0:
            bones.remove(self.remove)
            return
        name = chosen_bone(chosen_armature(context)).name
        if name not in (one.name for one in bones):
            bones.add().name = name


class SUPPLE_OT_remove_helper(Refusing, bpy.types.Operator):
    """Take the selected tissue and muscles out of the skin; the objects stay"""

    bl_idname = "supple.remove_helper"
    bl_label = "Remove From Skin"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: Any) -> None:
        for one in chosen_helpers(context):
            one.supple_helper.kind, one.supple_helper.armature = "NONE", None


CLASSES = (
    SUPPLE_OT_add_tissue,
    SUPPLE_OT_add_muscle,
    SUPPLE_OT_mirror_helper,
    SUPPLE_OT_muscle_preset,
    SUPPLE_OT_paint_muscle,
    SUPPLE_OT_volume_key,
    SUPPLE_OT_skin_bone,
    SUPPLE_OT_remove_helper,
)
