# SPDX-License-Identifier: GPL-3.0-or-later
"""Corrections of a mesh that are learnt from its examples: driven shape keys of the same mesh object."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from mathutils import Quaternion

from . import driven, examples, rig
from .jobs import Job
from .live import EXTENSION, read_document
from .rig import RigError
from .shapes import Shapes, axes

if TYPE_CHECKING:
    import supple

KEY_NAME = "Supple {}"  # of shape keys; {}: what the engine calls the target
MISSED = 0.01  # of linear blend's error, that may be left of a sculpt
MODES = (10, 64)  # that may move one vertex: what the engine takes by itself, and the most that it can


def _write_examples(shapes: Shapes, folder: Path, exact: bool) -> Path:
    """`exact`: sculpts get shapes of their own for what the others leave of them."""
    import supple

    writer = supple.ExampleWriter(str(folder), shapes.character, None, "Blender")
    for number, name in enumerate(shapes.names):
        tags = ["exact"] if exact and shapes.sculpted[number] else []
        writer.add(shapes.pose(number, shapes.character), shapes.positions[number], name=name, tags=tags)
    writer.finish()
    return folder


def fit_job(shapes: Shapes, folder: Path) -> Job:
    """`supple fit` of examples, with a folder for what it writes."""
    import supple

    options = {"weights": "signed", "normals": "none", "no_pictures": True}

    def work(told: Any) -> Any:
        if all(shapes.sculpted):
            # Sculpts alone are few and free of noise: as many modes as they need, not as many as predict examples left out.
            few = _write_examples(shapes, folder / "sculpts", exact=False)
            budget = int(np.clip(len(shapes.names), *MODES))
            fitted = supple.fit(shapes.character, few, folder / "smooth.glb", error=0.0, budget=budget, progress=told, **options)
            if fitted.figures.errors.train.worst_relative < MISSED:
                return fitted
        return supple.fit(shapes.character, _write_examples(shapes, folder / "all", exact=True), folder / "exact.glb", progress=told, **options)

    return Job(work)


@dataclass
class Errors:
    """Distances between the skin and its examples, in units of the scene."""

    before: np.ndarray  # (N, V), without the corrections
    after: np.ndarray

    def worst(self) -> tuple[int, int]:
        """The example and the vertex where most is left."""
        example, vertex = np.unravel_index(int(self.after.argmax()), self.after.shape)
        return int(example), int(vertex)


def measure(shapes: Shapes, fitted: supple.Character) -> Errors:
    import supple

    scale = shapes.binding.armature.matrix_world.median_scale
    skin = supple.Skin(fitted)
    after = np.stack([skin.evaluate(shapes.pose(number, fitted)).copy() for number in range(len(shapes.names))])
    return Errors(*(scale * np.linalg.norm(one - shapes.positions, axis=2) for one in (shapes.linear, after)))


def put_on(mesh: Any, armature: Any, shapes: Shapes, path: Path, fitted: supple.Character) -> int:
    """Replaces the corrections of a mesh object by those of a fitted file; tells how many drivers that took. Raises RigError."""
    part = fitted.part()
    if len(part.positions) != len(mesh.data.vertices):
        raise RigError(f"'{mesh.name}' was changed meanwhile: fit again")
    if mesh.data.users > 1:  # shape keys belong to the mesh, drivers to one object
        mesh.data = mesh.data.copy()
    driven.remove(mesh, armature, "fit")
    if mesh.data.shape_keys is None:
        mesh.shape_key_add(name="Basis")
    to_mesh = np.linalg.inv(rig.to_engine(armature, mesh)[:3, :3])
    rest = examples.rest_points(mesh)
    keys: list[str | None] = []
    for number, name in enumerate(part.morph_names):
        block = mesh.shape_key_add(name=KEY_NAME.format(name), from_mix=False)
        block.data.foreach_set("co", (rest + part.morph(number) @ to_mesh.T).astype(np.float32).ravel())
        keys.append(block.name)
    document = read_document(path)
    nodes = [node.get("name", "") for node in document["nodes"]]
    made = 0
    for driver in document["extensions"][EXTENSION]["drivers"]:
        bones = [nodes[node] for node in driver["joints"]]
        first = driver["firstTarget"]
        some = keys[first : first + len(driver["restWeights"])]
        none = [[0.0, 0.0, 0.0, 1.0]] * len(bones)
        made += driven.drive(in_bone_axes(driver, bones, shapes.binding), none, armature, bones, mesh, some, origin="fit")
    # Blender 4.2 does not see by itself that drivers are new.
    armature.update_tag()
    mesh.data.update_tag()
    mesh.data.shape_keys.update_tag()
    return made


def in_bone_axes(driver: dict[str, Any], bones: list[str], binding: rig.Binding) -> dict[str, Any]:
    """A driver of joints with the axes of the world, as one of bones with axes of their own.

    Where joints turn by r q r^-1, bones turn by q: distances of rotations are the same between q and r^-1 c r, c being a centre.
    """
    turns = [axes(binding, binding.bones.index(bone)) for bone in bones]

    def centre(flat: list[float]) -> list[float]:
        result: list[float] = []
        for k, turn in enumerate(turns):
            x, y, z, w = flat[4 * k : 4 * k + 4]
            own = turn.inverted() @ Quaternion((w, x, y, z)) @ turn
            result += [own.x, own.y, own.z, own.w]
        return result

    return {**driver, "centres": [centre(one) for one in driver["centres"]]}


def remove(mesh: Any, armature: Any, origin: str | None = None) -> int:
    """Takes corrections out again, and shows the shape keys that were examples; tells how many shape keys were removed."""
    removed = driven.remove(mesh, armature, origin)
    blocks = mesh.data.shape_keys.key_blocks if mesh.data.shape_keys else {}
    for example in mesh.supple_correct.examples:
        if example.kind == "KEY" and example.key in blocks:
            blocks[example.key].mute = False
        example.before = example.after = 0.0
    mesh.supple_correct.fitted = 0
    mesh.supple_correct.verdict = ""
    return removed
