"""Whole jobs, as the commands of the program.

Made from the program's own description of its commands by apps/python/generate.py: change them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._run import Input, Path_, Progress, Result, run


def improve(
    file: Input,
    output: Path_ | None = None,
    *,
    effort: Literal["quick", "normal", "thorough"] | None = None,
    teacher: Literal["auto", "lattice", "tissue", "pose-space", "delta-mush", "kinodynamics"] | None = None,
    flesh: bool = False,
    part: str | None = None,
    folder: Input | None = None,
    no_report: bool = False,
    no_pictures: bool = False,
    force: bool = False,
    back_end: Literal["local", "slurm"] | None = None,
    slurm_option: Sequence[str] | str | None = None,
    slurm_jobs: int | None = None,
    slurm_poll: float | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Give any rigged character a better skin, or say why not.

    Args:
        file: Rigged character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        effort: How many poses and how fine: a minute, a few, or many (default normal)
        teacher: What shows how skin should move: elastic flesh on a lattice, tissue simulated over bones, or a
            deformer (default: tissue where the file has surfaces of bones, otherwise the lattice)
        flesh: Let body parts swing behind the bones besides, baked into every clip
        part: Part, mesh or node that is the skin (default: all parts bound to joints, but hard ones)
        folder: Where examples are kept for the next call (default: beside the output)
        no_report: No page with figures and pictures beside the output
        no_pictures: A report without pictures
        force: Begin again where that folder holds examples
        back_end: Poses are simulated on this machine's cores (default), or by a Slurm job array
        slurm_option: Passed on to sbatch, such as --slurm-option=--partition=long
        slurm_jobs: Jobs at once at most (default: no limit of ours)
        slurm_poll: Seconds between looks at the queue (0.1 to 3600, default 3)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["improve"],
        {
            "file": file,
            "--effort": effort,
            "--teacher": teacher,
            "--part": part,
            "--folder": folder,
            "--back-end": back_end,
            "--slurm-option": slurm_option,
            "--slurm-jobs": slurm_jobs,
            "--slurm-poll": slurm_poll,
            "--threads": threads,
        },
        flags={
            "--flesh": flesh,
            "--no-report": no_report,
            "--no-pictures": no_pictures,
            "--force": force,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def inspect(
    file: Input,
    *,
    joints: bool = False,
    strict: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Tell what is in a file, what is wrong with it and which engines it fits.

    Args:
        file: File to look at (.glb, .gltf, .obj, .bvh)
        joints: List every joint with its degrees of freedom
        strict: Refuse what would otherwise be repaired
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["inspect"],
        {
            "file": file,
            "--threads": threads,
        },
        flags={
            "--joints": joints,
            "--strict": strict,
        },
        progress=progress,
    )


def render(
    file: Input,
    output: Path_ | None = None,
    *,
    clip: str | None = None,
    time: float | None = None,
    pose: Sequence[str] | str | None = None,
    frames: int | None = None,
    rate: float | None = None,
    view: Sequence[str] | str | None = None,
    size: str | None = None,
    hide: Sequence[str] | str | None = None,
    no_textures: bool = False,
    wireframe: bool = False,
    bones: bool = False,
    opacity: float | None = None,
    map: str | None = None,
    map_max: float | None = None,
    reference: Input | None = None,
    blend: Literal["linear", "dual", "kinodynamic"] | None = None,
    title: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Draw a file, a pose or a clip: a picture, a contact sheet, a GIF or MP4.

    Args:
        file: Character, mesh or skeleton (.glb, .gltf, .obj, .bvh)
        output: where to write; otherwise a temporary place, see Result.save()
        clip: Clip to sample: its name or number
        time: Seconds into the clip (default: its start)
        pose: Turn joints, in degrees: JOINT.DOF=ANGLE with * for any letters, or a JSON file
        frames: A contact sheet of this many poses spread over the clip; of .gif and .mp4 its frames (1 to 2000)
        rate: Frames a second of .gif and .mp4 (default 25) (above 0)
        view: front, back, left, right, top, bottom, three-quarter, three-quarter-back; hands also palm, dorsal,
            thumb, oblique
        size: Pixels of each picture (default 800x800; of .gif and .mp4 480x480)
        hide: Leave out a part, mesh or node of this name, with * for any letters; may be repeated
        no_textures: Draw base colours only
        wireframe: Draw the edges
        bones: Draw the skeleton over the skin
        opacity: Of the skin, 0..1 (0 to 1)
        map: Colours: weights, weights:JOINT, displacement (from rest) or error (to --reference)
        map_max: Upper end of displacement and error, mm (default: the largest) (above 0)
        reference: File for --map error, in the same pose
        blend: Skinning: linear, dual (quaternions) or kinodynamic; default linear
        title: Of a contact sheet
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["render"],
        {
            "file": file,
            "--clip": clip,
            "--time": time,
            "--pose": pose,
            "--frames": frames,
            "--rate": rate,
            "--view": view,
            "--size": size,
            "--hide": hide,
            "--opacity": opacity,
            "--map": map,
            "--map-max": map_max,
            "--reference": reference,
            "--blend": blend,
            "--title": title,
            "--threads": threads,
        },
        flags={
            "--no-textures": no_textures,
            "--wireframe": wireframe,
            "--bones": bones,
        },
        output=output,
        writes=".png",
        progress=progress,
    )


def measure(
    file: Input,
    *,
    clip: str | None = None,
    time: float | None = None,
    pose: Sequence[str] | str | None = None,
    rate: float | None = None,
    blend: Literal["linear", "dual", "kinodynamic"] | None = None,
    interior: int | None = None,
    list: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Measure what a pose or a clip does to the skin.

    Args:
        file: Character (.glb, .gltf)
        clip: Clip to sample: its name or number
        time: Seconds into the clip (default: its start)
        pose: Turn joints, in degrees: JOINT.DOF=ANGLE with * for any letters, or a JSON file
        rate: Frames a second of a clip without --time (default: as its keys ask, 24 to 120) (0.01 to 10000)
        blend: Skinning: linear, dual (quaternions) or kinodynamic; default linear
        interior: Also det J at about this many points inside; of a clip, in the frame with the worst volume (1 to
            1000000)
        list: Crossings to list with --json (default: none but the worst) (0 to 1000000)
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["measure"],
        {
            "file": file,
            "--clip": clip,
            "--time": time,
            "--pose": pose,
            "--rate": rate,
            "--blend": blend,
            "--interior": interior,
            "--list": list,
            "--threads": threads,
        },
        progress=progress,
    )


def compare(
    first: Input,
    second: Input,
    *,
    clip: str | None = None,
    time: float | None = None,
    pose: Sequence[str] | str | None = None,
    blend: Literal["linear", "dual", "kinodynamic"] | None = None,
    reference_blend: Literal["linear", "dual", "kinodynamic"] | None = None,
    max: float | None = None,
    interior: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Measure the difference between two posed characters.

    Args:
        first: File to measure
        second: Reference; the same file with another --reference-blend is fine
        clip: Clip to sample: its name or number
        time: Seconds into the clip (default: its start)
        pose: Turn joints, in degrees: JOINT.DOF=ANGLE with * for any letters, or a JSON file
        blend: Skinning: linear, dual (quaternions) or kinodynamic; default linear
        reference_blend: Skinning: linear, dual (quaternions) or kinodynamic; default linear
        max: Exit with 1 where vertices are farther apart than this many metres (0 or more)
        interior: Also measure det J of the first file's pose at about this many points inside it (1 to 1000000)
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["compare"],
        {
            "first": first,
            "second": second,
            "--clip": clip,
            "--time": time,
            "--pose": pose,
            "--blend": blend,
            "--reference-blend": reference_blend,
            "--max": max,
            "--interior": interior,
            "--threads": threads,
        },
        progress=progress,
    )


def plan(
    file: Input,
    output: Path_ | None = None,
    *,
    joints: Sequence[str] | str | None = None,
    per_dof: int | None = None,
    spacing: float | None = None,
    axes_only: bool = False,
    coupled: int | None = None,
    between: int | None = None,
    random: int | None = None,
    grips: int | None = None,
    test_grips: int | None = None,
    seed: int | None = None,
    scale: float | None = None,
    range: float | None = None,
    examples: Input | None = None,
    adaptive: int | None = None,
    clip: str | None = None,
    every: float | None = None,
    test_every: int | None = None,
    unseen_third: bool = False,
    clip_only: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Plan the poses to simulate or sculpt, from a rig's limits.

    Args:
        file: Character whose joints have limits (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        joints: Only these joints, separated by commas (default: all that have limits)
        per_dof: Training poses along each degree of freedom (1 to 1000, default 6)
        spacing: Degrees between them at least, so that small ranges get fewer (0.1 to 360, default 10)
        axes_only: No combined poses of joints with several degrees of freedom
        coupled: Training poses that turn several joints at once (0 to 100000, default 0)
        between: Test poses per degree of freedom, between training angles (0 to 1000, default 1)
        random: Test poses that turn several joints at once (0 to 100000, default 10)
        grips: Training poses that turn all joints at once: grips, pinches, pointing, spreading; in threes on one
            way (0 to 100000, default 24)
        test_grips: Test poses of that kind (0 to 100000, default 6)
        seed: Of the random poses (default 1)
        scale: Use only this part of the limits (0.01 to 1, default 1)
        range: Degrees each way about x, y and z, for joints named by --joints that have no limits (0 to 180)
        examples: Folder of the examples that there are, for --adaptive
        adaptive: Plan only so many training poses, where a skin of the examples that there are would learn most;
            the file's clips count as much as all other poses (1 to 100000)
        clip: Poses of this clip of the file as test poses besides, by name
        every: Seconds between them (0.001 to 1000, default 0.1)
        test_every: One in N of them is a test pose, the others are learnt from (1 to 1000, default 1)
        unseen_third: Nothing of the last third of the clip is learnt from
        clip_only: Nothing else than the clip
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["plan"],
        {
            "file": file,
            "--joints": joints,
            "--per-dof": per_dof,
            "--spacing": spacing,
            "--coupled": coupled,
            "--between": between,
            "--random": random,
            "--grips": grips,
            "--test-grips": test_grips,
            "--seed": seed,
            "--scale": scale,
            "--range": range,
            "--examples": examples,
            "--adaptive": adaptive,
            "--clip": clip,
            "--every": every,
            "--test-every": test_every,
            "--threads": threads,
        },
        flags={
            "--axes-only": axes_only,
            "--unseen-third": unseen_third,
            "--clip-only": clip_only,
        },
        output=output,
        writes=".json",
        progress=progress,
    )


def simulate(
    file: Input,
    output: Path_ | None = None,
    *,
    deformer: Literal["tissue", "lattice", "pose-space", "delta-mush", "kinodynamics"] | None = None,
    cells: int | None = None,
    plan: Input | None = None,
    joints: Sequence[str] | str | None = None,
    per_dof: int | None = None,
    spacing: float | None = None,
    axes_only: bool = False,
    coupled: int | None = None,
    between: int | None = None,
    random: int | None = None,
    grips: int | None = None,
    test_grips: int | None = None,
    seed: int | None = None,
    scale: float | None = None,
    range: float | None = None,
    adaptive: int | None = None,
    batch: int | None = None,
    enough_error: float | None = None,
    enough_minutes: float | None = None,
    size: float | None = None,
    order: int | None = None,
    poisson: float | None = None,
    material: Sequence[str] | str | None = None,
    law: Literal["stable", "neo-hookean"] | None = None,
    mesh: Input | None = None,
    mesh_scale: float | None = None,
    max_elements: float | None = None,
    bones: Literal["auto", "surfaces", "capsules"] | None = None,
    part: str | None = None,
    bones_part: str | None = None,
    capsule_radius: float | None = None,
    bone_tolerance: float | None = None,
    held_weight: float | None = None,
    held_margin: float | None = None,
    close: bool = False,
    no_contact: bool = False,
    contact_distance: float | None = None,
    step: float | None = None,
    tolerance: float | None = None,
    solver: Literal["cholesky", "cholmod", "calculix"] | None = None,
    back_end: Literal["local", "slurm"] | None = None,
    slurm_option: Sequence[str] | str | None = None,
    slurm_jobs: int | None = None,
    slurm_poll: float | None = None,
    resume: bool = False,
    force: bool = False,
    dry_run: bool = False,
    no_pictures: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Simulate flesh over moving bones, or evaluate a costly skin: a set of example poses.

    Args:
        file: Rigged character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        deformer: Finite elements of flesh over moving bones (default), elastic flesh on a lattice, which any rigged
            character has, or a deformer of the file that costs more than a plain file may
        cells: With --deformer lattice: cells that fill the skin, about (100 to 1000000, default 8000)
        plan: Poses to simulate, from supple plan (default: made from the joint limits; with --deformer lattice from
            limits, anatomy and clips, unless another option says which)
        joints: Only these joints, separated by commas (default: all that have limits)
        per_dof: Training poses along each degree of freedom (1 to 1000, default 6)
        spacing: Degrees between them at least, so that small ranges get fewer (0.1 to 360, default 10)
        axes_only: No combined poses of joints with several degrees of freedom
        coupled: Training poses that turn several joints at once (0 to 100000, default 0)
        between: Test poses per degree of freedom, between training angles (0 to 1000, default 1)
        random: Test poses that turn several joints at once (0 to 100000, default 10)
        grips: Training poses that turn all joints at once: grips, pinches, pointing, spreading; in threes on one
            way (0 to 100000, default 24)
        test_grips: Test poses of that kind (0 to 100000, default 6)
        seed: Of the random poses (default 1)
        scale: Use only this part of the limits (0.01 to 1, default 1)
        range: Degrees each way about x, y and z, for joints named by --joints that have no limits (0 to 180)
        adaptive: After the plan, so many more training poses, chosen in batches where a skin of all examples so far
            would learn most; the file's clips count as much as all other poses (1 to 100000)
        batch: Poses to choose at once (1 to 10000, default 25)
        enough_error: Stop when examples of several joints, left out, come out at this share of linear blend's error
            (0 to 1)
        enough_minutes: Begin no batch after so many minutes (above 0)
        size: Element size, millimetres (above 0, default 5)
        order: 1: linear elements (T4), 2: quadratic (T10): slower, closer to the truth, and up to --poisson .49 (1
            or 2, default 1)
        poisson: Poisson's ratio: the nearer to .5, the better flesh keeps its volume; .47 suits linear elements
            (default 0.47)
        material: YOUNG,POISSON of each region of a volume mesh in turn, such as --material 1,.47 --material 3,.45
        law: Stable Neo-Hookean (default), or the engineers' one that refuses inverted elements
        mesh: Elements from a volume mesher (.msh, .mesh, .vol) instead of our own
        mesh_scale: Metres per unit of that file (above 0, default 1)
        max_elements: Refuse element sizes that would make more (1 to 1000000000, default 2e+06)
        bones: Where the bones come from: surfaces in the file, or capsules fitted to the joints (default: surfaces
            where there are any)
        part: Part, mesh or node that is the skin (default: all skin; of flesh the largest that shares borders)
        bones_part: The part whose surfaces are the bones, for the lattice too (default bones)
        capsule_radius: Of the way from a bone's axis to the skin (0.05 to 0.95, default 0.5)
        bone_tolerance: Millimetres a bone may stick out of the skin (default 1) (above 0)
        held_weight: With capsules: skin that follows one joint by at least this weight stays as it was modelled,
            with the flesh below, such as .95; 0 holds bones alone (0 to 1, default 0)
        held_margin: Elements that such flesh keeps away from all other skin (0 to 100, default 0)
        close: Cap holes of the skin; flesh at the caps follows the nearest bone
        no_contact: Let flesh pass through itself: quicker, and a fist is wrong
        contact_distance: Millimetres at which skins begin to push (default: a tenth of the elements' edges) (above
            0)
        step: Degrees a joint turns at most between two solves (0.1 to 45, default 7.5)
        tolerance: A solve is done when Newton's step is smaller, millimetres (above 0, default 0.005)
        solver: Our own sparse solver (default), CHOLMOD where built with it, or the program ccx as an independent
            check
        back_end: Poses are simulated on this machine's cores (default), or by a Slurm job array
        slurm_option: Passed on to sbatch, such as --slurm-option=--partition=long
        slurm_jobs: Jobs at once at most (default: no limit of ours)
        slurm_poll: Seconds between looks at the queue (0.1 to 3600, default 3)
        resume: Go on where a stopped simulation was; finished poses are kept
        force: Start again in a folder that holds an earlier result
        dry_run: Mesh the body, say what would be done, and stop
        no_pictures: No sheet of the poses
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["simulate"],
        {
            "file": file,
            "--deformer": deformer,
            "--cells": cells,
            "--plan": plan,
            "--joints": joints,
            "--per-dof": per_dof,
            "--spacing": spacing,
            "--coupled": coupled,
            "--between": between,
            "--random": random,
            "--grips": grips,
            "--test-grips": test_grips,
            "--seed": seed,
            "--scale": scale,
            "--range": range,
            "--adaptive": adaptive,
            "--batch": batch,
            "--enough-error": enough_error,
            "--enough-minutes": enough_minutes,
            "--size": size,
            "--order": order,
            "--poisson": poisson,
            "--material": material,
            "--law": law,
            "--mesh": mesh,
            "--mesh-scale": mesh_scale,
            "--max-elements": max_elements,
            "--bones": bones,
            "--part": part,
            "--bones-part": bones_part,
            "--capsule-radius": capsule_radius,
            "--bone-tolerance": bone_tolerance,
            "--held-weight": held_weight,
            "--held-margin": held_margin,
            "--contact-distance": contact_distance,
            "--step": step,
            "--tolerance": tolerance,
            "--solver": solver,
            "--back-end": back_end,
            "--slurm-option": slurm_option,
            "--slurm-jobs": slurm_jobs,
            "--slurm-poll": slurm_poll,
            "--threads": threads,
        },
        flags={
            "--axes-only": axes_only,
            "--close": close,
            "--no-contact": no_contact,
            "--resume": resume,
            "--force": force,
            "--dry-run": dry_run,
            "--no-pictures": no_pictures,
        },
        output=output,
        writes="folder",
        progress=progress,
    )


def fit(
    model: Input,
    examples: Input,
    output: Path_ | None = None,
    *,
    part: str | None = None,
    report: Input | None = None,
    no_pictures: bool = False,
    method: Literal["kernel", "eigenskin-2002", "psd", "wpsd"] | None = None,
    modes: int | None = None,
    error: float | None = None,
    budget: int | None = None,
    targets: int | None = None,
    details: int | None = None,
    detail_reach: float | None = None,
    for_engine: Literal["generic", "three", "babylon", "godot", "unity", "unreal", "bevy", "filament"] | None = None,
    normals: Literal["own", "shared", "none"] | None = None,
    allocation: Literal["faded", "greedy", "equal"] | None = None,
    kernel: Literal["exponential", "gaussian", "linear", "cubic"] | None = None,
    radius: float | None = None,
    support: float | None = None,
    hard_support: bool = False,
    swing_twist: bool = False,
    no_coupling: bool = False,
    refine_weights: bool = False,
    influence: Literal["subtree", "weights"] | None = None,
    pose_radius: float | None = None,
    pose: Sequence[str] | str | None = None,
    weights: Literal["unit", "signed"] | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Learn a skin from examples: a plain glTF file that plays everywhere.

    Args:
        model: Rigged character (.glb, .gltf)
        examples: Folder of examples: supple simulate or supple examples import make one
        output: where to write; otherwise a temporary place, see Result.save()
        part: Part, mesh or node to fit (default: all that the examples show)
        report: Write a report with pictures, one HTML file
        no_pictures: Leave the pictures out of the report
        method: kernel: few local modes driven by all joints together, from any mixture of examples; eigenskin-2002:
            modes of each joint by itself, as the paper; psd: the examples themselves, mixed by the pose; wpsd:
            mixed for each vertex by the joints it feels, live in supple and its studio, psd everywhere else;
            default kernel
        modes: Of eigenskin-2002: the same number of modes for every joint (1 to 12)
        error: As few modes as leave this share of linear blend's error on the training examples (0 to 1)
        budget: Modes that may move one vertex (default 10) (1 to 64)
        targets: Morph targets in all (1 to 4096)
        details: Morph targets of their own for the N examples that modes miss most, which are then hit exactly, as
            examples with the tag 'exact' always are (0 to 1000, default 0)
        detail_reach: Degrees, all joints together, over which such a detail fades (1 to 360, default 20)
        for_engine: Stay within the limits of an engine (default generic: none). three: 4 influences; babylon: 8
            influences; godot: 8 influences; unity: 4 influences; unreal: 8 influences; bevy: 4 influences, 256
            joints in a skin, 64 morph targets; filament: 4 influences, 256 joints in a skin, 256 morph targets
        normals: Normals: shared with positions, own modes (eigenskin-2002 only), or none; default shared
        allocation: Who gets modes: faded (largest gain first; crowded vertices keep their strongest), greedy
            (largest gain that fits every vertex), equal (the paper); default faded
        kernel: Radial basis function; default exponential
        radius: Radius of the kernel in distances between neighbouring examples (0.1 to 1000, default 10)
        support: Displacements below this share of a joint's largest are left out (0.0001 to 0.5, default 0.015)
        hard_support: Cut supports off there, as the paper does (it used 0.04)
        swing_twist: Take twist about the bone and swing apart in distances of poses
        no_coupling: Learn nothing of what joints do together, each by itself
        refine_weights: Fit the skin weights to the examples first, where that brings linear blend nearer to them
        influence: What a joint counts for a vertex: subtree (how much it bends the skin there) or weights (its skin
            weight: the paper); default subtree
        pose_radius: How far an example reaches in the space of poses, degrees (default 300; psd, which adds up all
            joints, 900) (1 to 100000)
        pose: Also a still clip NAME in a pose: NAME=JOINT.DOF=ANGLE,... or NAME=FILE.json
        weights: Morph weights: unit ([0, 1], since some importers clamp) or signed; default unit
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["fit"],
        {
            "model": model,
            "--examples": examples,
            "--part": part,
            "--report": report,
            "--method": method,
            "--modes": modes,
            "--error": error,
            "--budget": budget,
            "--targets": targets,
            "--details": details,
            "--detail-reach": detail_reach,
            "--for-engine": for_engine,
            "--normals": normals,
            "--allocation": allocation,
            "--kernel": kernel,
            "--radius": radius,
            "--support": support,
            "--influence": influence,
            "--pose-radius": pose_radius,
            "--pose": pose,
            "--weights": weights,
            "--threads": threads,
        },
        flags={
            "--no-pictures": no_pictures,
            "--hard-support": hard_support,
            "--swing-twist": swing_twist,
            "--no-coupling": no_coupling,
            "--refine-weights": refine_weights,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def remove(
    kind: Literal["drivers", "pose-space", "wrinkles", "delta-mush", "flesh", "kinodynamics", "all"],
    file: Input,
    output: Path_ | None = None,
    *,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Take deformers out of a file.

    Args:
        kind: What to take out
        file: Rigged character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["remove"],
        {
            "kind": kind,
            "file": file,
            "--threads": threads,
        },
        flags={
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def bind(
    file: Input,
    output: Path_ | None = None,
    *,
    skeleton: Input | None = None,
    influences: int | None = None,
    smoothing: int | None = None,
    power: float | None = None,
    no_compare: bool = False,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Make skin weights from the distance to bones inside the body.

    Args:
        file: Mesh to bind (.glb, .gltf, .obj)
        output: where to write; otherwise a temporary place, see Result.save()
        skeleton: Take the joints from this file (default: the file's own)
        influences: Joints per vertex at most (1 to 64, default 4)
        smoothing: Smoothing steps over the surface (default: as many as its edges ask for) (0 to 1000)
        power: Falloff: weight ~ distance to the bone inside the body ^ -power (default 8, 3 to bone surfaces)
            (above 0)
        no_compare: Do not pose the skin with it and without it, to compare them
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["bind"],
        {
            "file": file,
            "--skeleton": skeleton,
            "--influences": influences,
            "--smoothing": smoothing,
            "--power": power,
            "--threads": threads,
        },
        flags={
            "--no-compare": no_compare,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def pose(
    file: Input,
    output: Path_ | None = None,
    *,
    clip: str | None = None,
    time: float | None = None,
    pose: Sequence[str] | str | None = None,
    bake: bool = False,
    blend: Literal["linear", "dual", "kinodynamic"] | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Pose a character: as a rig in that pose, or baked.

    Args:
        file: Character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        clip: Clip to sample: its name or number
        time: Seconds into the clip (default: its start)
        pose: Turn joints, in degrees: JOINT.DOF=ANGLE with * for any letters, or a JSON file
        bake: Write the deformed surface without the rig (always so for .obj)
        blend: Skinning: linear, dual (quaternions) or kinodynamic; default linear
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["pose"],
        {
            "file": file,
            "--clip": clip,
            "--time": time,
            "--pose": pose,
            "--blend": blend,
            "--threads": threads,
        },
        flags={
            "--bake": bake,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def bake(
    file: Input,
    output: Path_ | None = None,
    *,
    clip: str | None = None,
    rate: float | None = None,
    part: str | None = None,
    blend: Literal["linear", "dual", "kinodynamic"] | None = None,
    no_flesh: bool = False,
    modes: int | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Write the surface of a clip, frame by frame, as a vertex cache.

    Args:
        file: Character (.glb, .gltf)
        output: where to write; otherwise a temporary place, see Result.save()
        clip: Clip to bake: its name or number (default: the only one)
        rate: Frames a second (default: as the clip's keys ask, 24 to 120) (0.01 to 10000)
        part: Part, mesh or node to bake (default: all skinned parts; all parts for .obj files)
        blend: Skinning: linear, dual (quaternions) or kinodynamic; default linear
        no_flesh: Leave out what swings behind the bones: flesh and muscles
        modes: Of a .glb or .gltf file: morph targets that the motion is put into (1 to 1000, default 32)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["bake"],
        {
            "file": file,
            "--clip": clip,
            "--rate": rate,
            "--part": part,
            "--blend": blend,
            "--modes": modes,
            "--threads": threads,
        },
        flags={
            "--no-flesh": no_flesh,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def convert(
    file: Input,
    output: Path_ | None = None,
    *,
    influences: int | None = None,
    motion: Input | None = None,
    map: Input | None = None,
    picture: Input | None = None,
    motion_scale: float | None = None,
    reparent: bool = False,
    parents: Input | None = None,
    unit: float | None = None,
    embed: bool = False,
    strict: bool = False,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Convert between formats; apply a motion; reduce influences; mend a flat skeleton.

    Args:
        file: File to read (.glb, .gltf, .obj, .bvh)
        output: where to write; otherwise a temporary place, see Result.save()
        influences: Reduce skin weights to this many joints per vertex (1 to 64)
        motion: Apply this BVH motion as a clip
        map: JSON {"motion joint": "rig joint"} (default: equal names, or those of known name sets)
        picture: Draw both skeletons, at rest and in the motion (.png)
        motion_scale: Metres per unit of the motion (above 0, default 1)
        reparent: Give joints that all hang on one a tree, by name and place; nothing moves otherwise in any clip
        parents: JSON {"joint": "its parent"}: the tree, or what --reparent gets wrong
        unit: Metres that one unit of the file is, for Supple to remember; 0.01 for centimetres (above 0)
        embed: Put buffers into the .gltf itself
        strict: Refuse what would otherwise be repaired
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["convert"],
        {
            "file": file,
            "--influences": influences,
            "--motion": motion,
            "--map": map,
            "--picture": picture,
            "--motion-scale": motion_scale,
            "--parents": parents,
            "--unit": unit,
            "--threads": threads,
        },
        flags={
            "--reparent": reparent,
            "--embed": embed,
            "--strict": strict,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def subdivide(
    file: Input,
    output: Path_ | None = None,
    *,
    levels: int | None = None,
    part: Sequence[str] | str | None = None,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Make the surface finer: four triangles for each (Loop).

    Args:
        file: Character or mesh (.glb, .gltf, .obj)
        output: where to write; otherwise a temporary place, see Result.save()
        levels: How often: each level makes four triangles of one (1 to 6, default 1)
        part: Only parts of this name; may be repeated (default: all but bone surfaces)
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["subdivide"],
        {
            "file": file,
            "--levels": levels,
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
