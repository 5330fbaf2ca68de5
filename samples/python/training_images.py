"""Pictures of hands in random poses with the true places of their joints, as a network that tracks hands wants them."""

import json
import os
from pathlib import Path

import numpy as np

import supple

count, size = (2, 96) if "SUPPLE_SMALL" in os.environ else (200, 256)
hand = supple.make.hand(vertices=1500 if "SUPPLE_SMALL" in os.environ else 10000).character
chance = np.random.default_rng(1)
folder = Path("images")
folder.mkdir(exist_ok=True)

times = np.arange(count, dtype=np.float32)
rotations = []
labels = {}
for number in range(count):
    pose = hand.rest()
    for joint in hand.joint_names:
        for name, _axis, least, most in hand.dofs(joint):
            pose.rotate(joint, **{name: chance.uniform(least, most) * 0.7})
    rotations.append(np.array(pose.rotations))
    labels[f"{number:04}.png"] = dict(zip(hand.joint_names, pose.world()[:, :3, 3].tolist()))
hand.add_clip("random", times, np.stack(rotations))
hand.save("random-hands.glb")
for number in range(count):
    supple.render("random-hands.glb", folder / f"{number:04}.png", clip="random", time=float(number), size=f"{size}x{size}")
(folder / "joints.json").write_text(json.dumps(labels))
print(f"{count} pictures in {folder}")
