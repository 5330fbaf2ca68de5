"""Example sets, poses with the skin of each: info, check, import.

Made from the program's own description of its commands by apps/python/generate.py: change them there.
"""

from __future__ import annotations

from ._run import Input, Path_, Progress, Result, run


def info(
    folder: Input,
    *,
    list: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Tell what an example set holds.

    Args:
        folder: Folder of an example set
        list: List every example
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["examples", "info"],
        {
            "folder": folder,
            "--threads": threads,
        },
        flags={
            "--list": list,
        },
        progress=progress,
    )


def check(
    folder: Input,
    *,
    model: Input | None = None,
    part: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Check every pose and vertex, and that the set fits a model.

    Args:
        folder: Folder of an example set
        model: Character that the set must belong to (.glb, .gltf)
        part: Part of the model, of a set of one part (default: the one the set names)
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["examples", "check"],
        {
            "folder": folder,
            "--model": model,
            "--part": part,
            "--threads": threads,
        },
        progress=progress,
    )


def import_(
    model: Input,
    output: Path_ | None = None,
    *,
    part: str | None = None,
    meshes: Input | None = None,
    poses: Input | None = None,
    clip: str | None = None,
    cache: Input | None = None,
    morphs: bool = False,
    every: int | None = None,
    fps: float | None = None,
    start: float | None = None,
    z_up: bool = False,
    scale: float | None = None,
    rest: Input | None = None,
    hold_out: float | None = None,
    any_triangles: bool = False,
    origin: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Make an example set from meshes, a vertex cache or morph targets.

    Args:
        model: The rig (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        part: Part, mesh or node that the examples show (default: the first skinned one, or all skin, by the
            vertices there are)
        meshes: Folder of .obj or .ply files, one per pose
        poses: Pose of each mesh or morph target (.json)
        clip: Clip that the cache belongs to: its name or number
        cache: Vertex cache: .mdd, .pc2, or a folder of numbered .obj or .ply files
        morphs: Take the model's own morph targets as sculpts
        every: Take every N-th frame of the cache (1 to 1000000, default 1)
        fps: Frames a second of .pc2 and numbered files (above 0, default 24)
        start: Seconds into the clip of the first frame (default: as the cache says)
        z_up: Meshes and caches have z up, as Blender's own space
        scale: Metres per unit of meshes and caches (above 0, default 1)
        rest: The skin at rest (.obj, .ply) in the order of the files' vertices, where the model's are split or in
            another
        hold_out: Share of a cache's frames that is kept for testing, in blocks; 0: all are learnt from (0 to 0.9,
            default 0.25)
        any_triangles: Do not compare the triangles of meshes with the model's
        origin: Text that says where the examples come from
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["examples", "import"],
        {
            "--model": model,
            "--part": part,
            "--meshes": meshes,
            "--poses": poses,
            "--clip": clip,
            "--cache": cache,
            "--every": every,
            "--fps": fps,
            "--start": start,
            "--scale": scale,
            "--rest": rest,
            "--hold-out": hold_out,
            "--origin": origin,
            "--threads": threads,
        },
        flags={
            "--morphs": morphs,
            "--z-up": z_up,
            "--any-triangles": any_triangles,
        },
        output=output,
        writes="folder",
        progress=progress,
    )
