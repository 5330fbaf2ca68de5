"""Where examples of a mesh may come from: copies and meshes that were sculpted, posed by constraints, simulated, on top of what a file has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

import scenes  # noqa: E402: it needs bpy
from scenes import HIT, sculpt  # noqa: E402


@pytest.mark.parametrize("preserve_volume", [False, True])
def test_a_posed_copy_is_sculpted_and_moved_aside(arm: tuple[Any, Any], preserve_volume: bool) -> None:
    rig, mesh = arm
    rig.location, rig.scale, rig.rotation_euler = (0.5, -1, 0.2), (0.5, 0.5, 0.5), (0.1, 0.5, 0.3)
    mesh.modifiers["Armature"].use_deform_preserve_volume = preserve_volume
    mesh.modifiers.new("Subdivision", "SUBSURF")  # after ours: it neither hinders nor counts
    scenes.bend(rig, "lower", 70)
    rig.pose.bones["lower"].scale = (1.1, 0.9, 1.0)
    bpy.context.view_layer.update()
    assert bpy.ops.supple.add_example(source="COPY") == {"FINISHED"}
    copy = mesh.supple_correct.examples[0].mesh
    mesh.modifiers["Subdivision"].show_viewport = False
    assert np.abs(scenes.shown(copy) - scenes.shown(mesh)).max() < 1e-6
    scenes.swell(mesh, copy.data.vertices, 1.0)
    wanted = scenes.shown(copy)
    copy.location.x += 3
    before = np.abs(scenes.shown(mesh) - wanted).max()
    channels = [tuple(bone.rotation_quaternion) for bone in rig.pose.bones]
    assert bpy.ops.supple.fit() == {"FINISHED"}
    assert channels == [tuple(bone.rotation_quaternion) for bone in rig.pose.bones]
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < HIT * before
    assert {one.name for one in bpy.data.objects} == {rig.name, mesh.name, copy.name}


def test_meshes_that_stand_there_are_examples(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    scenes.bend(rig, "lower", 70)
    points = scenes.shown(mesh)
    other = bpy.data.objects.new("sculpted elsewhere", mesh.data.copy())
    bpy.context.collection.objects.link(other)
    other.rotation_euler.x, other.scale = 0.7, (2, 2, 2)
    bpy.context.view_layer.update()
    to_other = np.linalg.inv(np.array(other.matrix_world))
    scenes.put(other.data.vertices, points @ to_other[:3, :3].T + to_other[:3, 3])
    scenes.swell(mesh, other.data.vertices, 1.0, 0.02)
    bpy.context.view_layer.update()
    wanted = scenes.shown(other)
    other.select_set(True)
    assert bpy.ops.supple.add_example(source="SELECTED") == {"FINISHED"}
    assert mesh.supple_correct.examples[0].name == "sculpted elsewhere"
    bpy.ops.supple.fit()
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < HIT * np.abs(points - wanted).max()


def test_bones_that_constraints_turn_are_examples_too(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    target = bpy.data.objects.new("target", None)
    bpy.context.collection.objects.link(target)
    target.location = (0, 1.2, 1.3)
    pull = rig.pose.bones["lower"].constraints.new("IK")
    pull.target, pull.chain_count = target, 1
    bpy.context.view_layer.update()
    bpy.ops.supple.add_example(source="COPY")
    copy = mesh.supple_correct.examples[0].mesh
    scenes.swell(mesh, copy.data.vertices, 1.0)
    bpy.context.view_layer.update()
    wanted, before = scenes.shown(copy), scenes.shown(mesh)
    bpy.ops.supple.fit()
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < HIT * np.abs(before - wanted).max()
    target.location = (0, -1.2, 1.3)
    bpy.context.view_layer.update()
    assert "does not come back" in scenes.refusal(bpy.ops.supple.fit)


def test_sculpts_go_on_top_of_corrections_from_a_file(arm_file: Path) -> None:
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys)
    rig = mesh.parent
    for data in (rig.animation_data, mesh.data.shape_keys.animation_data):
        data.action = None
        for track in list(data.nla_tracks):
            data.nla_tracks.remove(track)
    bpy.context.view_layer.objects.active = mesh
    scenes.rest(rig)
    scenes.bend(rig, "limb-1", 70)
    driven = len(mesh.data.shape_keys.key_blocks)
    before = scenes.shown(mesh)
    bpy.ops.supple.add_example()
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - before).max() < 1e-6
    block = mesh.data.shape_keys.key_blocks[-1]
    moved = scenes.coordinates(block.data)
    moved[::7] += 0.01
    scenes.put(block.data, moved)
    bpy.context.view_layer.update()
    wanted = scenes.shown(mesh)
    bpy.ops.supple.fit()
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < 0.01 * HIT
    assert len(mesh.data.shape_keys.key_blocks) == driven + 2  # those of the file, the example, one correction
    # Elsewhere the file's corrections are what they were.
    scenes.bend(rig, "limb-1", 0)
    scenes.bend(rig, "limb-2", 50)
    with_both = scenes.shown(mesh)
    from supple_blender import corrections

    corrections.remove(mesh, rig, "fit")
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - with_both).max() < 1e-6


def test_flesh_swings_on_top_of_corrections(tmp_path: Path) -> None:
    from supple_blender import engine

    supple.make.figure(tmp_path / "figure.glb", vertices=1000)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "figure.glb"))
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.vertex_groups)
    rig.animation_data_clear()
    bpy.context.view_layer.objects.active = mesh
    assert bpy.ops.supple.flesh_propose() == {"FINISHED"}
    rig.supple.dynamics = "OFF"
    objects = len(bpy.data.objects)
    bone = next(one.name for one in rig.data.bones if "forearm" in one.name or "elbow" in one.name)
    scenes.bend(rig, bone, 70)
    bpy.ops.supple.add_example()
    block = mesh.data.shape_keys.key_blocks[-1]
    moved = scenes.coordinates(block.data)
    near = np.linalg.norm(moved - np.array(rig.data.bones[bone].head_local), axis=1)
    scenes.put(block.data, moved + 0.02 * np.exp(-((near / 0.1) ** 2))[:, None])
    bpy.context.view_layer.update()
    wanted = scenes.shown(mesh)
    assert bpy.ops.supple.fit() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < HIT * 0.02
    assert engine.attached(rig) == [mesh] and rig.supple.problem == ""
    assert len(bpy.data.objects) == objects


def test_simulated_examples_are_learnt_and_sculpts_among_them_are_hit(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    scenes.bend(rig, "lower", 75)
    assert bpy.ops.supple.simulate_examples(poses="POSE") == {"FINISHED"}
    kept = mesh.supple_correct
    assert [one.name for one in kept.examples] == ["lower 75, 33%", "lower 75, 67%", "lower 75, 100%"]
    bpy.ops.supple.fit()
    assert kept.mean_after < 0.5 * kept.mean_before
    scenes.rest(rig)
    example = sculpt(rig, mesh, "lower", 50)  # the pose of one that was simulated: the sculpt counts
    bpy.ops.supple.fit()
    assert kept.fitted == 3
    assert example.after < HIT * example.before
    assert kept.mean_after < 0.5 * kept.mean_before
    bpy.ops.supple.simulate_examples(poses="POSE")
    assert len(kept.examples) == 7  # three more, of another pose
    kept.active = 0
    count = len(bpy.data.meshes)
    bpy.ops.supple.remove_example()
    assert len(bpy.data.meshes) == count - 1 and len(kept.examples) == 6


def test_frames_and_selected_bones_are_simulated(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    assert "stays at rest" in scenes.refusal(bpy.ops.supple.simulate_examples, poses="FRAMES", count=3)
    for frame, degrees in ((1, 0), (20, 60)):
        scenes.bend(rig, "hand", degrees)
        rig.pose.bones["hand"].keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_set(7)
    bpy.ops.supple.simulate_examples(poses="FRAMES", count=3)
    assert scene.frame_current == 7
    assert [one.name for one in mesh.supple_correct.examples] == ["frame 10", "frame 20"]
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = False
    assert "No bone" in scenes.refusal(bpy.ops.supple.simulate_examples, poses="BONES")
    chosen = rig.pose.bones["upper"]
    (chosen if hasattr(chosen, "select") else chosen.bone).select = True
    assert "'upper' turns the whole mesh" in scenes.refusal(bpy.ops.supple.simulate_examples, poses="BONES")
