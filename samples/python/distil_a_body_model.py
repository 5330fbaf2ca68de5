"""Any deformer in Python becomes a plain glTF file: here an arm in NumPy whose muscle swells as the elbow bends."""

import os

import numpy as np
from numpy.typing import NDArray

import supple

rings, around = (30, 16) if "SUPPLE_SMALL" in os.environ else (120, 48)

# An arm along y, 0.6 m long: the model's own mesh, joints and weights.
height = np.linspace(0, 0.6, rings)
angle = np.linspace(0, 2 * np.pi, around, endpoint=False)
positions = np.stack(
    [np.tile(0.05 * np.cos(angle), rings), np.repeat(height, around), np.tile(0.05 * np.sin(angle), rings)], 1
).astype(np.float32)
ring, side = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
a, b = (ring * around + side).ravel(), (ring * around + (side + 1) % around).ravel()
sides = np.concatenate([np.stack([a, a + around, b], 1), np.stack([b, a + around, b + around], 1)])
ends = [[[first, first + k, first + k + 1][:: 1 if first == 0 else -1] for k in range(1, around - 1)] for first in (0, (rings - 1) * around)]
triangles = np.concatenate([sides, *np.array(ends)])
lower = np.clip((positions[:, 1] - 0.25) / 0.1, 0, 1)
arm = supple.Character.from_arrays(
    positions, triangles, ["shoulder", "elbow"], [-1, 0], [[0.0, 0, 0], [0, 0.3, 0]], np.stack([1 - lower, lower], 1), "arm"
)

skin = supple.Skin(arm)
muscle = np.exp(-(((positions[:, 1] - 0.18) / 0.06) ** 2)) * (positions[:, 2] > 0)


def body_model(pose: supple.Pose) -> NDArray[np.float32]:
    """The expensive model: linear blend, and a muscle as high as the elbow is bent."""
    bend = 2 * np.arccos(min(1.0, abs(float(pose.rotations[arm.joint("elbow"), 3]))))
    swelling = (0.02 * muscle * bend / np.pi).astype(np.float32)
    surface: NDArray[np.float32] = skin.evaluate(pose) + skin.normals() * swelling[:, None]
    return surface


plan = supple.plan(arm, joints=["elbow"], range=120, per_dof=8)
examples = supple.teach(arm, plan, body_model)
fitted = supple.fit(arm, examples, "arm.glb")
print(fitted.text)
