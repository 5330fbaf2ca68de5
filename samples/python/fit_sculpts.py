"""Sculpts of a few poses, as a modeller would save them (.obj files and their poses), become a driven skin."""

import json
from pathlib import Path

import numpy as np

import supple

limb = supple.make.limb(vertices=600).character
limb.save("limb.glb")

# Stand-ins for a modeller's work: the limb in three poses, thicker where it bends.
skin = supple.Skin(limb)
sculpts = Path("sculpts")
sculpts.mkdir(exist_ok=True)
poses = {}
elbow = limb.part().weights[:, limb.joint("limb-1")]
for degrees in (30, 60, 90):
    pose = limb.rest()
    pose.rotate("limb-1", flexion=np.radians(degrees))
    bulge = 0.004 * degrees / 90 * elbow * (1 - elbow) * 4
    points = skin.evaluate(pose) + skin.normals() * bulge[:, None]
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
    lines += [f"f {a} {b} {c}" for a, b, c in limb.part().triangles + 1]
    (sculpts / f"bent-{degrees}.obj").write_text("\n".join(lines) + "\n")
    poses[f"bent-{degrees}"] = {"joints": {"limb-1": {"flexion": degrees}}}
Path("poses.json").write_text(json.dumps({"poses": poses}))

examples = supple.examples.import_("limb.glb", meshes=sculpts, poses="poses.json")
fitted = supple.fit("limb.glb", examples, "limb-skin.glb", report="limb-skin.html", no_pictures=True)
print(fitted.text)
