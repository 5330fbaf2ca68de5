"""Files of Supple in Blender: drivers of Blender give the weights and the skin that the engine gives."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

# Of the size of the character. Blender computes bones and vertices in single precision, one after another down a chain:
# some 1e-6 were measured.
SAME = 1e-5


def driven_mesh() -> Any:
    return next(one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys)


class Compared:
    """An imported character beside the engine's."""

    def __init__(self, path: Path) -> None:
        from supple_blender import rig

        self.rig = rig
        self.mesh = driven_mesh()
        self.armature = rig.armature_of(self.mesh)
        self.character = supple.load(str(path))
        self.skin = supple.Skin(self.character)
        self.binding = rig.Binding.of_file(self.character, self.armature)

    def differences(self) -> tuple[float, float]:
        """Of weights, and of vertices in sizes, in the pose that Blender shows."""
        graph = bpy.context.evaluated_depsgraph_get()
        pose = self.binding.read(self.armature.evaluated_get(graph))
        vertices = self.skin.evaluate(pose)
        shown = self.rig.evaluated_points(self.mesh, graph)
        weights = [one.value for one in self.mesh.data.shape_keys.key_blocks[1:]]
        assert shown.shape == vertices.shape
        assert len(weights) == len(self.skin.morph_weights)
        size = np.ptp(vertices, axis=0).max()
        return float(np.abs(weights - self.skin.morph_weights).max()), float(np.abs(shown - vertices).max() / size)

    def without_clips(self) -> None:
        self.armature.animation_data.action = None
        for track in list(self.armature.animation_data.nla_tracks):
            self.armature.animation_data.nla_tracks.remove(track)

    def check_random_poses(self, seed: int, count: int = 6) -> None:
        random = np.random.default_rng(seed)
        moved = 0.0
        for _ in range(count):
            for bone in self.armature.pose.bones:
                turn = random.normal(size=4) * 0.25 + (1, 0, 0, 0)
                bone.rotation_quaternion = turn / np.linalg.norm(turn)
            bpy.context.view_layer.update()
            weights, vertices = self.differences()
            assert weights < SAME and vertices < SAME
            moved = max(moved, float(np.abs(self.skin.morph_weights - supple_rest(self.character)).max()))
        assert moved > 0.01  # or there was nothing to compare


def supple_rest(character: supple.Character) -> np.ndarray:
    skin = supple.Skin(character)
    skin.evaluate(character.rest())
    return skin.morph_weights.copy()


def test_the_clip_plays_as_the_engine_plays_it(arm_file: Path) -> None:
    assert bpy.ops.import_scene.supple(filepath=str(arm_file)) == {"FINISHED"}
    both = Compared(arm_file)
    scene = bpy.context.scene
    clip = both.character.clips[0]
    weights_seen = []
    for frame in range(0, int(clip.end * scene.render.fps) + 1, 6):
        scene.frame_set(frame)
        weights, vertices = both.differences()
        assert weights < SAME and vertices < SAME
        weights_seen.append(both.skin.morph_weights.copy())
        # The pose itself: between keys Blender blends components of quaternions, which the clip's keys are dense enough for.
        graph = bpy.context.evaluated_depsgraph_get()
        shown = both.rig.evaluated_points(both.mesh, graph)
        expected = supple.Skin(both.character).evaluate(both.character.at(clip.name, frame / scene.render.fps))
        assert np.abs(shown - expected).max() < 1e-3 * np.ptp(expected, axis=0).max()
    assert np.ptp(weights_seen, axis=0).max() > 0.01


def test_any_pose_is_driven_as_by_the_engine(arm_file: Path) -> None:
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    both = Compared(arm_file)
    both.without_clips()
    both.check_random_poses(seed=1)


def test_small_turns_are_not_lost(arm_file: Path) -> None:
    # Curves of drivers that have keys give a key's value to all that is within 1e-4 of it.
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    both = Compared(arm_file)
    both.without_clips()
    for bone in both.armature.pose.bones:
        bone.rotation_quaternion = (1, 7e-5, -4e-5, 2e-5)
    bpy.context.view_layer.update()
    turns = np.reshape(both.armature["supple 1 turn"], (-1, 4))
    assert np.abs(turns - (7e-5, -4e-5, 2e-5, 1)).max() < 1e-6  # some roundings of single precision


def test_drivers_need_no_python(arm_file: Path) -> None:
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    mesh = driven_mesh()
    both = Compared(arm_file)
    curves = [*both.armature.animation_data.drivers, *mesh.data.shape_keys.animation_data.drivers]
    assert len(mesh.data.shape_keys.animation_data.drivers) == len(mesh.data.shape_keys.key_blocks) - 1
    for curve in curves:
        assert curve.driver.is_simple_expression and curve.driver.is_valid
        assert len(curve.driver.expression) <= 255
    assert "supple" not in {one.name for one in bpy.data.objects}  # nothing is left over from making them


def test_bones_that_constraints_or_euler_angles_turn_are_seen(arm_file: Path) -> None:
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    both = Compared(arm_file)
    both.without_clips()
    root, elbow = both.armature.pose.bones["limb-0"], both.armature.pose.bones["limb-1"]
    root.rotation_mode = "XYZ"
    root.rotation_euler = (0.4, -0.2, 0.1)
    limit = elbow.constraints.new("LIMIT_ROTATION")
    limit.owner_space = "LOCAL"
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    limit.min_x = limit.max_x = 0.9
    bpy.context.view_layer.update()
    weights, vertices = both.differences()
    assert weights < SAME and vertices < SAME
    assert np.abs(both.skin.morph_weights - supple_rest(both.character)).max() > 0.01


def test_a_saved_scene_is_live_in_a_blender_without_the_add_on(arm_file: Path, tmp_path: Path) -> None:
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    scene, mesh = bpy.context.scene, driven_mesh()
    from supple_blender import rig

    expected = []
    for frame in (0, 20, 40):
        scene.frame_set(frame)
        expected.append(rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get()).tolist())
    saved, found = tmp_path / "arm.blend", tmp_path / "found.json"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved), copy=True)
    # Another process, where nothing of ours is loaded and scripts of files are not run.
    program = f"""
import bpy, json, sys
bpy.ops.wm.open_mainfile(filepath={str(saved)!r}, use_scripts=False)
mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys)
frames = []
for frame in (0, 20, 40):
    bpy.context.scene.frame_set(frame)
    shown = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    frames.append([[p.x, p.z, -p.y] for p in (shown.matrix_world @ one.co for one in shown.data.vertices)])
assert not any("supple" in name for name in sys.modules)
json.dump(frames, open({str(found)!r}, "w"))
"""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    got, expected = np.array(json.loads(found.read_text())), np.array(expected)
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() < 1e-6 * np.ptp(expected[0], axis=0).max()
    assert np.abs(expected[1] - expected[0]).max() > 0.01


def with_driver(path: Path, source: Path, driver: dict[str, Any]) -> None:
    """The file with another driver of its first targets."""
    content = source.read_bytes()
    (length,) = struct.unpack_from("<I", content, 12)
    document = json.loads(content[20 : 20 + length])
    old = document["extensions"]["SUPPLE_deformers"]["drivers"][0]
    document["extensions"]["SUPPLE_deformers"]["drivers"] = [{"node": old["node"], "firstTarget": 0, **driver}]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = content[20 + length :]
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest)) + struct.pack("<I4s", len(text), b"JSON") + text + rest)


def node_of(source: Path, name: str) -> int:
    content = source.read_bytes()
    (length,) = struct.unpack_from("<I", content, 12)
    return next(i for i, node in enumerate(json.loads(content[20 : 20 + length])["nodes"]) if node.get("name") == name)


@pytest.mark.parametrize("twist", [False, True], ids=["whole angle", "swing and twist"])
@pytest.mark.parametrize("kernel", ["exponential", "gaussian", "linear", "cubic"])
def test_every_kernel_gives_the_engines_weights(arm_file: Path, tmp_path: Path, kernel: str, twist: bool) -> None:
    random = np.random.default_rng(3)
    centres = random.normal(size=(5, 2, 4)) * 0.3 + (0, 0, 0, 1)
    centres /= np.linalg.norm(centres, axis=2, keepdims=True)
    reference = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]]  # not the rest pose
    driver = {
        "joints": [node_of(arm_file, "limb-0"), node_of(arm_file, "limb-1")],
        "reference": reference,
        "kernel": kernel,
        "radius": 2.0,
        "centres": centres.reshape(5, 8).tolist(),
        "coefficients": (random.normal(size=(5 + 7 * (kernel == "cubic"), 2)) * (0.02 if kernel == "cubic" else 0.2)).tolist(),
        "restWeights": [0.25, 0.0],
    }
    if twist:
        driver |= {"twistAxes": [[0.0, 1.0, 0.0], [0.6, 0.0, 0.8]], "twistWeight": 0.5}
    path = tmp_path / "kernel.glb"
    with_driver(path, arm_file, driver)
    assert supple.load(str(path)).deformers["drivers"] == 1
    bpy.ops.import_scene.supple(filepath=str(path))
    both = Compared(path)
    both.without_clips()
    shown = both.mesh.data.shape_keys.key_blocks
    turned = np.random.default_rng(4)
    for _ in range(5):
        for bone in both.armature.pose.bones:
            turn = turned.normal(size=4) * 0.25 + (1, 0, 0, 0)
            bone.rotation_quaternion = turn / np.linalg.norm(turn)
        bpy.context.view_layer.update()
        both.differences()
        assert np.abs([one.value for one in shown[1:3]] - both.skin.morph_weights[:2]).max() < SAME
    assert np.abs(both.skin.morph_weights[:2] - (0.25, 0)).max() > 0.01


@pytest.mark.parametrize("limits", [{"least": [0.2, -0.01], "most": [0.3, 0.02]}, {"most": [0.25, 0.01]}, {"least": [0.24, 0.0]}], ids=["both", "most", "least"])
def test_weights_stay_within_their_limits(arm_file: Path, tmp_path: Path, limits: dict[str, list[float]]) -> None:
    driver = {
        "joints": [node_of(arm_file, "limb-1")],
        "reference": [[0.0, 0.0, 0.0, 1.0]],
        "kernel": "linear",
        "radius": 1.0,
        "centres": [[0.0, 0.0, 0.0, 1.0], [float(np.sin(0.5)), 0.0, 0.0, float(np.cos(0.5))]],
        "coefficients": [[0.2, -0.1], [-0.4, 0.3]],
        "restWeights": [0.25, 0.0],
        **limits,
    }
    path = tmp_path / "limited.glb"
    with_driver(path, arm_file, driver)
    bpy.ops.import_scene.supple(filepath=str(path))
    both = Compared(path)
    both.without_clips()
    shown = both.mesh.data.shape_keys.key_blocks
    bone = both.armature.pose.bones["limb-1"]
    seen = []
    for angle in np.linspace(-2.5, 2.5, 8):  # not 0: these coefficients jump at the rest pose, where weights are those at rest
        bone.rotation_quaternion = (np.cos(angle / 2), np.sin(angle / 2), 0, 0)
        bpy.context.view_layer.update()
        both.differences()
        seen.append([one.value for one in shown[1:3]])
        assert np.abs(seen[-1] - both.skin.morph_weights[:2]).max() < SAME
    for name, sign in (("least", 1), ("most", -1)):
        if name in limits:
            beyond = sign * (np.asarray(seen) - limits[name])
            assert beyond.min() > -SAME and np.abs(beyond).min() < SAME  # reached, and not passed


def test_large_coefficients_that_cancel_are_kept_in_two_cells(arm_file: Path, tmp_path: Path) -> None:
    # Two centres that are almost the same, with opposite coefficients: basis functions of single precision would leave
    # 20000 * 6e-8 * some tenths.
    half = [np.radians(20), np.radians(20.02)]
    driver = {
        "joints": [node_of(arm_file, "limb-1")],
        "reference": [[0.0, 0.0, 0.0, 1.0]],
        "kernel": "pose",
        "radii": [0.8],
        "pairWeight": 0,
        "centres": [[float(np.sin(one)), 0.0, 0.0, float(np.cos(one))] for one in half],
        "coefficients": [[20000.0], [-20000.0]],
        "restWeights": [0.5],
    }
    path = tmp_path / "large.glb"
    with_driver(path, arm_file, driver)
    bpy.ops.import_scene.supple(filepath=str(path))
    both = Compared(path)
    both.without_clips()
    assert any(name.endswith(" low") for name in both.armature.keys())
    key = both.mesh.data.shape_keys.key_blocks[1]
    bone = both.armature.pose.bones["limb-1"]
    seen = []
    for angle in np.linspace(-1.2, 0.8, 11):
        bone.rotation_quaternion = (np.cos(angle / 2), np.sin(angle / 2), 0, 0)
        bpy.context.view_layer.update()
        both.differences()
        assert abs(key.value - both.skin.morph_weights[0]) < 2e-6
        seen.append(both.skin.morph_weights[0])
    assert np.ptp(seen) > 1 and np.abs(seen).max() < 10  # which is as far as Blender lets shape keys go


def test_an_import_can_be_undone_and_redone(arm_file: Path) -> None:
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert not bpy.data.objects
    bpy.ops.ed.redo()
    both = Compared(arm_file)
    both.without_clips()
    both.check_random_poses(seed=2, count=2)


def test_two_characters_keep_apart(arm_file: Path) -> None:
    for _ in range(2):
        bpy.ops.import_scene.supple(filepath=str(arm_file))
    meshes = [one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys]
    from supple_blender import rig

    first, second = (rig.armature_of(one) for one in meshes)
    assert first != second
    for armature in (first, second):
        armature.animation_data.action = None
        for track in list(armature.animation_data.nla_tracks):
            armature.animation_data.nla_tracks.remove(track)
        for bone in armature.pose.bones:
            bone.rotation_quaternion = (1, 0, 0, 0)
    first.pose.bones["limb-1"].rotation_quaternion = (0.8, 0.6, 0, 0)
    bpy.context.view_layer.update()
    values = [[key.value for key in one.data.shape_keys.key_blocks[1:]] for one in meshes]
    assert np.abs(np.subtract(*values)).max() > 0.01


def test_a_plain_file_comes_in_without_drivers(tmp_path: Path) -> None:
    path = tmp_path / "plain.glb"
    supple.make.limb(path, vertices=100)
    assert bpy.ops.import_scene.supple(filepath=str(path)) == {"FINISHED"}
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    assert not any(name.startswith("supple ") for name in armature.keys())


@pytest.mark.parametrize("name", ["CesiumMan.glb", "Fox.glb"])
def test_rigs_of_others_follow_the_engine(name: str, tmp_path: Path) -> None:
    """Bones at rest in another pose than the skin was bound in, nodes above the armature, other units."""
    source = Path(__file__).resolve().parents[3] / "shared" / "data" / "gltf_khronos" / name
    if not source.exists():
        pytest.skip(f"{name} is not in ../shared/data")
    bpy.ops.import_scene.supple(filepath=str(source))
    from supple_blender import rig

    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and rig.armature_of(one))
    character = supple.load(str(source))
    binding = rig.Binding.of_file(character, rig.armature_of(mesh))
    skin = supple.Skin(character)
    for frame in (0, 7):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        vertices = skin.evaluate(binding.read(rig.armature_of(mesh).evaluated_get(graph)))
        shown = rig.evaluated_points(mesh, graph)
        assert np.abs(shown - vertices).max() < SAME * np.ptp(vertices, axis=0).max()
