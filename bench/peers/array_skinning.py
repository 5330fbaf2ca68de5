"""What linear blend of a file takes in NumPy and torch, vectorised as body models do it. python array_skinning.py FILE

Prints a list of {"program", "us_per_pose"}, the fastest of several rounds. In an environment with supple, which reads the file."""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Callable

import numpy as np

import supple

POSES = 16
ROUNDS = 7

character = supple.load(sys.argv[1])
clip = character.clips[0]
poses = [character.at(0, clip.start + (clip.end - clip.start) * i / POSES) for i in range(POSES)]
parts = []  # weights, matrices of all poses, points
for part in character.parts:
    if len(part.joints) == 0:
        continue
    points = np.concatenate([part.positions, np.ones((len(part.positions), 1), np.float32)], 1)
    matrices = np.stack([pose.world()[part.joints] @ part.inverse_binds for pose in poses])
    parts.append((part.weights[:, part.joints], matrices.reshape(POSES, -1, 16), points))


def numpy_blend() -> list[Any]:
    return [np.matmul((w @ m).reshape(POSES, -1, 4, 4)[:, :, :3], p[None, :, :, None])[..., 0] for w, m, p in parts]


def us_per_pose(work: Callable[[], Any]) -> float:
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return 1e6 * min(times) / POSES


made = [{"program": f"NumPy {np.__version__}", "us_per_pose": us_per_pose(numpy_blend)}]
try:
    import torch  # type: ignore[import-not-found, unused-ignore]

    tensors = [tuple(torch.from_numpy(array) for array in part) for part in parts]

    def torch_blend() -> list[Any]:
        return [torch.matmul(torch.matmul(w, m).reshape(POSES, -1, 4, 4)[:, :, :3], p[None, :, :, None])[..., 0] for w, m, p in tensors]

    made.append({"program": f"torch {torch.__version__}, CPU", "us_per_pose": us_per_pose(torch_blend)})
except ImportError:
    pass
print(json.dumps(made))
