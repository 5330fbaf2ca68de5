"""Give a file a deformer: flesh, kinodynamics, wrinkles, delta-mush.

Made from the program's own description of its commands by apps/python/generate.py: change them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._run import Input, Path_, Progress, Result, run


def flesh(
    file: Input,
    output: Path_ | None = None,
    *,
    auto: bool = False,
    recipe: Input | None = None,
    element: Sequence[str] | str | None = None,
    save_recipe: Input | None = None,
    preset: str | None = None,
    unit: float | None = None,
    influences: int | None = None,
    rate: float | None = None,
    anchor: Literal["linear", "cubic"] | None = None,
    loop: Literal["auto", "on", "off"] | None = None,
    clip_loop: Sequence[str] | str | None = None,
    hard: Sequence[str] | str | None = None,
    soft: Sequence[str] | str | None = None,
    no_compare: bool = False,
    preroll: float | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Make flesh trail behind the bones: springs, baked into every clip.

    Args:
        file: Rigged character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        auto: Propose elements from skeleton and volumes; without -o the recipe is printed
        recipe: Elements from this JSON file
        element: One element: name=belly,driver=hips,ends=spine+chest,preset=soft or any keys of a recipe; may be
            repeated
        save_recipe: Write the recipe here, to be edited; with nothing else, that of the file
        preset: How all springs feel
        unit: Metres per unit of the file; 0.01 for centimetres (default: as the file says, or by its size) (above
            0)
        influences: Joints per vertex at most; 0: any number (default: 4, or as many as before where that is more)
            (0 to 64)
        rate: Keys a second that are baked (default: the clip's own) (above 0)
        anchor: How bones move between keys (default cubic)
        loop: Close cycles: auto (where a clip ends as it begins), on or off
        clip_loop: The same of one clip: run=on, wave=off; may be repeated
        hard: A joint or part whose skin keeps its shape, besides buckles, plates and heads that are found; may be
            repeated
        soft: A joint or part whose skin is soft, though it looks hard: separate pieces, a head; may be repeated
        no_compare: Do not pose the skin with it and without it, to compare them
        preroll: Seconds that the first pose is held before a clip that does not loop (0 to 60, default 1)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["add", "flesh"],
        {
            "file": file,
            "--recipe": recipe,
            "--element": element,
            "--save-recipe": save_recipe,
            "--preset": preset,
            "--unit": unit,
            "--influences": influences,
            "--rate": rate,
            "--anchor": anchor,
            "--loop": loop,
            "--clip-loop": clip_loop,
            "--hard": hard,
            "--soft": soft,
            "--preroll": preroll,
            "--threads": threads,
        },
        flags={
            "--auto": auto,
            "--no-compare": no_compare,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def kinodynamics(
    file: Input,
    output: Path_ | None = None,
    *,
    auto: bool = False,
    ellipsoids: bool = False,
    painted: bool = False,
    recipe: Input | None = None,
    tissue: Sequence[str] | str | None = None,
    muscle: Sequence[str] | str | None = None,
    max_muscles: int | None = None,
    window: float | None = None,
    save_recipe: Input | None = None,
    unit: float | None = None,
    hard: Sequence[str] | str | None = None,
    soft: Sequence[str] | str | None = None,
    no_compare: bool = False,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Give a rig kinodynamic skin: weights in space, and muscles that swing under it.

    Args:
        file: Rigged character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        auto: Weights by the distance to bones, and muscles where there is flesh; without -o the recipe is printed
        ellipsoids: Weights by an ellipsoid of tissue along every bone instead, to be edited
        painted: Weights by the skin weights of the mesh, carried into space
        recipe: Field and muscles from this JSON file
        tissue: One piece of tissue: name=thigh,joint=leg,center=0+0.2+0,radii=0.2+0.4+0.2 or any keys of a recipe;
            may be repeated
        muscle: One muscle: name=calf,joint=shin,center=0+0.1+0,radii=0.04+0.12+0.04,frequency=4 or any keys of a
            recipe; may be repeated
        max_muscles: How many muscles --auto proposes at most (0 to 64, default 12)
        window: Seconds that muscles remember where a moment of a clip is sought out
        save_recipe: Write the recipe here, to be edited; with nothing else, that of the file
        unit: Metres per unit of the file; 0.01 for centimetres (default: as the file says, or by its size) (above
            0)
        hard: A joint or part whose skin keeps its shape, besides buckles, plates and heads that are found; may be
            repeated
        soft: A joint or part whose skin is soft, though it looks hard: separate pieces, a head; may be repeated
        no_compare: Do not pose the skin with it and without it, to compare them
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["add", "kinodynamics"],
        {
            "file": file,
            "--recipe": recipe,
            "--tissue": tissue,
            "--muscle": muscle,
            "--max-muscles": max_muscles,
            "--window": window,
            "--save-recipe": save_recipe,
            "--unit": unit,
            "--hard": hard,
            "--soft": soft,
            "--threads": threads,
        },
        flags={
            "--auto": auto,
            "--ellipsoids": ellipsoids,
            "--painted": painted,
            "--no-compare": no_compare,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def wrinkles(
    file: Input,
    strip: Sequence[str] | str,
    output: Path_ | None = None,
    *,
    wavelength: float | None = None,
    width: float | None = None,
    height: float | None = None,
    name: str | None = None,
    part: str | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Fold the skin where it is squeezed, in every clip.

    Args:
        file: Rigged character (.glb, .gltf)
        strip: Where the folds lie one behind the other: vertices joined by +, as numbers or as places x,y,z in the
            rest pose; may be repeated
        output: where to write; otherwise a temporary place, see Result.save()
        wavelength: From crest to crest, three edges of the mesh or more (default 0.02)
        width: Of the folds to either side of the strip (default: 1.5 wavelengths)
        height: Of the highest crests (default: a quarter of the wavelength, which makes up for a third of the
            length)
        name: Of the morph targets; those after the first are numbered (default wrinkle)
        part: Part to fold (default: the first skinned one)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["add", "wrinkles"],
        {
            "file": file,
            "--strip": strip,
            "--wavelength": wavelength,
            "--width": width,
            "--height": height,
            "--name": name,
            "--part": part,
            "--threads": threads,
        },
        flags={
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def delta_mush(
    file: Input,
    output: Path_ | None = None,
    *,
    part: str | None = None,
    iterations: int | None = None,
    strength: float | None = None,
    free_borders: bool = False,
    no_compare: bool = False,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Smooth the skin where joints bend it, and keep its detail.

    Args:
        file: Rigged character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        part: The skin, by name (default: the first part bound to joints)
        iterations: Rounds of smoothing: more for finer meshes (1 to 200, default 10)
        strength: How far each goes to the mean of the neighbours (0.01 to 1, default 0.5)
        free_borders: Smooth open edges too; they are kept otherwise
        no_compare: Do not pose the skin with it and without it, to compare them
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["add", "delta-mush"],
        {
            "file": file,
            "--part": part,
            "--iterations": iterations,
            "--strength": strength,
            "--threads": threads,
        },
        flags={
            "--free-borders": free_borders,
            "--no-compare": no_compare,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )
