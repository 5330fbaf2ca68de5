"""Characters that the tests of kinodynamic skin share, and the engine's skin of them."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import supple


def import_figure(path: Any) -> tuple[Any, Any]:
    """The engine's figure through Blender's importer: its armature and its skin, without clips."""
    if not path.exists():
        supple.make.figure(path)
    bpy.ops.import_scene.gltf(filepath=str(path), bone_heuristic="BLENDER")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.vertex_groups)
    armature = mesh.parent
    armature.animation_data_clear()
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.objects.active = armature
    bpy.context.view_layer.update()
    return armature, mesh


METARIG = """
import sys, bpy
import addon_utils
addon_utils.enable("rigify", default_set=True)
bpy.ops.object.armature_basic_human_metarig_add()
bpy.context.view_layer.objects.active.name = "metarig"
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
"""


@functools.cache
def _metarig_file() -> str:
    """Made in a Blender of its own: version 4.2 as a module crashes at its end once rigify was on."""
    path = Path(tempfile.mkdtemp(prefix="supple-metarig-")) / "metarig.blend"
    atexit.register(shutil.rmtree, path.parent)
    done = subprocess.run([sys.executable, "-c", METARIG, str(path)], capture_output=True, text=True)
    assert path.exists(), done.stdout + done.stderr
    return str(path)


def make_rigify_figure() -> tuple[Any, Any]:
    """Rigify's basic human metarig, whose bones have axes of their own and end in .L and .R, in a skin of tubes about its bones.

    Each vertex follows the two bones that are nearest to it.
    """
    with bpy.data.libraries.load(_metarig_file()) as (there, here):
        here.objects = ["metarig"]
    (armature,) = here.objects
    bpy.context.collection.objects.link(armature)
    deforming = [bone for bone in armature.data.bones if not bone.name.startswith(("breast", "pelvis", "heel"))]
    places = [bone.head_local.copy() for bone in deforming] + [bone.tail_local.copy() for bone in deforming]
    points: list[Any] = []
    of_place = []
    for place in places:
        near = next((i for i, one in enumerate(points) if (one - place).length < 0.05), None)  # upper arms begin beyond shoulders
        of_place.append(len(points) if near is None else near)
        if near is None:
            points.append(place)
    edges = {tuple(sorted((of_place[i], of_place[i + len(deforming)]))) for i in range(len(deforming))}
    edges = {(a, b) for a, b in edges if a != b}
    # Shoulders and hips begin away from the spine: they are joined to the nearest place of it.
    spine = {index for i, bone in enumerate(deforming) if bone.name.startswith("spine") for index in (of_place[i], of_place[i + len(deforming)])}
    for i, bone in enumerate(deforming):
        if bone.name.startswith(("shoulder", "thigh")):
            edges.add((min(spine, key=lambda one: (points[one] - places[i]).length), of_place[i]))
    data = bpy.data.meshes.new("skin")
    data.from_pydata(points, sorted(edges), [])
    mesh = bpy.data.objects.new("skin", data)
    bpy.context.collection.objects.link(mesh)
    mesh.modifiers.new("Skin", "SKIN")
    for vertex in data.skin_vertices[0].data:
        vertex.radius = (0.06, 0.06)
    data.skin_vertices[0].data[of_place[0]].use_root = True
    mesh.modifiers.new("Subdivision", "SUBSURF").levels = 2
    remesh = mesh.modifiers.new("Remesh", "REMESH")  # the skin modifier leaves triangles without area
    remesh.mode, remesh.voxel_size = "VOXEL", 0.025
    graph = bpy.context.evaluated_depsgraph_get()
    made = bpy.data.meshes.new_from_object(mesh.evaluated_get(graph))
    mesh.modifiers.clear()
    mesh.data = made
    _bind_to_nearest(armature, mesh, deforming)
    bpy.context.view_layer.objects.active = armature
    bpy.context.view_layer.update()
    return armature, mesh


def _bind_to_nearest(armature: Any, mesh: Any, bones: list[Any]) -> None:
    points = np.array([vertex.co for vertex in mesh.data.vertices])
    distances = []
    for bone in bones:
        a, b = np.array(bone.head_local), np.array(bone.tail_local)
        t = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        distances.append(np.linalg.norm(points - a - t[:, None] * (b - a), axis=1))
    groups = [mesh.vertex_groups.new(name=bone.name) for bone in bones]
    for vertex, row in enumerate(np.array(distances).T):
        near = np.argsort(row)[:2]
        shares = np.exp(-((row[near] / 0.04) ** 2)) + 1e-6
        for bone, share in zip(near, shares / shares.sum()):
            groups[bone].add([vertex], float(share), "REPLACE")
    mesh.parent = armature
    mesh.modifiers.new("Armature", "ARMATURE").object = armature


def run_through(character: Any, turned: dict[str, tuple[float, float, float]], frames: int = 6, shake: float = 0.05) -> np.ndarray:
    """(F, V, 3): joints turn further from frame to frame (rotation vectors, radians at the end) while all is shaken up and down."""
    skin = supple.Skin(character, blend="kinodynamic")
    result = []
    for frame in range(frames):
        pose = character.rest()
        for name, vector in turned.items():
            angle = np.linalg.norm(vector)
            half = 0.5 * angle * frame / (frames - 1)
            pose.rotations[character.joint(name)] = (*(np.array(vector) / angle * np.sin(half)), np.cos(half))
        pose.translations[0] += (0, shake * (frame % 2), 0)
        result.append(skin.animate(pose, 1 / 24).copy())
    return np.array(result)


def import_limb(folder: Any, vertices: int = 600) -> tuple[Any, Any]:
    """A tube with three joints, limb-0 to limb-2, through Blender's importer."""
    path = folder / "limb.glb"
    if not path.exists():
        supple.make.limb(path, vertices=vertices)
    return import_figure(path)


def add_piece(armature: Any, bone: str, kind: str) -> Any:
    """Tissue or a muscle on a bone, as the button makes it."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = armature
    armature.data.bones.active = armature.data.bones[bone]
    before = set(bpy.data.objects)
    assert getattr(bpy.ops.supple, f"add_{kind}")() == {"FINISHED"}
    (made,) = set(bpy.data.objects) - before
    bpy.context.view_layer.update()
    return made


def plain(armature: Any, mesh: Any) -> Any:
    from supple_blender import rig

    return rig.bind(armature, mesh).character


def skin_after(armature: Any, mesh: Any, turned: dict[str, tuple[float, float, float]] | None = None, without: bool = False) -> np.ndarray:
    """(V, 3): the built skin in the pose that is shown, or with joints turned, as it hangs still; `without` leaves out tissue and muscles."""
    from supple_blender import kinodynamic

    settings = armature.supple_kinodynamics
    layer = settings.layer
    if without:
        settings.layer = "VOLUME"
    built = kinodynamic.build_bound(armature, mesh)
    settings.layer = layer
    character, pose = built.character, built.binding.read()
    for name, vector in (turned or {}).items():
        angle = np.linalg.norm(vector)
        pose.rotations[character.joint(name)] = (*(np.array(vector) / angle * np.sin(angle / 2)), np.cos(angle / 2))
    return supple.Skin(character, blend="kinodynamic").evaluate(pose).copy()


def volume(points: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = (points[triangles[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)
