"""Many poses at once, with gradients: on an NVIDIA GPU, or on the CPU where there is none.

    import supple, torch
    batch = supple.cuda.Batch(supple.load("hand.glb"))
    positions, normals = batch.torch(rotations)          # (B, J, 4) in, (B, V, 3) out: tensors of the batch's device
    loss(positions).backward()                           # rotations.grad

Linear blend, morph targets and drivers (EigenSkin, pose kernel) of one part. Arrays are taken and written by DLPack, without copies;
torch is not needed unless its tensors are given.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Sequence

from . import _core

if TYPE_CHECKING:
    Array = Any  # of NumPy, torch, or anything that speaks DLPack


def available() -> bool:
    """Whether there is a GPU to use, and the package was built for it (-DSUPPLE_CUDA=ON)."""
    return _core.cuda_device_count() > 0


class Batch:
    """One part of a character, its tables on a device. The character may change or go: the batch has its own copy."""

    def __init__(
        self,
        character: _core.Character,
        part: str | int | None = None,
        *,
        device: str | None = None,
        off: Sequence[str] = (),
        given: Sequence[str] = (),
    ) -> None:
        """`device`: "cpu", "cuda" or "cuda:1"; left out, the first GPU, or the CPU where there is none. `off`: layers that stand at rest;
        delta mush, wrinkles and pose spaces have no gradients and must be off where the part has them. `given`: layers that do
        nothing by themselves, so that the weights of their morph targets are the caller's, with gradients: drivers."""
        if device is None:
            device = "cuda" if available() else "cpu"
        kind, _, number = device.partition(":")
        if kind not in ("cpu", "cuda") or (number and not number.isdigit()):
            raise ValueError(f"device: '{device}' is not one of cpu, cuda, cuda:1, ...")
        self.device = device
        self._engine = _core.Batch(character, part, int(number or 0) if kind == "cuda" else -1, list(off), list(given))

    def evaluate(
        self,
        rotations: Array,
        translations: Array | None = None,
        scales: Array | None = None,
        morph_weights: Array | None = None,
        *,
        normals: bool = True,
        out: tuple[Array | None, Array | None] | None = None,
    ) -> tuple[Array, Array | None]:
        """(B, J, 4) local rotations -> positions and normals, each (B, V, 3) float32, arrays of the same library. Translations and scales
        (B, J, 3) and morph weights (B, W) are those of the rest pose where they are left out. Results go into `out` where it is given,
        as it must be with other libraries than NumPy and torch."""
        return self._evaluate(rotations, translations, scales, morph_weights, normals, out)[0]

    def _evaluate(
        self,
        rotations: Array,
        translations: Array | None,
        scales: Array | None,
        morph_weights: Array | None,
        normals: bool,
        out: tuple[Array | None, Array | None] | None,
    ) -> tuple[tuple[Array, Array | None], int]:
        """With the number of the call, by which _gradients() of the same poses need not work on their joints again."""
        engine = self._engine
        if out is None:
            shape = (len(rotations), engine.vertices, 3)
            out = (_empty_like(rotations, shape), _empty_like(rotations, shape) if normals else None)
        pose = (rotations, translations, scales, morph_weights)
        return out, engine.evaluate(*pose, positions=out[0], normals=out[1], stream=_stream_of(rotations))

    def gradients(
        self,
        by_positions: Array | None,
        by_normals: Array | None,
        rotations: Array,
        translations: Array | None = None,
        scales: Array | None = None,
        morph_weights: Array | None = None,
        *,
        wanted: Sequence[bool] = (True, True, True, True),
    ) -> tuple[Array | None, Array | None, Array | None, Array | None]:
        """From the gradient of a loss by positions and normals (B, V, 3) to that by rotations, translations, scales and morph weights, those
        that are `wanted`. It is 0 for morph weights that drivers move. Rotations count as four free numbers: whoever keeps them unit
        quaternions projects."""
        return self._gradients(by_positions, by_normals, (rotations, translations, scales, morph_weights), wanted)

    def _gradients(
        self, by_positions: Array | None, by_normals: Array | None, pose: Sequence[Array | None], wanted: Sequence[bool], call: int = 0
    ) -> tuple[Array | None, Array | None, Array | None, Array | None]:
        engine = self._engine
        rotations: Array = pose[0]
        count = len(rotations)
        shapes = ((count, engine.joints, 4), (count, engine.joints, 3), (count, engine.joints, 3), (count, engine.weights))
        made = [_empty_like(rotations, shape) if want else None for shape, want in zip(shapes, wanted)]
        engine.differentiate(
            by_positions,
            by_normals,
            *pose,
            by_rotations=made[0],
            by_translations=made[1],
            by_scales=made[2],
            by_weights=made[3],
            stream=_stream_of(rotations),
            call=call,
        )
        return made[0], made[1], made[2], made[3]

    def torch(
        self, rotations: Array, translations: Array | None = None, scales: Array | None = None, morph_weights: Array | None = None
    ) -> tuple[Array, Array]:
        """The same for torch's tensors, on the batch's device, as a function that torch differentiates."""
        given = [None if x is None else x.float().contiguous() for x in (rotations, translations, scales, morph_weights)]
        positions, normals = _torch_function().apply(self, *given)
        return positions, normals


def _is_torch(array: Array) -> bool:
    return type(array).__module__.partition(".")[0] == "torch"


def _empty_like(array: Array, shape: tuple[int, ...]) -> Array:
    if _is_torch(array):
        return array.new_empty(shape)
    if type(array).__module__.partition(".")[0] != "numpy":
        raise TypeError("out: must be given for arrays of other libraries than NumPy and torch")
    import numpy as np

    return np.empty(shape, np.float32)


def _stream_of(array: Array) -> int:
    if not _is_torch(array) or not array.is_cuda:
        return 0
    torch = importlib.import_module("torch")
    return int(torch.cuda.current_stream(array.device).cuda_stream)


_function: Any = None


def _torch_function() -> Any:
    """Made when it is first asked for, so that torch is imported by those alone who use it."""
    global _function
    if _function is not None:
        return _function
    torch: Any = importlib.import_module("torch")

    class Skinning(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(ctx: Any, batch: Batch, *pose: Any) -> Any:
            ctx.batch = batch
            ctx.save_for_backward(*pose)
            ctx.set_materialize_grads(False)
            rotations, translations, scales, weights = (None if x is None else x.detach() for x in pose)
            surface, ctx.call = batch._evaluate(rotations, translations, scales, weights, True, None)
            return surface

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator, misc, unused-ignore]
        def backward(ctx: Any, by_positions: Any, by_normals: Any) -> Any:
            slopes = [None if x is None else x.contiguous() for x in (by_positions, by_normals)]
            pose = [None if x is None else x.detach() for x in ctx.saved_tensors]
            return None, *ctx.batch._gradients(*slopes, pose, ctx.needs_input_grad[1:], ctx.call)

    _function = Skinning
    return _function
