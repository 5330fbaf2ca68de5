# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples by simulation: flesh over the bones of a character, in poses of the armature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatProperty, IntProperty
from mathutils import Quaternion

from . import examples, rig, shapes
from .jobs import Job, JobOperator
from .rig import RigError

if TYPE_CHECKING:
    import supple

SIZE = 1.8  # metres that the simulated copy of a character measures across: limits of the solver are lengths
ELEMENTS = 6000  # about as many are simulated
ELEMENTS_PER_CUBE = 12  # that a cube of the element size is cut into, about
HELD_WEIGHT = 0.85  # skin that follows one bone by more stays as it was modelled, as in `supple improve`
HELD_MARGIN = 2  # elements between that and other skin
STEPS = 3  # examples on the way to a pose


class SUPPLE_OT_simulate_examples(JobOperator, bpy.types.Operator):
    """Add examples by simulating flesh over the bones. Fit then learns from them; sculpted examples are still hit"""

    bl_idname = "supple.simulate_examples"
    bl_label = "Simulate Examples"
    bl_options = {"REGISTER", "UNDO"}

    poses: EnumProperty(  # type: ignore[valid-type]
        name="Poses",
        items=[
            ("POSE", "This Pose", "The pose that the armature stands in, and some on the way to it"),
            ("FRAMES", "Frames of the Scene", "Poses of the animation, evenly between the first and the last frame of the scene"),
            ("BONES", "Selected Bones", "Each selected bone turned both ways about its axes"),
        ],
        default="POSE",
    )
    count: IntProperty(name="Frames", description="Poses that are taken from the animation", default=12, min=2, max=500)  # type: ignore[valid-type]
    angle: FloatProperty(  # type: ignore[valid-type]
        name="Angle", description="How far selected bones are turned", default=np.radians(90), min=np.radians(5), max=np.radians(170), subtype="ANGLE"
    )

    def _begin(self, context: Any) -> Job:
        armature, mesh = examples.chosen(context)
        self._names = armature.name, mesh.name
        self._binding = rig.bind(armature, mesh)
        copy, self._factor = scaled(self._binding)
        if self.poses == "BONES":
            return simulate_job(copy, joints=self._selected(armature), angle=float(np.degrees(self.angle)))
        rotations, self._labels = self._of_frames(context, armature) if self.poses == "FRAMES" else self._on_the_way(armature, mesh)
        add_clip(copy, self._binding, rotations)
        return simulate_job(copy)

    def _selected(self, armature: Any) -> list[str]:
        # Bones themselves have it until Blender 4.5, bones of the pose since 5.0.
        chosen = [one.name for one in armature.pose.bones if getattr(one, "select", False) or getattr(one.bone, "select", False)]
        if not chosen:
            raise RigError(f"No bone of '{armature.name}' is selected: select those to turn, in pose mode")
        whole = shapes.turning_all(self._binding)
        bad = [name for name in chosen if whole[self._binding.bones.index(name)]]
        if bad:
            raise RigError(f"The bone '{bad[0]}' turns the whole mesh or none of it: select bones that bend the mesh")
        return chosen

    def _on_the_way(self, armature: Any, mesh: Any) -> tuple[np.ndarray, list[str]]:
        """(N, J, 4) and names: the pose that the armature stands in, in even steps from rest, which comes first."""
        shown = examples.shown_rotations(armature)
        name = examples.pose_name(armature, mesh)
        parts = [part / STEPS for part in range(STEPS + 1)]
        rotations = [shapes.joint_rotations(self._binding, {bone: Quaternion().slerp(turn, part) for bone, turn in shown.items()}) for part in parts]
        return np.stack(rotations), [f"{name}, {part:.0%}" for part in parts]

    def _of_frames(self, context: Any, armature: Any) -> tuple[np.ndarray, list[str]]:
        """The same of frames of the scene."""
        scene, now = context.scene, context.scene.frame_current
        frames = np.unique(np.round(np.linspace(scene.frame_start, scene.frame_end, self.count)).astype(int))
        rotations = [self._binding.character.rest().rotations.copy()]
        try:
            for frame in frames:
                scene.frame_set(int(frame))
                rotations.append(shapes.joint_rotations(self._binding, examples.shown_rotations(armature)))
        finally:
            scene.frame_set(now)
        if np.abs(np.stack(rotations) - rotations[0]).max() < 1e-3:
            raise RigError(f"'{armature.name}' stays at rest from frame {scene.frame_start} to {scene.frame_end}: animate it, or simulate a pose")
        return np.stack(rotations), ["rest", *(f"frame {frame}" for frame in frames)]

    def _finish(self, context: Any, found: supple.ExampleSet) -> None:
        armature, mesh = (bpy.data.objects.get(name) for name in self._names)
        if armature is None or mesh is None or len(mesh.data.vertices) != found.positions.shape[1]:
            raise RigError(f"'{self._names[1]}' was changed or deleted meanwhile: simulate again")
        good = [i for i, (usable, role) in enumerate(zip(found.usable, found.roles)) if usable and role == "train"]
        for number in good:
            name = found.names[number]
            if self.poses != "BONES":
                name = self._labels[round(float(name.removesuffix("s").rpartition("@")[2]))]
            self._add(mesh, name, found, number)
        mesh.supple_correct.active = len(mesh.supple_correct.examples) - 1
        bad = sum(role == "train" for role in found.roles) - len(good)
        if not good:
            raise RigError(f"Flesh of '{mesh.name}' turned inside out in every pose: bend its joints less")
        self.report({"INFO"}, f"{len(good)} examples are added, press Fit" + (f"; in {bad} other poses flesh turned inside out" if bad else ""))

    def _add(self, mesh: Any, name: str, found: supple.ExampleSet, number: int) -> None:
        """A simulated example; one of the same name is replaced."""
        settings = mesh.supple_correct
        old = next((one for one in settings.examples if one.kind == "SIMULATED" and one.name == name), None)
        example = old or settings.examples.add()
        example.name, example.kind = name, "SIMULATED"
        example.bones.clear()
        for joint, turn in zip(found.joint_names, found.rotations[number].tolist()):
            if joint not in self._binding.bones or abs(turn[3]) > 1 - 1e-9:
                continue
            x, y, z, w = turn
            own = shapes.axes(self._binding, self._binding.bones.index(joint))
            bone = example.bones.add()
            bone.name = joint
            bone.rotation = bone.shown = own.inverted() @ Quaternion((w, x, y, z)) @ own
        if example.simulated is not None:
            bpy.data.meshes.remove(example.simulated)
        example.simulated = bpy.data.meshes.new(f"{mesh.name} {name}")
        points = found.positions[number] / self._factor @ np.array(rig.UP)[:3, :3].T
        example.simulated.vertices.add(len(points))
        example.simulated.vertices.foreach_set("co", points.astype(np.float32).ravel())


def scaled(binding: rig.Binding) -> tuple[supple.Character, float]:
    """The same character in metres that suit the solver, and what its lengths were multiplied by."""
    import supple

    character, part = binding.character, binding.character.part()
    joints = [joint for joint, bone in enumerate(binding.bones) if bone is not None]
    parents = [joints.index(character.parents[joint]) if character.parents[joint] in joints else -1 for joint in joints]
    factor = SIZE / float(np.linalg.norm(np.ptp(part.positions, axis=0)))
    heads = factor * character.rest().world()[joints, :3, 3]
    names = [character.joint_names[joint] for joint in joints]
    made = supple.Character.from_arrays(factor * part.positions, part.triangles, names, parents, heads, part.weights[:, joints], name=character.name)
    return made, factor


def add_clip(made: supple.Character, binding: rig.Binding, rotations: np.ndarray) -> None:
    """Gives a scaled character the clip "poses", one pose a second: (N, J, 4) of the joints of its original."""
    turned = np.repeat(made.rest().rotations[None], len(rotations), axis=0)
    for joint, bone in enumerate(binding.bones):
        if bone is not None:
            turned[:, made.joint(binding.character.joint_names[joint])] = rotations[:, joint]
    made.add_clip("poses", np.arange(len(rotations), dtype=np.float32), turned)


def simulate_job(character: supple.Character, joints: list[str] | None = None, angle: float = 0.0) -> Job:
    """`supple simulate` in poses of the clip "poses", or with joints turned by an angle, degrees."""
    import supple

    corners = character.part().positions[character.part().triangles].astype(float)
    volume = abs(float(np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum())) / 6
    size = 1000 * max(0.01 * SIZE, (ELEMENTS_PER_CUBE * volume / ELEMENTS) ** (1 / 3))

    def work(told: Any) -> supple.ExampleSet:
        if joints:
            plan = supple.plan(character, joints=joints, range=angle, per_dof=4, between=0, random=0, grips=0, test_grips=0)
        else:
            plan = supple.plan(character, clip="poses", every=1, test_every=1000, clip_only=True)
        flesh = {"close": True, "no_contact": True, "held_weight": HELD_WEIGHT, "held_margin": HELD_MARGIN, "bone_tolerance": 5 * SIZE}
        made = supple.simulate(character, plan=plan, size=size, no_pictures=True, progress=told, **flesh)
        work.keeps = made  # the folder is deleted with it
        return made.examples

    return Job(work)


CLASSES = (SUPPLE_OT_simulate_examples,)
