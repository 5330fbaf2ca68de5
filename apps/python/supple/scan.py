"""Build a posable hand from CT scans in several poses.

Made from the program's own description of its commands by apps/python/generate.py: change them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._run import Input, Path_, Progress, Result, run


def inspect(
    path: Input,
    *,
    series: str | None = None,
    preview: Input | None = None,
    labels: Input | None = None,
    label_names: Input | None = None,
    side: Literal["left", "right"] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Tell what is in a scan: series, size, spacing, orientation, values.

    Args:
        path: Folder of DICOM slices, or a .nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz or .dcm
        series: Which of several series: its id, or a part of its id or description
        preview: Picture of the three middle slices, with labels over them (.png)
        labels: What its samples are: .seg.nrrd, .nrrd, .nii.gz, ..., or a DICOM segmentation; lists them, and what
            is made of their names
        label_names: What labels are called: .json, or a table of 3D Slicer or ITK-SNAP
        side: left or right, of a hand with labels (default right)
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["scan", "inspect"],
        {
            "path": path,
            "--series": series,
            "--preview": preview,
            "--labels": labels,
            "--label-names": label_names,
            "--side": side,
            "--threads": threads,
        },
        progress=progress,
    )


def surfaces(
    path: Input,
    output: Path_ | None = None,
    *,
    labels: Input | None = None,
    label_names: Input | None = None,
    side: Literal["left", "right"] | None = None,
    preview: Input | None = None,
    series: str | None = None,
    bone: float | None = None,
    skin: float | None = None,
    marker: float | None = None,
    smallest: float | None = None,
    triangles: int | None = None,
    smooth: int | None = None,
    bone_blur: float | None = None,
    skin_blur: float | None = None,
    label_blur: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Skin and pieces of bone of one scan as STL files, counted, and as a picture.

    Args:
        path: Folder of DICOM slices, or a .nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz or .dcm
        output: where to write; otherwise a temporary place, see Result.save()
        labels: Bones by labels instead of a threshold: .seg.nrrd, .nrrd, .nii.gz, ..., or a DICOM segmentation; the
            path once more: without a scan
        label_names: What labels are called: .json, or a table of 3D Slicer or ITK-SNAP
        side: left or right, of a hand with labels (default right)
        preview: Picture of skin and bones from two sides (.png)
        series: Which of several series: its id, or a part of its id or description
        bone: Where bone begins, in the units of the scan (default: by its histogram)
        skin: Where skin begins (default: by the histogram)
        marker: What is denser is sure to be inside one bone; below --bone: nothing is cut (default: found by
            trying)
        smallest: Drop pieces of bone that are smaller (0 or more, default 60)
        triangles: Reduce each surface to about so many (default: as the samples give it) (100 to 100000000)
        smooth: Passes that take steps and noise away without shrinking (0 to 1000, default 0)
        bone_blur: Gaussian before bone's surfaces are drawn; takes noise away, and a little of the shape (0 to 10,
            default 0.5)
        skin_blur: Gaussian before the skin is drawn (0 to 10, default 0.8)
        label_blur: Gaussian before surfaces of labels are drawn: takes their steps away (0 to 10, default 0.8)
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["scan", "surfaces"],
        {
            "path": path,
            "--labels": labels,
            "--label-names": label_names,
            "--side": side,
            "--preview": preview,
            "--series": series,
            "--bone": bone,
            "--skin": skin,
            "--marker": marker,
            "--smallest": smallest,
            "--triangles": triangles,
            "--smooth": smooth,
            "--bone-blur": bone_blur,
            "--skin-blur": skin_blur,
            "--label-blur": label_blur,
            "--threads": threads,
        },
        output=output,
        writes="folder",
        progress=progress,
    )


def phantom(
    output: Path_ | None = None,
    *,
    bones: Input | None = None,
    joint_space: float | None = None,
    moving_carpals: bool = False,
    voxel: Sequence[float] | float | None = None,
    samples: Sequence[int] | int | None = None,
    noise: float | None = None,
    seed: int | None = None,
    migration: float | None = None,
    touching: bool = False,
    missing: float | None = None,
    table: bool = False,
    crop: float | None = None,
    modality: Literal["ct", "mr"] | None = None,
    labels: Literal["none", "each", "grouped"] | None = None,
    side: Literal["left", "right"] | None = None,
    vertices: int | None = None,
    poses: int | None = None,
    pose_file: Input | None = None,
    element_size: float | None = None,
    no_flesh: bool = False,
    format: Literal["nrrd", "dicom", "both"] | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Write scans of a hand that is known, with the truth beside them: to try the rest on.

    Args:
        output: where to write; otherwise a temporary place, see Result.save()
        bones: Real bones instead of modelled ones: a folder of surfaces named as BodyParts3D's (.stl, millimetres)
        joint_space: Between real bones, whose surfaces touch: cartilage, which a scan does not show, millimetres (0
            to 5, default 1.2)
        moving_carpals: Move every carpal, radius and ulna for itself, with larger motions of the wrist: real bones
            only; off, carpus and forearm are one rigid body each
        voxel: Distance of samples, millimetres: one number, or X,Y,Z; default 0.9 (above 0)
        samples: Columns, rows and slices at least: more air around the hand
        noise: Standard deviation of the noise, Hounsfield units (0 or more, default 30)
        seed: Of the noise, of how the hand lies, and of the poses' angles (0: as listed) (default 1)
        migration: How far joint centres wander over their range, millimetres; 0.5 to 1 is real (0 or more)
        touching: Let neighbouring bones of the palm touch
        missing: Radius of a patch of skin that cannot be seen in the grasp, where two fingers touch, millimetres (0
            or more)
        table: Scan the table under the hand as well, in a field of view of 270 mm
        crop: How much of the forearm every other scan does not show, from the second on, millimetres (0 or more)
        modality: ct, or mr: bone dark and bright, so that no threshold tells it from flesh (default ct)
        labels: Also write what each sample is, as segmentations of 3D Slicer, and have the project use them: each
            bone by itself, or grouped as programs for whole bodies do (default none)
        side: left or right, of modelled bones (default right)
        vertices: Vertices of the skin (default 20000)
        poses: Poses to learn from, beside the relaxed one; two more are held out (1 to 100, default 4)
        pose_file: Poses of your choice instead: {"flexed": {"wrist": {"flexion": 30}}}, degrees from the relaxed
            one; names that begin with "test" are held out (.json)
        element_size: Of the flesh, millimetres (above 0, default 5)
        no_flesh: Bend the skin by linear blending, without simulating flesh: for quick trials
        format: nrrd, dicom or both (default nrrd)
        force: Write over what an earlier call left in the folder
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["scan", "phantom"],
        {
            "--bones": bones,
            "--joint-space": joint_space,
            "--voxel": voxel,
            "--samples": samples,
            "--noise": noise,
            "--seed": seed,
            "--migration": migration,
            "--missing": missing,
            "--crop": crop,
            "--modality": modality,
            "--labels": labels,
            "--side": side,
            "--vertices": vertices,
            "--poses": poses,
            "--pose-file": pose_file,
            "--element-size": element_size,
            "--format": format,
            "--threads": threads,
        },
        flags={
            "--moving-carpals": moving_carpals,
            "--touching": touching,
            "--table": table,
            "--no-flesh": no_flesh,
            "--force": force,
        },
        output=output,
        writes="folder",
        progress=progress,
    )


def build(
    project: Input,
    output: Path_ | None = None,
    *,
    method: Literal["wpsd", "psd", "ssd"] | None = None,
    examples: Input | None = None,
    report: Input | None = None,
    review: Input | None = None,
    no_pictures: bool = False,
    compress: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Build a posable hand from the scans of a project.

    Args:
        project: Project file (.json); decisions are written back into it
        output: where to write; otherwise a temporary place, see Result.save()
        method: What corrects the skin: wpsd, psd, or ssd for nothing; default wpsd
        examples: Also write the fitted skins as an example set, for supple fit
        report: Write a report with pictures of every stage, one HTML file
        review: Write how sure every decision is, what needs a look first (.csv)
        no_pictures: Leave the pictures out of the report
        compress: Write a smaller glTF file: numbers rounded, packed by EXT_meshopt_compression
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["scan", "build"],
        {
            "project": project,
            "--method": method,
            "--examples": examples,
            "--report": report,
            "--review": review,
            "--threads": threads,
        },
        flags={
            "--no-pictures": no_pictures,
            "--compress": compress,
        },
        output=output,
        writes=".glb",
        progress=progress,
    )


def biomechanics(
    project: Input,
    output: Path_ | None = None,
    *,
    clips: Input | None = None,
    rate: float | None = None,
    bone_density: float | None = None,
    flesh_density: float | None = None,
    reference_poses: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Joint angles, axes and kinds, bones with transforms, and models for OpenSim and MuJoCo.

    Args:
        project: Project file (.json), as supple scan build takes it
        output: where to write; otherwise a temporary place, see Result.save()
        clips: Angles of the clips of a hand that was built from the project (.glb, .gltf)
        rate: How many times a second angles of clips are told (above 0, default 30)
        bone_density: Of whole bones with their marrow (above 0, default 1.5)
        flesh_density: Of all that is around them (above 0, default 1.06)
        reference_poses: Also write so many random poses with where bones and landmarks go: to check other programs
            with (0 to 100000)
        threads: Threads to use; results do not depend on it (default: all) (0 to 1024)
        progress: a function of a stage and a fraction, a bar like tqdm's, or True
    """
    return run(
        ["scan", "biomechanics"],
        {
            "project": project,
            "--clips": clips,
            "--rate": rate,
            "--bone-density": bone_density,
            "--flesh-density": flesh_density,
            "--reference-poses": reference_poses,
            "--threads": threads,
        },
        output=output,
        writes="folder",
        progress=progress,
    )
