"""Rigs that animators have: Rigify's, before and after it is generated, and one with Mixamo's names, units and axes."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

import scenes  # noqa: E402: it needs bpy
from scenes import HIT  # noqa: E402


def body(rig: Any, bones: list[str], thickness: float) -> Any:
    """A closed mesh about bones, bound to the armature by Blender's automatic weights."""
    import bmesh
    from mathutils import Matrix

    made = bmesh.new()
    for name in bones:
        bone = rig.data.bones[name]
        count = max(1, round(bone.length / (0.7 * thickness)))
        for k in range(count + 1):
            at = Matrix.Translation(bone.head_local.lerp(bone.tail_local, k / count))
            bmesh.ops.create_icosphere(made, subdivisions=1, radius=thickness, matrix=rig.matrix_world @ at)
    balls = bpy.data.meshes.new("body")
    made.to_mesh(balls)
    made.free()
    mesh = bpy.data.objects.new("body", balls)
    bpy.context.collection.objects.link(mesh)
    remesh = mesh.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.6 * thickness * rig.matrix_world.median_scale
    bpy.context.view_layer.update()
    mesh.data = bpy.data.meshes.new_from_object(mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    mesh.modifiers.clear()
    bpy.data.meshes.remove(balls)
    bpy.ops.object.select_all(action="DESELECT")
    for one in (mesh, rig):
        one.select_set(True)
    bpy.context.view_layer.objects.active = rig
    assert bpy.ops.object.parent_set(type="ARMATURE_AUTO") == {"FINISHED"}
    bpy.context.view_layer.objects.active = mesh
    bpy.context.view_layer.update()
    return mesh


def metarig(kind: str = "human") -> Any:
    import addon_utils

    if not hasattr(bpy.types, "OBJECT_OT_armature_human_metarig_add"):
        addon_utils.enable("rigify", default_set=True)
    try:
        getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    except AttributeError:
        pytest.skip("this Blender comes without Rigify")
    rig = bpy.context.object
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


#: Bones of Mixamo, in centimetres, y up: where each begins, and its parent.
MIXAMO = {
    "Hips": ((0, 100, 0), None),
    "Spine": ((0, 110, 0), "Hips"),
    "LeftShoulder": ((5, 145, 0), "Spine"),
    "LeftArm": ((18, 145, 0), "LeftShoulder"),
    "LeftForeArm": ((45, 145, 0), "LeftArm"),
    "LeftHand": ((70, 145, 0), "LeftForeArm"),
    "RightShoulder": ((-5, 145, 0), "Spine"),
    "RightArm": ((-18, 145, 0), "RightShoulder"),
    "RightForeArm": ((-45, 145, 0), "RightArm"),
    "RightHand": ((-70, 145, 0), "RightForeArm"),
}


def mixamo() -> Any:
    rig = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    bpy.context.collection.objects.link(rig)
    rig.rotation_euler.x, rig.scale = np.pi / 2, (0.01, 0.01, 0.01)
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for name, (head, parent) in MIXAMO.items():
        bone = bones.new("mixamorig:" + name)
        child = next((place for place, above in MIXAMO.values() if above == name), None)
        bone.head, bone.tail = head, child or (head[0] * 1.15, head[1], head[2])
        bone.parent = bones["mixamorig:" + parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def elbow(mesh: Any, rig: Any, bone: str) -> np.ndarray:
    """(V,): how near vertices are to where a bone begins, 1 there and 0 a bit away."""
    world = np.array(mesh.matrix_world)
    points = scenes.coordinates(mesh.data.vertices) @ world[:3, :3].T + world[:3, 3]
    head = np.array(rig.matrix_world @ rig.data.bones[bone].head_local)
    return np.exp(-((np.linalg.norm(points - head, axis=1) / 0.06) ** 2))


def check_sculpt(rig: Any, mesh: Any, bone: str, bend: Any) -> None:
    """Sculpts a posed copy about a joint and fits: the mesh looks like it then."""
    at_rest = scenes.shown(mesh)
    bend()
    before = scenes.shown(mesh)
    assert np.abs(before - at_rest).max() > 0.1
    assert bpy.ops.supple.add_example(source="COPY") == {"FINISHED"}
    copy = mesh.supple_correct.examples[-1].mesh
    scale = mesh.matrix_world.median_scale
    scenes.put(copy.data.vertices, scenes.coordinates(copy.data.vertices) + 0.02 / scale * elbow(mesh, rig, bone)[:, None] * np.array((0.3, 0.5, 1)))
    bpy.context.view_layer.update()
    wanted = scenes.shown(copy)
    assert bpy.ops.supple.fit() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert np.abs(scenes.shown(mesh) - wanted).max() < HIT * np.abs(before - wanted).max()


def sides(mesh: Any, rig: Any, left: str, right: str, bend: Any) -> None:
    """A sculpt of the left arm does nothing to the right one, and both may be corrected."""
    check_sculpt(rig, mesh, left, lambda: bend(left))
    scenes.rest(rig)
    bend(right)
    moved = max(abs(one.value) for one in mesh.data.shape_keys.key_blocks if one.name.startswith("Supple "))
    assert moved < 1e-3
    copies = len(mesh.supple_correct.examples)
    bpy.ops.supple.add_example(source="COPY")
    copy = mesh.supple_correct.examples[-1].mesh
    scenes.put(copy.data.vertices, scenes.coordinates(copy.data.vertices) * 1.02)
    assert bpy.ops.supple.fit() == {"FINISHED"} and mesh.supple_correct.fitted == copies + 1
    assert all(one.after < 2 * HIT * one.before for one in mesh.supple_correct.examples)


def test_a_metarig_of_rigify_is_corrected_on_both_sides() -> None:
    rig = metarig()
    mesh = body(rig, ["spine", "spine.001", "spine.002", "spine.003"] + [f"{one}.{side}" for side in "LR" for one in ("shoulder", "upper_arm", "forearm")], 0.05)
    sides(mesh, rig, "forearm.L", "forearm.R", lambda bone: scenes.bend(rig, bone, 80))


def test_a_rig_with_mixamos_names_is_corrected_on_both_sides() -> None:
    rig = mixamo()
    mesh = body(rig, [one.name for one in rig.data.bones], 5)
    sides(mesh, rig, "mixamorig:LeftForeArm", "mixamorig:RightForeArm", lambda bone: scenes.bend(rig, bone, 80, (0, 0, 1)))


def test_a_generated_rig_is_corrected_by_what_its_controls_make_of_it() -> None:
    meta = metarig("basic_human")  # without fingers and face, which take Rigify ten seconds more
    assert bpy.ops.pose.rigify_generate() == {"FINISHED"}
    rig = bpy.context.object
    assert rig != meta and len(rig.data.bones) > 200
    mesh = body(rig, ["DEF-shoulder.L", "DEF-upper_arm.L", "DEF-upper_arm.L.001", "DEF-forearm.L", "DEF-forearm.L.001", "DEF-hand.L"], 0.04)
    assert rig.data.bones["DEF-forearm.L"].bbone_segments > 1  # which bend by themselves
    rig.pose.bones["upper_arm_parent.L"]["IK_FK"] = 1.0
    check_sculpt(rig, mesh, "DEF-forearm.L", lambda: scenes.bend(rig, "forearm_fk.L", 70))
    assert mesh.supple_correct.examples[0].name == "DEF-forearm.L 70"
    values = [one.value for one in mesh.data.shape_keys.key_blocks]
    scenes.bend(rig, "root", 90)  # the whole character turns
    assert np.allclose([one.value for one in mesh.data.shape_keys.key_blocks], values, atol=1e-4)


def test_a_rig_of_several_roots_in_centimetres_is_simulated() -> None:
    rig = mixamo()
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["mixamorig:LeftShoulder"].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = body(rig, ["mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"], 6)
    scenes.bend(rig, "mixamorig:LeftForeArm", 60, (0, 0, 1))
    assert bpy.ops.supple.simulate_examples(poses="POSE") == {"FINISHED"}
    assert bpy.ops.supple.fit() == {"FINISHED"}
    kept = mesh.supple_correct
    assert kept.mean_after < 0.5 * kept.mean_before
    assert 1e-3 < kept.worst_before < 0.06  # metres of the scene: less than the arm is thick


@pytest.mark.parametrize("kind", ["rigify", "mixamo"])
def test_improve_takes_rigs_that_animators_have(kind: str) -> None:
    if kind == "rigify":
        rig, bones, thickness = metarig(), ["upper_arm.L", "forearm.L", "hand.L"], 0.05
    else:
        rig, bones, thickness = mixamo(), ["mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"], 5.0
    mesh = body(rig, bones, thickness)
    before = {one.name for one in bpy.data.objects}
    assert bpy.ops.supple.improve(effort="quick") == {"FINISHED"}
    new = [one for one in bpy.data.objects if one.name not in before]
    better = next(one for one in new if one.type == "MESH" and one.data.shape_keys)
    assert better.data.shape_keys.animation_data.drivers
    assert np.allclose(better.dimensions, mesh.dimensions, rtol=0.2)
