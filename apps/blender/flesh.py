# SPDX-License-Identifier: GPL-3.0-or-later
"""Flesh that trails behind the bones: proposed for an armature, tuned by sliders, live while the timeline plays."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty

from . import engine, playing, rig
from .jobs import Job, JobOperator
from .properties import PRESET_ITEMS, PRESETS
from .settings import EARTH


def recipe(armature: Any) -> dict[str, Any]:
    """What `supple add flesh --recipe` reads: the elements of an armature, as they are tuned at this frame."""
    elements = []
    for one in armature.supple.flesh:
        element = json.loads(one.recipe)
        element.pop("preset", None)
        for spring in element.get("springs", [element]):
            spring["frequency"] = spring.get("frequency", one.frequency) * one.frequency / (_spring(element)[0] or one.frequency)
            spring["damping_ratio"] = one.damping
        element |= {"gravity": one.gravity * armature.supple.gravity, "gain": one.gain}
        elements.append(element)
    return {"flesh_recipe": 1, "elements": elements}


def recipe_of(character: Any) -> dict[str, Any]:
    """Of a character that has flesh."""
    import supple

    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        path = Path(folder) / "flesh.json"
        supple.add.flesh(character, save_recipe=path)
        return json.loads(path.read_text())


def _job(binding: rig.Binding, preset: str, compare: bool) -> Job:
    import supple

    def work(told: Any) -> Any:
        with tempfile.TemporaryDirectory(prefix="supple-") as folder:
            path = Path(folder) / "flesh.json"
            plain = binding.character
            if plain.deformers.get("flesh"):
                plain = supple.remove("flesh", plain).character
            made = supple.add.flesh(plain, auto=True, preset=preset, unit=binding.unit, influences=0, no_compare=not compare, save_recipe=path, progress=told)
            elements = json.loads(path.read_text())["elements"]
        if not elements:
            raise rig.RigError(f"'{binding.armature.name}' has no flesh that could swing: its limbs are too thin")
        return made.character, elements, made.text

    return Job(work)


def _spring(element: dict[str, Any]) -> tuple[float | None, float | None]:
    """Frequency and damping of an element's first spring, where they are said."""
    first = (element.get("springs") or [element])[0]
    return first.get("frequency"), first.get("damping_ratio")


def put(armature: Any, elements: list[dict[str, Any]], preset: str) -> None:
    """Fills an armature's list of elements."""
    with playing.held():
        armature.supple.flesh.clear()
        for element in elements:
            one = armature.supple.flesh.add()
            one.name, one.driver, one.recipe = element["name"], element["driver"], json.dumps(element)
            fallback = PRESETS[element.get("preset", preset)]
            one.frequency, one.damping = (said if said is not None else other for said, other in zip(_spring(element), fallback))
            gravity = element.get("gravity", 1.0)
            one.gravity = gravity if isinstance(gravity, (int, float)) else -gravity[1] / EARTH
            one.gain = element.get("gain", 1.0)


class SUPPLE_OT_flesh_propose(JobOperator, bpy.types.Operator):
    """Propose flesh for the active armature: body parts that swing, each with a spring to tune"""

    bl_idname = "supple.flesh_propose"
    bl_label = "Propose Flesh"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(name="Preset", items=PRESET_ITEMS, default="soft")  # type: ignore[valid-type]
    compare: BoolProperty(name="Compare", description="Pose the skin with it and without it, and let it swing less where it would do harm", default=True)  # type: ignore[valid-type]

    def _begin(self, context: Any) -> Job:
        found = rig.find(context)
        self._meshes = [one.name for one in found.meshes]
        self._binding = rig.bind(found.armature, *found.meshes)
        built = playing.layer_of(found.armature)
        self._places = self._keys = None
        if built is not None and "kinodynamics" in built.binding.character.deformers:  # muscles stay
            live = [(one, mesh) for one in built.meshes if (mesh := one.find()) is not None]
            self._binding, self._meshes = built.binding, [mesh.name for _, mesh in live]
            self._places = [one.vertices for one, _ in live]
            self._keys = {mesh.name: json.loads(mesh.supple.keys or "[]") for _, mesh in live}
        return _job(self._binding, self.preset, self.compare)

    def _finish(self, context: Any, result: Any) -> None:
        character, elements, text = result
        armature = self._binding.armature
        blend = "kinodynamic" if "kinodynamics" in character.deformers else "linear"
        engine.attach([bpy.data.objects[name] for name in self._meshes], self._binding.with_character(character), self._places, blend, self._keys)
        put(armature, elements, self.preset)
        playing.forget()
        playing.refresh()
        for line in text.strip().splitlines()[-2:]:
            self.report({"INFO"}, line)


class SUPPLE_OT_layers_remove(bpy.types.Operator):
    """Take flesh and all other layers that the engine moves from the active character"""

    bl_idname = "supple.layers_remove"
    bl_label = "Remove Layers"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        armature = rig.active_armature(context)
        if armature is None or armature.supple.store is None:
            self.report({"ERROR"}, "The active object has no layers of Supple: click on an armature that has some")
            return {"CANCELLED"}
        for mesh in engine.attached(armature):
            engine.detach(mesh)
        armature.supple.flesh.clear()
        playing.forget()
        return {"FINISHED"}


class SUPPLE_UL_flesh(bpy.types.UIList):
    def draw_item(self, context: Any, layout: Any, data: Any, item: Any, icon: Any, active_data: Any, active_property: str) -> None:
        row = layout.row(align=True)
        row.label(text=item.name, icon="BONE_DATA")
        row.prop(item, "gain", text="", emboss=False)


class SUPPLE_PT_flesh(bpy.types.Panel):
    bl_label = "Flesh"
    bl_parent_id = "SUPPLE_PT_main"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return rig.active_armature(context) is not None

    def draw(self, context: Any) -> None:
        armature = rig.active_armature(context)
        layout = self.layout
        layout.operator_menu_enum("supple.flesh_propose", "preset", text="Propose", icon="SHADERFX")
        settings = armature.supple
        if not settings.flesh:
            return
        layout.template_list("SUPPLE_UL_flesh", "", settings, "flesh", settings, "flesh_index", rows=3)
        if 0 <= settings.flesh_index < len(settings.flesh):
            element = settings.flesh[settings.flesh_index]
            column = layout.column(align=True)
            for name in ("frequency", "damping", "gravity", "gain"):
                column.prop(element, name)
        layout.operator("supple.flesh_bake_bones", icon="BONE_DATA")


CLASSES = (SUPPLE_OT_flesh_propose, SUPPLE_OT_layers_remove, SUPPLE_UL_flesh, SUPPLE_PT_flesh)
