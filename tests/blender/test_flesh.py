"""Flesh in Blender: proposed, live, tuned, the same however a frame is come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
bpy = pytest.importorskip("bpy", reason="Blender as a module (pip install bpy) is not here")
supple = pytest.importorskip("supple", reason="the package supple is not here")


@pytest.fixture(scope="session")
def figure_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("figure") / "figure.glb"
    supple.make.figure(path, vertices=2000)
    return path


def import_figure(path: Path, clip: str = "run") -> tuple[Any, Any]:
    """An armature that plays a clip, and its mesh, by Blender's importer alone: what any artist has."""
    bpy.context.scene.render.fps = 30  # of the clip's keys, so that its cycle is one of whole frames
    bpy.ops.import_scene.gltf(filepath=str(path))
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.vertex_groups)
    play(armature, clip)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (round(one) for one in armature.animation_data.action.frame_range)
    bpy.context.view_layer.objects.active = armature
    scene.frame_set(scene.frame_start)
    return armature, mesh


def play(armature: Any, clip: str) -> None:
    """The importer stores clips in tracks of the NLA editor."""
    data = armature.animation_data
    data.action = next(track.strips[0].action for track in data.nla_tracks if track.name == clip)
    for track in data.nla_tracks:
        track.mute = True


def shown(mesh: Any) -> Any:
    """(V, 3): the mesh as Blender shows it, in its own space."""
    data = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    points = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def at(frame: float, mesh: Any) -> Any:
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    return shown(mesh)


@pytest.fixture
def soft(figure_file: Path) -> tuple[Any, Any]:
    armature, mesh = import_figure(figure_file)
    assert bpy.ops.supple.flesh_propose(preset="jelly", compare=False) == {"FINISHED"}
    return armature, mesh


def plain(mesh: Any, frame: int) -> Any:
    """Without our modifier."""
    modifier = mesh.modifiers["Supple"]
    modifier.show_viewport = False
    result = at(frame, mesh)
    modifier.show_viewport = True
    return result


def test_flesh_swings_and_scrubbing_is_playing(soft: tuple[Any, Any]) -> None:
    armature, mesh = soft
    assert len(armature.supple.flesh) >= 3 and armature.supple.problem == ""
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_end + 1)
    played = {frame: at(frame, mesh) for frame in frames}
    assert max(np.abs(played[frame] - plain(mesh, frame)).max() for frame in frames) > 0.005
    for frame in [frames[7], frames[2], frames[-1], frames[5]]:
        np.testing.assert_array_equal(at(frame, mesh), played[frame])
    # A run is a cycle: the last frame is the first.
    np.testing.assert_allclose(played[frames[-1]], played[frames[0]], atol=1e-4)


def test_every_frame_is_evaluated_once(soft: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from supple_blender import engine

    _, mesh = soft
    frame = bpy.context.scene.frame_start + 2
    at(frame, mesh)
    shown_frames = []
    monkeypatch.setattr(engine.Layer, "surfaces", lambda self, scene, depsgraph, frame, before=engine.Layer.surfaces: (shown_frames.append(frame), before(self, scene, depsgraph, frame)))
    for wanted in (frame + 1, frame + 2, frame):
        at(wanted, mesh)
    assert shown_frames == [frame + 1, frame + 2, frame]


def test_the_engine_alone_gives_the_same(soft: tuple[Any, Any]) -> None:
    from supple_blender import playing, rig

    armature, mesh = soft
    scene = bpy.context.scene
    layer = playing.layer_of(armature)
    worlds = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        worlds.append(layer.binding.world(armature.evaluated_get(bpy.context.evaluated_depsgraph_get())))
    take = supple.Take(supple.Skin(layer.binding.character), worlds, scene.render.fps, loop="auto")
    for number in (0, 3, 9):
        scene.frame_set(scene.frame_start + number)
        points = rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())
        assert np.abs(points - take.show(number)).max() < 1e-5 * 1.8  # of the figure's size


def test_a_window_forgets_what_was_long_ago(soft: tuple[Any, Any]) -> None:
    armature, mesh = soft
    scene = bpy.context.scene
    armature.supple.dynamics = "WINDOW"
    armature.supple.window = 12
    frame = scene.frame_start + 9
    windowed = at(frame, mesh)
    at(scene.frame_start, mesh)
    at(frame - 1, mesh)
    np.testing.assert_array_equal(at(frame, mesh), windowed)
    armature.supple.window = 0
    still = at(frame, mesh)
    assert np.abs(still - windowed).max() > 0.002
    armature.supple.dynamics = "OFF"
    np.testing.assert_array_equal(at(frame, mesh), still)


def test_settings_are_properties_that_take_keys(soft: tuple[Any, Any]) -> None:
    armature, mesh = soft
    scene = bpy.context.scene
    frame = scene.frame_start + 9
    before = at(frame, mesh)
    element = armature.supple.flesh[0]
    element.frequency = 8.0
    stiff = at(frame, mesh)
    assert np.abs(stiff - before).max() > 1e-3
    armature.supple.loop = "off"
    whole = at(frame, mesh)
    for element in armature.supple.flesh:
        for time, gain in ((scene.frame_start, 0.0), (frame, 1.0)):
            element.gain = gain
            element.keyframe_insert("gain", frame=time)
    armature.supple.gravity = 1.0  # any setting plays the motion anew
    assert np.abs(at(scene.frame_start, mesh) - plain(mesh, scene.frame_start)).max() < 1e-6
    swing = np.abs(whole - plain(mesh, frame)).max()
    assert swing > 0.02 and np.abs(at(frame, mesh) - whole).max() < swing / 2  # limits act on what gain leaves
    armature.animation_data_clear()


def test_a_saved_scene_is_the_same_again(soft: tuple[Any, Any], tmp_path: Path) -> None:
    armature, mesh = soft
    frame = bpy.context.scene.frame_start + 6
    armature.supple.flesh[0].damping = 0.05
    before, without = at(frame, mesh), plain(mesh, frame)
    bpy.context.scene.frame_set(frame)
    path = tmp_path / "soft.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    np.testing.assert_array_equal(shown(mesh), before)  # saving changes nothing on screen
    names = armature.name, mesh.name
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(path)) as (within, _):
        assert within.scenes == ["Scene"]  # nothing of ours to trip over
    bpy.ops.wm.open_mainfile(filepath=str(path))
    armature, mesh = (bpy.data.objects[name] for name in names)
    assert armature.supple.flesh[0].damping == pytest.approx(0.05)
    np.testing.assert_array_equal(shown(mesh), before)
    np.testing.assert_array_equal(at(frame + 1, mesh) * 0 + at(frame, mesh), before)
    assert np.abs(before - without).max() > 1e-3


def test_switched_off_in_the_middle_and_on_again(soft: tuple[Any, Any], addon: Any) -> None:
    _, mesh = soft
    frame = bpy.context.scene.frame_start + 6
    moving, without = at(frame, mesh), plain(mesh, frame)
    bpy.context.scene.frame_set(frame)
    addon.unregister()
    try:
        np.testing.assert_allclose(shown(mesh), without, atol=1e-6)
        np.testing.assert_allclose(at(frame + 1, mesh), plain(mesh, frame + 1), atol=1e-6)
    finally:
        addon.register()
    np.testing.assert_array_equal(at(frame, mesh), moving)


def test_modifiers_after_ours_go_on(soft: tuple[Any, Any]) -> None:
    _, mesh = soft
    frame = bpy.context.scene.frame_start + 6
    moving = at(frame, mesh)
    cast = mesh.modifiers.new("Displace", "DISPLACE")
    cast.direction, cast.mid_level, cast.strength = "Z", 0.0, 0.25
    np.testing.assert_allclose(at(frame, mesh), moving + [0, 0, 0.25], atol=1e-6)
    mesh.modifiers.new("Subdivision", "SUBSURF").levels = 1
    assert len(at(frame, mesh)) > 2 * len(moving)


def test_scaled_turned_and_moved_armatures_swing_too(figure_file: Path) -> None:
    from supple_blender import playing, rig

    armature, mesh = import_figure(figure_file)
    scene = bpy.context.scene
    armature.scale = (0.01, 0.01, 0.01)
    armature.rotation_mode = "XYZ"
    armature.rotation_euler.z = 0.7
    for frame, place in ((scene.frame_start, (3, 4, 0)), (scene.frame_end, (3, 4.004, 0))):
        armature.location = place
        armature.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()
    bpy.ops.supple.flesh_propose(preset="soft", compare=False)
    layer = playing.layer_of(armature)
    assert layer.binding.unit == pytest.approx(0.01)
    worlds = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        worlds.append(layer.binding.world(armature.evaluated_get(bpy.context.evaluated_depsgraph_get())))
    # Where the engine has the joints is where Blender shows the bones, in hundredths.
    head = rig.DOWN @ armature.matrix_world @ armature.pose.bones["hips"].head
    np.testing.assert_allclose(worlds[-1][layer.binding.character.joint("hips")][:3, 3] * 0.01, head, atol=1e-6)
    take = supple.Take(supple.Skin(layer.binding.character), worlds, scene.render.fps, loop="off")
    armature.supple.loop = "off"
    scene.frame_set(scene.frame_start + 8)
    points = rig.evaluated_points(mesh, bpy.context.evaluated_depsgraph_get())
    assert np.abs(points - take.show(8) * 0.01).max() < 2e-6  # single precision, 5 from the origin
    assert np.abs(points - supple.Skin(layer.binding.character).evaluate(layer.pose) * 0.01).max() > 5e-5


def test_two_characters_in_one_scene(figure_file: Path) -> None:
    first = import_figure(figure_file)
    bpy.ops.supple.flesh_propose(preset="jelly")
    frame = bpy.context.scene.frame_start + 6
    alone = at(frame, first[1])
    for one in bpy.data.objects:
        one.select_set(False)
    bpy.ops.import_scene.gltf(filepath=str(figure_file))
    second = next(one for one in bpy.context.selected_objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH" and one.parent == second and one.vertex_groups)
    play(second, "jump")
    bpy.context.view_layer.objects.active = second
    bpy.ops.supple.flesh_propose(preset="firm", compare=False)
    np.testing.assert_allclose(at(frame, first[1]), alone, atol=1e-6)
    assert np.abs(at(frame, mesh) - plain(mesh, frame)).max() > 1e-3


def test_rendering_sees_what_is_on_screen(soft: tuple[Any, Any], tmp_path: Path) -> None:
    _, mesh = soft
    scene = bpy.context.scene
    frame = scene.frame_start + 6
    before = at(frame, mesh)
    seen: dict[int, Any] = {}

    def look(scene: Any, depsgraph: Any = None) -> None:
        evaluated = mesh.evaluated_get(depsgraph or bpy.context.evaluated_depsgraph_get())
        points = np.empty(3 * len(evaluated.data.vertices), np.float32)
        evaluated.data.vertices.foreach_get("co", points)
        seen[scene.frame_current] = points.reshape(-1, 3)

    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 1
    scene.render.resolution_x = scene.render.resolution_y = 16
    scene.render.filepath = str(tmp_path / "frame")
    start, end = scene.frame_start, scene.frame_end
    scene.frame_set(start)
    bpy.app.handlers.render_post.append(look)
    try:
        scene.frame_current = frame
        bpy.ops.render.render(animation=False)
    finally:
        bpy.app.handlers.render_post.remove(look)
    assert (scene.frame_start, scene.frame_end) == (start, end)
    np.testing.assert_array_equal(at(frame, mesh), before)


def test_a_figure_without_flesh_says_so(arm_file: Path) -> None:
    from supple_blender import playing

    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    with pytest.raises(RuntimeError, match="bends no mesh"):
        bpy.ops.supple.flesh_propose()
    with pytest.raises(RuntimeError, match="no layers of Supple"):
        bpy.ops.supple.layers_remove()
    assert playing.layers() == []


def test_a_bone_that_is_gone_is_told(soft: tuple[Any, Any]) -> None:
    armature, mesh = soft
    armature.data.bones[3].name = "renamed"
    frame = bpy.context.scene.frame_start + 6
    points = at(frame, mesh)
    assert "has lost the bone" in armature.supple.problem
    np.testing.assert_allclose(points, plain(mesh, frame), atol=1e-6)


def test_baked_frames_are_the_live_ones_and_need_no_addon(soft: tuple[Any, Any], tmp_path: Path, addon: Any) -> None:
    from supple_blender import offsets

    armature, mesh = soft
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_end + 1)
    live = {frame: at(frame, mesh) for frame in frames}
    assert bpy.ops.supple.bake(folder=str(tmp_path)) == {"FINISHED"}
    assert offsets.is_baked(mesh) and len(list(tmp_path.glob("*.mdd"))) == 1
    assert [one.name for one in bpy.data.scenes] == ["Scene"]
    addon.unregister()
    try:
        for frame in frames:
            np.testing.assert_array_equal(at(frame, mesh), live[frame])
    finally:
        addon.register()
    assert bpy.ops.supple.bake_free() == {"FINISHED"} and not offsets.is_baked(mesh)
    armature.supple.flesh[0].gain = 0.2
    assert np.abs(at(frames[6], mesh) - live[frames[6]]).max() > 1e-3


def test_a_cache_that_cannot_be_written_is_told(soft: tuple[Any, Any], tmp_path: Path) -> None:
    if not bpy.data.filepath:  # an earlier test may have saved the scene
        with pytest.raises(RuntimeError, match="The scene has no file yet"):
            bpy.ops.supple.bake()
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.supple.bake(folder=str(tmp_path / "file" / "deeper"))


def test_flesh_in_bones_is_the_live_flesh(soft: tuple[Any, Any], addon: Any) -> None:
    armature, mesh = soft
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_end + 1)
    live = {frame: at(frame, mesh) for frame in frames}
    before = len(armature.data.bones)
    assert bpy.ops.supple.flesh_bake_bones() == {"FINISHED"}
    assert len(armature.data.bones) > before and "Supple" not in mesh.modifiers
    addon.unregister()
    try:
        for frame in frames:
            np.testing.assert_allclose(at(frame, mesh), live[frame], atol=1e-5)  # single precision, of a body of 1.8 m
    finally:
        addon.register()
    with pytest.raises(RuntimeError, match="There is no flesh to bake"):
        bpy.ops.supple.flesh_bake_bones()


def test_undo_takes_flesh_out_and_redo_brings_it_back(figure_file: Path) -> None:
    armature, mesh = import_figure(figure_file)
    names = armature.name, mesh.name
    frame = bpy.context.scene.frame_start + 6
    bpy.ops.ed.undo_push(message="figure")
    bpy.ops.supple.flesh_propose(preset="jelly", compare=False)
    bpy.ops.ed.undo_push(message="flesh")
    moving = at(frame, mesh)
    if bpy.ops.ed.undo() != {"FINISHED"}:
        pytest.skip("this Blender has no undo without a window")
    armature, mesh = (bpy.data.objects[name] for name in names)
    assert len(armature.supple.flesh) == 0 and "Supple" not in mesh.modifiers
    assert np.abs(at(frame, mesh) - moving).max() > 1e-3
    bpy.ops.ed.redo()
    mesh = bpy.data.objects[names[1]]
    np.testing.assert_array_equal(at(frame, mesh), moving)
