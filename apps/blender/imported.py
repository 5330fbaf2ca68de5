# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's glTF importer made of the nodes of a file.

The importer calls `glTF2ImportUserExtension` of every add-on; ours writes down which objects, bones and shape keys became
of which nodes. Names alone would not do: Blender cuts long ones short and numbers those that are taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mathutils import Quaternion

from .rig import DOWN


@dataclass
class ImportedBone:
    armature: str
    name: str
    rest: list[float]  # quaternion x, y, z, w of its rest relative to its parent, in glTF's axes


@dataclass
class ImportedMesh:
    name: str
    keys: list[str | None]  # of each morph target the shape key


@dataclass
class Imported:
    bones: dict[int, ImportedBone] = field(default_factory=dict)  # by node
    meshes: dict[int, ImportedMesh] = field(default_factory=dict)


class Recorder:
    """While one is open, imports are written down."""

    current: Recorder | None = None

    def __init__(self) -> None:
        self.imported: Imported | None = None

    def __enter__(self) -> Recorder:
        Recorder.current = self
        return self

    def __exit__(self, *_: object) -> None:
        Recorder.current = None


def _record(gltf: Any) -> Imported:
    result = Imported()
    down = DOWN.to_quaternion()
    for index, node in gltf.vnodes.items():
        name = getattr(node, "blender_bone_name", None)
        if name is not None and isinstance(index, int):
            armature = gltf.vnodes[node.bone_arma].blender_object
            bone = armature.data.bones.get(name)
            rest: Quaternion = node.editbone_rot
            if bone is not None and bone.parent is None:
                rest = down @ rest
            result.bones[index] = ImportedBone(armature.name, name, [rest.x, rest.y, rest.z, rest.w])
        made = getattr(node, "blender_object", None)
        if getattr(node, "mesh_node_idx", None) is not None and made is not None and made.type == "MESH":
            mesh = gltf.data.meshes[gltf.data.nodes[node.mesh_node_idx].mesh]
            result.meshes[node.mesh_node_idx] = ImportedMesh(made.name, list(getattr(mesh, "shapekey_names", None) or []))
    return result


class glTF2ImportUserExtension:  # noqa: N801: the importer looks for this name
    def gather_import_scene_after_animation_hook(self, *arguments: Any) -> None:
        if Recorder.current is not None:
            Recorder.current.imported = _record(arguments[-1])
