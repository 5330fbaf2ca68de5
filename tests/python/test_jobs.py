"""Jobs: the same as the program, with errors, warnings, progress and Ctrl-C as Python has them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from conftest import ROOT, VERTICES, bulge


def without_chance(figures: Any) -> Any:
    """Figures without times, and without the names of files."""
    if isinstance(figures, dict):
        left_out = ("seconds", "file", "ok", "warnings", "output", "memory")
        return {k: without_chance(v) for k, v in figures.items() if not any(word in k for word in left_out)}
    return [without_chance(one) for one in figures] if isinstance(figures, list) else figures


@pytest.fixture(scope="module")
def taught(limb: supple.Character, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taught") / "examples"
    plan = supple.plan(limb, random=10)
    supple.teach(limb, plan, bulge(limb), folder)
    return folder


def test_what_python_teaches_is_learnt_as_the_program_learns_it(
    limb: supple.Character, taught: Path, tmp_path: Path, program: str
) -> None:
    limb.save(str(tmp_path / "limb.glb"))
    here = supple.fit(tmp_path / "limb.glb", taught, tmp_path / "here.glb", targets=12)
    words = [program, "fit", tmp_path / "limb.glb", "--examples", taught, "-o", tmp_path / "there.glb", "--targets", "12"]
    there = subprocess.run([*map(str, words), "--json"], capture_output=True, text=True, check=True)
    assert without_chance(here.figures) == without_chance(json.loads(there.stdout))
    assert (tmp_path / "here.glb").read_bytes() == (tmp_path / "there.glb").read_bytes()
    assert here.figures.errors.train.relative < 0.7
    assert here.character.deformers["drivers"] == 1


def test_what_python_teaches_plays_in_three_js(limb: supple.Character, tmp_path: Path) -> None:
    """150 poses of a Python deformer, a fitted file, and what another program makes of its clip."""
    node = ROOT / "tests" / "node"
    if shutil.which("node") is None or not (node / "node_modules" / "three").exists():
        pytest.skip("three.js is not installed (npm --prefix tests/node install)")
    plan = supple.plan(limb, per_dof=8, coupled=90, random=0)
    assert len(plan.plan) >= 150
    supple.fit(limb, supple.teach(limb, plan, bulge(limb)), tmp_path / "taught.glb")
    character = supple.load(str(tmp_path / "taught.glb"))
    clip = character.clips[0]
    keys = [float(clip.start), float(clip.tracks[0]["times"][len(clip.tracks[0]["times"]) // 2]), float(clip.end)]
    words = ["node", str(node / "three_positions.mjs"), str(tmp_path / "taught.glb"), clip.name, ",".join(map(str, keys))]
    played = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    skin = supple.Skin(character)
    for number, seconds in enumerate(keys):
        theirs = np.array(played["meshes"][0]["positions"][number]).reshape(-1, 3)
        # single precision, and drivers that are live here and keyed there
        np.testing.assert_allclose(skin.evaluate(character.at(0, seconds)), theirs, atol=1e-5)


def test_objects_go_from_job_to_job_without_names_of_files(limb: supple.Character, tmp_path: Path) -> None:
    plan = supple.plan(limb, per_dof=2, random=0)
    examples = supple.teach(limb, plan, bulge(limb))
    fitted = supple.fit(limb, examples.examples)
    assert fitted.path is not None and fitted.path.exists()
    temporary = fitted.path
    fitted.save(tmp_path / "kept.glb")
    fitted.save(tmp_path / "kept.gltf")
    assert supple.load(str(tmp_path / "kept.gltf")).deformers == {"drivers": 1}
    measured = supple.measure(fitted, pose=["limb-1.flexion=60"])
    assert measured.figures
    del fitted, measured
    assert not temporary.exists()
    assert (tmp_path / "kept.glb").exists()


def test_examples_come_from_arrays_and_go_back(limb: supple.Character) -> None:
    poses = [limb.rest() for _ in range(3)]
    for number, pose in enumerate(poses):
        pose.rotate("limb-1", flexion=0.3 * number)
    skin = supple.Skin(limb)
    positions = np.stack([skin.evaluate(pose) for pose in poses])
    made = supple.make_examples(limb, poses, positions, names=["a", "b", "c"], roles=["train", "test", "train"]).examples
    made.check()
    assert made.parts == [(limb.part().name, VERTICES)]
    assert made.names == ["a", "b", "c"] and made.roles == ["train", "test", "train"]
    np.testing.assert_array_equal(made.positions, positions)
    np.testing.assert_array_equal(made.rotations[2], poses[2].rotations)
    np.testing.assert_array_equal(made.pose(1, limb).rotations, poses[1].rotations)
    again = supple.make_examples(limb, made.rotations, made.positions, made.normals).examples
    np.testing.assert_array_equal(again.normals, made.normals)
    with pytest.raises(ValueError, match="2 skins for 3 poses"):
        supple.make_examples(limb, poses, positions[:2])
    with pytest.raises(ValueError, match="neither train nor test"):
        supple.make_examples(limb, poses, positions, roles=["train", "test", "maybe"])
    with pytest.raises(supple.Error, match="'a'"):
        supple.make_examples(limb, poses, positions, names=["a", "a", "b"])


def test_what_a_deformer_throws_or_returns_wrong_is_told_and_leaves_nothing(limb: supple.Character, tmp_path: Path) -> None:
    plan = supple.plan(limb, per_dof=2, random=0).plan
    folder = tmp_path / "examples"

    def fails(pose: supple.Pose) -> Any:
        raise ZeroDivisionError("in the deformer")

    with pytest.raises(ZeroDivisionError, match="in the deformer"):
        supple.teach(limb, plan, fails, folder)
    with pytest.raises(ValueError, match=rf"positions: must have shape \({VERTICES}, 3\)"):
        supple.teach(limb, plan, lambda pose: np.zeros((5, 3)), folder)
    with pytest.raises(TypeError, match="positions: must be an array of numbers"):
        supple.teach(limb, plan, lambda pose: None, folder)
    with pytest.raises(ValueError, match="not finite"):
        supple.teach(limb, plan, lambda pose: np.full((VERTICES, 3), np.inf), folder)
    assert not list(folder.glob("*")) if folder.exists() else True


def test_errors_have_their_parts() -> None:
    with pytest.raises(supple.Error) as error:
        supple.fit("nowhere.glb", "no-examples")
    assert (error.value.item, error.value.problem) == ("no-examples", "is not a folder") and error.value.remedy
    with pytest.raises(supple.Error, match="range 1 to 4096"):
        supple.fit("nowhere.glb", "no-examples", targets=0)
    with pytest.raises(supple.Error, match="is not one of"):
        supple.fit("nowhere.glb", "no-examples", method="magic")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        supple.fit("nowhere.glb", "no-examples", tragets=5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="targets"):
        supple.fit("nowhere.glb", "no-examples", targets=True)
    with pytest.raises(TypeError):
        supple.fit(3.5, object())  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers(limb: supple.Character) -> None:
    made = supple.plan(limb, per_dof=np.int64(2), random=np.int32(1), seed=np.uint8(3))  # type: ignore[arg-type]
    assert made.plan.names == supple.plan(limb, per_dof=2, random=1, seed=3).plan.names


def test_warnings_name_the_line_that_called(limb: supple.Character) -> None:
    part = limb.part()
    assert part.is_skinned
    plan = supple.plan(limb, per_dof=2, random=0)
    examples = supple.teach(limb, plan, lambda pose: supple.Skin(limb).evaluate(pose) + np.float32([0, 0.001, 0]))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        supple.fit(limb, examples)
    for warning in told:
        assert issubclass(warning.category, supple.SuppleWarning) and warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if told:
            with pytest.raises(supple.SuppleWarning):
                supple.fit(limb, examples)


def test_progress_is_told_by_functions_and_bars(limb: supple.Character, taught: Path) -> None:
    stages: list[tuple[str, float]] = []
    simulated = supple.simulate(
        limb,
        size=40,
        joints=["limb-1"],
        per_dof=2,
        axes_only=True,
        random=0,
        grips=0,
        no_pictures=True,
        progress=lambda stage, fraction: stages.append((stage, fraction)),
    )
    assert stages and all(0 <= fraction <= 1 for _, fraction in stages)
    assert len(simulated.examples) > 0

    class Bar:
        total: Any = None
        n = 0.0

        def update(self, n: float = 1) -> None:
            self.n += n

    bar = Bar()
    supple.teach(limb, supple.plan(limb, per_dof=2, random=0), bulge(limb), progress=bar)
    assert bar.total == 1 and 0 < bar.n <= 1


def test_an_exception_in_progress_stops_the_work(hand_file: Path, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(stage: str, fraction: float) -> None:
        raise Enough(stage)

    begun = time.monotonic()
    with pytest.raises(Enough):
        supple.simulate(hand_file, tmp_path / "stopped", size=8, progress=stop)
    assert time.monotonic() - begun < 300  # all of its 190 poses take minutes; a minute is for slow machines


def test_ctrl_c_is_a_keyboard_interrupt(limb: supple.Character, tmp_path: Path) -> None:
    limb.save(str(tmp_path / "limb.glb"))
    script = f"""
        import signal
        import supple
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
        try:
            supple.simulate({str(tmp_path / "limb.glb")!r}, {str(tmp_path / "set")!r}, size=20, progress=lambda s, f: print(s, flush=True))
        except KeyboardInterrupt:
            print("interrupted")
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0 and out.splitlines()[-1] == "interrupted"


def test_improve_says_when_it_cannot_help(tmp_path: Path) -> None:
    positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    rigid = supple.Character.from_arrays(positions, triangles, ["only"], [-1], [[0, 0, 0]], np.ones((4, 1)))
    answer = supple.improve(rigid)
    assert not answer.ok and answer.path is None and answer.text
    with pytest.raises(TypeError, match="wrote no file"):
        answer.save(tmp_path / "no.glb")


def test_figures_are_attributes(limb: supple.Character) -> None:
    figures = supple.inspect(limb).figures
    assert isinstance(figures, supple.Figures)
    with pytest.raises(AttributeError, match="there is no figure 'nonsense'"):
        figures.nonsense
