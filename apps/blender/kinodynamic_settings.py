# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator sets for kinodynamic skin (docs/kinodynamic.md), saved in the .blend: on armature objects, on their
pose bones, and on the objects that are tissue and muscles. All of it can be keyed, undone and overridden in linked files.
"""

from __future__ import annotations

import math

import bpy
from bpy.props import CollectionProperty, EnumProperty, PointerProperty

from . import piece_settings
from .piece_settings import live_changed
from .properties import OVERRIDABLE, count, flag, number, text, vector

SOURCES = [
    ("AUTOMATIC", "Automatic", "Weights in space by the distance to the bones. Needs nothing"),
    ("PRIMITIVES", "Tissue", "Weights in space by the tissue objects; automatic where they leave skin uncovered"),
    ("PAINTED", "Painted", "The skin's own vertex groups, carried into space: closest to what was painted, for bends up to 120 degrees"),
]
LAYERS = [
    ("LINEAR", "Linear", "Plain skinning, as Blender's armature modifier does it"),
    ("VOLUME", "Volume", "The flow that keeps volume, without tissue objects or muscles"),
    ("TISSUE", "Tissue", "Tissue and bone objects, and the shapes that muscles rest in; nothing swings"),
    ("DYNAMICS", "Dynamics", "Everything: muscles swing"),
]
INTEGRATORS = [
    ("rk4-limb", "Fourth Order", "Exactly rigid where one bone rules alone; the most accurate"),
    ("euler", "Euler", "Equation 7 of the paper"),
    ("blend", "Blend", "Equation 5 of the paper: free of folds, without regard to volume"),
]



class SuppleVolumeKey(bpy.types.PropertyGroup):
    """How much volume a joint keeps at an angle."""

    angle: number("Angle", "Turn of the bone from its rest pose", subtype="ANGLE", min=0.0, max=math.pi)  # type: ignore[valid-type]
    alpha: number(  # type: ignore[valid-type]
        "Alpha",
        "Volume kept along the joint's axis. Alpha and beta together: 1 keeps all volume, less lets it go",
        min=0.0, max=1.0, default=0.5,
    )
    beta: number(  # type: ignore[valid-type]
        "Beta",
        "Volume kept across the joint's axis. Alpha and beta together: 1 keeps all volume, less lets it go",
        min=0.0, max=1.0, default=0.5,
    )


class SuppleJoint(bpy.types.PropertyGroup):
    """Of a pose bone."""

    volume: CollectionProperty(type=SuppleVolumeKey, name="Volume", description="Alpha and beta by the angle of the joint; without keys all volume is kept", override=OVERRIDABLE | {"USE_INSERTION"})  # type: ignore[valid-type]
    flow: number(  # type: ignore[valid-type]
        "Flow",
        "How much of the flow the skin of this bone takes part in; 0 is plain skinning",
        min=0.0, max=1.0, default=1.0, subtype="FACTOR",
    )
    hardness: EnumProperty(  # type: ignore[valid-type]
        name="Hardness",
        description="Whether skin that follows this bone alone keeps its shape",
        items=[
            ("AUTO", "As Found", "Heads, buckles and plates are found by their shape"),
            ("HARD", "Hard", "It keeps its shape"),
            ("SOFT", "Soft", "It flows, even where it looks hard"),
        ],
        default="AUTO",
        override=OVERRIDABLE,
    )


class SuppleKinodynamics(bpy.types.PropertyGroup):
    """Of an armature object."""

    layer: EnumProperty(name="Show Up To", description="Switches the layers of the skin on one after the other", items=LAYERS, default="DYNAMICS", override=OVERRIDABLE)  # type: ignore[valid-type]
    source: EnumProperty(name="Weights", description="Where the weights of bones in space come from", items=SOURCES, default="AUTOMATIC", override=OVERRIDABLE)  # type: ignore[valid-type]
    shortening: number(  # type: ignore[valid-type]
        "Shortening",
        "What is cut off bones at joints, in depths of the flesh (automatic weights)",
        min=0.0, soft_max=2.0, default=0.8,
    )
    spread: number(  # type: ignore[valid-type]
        "Spread",
        "How far automatic weights reach: the square of the distance at which they have fallen to 1/e, in depths of the flesh",
        min=0.01, soft_max=4.0, default=1.25,
    )
    reach: number(  # type: ignore[valid-type]
        "Reach",
        "How far beyond the skin painted weights vanish, in depths of the flesh",
        min=0.01, soft_max=10.0, default=3.0,
    )
    contact: number(  # type: ignore[valid-type]
        "Contact",
        "How near a limb comes to skin that does not hang on it before it pushes, in depths of the flesh; 0: it passes through. Wants small steps, of 10 degrees",
        min=0.0, soft_max=2.0, default=0.0,
    )
    everywhere: flag(  # type: ignore[valid-type]
        "Everywhere",
        "Every limb weighs on all skin, as in the paper: for limbs that are far apart",
        default=False,
    )
    integrator: EnumProperty(name="Integrator", description="How the flow is followed", items=INTEGRATORS, default="rk4-limb", override=OVERRIDABLE)  # type: ignore[valid-type]
    step: number(  # type: ignore[valid-type]
        "Step",
        "How far a joint turns at once, at most: small steps are accurate, large ones fast",
        subtype="ANGLE", min=0.011, max=math.pi, default=math.radians(30),
    )
    preview: flag(  # type: ignore[valid-type]
        "Fast Preview",
        "Build with larger steps, and build the proxy mesh too where there is one",
        default=False,
    )
    preview_step: number(  # type: ignore[valid-type]
        "Preview Step",
        "How far a joint turns at once while Fast Preview is on",
        subtype="ANGLE", min=0.011, max=math.pi, default=math.radians(90),
    )
    wind: flag(  # type: ignore[valid-type]
        "Wind",
        "Muscles feel the wind force fields of the scene, by their strength in metres per square second",
        default=False, update=live_changed,
    )
    environment: vector(  # type: ignore[valid-type]
        "Environment",
        "A further push that all muscles feel, in the world: a train that brakes, water",
        subtype="ACCELERATION", default=(0.0, 0.0, 0.0), update=live_changed,
    )
    bound_group: text(  # type: ignore[valid-type]
        "Bound",
        "Vertex group of the skin whose vertices are bound to their bones, as far as it is painted: plain skinning moves them",
        default="Supple Bound",
    )
    #: JSON: the objects that are muscles of the built character, and whether they swing.
    built: text("Built", "What was built last", options={"HIDDEN"})  # type: ignore[valid-type]
    max_muscles: count("Muscles", "How many muscles Propose places at most", min=0, max=64, default=12)  # type: ignore[valid-type]


CLASSES = (*piece_settings.CLASSES, SuppleVolumeKey, SuppleJoint, SuppleKinodynamics)


def register() -> None:
    bpy.types.Object.supple_kinodynamics = PointerProperty(type=SuppleKinodynamics, override=OVERRIDABLE)
    bpy.types.Object.supple_helper = PointerProperty(type=piece_settings.SuppleHelper, override=OVERRIDABLE)
    bpy.types.Object.supple_proxy = PointerProperty(type=bpy.types.Object, name="Proxy", description="A mesh with fewer vertices that is shown instead while Fast Preview is on", override=OVERRIDABLE)
    bpy.types.PoseBone.supple_joint = PointerProperty(type=SuppleJoint, override=OVERRIDABLE)


def unregister() -> None:
    del bpy.types.PoseBone.supple_joint
    del bpy.types.Object.supple_proxy
    del bpy.types.Object.supple_helper
    del bpy.types.Object.supple_kinodynamics
