"""What the tests share: small characters, the program, the folder of the project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple

ROOT = Path(__file__).resolve().parents[2]
VERTICES = 597  # of the limb below: whole rings of them


@pytest.fixture(scope="session")
def program() -> str:
    """The program that came with the package, or the one that was built beside it."""
    beside = Path(supple.__file__).resolve().parents[0]
    for candidate in (os.environ.get("SUPPLE_PROGRAM"), ROOT / "build" / "supple", shutil.which("supple")):
        if candidate and Path(candidate).exists():
            return str(candidate)
    raise AssertionError(f"no program 'supple' was found beside {beside}")


@pytest.fixture(scope="session")
def limb() -> supple.Character:
    return supple.make.limb(vertices=600).character


@pytest.fixture(scope="session")
def hand_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hand") / "hand.glb"
    supple.make.hand(path, vertices=1500)
    return path


@pytest.fixture(scope="session")
def hand(hand_file: Path) -> supple.Character:
    return supple.load(str(hand_file))


def bulge(character: supple.Character) -> Any:
    """A deformer in Python: skin that swells where it is bent."""
    skin = supple.Skin(character)

    def deform(pose: supple.Pose) -> Any:
        positions = skin.evaluate(pose).copy()
        turned = 1 - np.abs(pose.rotations[:, 3])
        swelling = character.part().weights @ turned
        return positions + skin.normals() * (0.01 * swelling)[:, None].astype(np.float32)

    return deform
