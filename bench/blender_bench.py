"""What a file's deformers cost in Blender, per frame: drivers, layers that the engine moves, and baking them.

Usage: python bench/blender_bench.py FILE.glb [FRAMES]      in an environment with bpy and supple, see docs/blender.md

Figures of frames are the least of many; "without" is the same file with its drivers muted and its layers off.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import bpy

import addon_utils  # isort: skip: it is there once bpy is


def least(frames: int) -> float:
    """Milliseconds of a frame."""
    best = float("inf")
    scene = bpy.context.scene
    for number in range(frames):
        begin = time.perf_counter()
        scene.frame_set(scene.frame_start + number % (scene.frame_end - scene.frame_start + 1))
        best = min(best, 1000 * (time.perf_counter() - begin))
    return best


def play_first_clip() -> None:
    for armature in (one for one in bpy.data.objects if one.type == "ARMATURE" and one.animation_data and one.animation_data.nla_tracks):
        data = armature.animation_data
        data.action = data.nla_tracks[0].strips[0].action
        for track in data.nla_tracks:
            track.mute = True


def drivers_of(mesh: Any, armature: Any) -> list[Any]:
    owners = [armature, mesh.data.shape_keys]
    return [one for owner in owners if owner is not None and owner.animation_data for one in owner.animation_data.drivers]


def main(path: str, frames: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "supple_blender").symlink_to(Path(__file__).resolve().parents[1] / "apps" / "blender")
        sys.path.insert(0, folder)
        addon_utils.enable("supple_blender", default_set=True)
        from supple_blender import playing, rig

        begin = time.perf_counter()
        bpy.ops.import_scene.supple(filepath=path)
        print(f"import: {time.perf_counter() - begin:.2f} s")
        play_first_clip()
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, 250
        bound = [one for one in bpy.data.objects if one.type == "MESH" and rig.armature_of(one) is not None]
        mesh: Any = max(bound, key=lambda one: len(one.data.vertices))
        armature = rig.armature_of(mesh)
        begin = time.perf_counter()
        scene.frame_set(scene.frame_start)
        print(f"the first frame, for which all 250 are played: {1000 * (time.perf_counter() - begin):.1f} ms")
        live = least(frames)
        share = 0.0
        layer = playing.layer_of(armature)
        if layer is not None:
            begin = time.perf_counter()
            for _ in range(frames):
                layer.show(scene, bpy.context.evaluated_depsgraph_get())
            share = 1000 * (time.perf_counter() - begin) / frames
        drivers = drivers_of(mesh, armature)
        for curve in drivers:
            curve.mute = True
        armature.supple.live = False
        for modifier in [one for one in mesh.modifiers if one.name == "Supple"]:
            modifier.show_viewport = False
        playing.unregister()
        without = least(frames)
        playing.register()
        print(f"a frame of {len(mesh.data.vertices)} vertices: {live:.2f} ms; without our {len(drivers)} drivers and layers {without:.2f}; ours {live - without:.2f}")
        if layer is not None:
            print(f"of that the engine and writing its offsets: {share:.2f} ms")
            armature.supple.live = True
            bpy.context.view_layer.objects.active = armature
            begin = time.perf_counter()
            bpy.ops.supple.bake(folder=folder)
            print(f"250 frames baked: {time.perf_counter() - begin:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100)
