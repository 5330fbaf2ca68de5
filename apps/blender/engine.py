# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers that the engine moves: flesh, muscles, pose space, wrinkles, delta mush, the kinodynamic flow.

A frame is what Blender shows by itself (the armature's modifier, shape keys) plus offsets: the engine's surface with all
layers, less its surface as Blender has it. So shape keys and modifiers of the artist's own stay what they are.
"""

from __future__ import annotations

import json
from typing import Any

import bpy
import numpy as np
import supple

from . import motion, offsets, store
from .kinodynamic_recipe import built_muscles, live_parameters
from .rig import UP, Binding, RigError, armature_of
from .settings import flesh_values

Vertices = list[list[int]]  # of a mesh object: [part, first vertex of the part, first vertex of the mesh, how many]
Keys = list[tuple[int, str]]  # of a mesh object: morph weights of the character, and shape keys that are them
LONGEST = 20000  # frames of a range that is played as a whole


def attach(meshes: list[Any], binding: Binding, places: list[Vertices] | None = None, blend: str = "linear", keys: dict[str, Keys] | None = None) -> None:
    """Makes the layers of a character live on mesh objects, one after the other as rig.bind took them."""
    armature = binding.armature
    if places is None:
        places, first = [], 0
        for mesh in meshes:
            places.append([[0, first, 0, len(mesh.data.vertices)]])
            first += len(mesh.data.vertices)
    armature.supple.store = store.keep(binding, armature.name, armature.supple.store)
    armature.supple.blend = blend
    for mesh, vertices in zip(meshes, places):
        dual = any(one.type == "ARMATURE" and one.use_deform_preserve_volume for one in mesh.modifiers)
        armature.supple.native = "dual" if dual else "linear"
        mesh.supple.vertices = json.dumps(vertices)
        mesh.supple.keys = json.dumps((keys or {}).get(mesh.name, []))
        if offsets.carrier_of(mesh) is None:
            offsets.add(mesh)


def detach(mesh: Any) -> None:
    """Takes the engine's layers from a mesh object, and from its armature with the last of them."""
    armature = armature_of(mesh)
    offsets.remove(mesh)
    mesh.supple.vertices = ""
    if armature is not None and armature.supple.store is not None and not attached(armature):
        block = armature.supple.store
        armature.supple.store = None
        if block.users == 0:
            bpy.data.meshes.remove(block)


def attached(armature: Any) -> list[Any]:
    """Mesh objects that layers of an armature are live on."""
    return [one for one in bpy.data.objects if one.type == "MESH" and one.supple.vertices and armature_of(one) == armature]


class LiveMesh:
    """A mesh object that layers are live on."""

    def __init__(self, mesh: Any) -> None:
        self.name, self.library = mesh.name, mesh.library
        self.vertices: Vertices = json.loads(mesh.supple.vertices)
        keys: Keys = json.loads(mesh.supple.keys or "[]")
        self.weights = [weight for weight, _ in keys]
        names = [block.name for block in mesh.data.shape_keys.key_blocks] if mesh.data.shape_keys else []
        self.blocks = [names.index(name) for _, name in keys if name in names]

    def find(self) -> Any | None:
        return bpy.data.objects.get((self.name, self.library.filepath) if self.library else self.name)

    def needs_depsgraph(self, mesh: Any) -> bool:
        """Whether where it is, or its shape keys, takes Blender to tell: it does not just hang on its armature."""
        hangs = mesh.parent is not None and mesh.parent == armature_of(mesh) and mesh.parent_type in ("OBJECT", "ARMATURE")
        return not hangs or bool(self.blocks) or bool(mesh.constraints) or mesh.animation_data is not None

    def place(self, mesh: Any, depsgraph: Any) -> Any:
        """Its matrix in the world."""
        if self.needs_depsgraph(mesh):
            return mesh.evaluated_get(depsgraph).matrix_world
        return mesh.parent.evaluated_get(depsgraph).matrix_world @ mesh.matrix_parent_inverse @ mesh.matrix_basis

    def read_keys(self, mesh: Any, depsgraph: Any, weights: np.ndarray) -> None:
        """Morph weights as Blender shows them."""
        if self.blocks:
            blocks = mesh.evaluated_get(depsgraph).data.shape_keys.key_blocks
            values = np.empty(len(blocks), np.float32)
            blocks.foreach_get("value", values)
            weights[self.weights] = values[self.blocks]


class Layer:
    """A live armature while Blender runs. Names are kept, not objects: undo makes those anew."""

    def __init__(self, armature: Any) -> None:
        settings = armature.supple
        self.armature_name = armature.name
        self.library = armature.library
        self.block = settings.store.name_full
        self.binding = store.restore(settings.store, armature)
        self.full = supple.Skin(self.binding.character, settings.blend)
        self.base = supple.Skin(self.binding.character, settings.native, given=["drivers", "pose-space", "wrinkles", "delta-mush", "flesh"])
        self.pose = self.binding.character.rest()
        #: Whether anything of it trails behind.
        self.swings = not {"flesh", "kinodynamics"}.isdisjoint(self.binding.character.deformers)
        self.meshes = [LiveMesh(one) for one in attached(armature)]
        self._worlds: dict[int, Any] = {}  # by frame: (world, settings)
        self._take: Any = None
        self._take_key: Any = None
        self.is_stale = False  # something was edited since the motion was sampled

    def armature(self) -> Any | None:
        return bpy.data.objects.get((self.armature_name, self.library.filepath) if self.library else self.armature_name)

    def forget_motion(self) -> None:
        """Bones, keys or settings changed."""
        self._worlds.clear()
        self._take_key = None
        self.is_stale = False

    def values(self, scene: Any, depsgraph: Any) -> dict[str, dict[str, Any]]:
        """Settings of what swings at the moment of a depsgraph."""
        armature = self.armature()
        values = flesh_values(scene, armature.evaluated_get(depsgraph), self.binding.unit)
        if "kinodynamics" in self.binding.character.deformers:
            values |= live_parameters(armature, scene, depsgraph, self.binding.unit)
        return values

    def _sampled(self, scene: Any, frames: range) -> tuple[np.ndarray, dict[str, dict[str, np.ndarray]]]:
        armature = self.armature()

        def moment(depsgraph: Any) -> Any:
            return self.binding.world(armature.evaluated_get(depsgraph)), self.values(scene, depsgraph)

        missing = [frame for frame in frames if frame not in self._worlds]
        if missing:
            self._worlds.update(zip(missing, motion.sample(scene, [armature, *built_muscles(armature)], missing, moment, keep=len(missing) < 3)))
        samples = [self._worlds[frame] for frame in frames]
        return np.stack([one[0] for one in samples]), _by_frame([one[1] for one in samples])

    def arrive(self, scene: Any, depsgraph: Any) -> None:
        """A frame was gone to, by keys and constraints: where it is not as it was sampled, the motion has been edited."""
        sampled = self._worlds.get(scene.frame_current) if scene.frame_subframe == 0 else None
        if self.is_stale or (sampled is not None and not np.array_equal(sampled[0], self.binding.world(self.armature().evaluated_get(depsgraph)))):
            self.forget_motion()

    def play_range(self, scene: Any) -> Any:
        """The take of all frames of a scene."""
        start, end, loop = scene.frame_start, scene.frame_end, self.armature().supple.loop
        rate = scene.render.fps / scene.render.fps_base
        if end - start > LONGEST:
            raise RigError(f"the scene has more than {LONGEST} frames: choose the dynamics 'Window'")
        key = (start, end, rate, loop)
        if key != self._take_key:
            worlds, values = self._sampled(scene, range(start, end + 1))
            self._take = supple.Take(self.full, worlds, rate, loop=loop, settings=values)
            self._take_key = key
        return self._take

    def _play(self, scene: Any, depsgraph: Any, world: np.ndarray, frame: float) -> tuple[Any, float]:
        """The take that the shown frame is of, and which frame of it that is."""
        settings = self.armature().supple
        rate = scene.render.fps / scene.render.fps_base
        mode, start, end = settings.dynamics, scene.frame_start, scene.frame_end
        if mode == "RANGE" and end > start:
            return self.play_range(scene), frame - start
        window = settings.window if mode == "WINDOW" else 0
        if window == 0:
            values = _by_frame([self.values(scene, depsgraph)] * 2)
            return supple.Take(self.full, np.stack([world, world]), rate, loop="off", preroll=0, settings=values), 0.0
        last = int(np.ceil(frame))
        first = last - window
        worlds, values = self._sampled(scene, range(first, last + 1))
        for old in [one for one in self._worlds if not first - 2 * window <= one <= last + 2 * window]:
            del self._worlds[old]
        return supple.Take(self.full, worlds, rate, loop="off", preroll=0, settings=values), frame - first

    def surfaces(self, scene: Any, depsgraph: Any, frame: float) -> None:
        """Both surfaces at the moment that a depsgraph has."""
        world = self.binding.world(self.armature().evaluated_get(depsgraph))
        self.pose.set_world(world)
        for one in self.meshes:
            mesh = one.find()
            if mesh is not None:
                one.read_keys(mesh, depsgraph, self.pose.morph_weights)
        if self.swings:
            take, frame = self._play(scene, depsgraph, world, frame)
            take.show(frame, self.pose)
        else:
            self.full.evaluate(self.pose)
        self.base.evaluate(self.pose)

    def offsets(self, scene: Any, depsgraph: Any, frame: float) -> list[tuple[Any, np.ndarray]]:
        """Of each mesh object (V, 3), in its own space."""
        self.surfaces(scene, depsgraph, frame)
        result = []
        for one in self.meshes:
            mesh = one.find()
            if mesh is None or offsets.carrier_of(mesh) is None:
                continue
            values = np.zeros((len(mesh.data.vertices), 3), np.float32)
            for part, first, at, count in one.vertices:
                if at + count > len(values):
                    raise RigError(f"'{mesh.name}' has lost vertices since the layer was made: undo that, or make the layer anew")
                values[at : at + count] = (self.full.positions(part) - self.base.positions(part))[first : first + count]
            inner = np.array(one.place(mesh, depsgraph).to_3x3().inverted_safe() @ UP.to_3x3()) * self.binding.unit
            result.append((mesh, values @ inner.T.astype(np.float32)))
        return result

    def show(self, scene: Any, depsgraph: Any) -> None:
        if all(offsets.is_baked(mesh) for one in self.meshes if (mesh := one.find()) is not None):
            return
        for mesh, values in self.offsets(scene, depsgraph, scene.frame_current_final):
            offsets.write(offsets.carrier_of(mesh), values)

    def hide(self) -> None:
        for one in self.meshes:
            mesh = one.find()
            carrier = offsets.carrier_of(mesh) if mesh is not None else None
            if carrier is not None:
                offsets.write(carrier, np.zeros((len(mesh.data.vertices), 3), np.float32))


def _by_frame(values: list[dict[str, dict[str, Any]]]) -> dict[str, dict[str, np.ndarray]]:
    return {name: {field: np.array([one[name][field] for one in values], np.float32) for field in fields} for name, fields in values[0].items()}
