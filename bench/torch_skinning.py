"""EigenSkin as people write it with torch, for comparison: what supple_cuda_bench measures, of the same size.

Usage: python bench/torch_skinning.py [VERTICES POSES]...    with torch and an NVIDIA GPU; prints milliseconds
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import torch

JOINTS, MODES, CENTRES = 26, 5, 20


class Body:
    """Dense weights of joints and modes, as body models in torch have them: one matrix product blends all."""

    def __init__(self, vertices: int, device: str) -> None:
        made = torch.Generator(device).manual_seed(1)

        def random(*shape: int) -> Any:
            return torch.rand(shape, generator=made, device=device) * 2 - 1

        first = torch.arange(vertices, device=device) * (JOINTS - 3) // vertices
        self.parents = [-1] + [0 if (j - 1) % 5 == 0 else j - 1 for j in range(1, JOINTS)]
        self.translations = 0.1 * random(JOINTS, 3)
        self.weights = torch.zeros(vertices, JOINTS, device=device)
        for i in range(4):
            self.weights[torch.arange(vertices, device=device), first + i] = 0.1 + random(vertices).abs()
        self.weights /= self.weights.sum(1, keepdim=True)
        self.rest = torch.cat([random(vertices, 3), random(vertices, 3)], 1)  # positions and normals
        self.modes = torch.zeros((JOINTS - 3) * MODES, vertices, 6, device=device)
        for m in range(MODES):
            self.modes[first * MODES + m, torch.arange(vertices, device=device)] = 0.01 * random(vertices, 6)
        self.centres = torch.nn.functional.normalize(torch.cat([0.4 * random(JOINTS - 3, CENTRES, 3), torch.ones(JOINTS - 3, CENTRES, 1, device=device)], 2), dim=-1)
        self.coefficients = random(JOINTS - 3, CENTRES, MODES)
        self.inverse = torch.linalg.inv(self.place(torch.tensor([[0.0, 0, 0, 1]], device=device).expand(1, JOINTS, 4))[0])

    def place(self, rotations: Any) -> Any:
        x, y, z, w = rotations.unbind(-1)
        turned = torch.stack(
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
             2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1).unflatten(-1, (3, 3))  # fmt: skip
        local = torch.cat([turned, self.translations[..., None].expand(*rotations.shape[:2], 3, 1)], -1)
        last = torch.tensor([0.0, 0, 0, 1], device=rotations.device).expand(*rotations.shape[:2], 1, 4)
        local = torch.cat([local, last], -2)
        world: list[Any] = []
        for joint, parent in enumerate(self.parents):
            world.append(local[:, joint] if parent < 0 else world[parent] @ local[:, joint])
        return torch.stack(world, 1)

    def __call__(self, rotations: Any) -> tuple[Any, Any]:
        cosine = torch.einsum("bjq,jcq->bjc", rotations[:, : JOINTS - 3], self.centres).abs().clamp(max=1 - 1e-6)
        weights = torch.einsum("bjc,jcm->bjm", torch.exp(-2 * torch.acos(cosine)), self.coefficients).flatten(1)
        rest = self.rest + (weights @ self.modes.flatten(1)).unflatten(1, self.rest.shape)
        matrices = (self.place(rotations) @ self.inverse)[:, :, :3]
        blended = (self.weights @ matrices.flatten(2)).unflatten(2, (3, 4))
        positions = (blended[..., :3] @ rest[..., :3, None])[..., 0] + blended[..., 3]
        normals = (blended[..., :3] @ rest[..., 3:, None])[..., 0]
        return positions, torch.nn.functional.normalize(normals, dim=-1)


def median_ms(work: Callable[[], Any], runs: int = 7) -> float:
    times = []
    for i in range(runs + 2):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        if i > 1:
            times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def measure(skin: Callable[[Any], tuple[Any, Any]], rotations: Any, vertices: int) -> tuple[float, float]:
    """Forward, and forward with backward."""
    slopes = torch.rand(len(rotations), vertices, 3, device=rotations.device)
    with torch.no_grad():
        forward = median_ms(lambda: skin(rotations))
    wanted = rotations.clone().requires_grad_()

    def both() -> None:
        wanted.grad = None
        torch.autograd.backward(list(skin(wanted)), [slopes, slopes])

    return forward, median_ms(both)


def main() -> None:
    sizes = [int(x) for x in sys.argv[1:]] or [10000, 4096, 50000, 1024]
    for vertices, poses in zip(sizes[::2], sizes[1::2]):
        body = Body(vertices, "cuda")
        rotations = torch.nn.functional.normalize(torch.cat([torch.rand(poses, JOINTS, 3, device="cuda") - 0.5, torch.ones(poses, JOINTS, 1, device="cuda")], 2), dim=-1)
        for name, skin in (("torch", body), ("torch.compile", torch.compile(body.__call__))):
            forward, both = measure(skin, rotations, vertices)
            print(f"{vertices} vertices x {poses} poses, {name}: forward {forward:.2f} ms, forward and backward {both:.2f} ms", flush=True)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
