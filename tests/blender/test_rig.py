"""Armatures and meshes of Blender as characters of the engine, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")


def make_armature(name: str = "rig") -> Any:
    """Three bones that point in different directions, with rolls."""
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    ends = [(0, 0, 0), (0.1, 0, 1), (0.3, 0.5, 1.5), (1, 0.6, 1.4)]
    parent = None
    for i in range(3):
        bone = armature.data.edit_bones.new(f"bone {i}")
        bone.head, bone.tail, bone.roll, bone.parent = ends[i], ends[i + 1], 0.4 * i, parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def make_mesh(armature: Any, weighted: bool = True) -> Any:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.8, location=(0.3, 0.2, 0.9))
    mesh = bpy.context.view_layer.objects.active
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    random = np.random.default_rng(0)
    for bone in armature.data.bones if weighted else []:
        group = mesh.vertex_groups.new(name=bone.name)
        for vertex in range(len(mesh.data.vertices)):
            group.add([vertex], float(random.uniform(0.1, 1)), "REPLACE")
    return mesh


def turn_bones(armature: Any) -> None:
    random = np.random.default_rng(5)
    for bone in armature.pose.bones:
        turn = random.normal(size=4) * 0.3 + (1, 0, 0, 0)
        bone.rotation_quaternion = turn / np.linalg.norm(turn)
        bone.location = random.normal(size=3) * 0.05
    bpy.context.view_layer.update()


def test_an_armature_of_blender_bends_the_same_in_the_engine() -> None:
    from supple_blender import rig

    armature = make_armature()
    mesh = make_mesh(armature)
    bpy.context.view_layer.update()
    binding = rig.bind(armature, mesh)
    turn_bones(armature)
    graph = bpy.context.evaluated_depsgraph_get()
    vertices = supple.Skin(binding.character).evaluate(binding.read())
    shown = rig.evaluated_points(mesh, graph)
    assert np.abs(vertices - shown).max() < 1e-5  # of lengths about 1, in single precision
    assert np.abs(shown - binding.character.part().positions).max() > 0.1


def test_an_armature_of_several_roots_bends_the_same_in_the_engine() -> None:
    from supple_blender import rig

    armature = make_armature()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["bone 2"].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = make_mesh(armature)
    bpy.context.view_layer.update()
    binding = rig.bind(armature, mesh)
    turn_bones(armature)
    shown = rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())
    pose = binding.read()
    assert np.abs(supple.Skin(binding.character).evaluate(pose) - shown).max() < 1e-5
    for bone in armature.pose.bones:
        bone.rotation_quaternion, bone.location = (1, 0, 0, 0), (0, 0, 0)
    binding.write(pose)
    bpy.context.view_layer.update()
    assert np.abs(rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get()) - shown).max() < 1e-5


def test_poses_go_to_the_engine_and_back() -> None:
    from supple_blender import rig

    armature = make_armature()
    mesh = make_mesh(armature)
    bpy.context.view_layer.update()
    binding = rig.bind(armature, mesh)
    turn_bones(armature)
    pose = binding.read()
    before = rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())
    for bone in armature.pose.bones:
        bone.rotation_quaternion, bone.location = (1, 0, 0, 0), (0, 0, 0)
    binding.write(pose)
    bpy.context.view_layer.update()
    after = rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())
    assert np.abs(after - before).max() < 1e-5


def refusal(call: Any, **options: Any) -> str:
    """What an operator reports as an error: from Python that is an exception, of which only the text counts."""
    with pytest.raises(RuntimeError) as caught:
        call(**options)
    text = str(caught.value)
    assert "Traceback" not in text
    return text


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert "There is no file" in refusal(bpy.ops.import_scene.supple, filepath=str(tmp_path / "none.glb"))
    broken = tmp_path / "broken.glb"
    broken.write_bytes(b"glTF, but not for long")
    assert "broken.glb" in refusal(bpy.ops.import_scene.supple, filepath=str(broken))
    bpy.context.view_layer.objects.active = None
    assert "Nothing is active" in refusal(bpy.ops.supple.improve)
    armature = make_armature()
    assert "bends no mesh" in refusal(bpy.ops.supple.improve)
    make_mesh(armature, weighted=False)
    assert "follows a bone" in refusal(bpy.ops.supple.improve)
    bpy.ops.mesh.primitive_cube_add()
    assert "No armature bends" in refusal(bpy.ops.supple.improve)


def test_vertices_that_follow_nothing_are_counted() -> None:
    from supple_blender import rig

    armature = make_armature()
    mesh = make_mesh(armature)
    for group in mesh.vertex_groups:
        group.remove([0, 1])
    with pytest.raises(rig.RigError, match="2 of .* follow no bone"):
        rig.bind(armature, mesh)


def test_the_add_on_can_be_switched_off_and_on() -> None:
    import addon_utils

    addon_utils.disable("supple_blender")
    assert not hasattr(bpy.types, "SUPPLE_PT_main")
    addon_utils.enable("supple_blender", default_set=True)
    assert hasattr(bpy.types, "SUPPLE_PT_main")


class Layout:
    """Stands in for a layout of Blender, which exists in a window only: writes down what is drawn."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.buttons: list[tuple[str, ...]] = []

    def column(self, align: bool) -> Layout:
        return self

    def label(self, text: str, icon: str = "NONE") -> None:
        self.labels.append(text)

    def operator(self, name: str, text: str, icon: str = "NONE") -> None:
        self.buttons.append((name,))

    def operator_menu_enum(self, name: str, choice: str, text: str, icon: str) -> None:
        self.buttons.append((name, choice))


def test_the_panel_names_the_character_and_operators_that_exist(arm_file: Path) -> None:
    from types import SimpleNamespace

    from supple_blender import panel

    def drawn() -> Layout:
        layout = Layout()
        panel.SUPPLE_PT_main.draw(SimpleNamespace(layout=layout), bpy.context)
        return layout

    bpy.context.view_layer.objects.active = None
    assert "Choose an armature or its mesh" in drawn().labels
    bpy.ops.import_scene.supple(filepath=str(arm_file))
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys)
    bpy.context.view_layer.objects.active = mesh
    shown = drawn()
    assert shown.labels[0] == mesh.parent.name
    assert shown.labels[1] != "0 drivers of Supple" and shown.labels[1].endswith("drivers of Supple")
    for name, *choice in shown.buttons:
        group, operator = name.split(".")
        known = getattr(getattr(bpy.ops, group), operator).get_rna_type()
        assert all(one in known.properties for one in choice)
