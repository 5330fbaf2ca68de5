"""From scans to a posable hand: volumes of one hand in several poses go in, a rigged character comes out."""

import os

import numpy as np

import supple

# A phantom stands in for a scanner: volumes of a hand in several poses, and a project that names them.
small = {"voxel": 0.9, "noise": 10, "vertices": 3000, "poses": 1, "no_flesh": True} if "SUPPLE_SMALL" in os.environ else {}
scans = supple.scan.phantom("scans", force=True, **small)  # type: ignore[arg-type]
built = supple.scan.build("scans/project.json", "hand.glb", no_pictures=True)
print(built.text)

hand = built.character
pose = hand.rest()
flexible = [joint for joint in hand.joint_names if hand.dofs(joint)]
for joint in flexible:
    name, _axis, _least, most = hand.dofs(joint)[0]
    pose.rotate(joint, **{name: most / 2})
moved = np.linalg.norm(supple.Skin(hand).evaluate(pose) - hand.part().positions, axis=1)
print(f"{len(flexible)} joints bend; skin moves by up to {1000 * moved.max():.0f} mm")
