"""What Python costs: import, a call, many poses beside C++, NumPy and torch. One run, ratios.

Usage: python bench/python_bench.py FILE.glb [POSES]    a file with a clip; with supple installed, and build/bench/supple_batch_bench built
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

import supple

ROOT = Path(__file__).resolve().parents[1]


def best(work: Callable[[], Any], runs: int = 15) -> float:
    """Milliseconds of the best of several runs."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return 1000 * min(times)


def imported() -> float:
    script = "import time; t = time.perf_counter(); import supple; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(7)]
    return 1000 * min(float(run.stdout) for run in runs)


def main() -> None:
    file, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 256
    print(f"import supple               {imported():8.1f} ms")

    tiny = supple.Character.from_arrays(np.eye(3), [[0, 1, 2]], ["a"], [-1], [[0, 0, 0]], np.ones((3, 1)))
    skin, pose = supple.Skin(tiny), tiny.rest()
    calls = best(lambda: [skin.evaluate(pose, threads=1) for _ in range(1000)])
    print(f"evaluate of a triangle      {calls:8.3f} us")

    character = supple.load(file)
    skin = supple.Skin(character)
    part = character.part()
    clip = character.clips[0]
    poses = [character.at(0, clip.start + (clip.end - clip.start) * i / count) for i in range(count)]
    rotations = np.stack([pose.rotations for pose in poses])
    ours = best(lambda: skin.evaluate_batch(rotations))
    native = json.loads(
        subprocess.run([str(ROOT / "build/bench/supple_batch_bench"), file, str(count)], capture_output=True, text=True, check=True).stdout
    )
    print(f"{count} poses of {len(part.positions)} vertices, {sorted(character.deformers) or 'linear blend'}")
    print(f"  evaluate_batch            {ours:8.2f} ms")
    print(f"  C++ into a new array      {native['ms_fresh']:8.2f} ms   Python / C++ {ours / native['ms_fresh']:.2f}")
    print(f"  C++ into the same array   {native['ms']:8.2f} ms   Python / C++ {ours / native['ms']:.2f}")
    print(f"  copying the result        {native['copy_ms']:8.2f} ms")

    # plain linear blend of the same hand, vectorised as body models in NumPy and torch do it
    weights = part.weights[:, part.joints]
    inverse = part.inverse_binds
    first = part.first_morph_weight
    morphs = sum(character.rest().morph_weights[first + i] * part.morph(i) for i in range(len(part.morph_names)))
    points = np.concatenate([part.positions + np.float32(morphs), np.ones((len(part.positions), 1), np.float32)], 1)
    matrices = np.stack([pose.world()[part.joints] @ inverse for pose in poses])

    def numpy_blend() -> Any:
        blended = (weights @ matrices.reshape(count, len(part.joints), 16)).reshape(count, -1, 4, 4)
        return np.matmul(blended[:, :, :3], points[None, :, :, None])[..., 0]

    off = supple.Skin(character, off=["drivers", "pose-space", "wrinkles", "delta-mush", "flesh"])
    plain = best(lambda: off.evaluate_batch(rotations))
    difference = np.abs(numpy_blend() - off.evaluate_batch(rotations)).max()
    numpy_time = best(numpy_blend, 3)
    print(f"  linear blend alone        {plain:8.2f} ms")
    print(f"  linear blend in NumPy     {numpy_time:8.2f} ms   {numpy_time / plain:.1f} times as long (differs by {difference:.1e} m)")
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        print("  torch is not installed")
        return
    w, m, p = torch.from_numpy(weights), torch.from_numpy(matrices), torch.from_numpy(points)

    def torch_blend() -> Any:
        blended = torch.matmul(w, m.reshape(count, -1, 16)).reshape(count, -1, 4, 4)
        return torch.matmul(blended[:, :, :3], p[None, :, :, None])[..., 0]

    torch_time = best(torch_blend, 3)
    print(f"  linear blend in torch     {torch_time:8.2f} ms   {torch_time / plain:.1f} times as long")


if __name__ == "__main__":
    main()
