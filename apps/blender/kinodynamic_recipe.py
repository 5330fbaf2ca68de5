# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings and objects of Blender as a recipe of kinodynamics (docs/kinodynamic.md), and what of it is read every frame.

Places are in the engine's axes relative to the armature's origin, in the armature's units, as rig.bind has them: its
joints have the axes of the world at rest, so that a place in a joint's frame is one from the bone's head.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from . import rig
from .kinodynamic_objects import Shape, bone_of, counts_as_surface, helpers, shape_at_rest
from .rig import DOWN, RigError
from .settings import EARTH, gravity_of

LONGEST_WINDOW = 60.0  # seconds that the engine takes
#: Of a muscle that is carried along and does not swing.
STILL = {"life": 1.0, "gravity": [0.0, 0.0, 0.0], "stretch": 0.0}


def is_still(armature: Any) -> bool:
    """Whether muscles are carried along without swinging."""
    return armature.supple_kinodynamics.layer != "DYNAMICS"


# ---- forces ----


def modelled_gravity(armature: Any) -> Vector:
    """Usual gravity as it is relative to the armature where it stands, in its units: what its skin was modelled under."""
    return DOWN.to_3x3() @ (armature.matrix_world.to_3x3().inverted_safe() @ Vector((0, 0, -EARTH)))


def _winds(scene: Any) -> Vector:
    total = Vector((0, 0, 0))
    for one in scene.objects:
        if one.field is not None and one.field.type == "WIND":
            total += one.matrix_world.to_3x3().col[2].normalized() * one.field.strength
    return total


def environment(armature: Any, scene: Any, unit: float) -> list[float]:
    """What pushes every muscle of a character, in the engine's world and units: gravity, wind, and what was set."""
    settings = armature.supple_kinodynamics
    push = Vector(settings.environment) + (_winds(scene) if settings.wind else Vector((0, 0, 0)))
    further = DOWN.to_3x3() @ push / unit
    return [one + other for one, other in zip(gravity_of(scene, armature, 1.0, unit), further)]


def _live(values: Any, push: list[float], still: bool) -> dict[str, Any]:
    """Parameters of a muscle that the engine reads every frame."""
    result = {"frequency": values.frequency, "damping_ratio": values.damping, "density": values.density}
    if still:
        return {**result, **STILL}
    return {**result, "gravity": [values.gravity * one for one in push], "stretch": values.stretch, "life": values.life}


def live_parameters(armature: Any, scene: Any, depsgraph: Any, unit: float) -> dict[str, dict[str, Any]]:
    """Of each muscle that was built, by its name, what may be keyed: frequency (hertz), damping_ratio, density, gravity
    (vector, the engine's world), stretch and life, in the frame that `depsgraph` shows. `unit`: see rig.Binding.
    """
    push = environment(armature.evaluated_get(depsgraph), scene, unit)
    still = json.loads(armature.supple_kinodynamics.built or "{}").get("still", False)
    return {one.name: _live(one.evaluated_get(depsgraph).supple_helper, push, still) for one in built_muscles(armature)}


def write_built(armature: Any) -> None:
    """Writes down what the character that is played from now on was built from."""
    armature.supple_kinodynamics.built = json.dumps({"muscles": [one.name for one in muscles(armature)], "still": is_still(armature)})


def built_muscles(armature: Any) -> list[Any]:
    """Of those that were built, the objects that are still there."""
    names = json.loads(armature.supple_kinodynamics.built or "{}").get("muscles", [])
    found = [bpy.data.objects.get(name) for name in names]
    return [one for one in found if one is not None]


# ---- the recipe ----


def muscles(armature: Any) -> list[Any]:
    """The objects that are muscles of the built character, in its order."""
    layer = armature.supple_kinodynamics.layer
    if layer in ("LINEAR", "VOLUME"):
        return []
    found = helpers(armature, "MUSCLE")
    return found if layer == "DYNAMICS" else [one for one in found if one.supple_helper.target]


def tissue(armature: Any) -> list[Any]:
    settings = armature.supple_kinodynamics
    shown = settings.source == "PRIMITIVES" and settings.layer in ("TISSUE", "DYNAMICS")
    return helpers(armature, "TISSUE") if shown else []


def _head(armature: Any, bone: str) -> np.ndarray:
    return np.array(DOWN @ armature.data.bones[bone].head_local)


def _placed(helper: Any, armature: Any, shape: Shape) -> dict[str, Any]:
    bone = bone_of(helper, armature)
    return {
        "name": helper.name,
        "joint": bone,
        "center": (shape.center - _head(armature, bone)).tolist(),
        "orientation": shape.quaternion(),
        "radii": shape.radii.tolist(),
    }


def _write_obj(path: Path, shape: Shape) -> None:
    """In the world at rest. Nine digits keep single precision."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in shape.points @ shape.axes.T + shape.center]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in shape.triangles]
    path.write_text("\n".join(lines) + "\n")


def _tissue_entry(helper: Any, armature: Any, folder: Path, number: int) -> dict[str, Any]:
    settings = helper.supple_helper
    shape = shape_at_rest(helper, armature)
    entry = _placed(helper, armature, shape)
    entry["kind"] = settings.tissue.lower()
    entry["weight"] = settings.weight
    if counts_as_surface(helper):
        file = f"tissue-{number}.obj"
        _write_obj(folder / file, shape)
        for key in ("center", "orientation", "radii"):  # which the surface gives
            del entry[key]
        entry["surface"], entry["margin"] = file, settings.margin
    elif settings.star:
        entry["star"] = json.loads(settings.star)
    return entry


def painted(meshes: list[Any], group: str) -> list[dict[str, Any]]:
    """Vertices and weights of a vertex group of meshes that are one skin, as recipes have them; empty where nothing is painted."""
    values = np.concatenate([rig.weights(mesh, [group])[:, 0] for mesh in meshes])
    vertices = np.nonzero(values > 0)[0]
    return [{"vertices": vertices.tolist(), "weights": np.minimum(values[vertices], 1).tolist()}] if len(vertices) else []


def skin_group(muscle: Any, meshes: list[Any], armature: Any) -> str | None:
    """The vertex group that says how much of the skin a muscle moves. Groups of bones are not meant."""
    groups = {group.name for mesh in meshes for group in mesh.vertex_groups}
    named = muscle.supple_helper.skin_group
    if named and named not in groups:
        raise RigError(f"'{meshes[0].name}' has no vertex group '{named}' for the muscle '{muscle.name}': paint one, or choose another as Painted")
    if named:
        return named
    return muscle.name if muscle.name in groups and muscle.name not in armature.data.bones else None


def _stretch_axis(helper: Any) -> list[float]:
    axis = Vector(helper.supple_helper.stretch_axis)
    if axis.length < 1e-6:
        raise RigError(f"The stretch axis of '{helper.name}' has no length: set it to 0, 1, 0")
    return list(axis.normalized())


def _muscle_entry(helper: Any, armature: Any, meshes: list[Any], push: list[float]) -> dict[str, Any]:
    settings = helper.supple_helper
    shape = shape_at_rest(helper, armature)
    still = is_still(armature)
    down = modelled_gravity(armature) * (0.0 if still else settings.modelled_gravity)
    entry = {
        **_placed(helper, armature, shape),
        **_live(settings, push, still),
        "medium_density": settings.medium_density,
        "modelled_gravity": (np.array(down) @ shape.axes).tolist(),
        "stretch_axis": _stretch_axis(helper),
        "stretch_center": list(settings.stretch_center),
        "shear": settings.shear,
        "reach": settings.reach,
        "limit": settings.limit,
        "samples": settings.samples,
    }
    if helper.name in armature.supple.flesh:
        raise RigError(f"The muscle '{helper.name}' is called as an element of the flesh is: give it another name")
    if settings.density + settings.medium_density <= 0:
        raise RigError(f"'{helper.name}' and its medium both have no density: give one of them some, such as 1000")
    if shape.points is not None:
        entry["surface"] = {"positions": shape.points.tolist(), "triangles": shape.triangles.tolist()}
    if shape.target is not None:
        entry["target"] = shape.target.tolist()
    group = skin_group(helper, meshes, armature)
    if group is not None:
        entry["skin_weights"] = painted(meshes, group)
        if not entry["skin_weights"]:
            raise RigError(f"No vertex of '{meshes[0].name}' is painted in '{group}', so the muscle '{helper.name}' moves nothing: paint some, or remove the group")
    elif settings.skin_bones:
        missing = [one.name for one in settings.skin_bones if one.name not in armature.data.bones]
        if missing:
            raise RigError(f"The muscle '{helper.name}' moves skin of the bone '{missing[0]}', which '{armature.name}' does not have: choose another bone, or remove it from the list")
        entry["skin_joints"] = [one.name for one in settings.skin_bones]
    return entry


def _volume_entry(bone: Any) -> dict[str, Any]:
    keys = sorted(bone.supple_joint.volume, key=lambda key: key.angle)
    for one, other in zip(keys, keys[1:]):
        if other.angle - one.angle < 1e-6:
            raise RigError(f"The bone '{bone.name}' has two volume keys at {math.degrees(one.angle):g} degrees: move or remove one")
    for key in keys:
        if key.alpha + key.beta > 1.0005:
            raise RigError(f"A volume key of the bone '{bone.name}' has alpha and beta above 1 together, which would make volume: lower one")
    return {"joint": bone.name, "keys": [{"angle": math.degrees(key.angle), "alpha": key.alpha, "beta": key.beta} for key in keys]}


def _field(armature: Any, meshes: list[Any], folder: Path) -> dict[str, Any]:
    settings = armature.supple_kinodynamics
    pieces = tissue(armature)
    if settings.source == "PRIMITIVES" and not helpers(armature, "TISSUE"):
        raise RigError(f"'{armature.name}' takes its weights from tissue, but has none: add some (Add Tissue, Propose), or choose other weights")
    bones = armature.pose.bones
    result: dict[str, Any] = {
        "source": "primitives" if pieces else "painted" if settings.source == "PAINTED" else "automatic",
        "shortening": settings.shortening,
        "spread": settings.spread,
        "reach": settings.reach,
        "contact": settings.contact,
        "everywhere": settings.everywhere,
        "integrator": settings.integrator,
        "step": math.degrees(settings.preview_step if settings.preview else settings.step),
    }
    lists: dict[str, list[Any]] = {
        "tissue": [_tissue_entry(one, armature, folder, number) for number, one in enumerate(pieces)],
        "volume": [_volume_entry(bone) for bone in bones if bone.supple_joint.volume],
        "flow": [{"joint": bone.name, "share": bone.supple_joint.flow} for bone in bones if bone.supple_joint.flow < 1],
        "hard": [bone.name for bone in bones if bone.supple_joint.hardness == "HARD"],
        "soft": [bone.name for bone in bones if bone.supple_joint.hardness == "SOFT"],
    }
    lists["bound"] = painted(meshes, settings.bound_group)
    return {**result, **{name: entries for name, entries in lists.items() if entries}}


def recipe(armature: Any, meshes: list[Any], folder: str | Path) -> dict[str, Any]:
    """A recipe of kinodynamics for a skin of one or more meshes, as rig.bind joins them; surfaces of tissue are written
    into `folder`, where it is to be saved.

    Raises RigError where an object or a setting is wrong.
    """
    scene = bpy.context.scene
    push = environment(armature, scene, rig.unit_of(armature))
    window = min(armature.supple.window * scene.render.fps_base / scene.render.fps, LONGEST_WINDOW)
    result: dict[str, Any] = {"kinodynamic_recipe": 1, "field": _field(armature, meshes, Path(folder)), "window": window}
    entries = [_muscle_entry(one, armature, meshes, push) for one in muscles(armature)]
    return {**result, "muscles": entries} if entries else result
