"""What Blender takes for a frame of a file's clip: its own importer, armatures and nothing of ours. python blender_skinning.py FILE

Prints {"program", "us_per_pose"}, the fastest of many frames. In an environment with bpy."""

from __future__ import annotations

import json
import sys
import time

import bpy

ROUNDS = 100

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=sys.argv[1])
for armature in (one for one in bpy.data.objects if one.type == "ARMATURE" and one.animation_data):
    tracks = armature.animation_data.nla_tracks
    if tracks:
        armature.animation_data.action = tracks[0].strips[0].action
        for track in tracks:
            track.mute = True
for mesh in (one for one in bpy.data.objects if one.type == "MESH" and one.data.shape_keys):
    mesh.shape_key_clear()  # linear blend alone, as of the others
scene = bpy.context.scene
best = float("inf")
for number in range(ROUNDS):
    begin = time.perf_counter()
    scene.frame_set(1 + number % 16)
    best = min(best, time.perf_counter() - begin)
print(json.dumps({"program": f"Blender {bpy.app.version_string}, a frame", "us_per_pose": 1e6 * best}))
