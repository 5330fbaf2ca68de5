"""Takes: motions with flesh and muscles, against what the program bakes."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import supple

RATE = 30.0


@pytest.fixture(scope="module")
def soft(tmp_path_factory: pytest.TempPathFactory) -> supple.Character:
    """A figure with flesh on its belly and one thigh, baked into its clips."""
    recipe = tmp_path_factory.mktemp("soft") / "recipe.json"
    elements = [
        {"name": "belly", "driver": "hips", "ends": ["chest"], "frequency": 3.2},
        {"name": "thigh", "driver": "thigh-left", "ends": ["shin-left"]},
    ]
    recipe.write_text(json.dumps({"flesh_recipe": 1, "elements": elements}))
    return supple.add.flesh(plain(), recipe=recipe, no_compare=True, influences=0, rate=RATE, clip_loop="run=on").character


def worlds(character: supple.Character, clip: str, twins: bool = True) -> tuple[NDArray[np.float32], list[float]]:
    """(N, J, 4, 4) of a clip, and the times of its frames; without twins those stand at rest."""
    found = next(one for one in character.clips if one.name == clip)
    times = [found.start + number / RATE for number in range(round((found.end - found.start) * RATE) + 1)]
    result, rest = [], character.rest()
    for time in times:
        pose = character.at(clip, time)
        for joint, name in enumerate(character.joint_names):
            if not twins and name not in bones():
                pose.translations[joint], pose.rotations[joint] = rest.translations[joint], rest.rotations[joint]
        result.append(pose.world())
    return np.stack(result), times


@functools.cache
def plain() -> supple.Character:
    return supple.make.figure(vertices=3000).character


@functools.cache
def bones() -> frozenset[str]:
    return frozenset(plain().joint_names)


def test_a_take_has_the_flesh_that_the_program_bakes(soft: supple.Character) -> None:
    skin = supple.Skin(soft)
    world, times = worlds(soft, "run", twins=False)
    take = supple.Take(skin, world, RATE, loop="on")
    assert take.loops and len(take) == len(times)
    twins = [j for j, name in enumerate(soft.joint_names) if name not in bones()]
    assert twins
    plays = supple.Skin(soft)
    swing = 0.0
    for frame, time in enumerate(times):
        baked = soft.at("run", time)
        # Matrices of single precision are taken apart again: 1e-6 of a body of 1.8 m.
        np.testing.assert_allclose(take.translations[frame, twins], baked.translations[twins], atol=3e-6)
        np.testing.assert_allclose(take.show(frame), plays.evaluate(baked), atol=1e-5)
        swing = max(swing, float(np.abs(baked.translations[twins] - soft.rest().translations[twins]).max()))
    assert swing > 1e-3
    np.testing.assert_allclose(take.show(0).copy(), take.show(len(take) - 1), atol=1e-5)


def test_between_two_frames_is_between_them(soft: supple.Character) -> None:
    world, _ = worlds(soft, "run", twins=False)
    take = supple.Take(supple.Skin(soft), np.stack([world[0]] * 3 + [world[1]] * 3), RATE, loop="off")
    pose = soft.at("run", 0)
    first, last = take.show(2, pose).copy(), take.show(3, pose).copy()
    np.testing.assert_allclose(take.show(2.5, pose), (first + last) / 2, atol=1e-6)
    assert np.abs(first - last).max() > 1e-5


def test_settings_are_those_of_a_file_that_has_them(soft: supple.Character, tmp_path: Path) -> None:
    world, _ = worlds(soft, "run", twins=False)
    frames = len(world)
    usual = supple.Take(supple.Skin(soft), world, RATE, loop="off").translations
    settings = {"belly": {"frequency": 5.0, "damping_ratio": 0.1, "gravity": [0, -1.5, 0]}}
    tuned = supple.Take(supple.Skin(soft), world, RATE, loop="off", settings=settings).translations
    assert np.abs(tuned - usual).max() > 1e-3
    animated = {"belly": {"frequency": np.full(frames, 5.0), "damping_ratio": np.full(frames, 0.1), "gravity": np.tile([0, -1.5, 0], (frames, 1))}}
    np.testing.assert_array_equal(supple.Take(supple.Skin(soft), world, RATE, loop="off", settings=animated).translations, tuned)
    # Gain that fades in: nothing at first, all of it at last.
    faded = supple.Take(supple.Skin(soft), world, RATE, loop="off", settings={"belly": {"gain": np.linspace(0, 1, frames)}, "thigh": {"gain": 0}})
    rest = soft.rest().translations
    belly = [j for j, name in enumerate(soft.joint_names) if name not in bones() and np.abs(faded.translations[:, j] - rest[j]).max() > 1e-4]
    assert belly and np.abs(faded.translations[0][belly] - rest[belly]).max() < 1e-6
    np.testing.assert_allclose(faded.translations[-1][belly], usual[-1][belly], atol=2e-3)  # limits act on what gain leaves


@pytest.mark.parametrize(
    "settings, error, text",
    [
        ({"nose": {"gain": 1}}, KeyError, "neither an element nor a muscle 'nose'"),
        ({"belly": {"colour": 1}}, KeyError, "'colour' of 'belly' is not one of frequency, damping_ratio, gravity"),
        ({"belly": {"frequency": 0}}, ValueError, "'frequency' of 'belly' is out of range"),
        ({"belly": {"frequency": [1, 2]}}, ValueError, "'frequency' of 'belly'"),
    ],
)
def test_bad_settings_are_refused(soft: supple.Character, settings: dict[str, dict[str, object]], error: type[Exception], text: str) -> None:
    world, _ = worlds(soft, "run")
    with pytest.raises(error, match=text):
        supple.Take(supple.Skin(soft), world[:5], RATE, settings=settings)


def test_muscles_swing_in_a_take_as_frame_by_frame() -> None:
    strong = supple.add.kinodynamics(plain(), auto=True, max_muscles=2, no_compare=True).character
    skin = supple.Skin(strong, "kinodynamic")
    world, times = worlds(strong, "run")
    take = supple.Take(skin, world, RATE, loop="off", preroll=0.0)
    again = supple.Skin(strong, "kinodynamic")
    apart = 0.0
    for frame, time in enumerate(times[:8]):
        shown = take.show(frame).copy()
        # The same steps as one after another, from the pose of a matrix.
        np.testing.assert_allclose(shown, again.animate(strong.at("run", time), 1 / RATE), atol=1e-4)
        apart = max(apart, float(np.abs(shown - skin.evaluate(strong.at("run", time))).max()))
    assert apart > 1e-3


def test_joints_go_where_matrices_put_them(hand: supple.Character) -> None:
    pose = hand.rest()
    for joint in hand.joint_names:
        for name, _axis, least, most in hand.dofs(joint):
            pose.rotate(joint, **{name: (least + most) / 3})
    again = hand.rest()
    again.set_world(pose.world())
    np.testing.assert_allclose(again.world(), pose.world(), atol=1e-6)
    np.testing.assert_allclose(np.abs(np.sum(again.rotations * pose.rotations, axis=1)), 1, atol=1e-6)
    flat = pose.world()
    flat[3, :3, :3] = 0
    with pytest.raises(ValueError, match=f"joint '{hand.joint_names[3]}' is scaled to nothing"):
        again.set_world(flat)
