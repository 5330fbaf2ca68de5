"""Examples from Python: any function that gives a skin for a pose, or arrays of both."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._run import Figures, Input, Path_, Progress, Result, _listener, temporary_folder

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def _write(
    folder: Path, character: _core.Character, part: str | int | None, origin: str, add: Callable[[_core.ExampleWriter], None]
) -> int:
    writer = _core.ExampleWriter(str(folder), character, part, origin)
    add(writer)
    writer.finish()
    return len(writer)


def _result(
    character: _core.Character,
    part: str | int | None,
    output: Path_ | None,
    origin: str,
    add: Callable[[_core.ExampleWriter], None],
) -> Result:
    result = Result.__new__(Result)
    folder = Path(os.fspath(output)) if output is not None else temporary_folder(result) / "result"
    count = _write(folder, character, part, origin, add)
    Result.__init__(result, Figures(examples=count), f"{folder}: {count} examples\n", folder, 0)
    return result


def teach(
    character: _core.Character,
    plan: Input,
    deform: Callable[[_core.Pose], Any],
    output: Path_ | None = None,
    *,
    part: str | int | None = None,
    progress: Progress = None,
) -> Result:
    """Examples of what a function makes of a character's skin: `fit` then makes a plain glTF file of it.

    `deform(pose)` is called with every pose of the plan and returns positions (V, 3) in world space, metres, of the
    vertices of the part, in their order; or a pair of positions and normals. What it throws comes out of here, and
    nothing is written.
    """
    poses = plan if isinstance(plan, _core.Plan) else _core.Plan.load(os.fspath(plan))  # type: ignore[arg-type]
    listener = _listener(progress)

    def add(writer: _core.ExampleWriter) -> None:
        names, sweeps, roles, weights, tags = poses.names, poses.sweeps, poses.roles, poses.weights, poses.tags
        for number, name in enumerate(names):
            if listener is not None:
                listener("deforming", number / len(names))
            pose = poses.pose(number, character)
            made = deform(pose)
            positions, normals = made if isinstance(made, tuple) else (made, None)
            writer.add(
                pose,
                positions,
                normals,
                name=name,
                sweep=sweeps[number],
                role=roles[number],
                weight=weights[number],
                tags=tags[number],
            )

    name = getattr(deform, "__qualname__", type(deform).__qualname__)
    return _result(character, part, output, f"supple.teach by {name}", add)


def make_examples(
    character: _core.Character,
    poses: Sequence[_core.Pose] | ArrayLike,
    positions: ArrayLike,
    normals: ArrayLike | None = None,
    output: Path_ | None = None,
    *,
    part: str | int | None = None,
    names: Sequence[str] | None = None,
    roles: Sequence[str] | None = None,
    sweeps: Sequence[str] | None = None,
    origin: str = "arrays",
) -> Result:
    """Examples from arrays: poses (a list of Pose, or local rotations (N, J, 4)) and the skin in each, (N, V, 3)."""
    import numpy as np

    listed: list[_core.Pose] = []
    if isinstance(poses, Sequence) and not isinstance(poses, (str, bytes)):
        listed = [pose for pose in poses if isinstance(pose, _core.Pose)]
    if not listed:
        for rotations in np.asarray(poses):
            pose = character.rest()
            pose.rotations = rotations
            listed.append(pose)
    skins = np.asarray(positions)
    if len(skins) != len(listed):
        raise ValueError(f"positions: {len(skins)} skins for {len(listed)} poses")
    for given, what in ((names, "names"), (roles, "roles"), (sweeps, "sweeps"), (normals, "normals")):
        if given is not None and len(np.asarray(given, dtype=object if what != "normals" else None)) != len(listed):
            raise ValueError(f"{what}: must be as many as poses, {len(listed)}")

    def add(writer: _core.ExampleWriter) -> None:
        turned = None if normals is None else np.asarray(normals)
        for number, pose in enumerate(listed):
            writer.add(
                pose,
                skins[number],
                None if turned is None else turned[number],
                name=names[number] if names is not None else f"example-{number}",
                role=roles[number] if roles is not None else "train",
                sweep=sweeps[number] if sweeps is not None else "",
            )

    return _result(character, part, output, origin, add)
