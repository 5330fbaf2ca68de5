"""Kinodynamic skin in Blender's own viewport and files: built, played, keyed, mirrored, saved, undone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

from kinodynamic_rigs import add_piece, import_limb, make_rigify_figure, plain, run_through, skin_after  # noqa: E402

SAME = 2e-5  # metres: offsets are the difference of two surfaces in single precision, added to a third


@pytest.fixture
def limb(tmp_path: Path) -> tuple[Any, Any]:
    armature, mesh = import_limb(tmp_path)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 20
    bpy.context.scene.frame_set(1)
    return armature, mesh


def points(mesh: Any) -> np.ndarray:
    """(V, 3), the engine's axes: as Blender shows it."""
    from supple_blender import rig

    return rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())


def key_motion(armature: Any) -> None:
    """The limb goes up and stops, while its middle bends."""
    bone = armature.pose.bones["limb-1"]
    bone.rotation_mode = "XYZ"
    for frame, bend, up in ((1, 0, 0), (5, 0.3, 0), (9, 0.8, 0.1), (20, 0.8, 0.1)):
        bone.rotation_euler = (bend, 0, 0)
        bone.keyframe_insert("rotation_euler", frame=frame)
        armature.location = (0, 0, up)
        armature.keyframe_insert("location", frame=frame)


def build(armature: Any) -> None:
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.supple.kinodynamic_build() == {"FINISHED"}
    assert armature.supple.problem == ""


def test_build_plays_the_engines_skin(limb: Any) -> None:
    from supple_blender import kinodynamic

    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.frequency = 4
    key_motion(armature)
    scene = bpy.context.scene
    scene.frame_set(1)
    build(armature)
    built = kinodynamic.build_bound(armature, mesh)
    worlds = []
    for frame in range(1, 21):
        scene.frame_set(frame)
        worlds.append(built.binding.world(armature.evaluated_get(bpy.context.evaluated_depsgraph_get())))
    skin = supple.Skin(built.character, blend="kinodynamic")
    take = supple.Take(skin, np.stack(worlds), scene.render.fps / scene.render.fps_base, loop="auto")
    pose = built.character.rest()
    linear = supple.Skin(built.character)
    swung = 0.0
    for frame in (1, 7, 10, 14, 20):
        scene.frame_set(frame)
        pose.set_world(worlds[frame - 1])
        take.show(frame - 1, pose)
        assert np.abs(points(mesh) - skin.positions()).max() < SAME, frame
        swung = max(swung, float(np.abs(skin.positions() - linear.evaluate(pose)).max()))
    assert swung > 0.005


def test_any_frame_is_the_same_however_it_is_reached(limb: Any) -> None:
    armature, mesh = limb
    add_piece(armature, "limb-1", "muscle")
    key_motion(armature)
    scene = bpy.context.scene
    scene.frame_set(1)
    build(armature)
    armature.supple.dynamics, armature.supple.window = "WINDOW", 8
    scene.frame_set(11)
    jumped = points(mesh)
    for frame in range(1, 12):
        scene.frame_set(frame)
    assert np.abs(points(mesh) - jumped).max() < 1e-6
    armature.supple.window = 0  # kinematic: nothing swings
    kinematic = points(mesh)
    assert np.abs(kinematic - jumped).max() > 1e-4
    armature.supple.dynamics = "OFF"
    assert np.abs(points(mesh) - kinematic).max() < 1e-6


def test_keys_of_muscles_are_read_every_frame(limb: Any) -> None:
    from supple_blender import kinodynamic

    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    helper = muscle.supple_helper
    helper.modelled_gravity = 0
    for frame, life, gravity, frequency in ((1, 0.0, 0.0, 3.0), (11, 1.0, 0.5, 8.0)):
        helper.life, helper.gravity, helper.frequency = life, gravity, frequency
        for name in ("life", "gravity", "frequency"):
            muscle.keyframe_insert(f"supple_helper.{name}", frame=frame)
    scene = bpy.context.scene
    scene.frame_set(1)
    build(armature)
    armature.supple.loop = "off"  # the pose of the last frame is that of the first
    graph = bpy.context.evaluated_depsgraph_get()
    assert kinodynamic.live_parameters(armature, scene, graph, 1.0)[muscle.name]["life"] == pytest.approx(0)
    at_first = points(mesh)
    scene.frame_set(11)
    values = kinodynamic.live_parameters(armature, scene, bpy.context.evaluated_depsgraph_get(), 1.0)[muscle.name]
    assert values["life"] == pytest.approx(1) and values["frequency"] == pytest.approx(8)
    assert values["gravity"] == pytest.approx([0, -0.5 * 9.81, 0])
    assert np.abs(points(mesh) - at_first).max() > 1e-4  # it sags by then
    scene.frame_set(1)
    assert np.abs(points(mesh) - at_first).max() < 1e-6
    # A muscle that was not built yet does not disturb those that were, nor does a script that builds for itself.
    new = add_piece(armature, "limb-2", "muscle")
    kinodynamic.build(armature, mesh)
    scene.frame_set(2)
    scene.frame_set(1)
    assert armature.supple.problem == "" and new.name not in kinodynamic.live_parameters(armature, scene, graph, 1.0)
    # A slider that has no keys is seen at once, without building.
    before = points(mesh)
    muscle.animation_data_clear()
    helper.gravity = 1
    bpy.context.view_layer.update()
    assert np.abs(points(mesh) - before).max() > 1e-4


def test_it_works_below_lattices_and_above_sculpts(limb: Any) -> None:
    armature, mesh = limb
    add_piece(armature, "limb-1", "muscle")
    armature.pose.bones["limb-1"].rotation_mode = "XYZ"
    armature.pose.bones["limb-1"].rotation_euler = (1.2, 0, 0)
    bpy.context.view_layer.update()
    build(armature)
    plainly = points(mesh)
    lattice = bpy.data.objects.new("lattice", bpy.data.lattices.new("lattice"))
    bpy.context.collection.objects.link(lattice)
    lattice.scale = (2, 2, 2)
    bpy.context.view_layer.update()
    mesh.modifiers.new("Lattice", "LATTICE").object = lattice
    for point in lattice.data.points:
        point.co_deform.x += 0.05  # all of it, two times as large: everything goes by 0.1
    bpy.context.view_layer.update()
    assert [one.type for one in mesh.modifiers] == ["ARMATURE", "NODES", "LATTICE"]
    assert np.abs(points(mesh) - plainly - (0.1, 0, 0)).max() < 1e-4
    mesh.modifiers.remove(mesh.modifiers["Lattice"])
    mesh.shape_key_add(name="Basis")
    sculpt = mesh.shape_key_add(name="sculpt")
    moved = int(np.argmax(plain(armature, mesh).part().weights[:, plain(armature, mesh).joint("limb-0")]))
    sculpt.data[moved].co.x += 0.02
    sculpt.value = 1
    bpy.context.view_layer.update()
    offset = points(mesh) - plainly
    assert np.linalg.norm(offset[moved]) == pytest.approx(0.02, abs=1e-3)
    assert np.abs(np.delete(offset, moved, axis=0)).max() < 1e-5


def test_a_proxy_is_played_instead_while_preview_is_on(limb: Any) -> None:
    from supple_blender import engine, rig

    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    bpy.context.view_layer.objects.active = muscle
    bpy.ops.supple.paint_muscle()
    armature.pose.bones["limb-1"].rotation_mode = "XYZ"
    armature.pose.bones["limb-1"].rotation_euler = (1.2, 0, 0)
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.supple.kinodynamic_proxy(ratio=0.3) == {"FINISHED"}
    proxy = mesh.supple_proxy
    assert len(proxy.data.vertices) < 0.5 * len(mesh.data.vertices)
    assert rig.has_weights(proxy, armature) and muscle.supple_helper.skin_group in proxy.vertex_groups
    build(armature)
    assert engine.attached(armature) == [proxy]
    assert mesh.hide_viewport and not proxy.hide_viewport and proxy.hide_render
    # The proxy lies on the skin: nearest vertices are within its own edges.
    armature.supple_kinodynamics.preview = False
    coarse = points(proxy)
    build(armature)
    assert engine.attached(armature) == [mesh] and not mesh.hide_viewport and proxy.hide_viewport
    fine = points(mesh)
    apart = np.linalg.norm(coarse[:, None] - fine[None], axis=2).min(axis=1)
    assert apart.max() < 0.02
    assert rig.find(bpy.context).meshes == [mesh]


def test_mirrored_muscles_are_mirror_images() -> None:
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = make_rigify_figure()
    muscle = add_piece(armature, "thigh.L", "muscle")
    muscle.data = muscle.data.copy()
    for vertex in muscle.data.vertices:  # no ellipsoid, and not symmetric
        vertex.co.x *= 1.4 if vertex.co.x > 0 else 1
    helper = muscle.supple_helper
    helper.shape, helper.frequency, helper.stretch_axis, helper.stretch_center = "SURFACE", 5, (0.6, 0.8, 0), (0.01, 0.02, 0)
    helper.skin_bones.add().name = "thigh.L"
    group = mesh.vertex_groups.new(name="left thigh")
    for vertex in mesh.data.vertices:
        if vertex.co.x > 0.02 and vertex.co.z < 0.9:
            group.add([vertex.index], 0.5, "REPLACE")
    helper.skin_group = "left thigh"
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = muscle
    muscle.select_set(True)
    assert bpy.ops.supple.mirror_helper() == {"FINISHED"}
    other = bpy.data.objects["thigh.R muscle"]
    assert other.parent_bone == "thigh.R" and other.supple_helper.frequency == 5
    assert [one.name for one in other.supple_helper.skin_bones] == ["thigh.R"]
    here, there = objects.shape_at_rest(muscle, armature), objects.shape_at_rest(other, armature)
    across = np.array((-1, 1, 1))
    assert np.allclose(here.points @ here.axes.T * across + here.center * across, there.points @ there.axes.T + there.center, atol=1e-5)
    axis = here.axes @ np.array(helper.stretch_axis)
    assert np.allclose(axis * across, there.axes @ np.array(other.supple_helper.stretch_axis), atol=1e-5)
    painted = {vertex.index for vertex in mesh.data.vertices for one in vertex.groups if one.group == mesh.vertex_groups[other.supple_helper.skin_group].index and one.weight > 0.4}
    assert len(painted) > 50 and all(mesh.data.vertices[one].co.x < 0 for one in painted)
    # Once more replaces it.
    assert bpy.ops.supple.mirror_helper() == {"FINISHED"}
    assert sum(one.supple_helper.kind == "MUSCLE" for one in bpy.data.objects) == 2


@pytest.mark.parametrize("name, other", [("thigh.L", "thigh.R"), ("thigh-left", "thigh-right"), ("mixamorig:LeftArm", "mixamorig:RightArm"), ("hand_r", "hand_l"), ("spine", "spine")])
def test_names_of_the_other_side(name: str, other: str) -> None:
    from supple_blender import kinodynamic_mirror

    assert kinodynamic_mirror.other_name(name) == other


def test_settings_are_saved_and_played_on(limb: Any, tmp_path: Path) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.life = 0.5
    muscle.supple_helper.modelled_gravity = 0
    muscle.supple_helper.skin_bones.add().name = "limb-1"
    armature.supple_kinodynamics.contact = 0.25
    armature.pose.bones["limb-1"].supple_joint.volume.add().alpha = 0.25
    build(armature)
    shown = points(mesh)
    path = tmp_path / "kept.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.vertex_groups)
    muscle = next(one for one in bpy.data.objects if one.supple_helper.kind == "MUSCLE")
    assert muscle.supple_helper.life == 0.5 and muscle.supple_helper.skin_bones[0].name == "limb-1"
    assert armature.supple_kinodynamics.contact == 0.25
    assert armature.pose.bones["limb-1"].supple_joint.volume[0].alpha == 0.25
    assert np.abs(points(mesh) - shown).max() < 1e-6  # and plays on
    again = skin_after(armature, mesh)
    assert np.abs(again - shown).max() < SAME


def test_what_was_removed_comes_back_by_undo(limb: Any) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.life, muscle.supple_helper.modelled_gravity = 0.5, 0
    build(armature)
    shown = points(mesh)
    bpy.ops.ed.undo_push(message="built")
    assert bpy.ops.supple.kinodynamic_remove(objects=True) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="removed")
    assert not [one for one in bpy.data.objects if one.supple_helper.kind == "MUSCLE"]
    bpy.ops.ed.undo()
    muscle = next(one for one in bpy.data.objects if one.supple_helper.kind == "MUSCLE")
    mesh = next(one for one in bpy.data.objects if one.vertex_groups)
    assert muscle.parent_bone == "limb-1" and muscle.supple_helper.life == 0.5
    assert np.abs(points(mesh) - shown).max() < 1e-6  # and is played again


def test_remove_shows_plain_skinning(limb: Any) -> None:
    armature, mesh = limb
    add_piece(armature, "limb-1", "muscle")
    armature.pose.bones["limb-1"].rotation_mode = "XYZ"
    armature.pose.bones["limb-1"].rotation_euler = (1.2, 0, 0)
    bpy.context.view_layer.update()
    before = points(mesh)
    build(armature)
    assert np.abs(points(mesh) - before).max() > 1e-3
    assert bpy.ops.supple.kinodynamic_remove() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert np.abs(points(mesh) - before).max() == 0
    assert [one for one in bpy.data.objects if one.supple_helper.kind == "MUSCLE"]  # they stay


def test_flesh_and_muscles_are_played_together(limb: Any) -> None:
    armature, mesh = limb
    assert bpy.ops.supple.flesh_propose(compare=False) == {"FINISHED"}
    add_piece(armature, "limb-1", "muscle")
    build(armature)
    from supple_blender import playing

    assert set(playing.layer_of(armature).binding.character.deformers) >= {"flesh", "kinodynamics"}
    assert armature.supple.flesh
    # And the other way round: proposing flesh again leaves the muscles.
    assert bpy.ops.supple.flesh_propose(preset="firm", compare=False) == {"FINISHED"}
    assert set(playing.layer_of(armature).binding.character.deformers) >= {"flesh", "kinodynamics"}
    assert armature.supple.blend == "kinodynamic" and armature.supple.problem == ""


def test_muscles_of_a_file_become_objects_that_build_the_same_skin(tmp_path: Path) -> None:
    from supple_blender import kinodynamic

    limb = supple.make.limb(vertices=600).character
    recipe = tmp_path / "recipe.json"
    recipe.write_text(
        """{"kinodynamic_recipe": 1, "field": {"step": 15, "contact": 0.1, "flow": [{"joint": "limb-0", "share": 0.8}],
        "volume": [{"joint": "limb-1", "keys": [{"angle": 0}, {"angle": 90, "alpha": 0.3, "beta": 0.4}]}],
        "bound": [{"vertices": [7, 8], "weights": [1, 0.5]}]},
        "muscles": [{"name": "calf", "joint": "limb-2", "center": [0, 0.1, 0], "orientation": [20, 10, 5], "radii": [0.03, 0.08, 0.02],
        "gravity": 0.5, "modelled_under_gravity": false, "stretch": 30, "stretch_center": [0, 0.01, 0], "life": 0.2, "skin_joints": ["limb-1", "limb-2"]},
        {"name": "ball", "joint": "limb-1", "center": [0, 0.1, 0], "radii": [0.03, 0.03, 0.03], "frequency": 5,
        "skin_weights": {"vertices": [100, 101, 102], "weights": [1, 0.5, 0.25]}}], "window": 0.5}"""
    )
    path = tmp_path / "strong.glb"
    supple.add.kinodynamics(limb, path, recipe=str(recipe), no_compare=True)
    assert bpy.ops.import_scene.supple(filepath=str(path)) == {"FINISHED"}
    mesh = next(one for one in bpy.data.objects if one.vertex_groups)
    armature = mesh.parent
    armature.animation_data_clear()
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.supple.kinodynamic_objects() == {"FINISHED"}
    assert {one.name for one in bpy.data.objects if one.supple_helper.kind == "MUSCLE"} == {"calf muscle", "ball muscle"}
    render = bpy.context.scene.render
    assert armature.supple.window == round(0.5 * render.fps / render.fps_base)  # frames of half a second
    built = kinodynamic.build(armature, mesh)
    turned = {"limb-1": (1.2, 0.2, 0.1), "limb-2": (0.5, 0, 0)}
    expected = run_through(supple.load(str(path)), turned)
    assert np.abs(run_through(built, turned) - expected).max() < SAME


def test_a_proposal_that_is_compared_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "limb.glb"
    armature, mesh = import_limb(tmp_path)
    assert path.exists()
    assert bpy.ops.supple.kinodynamic_propose() == {"FINISHED"}  # compares with plain skinning
    assert bpy.ops.supple.kinodynamic_propose(compare=False, replace=False) == {"FINISHED"}
    build(armature)


def test_what_is_missing_is_said() -> None:
    from test_rig import refusal

    bpy.context.view_layer.objects.active = None
    for name in ("kinodynamic_propose", "kinodynamic_build", "kinodynamic_remove", "kinodynamic_proxy", "add_muscle", "add_tissue", "mirror_helper", "paint_muscle"):
        assert "click on" in refusal(getattr(bpy.ops.supple, name)), name
    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    assert "No bone of 'rig' is active" in refusal(bpy.ops.supple.add_muscle)
    assert "bends no mesh" in refusal(bpy.ops.supple.kinodynamic_build)


class Layout:
    """Stands in for a layout of Blender, which exists in a window only: writes down what is drawn, and that it exists."""

    def __init__(self) -> None:
        self.drawn: set[str] = set()

    def column(self, align: bool = False) -> Layout:
        return self

    def row(self, align: bool = False) -> Layout:
        return self

    def separator(self) -> None:
        pass

    def label(self, text: str, icon: str = "NONE") -> None:
        pass

    def prop(self, owner: Any, name: str, text: str = "", slider: bool = False) -> None:
        assert name in owner.bl_rna.properties
        self.drawn.add(name)

    def prop_search(self, owner: Any, name: str, data: Any, collection: str, text: str = "") -> None:
        assert name in owner.bl_rna.properties and hasattr(data, collection)
        self.drawn.add(name)

    def operator(self, name: str, text: str = "", icon: str = "NONE") -> Any:
        assert getattr(bpy.ops.supple, name.split(".")[1]).get_rna_type()
        self.drawn.add(name)
        return SimpleNamespace()

    def operator_menu_enum(self, name: str, choice: str, text: str) -> None:
        assert choice in getattr(bpy.ops.supple, name.split(".")[1]).get_rna_type().properties
        self.drawn.add(name)


def test_the_panels_show_every_setting(limb: Any) -> None:
    from supple_blender import kinodynamic_panel, kinodynamic_settings, piece_settings

    armature, mesh = limb
    tissue, muscle = add_piece(armature, "limb-1", "tissue"), add_piece(armature, "limb-1", "muscle")
    tissue.supple_helper.shape = "SURFACE"
    muscle.data = muscle.data.copy()
    muscle.shape_key_add(name="Basis")
    muscle.supple_helper.skin_bones.add().name = "limb-1"
    armature.data.bones.active = armature.data.bones["limb-1"]
    bpy.ops.supple.volume_key()
    layout = Layout()
    for active in (armature, mesh, tissue, muscle):
        for source in ("AUTOMATIC", "PAINTED", "PRIMITIVES"):
            armature.supple_kinodynamics.source = source
            bpy.context.view_layer.objects.active = active
            for panel in kinodynamic_panel.CLASSES:
                if panel.poll(bpy.context):
                    stand_in = SimpleNamespace(layout=layout)
                    stand_in._draw_muscle = lambda *given: kinodynamic_panel.SUPPLE_PT_kinodynamic_piece._draw_muscle(stand_in, *given)
                    panel.draw(stand_in, bpy.context)
    hidden = {"built", "star", "armature", "volume", "skin_bones"}  # lists are drawn one by one
    for group in (*kinodynamic_settings.CLASSES, *piece_settings.CLASSES):
        missing = set(group.__annotations__) - layout.drawn - hidden
        assert not missing, f"{group.__name__}: {missing}"
    assert {"window", "dynamics", "supple.kinodynamic_build", "supple.mirror_helper"} <= layout.drawn
