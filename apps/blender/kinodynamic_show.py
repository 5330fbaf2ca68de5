# SPDX-License-Identifier: GPL-3.0-or-later
"""A recipe of kinodynamics as settings and objects of Blender, to be edited: the way back from kinodynamic_recipe.py."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from .kinodynamic_objects import add, hang, helpers, unit_sphere
from .kinodynamic_recipe import modelled_gravity
from .rig import DOWN, UP, Binding, RigError, unit_of
from .settings import EARTH


@dataclass
class Shown:
    objects: list[Any] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def bone_frames(armature: Any, binding: Binding) -> dict[str, Matrix]:
    """Of each bone the frame of its joint at rest, relative to the armature in the engine's axes: what places in a recipe are in."""
    frames = {}
    for bone, to_joint in zip(binding.bones, binding.to_joint):
        if bone is not None:
            place, turn, _ = (DOWN @ armature.data.bones[bone].matrix_local @ to_joint).decompose()
            frames[bone] = Matrix.LocRotScale(place, turn, None)
    return frames


def with_bones(recipe: Any, bones: dict[str, str]) -> Any:
    """A recipe with the names of bones for those of joints; Blender may have cut or numbered names."""
    if isinstance(recipe, list):
        return [with_bones(one, bones) for one in recipe]
    if not isinstance(recipe, dict):
        return recipe
    result = {key: with_bones(value, bones) for key, value in recipe.items()}
    if "joint" in result:
        result["joint"] = bones.get(result["joint"], result["joint"])
    for key in ("skin_joints", "hard", "soft"):
        if key in result:
            result[key] = [bones.get(name, name) for name in result[key]]
    return result


def _turn(entry: dict[str, Any]) -> Quaternion:
    """Of `orientation`: a quaternion x, y, z, w, or degrees about x, then y, then z."""
    values = entry.get("orientation", [0, 0, 0, 1])
    if len(values) == 4:
        return Quaternion((values[3], *values[:3]))
    about = [Quaternion(axis, math.radians(value)) for axis, value in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), values)]
    return about[2] @ about[1] @ about[0]


def _star_radii(star: list[float], directions: np.ndarray) -> np.ndarray:
    """As the engine has it (supple/deform/field/star.h): directions are even over the sphere."""
    i = np.arange(len(star))
    z = 1 - (2 * i + 1) / len(star)
    r, turn = np.sqrt(1 - z * z), math.pi * (3 - math.sqrt(5)) * i
    even = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)
    return np.exp((((1 + directions @ even.T) / 2) ** 16) @ np.array(star))


def _star_mesh(name: str, star: list[float]) -> Any:
    """Only to be looked at: what counts are the object's place and the numbers."""
    mesh = unit_sphere().copy()
    mesh.name = name
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3)
    mesh.vertices.foreach_set("co", (points * _star_radii(star, points)[:, None]).ravel())
    return mesh


def _surface_mesh(name: str, entry: dict[str, Any]) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(entry["surface"]["positions"], [], entry["surface"]["triangles"])
    return mesh


class _Shower:
    def __init__(self, armature: Any, frames: dict[str, Matrix], meshes: list[Any], scene: Any) -> None:
        self.armature, self.frames, self.meshes, self.scene = armature, frames, meshes, scene
        self.shown = Shown()
        #: Usual gravity in the engine's world, and relative to the armature, as modelled_gravity has it.
        self.down = DOWN.to_3x3() @ Vector((0, 0, -EARTH)) / unit_of(armature)
        self.modelled = modelled_gravity(armature)

    def _name(self, name: str, kind: str) -> str:
        """Muscles must not be called as bones are, whose vertex groups the skin has, nor as elements of flesh."""
        return name if name.endswith(kind) else f"{name} {kind}".strip()

    def _hang(self, made: Any, entry: dict[str, Any], scaled: bool) -> None:
        bone = entry["joint"]
        local = Matrix.LocRotScale(entry.get("center", (0, 0, 0)), _turn(entry), entry["radii"] if scaled else None)
        made.rotation_mode = "QUATERNION"
        hang(made, self.armature, bone, UP @ self.frames[bone] @ local)
        self.shown.objects.append(made)

    def _has_bone(self, entry: dict[str, Any], kind: str) -> bool:
        if entry["joint"] in self.frames and entry["joint"] in self.armature.data.bones:
            return True
        self.shown.warnings.append(f"the {kind} '{entry.get('name', '')}' is left out: '{self.armature.name}' has no bone '{entry['joint']}'")
        return False

    def tissue(self, entry: dict[str, Any]) -> None:
        if not self._has_bone(entry, "tissue"):
            return
        name = self._name(entry.get("name", ""), "tissue")
        star = entry.get("star")
        made = add(name, "TISSUE", _star_mesh(name, star) if star else unit_sphere(), self.scene)
        settings = made.supple_helper
        settings.tissue = entry.get("kind", "soft").upper()
        settings.weight = entry.get("weight", 1.0)
        settings.star = json.dumps(star) if star else ""
        self._hang(made, entry, scaled=True)

    def _gravities(self, entry: dict[str, Any]) -> tuple[float, float]:
        """How many times the usual gravity a muscle feels, and was modelled under."""
        own = entry.get("gravity", 1.0)

        def times(vector: Vector, usual: Vector) -> float:
            amount = vector.dot(usual) / usual.length_squared
            if (vector - usual * amount).length > 1e-3 * max(vector.length, usual.length):
                self.shown.warnings.append(f"gravity of the muscle '{entry.get('name', '')}' does not point down: what points elsewhere is left out")
            return amount

        felt = float(own) if isinstance(own, (int, float)) else times(Vector(own), self.down)
        if not entry.get("modelled_under_gravity", True):
            return felt, 0.0
        if "modelled_gravity" not in entry:
            return felt, felt
        frame = self.frames[entry["joint"]].to_3x3() @ _turn(entry).to_matrix()
        return felt, times(frame @ Vector(entry["modelled_gravity"]), self.modelled)

    def muscle(self, entry: dict[str, Any]) -> None:
        if not self._has_bone(entry, "muscle"):
            return
        name = self._name(entry.get("name", ""), "muscle")
        is_surface = "surface" in entry
        made = add(name, "MUSCLE", _surface_mesh(name, entry) if is_surface else unit_sphere(), self.scene)
        settings = made.supple_helper
        settings.shape = "SURFACE" if is_surface else "ELLIPSOID"
        for key, given in (("frequency", "frequency"), ("damping", "damping_ratio"), ("density", "density"), ("medium_density", "medium_density"),
                           ("stretch", "stretch"), ("life", "life"), ("reach", "reach"), ("limit", "limit"), ("samples", "samples"), ("shear", "shear"),
                           ("stretch_axis", "stretch_axis"), ("stretch_center", "stretch_center")):
            if given in entry:
                setattr(settings, key, entry[given])
        settings.gravity, settings.modelled_gravity = self._gravities(entry)
        if entry.get("target") and is_surface:
            made.shape_key_add(name="Basis")
            key = made.shape_key_add(name="tense")
            key.data.foreach_set("co", np.array(entry["target"], np.float32).ravel())
            settings.target = key.name
        elif entry.get("target"):
            self.shown.warnings.append(f"the shape that the muscle '{made.name}' rests in is left out: it is of an ellipsoid")
        for bone in entry.get("skin_joints", []):
            settings.skin_bones.add().name = bone
        self._hang(made, entry, scaled=not is_surface)
        if "skin_weights" in entry:
            settings.skin_group = self.paint(made.name, entry["skin_weights"]) or ""

    def paint(self, name: str, parts: Any) -> str | None:
        """Painted weights of a recipe as a vertex group of the skin."""
        parts = [parts] if isinstance(parts, dict) else parts
        counts = [len(mesh.data.vertices) for mesh in self.meshes]
        if len(parts) != 1 or max(parts[0]["vertices"], default=-1) >= sum(counts):
            self.shown.warnings.append(f"painted weights of '{name}' are left out: they are of another mesh")
            return None
        weights = dict(zip(parts[0]["vertices"], parts[0]["weights"]))
        first = 0
        for mesh, size in zip(self.meshes, counts):
            group = mesh.vertex_groups.get(name) or mesh.vertex_groups.new(name=name)
            for vertex in range(first, first + size):
                if vertex in weights:
                    group.add([vertex - first], weights[vertex], "REPLACE")
            first += size
        return name

    def field(self, entry: dict[str, Any]) -> None:
        settings = self.armature.supple_kinodynamics
        bones = self.armature.pose.bones
        source = entry.get("source", "primitives" if entry.get("tissue") else "automatic")
        settings.source = source.upper()
        for key in ("shortening", "spread", "reach", "contact", "everywhere", "integrator"):
            if key in entry:
                setattr(settings, key, entry[key])
        settings.step = math.radians(entry.get("step", 30.0))
        for bone in bones:
            bone.supple_joint.volume.clear()
            bone.supple_joint.flow, bone.supple_joint.hardness = 1.0, "AUTO"
        for curve in entry.get("volume", []):
            for given in curve["keys"] if curve["joint"] in bones else []:
                key = bones[curve["joint"]].supple_joint.volume.add()
                key.angle, key.alpha, key.beta = math.radians(given.get("angle", 0)), given.get("alpha", 0.5), given.get("beta", 0.5)
        for share in entry.get("flow", []):
            if share["joint"] in bones:
                bones[share["joint"]].supple_joint.flow = share["share"]
        for name, value in (("hard", "HARD"), ("soft", "SOFT")):
            for bone in entry.get(name, []):
                if bone in bones:
                    bones[bone].supple_joint.hardness = value
        if "bound" in entry:
            self.paint(settings.bound_group, entry["bound"])
        for piece in entry.get("tissue", []):
            self.tissue(piece)


def remove_helpers(armature: Any) -> int:
    """Deletes tissue and muscles of a character; tells how many there were."""
    found = [*helpers(armature, "TISSUE"), *helpers(armature, "MUSCLE")]
    for one in found:
        data = one.data
        bpy.data.objects.remove(one)
        if data is not None and data.users == 0 and isinstance(data, bpy.types.Mesh):
            bpy.data.meshes.remove(data)
    return len(found)


def show(recipe: dict[str, Any], armature: Any, frames: dict[str, Matrix], meshes: list[Any], scene: Any) -> Shown:
    """Puts a recipe as the engine writes it (`supple add kinodynamics --save-recipe`) onto an armature. `frames`: see
    bone_frames(); `meshes`: the skin that painted weights are of, as rig.bind joins them.
    """
    if recipe.get("kinodynamic_recipe") != 1:
        raise RigError("This is not a kinodynamic recipe of version 1")
    shower = _Shower(armature, frames, meshes, scene)
    shower.field(recipe.get("field", {}))
    for entry in recipe.get("muscles", []):
        shower.muscle(entry)
    armature.supple.window = round(recipe.get("window", 1.0) * scene.render.fps / scene.render.fps_base)
    return shower.shown
