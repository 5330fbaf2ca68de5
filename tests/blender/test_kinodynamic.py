"""Tissue and muscles as objects of Blender: where they are, what they do to the skin, and what is said where they are wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

from kinodynamic_rigs import add_piece, import_figure, import_limb, make_rigify_figure, plain, run_through, skin_after  # noqa: E402

SAME = 1e-5  # metres, of characters of about two: single precision of Blender's matrices, measured 7e-7


@pytest.mark.parametrize("with_tissue", [False, True])
@pytest.mark.parametrize("kind", ["figure", "rigify"])
def test_a_proposal_as_objects_is_the_same_skin(kind: str, with_tissue: bool, tmp_path: Path) -> None:
    from supple_blender import kinodynamic, rig

    armature, mesh = import_figure(tmp_path / "figure.glb") if kind == "figure" else make_rigify_figure()
    # Where the armature stands, and how it is turned about the vertical, is nothing to the skin.
    armature.matrix_world = _placed((0.3, -0.2, 0.1), 0.7)
    bpy.context.view_layer.update()
    bound = rig.bind(armature, mesh)
    proposal = kinodynamic.propose(bound, max_muscles=12, with_tissue=with_tissue, compare=False)
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(proposal.recipe))
    expected = supple.add.kinodynamics(bound.character, recipe=str(path), unit=1.0, no_compare=True).character
    assert bpy.ops.supple.kinodynamic_propose(compare=False, tissue=with_tissue) == {"FINISHED"}
    for bone in armature.pose.bones:  # the pose that is shown does not matter either
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    built = kinodynamic.build(armature, mesh)
    names = ("thigh-left", "forearm-right", "spine") if kind == "figure" else ("thigh.L", "forearm.R", "spine.001")
    turned = {name: (0.9, 0.3, 0.1) for name in names}
    frames = run_through(expected, turned)
    assert np.abs(run_through(built, turned) - frames).max() < SAME
    assert len(proposal.recipe["muscles"]) >= 6
    still = run_through(plain(armature, mesh), turned)
    assert np.abs(frames - still).max() > 0.01  # the muscles do something


def _placed(place: tuple[float, float, float], turn: float) -> Any:
    from mathutils import Matrix

    return Matrix.Translation(place) @ Matrix.Rotation(turn, 4, "Z")


def test_a_turned_and_scaled_armature_feels_the_same_gravity(tmp_path: Path) -> None:
    from mathutils import Matrix

    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0  # sags by what gravity does
    before = skin_after(armature, mesh) - skin_after(armature, mesh, without=True)
    # As files in centimetres stand in Blender: scaled down and turned.
    armature.data.transform(Matrix.Scale(100, 4) @ Matrix.Rotation(-math.pi / 2, 4, "X"))
    mesh.data.transform(Matrix.Scale(100, 4) @ Matrix.Rotation(-math.pi / 2, 4, "X"))
    armature.matrix_world = Matrix.Rotation(math.pi / 2, 4, "X") @ Matrix.Scale(0.01, 4)
    armature.data.update_tag()
    armature.update_tag()
    bpy.context.view_layer.update()
    _rehang(muscle, armature, 100)
    after = skin_after(armature, mesh) - skin_after(armature, mesh, without=True)
    assert np.abs(before).max() > 1e-3
    assert np.abs(after / 100 - before).max() < 1e-5


def _rehang(muscle: Any, armature: Any, scale: float) -> None:
    from mathutils import Matrix
    from supple_blender import kinodynamic_objects as objects

    place = Matrix.Scale(scale, 4) @ Matrix.Rotation(-math.pi / 2, 4, "X") @ muscle.matrix_basis
    objects.hang(muscle, armature, "limb-1", place)


def test_objects_of_objects_on_bones_count_too(tmp_path: Path) -> None:
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    place = objects.place_at_rest(muscle, armature)
    holder = bpy.data.objects.new("holder", None)
    bpy.context.collection.objects.link(holder)
    objects.hang(holder, armature, "limb-1", place)
    muscle.parent, muscle.parent_type = holder, "OBJECT"
    muscle.matrix_parent_inverse.identity()
    muscle.matrix_basis.identity()
    assert objects.bone_of(muscle, armature) == "limb-1"
    assert np.abs(np.array(objects.place_at_rest(muscle, armature)) - np.array(place)).max() < 1e-6
    armature.pose.bones["limb-1"].rotation_mode = "XYZ"
    armature.pose.bones["limb-1"].rotation_euler = (0.5, 0.2, 0)
    bpy.context.view_layer.update()
    # Blender itself puts it where the bone has gone.
    bone = armature.pose.bones["limb-1"]
    carried = bone.matrix @ bone.bone.matrix_local.inverted() @ place
    assert np.abs(np.array(muscle.matrix_world) - np.array(carried)).max() < 1e-5
    assert np.abs(np.array(objects.place_at_rest(muscle, armature)) - np.array(place)).max() < 1e-6


@pytest.mark.parametrize("change", ["move", "scale", "turn"])
def test_moving_scaling_and_turning_an_ellipsoid_changes_that_place(tmp_path: Path, change: str) -> None:
    from mathutils import Quaternion
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    muscle.supple_helper.reach = 2

    def felt() -> tuple[np.ndarray, np.ndarray]:
        moved = np.linalg.norm(skin_after(armature, mesh) - skin_after(armature, mesh, without=True), axis=1)
        shape = objects.shape_at_rest(muscle, armature)
        rest = plain(armature, mesh).part().positions
        return moved, (rest * moved[:, None]).sum(axis=0) / moved.sum() - shape.center

    moved, off = felt()
    shape = objects.shape_at_rest(muscle, armature)
    # What it moves lies about it, and nothing beyond its reach moves.
    reach = muscle.supple_helper.reach * shape.radii.min() + shape.radii.max()
    far = np.linalg.norm(plain(armature, mesh).part().positions - shape.center, axis=1) > reach + 1e-3
    assert moved.max() > 1e-3 and moved[far].max() == 0
    assert np.linalg.norm(off) < 0.5 * shape.radii.max()
    if change == "move":
        muscle.location.z += 0.06
    elif change == "scale":
        muscle.scale *= 1.6
    else:
        muscle.rotation_quaternion = muscle.rotation_quaternion @ Quaternion((0, 0, 1), math.pi / 2)
    again, off = felt()
    changed = objects.shape_at_rest(muscle, armature)
    assert np.abs(again - moved).max() > 1e-4
    assert np.linalg.norm(off) < 0.6 * changed.radii.max()
    if change == "move":
        assert np.allclose(changed.center - shape.center, (0, 0.06, 0), atol=1e-6)  # up in Blender is up in the engine
    elif change == "scale":
        assert np.allclose(changed.radii, 1.6 * shape.radii, rtol=1e-5)
        assert (again > 0).sum() > (moved > 0).sum()
    else:  # its long axis lies where the short one was
        assert np.allclose(np.abs(changed.axes[:, 0]), np.abs(shape.axes[:, 1]), atol=1e-5)


def test_a_painted_group_restricts_a_muscle(tmp_path: Path) -> None:
    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    free = np.linalg.norm(skin_after(armature, mesh) - skin_after(armature, mesh, without=True), axis=1)
    moving = np.nonzero(free > 0.2 * free.max())[0]
    chosen = moving[: len(moving) // 2]
    group = mesh.vertex_groups.new(name=muscle.name)  # a group with the muscle's name is enough
    group.add([int(one) for one in chosen], 1.0, "REPLACE")
    painted = np.linalg.norm(skin_after(armature, mesh) - skin_after(armature, mesh, without=True), axis=1)
    others = np.setdiff1d(np.arange(len(free)), chosen)
    assert painted[others].max() == 0
    assert np.allclose(painted[chosen], free[chosen], atol=1e-6)
    group.add([int(one) for one in chosen], 0.25, "REPLACE")
    quarter = np.linalg.norm(skin_after(armature, mesh) - skin_after(armature, mesh, without=True), axis=1)
    assert quarter[chosen].max() < 0.5 * painted[chosen].max()


def test_a_muscle_moves_the_skin_of_chosen_bones(tmp_path: Path) -> None:
    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    rest = skin_after(armature, mesh, without=True)
    free = np.linalg.norm(skin_after(armature, mesh) - rest, axis=1)
    bpy.context.view_layer.objects.active = muscle
    armature.data.bones.active = armature.data.bones["limb-2"]
    assert bpy.ops.supple.skin_bone() == {"FINISHED"}
    moved = np.linalg.norm(skin_after(armature, mesh) - rest, axis=1)
    follows = plain(armature, mesh).part().weights[:, plain(armature, mesh).joint("limb-2")]
    assert free[follows < 0.05].max() > 1e-3
    assert moved[follows < 0.05].max() < 0.1 * free.max()  # as far as it follows, and once more for the way
    assert moved[follows > 0.5].max() > 1e-4
    assert bpy.ops.supple.skin_bone(remove=0) == {"FINISHED"}
    assert not muscle.supple_helper.skin_bones


def test_painting_begins_with_what_a_muscle_moves(tmp_path: Path) -> None:
    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    muscle.supple_helper.skin_bones.add().name = "limb-1"
    before = skin_after(armature, mesh)
    bpy.context.view_layer.objects.active = muscle
    assert bpy.ops.supple.paint_muscle() == {"FINISHED"}
    assert mesh.vertex_groups.active.name == muscle.supple_helper.skin_group != ""
    assert np.abs(skin_after(armature, mesh) - before).max() < 1e-6


def _swollen(muscle: Any) -> None:
    muscle.data = muscle.data.copy()
    muscle.shape_key_add(name="Basis")
    key = muscle.shape_key_add(name="tense")
    for point in key.data:
        point.co = (point.co.x * 1.1, point.co.y / 1.1**2, point.co.z * 1.1)  # thicker and shorter, as large as before
    muscle.supple_helper.target = "tense"


def test_a_shape_key_is_the_shape_that_a_muscle_rests_in(tmp_path: Path) -> None:
    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.scale = (0.042, 0.08, 0.042)  # the limb's radius is 0.05
    rest = skin_after(armature, mesh)
    _swollen(muscle)
    tense = skin_after(armature, mesh)
    moved = tense - rest
    rest_center = rest.mean(axis=0)
    middle = np.abs(rest[:, 1] - _engine_center(muscle, armature)[1]) < 0.03
    outward = (rest - rest_center)[:, [0, 2]]
    outward /= np.linalg.norm(outward, axis=1)[:, None] + 1e-9
    assert (moved[:, [0, 2]] * outward).sum(axis=1)[middle].mean() > 1e-3  # the limb swells about the muscle's belly
    armature.supple_kinodynamics.layer = "TISSUE"  # without dynamics too
    assert np.abs(skin_after(armature, mesh) - tense).max() < 1e-6


def _engine_center(muscle: Any, armature: Any) -> np.ndarray:
    from supple_blender import kinodynamic_objects as objects

    return objects.shape_at_rest(muscle, armature).center


def test_a_closed_mesh_is_a_muscle(tmp_path: Path) -> None:
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    as_ellipsoid = skin_after(armature, mesh)
    muscle.supple_helper.shape = "SURFACE"
    as_surface = skin_after(armature, mesh)
    rest = skin_after(armature, mesh, without=True)
    # The same shape, sampled at other places.
    assert np.abs(as_surface - as_ellipsoid).max() < 0.15 * np.abs(as_ellipsoid - rest).max()
    assert np.abs(as_ellipsoid - rest).max() > 1e-3
    # Mirrored by its scale it is still right side out.
    muscle.scale.x *= -1
    assert objects.shape_at_rest(muscle, armature).triangles is not None
    assert np.abs(skin_after(armature, mesh) - as_surface).max() < 0.15 * np.abs(as_surface - rest).max()


def refusal(armature: Any, mesh: Any) -> str:
    from supple_blender import kinodynamic, rig

    with pytest.raises(rig.RigError) as caught:
        kinodynamic.build(armature, mesh)
    return str(caught.value)


def test_what_is_wrong_with_an_object_is_said_with_a_remedy(tmp_path: Path) -> None:
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    place = muscle.matrix_basis.copy()
    muscle.data = muscle.data.copy()
    muscle.supple_helper.shape = "SURFACE"
    import bmesh

    shape = bmesh.new()
    shape.from_mesh(muscle.data)
    shape.faces.ensure_lookup_table()
    bmesh.ops.delete(shape, geom=[shape.faces[3]], context="FACES_ONLY")
    shape.to_mesh(muscle.data)
    text = refusal(armature, mesh)
    assert muscle.name in text and "not closed" in text and "Fill Holes" in text
    muscle.data = add_piece(armature, "limb-0", "muscle").data  # which is closed
    muscle.supple_helper.shape = "ELLIPSOID"
    muscle.parent = None
    text = refusal(armature, mesh)
    assert muscle.name in text and "parented to no bone" in text and "Ctrl P" in text
    muscle.parent = armature  # to the armature as a whole
    muscle.parent_type = "OBJECT"
    assert "parented to no bone" in refusal(armature, mesh)
    objects.hang(muscle, armature, "limb-1", place)
    muscle.parent_bone = "forgotten"
    text = refusal(armature, mesh)
    assert "'forgotten'" in text and muscle.name in text
    other = bpy.data.objects.new("other", armature.data.copy())
    bpy.context.collection.objects.link(other)
    objects.hang(muscle, other, "limb-1", place)
    muscle.supple_helper.armature = armature
    text = refusal(armature, mesh)
    assert f"'{muscle.name}' hangs on a bone of 'other', not of '{armature.name}'" in text
    objects.hang(muscle, armature, "limb-1", place)
    muscle.scale.y = 0
    text = refusal(armature, mesh)
    assert f"'{muscle.name}' has no size along its Y axis" in text and "Alt S" in text
    objects.hang(muscle, armature, "limb-1", place)
    muscle.supple_helper.target = "gone"
    assert "no shape key 'gone'" in refusal(armature, mesh)
    muscle.supple_helper.target = ""
    muscle.supple_helper.skin_group = "gone"
    assert "no vertex group 'gone'" in refusal(armature, mesh)
    mesh.vertex_groups.new(name="gone")
    assert "moves nothing" in refusal(armature, mesh)
    muscle.supple_helper.skin_group = ""
    muscle.supple_helper.skin_bones.add().name = "gone"
    assert "bone 'gone'" in refusal(armature, mesh)
    muscle.supple_helper.skin_bones.clear()
    muscle.supple_helper.stretch_axis = (0, 0, 0)
    assert "stretch axis" in refusal(armature, mesh)
    muscle.supple_helper.stretch_axis = (0, 2, 0)  # any length will do
    muscle.supple_helper.density = 0
    assert "density" in refusal(armature, mesh)
    muscle.supple_helper.density = 1000
    supple_built = skin_after(armature, mesh)
    assert np.isfinite(supple_built).all()


def test_tissue_that_is_wrong_is_named(tmp_path: Path) -> None:
    armature, mesh = import_limb(tmp_path)
    armature.supple_kinodynamics.source = "PRIMITIVES"
    assert "Add Tissue" in refusal(armature, mesh)
    bpy.ops.mesh.primitive_torus_add(major_radius=0.1, minor_radius=0.02)  # its middle is empty: no star shape
    torus = bpy.context.view_layer.objects.active
    bpy.context.view_layer.objects.active = armature
    armature.data.bones.active = armature.data.bones["limb-1"]
    torus.select_set(True)
    assert bpy.ops.supple.add_tissue() == {"FINISHED"}
    assert torus.parent_bone == "limb-1" and torus.supple_helper.kind == "TISSUE"
    text = refusal(armature, mesh)
    assert f"'{torus.name}'" in text and ".obj" not in text


def test_an_empty_is_an_ellipsoid_too(tmp_path: Path) -> None:
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = import_limb(tmp_path)
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    expected = skin_after(armature, mesh)
    place = objects.place_at_rest(muscle, armature)
    bpy.data.objects.remove(muscle)
    empty = bpy.data.objects.new("ball", None)
    empty.empty_display_type, empty.empty_display_size = "SPHERE", 0.5
    bpy.context.collection.objects.link(empty)
    empty.matrix_world = place
    empty.scale *= 2  # the size that is displayed counts
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = armature
    empty.select_set(True)
    assert bpy.ops.supple.add_muscle() == {"FINISHED"}
    empty.supple_helper.modelled_gravity = 0
    assert np.abs(skin_after(armature, mesh) - expected).max() < 1e-6


def test_a_star_shape_of_a_file_is_kept(tmp_path: Path) -> None:
    from supple_blender import kinodynamic, kinodynamic_show, rig
    from supple_blender import kinodynamic_objects as objects

    armature, mesh = import_limb(tmp_path)
    for bone in ("limb-0", "limb-1", "limb-2"):
        piece = add_piece(armature, bone, "tissue")
        piece.data = piece.data.copy()
        for vertex in piece.data.vertices:
            vertex.co.x *= 1.4 if vertex.co.x > 0 else 1
        piece.supple_helper.shape = "SURFACE"
        piece.supple_helper.margin = 1.2
    built = kinodynamic.build(armature, mesh)
    recipe = kinodynamic.recipe_of(built)
    assert all(len(one["star"]) == 64 for one in recipe["field"]["tissue"])
    kinodynamic_show.remove_helpers(armature)
    binding = rig.bind(armature, mesh)
    shown = kinodynamic_show.show(recipe, armature, kinodynamic_show.bone_frames(armature, binding), [mesh], bpy.context.scene)
    assert len(shown.objects) == 3 and not shown.warnings
    turned = {"limb-1": (1.0, 0.5, 0.2)}
    again = kinodynamic.build(armature, mesh)
    assert np.abs(run_through(again, turned) - run_through(built, turned)).max() < SAME
    # What is seen of it is the surface that it was fitted to, larger by the margin.
    place = objects.place_at_rest(shown.objects[0], armature)
    seen = np.array([(place @ vertex.co - place.translation) / 1.2 + place.translation for vertex in shown.objects[0].data.vertices])
    assert seen[:, 0].max() == pytest.approx(1.4 * 0.08, rel=0.1) and seen[:, 0].min() == pytest.approx(-0.08, rel=0.1)
