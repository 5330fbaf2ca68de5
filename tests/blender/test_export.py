"""Exported characters: valid, and played by another program as Blender shows them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

import scenes  # noqa: E402: it needs bpy
from scenes import sculpt  # noqa: E402

NODE = Path(__file__).resolve().parents[1] / "node"
# Of the size of the character: single precision, bones one after another down a chain.
SAME = 1e-5


@pytest.fixture(scope="session")
def node() -> Path:
    if shutil.which("node") is None or not (NODE / "node_modules" / "three").exists():
        pytest.skip("three.js is not installed (npm --prefix tests/node install)")
    return NODE


@pytest.fixture
def arm() -> tuple[Any, Any]:
    """An arm with a correction and two clips."""
    rig = scenes.armature()
    mesh = scenes.tube(rig)
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    scenes.rest(rig)
    clip(rig, "bend", ((1, 0), (10, 80), (16, 30)))
    clip(rig, "other way", ((5, 20), (12, -60)))
    return rig, mesh


def clip(rig: Any, name: str, keys: tuple[tuple[int, float], ...]) -> None:
    """Keys of frames and degrees, as an action of its own on a track."""
    data = rig.animation_data or rig.animation_data_create()
    data.action = None
    for frame, degrees in keys:
        for bone, share in (("lower", 1.0), ("hand", -0.5), ("upper", 0.3)):
            scenes.bend(rig, bone, degrees * share)
            rig.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
    action = data.action
    action.name = name
    track = data.nla_tracks.new()
    track.name = name
    track.strips.new(name, keys[0][0], action)
    track.mute = True
    data.action = None
    scenes.rest(rig)


def check(node: Path, path: Path) -> None:
    """The validator of Khronos finds nothing to complain of."""
    done = subprocess.run(["node", str(node / "validate.mjs"), str(path)], capture_output=True, text=True)
    report = json.loads(done.stdout)[str(path)]
    assert (report["errors"], report["warnings"]) == (0, 0), report


def played(node: Path, path: Path, name: str, times: list[float]) -> np.ndarray:
    """(F, V, 3): what three.js makes of a clip, in Blender's axes."""
    words = ["node", str(node / "three_positions.mjs"), str(path), name, ",".join(map(str, times))]
    result = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    points = np.concatenate([np.array(one["positions"]).reshape(len(times), -1, 3) for one in result["meshes"]], axis=1)
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=2)


def shown(rig: Any, mesh: Any, name: str, frames: list[int]) -> np.ndarray:
    """(F, V, 3): what Blender shows of it."""
    data = rig.animation_data
    action = bpy.data.actions[name]
    data.action = action
    if getattr(data, "action_slot", None) is None and hasattr(action, "slots"):
        data.action_slot = action.slots[0]
    result = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        result.append(scenes.shown(mesh))
    data.action = None
    return np.array(result)


def check_clip(node: Path, path: Path, rig: Any, mesh: Any, name: str, frames: list[int], first: int = 0, within: float = SAME) -> float:
    """three.js and Blender agree; vertices that the exporter split are found by where they are in the first frame. How far they move.

    `first`: the frame that is at 0 seconds. At its very end a clip begins anew in three.js: frames must be before that.
    """
    theirs = played(node, path, name, [(frame - first) / bpy.context.scene.render.fps for frame in frames])
    ours = shown(rig, mesh, name, frames)
    apart = np.linalg.norm(theirs[0][:, None] - ours[0][None], axis=2)
    same = apart.argmin(axis=1)
    assert len(set(same)) == ours.shape[1]  # every vertex is there
    assert np.abs(theirs - ours[:, same]).max() < within * np.ptp(ours[0], axis=0).max()
    return float(np.abs(np.diff(ours, axis=0)).max())


def test_clips_play_in_three_js_as_blender_shows_them(arm: tuple[Any, Any], node: Path, tmp_path: Path) -> None:
    rig, mesh = arm
    path = tmp_path / "arm.glb"
    assert bpy.ops.export_scene.supple(filepath=str(path)) == {"FINISHED"}
    check(node, path)
    assert check_clip(node, path, rig, mesh, "bend", [1, 5, 10, 13, 15]) > 0.1
    assert check_clip(node, path, rig, mesh, "other way", [5, 8, 11]) > 0.1


def test_a_clip_that_begins_before_frame_0_plays_from_its_beginning(arm: tuple[Any, Any], node: Path, tmp_path: Path) -> None:
    rig, mesh = arm
    clip(rig, "early", ((-4, 0), (6, 80)))
    path = tmp_path / "early.glb"
    bpy.ops.export_scene.supple(filepath=str(path))
    assert check_clip(node, path, rig, mesh, "early", [-4, 0, 5], first=-4) > 0.1


@pytest.mark.parametrize("bake", [False, True])
def test_characters_that_stand_elsewhere_play_too(arm: tuple[Any, Any], node: Path, tmp_path: Path, bake: bool) -> None:
    """A mesh that is no child of its armature, both with places of their own, and a second mesh that has no corrections."""
    rig, mesh = arm
    mesh.parent = None
    mesh.location.x = 0.05
    scenes.tube(rig, rings=11).name = "second"
    bpy.context.view_layer.objects.active = mesh
    for thing in (rig, mesh):
        thing.location.z += 0.3
        thing.rotation_euler.x = 0.4
    bpy.context.view_layer.update()
    path = tmp_path / "elsewhere.glb"
    bpy.ops.export_scene.supple(filepath=str(path), bake=bake)
    check(node, path)
    theirs = played(node, path, "bend", [frame / 24 for frame in (1, 7, 10, 15)])
    ours = np.concatenate([shown(rig, one, "bend", [1, 7, 10, 15]) for one in (mesh, bpy.data.objects["second"])], axis=1)
    same = np.linalg.norm(theirs[0][:, None] - ours[0][None], axis=2).argmin(axis=1)
    assert len(set(same)) == ours.shape[1]
    assert np.abs(theirs - ours[:, same]).max() < SAME * np.ptp(ours[0], axis=0).max()


def test_run_times_can_drive_what_was_exported(arm: tuple[Any, Any], tmp_path: Path) -> None:
    from supple_blender import rig as rigs

    rig, mesh = arm
    path = tmp_path / "arm.gltf"
    bpy.ops.export_scene.supple(filepath=str(path))
    character = supple.load(path)
    assert character.deformers == {"drivers": 1} and len(character.clips) == 2
    assert not any(name.startswith("lower") for name in character.part().morph_names)  # the example is no part of it
    binding = rigs.Binding.of_file(character, rig)
    skin = supple.Skin(character)
    seen = []
    for degrees in (30, -50, 80):
        scenes.bend(rig, "lower", degrees, (0.8, 0.6, 0))
        skin.evaluate(binding.read())
        value = next(one.value for one in mesh.data.shape_keys.key_blocks if one.name.startswith("Supple "))
        assert abs(skin.morph_weights[0] - value) < 1e-5  # of weights about 1, in single precision
        seen.append(value)
    assert np.ptp(seen) > 0.1
    # Nothing is left behind in the scene.
    assert [one.name for one in mesh.data.shape_keys.key_blocks] == ["Basis", "lower 80", "Supple lower 1"]


def test_a_file_comes_back_live(arm_file: Path, node: Path, tmp_path: Path) -> None:
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys)
    bpy.context.view_layer.objects.active = mesh
    path = tmp_path / "again.glb"
    bpy.ops.export_scene.supple(filepath=str(path))
    check(node, path)
    before, after = supple.load(str(arm_file)), supple.load(str(path))
    assert after.deformers == before.deformers
    skins = supple.Skin(before), supple.Skin(after)
    for degrees in (20, 70):
        weights = []
        for character, skin in zip((before, after), skins):
            pose = character.rest()
            joint = character.joint("limb-1")
            half = np.radians(degrees) / 2
            x, y, z, w = pose.rotations[joint]
            # Rest times a turn about x, by quaternions.
            s, c = np.sin(half), np.cos(half)
            pose.rotations[joint] = (w * s + x * c, y * c + z * s, z * c - y * s, w * c - x * s)
            skin.evaluate(pose)
            weights.append(skin.morph_weights.copy())
        assert np.abs(weights[0] - weights[1]).max() < 1e-4 and np.abs(weights[0]).max() > 0.01


def test_shape_keys_that_others_separate_are_driven_apart(arm: tuple[Any, Any], tmp_path: Path) -> None:
    rig, mesh = arm
    scenes.bend(rig, "lower", -60)
    sculpt(rig, mesh, "lower", -60, height=1.3, amount=-0.03)
    bpy.ops.supple.fit()
    keys = [one.name for one in mesh.data.shape_keys.key_blocks if one.name.startswith("Supple ")]
    assert len(keys) >= 2
    mesh.shape_key_add(name="between")
    mesh.active_shape_key_index = len(mesh.data.shape_keys.key_blocks) - 1
    override = {"object": mesh, "active_object": mesh}
    with bpy.context.temp_override(**override):
        bpy.ops.object.shape_key_move(type="UP")
    scenes.rest(rig)
    path = tmp_path / "apart.glb"
    bpy.ops.export_scene.supple(filepath=str(path))
    character = supple.load(path)
    names = character.part().morph_names
    assert names.index("between") < len(names) - 1
    from supple_blender import rig as rigs

    scenes.bend(rig, "lower", 50)
    skin = supple.Skin(character)
    skin.evaluate(rigs.Binding.of_file(character, rig).read())
    for key in keys:
        assert abs(skin.morph_weights[names.index(key)] - mesh.data.shape_keys.key_blocks[key].value) < 1e-5


def test_other_modifiers_and_preserved_volume_are_baked(arm: tuple[Any, Any], node: Path, tmp_path: Path) -> None:
    rig, mesh = arm
    mesh.modifiers["Armature"].use_deform_preserve_volume = True
    smooth = mesh.modifiers.new("Smooth", "CORRECTIVE_SMOOTH")
    smooth.iterations = 4
    mesh.modifiers.new("Subdivision", "SUBSURF")
    path = tmp_path / "baked.glb"
    keys = [one.name for one in mesh.data.shape_keys.key_blocks]
    assert bpy.ops.export_scene.supple(filepath=str(path), bake=True) == {"FINISHED"}
    assert [one.name for one in mesh.data.shape_keys.key_blocks] == keys and mesh.modifiers["Subdivision"].show_viewport
    check(node, path)
    mesh.modifiers["Subdivision"].show_viewport = False
    assert check_clip(node, path, rig, mesh, "bend", [1, 5, 10, 13, 15]) > 0.1
    check_clip(node, path, rig, mesh, "other way", [5, 8, 11])


def test_flesh_that_is_live_is_baked_without_being_asked(node: Path, tmp_path: Path) -> None:
    path = tmp_path / "figure.glb"
    supple.make.figure(path, vertices=1200)
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=str(path))
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.vertex_groups)
    names = {track.name: track.strips[0].action for track in rig.animation_data.nla_tracks}
    for name, action in names.items():
        action.name = name
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.supple.flesh_propose(preset="jelly", compare=False) == {"FINISHED"}
    scene = bpy.context.scene
    bounds = scene.frame_start, scene.frame_end
    soft = tmp_path / "soft.glb"
    assert bpy.ops.export_scene.supple(filepath=str(soft)) == {"FINISHED"}
    assert (scene.frame_start, scene.frame_end) == bounds
    check(node, soft)
    start, end = names["run"].frame_range
    scene.frame_start, scene.frame_end = round(start), round(end)
    check_clip(node, soft, rig, mesh, "run", [0, 4, 9, 17], within=1e-4)  # what three clips do, in 64 shape keys
    live = shown(rig, mesh, "run", [9])
    rig.supple.live = False
    assert np.abs(live - shown(rig, mesh, "run", [9])).max() > 0.01


def test_vertices_of_many_bones_are_told(arm: tuple[Any, Any], tmp_path: Path) -> None:
    from supple_blender import export
    from supple_blender import rig as rigs

    rig, mesh = arm
    found = rigs.Rig(rig, [mesh])
    assert export.export_character(bpy.context, found, tmp_path / "few.glb") == []
    told = export.export_character(bpy.context, found, tmp_path / "two.glb", influences=1)
    assert len(told) == 1 and "follow up to 2 bones, of which 1 are kept" in told[0]
    mesh.modifiers.new("Subdivision", "SUBSURF")
    assert "modifiers of 'body' are left out: Subdivision" in export.export_character(bpy.context, found, tmp_path / "smooth.glb")[0]


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    path = str(tmp_path / "none.glb")
    bpy.context.view_layer.objects.active = None
    assert "Nothing is active" in scenes.refusal(bpy.ops.export_scene.supple, filepath=path)
    rig = scenes.armature()
    assert "bends no mesh" in scenes.refusal(bpy.ops.export_scene.supple, filepath=path)
    scenes.tube(rig)
    assert "There is no folder" in scenes.refusal(bpy.ops.export_scene.supple, filepath=str(tmp_path / "nowhere" / "a.glb"))
    assert not list(tmp_path.iterdir())
    assert bpy.ops.export_scene.supple(filepath=str(tmp_path / "plain")) == {"FINISHED"}  # without a clip and without corrections
    assert (tmp_path / "plain.glb").exists()
