"""What drivers of a file cost in Blender, per frame: the least of many frames, with them and with them muted.

Usage: python bench/blender_bench.py SKIN.glb [FRAMES]      in an environment with bpy and supple, see docs/blender.md
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
    """Milliseconds."""
    best = float("inf")
    for frame in range(frames):
        begin = time.perf_counter()
        bpy.context.scene.frame_set(frame)
        best = min(best, 1000 * (time.perf_counter() - begin))
    return best


def main(path: str, frames: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "supple_blender").symlink_to(Path(__file__).resolve().parents[1] / "apps" / "blender")
        sys.path.insert(0, folder)
        addon_utils.enable("supple_blender", default_set=True)
        from supple_blender import rig

        begin = time.perf_counter()
        bpy.ops.import_scene.supple(filepath=path)
        print(f"import: {time.perf_counter() - begin:.2f} s")
        mesh: Any = next(one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys)
        curves = [*rig.armature_of(mesh).animation_data.drivers, *mesh.data.shape_keys.animation_data.drivers]
        live = least(frames)
        for curve in curves:
            curve.mute = True
        muted = least(frames)
        print(f"a frame of {len(mesh.data.vertices)} vertices: {live:.1f} ms, {muted:.1f} with its {len(curves)} drivers muted")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100)
