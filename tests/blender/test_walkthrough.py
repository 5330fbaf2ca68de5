"""The walk through of the docs, as it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "blender-walkthrough.md"


def test_from_a_stock_rig_to_a_better_one_improve_included(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PAGE.read_text().split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    supple.make.limb("stock.glb", vertices=400)
    exec(compile(program, str(PAGE), "exec"), {})
    better = supple.load("better.glb")
    assert better.deformers.get("drivers") and len(better.clips) > 0
    skin, plain = supple.Skin(better), supple.Skin(better, given=["drivers"])
    clip = better.clips[0]
    pose = better.at(clip.name, (clip.start + clip.end) / 2)
    pose.morph_weights[:] = 0
    assert np.abs(skin.evaluate(pose) - plain.evaluate(pose)).max() > 1e-4
