"""Skins against NumPy, many at once, by threads and tensors."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import supple


def linear_blend(character: supple.Character, pose: supple.Pose) -> NDArray[np.float64]:
    """Linear blend skinning in double precision, as any text book has it."""
    part = character.part()
    matrices = pose.world()[part.joints].astype(np.float64) @ part.inverse_binds.astype(np.float64)
    weights = part.weights[:, part.joints].astype(np.float64)
    weights /= weights.sum(1, keepdims=True)
    points = np.concatenate([part.positions, np.ones((len(part.positions), 1))], 1)
    return np.einsum("vk,kij,vj->vi", weights, matrices, points)[:, :3]


def bent(character: supple.Character, count: int) -> list[supple.Pose]:
    chance = np.random.default_rng(1)
    poses = []
    for _ in range(count):
        pose = character.rest()
        for joint in character.joint_names:
            for name, _axis, least, most in character.dofs(joint):
                pose.rotate(joint, **{name: chance.uniform(least, most) / 2})
        poses.append(pose)
    return poses


def test_a_posed_hand_is_where_numpy_puts_it(hand: supple.Character) -> None:
    skin = supple.Skin(hand)
    for pose in bent(hand, 3):
        # single against double precision, of a hand of 0.2 m
        np.testing.assert_allclose(skin.evaluate(pose), linear_blend(hand, pose), atol=2e-7)


def test_the_surface_is_a_view_that_the_next_call_writes_to(limb: supple.Character) -> None:
    skin = supple.Skin(limb)
    rest = skin.evaluate(limb.rest())
    kept = rest.copy()
    pose = limb.rest()
    pose.rotate("limb-1", flexion=1.0)
    bent_view = skin.evaluate(pose)
    assert np.shares_memory(rest, bent_view) and not np.array_equal(rest, kept)
    copied = bent_view.copy()
    del skin
    gc.collect()
    np.testing.assert_array_equal(bent_view, copied)  # the view keeps the skin


def test_a_batch_is_the_same_as_one_by_one(hand: supple.Character) -> None:
    skin = supple.Skin(hand)
    poses = bent(hand, 5)
    rotations = np.stack([pose.rotations for pose in poses])
    for threads in (0, 1, 3):
        positions, normals = skin.evaluate_batch(rotations, normals=True, threads=threads)
        for number, pose in enumerate(poses):
            np.testing.assert_array_equal(positions[number], skin.evaluate(pose))
            np.testing.assert_array_equal(normals[number], skin.normals())
    translations = np.stack([pose.translations for pose in poses]) + np.float32([0, 1, 0]) * (np.arange(28)[:, None] == 0)
    assert skin.evaluate_batch(rotations, translations).shape == positions.shape
    assert skin.evaluate_batch(rotations[:0]).shape == (0, len(hand.part().positions), 3)


def test_bad_batches_are_refused(hand: supple.Character) -> None:
    skin = supple.Skin(hand)
    rotations = np.stack([hand.rest().rotations] * 2)
    with pytest.raises(ValueError, match=r"rotations: must have shape \(any, 28, 4\), has \(28, 4\)"):
        skin.evaluate_batch(rotations[0])
    with pytest.raises(ValueError, match="rotations: number 28 is no unit quaternion"):
        skin.evaluate_batch(rotations * np.array([1, 2])[:, None, None])
    with pytest.raises(ValueError, match=r"translations: must have shape \(2, 28, 3\)"):
        skin.evaluate_batch(rotations, np.zeros((1, 28, 3)))
    with pytest.raises(KeyError, match="part 'nose'"):
        skin.evaluate_batch(rotations, part="nose")
    with pytest.raises(IndexError):
        skin.positions(9)
    with pytest.raises(ValueError, match="blend: 'cubic' is not one of"):
        supple.Skin(hand, "cubic")
    with pytest.raises(ValueError, match="off: 'skin' is not one of"):
        supple.Skin(hand, off=["skin"])


def test_a_pose_belongs_to_its_character(hand: supple.Character, limb: supple.Character) -> None:
    with pytest.raises(ValueError, match="another character"):
        supple.Skin(hand).evaluate(limb.rest())


def test_a_skin_does_not_care_what_becomes_of_its_character(hand_file: Path) -> None:
    character = supple.load(str(hand_file))
    skin = supple.Skin(character)
    pose = character.rest()
    before = skin.evaluate(pose).copy()
    part = character.part()
    part.positions = part.positions * 2
    weights = np.zeros_like(part.weights)
    weights[:, part.joints[0]] = 1
    part.weights = weights
    np.testing.assert_array_equal(skin.evaluate(pose), before)


def test_two_threads_evaluate_two_skins_or_the_same(hand: supple.Character) -> None:
    poses = bent(hand, 4)
    wanted = [supple.Skin(hand).evaluate(pose).copy() for pose in poses]
    shared, wrong = supple.Skin(hand), []

    def work(own: supple.Skin, pose: supple.Pose, result: NDArray[np.float32]) -> None:
        for _ in range(200):
            if not np.array_equal(own.evaluate(pose, threads=1), result):
                wrong.append("own")
            shared.evaluate(pose)  # whose pose is left is not said, only that nothing breaks

    threads = [threading.Thread(target=work, args=(supple.Skin(hand), poses[i], wanted[i])) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_other_libraries_take_arrays_by_dlpack(hand: supple.Character) -> None:
    skin = supple.Skin(hand)
    positions = skin.evaluate(hand.rest())
    taken = np.from_dlpack(positions)
    assert np.shares_memory(taken, positions)
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.from_dlpack(positions)
    assert tensor.data_ptr() == positions.ctypes.data
    rotations = torch.from_numpy(np.stack([hand.rest().rotations] * 3))
    np.testing.assert_array_equal(skin.evaluate_batch(rotations)[2], positions)


def test_flesh_trails_behind_and_muscles_flow() -> None:
    body = supple.make.figure(vertices=2000).character
    with_flesh = supple.add.flesh(body, auto=True, no_compare=True).character
    assert with_flesh.deformers["flesh"] > 0
    skin = supple.Skin(with_flesh)
    clip = with_flesh.clips[0]
    rest = with_flesh.rest()
    skin.animate(rest, 0)
    still = skin.animate(rest, 1 / 30).copy()
    rest.translations = rest.translations + np.float32([0.05, 0, 0]) * (with_flesh.parents[:, None] == -1)
    jolted = skin.animate(rest, 1 / 30).copy()
    carried = jolted - still - np.float32([0.05, 0, 0])
    assert np.abs(carried).max() > 1e-4, "nothing trails behind a jolt of 5 cm"
    with pytest.raises(ValueError, match="seconds"):
        skin.animate(rest, -1)
    off = supple.Skin(with_flesh, off=["flesh"])
    assert off.evaluate(with_flesh.at(clip.name, 0.1)).shape == still.shape
