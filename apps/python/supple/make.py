"""Make a rigged model: hand, figure, limb or mushroom.

Made from the program's own description of its commands by apps/python/generate.py: change them there.
"""

from __future__ import annotations

from typing import Literal

from ._run import Path_, Progress, Result, run


def hand(
    output: Path_ | None = None,
    *,
    vertices: int | None = None,
    side: Literal["left", "right"] | None = None,
    no_bones: bool = False,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """A hand with bones, WebXR joints, joint limits and a clip that makes a fist.

    Args:
        output: where to write; otherwise a temporary place, see Result.save()
        vertices: Vertices of the skin, 100 to 200000 (default 10000)
        side: Default right
        no_bones: Leave out the bone surfaces
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["make", "hand"],
        {
            "--vertices": vertices,
            "--side": side,
            "--threads": threads,
        },
        flags={
            "--no-bones": no_bones,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def figure(
    output: Path_ | None = None,
    *,
    vertices: int | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """A whole body with soft flesh, joint limits and clips that walk, run and jump.

    Args:
        output: where to write; otherwise a temporary place, see Result.save()
        vertices: Vertices of the skin, 1000 to 100000 (default 5500)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["make", "figure"],
        {
            "--vertices": vertices,
            "--threads": threads,
        },
        flags={
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def limb(
    output: Path_ | None = None,
    *,
    vertices: int | None = None,
    joints: int | None = None,
    length: float | None = None,
    radius: float | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """A capped cylinder with joints along it.

    Args:
        output: where to write; otherwise a temporary place, see Result.save()
        vertices: Vertices of the skin, about; 50 to 1000000 (default 2000)
        joints: Joints along the limb, 1 to 100 (default 3)
        length: Metres (default 0.6)
        radius: Metres (default 0.05)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["make", "limb"],
        {
            "--vertices": vertices,
            "--joints": joints,
            "--length": length,
            "--radius": radius,
            "--threads": threads,
        },
        flags={
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def mushroom(
    output: Path_ | None = None,
    *,
    vertices: int | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """A stem and a wide cap on one bone, with clips that shake it: flesh to try.

    Args:
        output: where to write; otherwise a temporary place, see Result.save()
        vertices: Vertices of the skin, about; 50 to 1000000 (default 1000)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["make", "mushroom"],
        {
            "--vertices": vertices,
            "--threads": threads,
        },
        flags={
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )
