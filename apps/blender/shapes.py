# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples of a mesh object as arrays of the engine.

Whatever an example is, it comes down to offsets of vertices before the armature bends them: that is what a shape key adds, in
any kind of skinning. The engine gets them bent by its own linear blend, of the rotations that drivers see.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from mathutils import Quaternion

from . import examples, playing, rig
from .driven import driven_keys, points
from .rig import RigError

if TYPE_CHECKING:
    import supple

SAME_POSE = np.radians(1.0)  # examples nearer than that contradict each other
BACK_IN_POSE = np.radians(0.5)  # how far a bone may be off when a pose is put back


@dataclass
class Shapes:
    """Examples of a mesh object, N of them, for a character of V vertices and J joints."""

    binding: rig.Binding
    names: list[str]
    sculpted: list[bool]  # by hand, as opposed to simulated
    rotations: np.ndarray  # (N, J, 4) float32
    positions: np.ndarray  # (N, V, 3) float32, the engine's axes
    linear: np.ndarray  # (N, V, 3) float32: the same poses without corrections

    @property
    def character(self) -> supple.Character:
        return self.binding.character

    def pose(self, number: int, character: supple.Character) -> supple.Pose:
        """The pose of an example, of any character that has the same joints."""
        pose = character.rest()
        for joint, name in enumerate(self.character.joint_names):
            pose.rotations[character.joint(name)] = self.rotations[number, joint]
        return pose


def turning_all(binding: rig.Binding) -> np.ndarray:
    """(J,) bool: joints that turn the whole skin, or none of it, so that corrections do not depend on them."""
    character = binding.character
    weighted = character.part().weights.max(axis=0) > 0
    below = weighted.astype(int)
    for joint in reversed(range(len(below))):  # parents come before their children
        if character.parents[joint] >= 0:
            below[character.parents[joint]] += below[joint]
    return (below == weighted.sum()) | (below == 0)


def axes(binding: rig.Binding, joint: int) -> Quaternion:
    """The rotation of a bone at rest, in the engine's axes: a joint turns by it times the bone's own rotation times its inverse."""
    return binding.to_joint[joint].to_quaternion().inverted()


def joint_rotations(binding: rig.Binding, shown: dict[str, Quaternion]) -> np.ndarray:
    """(J, 4) float32: rotations of joints where bones show some."""
    result = binding.character.rest().rotations.copy()
    ignored = turning_all(binding)
    for joint, name in enumerate(binding.bones):
        if name in shown and not ignored[joint]:
            turn = axes(binding, joint) @ shown[name] @ axes(binding, joint).inverted()
            result[joint] = (turn.x, turn.y, turn.z, turn.w)
    return result


def blend_matrices(binding: rig.Binding, rotations: np.ndarray) -> np.ndarray:
    """(V, 3, 4): what linear blend multiplies vertices by."""
    pose = binding.character.rest()
    before = np.linalg.inv(pose.world().astype(float))
    pose.rotations = rotations
    moved = pose.world() @ before
    return (binding.character.part().weights @ moved[:, :3].reshape(len(moved), 12)).reshape(-1, 3, 4)


class _Bent:
    """A copy of a mesh object that armatures alone bend, without other modifiers and shape keys."""

    def __init__(self, mesh: Any) -> None:
        self.mesh = mesh
        self.object = mesh.copy()
        self.object.supple.vertices = ""  # the engine's layers stay with the original
        self.object.data = bpy.data.meshes.new_from_object(mesh, preserve_all_data_layers=True)  # without shape keys
        for modifier in [one for one in self.object.modifiers if one.type != "ARMATURE"]:
            self.object.modifiers.remove(modifier)
        self.rest = examples.rest_points(mesh)
        bpy.context.scene.collection.objects.link(self.object)

    def at(self, offset: tuple[float, float, float]) -> np.ndarray:
        """(V, 3) float32, the object's own axes: the vertices bent, moved by an offset before."""
        self.object.data.vertices.foreach_set("co", (self.rest + np.float32(offset)).ravel())
        self.object.data.update()
        bpy.context.view_layer.update()
        shown = self.object.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return points(shown.data.vertices).astype(float)

    def bending(self) -> tuple[np.ndarray, np.ndarray]:
        """(V, 3) and (V, 3, 3): where the vertices are, and what offsets of them are multiplied by."""
        step = 0.01 * float(np.ptp(self.rest, axis=0).max() or 1.0)
        middle = self.at((0, 0, 0))
        columns = [(self.at(tuple(step * float(i == k) for k in range(3))) - middle) / step for i in range(3)]
        return middle, np.stack(columns, axis=2)

    def delete(self) -> None:
        data = self.object.data
        bpy.data.objects.remove(self.object)
        bpy.data.meshes.remove(data)


@contextmanager
def bent_copy(mesh: Any) -> Iterator[_Bent]:
    copy = _Bent(mesh)
    try:
        yield copy
    finally:
        copy.delete()


def sculpted_offsets(example: Any, mesh: Any, bent: _Bent) -> np.ndarray:
    """(V, 3): what must be added before the armature bends the mesh, so that it looks as a sculpted object does."""
    other = example.mesh
    shown = points(other.data.shape_keys.reference_key.data if other.data.shape_keys else other.data.vertices).astype(float)
    if other.data.shape_keys:
        shown += examples.mixed_offsets(other, [one.name for one in other.data.shape_keys.key_blocks[1:]])
    if not example.moved:
        to_mesh = np.array(mesh.matrix_world.inverted() @ other.matrix_world)
        shown = shown @ to_mesh[:3, :3].T + to_mesh[:3, 3]
    middle, matrices = bent.bending()
    # Where the skin folds, the blended matrices may be singular: the least offsets that come close are taken there.
    damped = matrices.transpose(0, 2, 1) @ matrices + 1e-9 * np.eye(3)
    return np.linalg.solve(damped, matrices.transpose(0, 2, 1) @ (shown - middle)[:, :, None])[:, :, 0]


def _check_source(example: Any, mesh: Any) -> None:
    """Raises RigError where the shape of an example is not there, or is of another mesh."""
    remove = f"remove the example '{example.name}' from the list, or add it anew"
    if example.kind == "KEY":
        keys = mesh.data.shape_keys
        if keys is None or example.key not in keys.key_blocks:
            raise RigError(f"'{mesh.name}' has no shape key '{example.key}' any more: {remove}")
    elif example.kind == "MESH":
        if example.mesh is None or example.mesh.type != "MESH":
            raise RigError(f"The sculpted mesh of the example '{example.name}' is gone: {remove}")
        examples.same_topology(mesh, example.mesh)
    elif example.simulated is None or len(example.simulated.vertices) != len(mesh.data.vertices):
        raise RigError(f"The example '{example.name}' was simulated with another mesh than '{mesh.name}' is now: simulate again, or {remove}")


def _distinct(used: list[Any], rotations: np.ndarray) -> list[int]:
    """Places of examples that do not contradict each other: a sculpt counts more than what was simulated in its pose. Raises RigError."""
    rest = np.zeros(rotations.shape[1:], rotations.dtype)
    rest[..., 3] = 1
    kept: list[int] = []
    for i in sorted(range(len(used)), key=lambda one: used[one].kind == "SIMULATED"):
        # The largest angle of a joint between this pose and others.
        others = np.stack([rest, *rotations[kept]])
        apart = 2 * np.arccos(np.clip(np.abs((others * rotations[i]).sum(axis=2)), 0, 1)).max(axis=1)
        near = int(apart.argmin())
        if apart[near] >= SAME_POSE:
            kept.append(i)
        elif used[i].kind == "SIMULATED":
            continue
        elif near == 0:
            raise RigError(f"The example '{used[i].name}' stands in the rest pose: bend a joint that the mesh follows, or sculpt the mesh itself")
        else:
            raise RigError(f"The examples '{used[kept[near - 1]].name}' and '{used[i].name}' are of the same pose: take one of them out")
    return sorted(kept)


def gather(armature: Any, mesh: Any) -> Shapes:
    """All examples of a mesh object that are in use. Poses the armature meanwhile. Raises RigError."""
    used = [one for one in mesh.supple_correct.examples if one.use]
    if not used:
        raise RigError(f"'{mesh.name}' has no examples: pose '{armature.name}' and press Add Example, or simulate some")
    for example in used:
        _check_source(example, mesh)
    binding = rig.bind(armature, mesh)
    to_engine = rig.to_engine(armature, mesh)[:3, :3]
    rest = binding.character.part().positions.astype(float)
    rotations = np.stack([joint_rotations(binding, {one.name: Quaternion(one.shown) for one in example.bones}) for example in used])
    kept = _distinct(used, rotations)
    used, rotations = [used[i] for i in kept], rotations[kept]
    other_keys = driven_keys(mesh, "file")  # corrections that stay below those that are fitted
    positions, linear = [], []
    with playing.held(), bent_copy(mesh) as bent, examples.kept_pose(armature):
        for example, rotation in zip(used, rotations):
            blend = blend_matrices(binding, rotation)
            straight = np.einsum("vij,vj->vi", blend[:, :, :3], rest) + blend[:, :, 3]
            if example.kind != "KEY" or other_keys:
                examples.put_pose(example, armature)
            offsets = -examples.mixed_offsets(mesh, other_keys).astype(float)
            if example.kind == "KEY":
                offsets += examples.offsets_of_key(mesh, example.key)
            elif example.kind == "MESH":
                _check_back(example, armature)
                offsets += sculpted_offsets(example, mesh, bent)
            shape = straight + np.einsum("vij,vj->vi", blend[:, :, :3], offsets @ to_engine.T)
            if example.kind == "SIMULATED":
                shape += points(example.simulated.vertices) @ np.array(rig.DOWN)[:3, :3].T - straight
            positions.append(shape)
            linear.append(straight)
    playing.refresh()
    sculpted = [one.kind != "SIMULATED" for one in used]
    return Shapes(binding, [one.name for one in used], sculpted, rotations, np.float32(positions), np.float32(linear))


def _check_back(example: Any, armature: Any) -> None:
    """Raises RigError where constraints do not let an armature come back into the pose of an example."""
    shown = examples.shown_rotations(armature)
    for bone in example.bones:
        turn = shown.get(bone.name)
        if turn is not None and 2 * np.arccos(min(1.0, abs(turn.dot(Quaternion(bone.shown))))) > BACK_IN_POSE:
            raise RigError(
                f"'{armature.name}' does not come back into the pose of the example '{example.name}': the bone '{bone.name}' turns otherwise. "
                "Put targets of its constraints back, or add the example anew"
            )
