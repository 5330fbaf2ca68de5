# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator sets for an object that is tissue or a muscle: see kinodynamic_settings.py."""

from __future__ import annotations

import math
from typing import Any

import bpy
from bpy.props import CollectionProperty, EnumProperty, FloatProperty, PointerProperty

from .properties import OVERRIDABLE, count, flag, number, text, vector

KINDS = [
    ("NONE", "None", "Takes no part"),
    ("TISSUE", "Tissue", "Gives its bone weight in space"),
    ("MUSCLE", "Muscle", "Swings under the skin"),
]
SHAPES = [
    ("ELLIPSOID", "Ellipsoid", "As long, wide and deep as the object"),
    ("SURFACE", "Surface", "The mesh itself, which must be closed; tissue must be seen whole from its middle"),
]


def live_changed(self: Any, context: Any) -> None:
    """What is read every frame was set: the motion is played anew with it."""
    from . import playing

    owner = self.id_data
    armature = owner if owner.type == "ARMATURE" else self.armature
    if armature is not None:
        owner.update_tag()  # Blender does that after this call
        playing.settings_changed(armature)


class SuppleBoneName(bpy.types.PropertyGroup):
    """The name of a bone, in a list."""

    name: text("Bone", "Skin that follows this bone is moved, as far as it follows it")  # type: ignore[valid-type]


def _stiffness(self: Any) -> float:
    return (2 * math.pi * self.frequency) ** 2


def _set_stiffness(self: Any, value: float) -> None:
    self.frequency = math.sqrt(max(value, 0.0)) / (2 * math.pi)


class SuppleHelper(bpy.types.PropertyGroup):
    """Of an object that is tissue or a muscle under the skin."""

    kind: EnumProperty(name="Kind", description="What the object is under the skin", items=KINDS, default="NONE", override=OVERRIDABLE)  # type: ignore[valid-type]
    armature: PointerProperty(type=bpy.types.Object, name="Armature", description="The character it belongs to, whose bone it is parented to", override=OVERRIDABLE)  # type: ignore[valid-type]
    shape: EnumProperty(name="Shape", description="What of the object counts", items=SHAPES, default="ELLIPSOID", override=OVERRIDABLE)  # type: ignore[valid-type]
    # Tissue.
    tissue: EnumProperty(  # type: ignore[valid-type]
        name="Tissue",
        description="Whether the skin over it keeps its volume or its shape",
        items=[("SOFT", "Soft", "Takes part in keeping volume; its weight falls to nothing at its surface"), ("BONE", "Bone", "Carries what it reaches along rigidly")],
        default="SOFT",
        override=OVERRIDABLE,
    )
    weight: number("Weight", "Weight at the middle, next to other tissue", min=0.001, soft_max=4.0, default=1.0)  # type: ignore[valid-type]
    margin: number(  # type: ignore[valid-type]
        "Margin",
        "Of a surface of soft tissue: its weight vanishes at this many times the surface's distance",
        min=0.01, soft_max=6.0, default=3.0,
    )
    star: text(  # type: ignore[valid-type]
        "Star",
        "Logarithms of the radius by direction, of a star shape that came out of a file",
        options={"HIDDEN"},
    )
    # Muscles: what is read every frame first.
    frequency: number(  # type: ignore[valid-type]
        "Frequency",
        "How fast it swings, in hertz: low is soft, high is firm",
        min=0.01, soft_max=12.0, default=3.0, update=live_changed,
    )
    stiffness: FloatProperty(name="Stiffness", description="The same as the frequency, as stiffness per mass, 1/s^2", get=_stiffness, set=_set_stiffness)  # type: ignore[valid-type]
    damping: number(  # type: ignore[valid-type]
        "Damping",
        "Damping ratio: 0 swings for ever, 1 just does not swing",
        min=0.0, soft_max=1.0, default=0.3, update=live_changed,
    )
    density: number(  # type: ignore[valid-type]
        "Density",
        "Kilograms per cubic metre; only the contrast to the medium counts",
        min=0.0, soft_max=3000.0, default=1000.0, update=live_changed,
    )
    gravity: number(  # type: ignore[valid-type]
        "Gravity",
        "How many times the gravity and the environment of the character it feels",
        soft_min=-2.0, soft_max=4.0, default=1.0, update=live_changed,
    )
    stretch: number(  # type: ignore[valid-type]
        "Stretch",
        "Squash and stretch along the axis, 1/s^2: above zero stretches, below zero squashes. Of the size of the stiffness it is strong",
        soft_min=-400.0, soft_max=400.0, default=0.0, update=live_changed,
    )
    life: number(  # type: ignore[valid-type]
        "Life",
        "How much the muscle causes the bone's motion instead of suffering it: 1 cancels the dynamics, more makes it an actor",
        soft_min=0.0, soft_max=3.0, default=0.0, update=live_changed,
    )
    # Then what is read when the skin is built.
    medium_density: number(  # type: ignore[valid-type]
        "Medium",
        "Density of what the muscle swings in, kilograms per cubic metre: 0 is air",
        min=0.0, soft_max=3000.0, default=0.0,
    )
    modelled_gravity: number(  # type: ignore[valid-type]
        "Modelled Under",
        "How much of the usual gravity the skin was modelled under: 1 hangs as it was modelled, 0 sags at rest",
        soft_min=0.0, soft_max=1.0, default=1.0,
    )
    stretch_axis: vector(  # type: ignore[valid-type]
        "Axis",
        "Direction of squash and stretch, in the object's own axes",
        subtype="XYZ", default=(0.0, 1.0, 0.0),
    )
    stretch_center: vector(  # type: ignore[valid-type]
        "Centre",
        "What squash and stretch leave where it is: from the muscle's middle, along the object's own axes",
        subtype="TRANSLATION", default=(0.0, 0.0, 0.0),
    )
    shear: flag("Shear", "Stiffens where it is sheared; slow with many samples", default=False)  # type: ignore[valid-type]
    reach: number(  # type: ignore[valid-type]
        "Radius",
        "Radius of influence, in shortest radii of the muscle; below 2 skin moves the wrong way",
        min=0.1, soft_min=2.0, soft_max=8.0, default=4.0,
    )
    limit: number(  # type: ignore[valid-type]
        "Limit",
        "How far skin may be carried, in shortest radii of the muscle",
        min=0.0, soft_max=1.0, default=0.5,
    )
    samples: count(  # type: ignore[valid-type]
        "Samples",
        "Vortices on its surface: more for odd shapes, fewer for speed",
        min=12, max=10000, soft_max=642, default=42,
    )
    target: text("Plastic Target", "Shape key of the muscle's mesh that it rests in: the shape of a muscle that is tense")  # type: ignore[valid-type]
    skin_bones: CollectionProperty(type=SuppleBoneName, name="Skin Of", description="Only skin that follows these bones is moved, as far as it does; empty: all skin in reach", override=OVERRIDABLE | {"USE_INSERTION"})  # type: ignore[valid-type]
    skin_group: text(  # type: ignore[valid-type]
        "Painted",
        "Vertex group of the skin that says how much each vertex is moved. Empty: the group with the muscle's own name, where there is one",
    )


CLASSES = (SuppleBoneName, SuppleHelper)
