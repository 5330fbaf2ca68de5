# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's side of a character, kept in the .blend: its file, and which bones and vertices are which.

It is a mesh without vertices that an armature points to: such a block is saved, linked and appended with the armature, and is not
copied from frame to frame, as properties of objects are.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import bpy
import supple
from mathutils import Matrix

from .rig import Binding, RigError

FILE = "supple character"  # glTF, bytes
BINDING = "supple binding"  # JSON


def keep(binding: Binding, name: str, before: Any | None = None) -> Any:
    """The block that holds a character; the one before, written anew, where there is one."""
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        path = Path(folder) / "character.glb"
        binding.character.save(path)
        content = path.read_bytes()
    block = before if before is not None and before.library is None else bpy.data.meshes.new(f"Supple character of {name}")
    if FILE in block:
        del block[FILE]  # Blender would keep only what fits up to the first zero of the old one
    block[FILE] = content
    turns = [[value for row in turn for value in row] for turn in binding.to_joint]
    block[BINDING] = json.dumps({"joints": list(binding.character.joint_names), "bones": binding.bones, "turns": turns, "unit": binding.unit})
    return block


def restore(block: Any, armature: Any) -> Binding:
    """Raises RigError where the block is damaged, or of another version."""
    try:
        told = json.loads(block[BINDING])
        with tempfile.TemporaryDirectory(prefix="supple-") as folder:
            path = Path(folder) / "character.glb"
            path.write_bytes(block[FILE])
            character = supple.load(path)
        places = {name: number for number, name in enumerate(told["joints"])}
        order = [places[name] for name in character.joint_names]
        turns = [Matrix([told["turns"][i][4 * row : 4 * row + 4] for row in range(4)]) for i in order]
        return Binding(character, armature, [told["bones"][i] for i in order], turns, told["unit"])
    except (KeyError, ValueError, supple.Error) as error:
        raise RigError(f"What Supple keeps of '{armature.name}' cannot be read ({error}): remove the layer and make it anew") from None
