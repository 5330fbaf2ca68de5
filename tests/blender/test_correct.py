"""Examples of how a mesh should look in some poses, and the driven shape keys that are learnt from them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

import scenes  # noqa: E402: it needs bpy
from scenes import HIT, ours, sculpt  # noqa: E402


def test_a_sculpted_pose_comes_out_as_it_was_sculpted(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    plain = scenes.shown(mesh)
    sculpt(rig, mesh)
    wanted = scenes.shown(mesh)  # the new shape key alone is shown
    mesh.show_only_shape_key = False
    bpy.context.view_layer.update()
    before = np.linalg.norm(scenes.shown(mesh) - wanted, axis=1)
    assert before.max() > 0.04
    assert bpy.ops.supple.fit() == {"FINISHED"}
    after = np.linalg.norm(scenes.shown(mesh) - wanted, axis=1)
    assert after.max() < HIT * before.max()
    kept = mesh.supple_correct
    # What the panel tells is what Blender shows.
    assert kept.mean_before == pytest.approx(before.mean(), rel=1e-3) and kept.worst_before == pytest.approx(before.max(), rel=1e-3)
    assert kept.mean_after < HIT * kept.mean_before and kept.worst_after < HIT * kept.worst_before
    assert kept.worst_example == "lower 80" and 0 <= kept.worst_vertex < len(plain)
    assert "better" in kept.verdict or "nearer" in kept.verdict
    # Between rest and the example it grows, and at rest there is nothing.
    sizes = []
    for degrees in (0, 20, 40, 60, 80):
        scenes.bend(rig, "lower", degrees)
        with_it = scenes.shown(mesh)
        mesh.show_only_shape_key, mesh.active_shape_key_index = True, 0
        bpy.context.view_layer.update()
        sizes.append(np.abs(with_it - scenes.shown(mesh)).max())
        mesh.show_only_shape_key = False
        bpy.context.view_layer.update()
    assert sizes[0] < 1e-6 and all(a < b for a, b in zip(sizes, sizes[1:]))


def test_drivers_give_the_weights_of_the_engine(arm: tuple[Any, Any], tmp_path: Path) -> None:
    from supple_blender import corrections, examples, shapes

    rig, mesh = arm
    sculpt(rig, mesh)
    scenes.rest(rig)
    scenes.bend(rig, "lower", 50, (0, 1, 0))
    sculpt(rig, mesh, "hand", 70, height=2.0)
    scenes.rest(rig)
    found = shapes.gather(rig, mesh)
    job = corrections.fit_job(found, tmp_path)
    job.wait()
    fitted = job.result.character
    mesh.show_only_shape_key = False
    corrections.put_on(mesh, rig, found, job.result.path, fitted)
    keys = [one for one in mesh.data.shape_keys.key_blocks if one.name.startswith("Supple ")]
    skin = supple.Skin(fitted)
    random = np.random.default_rng(1)
    seen = []
    for _ in range(5):
        for bone in rig.pose.bones:
            turn = random.normal(size=4) * 0.3 + (1, 0, 0, 0)
            bone.rotation_quaternion = turn / np.linalg.norm(turn)
        bpy.context.view_layer.update()
        pose = fitted.rest()
        for joint, rotation in zip(found.character.joint_names, shapes.joint_rotations(found.binding, examples.shown_rotations(rig))):
            pose.rotations[fitted.joint(joint)] = rotation
        skin.evaluate(pose)
        seen.append(skin.morph_weights.copy())
        assert np.abs([one.value for one in keys] - skin.morph_weights).max() < 1e-5  # of weights about 1, in single precision
    assert np.ptp(seen, axis=0).max() > 0.1


def test_more_examples_never_make_it_worse(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    poses = [("lower", 80, 1.0, 0.05), ("lower", 40, 0.9, 0.03), ("hand", 60, 2.0, 0.04), ("lower", -50, 1.1, -0.03)]
    for number, (bone, degrees, height, amount) in enumerate(poses):
        scenes.rest(rig)
        # What is there already is the beginning of the next example: taken away, so that the sculpts stay what they are.
        example = sculpt(rig, mesh, bone, degrees, height, amount)
        block = mesh.data.shape_keys.key_blocks[example.key]
        scenes.put(block.data, scenes.coordinates(mesh.data.vertices))
        scenes.swell(mesh, block.data, height, amount)
        bpy.ops.supple.fit()
        kept = mesh.supple_correct
        assert kept.fitted == number + 1
        assert kept.mean_after < HIT * kept.mean_before
        for one in kept.examples:
            assert 0 < one.after < 2 * HIT * one.before


def test_an_example_begins_with_the_corrections_that_there_are(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    scenes.bend(rig, "lower", 60)
    before = scenes.shown(mesh)
    bpy.ops.supple.add_example()
    bpy.context.view_layer.update()
    assert mesh.show_only_shape_key
    assert np.abs(scenes.shown(mesh) - before).max() < 1e-6


def test_shape_keys_of_the_user_stay_as_they_are(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    mesh.shape_key_add(name="Basis")
    own = mesh.shape_key_add(name="smile", from_mix=False)
    scenes.swell(mesh, own.data, 2.4)
    own.value = 0.3
    before = scenes.coordinates(own.data)
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    own = mesh.data.shape_keys.key_blocks["smile"]
    assert own.value == pytest.approx(0.3) and not own.mute and own.slider_max == 1
    assert np.array_equal(scenes.coordinates(own.data), before)
    # One of them as an example: its vertices stay, and it is muted as long as the corrections have it.
    mesh.active_shape_key_index = 1
    scenes.bend(rig, "lower", -60)
    bpy.ops.supple.add_example(source="ACTIVE_KEY")
    bpy.ops.supple.fit()
    assert own.mute and np.array_equal(scenes.coordinates(own.data), before)
    bpy.ops.supple.remove_corrections()
    assert not own.mute and own.value == pytest.approx(0.3)


def test_an_animated_armature_goes_on_as_it_was(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    bone = rig.pose.bones["lower"]
    for frame, degrees in ((1, 0), (20, 90)):
        scenes.bend(rig, "lower", degrees)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    scene = bpy.context.scene
    scene.frame_set(20)
    bpy.ops.supple.add_example(source="COPY")
    copy = mesh.supple_correct.examples[0].mesh
    scenes.swell(mesh, copy.data.vertices, 1.0)
    scene.frame_set(5)
    before = scenes.shown(mesh)
    bpy.ops.supple.fit()
    scene.frame_set(20)
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - scenes.shown(copy)).max() < HIT * 0.05
    scene.frame_set(5)
    bpy.ops.supple.remove_corrections()
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - before).max() < 1e-6


def test_turning_the_whole_character_changes_nothing(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    scenes.bend(rig, "upper", 40)  # the root: it moves all that there is
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    values = []
    for degrees in (40, -90):
        scenes.bend(rig, "upper", degrees)
        values.append([one.value for one in mesh.data.shape_keys.key_blocks])
    assert values[0] == values[1] and max(values[0][2:]) > 0.9


def test_corrections_go_without_a_trace(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    assert len(ours(rig, mesh)) > 5
    bpy.ops.supple.fit()  # again: nothing is doubled
    twice = ours(rig, mesh)
    assert len(twice) == len(set(twice)) + 3  # the four numbers of one array have one path
    bpy.ops.supple.remove_corrections()
    assert not ours(rig, mesh)
    assert [one.name for one in mesh.data.shape_keys.key_blocks] == ["Basis", "lower 80"]
    assert "no corrections" in scenes.refusal(bpy.ops.supple.remove_corrections)
    bpy.ops.supple.fit()
    assert len(ours(rig, mesh)) == len(twice)


def test_fitting_is_one_step_of_undo(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    names = rig.name, mesh.name
    sculpt(rig, mesh)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.supple.fit()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    rig, mesh = (bpy.data.objects[name] for name in names)
    assert not ours(rig, mesh) and mesh.supple_correct.fitted == 0 and len(mesh.supple_correct.examples) == 1
    bpy.ops.ed.redo()
    rig, mesh = (bpy.data.objects[name] for name in names)
    assert ours(rig, mesh) and mesh.supple_correct.fitted == 1


def test_corrections_are_live_in_a_blender_without_the_add_on(arm: tuple[Any, Any], tmp_path: Path) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    saved = tmp_path / "arm.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved), copy=True)
    value = mesh.data.shape_keys.key_blocks[-1].value
    assert abs(value) > 0.9
    program = f"""
import bpy, sys
bpy.ops.wm.open_mainfile(filepath={str(saved)!r}, use_scripts=False)
key = bpy.data.objects["body"].data.shape_keys.key_blocks[-1]
bpy.context.view_layer.update()
assert abs(key.value - {value}) < 1e-6, key.value
bpy.data.objects["rig"].pose.bones["lower"].rotation_quaternion = (1, 0, 0, 0)
bpy.context.view_layer.update()
assert abs(key.value) < 1e-6, key.value
assert not any("supple" in name for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    # And with it the examples are there to go on with.
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    mesh = bpy.data.objects["body"]
    bpy.context.view_layer.objects.active = mesh
    mesh.supple_correct.examples[0].use = False
    assert "no examples" in scenes.refusal(bpy.ops.supple.fit)
    mesh.supple_correct.examples[0].use = True
    assert bpy.ops.supple.fit() == {"FINISHED"}
    bpy.ops.wm.read_homefile(use_empty=True)


def test_a_fit_stops_when_asked(arm: tuple[Any, Any], tmp_path: Path) -> None:
    from supple_blender import correct, jobs, simulate
    from supple_blender import rig as rigs

    rig, mesh = arm
    copy, _ = simulate.scaled(rigs.bind(rig, mesh))
    job = simulate.simulate_job(copy, joints=["lower"], angle=60)
    # An operator as Blender calls it while the job runs: keys pass through, Esc stops it.
    told: list[Any] = []
    window = SimpleNamespace(progress_update=told.append, progress_end=lambda: None, event_timer_remove=lambda timer: None)
    context = SimpleNamespace(window_manager=window, workspace=SimpleNamespace(status_text_set=told.append))
    operator = SimpleNamespace(_job=job, _timer=None, report=lambda kind, text: told.append(text), _clean=lambda: None)
    operator._end = lambda context: jobs.JobOperator._end(operator, context)
    modal = correct.SUPPLE_OT_fit.modal
    assert modal(operator, context, SimpleNamespace(type="G")) == {"PASS_THROUGH"}
    modal(operator, context, SimpleNamespace(type="ESC"))
    job.wait()
    assert modal(operator, context, SimpleNamespace(type="TIMER")) == {"CANCELLED"}
    assert told[-1] == jobs.STOPPED
    # Blender is closed meanwhile.
    operator._job = simulate.simulate_job(copy, joints=["lower"], angle=60)
    jobs.JobOperator.cancel(operator, context)
    assert not operator._job.runs() and operator._job.problem == jobs.STOPPED
    assert not ours(rig, mesh)
