"""Characters with layers in other files: linked, overridden, copied, undone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")

from test_flesh import at, figure_file, import_figure, plain  # noqa: E402, F401: the fixture is used by name


@pytest.fixture
def library(figure_file: Path, tmp_path: Path) -> tuple[Path, int, Any]:  # noqa: F811
    """A saved file with a figure in a collection, a frame, and what it looks like there."""
    bpy.ops.wm.read_homefile(use_empty=True)
    collection = bpy.data.collections.new("figure")
    bpy.context.scene.collection.children.link(collection)
    armature, mesh = import_figure(figure_file)
    for one in (armature, mesh):
        for other in one.users_collection:
            other.objects.unlink(one)
        collection.objects.link(one)
    bpy.ops.supple.flesh_propose(preset="jelly", compare=False)
    frame = bpy.context.scene.frame_start + 6
    shown = at(frame, mesh)
    assert np.abs(shown - plain(mesh, frame)).max() > 0.005
    path = tmp_path / "library.blend"
    scene = bpy.context.scene
    bounds = scene.frame_start, scene.frame_end
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.render.fps = 30
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = bounds
    return path, frame, shown


def link(path: Path) -> Any:
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["figure"]
    return wanted.collections[0]


def test_linked_characters_are_live(library: tuple[Path, int, Any]) -> None:
    path, frame, expected = library
    collection = link(path)
    bpy.context.scene.collection.children.link(collection)
    mesh = next(one for one in collection.all_objects if one.type == "MESH" and one.vertex_groups)
    assert mesh.library is not None
    np.testing.assert_allclose(at(frame, mesh), expected, atol=1e-6)
    at(frame + 3, mesh)
    np.testing.assert_allclose(at(frame, mesh), expected, atol=1e-6)


def test_overridden_characters_have_settings_of_their_own(library: tuple[Path, int, Any], tmp_path: Path) -> None:
    path, frame, expected = library
    collection = link(path)
    own = collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    armature = next(one for one in own.all_objects if one.type == "ARMATURE")
    mesh = next(one for one in own.all_objects if one.type == "MESH" and one.vertex_groups)
    assert mesh.override_library is not None
    np.testing.assert_allclose(at(frame, mesh), expected, atol=1e-6)
    armature.supple.gravity = 0.0
    changed = at(frame, mesh)
    assert np.abs(changed - expected).max() > 1e-4
    kept = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(kept))
    names = armature.name, mesh.name
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(kept))
    armature, mesh = (next(one for one in bpy.data.objects if one.name == name and one.library is None) for name in names)
    assert armature.supple.gravity == 0.0
    np.testing.assert_allclose(at(frame, mesh), changed, atol=1e-6)


def test_two_overrides_of_one_character_move_separately(library: tuple[Path, int, Any]) -> None:
    path, frame, expected = library
    collection = link(path)
    meshes, armatures = [], []
    for _ in range(2):
        own = collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
        meshes.append(next(one for one in own.all_objects if one.type == "MESH" and one.vertex_groups))
        armatures.append(next(one for one in own.all_objects if one.type == "ARMATURE"))
    assert meshes[0] != meshes[1]
    for element in armatures[1].supple.flesh:
        element.gain = 0.0
    np.testing.assert_allclose(at(frame, meshes[0]), expected, atol=1e-6)
    np.testing.assert_allclose(at(frame, meshes[1]), plain(meshes[1], frame), atol=1e-6)


def test_a_copy_of_a_character_moves_separately(figure_file: Path) -> None:  # noqa: F811
    armature, mesh = import_figure(figure_file)
    bpy.ops.supple.flesh_propose(preset="jelly", compare=False)
    frame = bpy.context.scene.frame_start + 6
    expected = at(frame, mesh)
    for one in bpy.data.objects:
        one.select_set(one in (armature, mesh))
    bpy.ops.object.duplicate()
    copy = next(one for one in bpy.context.selected_objects if one.type == "ARMATURE")
    skin = next(one for one in bpy.context.selected_objects if one.type == "MESH")
    assert copy != armature and skin != mesh
    copy.supple.live = False
    np.testing.assert_allclose(at(frame, mesh), expected, atol=1e-6)
    np.testing.assert_allclose(at(frame, skin), plain(skin, frame), atol=1e-6)
