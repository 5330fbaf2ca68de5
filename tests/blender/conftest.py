"""What the tests of the add-on share. They need Blender as a module (bpy, from PyPI) and the package supple."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

try:  # where they are missing, every file of tests is skipped with a line about it
    import bpy
    import numpy as np
    import supple

    import addon_utils  # it is there once bpy is
    import scenes
except ImportError:
    pass

ROOT = Path(__file__).resolve().parents[2]
NAME = "supple_blender"  # the add-on under a name that can be imported


_status = 0


def pytest_sessionfinish(exitstatus: int) -> None:
    global _status
    _status = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """All is told by now. Blender 4.2 as a module falls over its own classes when it ends after Rigify was on: it does not come to that."""
    if "bpy" in sys.modules and bpy.app.version < (5, 0) and "rigify" in bpy.context.preferences.addons:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_status)


@pytest.fixture(scope="session", autouse=True)
def addon(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The add-on, switched on."""
    folder = tmp_path_factory.mktemp("addons")
    (folder / NAME).symlink_to(ROOT / "apps" / "blender")
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    enabled = addon_utils.enable(NAME, default_set=True)
    assert enabled is not None
    return enabled


@pytest.fixture(autouse=True)
def empty_scene(addon: Any) -> None:
    for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.collections):
        for one in list(kind):
            kind.remove(one)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 250
    scene.frame_set(1)
    layer = bpy.context.view_layer
    layer.active_layer_collection = layer.layer_collection


@pytest.fixture
def arm(empty_scene: None) -> tuple[Any, Any]:
    """An armature of two bones, and a tube that it bends."""
    rig = scenes.armature()
    return rig, scenes.tube(rig)


def swelling(arm: supple.Character) -> Any:
    """A function that makes the skin about the elbow swell as it bends."""
    skin = supple.Skin(arm)
    elbow = arm.part().weights[:, arm.joint("limb-1")]

    def swell(pose: supple.Pose) -> np.ndarray:
        bend = 1 - abs(pose.rotations[arm.joint("limb-1"), 3])
        return skin.evaluate(pose) + skin.normals() * (0.05 * bend * elbow * (1 - elbow))[:, None]

    return swell


@pytest.fixture(scope="session")
def arm_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A limb with driven corrections and a clip."""
    path = tmp_path_factory.mktemp("arm") / "arm.glb"
    arm = supple.make.limb(vertices=300).character
    plan = supple.plan(arm, per_dof=3, random=6, grips=0, test_grips=0)
    supple.fit(arm, supple.teach(arm, plan, swelling(arm))).save(path)
    return path
