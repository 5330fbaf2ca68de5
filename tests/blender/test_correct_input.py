"""What is said where corrections cannot be made, and what the panel shows of them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

import scenes  # noqa: E402: it needs bpy
from scenes import HIT, ours, sculpt  # noqa: E402


@pytest.mark.parametrize("call", ["add_example", "fit", "simulate_examples", "remove_corrections"])
def test_what_is_missing_is_said_with_a_remedy(call: str) -> None:
    operator = getattr(bpy.ops.supple, call)
    bpy.context.view_layer.objects.active = None
    assert "Nothing is active: click" in scenes.refusal(operator)
    rig = scenes.armature()
    assert "'rig' bends no mesh: parent one" in scenes.refusal(operator)
    mesh = scenes.tube(rig)
    weighted = mesh.vertex_groups[:]
    for group in weighted:
        group.name += " of nobody"
    assert "No vertex of 'body' follows a bone of 'rig': paint weights" in scenes.refusal(operator)
    for group in weighted:
        group.name = group.name.removesuffix(" of nobody")
    mirror = mesh.modifiers.new("Mirror", "MIRROR")
    mesh.modifiers.move(1, 0)
    assert "'Mirror' of 'body' comes before the armature" in scenes.refusal(operator)
    mesh.modifiers.remove(mirror)
    scenes.tube(rig)
    bpy.context.view_layer.objects.active = rig
    assert "'rig' bends 2 meshes: click" in scenes.refusal(operator)


def test_vertices_without_weights_are_counted(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    for group in mesh.vertex_groups:
        group.remove([3, 4, 5])
    for operator in (bpy.ops.supple.fit, bpy.ops.supple.simulate_examples):
        assert "3 of 212 vertices of 'body' follow no bone of 'rig': paint weights" in scenes.refusal(operator)


def test_examples_of_another_mesh_are_refused(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    scenes.bend(rig, "lower", 60)
    assert "No other mesh is selected" in scenes.refusal(bpy.ops.supple.add_example, source="SELECTED")
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    bpy.context.view_layer.objects.active = mesh
    assert "'Cube' has 8 vertices, 'body' 212" in scenes.refusal(bpy.ops.supple.add_example, source="SELECTED")
    bpy.data.objects.remove(cube)
    bpy.ops.supple.add_example(source="COPY")
    copy = mesh.supple_correct.examples[0].mesh
    copy.data.clear_geometry()
    assert "has 0 vertices, 'body' 212" in scenes.refusal(bpy.ops.supple.fit)
    other = mesh.data.copy()
    other.flip_normals()  # as many vertices, other faces
    copy.data = other
    assert "The faces of 'body lower 60' are not those of 'body'" in scenes.refusal(bpy.ops.supple.fit)
    bpy.data.objects.remove(copy)
    assert "mesh of the example 'lower 60' is gone: remove the example" in scenes.refusal(bpy.ops.supple.fit)
    bpy.ops.supple.remove_example()
    assert "No example of 'body' is chosen" in scenes.refusal(bpy.ops.supple.remove_example)
    sculpt(rig, mesh)
    mesh.shape_key_remove(mesh.data.shape_keys.key_blocks["lower 80"])
    assert "no shape key 'lower 80' any more" in scenes.refusal(bpy.ops.supple.fit)


def test_poses_that_teach_nothing_are_refused(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    assert "stands in its rest pose: bend a joint" in scenes.refusal(bpy.ops.supple.add_example)
    assert not mesh.supple_correct.examples and mesh.data.shape_keys is None  # nothing is left of it
    scenes.bend(rig, "lower", 60)
    rig.data.pose_position = "REST"
    assert "shows its rest position" in scenes.refusal(bpy.ops.supple.add_example)
    rig.data.pose_position = "POSE"
    bpy.ops.supple.add_example()
    assert "No example of 'body' differs" in scenes.refusal(bpy.ops.supple.fit)
    sculpt(rig, mesh, "lower", 60)
    assert "'lower 60' and 'lower 60 (2)' are of the same pose" in scenes.refusal(bpy.ops.supple.fit)
    scenes.rest(rig)
    scenes.bend(rig, "upper", 60)
    sculpt(rig, mesh, "upper", 60)
    mesh.supple_correct.examples[0].use = False
    assert "'upper 60' stands in the rest pose" in scenes.refusal(bpy.ops.supple.fit)
    mesh.active_shape_key_index = 0
    assert "no active shape key but the basis: choose" in scenes.refusal(bpy.ops.supple.add_example, source="ACTIVE_KEY")
    own = mesh.shape_key_add(name="driven by hand")
    own.driver_add("value").driver.expression = "0.5"
    mesh.active_shape_key_index = len(mesh.data.shape_keys.key_blocks) - 1
    assert "'driven by hand' has a driver already: delete it" in scenes.refusal(bpy.ops.supple.add_example, source="ACTIVE_KEY")


def test_meshes_that_are_not_manifold_can_be_sculpted(arm: tuple[Any, Any]) -> None:
    import bmesh

    rig, mesh = arm
    made = bmesh.new()
    made.from_mesh(mesh.data)
    made.verts.ensure_lookup_table()
    made.faces.new([made.verts[i] for i in (100, 105, 55)])  # through the inside: its edges have three faces or one
    made.faces.ensure_lookup_table()
    made.faces.remove(made.faces[0])
    made.to_mesh(mesh.data)
    made.free()
    sculpt(rig, mesh)
    assert bpy.ops.supple.fit() == {"FINISHED"}
    assert mesh.supple_correct.mean_after < HIT * mesh.supple_correct.mean_before
    try:  # flesh needs an inside: it works, or the reason is told
        bpy.ops.supple.simulate_examples()
    except RuntimeError as error:
        assert "Supple failed" not in str(error) and "Traceback" not in str(error)


def test_corrections_that_are_worse_than_none_are_refused(arm: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from supple_blender import corrections

    rig, mesh = arm
    sculpt(rig, mesh)
    measured = corrections.measure
    monkeypatch.setattr(corrections, "measure", lambda *given: corrections.Errors(measured(*given).before, 2 * measured(*given).before))
    assert "worse than none" in scenes.refusal(bpy.ops.supple.fit)
    assert not ours(rig, mesh)


class Layout:
    """Stands in for a layout of Blender, which exists in a window only: writes down what is drawn."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.buttons: list[tuple[str, ...]] = []

    def row(self, align: bool = False) -> Layout:
        return self

    column = row

    def label(self, text: str, icon: str = "NONE") -> None:
        self.labels.append(text)

    def operator(self, name: str, text: str, icon: str = "NONE") -> None:
        self.buttons.append((name,))

    def operator_menu_enum(self, name: str, choice: str, text: str, icon: str) -> None:
        self.buttons.append((name, choice))

    def prop(self, item: Any, name: str, **_: Any) -> None:
        getattr(item, name)

    def template_list(self, kind: str, identity: str, data: Any, items: str, active_data: Any, active: str, rows: int) -> None:
        getattr(bpy.types, kind)
        getattr(active_data, active)
        from supple_blender import correct_panel

        for one in getattr(data, items):
            correct_panel.SUPPLE_UL_examples.draw_item(None, bpy.context, self, data, one, 0, active_data, active)


def test_the_panel_tells_the_error_and_names_operators_that_exist(arm: tuple[Any, Any]) -> None:
    from supple_blender import correct_panel

    rig, mesh = arm

    def drawn() -> Layout:
        layout = Layout()
        assert correct_panel.SUPPLE_PT_correct.poll(bpy.context)
        correct_panel.SUPPLE_PT_correct.draw(SimpleNamespace(layout=layout), bpy.context)
        return layout

    assert drawn().labels == ["No corrections yet"]
    sculpt(rig, mesh)
    bpy.ops.supple.fit()
    bpy.context.view_layer.objects.active = rig
    told = drawn()
    assert "1 driven shape key" in told.labels
    assert any(text.startswith("Mean error 5.9") for text in told.labels), told.labels
    for name, *choice in told.buttons:
        group, operator = name.split(".")
        known = getattr(getattr(bpy.ops, group), operator).get_rna_type()
        assert all(one in known.properties for one in choice)


def test_an_example_can_be_shown_and_sculpted_again(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    wanted = scenes.shown(mesh)
    bpy.ops.supple.fit()
    scenes.rest(rig)
    assert bpy.ops.supple.pose_example() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < 1e-6
    scenes.swell(mesh, mesh.active_shape_key.data, 1.0)
    bpy.context.view_layer.update()
    wanted = scenes.shown(mesh)
    bpy.ops.supple.fit()
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < HIT * 0.1


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT"])
def test_a_fit_comes_back_into_the_mode_that_one_is_in(arm: tuple[Any, Any], mode: str) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.supple.fit() == {"FINISHED"}
    assert mesh.mode == mode
    bpy.ops.object.mode_set(mode="OBJECT")
    assert ours(rig, mesh) and mesh.supple_correct.mean_after < HIT * mesh.supple_correct.mean_before


def test_a_mesh_that_others_share_becomes_one_of_its_own(arm: tuple[Any, Any]) -> None:
    rig, mesh = arm
    sculpt(rig, mesh)
    other = mesh.copy()
    bpy.context.collection.objects.link(other)
    bpy.ops.supple.fit()
    assert other.data != mesh.data
    assert [one.name for one in other.data.shape_keys.key_blocks] == ["Basis", "lower 80"]
    assert ours(rig, mesh)


def test_a_mesh_of_another_file_is_refused(arm: tuple[Any, Any], tmp_path: Path) -> None:
    saved = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=saved, copy=True)
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    with bpy.data.libraries.load(saved, link=True) as (there, here):
        here.objects = there.objects
    for one in here.objects:
        bpy.context.collection.objects.link(one)
    bpy.context.view_layer.objects.active = bpy.data.objects["body"]
    assert "'body' is linked from another file: make it local" in scenes.refusal(bpy.ops.supple.add_example)
