"""Arrays of characters: views, edits, files, and characters made of arrays."""

from __future__ import annotations

import copy
import gc
from pathlib import Path

import numpy as np
import pytest

import supple
from conftest import VERTICES


def test_arrays_have_the_shapes_that_they_say(hand: supple.Character) -> None:
    part = hand.part()
    vertices, joints = len(part.positions), len(hand.joint_names)
    assert part.positions.shape == part.normals.shape == (vertices, 3)
    assert part.triangles.shape[1] == 3 and part.triangles.dtype == np.uint32 and part.triangles.max() < vertices
    assert hand.parents.shape == (joints,) and hand.parents[0] == -1
    assert all(parent < child for child, parent in enumerate(hand.parents))
    first, places, weights = part.weights_csr
    assert first.shape == (vertices + 1,) and first[-1] == len(places) == len(weights)
    dense = part.weights
    assert dense.shape == (vertices, joints)
    np.testing.assert_allclose(dense.sum(1), 1, atol=1e-5)  # files store rounded weights
    vertex = 17
    for entry in range(first[vertex], first[vertex + 1]):
        assert dense[vertex, part.joints[places[entry]]] == weights[entry]
    assert part.inverse_binds.shape == (len(part.joints), 4, 4)


def test_views_share_memory_and_outlive_their_character(hand_file: Path) -> None:
    character = supple.load(str(hand_file))
    part = character.part()
    view = part.positions
    assert np.shares_memory(view, part.positions)
    kept = view.copy()
    del character, part
    gc.collect()
    junk = [np.random.default_rng(0).random(view.shape) for _ in range(50)]  # would lie where freed memory was
    np.testing.assert_array_equal(view, kept)
    assert len(junk) == 50
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1


def test_edits_are_checked_seen_by_views_and_saved(hand_file: Path, tmp_path: Path) -> None:
    character = supple.load(str(hand_file))
    part = character.part()
    view = part.positions
    moved = view + np.float32(0.001)
    part.positions = moved
    np.testing.assert_array_equal(view, moved)
    weights = part.weights
    old_entries = part.weights_csr
    weights[:] = 0
    weights[:, part.joints[0]] = 2  # scaled to 1
    with pytest.warns(supple.SuppleWarning, match="sum"):
        part.weights = weights
    assert old_entries[0][-1] == len(old_entries[2])  # old views are still good
    character.save(str(tmp_path / "edited.glb"))
    again = supple.load(str(tmp_path / "edited.glb")).part()
    np.testing.assert_array_equal(again.positions, moved)
    np.testing.assert_array_equal(again.weights[:, again.joints[0]], 1)


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (np.zeros((3, 3)), ValueError, "positions: must have shape"),
        (np.zeros(3), ValueError, "positions: must have shape"),
        ("abc", TypeError, "positions: must be an array of numbers"),
        ([[1, 2], [3]], TypeError, "positions: must be an array of numbers"),
        (np.zeros((VERTICES, 3), complex), TypeError, "positions: must be an array of numbers"),
        (np.full((VERTICES, 3), np.nan), ValueError, "positions: number 0"),
        (object(), TypeError, "positions: must be an array of numbers"),
    ],
)
def test_bad_arrays_are_refused_by_name(limb: supple.Character, value: object, error: type[Exception], says: str) -> None:
    part = limb.part()
    before = part.positions.copy()
    with pytest.raises(error, match=says):
        part.positions = value
    np.testing.assert_array_equal(part.positions, before)


def test_arrays_of_any_layout_and_number_type_are_taken(limb: supple.Character) -> None:
    part = limb.part()
    before = part.positions.copy()
    wide = np.zeros((before.shape[0], 6))
    wide[:, ::2] = before
    read_only = np.asfortranarray(before)
    read_only.flags.writeable = False
    for given in (wide[:, ::2], read_only, before.astype(np.float64), before.tolist()):
        part.positions = given
        np.testing.assert_array_equal(part.positions, before)


def test_clips_are_read_played_and_written(hand_file: Path, tmp_path: Path) -> None:
    character = supple.load(str(hand_file))
    clip = character.clips[0]
    pose = character.at(clip.name, clip.end / 2)
    assert not np.allclose(pose.rotations, character.rest().rotations)
    np.testing.assert_array_equal(pose.rotations, character.at(0, clip.end / 2).rotations)
    track = clip.tracks[0]
    assert track["values"].shape[0] == len(track["times"])
    rotations = np.stack([character.rest().rotations, pose.rotations, character.rest().rotations])
    character.add_clip("wave", [0, 0.5, 1], rotations)
    character.save(str(tmp_path / "wave.glb"))
    again = supple.load(str(tmp_path / "wave.glb"))
    np.testing.assert_allclose(again.at("wave", 0.5).rotations, pose.rotations, atol=1e-6)
    with pytest.raises(KeyError, match="there is no clip 'no'; there are: .*wave"):
        again.at("no", 0)
    with pytest.raises(ValueError, match=r"rotations: must have shape \(3, "):
        character.add_clip("bad", [0, 1, 2], rotations[:2])
    with pytest.raises(supple.Error, match="bad"):
        character.add_clip("bad", [1, 0.5, 0], rotations)


def test_poses_are_copied_written_and_named(limb: supple.Character) -> None:
    rest = limb.rest()
    pose = copy.deepcopy(rest)
    pose.rotate("limb-1", flexion=0.5)
    assert not np.array_equal(pose.rotations, rest.rotations)
    turned = np.array(pose.rotations[limb.joint("limb-1")])
    np.testing.assert_allclose(turned, [np.sin(0.25), 0, 0, np.cos(0.25)], atol=1e-6)  # about its own x axis
    view = pose.rotations
    pose.rotate("limb-1", flexion=0.25)
    assert view[limb.joint("limb-1"), 0] == pytest.approx(np.sin(0.125))
    view[limb.joint("limb-1")] = [0, 0, 0, 1]
    np.testing.assert_array_equal(pose.rotations, rest.rotations)
    world = pose.world()
    np.testing.assert_array_equal(world[:, 3], np.tile([0, 0, 0, 1], (len(world), 1)))
    with pytest.raises(KeyError, match="knee"):
        pose.rotate("knee", flexion=1)
    with pytest.raises(supple.Error, match="it has"):
        pose.rotate("limb-1", bend=1)
    with pytest.raises(ValueError, match="flexion"):
        pose.rotate("limb-1", flexion=float("nan"))
    with pytest.raises(ValueError, match="has no length"):
        pose.rotations = np.zeros_like(view)
    with pytest.raises(IndexError):
        pose.rotate(99, flexion=1)


def box() -> tuple[np.ndarray, np.ndarray]:
    """A closed box from y = 0 to 2 about the y axis, in three storeys."""
    rings = [[(x, y, z) for x, z in ((-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2))] for y in (0, 1, 2)]
    triangles = [(0, 1, 2), (0, 2, 3), (8, 10, 9), (8, 11, 10)]
    for ring in range(2):
        for side in range(4):
            a, b = ring * 4 + side, ring * 4 + (side + 1) % 4
            triangles += [(a, a + 4, b), (b, a + 4, b + 4)]
    return np.array(rings, np.float32).reshape(-1, 3), np.array(triangles)


def test_a_character_made_of_arrays_bends_as_numpy_bends_it(tmp_path: Path) -> None:
    positions, triangles = box()
    weights = np.stack([positions[:, 1] < 0.5, positions[:, 1] > 0.5], 1).astype(float)
    made = supple.Character.from_arrays(positions, triangles, ["lower", "upper"], [-1, 0], [[0, 0, 0], [0, 1, 0]], weights)
    made.save(str(tmp_path / "box.glb"))
    again = supple.load(str(tmp_path / "box.glb"))
    pose = again.rest()
    pose.rotations[again.joint("upper")] = [np.sin(0.3), 0, 0, np.cos(0.3)]  # 0.6 radians about x
    skin = supple.Skin(again).evaluate(pose)
    c, s = np.cos(0.6), np.sin(0.6)
    turned = (positions - [0, 1, 0]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T + [0, 1, 0]
    wanted = np.where(weights[:, :1] == 1, positions, turned)
    np.testing.assert_allclose(skin, wanted, atol=1e-6)
    with pytest.raises(ValueError, match="must come before it"):
        supple.Character.from_arrays(positions, triangles, ["a", "b"], [1, 0], [[0, 0, 0], [0, 1, 0]], weights)
    with pytest.raises(ValueError, match="triangles: there must be one at least"):
        supple.Character.from_arrays(positions, triangles[:0], ["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]], weights)
    assert supple.load(tmp_path / "box.glb").joint_names == again.joint_names  # paths need not be text
    with pytest.raises(supple.Error, match="triangle"):
        supple.Character.from_arrays(positions, triangles + 5, ["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]], weights)


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    with pytest.raises(supple.Error) as missing:
        supple.load("nowhere.glb")
    assert missing.value.item == "nowhere.glb" and missing.value.remedy
    (tmp_path / "broken.glb").write_bytes(b"glTF\0\0")
    with pytest.raises(supple.Error, match="broken.glb"):
        supple.load(str(tmp_path / "broken.glb"))
    with pytest.raises(supple.Error):
        supple.make.limb(vertices=600).character.save(str(tmp_path / "no" / "folder.glb"))
