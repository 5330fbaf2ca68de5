"""The zip that script/blender makes, installed as a person installs it; and the button that does most."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

ROOT = Path(__file__).resolve().parents[2]


def test_the_zip_installs_with_the_package_inside(arm_file: Path, tmp_path: Path) -> None:
    made = sorted((ROOT / "build" / "blender").glob("supple-*.zip"))
    if not made:
        pytest.skip("there is no build/blender/supple-*.zip: script/blender makes it")
    # Before that of the environment, which has the package too; Blender puts it behind.
    inside = tmp_path / "extensions" / ".local" / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    inside.mkdir(parents=True)
    program = f"""
import sys, bpy
sys.path.insert(0, {str(inside)!r})
assert bpy.ops.extensions.package_install_files(filepath={str(made[-1])!r}, repo="user_default", enable_on_install=True) == {{"FINISHED"}}
assert bpy.ops.import_scene.supple(filepath={str(arm_file)!r}) == {{"FINISHED"}}
import supple
assert supple.__file__.startswith({str(tmp_path)!r}), supple.__file__
assert any(one.type == "MESH" and one.data.shape_keys and one.data.shape_keys.animation_data for one in bpy.data.objects)
"""
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_improve_puts_a_live_character_beside_the_original(tmp_path: Path) -> None:
    path = tmp_path / "limb.glb"
    supple.make.limb(path, vertices=100)
    bpy.ops.import_scene.gltf(filepath=str(path))
    before = {one.name for one in bpy.data.objects}
    original = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    bpy.context.view_layer.objects.active = original
    assert bpy.ops.supple.improve(effort="quick") == {"FINISHED"}
    new = [one for one in bpy.data.objects if one.name not in before]
    armature = next(one for one in new if one.type == "ARMATURE")
    mesh = next(one for one in new if one.type == "MESH" and one.data.shape_keys)
    assert armature.location.x > original.location.x
    assert mesh.data.shape_keys.animation_data.drivers
    bone = armature.pose.bones["limb-1"]
    for strip in (armature.animation_data.nla_tracks, mesh.data.shape_keys.animation_data.nla_tracks):
        for track in list(strip):
            strip.remove(track)
    armature.animation_data.action = None
    values = []
    for turn in ((1, 0, 0, 0), (0.8, 0.6, 0, 0)):
        bone.rotation_quaternion = turn
        bpy.context.view_layer.update()
        values.append([key.value for key in mesh.data.shape_keys.key_blocks[1:]])
    assert np.abs(np.subtract(*values)).max() > 0.05  # the corrections follow the elbow


def test_improving_stops_when_asked(tmp_path: Path) -> None:
    from supple_blender import jobs, operators

    path = tmp_path / "limb.glb"
    supple.make.limb(path, vertices=100)
    job = operators.improve_job(str(path), "thorough")
    job.stop = True  # as Esc does
    job.wait()
    assert job.problem == jobs.STOPPED and job.result is None


@pytest.mark.parametrize("end", ["", "addon_utils.disable('supple_blender')"])
def test_blender_may_be_closed_while_something_is_simulated(tmp_path: Path, end: str) -> None:
    """Without a window nobody asks the operator: the job itself must not keep Blender from ending, nor fall over it."""
    path = tmp_path / "limb.glb"
    supple.make.limb(path, vertices=400)
    (tmp_path / "addons").mkdir()
    (tmp_path / "addons" / "supple_blender").symlink_to(Path(__file__).resolve().parents[2] / "apps" / "blender")
    program = f"""
import sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, {str(tmp_path / "addons")!r})
import bpy, addon_utils
addon_utils.enable("supple_blender", default_set=True)
from supple_blender import operators
job = operators.improve_job({str(path)!r}, "thorough")
while job.progress[0] == "starting":
    time.sleep(0.05)
print("closing", flush=True)
{end}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "closing" in done.stdout, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
