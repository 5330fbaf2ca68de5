# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel of kinodynamic skin calls: propose, build, remove, proxies."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, FloatProperty

from . import engine, kinodynamic, playing, rig, store
from .jobs import Job, JobOperator
from .kinodynamic_objects import helpers
from .kinodynamic_recipe import write_built
from .kinodynamic_show import bone_frames, remove_helpers, show, with_bones
from .rig import RigError


def find(context: Any) -> tuple[Any, list[Any]]:
    """The armature at hand and its skins. Raises RigError."""
    found = rig.find(context)
    return found.armature, found.meshes


class Refusing:
    """An operator whose `act` may raise RigError, which is told."""

    def execute(self, context: Any) -> set[str]:
        try:
            self.act(context)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class SUPPLE_OT_kinodynamic_propose(JobOperator, bpy.types.Operator):
    """Place muscles, and tissue if wanted, where the skin has flesh: as objects that are parented to bones, to be moved, scaled and tuned"""

    bl_idname = "supple.kinodynamic_propose"
    bl_label = "Propose"
    bl_options = {"REGISTER", "UNDO"}

    tissue: BoolProperty(name="Tissue", description="Also place an ellipsoid of soft tissue along every bone, and take weights from them", default=False)  # type: ignore[valid-type]
    compare: BoolProperty(name="Compare", description="Try the proposal in many poses, and leave out or soften what is worse than plain skinning; takes some seconds", default=True)  # type: ignore[valid-type]
    replace: BoolProperty(name="Replace", description="Delete the tissue and muscles that the character has; otherwise they stay beside the new ones", default=True)  # type: ignore[valid-type]

    def _begin(self, context: Any) -> Job:
        armature, skins = find(context)
        self._armature, self._skins = armature.name, [one.name for one in skins]
        binding = rig.bind(armature, *skins)
        self._frames = bone_frames(armature, binding)
        most = armature.supple_kinodynamics.max_muscles
        with_tissue, compare = self.tissue, self.compare

        def work(told: Any) -> kinodynamic.Proposal:
            return kinodynamic.propose(binding, max_muscles=most, with_tissue=with_tissue, compare=compare, progress=told)

        return Job(work)

    def _finish(self, context: Any, proposal: kinodynamic.Proposal) -> None:
        armature = bpy.data.objects.get(self._armature)
        skins = [bpy.data.objects.get(name) for name in self._skins]
        if armature is None or None in skins:
            raise RigError(f"'{self._armature}' is gone meanwhile: propose again")
        if self.replace:
            remove_helpers(armature)
        shown = show(proposal.recipe, armature, self._frames, skins, context.scene)
        for text in shown.warnings:
            self.report({"WARNING"}, text)
        self.report({"INFO"}, f"{len(helpers(armature, 'MUSCLE'))} muscles and {len(helpers(armature, 'TISSUE'))} pieces of tissue are in the collection Supple")


class SUPPLE_OT_kinodynamic_objects(Refusing, bpy.types.Operator):
    """Show the muscles and the tissue of an imported file as objects, to be changed and built anew"""

    bl_idname = "supple.kinodynamic_objects"
    bl_label = "Objects From File"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: Any) -> None:
        armature = rig.active_armature(context)
        if armature is None or armature.supple.store is None:
            raise RigError("The active object has nothing that came out of a file: click on an armature that was imported with its muscles")
        binding = store.restore(armature.supple.store, armature)
        if "kinodynamics" not in binding.character.deformers:
            raise RigError(f"'{armature.name}' has no kinodynamics: Propose makes some")
        bones = {joint: bone for joint, bone in zip(binding.character.joint_names, binding.bones) if bone is not None}
        recipe = with_bones(kinodynamic.recipe_of(binding.character), bones)
        frames = bone_frames(armature, binding)
        remove_helpers(armature)
        shown = show(recipe, armature, frames, engine.attached(armature), context.scene)
        for text in shown.warnings:
            self.report({"WARNING"}, text)
        self.report({"INFO"}, f"{len(shown.objects)} objects are in the collection Supple")


def shown_meshes(armature: Any, skins: list[Any]) -> list[Any]:
    """What is played: with Fast Preview, of skins that have a proxy that one."""
    if not armature.supple_kinodynamics.preview:
        return skins
    return [skin.supple_proxy or skin for skin in skins]


class SUPPLE_OT_kinodynamic_build(Refusing, bpy.types.Operator):
    """Build the skin from the settings, the tissue and the muscles as they are now, and play it. To be pressed again after these were changed; sliders of muscles that can be keyed need no building"""

    bl_idname = "supple.kinodynamic_build"
    bl_label = "Build"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: Any) -> None:
        armature, skins = find(context)
        meshes = shown_meshes(armature, skins)
        built = kinodynamic.build_bound(armature, *meshes)
        with playing.held():
            for other in engine.attached(armature):
                if other not in meshes:
                    engine.detach(other)
            is_linear = armature.supple_kinodynamics.layer == "LINEAR"
            engine.attach(meshes, built.binding, blend="linear" if is_linear else "kinodynamic")
            write_built(armature)
            for skin in skins:
                if skin.supple_proxy is not None:
                    skin.hide_viewport, skin.supple_proxy.hide_viewport = skin not in meshes, skin in meshes
        playing.forget()
        playing.refresh()
        for one in dict.fromkeys(built.warnings):
            self.report({"WARNING"}, one)
        self.report({"INFO"}, f"Built {', '.join(one.name for one in meshes)}: {len(kinodynamic.muscles(armature))} muscles")


class SUPPLE_OT_kinodynamic_remove(Refusing, bpy.types.Operator):
    """Stop playing the kinodynamic skin and all other layers that the engine moves: plain skinning is shown again. Muscles and tissue stay, to be built again"""

    bl_idname = "supple.kinodynamic_remove"
    bl_label = "Remove"
    bl_options = {"REGISTER", "UNDO"}

    objects: BoolProperty(name="Objects Too", description="Also delete the tissue and the muscles", default=False)  # type: ignore[valid-type]

    def act(self, context: Any) -> None:
        armature, skins = find(context)
        with playing.held():
            for mesh in engine.attached(armature):
                engine.detach(mesh)
            for skin in skins:
                skin.hide_viewport = False
                if skin.supple_proxy is not None:
                    skin.supple_proxy.hide_viewport = True
            armature.supple.flesh.clear()
            context.view_layer.objects.active = armature  # what was active may be one of those that go
            gone = remove_helpers(armature) if self.objects else 0
        playing.forget()
        self.report({"INFO"}, f"Plain skinning is shown; {gone} objects deleted" if gone else "Plain skinning is shown")


class SUPPLE_OT_kinodynamic_proxy(Refusing, bpy.types.Operator):
    """Make a copy of the skin with fewer vertices, bound to the same bones with the same painted groups, that is played instead of it while Fast Preview is on"""

    bl_idname = "supple.kinodynamic_proxy"
    bl_label = "Make Proxy"
    bl_options = {"REGISTER", "UNDO"}

    ratio: FloatProperty(name="Ratio", description="How many of the faces are kept", min=0.01, max=0.9, default=0.25)  # type: ignore[valid-type]

    def act(self, context: Any) -> None:
        armature, skins = find(context)
        for skin in skins:
            make_proxy(skin, self.ratio)
        armature.supple_kinodynamics.preview = True


def make_proxy(skin: Any, ratio: float) -> Any:
    """A coarser copy of a skin; one that is there is replaced."""
    if skin.supple_proxy is not None:
        bpy.data.objects.remove(skin.supple_proxy)
    coarse = skin.copy()
    coarse.data = skin.data.copy()
    coarse.name = f"{skin.name} proxy"
    coarse.animation_data_clear()
    if coarse.data.shape_keys is not None:
        coarse.shape_key_clear()
    for modifier in list(coarse.modifiers):
        coarse.modifiers.remove(modifier)
    for one in skin.users_collection:
        one.objects.link(coarse)
    reduction = coarse.modifiers.new("Decimate", "DECIMATE")
    reduction.ratio = ratio
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    reduced = bpy.data.meshes.new_from_object(coarse.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph)
    before, coarse.data = coarse.data, reduced
    bpy.data.meshes.remove(before)
    coarse.modifiers.clear()
    modifier = coarse.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig.armature_of(skin)
    coarse.hide_render = True
    skin.supple_proxy = coarse
    return coarse


CLASSES = (SUPPLE_OT_kinodynamic_propose, SUPPLE_OT_kinodynamic_objects, SUPPLE_OT_kinodynamic_build, SUPPLE_OT_kinodynamic_remove, SUPPLE_OT_kinodynamic_proxy)
