# SPDX-License-Identifier: GPL-3.0-or-later
"""What glTF cannot compute, put into morph targets: the difference between what Blender shows and linear blend, in every clip.

Layers that the engine moves in Blender are baked by the same way: what is shown counts, wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from . import rig
from .driven import curve_lists, points
from .examples import mixed_offsets, rest_points
from .glb import Glb

#: Functions that tell whether a mesh object is moved by something that lives in this add-on alone, so that it must be baked.
NEEDED: list[Callable[[Any], bool]] = []
KEY_NAME = "Supple baked {}"
MODES = 64  # shape keys that the motion is put into at most
ENOUGH = 1e-6  # of the size of the mesh, that may be left
#: Modifiers that move vertices and keep them all.
DEFORMING = {
    "ARMATURE", "CAST", "CLOTH", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE", "MESH_CACHE",
    "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE_DEFORM", "WARP", "WAVE",
}  # fmt: skip


@dataclass
class Baked:
    """Shape keys of a mesh object that hold a motion."""

    mesh: str
    keys: list[str] = field(default_factory=list)
    #: By the name of a clip: times (F,) in seconds, and weights (F, #keys).
    clips: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)


def is_needed(mesh: Any) -> bool:
    return any(one(mesh) for one in NEEDED)


def clips_of(armature: Any) -> dict[str, Any]:
    """Actions of an armature, by the names that Blender's exporter may give them."""
    data = armature.animation_data
    result = {}
    for action in bpy.data.actions:
        paths = [curve.data_path for curves in curve_lists(action) for curve in curves]
        if any(path.startswith("pose.bones[") and path.split('"')[1] in armature.pose.bones for path in paths):
            result[action.name] = action
    for track in data.nla_tracks if data else []:
        result |= {track.name: strip.action for strip in track.strips if strip.action is not None}
    return result


@contextmanager
def kept_animation(scene: Any, armature: Any) -> Iterator[Any]:
    """Gives the animation data of an armature, and puts it and the frame back as they were."""
    data = armature.animation_data
    frame, action, slot, nla = scene.frame_current, data.action, getattr(data, "action_slot", None), data.use_nla
    data.use_nla = False
    try:
        yield data
    finally:
        data.action = action
        if slot is not None:
            data.action_slot = slot
        data.use_nla = nla
        scene.frame_set(frame)


def _play(data: Any, action: Any) -> None:
    data.action = action
    if getattr(data, "action_slot", None) is None and getattr(action, "slots", None):
        data.action_slot = action.slots[0]


def limited_weights(mesh: Any, armature: Any, influences: int) -> tuple[list[str], np.ndarray]:
    """Names of bones, and (V, J) float32: weights as they are written, the largest of each vertex, which sum to 1."""
    names = [bone.name for bone in armature.data.bones if bone.use_deform]
    weights = rig.weights(mesh, names)
    if influences and len(names) > influences:
        weights[weights < np.sort(weights, axis=1)[:, -influences][:, None]] = 0
    return names, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)


def _offsets(mesh: Any, armature: Any, names: list[str], weights: np.ndarray) -> np.ndarray:
    """(V, 3): what must be added to the mesh at rest, so that linear blend gives what Blender shows now."""
    graph = bpy.context.evaluated_depsgraph_get()
    posed = armature.evaluated_get(graph).pose.bones
    to_armature = np.array(armature.matrix_world.inverted() @ mesh.matrix_world)
    bones = np.array([posed[name].matrix @ armature.data.bones[name].matrix_local.inverted() for name in names])
    blend = (weights @ bones.reshape(len(names), 16)).reshape(-1, 4, 4)
    blend = np.linalg.inv(to_armature) @ blend @ to_armature
    keys = mesh.data.shape_keys.key_blocks[1:] if mesh.data.shape_keys else []
    plain = rest_points(mesh) + mixed_offsets(mesh, [key.name for key in keys])
    plain = np.einsum("vij,vj->vi", blend[:, :3, :3], plain) + blend[:, :3, 3]
    shown = mesh.evaluated_get(graph)
    data = shown.to_mesh()
    there = points(data.vertices).astype(float)
    shown.to_mesh_clear()
    turned = blend[:, :3, :3].transpose(0, 2, 1)
    # Where the skin folds, the blended matrices may be singular: the least offsets that come close are taken there.
    return np.linalg.solve(turned @ blend[:, :3, :3] + 1e-9 * np.eye(3), turned @ (there - plain)[:, :, None])[:, :, 0]


@contextmanager
def keys_of_frames(context: Any, armature: Any, mesh: Any, influences: int) -> Iterator[Baked]:
    """Plays every clip of an armature, and puts what linear blend misses into shape keys, for as long as this is open."""
    result = Baked(mesh.name)
    clips, scene = clips_of(armature), context.scene
    hidden = [one for one in mesh.modifiers if one.type not in DEFORMING and one.show_viewport]
    for modifier in hidden:
        modifier.show_viewport = False
    had_keys = mesh.data.shape_keys is not None
    try:
        names, weights = limited_weights(mesh, armature, influences)
        frames: dict[str, range] = {}
        seen = []
        if clips:
            with kept_animation(scene, armature) as data:
                for name, action in clips.items():
                    _play(data, action)
                    frames[name] = range(round(action.frame_range[0]), round(action.frame_range[1]) + 1)
                    for frame in frames[name]:
                        scene.frame_set(frame)
                        seen.append(_offsets(mesh, armature, names, weights).ravel())
        if seen:
            _fill(result, mesh, np.array(seen), frames, scene.render.fps / scene.render.fps_base)
        yield result
    finally:
        for key in result.keys:
            mesh.shape_key_remove(mesh.data.shape_keys.key_blocks[key])
        if not had_keys and mesh.data.shape_keys is not None:
            mesh.shape_key_clear()
        for modifier in hidden:
            modifier.show_viewport = True


def _fill(result: Baked, mesh: Any, seen: np.ndarray, frames: dict[str, range], rate: float) -> None:
    """Shape keys that hold offsets (F, 3V) of frames: their principal directions, as many as are needed."""
    weights, sizes, directions = np.linalg.svd(seen, full_matrices=False)
    weights = weights * sizes
    size = float(np.ptp(rest_points(mesh), axis=0).max())
    count = 0
    while count < min(MODES, len(sizes)) and np.abs(seen - weights[:, :count] @ directions[:count]).max() > ENOUGH * size:
        count += 1
    if mesh.data.shape_keys is None:
        mesh.shape_key_add(name="Basis")
    rest = rest_points(mesh)
    for number in range(count):
        # Weights between -1 and 1, which every engine takes.
        scale = float(np.abs(weights[:, number]).max())
        weights[:, number] /= scale
        block = mesh.shape_key_add(name=KEY_NAME.format(number + 1), from_mix=False)
        block.value = 0.0
        block.data.foreach_set("co", (rest + scale * directions[number].reshape(-1, 3)).astype(np.float32).ravel())
        result.keys.append(block.name)
    begin = 0
    for name, numbers in frames.items():
        result.clips[name] = (np.array(numbers) / rate, weights[begin : begin + len(numbers), :count])
        begin += len(numbers)


def write_tracks(file: Glb, baked: Baked) -> None:
    """Puts the weights of baked shape keys into the animations of a file that has them as morph targets."""
    document = file.document
    node = next((i for i, one in enumerate(document["nodes"]) if "mesh" in one and one.get("name") == baked.mesh), None)
    if node is None or not baked.keys:
        return
    mesh = document["meshes"][document["nodes"][node]["mesh"]]
    targets = mesh["extras"]["targetNames"]
    columns = [targets.index(key) for key in baked.keys]
    for animation in document.get("animations", []):
        if animation["name"] not in baked.clips:
            continue
        times, weights = baked.clips[animation["name"]]
        table = np.tile(np.array(mesh.get("weights", [0.0] * len(targets)), np.float32), (len(times), 1))
        channel = next((one for one in animation["channels"] if one["target"] == {"node": node, "path": "weights"}), None)
        if channel is not None:
            sampler = animation["samplers"][channel["sampler"]]
            keys, old = file.numbers(sampler["input"]), file.numbers(sampler["output"]).reshape(-1, len(targets))
            table = np.stack([np.interp(times, keys, old[:, column]) for column in range(len(targets))], axis=1)
        else:
            channel = {"target": {"node": node, "path": "weights"}}
            animation["channels"].append(channel)
        table[:, columns] = weights
        channel["sampler"] = len(animation["samplers"])
        animation["samplers"].append({"input": file.add(times, bounds=True), "interpolation": "LINEAR", "output": file.add(table)})
