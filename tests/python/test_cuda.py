"""Batches with gradients: on the CPU everywhere, on a GPU where there is one; against Skin, finite differences and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple
from conftest import bulge

DEVICES = ["cpu"] + (["cuda"] if supple.cuda.available() else [])


def poses_of(character: supple.Character, count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    turned = np.tile(character.rest().rotations, (count, 1, 1)) + rng.uniform(-0.3, 0.3, (count, len(character.rest()), 4))
    return (turned / np.linalg.norm(turned, axis=2, keepdims=True)).astype(np.float32)


def test_positions_are_those_of_the_skin(limb: supple.Character) -> None:
    rotations = poses_of(limb, 9)
    positions, normals = supple.cuda.Batch(limb, device="cpu").evaluate(rotations)
    wanted, turned = supple.Skin(limb).evaluate_batch(rotations, normals=True)
    assert np.array_equal(positions, wanted) and np.array_equal(normals, turned)


def test_gradients_are_those_of_finite_differences(limb: supple.Character) -> None:
    batch = supple.cuda.Batch(limb, device="cpu")
    rotations = poses_of(limb, 2)
    rng = np.random.default_rng(2)
    shape = (2, len(limb.part().positions), 3)
    by_positions, by_normals = (rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(2))

    def loss() -> np.ndarray:
        positions, normals = batch.evaluate(rotations)
        return np.sum(by_positions.astype(float) * positions + by_normals.astype(float) * normals, axis=(1, 2))

    found, translations, scales, weights = batch.gradients(by_positions, by_normals, rotations, wanted=(True, False, False, True))
    assert translations is None and scales is None and weights.shape == (2, len(limb.rest().morph_weights))
    step = np.float32(1e-3)  # of single precision: what is left is 1e-7 / 1e-3 of the surface, and the step's square
    for joint in range(found.shape[1]):
        for number in range(4):
            before = rotations[:, joint, number].copy()
            rotations[:, joint, number] = before + step
            above = loss()
            rotations[:, joint, number] = before - step
            below = loss()
            rotations[:, joint, number] = before
            np.testing.assert_allclose(found[:, joint, number], (above - below) / (2 * step), atol=2e-3 * np.abs(found).max())


@pytest.fixture(scope="module")
def driven(limb: supple.Character) -> supple.Character:
    plan = supple.plan(limb, per_dof=3, random=6)
    return supple.fit(limb, supple.teach(limb, plan, bulge(limb))).character


def test_weights_of_drivers_may_be_the_callers(driven: supple.Character) -> None:
    weights = np.random.default_rng(3).uniform(-1, 1, (3, len(driven.rest().morph_weights))).astype(np.float32)
    rotations = poses_of(driven, 3)
    batch = supple.cuda.Batch(driven, device="cpu", given=["drivers"])
    positions, _ = batch.evaluate(rotations, morph_weights=weights)
    wanted = supple.Skin(driven, given=["drivers"]).evaluate_batch(rotations, morph_weights=weights)
    assert np.array_equal(positions, wanted)
    assert not np.array_equal(positions, supple.Skin(driven).evaluate_batch(rotations, morph_weights=weights))
    # Positions are linear in the weights, so a difference of any size is the slope.
    by_positions = np.random.default_rng(4).uniform(-1, 1, positions.shape).astype(np.float32)
    slopes = batch.gradients(by_positions, None, rotations, morph_weights=weights, wanted=(False, False, False, True))[3]
    changed = weights.copy()
    changed[:, 0] += 1
    difference = np.sum(by_positions.astype(float) * (batch.evaluate(rotations, morph_weights=changed)[0] - positions), axis=(1, 2))
    np.testing.assert_allclose(slopes[:, 0], difference, atol=1e-4 * np.abs(slopes).max())  # sums of single precision
    assert not supple.cuda.Batch(driven, device="cpu").gradients(by_positions, None, rotations, wanted=(False, False, False, True))[3].any()


def test_what_does_not_fit_is_named(limb: supple.Character) -> None:
    batch = supple.cuda.Batch(limb, device="cpu")
    with pytest.raises(ValueError, match=r"rotations: must have shape \(any, \d+, 4\)"):
        batch.evaluate(np.zeros((2, 1, 4), np.float32))
    with pytest.raises(ValueError, match="rotations: must be an array of float32"):
        batch.evaluate(poses_of(limb, 2).astype(float))
    with pytest.raises(ValueError, match=r"morph_weights: must have shape \(2, "):
        batch.evaluate(poses_of(limb, 2), morph_weights=np.zeros((3, len(limb.rest().morph_weights)), np.float32))
    with pytest.raises(ValueError, match="device: 'gpu'"):
        supple.cuda.Batch(limb, device="gpu")
    with pytest.raises(ValueError, match="off: 'hair'"):
        supple.cuda.Batch(limb, device="cpu", off=["hair"])
    if not supple.cuda.available():
        with pytest.raises(supple.Error):
            supple.cuda.Batch(limb, device="cuda")


def torch_surface(torch: Any, character: supple.Character, rotations: Any) -> tuple[Any, Any]:
    """Linear blend of a part without morph targets, as people write it with torch."""
    part, rest = character.part(), character.rest()
    dtype, device = rotations.dtype, rotations.device

    def tensor(values: Any) -> Any:
        return torch.tensor(np.array(values), dtype=dtype, device=device)

    x, y, z, w = rotations.unbind(-1)
    turned = torch.stack(
        [
            torch.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
            torch.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
            torch.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1),
        ],
        -2,
    )
    translations = tensor(rest.translations).expand(*rotations.shape[:2], 3)
    last = torch.tensor([0, 0, 0, 1], dtype=dtype, device=device).expand(*rotations.shape[:2], 1, 4)
    local = torch.cat([torch.cat([turned, translations[..., None]], -1), last], -2)
    world: list[Any] = []
    for joint, parent in enumerate(character.parents):
        world.append(local[:, joint] if parent < 0 else world[parent] @ local[:, joint])
    matrices = torch.stack(world, 1)[:, list(part.joints)] @ tensor(part.inverse_binds)
    blended = torch.einsum("vj,bjrc->bvrc", tensor(part.weights[:, part.joints]), matrices)
    positions = (blended[..., :3, :3] @ tensor(part.positions)[..., None])[..., 0] + blended[..., :3, 3]
    normals = (blended[..., :3, :3] @ tensor(part.normals)[..., None])[..., 0]
    return positions, normals / normals.norm(dim=-1, keepdim=True)


@pytest.mark.parametrize("device", DEVICES)
def test_torch_differentiates_it_as_its_own_functions(limb: supple.Character, device: str) -> None:
    torch = pytest.importorskip("torch")
    batch = supple.cuda.Batch(limb, device=device)
    ours = torch.tensor(poses_of(limb, 7), device=device, requires_grad=True)
    positions, normals = batch.torch(ours)
    by_positions, by_normals = torch.randn_like(positions), torch.randn_like(normals)
    ((positions * by_positions).sum() + (normals * by_normals).sum()).backward()
    theirs = ours.detach().double().requires_grad_()
    wanted, turned = torch_surface(torch, limb, theirs)
    ((wanted * by_positions).sum() + (turned * by_normals).sum()).backward()
    assert (positions - wanted).abs().max() < 2e-6 * np.ptp(limb.part().positions, axis=0).max()
    assert (normals - turned).abs().max() < 1e-5
    assert (ours.grad - theirs.grad).abs().max() < 2e-5 * theirs.grad.abs().max()


@pytest.mark.parametrize("device", DEVICES)
def test_a_loss_of_positions_alone_needs_no_normals(limb: supple.Character, device: str) -> None:
    torch = pytest.importorskip("torch")
    batch = supple.cuda.Batch(limb, device=device)
    rotations = torch.tensor(poses_of(limb, 3), device=device, requires_grad=True)
    target = batch.torch(torch.tensor(poses_of(limb, 3, seed=5), device=device))[0]
    first = None
    optimizer = torch.optim.Adam([rotations], lr=0.02)
    for _ in range(60):
        optimizer.zero_grad()
        loss = ((batch.torch(rotations / rotations.norm(dim=-1, keepdim=True))[0] - target) ** 2).mean()
        loss.backward()
        optimizer.step()
        first = first or loss.item()
    assert loss.item() < 0.05 * first
