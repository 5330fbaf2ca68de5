"""What an animator sets for kinodynamic skin does what the paper says, in the skin that the engine gives."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

from kinodynamic_rigs import add_piece, import_limb, plain, run_through, skin_after, volume  # noqa: E402

BEND = {"limb-1": (math.radians(100), 0, 0)}
TWIST = {"limb-1": (0, math.radians(120), 0)}


@pytest.fixture
def limb(tmp_path: Path) -> tuple[Any, Any]:
    return import_limb(tmp_path)


def recipe(armature: Any, mesh: Any, folder: Path) -> dict[str, Any]:
    from supple_blender import kinodynamic

    return kinodynamic.recipe(armature, [mesh], folder)


def test_weights_come_from_bones_tissue_or_paint(limb: Any) -> None:
    armature, mesh = limb
    settings = armature.supple_kinodynamics
    assert settings.source == "AUTOMATIC"  # which needs nothing
    triangles = plain(armature, mesh).part().triangles
    rest = volume(plain(armature, mesh).part().positions, triangles)
    linear = volume(linear_skin(armature, mesh, BEND), triangles)
    assert linear < 0.95 * rest
    skins = {}
    for source in ("AUTOMATIC", "PAINTED", "PRIMITIVES"):
        if source == "PRIMITIVES":
            for bone in ("limb-0", "limb-1", "limb-2"):
                add_piece(armature, bone, "tissue")
        settings.source = source
        skins[source] = skin_after(armature, mesh, BEND)
        assert abs(volume(skins[source], triangles) / rest - 1) < 0.02
    assert min(np.abs(skins[a] - skins[b]).max() for a, b in (("AUTOMATIC", "PAINTED"), ("AUTOMATIC", "PRIMITIVES"))) > 1e-3
    # Painted weights are the vertex groups: other groups, another skin.
    settings.source = "PAINTED"
    group = mesh.vertex_groups["limb-1"]
    for vertex in range(len(mesh.data.vertices)):
        group.add([vertex], 0.2, "ADD")
    assert np.abs(skin_after(armature, mesh, BEND) - skins["PAINTED"]).max() > 1e-3


def linear_skin(armature: Any, mesh: Any, turned: dict[str, tuple[float, float, float]]) -> np.ndarray:
    """As Blender's armature modifier bends it."""
    character = plain(armature, mesh)
    pose = character.rest()
    for name, vector in turned.items():
        angle = np.linalg.norm(vector)
        pose.rotations[character.joint(name)] = (*(np.array(vector) / angle * np.sin(angle / 2)), np.cos(angle / 2))
    return supple.Skin(character).evaluate(pose).copy()


def test_several_pieces_of_tissue_hang_on_one_bone(limb: Any) -> None:
    armature, mesh = limb
    last = {"limb-2": (math.radians(100), 0, 0)}
    for bone in ("limb-0", "limb-1", "limb-2"):
        add_piece(armature, bone, "tissue")
    one = skin_after(armature, mesh, last)
    second = add_piece(armature, "limb-2", "tissue")
    second.location.z -= 0.12  # reaches into the bone before
    second.supple_helper.weight = 2
    assert np.abs(skin_after(armature, mesh, last) - one).max() > 1e-3


def test_bone_carries_skin_along_rigidly_and_soft_tissue_does_not(limb: Any) -> None:
    armature, mesh = limb
    for bone in ("limb-0", "limb-1", "limb-2"):
        add_piece(armature, bone, "tissue")
    hard = add_piece(armature, "limb-1", "tissue")
    hard.scale = (0.06, 0.04, 0.06)
    hard.location.z -= 0.06  # next to the joint that bends
    hard.supple_helper.weight = 20
    rest = plain(armature, mesh).part().positions
    center = np.array([0, hard.location.z, 0])
    inside = np.linalg.norm((rest - center) / (0.06, 0.04, 0.06), axis=1) < 0.95

    def change_of_shape() -> float:
        """Of the distances between the vertices inside."""
        posed = skin_after(armature, mesh, BEND)[inside]
        between = np.linalg.norm(posed[:, None] - posed[None], axis=2)
        at_rest = np.linalg.norm(rest[inside][:, None] - rest[inside][None], axis=2)
        return float(np.abs(between - at_rest).max())

    soft = change_of_shape()
    hard.supple_helper.tissue = "BONE"
    assert inside.sum() > 10
    assert change_of_shape() < 0.5 * soft


def test_a_closed_mesh_is_a_star_shape(limb: Any, tmp_path: Path) -> None:
    armature, mesh = limb
    for bone in ("limb-0", "limb-2"):
        add_piece(armature, bone, "tissue")
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.05, location=(0, 0, 0.3))
    bulge = bpy.context.view_layer.objects.active
    bulge.scale.z = 2
    for vertex in bulge.data.vertices:  # one side stands out: no ellipsoid
        vertex.co.x *= 1.5 if vertex.co.x > 0 else 1
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = armature
    armature.data.bones.active = armature.data.bones["limb-1"]
    bulge.select_set(True)
    assert bpy.ops.supple.add_tissue() == {"FINISHED"}
    assert bulge.supple_helper.shape == "SURFACE"
    given = recipe(armature, mesh, tmp_path)
    entry = next(one for one in given["field"]["tissue"] if one["name"] == bulge.name)
    lines = (tmp_path / entry["surface"]).read_text().splitlines()
    points = np.array([[float(word) for word in line.split()[1:]] for line in lines if line.startswith("v ")])
    assert np.allclose(points.max(axis=0), (0.075, 0.4, 0.05), atol=1e-3)  # where it stands, in the engine's axes
    star = skin_after(armature, mesh, TWIST)
    bulge.supple_helper.margin = 2
    assert np.abs(skin_after(armature, mesh, TWIST) - star).max() > 1e-4
    bulge.supple_helper.shape, bulge.supple_helper.margin = "ELLIPSOID", 3
    assert np.abs(skin_after(armature, mesh, TWIST) - star).max() > 1e-4


def test_alpha_and_beta_by_angle_let_volume_go(limb: Any) -> None:
    armature, mesh = limb
    triangles = plain(armature, mesh).part().triangles
    rest = volume(plain(armature, mesh).part().positions, triangles)
    armature.data.bones.active = armature.data.bones["limb-1"]
    assert bpy.ops.supple.volume_key() == {"FINISHED"} == bpy.ops.supple.volume_key()
    keys = armature.pose.bones["limb-1"].supple_joint.volume
    assert [round(math.degrees(key.angle)) for key in keys] == [0, 45]
    assert abs(volume(skin_after(armature, mesh, BEND), triangles) / rest - 1) < 0.02
    keys[1].angle, keys[1].alpha, keys[1].beta = math.radians(90), 0.0, 0.0
    assert volume(skin_after(armature, mesh, BEND), triangles) < 0.98 * rest
    # At a small angle the first key counts.
    small = {"limb-1": (math.radians(5), 0, 0)}
    assert abs(volume(skin_after(armature, mesh, small), triangles) / rest - 1) < 0.002
    keys[0].alpha, keys[0].beta = 0.9, 0.9
    with pytest.raises(Exception, match="alpha and beta above 1"):
        skin_after(armature, mesh)
    assert bpy.ops.supple.volume_key(remove=0) == {"FINISHED"}
    assert len(keys) == 1


def test_small_steps_are_accurate_and_large_ones_are_for_previews(limb: Any, tmp_path: Path) -> None:
    armature, mesh = limb
    settings = armature.supple_kinodynamics
    settings.step = math.radians(2)
    exact = skin_after(armature, mesh, BEND)
    errors = []
    for degrees in (10, 30, 100):
        settings.step = math.radians(degrees)
        errors.append(np.abs(skin_after(armature, mesh, BEND) - exact).max())
    assert errors[0] < errors[1] < errors[2]
    settings.step, settings.preview_step, settings.preview = math.radians(10), math.radians(100), True
    assert recipe(armature, mesh, tmp_path)["field"]["step"] == pytest.approx(100, abs=1e-3)
    assert np.abs(skin_after(armature, mesh, BEND) - exact).max() == pytest.approx(errors[2], rel=1e-4)


def test_flow_shares_and_hardness_of_bones(limb: Any, tmp_path: Path) -> None:
    armature, mesh = limb
    for bone in armature.pose.bones:
        bone.supple_joint.flow = 0
    linear = linear_skin(armature, mesh, BEND)
    assert np.abs(skin_after(armature, mesh, BEND) - linear).max() < 1e-5
    armature.pose.bones["limb-2"].supple_joint.hardness = "HARD"
    armature.pose.bones["limb-0"].supple_joint.hardness = "SOFT"
    field = recipe(armature, mesh, tmp_path)["field"]
    assert field["hard"] == ["limb-2"] and field["soft"] == ["limb-0"]


def test_chosen_points_are_bound_to_their_bones(limb: Any) -> None:
    armature, mesh = limb
    free = skin_after(armature, mesh, BEND)
    linear = linear_skin(armature, mesh, BEND)
    group = mesh.vertex_groups.new(name=armature.supple_kinodynamics.bound_group)
    chosen = np.argsort(-np.linalg.norm(free - linear, axis=1))[:20]
    group.add([int(one) for one in chosen], 1.0, "REPLACE")
    bound = skin_after(armature, mesh, BEND)
    others = np.setdiff1d(np.arange(len(free)), chosen)
    assert np.abs(bound[chosen] - linear[chosen]).max() < 1e-5
    assert np.abs(bound[others] - free[others]).max() < 1e-6
    assert np.linalg.norm(free[chosen] - linear[chosen], axis=1).min() > 1e-3


def test_limbs_push_flesh_where_contact_is_on(limb: Any) -> None:
    armature, mesh = limb
    folded = {"limb-1": (math.radians(150), 0, 0), "limb-2": (math.radians(100), 0, 0)}  # the end comes back upon the beginning
    free = skin_after(armature, mesh, folded)
    settings = armature.supple_kinodynamics
    settings.contact, settings.step = 1.0, math.radians(10)
    pushed = skin_after(armature, mesh, folded)
    begins = plain(armature, mesh).part().weights[:, plain(armature, mesh).joint("limb-0")] > 0.9
    assert np.linalg.norm(pushed - free, axis=1)[begins].max() > 2e-3


def test_layers_are_switched_on_one_by_one(limb: Any) -> None:
    from supple_blender import kinodynamic

    armature, mesh = limb
    for bone in ("limb-0", "limb-1", "limb-2"):
        add_piece(armature, bone, "tissue")
    add_piece(armature, "limb-2", "muscle")
    shown = {}
    for layer in ("LINEAR", "VOLUME", "TISSUE", "DYNAMICS"):
        armature.supple_kinodynamics.layer = layer
        character = kinodynamic.build(armature, mesh)
        assert ("kinodynamics" in character.deformers) == (layer != "LINEAR")
        if layer != "LINEAR":
            shown[layer] = run_through(character, BEND)
        else:
            shown[layer] = np.array([linear_skin(armature, mesh, BEND)])
    for before, after in (("LINEAR", "VOLUME"), ("VOLUME", "TISSUE"), ("TISSUE", "DYNAMICS")):
        assert np.abs(shown[after][-1] - shown[before][-1] - (shown[after][-1][0] - shown[before][-1][0])).max() > 1e-4, after


def sag(armature: Any, mesh: Any) -> np.ndarray:
    """(V, 3): how far gravity and the like carry the skin away."""
    return skin_after(armature, mesh) - skin_after(armature, mesh, without=True)


def test_density_stiffness_damping_and_radius(limb: Any) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    values = muscle.supple_helper
    values.modelled_gravity, values.gravity = 0, 0.1  # little, so that all is in proportion
    first = np.abs(sag(armature, mesh)).max()
    stiffness = values.stiffness
    assert stiffness == pytest.approx((2 * math.pi * 3) ** 2, rel=1e-5)
    values.stiffness = 2 * stiffness
    assert values.frequency == pytest.approx(3 * math.sqrt(2), rel=1e-5)
    assert np.abs(sag(armature, mesh)).max() == pytest.approx(first / 2, rel=0.05)
    values.stiffness = stiffness
    values.medium_density = 500  # contrast (1000 - 500) / (1000 + 500)
    assert np.abs(sag(armature, mesh)).max() == pytest.approx(first / 3, rel=0.05)
    values.density = 500  # none: it floats
    assert np.abs(sag(armature, mesh)).max() < 1e-3 * first
    values.density, values.medium_density = 1000, 0
    near = (np.linalg.norm(sag(armature, mesh), axis=1) > 1e-7).sum()
    values.reach = 2
    assert (np.linalg.norm(sag(armature, mesh), axis=1) > 1e-7).sum() < near
    values.reach = 4
    values.gravity = values.modelled_gravity = 1

    def last_swing(damping: float) -> float:
        from supple_blender import kinodynamic

        values.damping = damping
        character = kinodynamic.build(armature, mesh)
        skin = supple.Skin(character, blend="kinodynamic")
        rest, frames = character.rest().translations[0].copy(), []
        for frame in range(36):  # moves up for a sixth of a second, and stops
            pose = character.rest()
            up = 0.02 * min(max(frame - 4, 0), 4)
            pose.translations[0] = rest + (0, up, 0)
            frames.append(skin.animate(pose, 1 / 24) - (0, up, 0))
        return float(np.abs(np.array(frames[24:]) - frames[0]).max())

    assert last_swing(1.0) < 0.2 * last_swing(0.05)


def test_gravity_wind_and_environment(limb: Any) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    values, settings, scene = muscle.supple_helper, armature.supple_kinodynamics, bpy.context.scene
    assert np.abs(sag(armature, mesh)).max() < 1e-6  # the skin was modelled under gravity
    values.gravity = 2
    heavy = sag(armature, mesh)
    assert np.abs(heavy).max() > 1e-3
    values.gravity, values.modelled_gravity = 1, 0
    assert np.abs(sag(armature, mesh) - heavy).max() < 1e-5  # one more than the skin knows of, either way
    values.modelled_gravity = 1
    settings.environment = (0, 0, -9.81)
    assert np.abs(sag(armature, mesh) - heavy).max() < 1e-5
    settings.environment = (0, 0, 0)
    fan = bpy.data.objects.new("fan", None)
    bpy.context.collection.objects.link(fan)
    fan.rotation_euler = (math.pi, 0, 0)  # blows down
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = fan
    bpy.ops.object.forcefield_toggle()
    fan.field.type, fan.field.strength = "WIND", 9.81
    assert np.abs(sag(armature, mesh)).max() < 1e-6
    settings.wind = True
    assert np.abs(sag(armature, mesh) - heavy).max() < 1e-5
    settings.wind = False
    before = scene.gravity.copy()
    try:
        scene.gravity = (0, 0, -2 * 9.81)
        assert np.abs(sag(armature, mesh) - heavy).max() < 1e-5
    finally:
        scene.gravity = before


def test_squash_and_stretch_about_an_axis_and_a_centre(limb: Any) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    values = muscle.supple_helper
    values.gravity = values.modelled_gravity = 0
    values.stretch = 0.2 * values.stiffness
    along = sag(armature, mesh)
    values.stretch *= -1
    squashed = sag(armature, mesh)
    assert np.abs(along).max() > 2e-4
    assert (along * squashed).sum() < -0.9 * np.linalg.norm(along) * np.linalg.norm(squashed)  # the other way round
    values.stretch *= -1
    values.stretch_axis = (3, 0, 0)
    assert np.abs(sag(armature, mesh) - along).max() > 1e-4
    values.stretch_axis = (0, 1, 0)
    values.stretch_center = (0, 0.05, 0)
    # About another centre it is pushed as a whole besides, by stretch times the way between.
    moved = sag(armature, mesh)
    values.stretch_center = (0, 0, 0)
    armature.supple_kinodynamics.environment = (0, 0, -values.stretch * 0.05)
    values.gravity = 1
    bpy.context.scene.gravity, before = (0, 0, 0), bpy.context.scene.gravity.copy()
    try:
        assert np.abs(sag(armature, mesh) - moved).max() < 1e-6
    finally:
        bpy.context.scene.gravity = before


def swing(armature: Any, mesh: Any) -> np.ndarray:
    from supple_blender import kinodynamic

    return run_through(kinodynamic.build(armature, mesh), {"limb-0": (0.5, 0, 0)})


def test_life_cancels_the_dynamics_at_one_and_acts_beyond(limb: Any) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.gravity = muscle.supple_helper.modelled_gravity = 0
    passive = swing(armature, mesh)
    muscle.supple_helper.life = 1
    none = swing(armature, mesh)
    armature.supple_kinodynamics.layer = "VOLUME"
    assert np.abs(swing(armature, mesh) - none).max() < 1e-6
    armature.supple_kinodynamics.layer = "DYNAMICS"
    muscle.supple_helper.life = 2
    active = swing(armature, mesh)
    assert np.abs(passive - none).max() > 1e-3
    both = ((passive - none) * (active - none)).sum()
    assert both < -0.5 * np.linalg.norm(passive - none) * np.linalg.norm(active - none)  # leads where it trailed


def test_shear_stiffens(limb: Any) -> None:
    armature, mesh = limb
    muscle = add_piece(armature, "limb-1", "muscle")
    muscle.supple_helper.modelled_gravity = 0
    loose = np.abs(sag(armature, mesh)).max()
    muscle.supple_helper.shear = True
    assert np.abs(sag(armature, mesh)).max() < 0.99 * loose


def test_presets_set_frequency_and_damping(limb: Any) -> None:
    armature, mesh = limb
    pieces = [add_piece(armature, bone, "muscle") for bone in ("limb-1", "limb-2")]
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.supple.muscle_preset(preset="jelly") == {"FINISHED"}
    assert all(one.supple_helper.frequency == pytest.approx(2.2) and one.supple_helper.damping == pytest.approx(0.12) for one in pieces)
    pieces[0].select_set(True)
    bpy.ops.supple.muscle_preset(preset="firm")
    assert [round(one.supple_helper.frequency, 3) for one in pieces] == [7.0, 2.2]


def test_every_property_has_a_tooltip() -> None:
    from supple_blender import kinodynamic_edit, kinodynamic_operators, kinodynamic_settings, piece_settings

    groups = {*kinodynamic_settings.CLASSES, *piece_settings.CLASSES, *kinodynamic_operators.CLASSES, *kinodynamic_edit.CLASSES}
    for group in groups:
        is_operator = issubclass(group, bpy.types.Operator)
        known = getattr(bpy.ops.supple, group.bl_idname.split(".")[1]).get_rna_type() if is_operator else group.bl_rna
        for name in group.__annotations__:
            assert known.properties[name].description, f"{group.__name__}.{name}"
        assert not is_operator or known.description, group.__name__


def test_the_table_of_features_names_tests_that_exist() -> None:
    import re

    folder = Path(__file__).parent
    written = (folder.parents[1] / "docs" / "blender.md").read_text().split("## Kinodynamic skin")[1].split("\n## ")[0]
    named = set(re.findall(r"`(test_\w+)`", written))
    known = set(re.findall(r"^def (test_\w+)", "".join(one.read_text() for one in folder.glob("test_kinodynamic*.py")), re.M))
    rows = [line for line in written.splitlines() if line.startswith("| ")][1:]
    assert len(named) > 20 and named <= known
    assert all("`test_" in row or "the same" in row for row in rows)
