# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips, frame by frame: the weights of driven shape keys, and what glTF cannot compute, put into shape keys of its own.

The latter is the difference between what Blender shows and linear blend. Layers that the engine moves in Blender are baked the
same way: what is shown counts, wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from . import offsets, rig
from .driven import curve_lists, points
from .examples import mixed_offsets, rest_points
from .glb import Glb

KEY_NAME = "Supple baked {}"
MODES = 64  # shape keys that the motion is put into at most
ENOUGH = 1e-6  # of the size of the mesh, that may be left
LEAST_WEIGHT = 1e-4  # of a bone, that Blender's exporter leaves out
#: Modifiers that move vertices and keep them all.
DEFORMING = {
    "ARMATURE", "CAST", "CLOTH", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE", "MESH_CACHE",
    "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SOFT_BODY", "SURFACE_DEFORM", "WARP", "WAVE",
}  # fmt: skip


@dataclass
class Sampled:
    """Weights of shape keys of a mesh object in clips."""

    mesh: str
    made: list[str] = field(default_factory=list)  # shape keys that hold what was baked
    times: dict[str, np.ndarray] = field(default_factory=dict)  # by clip, (F,), seconds
    weights: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)  # by clip and shape key, (F,)


def is_needed(mesh: Any) -> bool:
    """Whether a mesh object is moved by something that lives in this add-on alone."""
    return bool(mesh.supple.vertices)


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
    """Gives the animation data of an armature, and puts it and the frames of the scene back as they were."""
    data = armature.animation_data or armature.animation_data_create()
    frame, action, slot, nla = scene.frame_current, data.action, getattr(data, "action_slot", None), data.use_nla
    bounds = scene.frame_start, scene.frame_end
    data.use_nla = False
    try:
        yield data
    finally:
        data.action = action
        if slot is not None:
            data.action_slot = slot
        data.use_nla = nla
        scene.frame_start, scene.frame_end = bounds
        scene.frame_set(frame)


def _play(data: Any, action: Any) -> None:
    data.action = action
    if getattr(data, "action_slot", None) is None and getattr(action, "slots", None):
        data.action_slot = action.slots[0]


def limited_weights(mesh: Any, armature: Any, influences: int) -> tuple[list[str], np.ndarray]:
    """Names of bones, and (V, J) float32: weights as they are written, the largest of each vertex, which sum to 1."""
    names = [bone.name for bone in armature.data.bones if bone.use_deform]
    weights = rig.weights(mesh, names)
    weights[weights <= LEAST_WEIGHT] = 0
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


def driven_blocks(mesh: Any) -> list[Any]:
    """Shape keys with drivers, whoever made them."""
    keys = mesh.data.shape_keys
    curves = keys.animation_data.drivers if keys and keys.animation_data else []
    paths = {curve.data_path for curve in curves}
    return [block for block in keys.key_blocks if block.path_from_id("value") in paths] if paths else []


@contextmanager
def sampled(context: Any, armature: Any, mesh: Any, bake: bool, influences: int) -> Iterator[Sampled]:
    """Plays every clip of an armature. With `bake`, the mesh has shape keys for what linear blend misses for as long as this is open."""
    result = Sampled(mesh.name)
    scene = context.scene
    rate = scene.render.fps / scene.render.fps_base
    hidden = [one for one in mesh.modifiers if one.type not in DEFORMING and not offsets.is_ours(one) and one.show_viewport] if bake else []
    for modifier in hidden:
        modifier.show_viewport = False
    had_keys = mesh.data.shape_keys is not None
    try:
        blocks = driven_blocks(mesh)
        clips = clips_of(armature) if blocks or bake else {}
        bound = limited_weights(mesh, armature, influences)
        missed = []
        with kept_animation(scene, armature) if clips else nullcontext() as data:
            for name, action in clips.items():
                _play(data, action)
                frames = range(round(action.frame_range[0]), round(action.frame_range[1]) + 1)
                scene.frame_start, scene.frame_end = frames[0], frames[-1]  # what swings is played from the first frame
                values = np.empty((len(frames), len(blocks)))
                for row, frame in enumerate(frames):
                    scene.frame_set(frame)
                    values[row] = [block.value for block in blocks]
                    if bake:
                        missed.append(_offsets(mesh, armature, *bound).ravel())
                # The exporter slides clips that begin before frame 0 there.
                result.times[name] = (np.array(frames) - min(0, frames[0])) / rate
                result.weights[name] = {block.name: values[:, column] for column, block in enumerate(blocks)}
        if missed:
            _fill(result, mesh, np.array(missed))
        yield result
    finally:
        for key in result.made:
            mesh.shape_key_remove(mesh.data.shape_keys.key_blocks[key])
        if not had_keys and mesh.data.shape_keys is not None:
            mesh.shape_key_clear()
        for modifier in hidden:
            modifier.show_viewport = True


def _fill(result: Sampled, mesh: Any, offsets: np.ndarray) -> None:
    """Shape keys that hold offsets (F, 3V) of all frames: their principal directions, as many as are needed."""
    weights, sizes, directions = np.linalg.svd(offsets, full_matrices=False)
    weights = weights * sizes
    rest = rest_points(mesh)
    size = float(np.ptp(rest, axis=0).max())
    count = 0
    while count < min(MODES, len(sizes)) and np.abs(offsets - weights[:, :count] @ directions[:count]).max() > ENOUGH * size:
        count += 1
    if mesh.data.shape_keys is None:
        mesh.shape_key_add(name="Basis")
    for number in range(count):
        # Weights between -1 and 1, which every engine takes.
        scale = float(np.abs(weights[:, number]).max())
        block = mesh.shape_key_add(name=KEY_NAME.format(number + 1), from_mix=False)
        block.value = 0.0
        block.data.foreach_set("co", (rest + scale * directions[number].reshape(-1, 3)).astype(np.float32).ravel())
        result.made.append(block.name)
        begin = 0
        for name, times in result.times.items():
            result.weights[name][block.name] = weights[begin : begin + len(times), number] / scale
            begin += len(times)


def write_tracks(file: Glb, found: Sampled) -> None:
    """Puts weights that were sampled into the animations of a file that has the shape keys as morph targets."""
    document = file.document
    node = next((i for i, one in enumerate(document["nodes"]) if "mesh" in one and one.get("name") == found.mesh), None)
    if node is None:
        return
    mesh = document["meshes"][document["nodes"][node]["mesh"]]
    targets = mesh.get("extras", {}).get("targetNames", [])
    for animation in document.get("animations", []):
        weights = {key: values for key, values in found.weights.get(animation["name"], {}).items() if key in targets}
        if not weights:
            continue
        times = found.times[animation["name"]]
        table = np.tile(np.array(mesh.get("weights", [0.0] * len(targets)), np.float32), (len(times), 1))
        channel = next((one for one in animation["channels"] if one["target"] == {"node": node, "path": "weights"}), None)
        if channel is None:
            channel = {"target": {"node": node, "path": "weights"}}
            animation["channels"].append(channel)
        else:  # shape keys that are animated otherwise
            sampler = animation["samplers"][channel["sampler"]]
            keys, old = file.numbers(sampler["input"]), file.numbers(sampler["output"]).reshape(-1, len(targets))
            table = np.stack([np.interp(times, keys, old[:, column]) for column in range(len(targets))], axis=1)
        for key, values in weights.items():
            table[:, targets.index(key)] = values
        channel["sampler"] = len(animation["samplers"])
        animation["samplers"].append({"input": file.add(times, bounds=True), "interpolation": "LINEAR", "output": file.add(table)})
