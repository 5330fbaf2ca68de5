# SPDX-License-Identifier: GPL-3.0-or-later
"""How what the engine computes reaches a mesh: a modifier after the armature's adds an offset to every vertex.

The offsets of a mesh object are the vertices of a second mesh, its *carrier*, which stands in no collection. The modifier is a group
of geometry nodes, plain Blender: modifiers, lattices and sculpts before and after it keep working, and a carrier whose
offsets come from a cache needs no add-on.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

GROUP = "Supple"
MODIFIER = "Supple"
CACHE = "Supple Cache"  # modifier of a carrier that plays a file


def node_group() -> Any:
    """Geometry in, the carrier in; each point moved by the carrier's point of the same number."""
    found = bpy.data.node_groups.get(GROUP)
    if found is not None and found.library is None:
        return found
    group = bpy.data.node_groups.new(GROUP, "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Offsets", in_out="INPUT", socket_type="NodeSocketObject")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes, links = group.nodes, group.links
    names = ("NodeGroupInput", "GeometryNodeObjectInfo", "GeometryNodeSampleIndex", "GeometryNodeInputPosition", "GeometryNodeInputIndex", "GeometryNodeSetPosition", "NodeGroupOutput")
    given, info, sample, position, index, move, made = (nodes.new(name) for name in names)
    for place, node in enumerate((given, info, sample, move, made)):
        node.location = (200 * place, 0)
    position.location, index.location = (200, -200), (200, -300)
    info.transform_space = "ORIGINAL"
    sample.data_type, sample.domain = "FLOAT_VECTOR", "POINT"
    links.new(given.outputs[0], move.inputs["Geometry"])
    links.new(given.outputs[1], info.inputs["Object"])
    links.new(info.outputs["Geometry"], sample.inputs["Geometry"])
    links.new(position.outputs[0], sample.inputs["Value"])
    links.new(index.outputs[0], sample.inputs["Index"])
    links.new(sample.outputs[0], move.inputs["Offset"])
    links.new(move.outputs[0], made.inputs[0])
    return group


def _socket(modifier: Any) -> str:
    return next(one.identifier for one in modifier.node_group.interface.items_tree if one.name == "Offsets")


def is_ours(modifier: Any) -> bool:
    return modifier.type == "NODES" and modifier.node_group is not None and modifier.node_group.name.startswith(GROUP) and modifier.name.startswith(MODIFIER)


def modifier_of(mesh: Any) -> Any | None:
    """Ours, of a mesh object; of several the last, which is the one that was made here."""
    ours = [one for one in mesh.modifiers if is_ours(one)]
    return ours[-1] if ours else None


def carrier_of(mesh: Any) -> Any | None:
    modifier = modifier_of(mesh)
    return modifier[_socket(modifier)] if modifier is not None else None


def make_own(mesh: Any, others: set[str]) -> None:
    """Gives a copy of a character a carrier of its own: `others` are those of the characters before it, by full names.

    That of a linked one, too, which would not take offsets.
    """
    carrier = carrier_of(mesh)
    if carrier is None or (carrier.library is None and carrier.name_full not in others):
        return
    own = carrier.copy()
    own.data = carrier.data.copy()
    modifier = modifier_of(mesh)
    modifier[_socket(modifier)] = own


def is_baked(mesh: Any) -> bool:
    carrier = carrier_of(mesh)
    return carrier is not None and CACHE in carrier.modifiers


def add(mesh: Any) -> Any:
    """Gives a mesh object the modifier and a carrier of its own, right after its armature's modifier; the carrier."""
    data = bpy.data.meshes.new(f"Supple offsets of {mesh.name}")
    data.vertices.add(len(mesh.data.vertices))
    write_values(data, np.zeros((len(mesh.data.vertices), 3), np.float32))
    carrier = bpy.data.objects.new(data.name, data)
    modifier = modifier_of(mesh)
    if modifier is None:
        modifier = mesh.modifiers.new(MODIFIER, "NODES")
        modifier.node_group = node_group()
        places = [place for place, one in enumerate(mesh.modifiers) if one.type == "ARMATURE"]
        if places:
            mesh.modifiers.move(len(mesh.modifiers) - 1, places[-1] + 1)
    modifier = modifier_of(mesh)
    modifier[_socket(modifier)] = carrier
    modifier.show_viewport = modifier.show_render = True
    return carrier


def remove(mesh: Any) -> None:
    carrier, modifier = carrier_of(mesh), modifier_of(mesh)
    if modifier is not None:
        mesh.modifiers.remove(modifier)
    if carrier is not None and carrier.users == 0:
        data = carrier.data
        bpy.data.objects.remove(carrier)
        if data.users == 0:
            bpy.data.meshes.remove(data)


def write_values(data: Any, values: np.ndarray) -> None:
    data.attributes["position"].data.foreach_set("vector", np.ascontiguousarray(values, np.float32).ravel())
    data.update_tag()


def write(carrier: Any, values: np.ndarray) -> None:
    """(V, 3): offsets in the space of the mesh object."""
    if len(carrier.data.vertices) != len(values):  # the mesh was edited meanwhile
        carrier.data.clear_geometry()
        carrier.data.vertices.add(len(values))
    write_values(carrier.data, values)


def read(carrier: Any) -> np.ndarray:
    values = np.empty(3 * len(carrier.data.vertices), np.float32)
    carrier.data.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 3)
