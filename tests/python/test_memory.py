"""Nothing is left behind: ten thousand characters, skins and poses, made and dropped."""

from __future__ import annotations

import gc
import resource
from pathlib import Path

import numpy as np

import supple


def resident() -> int:
    """Bytes of memory that are in use now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_ten_thousand_characters_leave_memory_flat() -> None:
    positions = np.random.default_rng(0).random((300, 3)).astype(np.float32)
    triangles = np.arange(300).reshape(100, 3)
    weights = np.full((300, 2), 0.5)

    def once() -> None:
        character = supple.Character.from_arrays(positions, triangles, ["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]], weights)
        skin = supple.Skin(character)
        view = skin.evaluate(character.rest(), threads=1)
        batch = skin.evaluate_batch(np.stack([character.rest().rotations] * 2), threads=1)
        assert view.shape == batch.shape[1:]

    for _ in range(1000):
        once()
    gc.collect()
    before = resident()
    for _ in range(9000):
        once()
    gc.collect()
    # a leak of one part's positions a time would be 32 MB
    assert resident() - before < 8e6
