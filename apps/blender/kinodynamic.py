# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinodynamic skin of a character of Blender: built by the engine from settings and objects, or proposed by it.

`live_parameters` is what of a built character may be keyed, for whoever plays it.
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import flesh, rig
from .kinodynamic_recipe import live_parameters, muscles, recipe, tissue
from .rig import RigError

if TYPE_CHECKING:
    import supple

__all__ = ["Built", "Proposal", "build", "build_bound", "live_parameters", "muscles", "propose", "recipe", "recipe_of"]


@dataclass
class Built:
    binding: rig.Binding
    warnings: list[str] = field(default_factory=list)

    @property
    def character(self) -> supple.Character:
        return self.binding.character


def _explained(error: supple.Error, armature: Any) -> RigError:
    """What the engine says of an item of a recipe, said of the object that it came from."""
    for word, pieces in (("tissue", tissue(armature)), ("muscles?", muscles(armature))):
        found = re.search(rf"\b{word}(?:\[| )(\d+)", error.item)
        if found and int(found[1]) < len(pieces):
            return RigError(f"'{pieces[int(found[1])].name}' {error.problem}" + (f": {error.remedy}" if error.remedy else ""))
    named = re.search(r"(?:muscle|tissue) ('.*')", error.item)
    item = named[1] if named else re.sub(r"^.*\.json: ?", "", error.item) or f"'{armature.name}'"
    return RigError(f"{item} {error.problem}" + (f": {error.remedy}" if error.remedy else ""))


def _with_flesh(binding: rig.Binding, folder: Path) -> rig.Binding:
    """Flesh that was proposed stays, as it is tuned."""
    import supple

    if not binding.armature.supple.flesh:
        return binding
    path = folder / "flesh.json"
    path.write_text(json.dumps(flesh.recipe(binding.armature)))
    made = supple.add.flesh(binding.character, recipe=str(path), unit=binding.unit, influences=0, no_compare=True)
    return binding.with_character(made.character)


def build(armature: Any, *meshes: Any) -> supple.Character:
    """See build_bound()."""
    return build_bound(armature, *meshes).character


def build_bound(armature: Any, *meshes: Any) -> Built:
    """The meshes and the bones with the kinodynamics that were set, vertex by vertex as rig.bind has them. Raises RigError."""
    import supple

    with tempfile.TemporaryDirectory(prefix="supple-") as folder, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            binding = _with_flesh(rig.bind(armature, *meshes), Path(folder))
            if armature.supple_kinodynamics.layer != "LINEAR":
                path = Path(folder) / "recipe.json"
                path.write_text(json.dumps(recipe(armature, list(meshes), folder)))
                made = supple.add.kinodynamics(binding.character, recipe=str(path), unit=binding.unit, no_compare=True)
                binding = binding.with_character(made.character)
        except supple.Error as error:
            raise _explained(error, armature) from None
    return Built(binding, [str(one.message) for one in told if issubclass(one.category, supple.SuppleWarning)])


@dataclass
class Proposal:
    recipe: dict[str, Any]
    told: str = ""  # what was mended, and how it compares with linear blend


def propose(binding: rig.Binding, *, max_muscles: int, with_tissue: bool, compare: bool, progress: Any = None) -> Proposal:
    """Muscles and tissue as the engine would place them; `compare` leaves out what would be worse than linear blend. It
    may be called from any thread. Raises RigError.
    """
    import supple

    with tempfile.TemporaryDirectory(prefix="supple-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.SuppleWarning)
        path = Path(folder) / "recipe.json"
        try:
            result = supple.add.kinodynamics(
                binding.character, auto=True, ellipsoids=with_tissue, max_muscles=max_muscles, save_recipe=str(path), unit=binding.unit, no_compare=not compare, progress=progress
            )
        except supple.Error as error:
            raise RigError(f"'{binding.armature.name}' {error.problem}" + (f": {error.remedy}" if error.remedy else "")) from None
        return Proposal(json.loads(path.read_text()), result.text)


def recipe_of(character: supple.Character) -> dict[str, Any]:
    """Of a character that has kinodynamics."""
    import supple

    with tempfile.TemporaryDirectory(prefix="supple-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", supple.SuppleWarning)
        path = Path(folder) / "recipe.json"
        supple.add.kinodynamics(character, save_recipe=str(path))
        return json.loads(path.read_text())
