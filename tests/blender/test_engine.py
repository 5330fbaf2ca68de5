"""Files whose layers the engine moves, in Blender: the same vertices as the engine alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")


def make(kind: str, path: Path) -> Path:
    """A small character with one kind of deformer."""
    if kind == "pose space":
        from conftest import swelling

        arm = supple.make.limb(vertices=300).character
        plan = supple.plan(arm, per_dof=3, random=6, grips=0, test_grips=0)
        supple.fit(arm, supple.teach(arm, plan, swelling(arm)), path, method="wpsd")
        return path
    figure = supple.make.figure(vertices=1500).character
    if kind == "flesh":
        supple.add.flesh(figure, path, auto=True, no_compare=True)
    if kind == "kinodynamics":
        supple.add.kinodynamics(figure, path, auto=True, max_muscles=3, no_compare=True)
    if kind == "delta mush":
        supple.add.delta_mush(figure, path)
    return path


def play(armature: Any) -> None:
    data = armature.animation_data
    data.action = data.nla_tracks[0].strips[0].action
    for track in data.nla_tracks:
        track.mute = True
    start, end = data.action.frame_range
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = round(start), round(end)


@pytest.mark.parametrize("kind", ["flesh", "kinodynamics", "delta mush", "pose space"])
def test_a_file_is_live_with_all_its_layers(kind: str, tmp_path: Path) -> None:
    from supple_blender import playing, rig

    path = make(kind, tmp_path / "character.glb")
    bpy.context.scene.render.fps = 30
    assert bpy.ops.import_scene.supple(filepath=str(path)) == {"FINISHED"}
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.supple.vertices)
    play(armature)
    scene = bpy.context.scene
    armature.supple.loop = "off"
    character = supple.load(path)
    blend = "kinodynamic" if kind == "kinodynamics" else "linear"
    skin = supple.Skin(character, blend)
    binding = rig.Binding.of_file(character, armature)
    frames = range(scene.frame_start, min(scene.frame_start + 12, scene.frame_end) + 1)
    worlds = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        worlds.append(binding.world(armature.evaluated_get(bpy.context.evaluated_depsgraph_get())))
    take = supple.Take(skin, worlds, 30, loop="off")
    size = float(np.ptp(character.part().positions, axis=0).max())
    plain = supple.Skin(character, off=["pose-space", "delta-mush"])
    moved = 0.0
    for number, frame in enumerate(frames):
        scene.frame_set(frame)
        points = rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())
        pose = character.rest()
        pose.set_world(worlds[number])
        expected = take.show(number, pose).copy()
        assert np.abs(points - expected).max() < 1e-5 * size
        moved = max(moved, float(np.abs(expected - plain.evaluate(pose)).max()))
    assert armature.supple.problem == "" and playing.layer_of(armature) is not None
    if kind != "flesh":  # the file has flesh baked into its clips already
        assert moved > 1e-4 * size
