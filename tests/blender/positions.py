# Evaluates a character with Blender, vertex by vertex, as an independent reference:
#   blender -b --factory-startup --python-exit-code 1 -P positions.py -- FILE CLIP TIME[,TIME...] OUT
# The arguments and the JSON object written are those of ../node/three_positions.mjs, except that there must be a clip.
#
# Between keys Blender interpolates the components of quaternions one by one and normalises, where glTF prescribes the
# arc of the sphere: compare at keys. The importer clamps shape keys to [0, 1]. It keeps the order of vertices; meshes
# of several primitives become one object, told apart here by their share of the vertices.
import json
import sys

import bpy
import numpy

numpy.bool = bool  # the importer of Blender 3.4 asks numpy for a name that numpy has since dropped

FRAMES_PER_SECOND = 1000  # the importer puts keys at time * rate, between frames too


def document(path):
    """The JSON of a .glb or .gltf file."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"glTF":
        length = int.from_bytes(data[12:16], "little")
        data = data[20:20 + length]
    return json.loads(data)


def import_file(path):
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.render.fps = FRAMES_PER_SECOND
    bpy.ops.import_scene.gltf(filepath=path, merge_vertices=False, bone_heuristic="BLENDER")


def play(clip):
    """Every object gets the actions that the importer made of one animation; it stores them in NLA tracks."""
    owners = list(bpy.data.objects) + [m.shape_keys for m in bpy.data.meshes if m.shape_keys]
    for owner in owners:
        animation = owner.animation_data
        if animation is None:
            continue
        strips = [s for t in animation.nla_tracks if t.name == clip for s in t.strips]
        animation.action = strips[0].action if strips else None
        for track in animation.nla_tracks:
            track.mute = True


def world_positions(thing, depsgraph):
    """#V by 3, in glTF's axes: Blender's (x, y, z) is glTF's (x, z, -y)."""
    evaluated = thing.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    flat = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = numpy.array(evaluated.matrix_world, dtype=float)
    points = flat.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    evaluated.to_mesh_clear()
    return numpy.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def main():
    path, clip_name, time_list, out = sys.argv[sys.argv.index("--") + 1:]
    source = document(path)
    import_file(path)
    names = [a.get("name", "") for a in source.get("animations", [])]
    clip_name = clip_name if clip_name in names else names[int(clip_name)]
    play(clip_name)
    meshes = []
    for number, node in enumerate(source["nodes"]):
        if "mesh" not in node:
            continue
        mesh = source["meshes"][node["mesh"]]
        named = [o for o in bpy.data.objects if o.type == "MESH" and o.data.name == mesh.get("name", "")]
        if len(named) != 1:
            raise RuntimeError("%s: cannot tell which object node %d is" % (path, number))
        counts = [source["accessors"][p["attributes"]["POSITION"]]["count"] for p in mesh["primitives"]]
        if sum(counts) != len(named[0].data.vertices):
            raise RuntimeError("%s: the importer changed the number of vertices of node %d" % (path, number))
        first = 0
        for primitive, count in enumerate(counts):
            meshes.append({"object": named[0], "first": first, "name": named[0].name, "node": number,
                           "mesh": node["mesh"], "primitive": primitive, "vertices": count, "positions": []})
            first += count
    times = [float(t) for t in time_list.split(",")]
    for time in times:
        frame = time * FRAMES_PER_SECOND
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for m in meshes:
            points = world_positions(m["object"], depsgraph)[m["first"]:m["first"] + m["vertices"]]
            m["positions"].append(points.ravel().tolist())
    for m in meshes:
        del m["object"], m["first"]
    with open(out, "w") as file:
        json.dump({"file": path, "clip": clip_name, "times": times, "meshes": meshes}, file)


main()
