"""Models that `supple scan biomechanics` writes, loaded and moved by the programs they are for: MuJoCo and OpenSim.

Where bones and landmarks of the skin go in random poses is told by our own kinematics, beside the models. The programs
compute in double precision from numbers that are written in full: a chain of six joints leaves rounding of 1e-15 m;
1e-6 m is what is promised.
"""

from __future__ import annotations

import csv
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROMISED = 1e-6  # metres
POSES = 1000


def program() -> str:
    for candidate in (os.environ.get("SUPPLE_PROGRAM"), ROOT / "build" / "supple"):
        if candidate and Path(candidate).exists():
            return str(candidate)
    raise AssertionError("build the program first, or name it by SUPPLE_PROGRAM")


def supple(*words: object) -> None:
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session", params=["right", "left"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hand of either side. Joints of the left one wander, so that some of them have six degrees of freedom."""
    folder = tmp_path_factory.mktemp(request.param)
    quick = ["--voxel", 0.9, "--no-flesh", "--noise", 10, "--vertices", 3000, "--poses", 4, "--seed", 2]
    wander = ["--side", "left", "--migration", 0.75] if request.param == "left" else ["--side", "right"]
    supple("scan", "phantom", "-o", folder / "scans", *quick, *wander)
    project = folder / "scans" / "project.json"
    text = project.read_text().replace('"version"', '"skin_triangles": 3000, "version"', 1)
    project.write_text(text)
    supple("scan", "biomechanics", project, "-o", folder / "out", "--reference-poses", POSES)
    return folder / "out" / "model"


def coordinates(model: Path) -> tuple[list[str], np.ndarray]:
    with open(model / "reference_coordinates.csv", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0][1:], np.array([[float(x) for x in row[1:]] for row in rows[1:]])


def positions(model: Path) -> list[dict[tuple[str, str], np.ndarray]]:
    poses: dict[int, dict[tuple[str, str], np.ndarray]] = defaultdict(dict)
    with open(model / "reference_positions.csv", newline="") as file:
        for row in csv.DictReader(file):
            at = np.array([float(row[axis]) for axis in "xyz"])
            poses[int(row["pose"])][row["kind"], row["name"]] = at
    return [poses[p] for p in sorted(poses)]


def test_reference_poses_are_within_limits_and_move_everything(model: Path) -> None:
    names, values = coordinates(model)
    wanted = positions(model)
    assert values.shape == (POSES, len(names)) and len(wanted) == POSES
    assert len(names) >= 20  # a hand of 15 moving joints at least, five of them with two angles
    if "left" in str(model):
        assert any(name.endswith("_palmar") for name in names)  # a slide
    assert sum(kind == "body" for kind, _ in wanted[0]) == 21
    assert sum(kind == "landmark" for kind, _ in wanted[0]) >= 40  # back and palm of 21 bones, and five tips
    for key in wanted[0]:
        spread = np.ptp([pose[key] for pose in wanted], axis=0).max()
        assert spread > 0.01 or key[1].split("_")[0] in ("forearm", "wrist") or spread > 0.003, key


def test_mujoco_moves_bones_and_landmarks_alike(model: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo cannot be installed on this system")
    loaded = mujoco.MjModel.from_xml_path(str(model / "hand.xml"))
    data = mujoco.MjData(loaded)
    names, values = coordinates(model)
    assert loaded.nq == len(names)
    address = [loaded.joint(name).qposadr[0] for name in names]
    limits = np.array([loaded.joint(name).range for name in names])
    assert (values >= limits[:, 0] - 1e-9).all() and (values <= limits[:, 1] + 1e-9).all()
    worst = 0.0
    for row, wanted in zip(values, positions(model)):
        data.qpos[address] = row
        mujoco.mj_kinematics(loaded, data)
        for (kind, name), at in wanted.items():
            found = data.body(name).xpos if kind == "body" else data.site(name).xpos
            worst = max(worst, float(np.abs(found - at).max()))
    print(f"MuJoCo {mujoco.__version__}: {len(values)} poses, largest difference {worst:.1e} m")
    assert worst <= PROMISED


def test_mujoco_has_masses_and_falls_without_breaking(model: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo cannot be installed on this system")
    loaded = mujoco.MjModel.from_xml_path(str(model / "hand.xml"))
    hand = loaded.body_mass.sum()
    assert 0.2 < hand < 0.8  # kilograms: a hand with some of its forearm
    data = mujoco.MjData(loaded)
    mujoco.mj_step(loaded, data, nstep=500)  # a second
    assert np.isfinite(data.qpos).all()
    assert not any(warning.number for warning in data.warning)
    limits = loaded.jnt_range
    assert (data.qpos > limits[:, 0] - 0.2).all() and (data.qpos < limits[:, 1] + 0.2).all()


def test_opensim_moves_bones_and_landmarks_alike(model: Path) -> None:
    opensim = pytest.importorskip("opensim", reason="OpenSim cannot be installed on this system")
    opensim.Logger.setLevelString("error")
    loaded = opensim.Model(str(model / "hand.osim"))
    state = loaded.initSystem()
    names, values = coordinates(model)
    by_name = {c.getName(): c for c in loaded.getComponentsList() if opensim.Coordinate.safeDownCast(c)}
    by_name = {name: opensim.Coordinate.safeDownCast(c) for name, c in by_name.items()}
    assert set(by_name) == set(names)
    bodies = loaded.getBodySet()
    markers = loaded.getMarkerSet()
    worst = 0.0
    for row, wanted in zip(values, positions(model)):
        for name, value in zip(names, row):
            coordinate = by_name[name]
            assert coordinate.getRangeMin() - 1e-9 <= value <= coordinate.getRangeMax() + 1e-9
            coordinate.setValue(state, float(value), False)
        loaded.realizePosition(state)
        for (kind, name), at in wanted.items():
            part = bodies.get(name).getPositionInGround(state) if kind == "body" else markers.get(name).getLocationInGround(state)
            worst = max(worst, max(abs(part.get(k) - at[k]) for k in range(3)))
    print(f"OpenSim {opensim.GetVersion()}: {len(values)} poses, largest difference {worst:.1e} m")
    assert worst <= PROMISED
    mass = sum(bodies.get(i).getMass() for i in range(bodies.getSize()))
    assert 0.2 < mass < 0.8
