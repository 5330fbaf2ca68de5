"""How far the confidence of decisions can be believed: phantoms, whose truth is known, good and bad ones.

Usage: review_figures.py SUPPLE FOLDER [--seeds N...] [--voxel MM]   (script/figures review)

Each seed gives a clean study, one with much noise, and a clean one with every tenth feature moved by 1 to 10 mm; every
decision whose truth is known is put into a bin of its confidence, and the errors of the bins are told. Then things are spoilt one by one, and what the list begins with is told.
"""

import argparse
import csv
import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

BINS = [0, 0.2, 0.5, 0.8, 0.95, 1.0001]
STUDIES = {
    "clean": ["--noise", "30"],
    "noise of 150 HU": ["--noise", "150"],
    "spoilt features": ["--noise", "30"],
}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def rows(matrix):
    m = np.array(matrix)
    return m[:, :3], m[:, 3]


def read_obj(path):
    points, triangles = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            points.append([float(x) for x in words[1:4]])
        elif words[0] == "f":
            triangles.append([int(w.split("/")[0]) - 1 for w in words[1:4]])
    return np.array(points), np.array(triangles)


def carried(base, posed, triangles, points):
    """Where points on (or near) the base's true skin are in another pose: by the nearest triangle's frame."""
    centres = base[triangles].mean(axis=1)
    result = []
    for p in points:
        nearest = np.argsort(((centres - p) ** 2).sum(axis=1))[:12]
        best, place = np.inf, None
        for t in nearest:
            a, b, c = base[triangles[t]]
            x, y, z = posed[triangles[t]]
            u, v = b - a, c - a
            n = np.cross(u, v)
            n = n / np.linalg.norm(n)
            w, _, _, _ = np.linalg.lstsq(np.column_stack([u, v]), p - a - n * np.dot(p - a, n), rcond=None)
            s = np.clip(w, 0, 1)
            if s.sum() > 1:
                s = s / s.sum()
            off = np.linalg.norm(a + u * s[0] + v * s[1] - p)
            if off < best:
                best = off
                place = x + (y - x) * s[0] + (z - x) * s[1]
        result.append(place)
    return np.array(result)


def angle_between(a, b):
    return np.degrees(np.arccos(np.clip((np.trace(a.T @ b) - 1) / 2, -1, 1)))


def turn_of(vector):
    v = np.radians(np.array(vector))
    angle = np.linalg.norm(v)
    if angle == 0:
        return np.eye(3)
    k = v / angle
    x = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * x + (1 - np.cos(angle)) * x @ x


def judged(folder):
    """(kind, confidence, error) of every decision whose truth is known; degrees for turns, mm for places."""
    truth = json.loads((folder / "truth.json").read_text())
    decisions = json.loads((folder / "project.json").read_text())["decisions"]
    poses = {p["name"]: p for p in truth["poses"]}
    centres = {j["name"]: np.array(j["centre"]) * 1000 for j in truth["joints"]}
    result = []
    for scan, bones in decisions["alignment"].items():
        for bone, item in bones.items():
            turn, _ = rows(poses[scan]["bones"][bone])
            result.append(("turn of a bone", item["confidence"], angle_between(turn, turn_of(item["turn_degrees"]))))
    for joint, item in decisions["joints"].items():
        own = next(j for j in truth["joints"] if j["name"] == joint)
        # A joint that does not move has no centre to be found.
        if "axes" not in own or "kind" not in item or item["why"].startswith("does not move"):
            continue
        off = np.array(item["centre_mm"]) - centres[joint]
        if item["kind"] == "hinge":  # along its axis nothing can be seen
            axis = np.array(own["axes"]["flexion"])
            off = off - axis * np.dot(off, axis)
        result.append(("joint centre", item["confidence"], np.linalg.norm(off)))
    base, triangles = read_obj(folder / poses[next(iter(poses))]["skin"])
    skins = {name: read_obj(folder / pose["skin"])[0] for name, pose in poses.items()}
    for scan, item in decisions["features"].items():
        if not item["points"]:
            continue
        there = carried(base, skins[scan], triangles, np.array([p["base_mm"] for p in item["points"]]) / 1000)
        for point, true in zip(item["points"], there):
            error = np.linalg.norm(np.array(point["target_mm"]) / 1000 - true) * 1000
            result.append(("feature", point["confidence"], error))
    with open(folder / "biomechanics" / "landmarks.csv") as file:
        table = list(csv.DictReader(file))
    at = {(r["landmark"], r["scan"]): np.array([float(r[k]) for k in ("x_mm", "y_mm", "z_mm")]) for r in table}
    first = next(iter(poses))
    for scan in {r["scan"] for r in table} - {first}:
        of_scan = [r for r in table if r["scan"] == scan]
        skin = [r for r in of_scan if r["on"] == "skin"]
        there = carried(base, skins[scan], triangles, np.array([at[r["landmark"], first] for r in skin]) / 1000)
        for row, true in zip(skin, there):
            error = np.linalg.norm(at[row["landmark"], scan] - true * 1000)
            result.append(("landmark of the skin in a scan", float(row["confidence"]), error))
        for row in of_scan:
            if row["on"] == "skin":
                continue
            turn, shift = rows(poses[scan]["bones"][row["bone"]])
            true = turn @ at[row["landmark"], first] + shift * 1000
            error = np.linalg.norm(at[row["landmark"], scan] - true)
            result.append(("landmark of a bone in a scan", float(row["confidence"]), error))
    return result


def spoil_features(supple, folder, seed):
    file = folder / "project.json"
    run(supple, "scan", "build", file, "-o", folder / "hand.glb")
    project = json.loads(file.read_text())
    rng = np.random.default_rng(seed)
    for item in project["decisions"]["features"].values():
        for point in item["points"][::10]:
            way = rng.normal(size=3)
            way *= rng.uniform(1, 10) / np.linalg.norm(way)
            point["target_mm"] = list(np.array(point["target_mm"]) + way)
    file.write_text(json.dumps(project))


def change_volume(folder, scan, change):
    """`change` gets the header, the samples (slices, rows, columns) and where they lie (metres); may change all."""
    file = folder / f"{scan}.nrrd"
    raw = file.read_bytes()
    end = raw.index(b"\n\n") + 2
    header = raw[:end].decode()
    size = [int(n) for n in re.search(r"sizes: (.*)", header).group(1).split()]
    axes = re.search(r"space directions: (.*)", header).group(1)
    axes = np.array([[float(x) for x in axis.split(",")] for axis in re.findall(r"\(([^)]*)\)", axes)])
    origin = np.array([float(x) for x in re.search(r"space origin: \(([^)]*)\)", header).group(1).split(",")])
    samples = np.frombuffer(gzip.decompress(raw[end:]), dtype="<i2").copy().reshape(size[::-1])
    k, j, i = np.meshgrid(*[np.arange(n) for n in size[::-1]], indexing="ij")
    places = (np.stack([i, j, k], -1) @ axes + origin) / 1000
    header, samples = change(header, samples, places)
    file.write_bytes(header.encode() + gzip.compress(samples.astype("<i2").tobytes(), 1))


def without_bone(folder, scan, bone, tip):
    truth = json.loads((folder / "truth.json").read_text())
    centres = {j["name"]: np.array(j["centre"]) for j in truth["joints"]}
    turn, shift = rows(next(p for p in truth["poses"] if p["name"] == scan)["bones"][bone])
    start, end = centres[bone], centres[tip]
    a, b = turn @ (start + (end - start) * 0.1) + shift, turn @ end + shift

    def change(header, samples, places):
        along = b - a
        share = np.clip(((places - a) @ along) / (along @ along), 0, 1)
        near = np.linalg.norm(places - a - share[..., None] * along, axis=-1) < 0.0075
        samples[near & (samples > 40)] = 40
        return header, samples

    change_volume(folder, scan, change)


def stretched(header, samples, _):
    step = re.search(r"space directions: .*( \(0,0,(.*)\))", header)
    return header.replace(step.group(1), f" (0,0,{float(step.group(2)) * 1.1})"), samples


def noisy(header, samples, _):
    return header, np.clip(samples + np.random.default_rng(1).normal(0, 120, samples.shape), -32768, 32767)


def sabotage(supple, clean, work):
    """What is spoilt, and the first three of the list then."""

    def spoil(name, change):
        folder = work / "sabotage"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(clean, folder)
        project = json.loads((folder / "project.json").read_text())
        change(folder, project, project["decisions"])
        (folder / "project.json").write_text(json.dumps(project))
        build = [supple, "scan", "build", folder / "project.json", "-o", folder / "hand.glb", "--json"]
        done = subprocess.run([str(word) for word in build], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name}: refused: {done.stderr.strip()}")
            return
        review = json.loads(done.stdout)["review"]
        first = [f"{i['confidence']:.2f} {i['title']}" for i in review["items"][:3] if i["look"]]
        print(f"{name}: {review['to_look_at']} to look at, first {'; '.join(first)}")

    def names(_, __, d):
        a, b = "index-finger-phalanx-distal", "middle-finger-phalanx-distal"
        d["bones"][a], d["bones"][b] = d["bones"][b], d["bones"][a]

    def feature(_, __, d):
        d["features"]["grasp"]["points"][3]["target_mm"][1] += 30

    def centre(_, __, d):
        d["joints"]["index-finger-phalanx-proximal"]["centre_mm"][0] += 10

    def threshold(_, __, d):
        d["thresholds"]["grasp"]["bone"] = 150

    def one_scan(_, project, __):
        project["scans"] = [s for s in project["scans"] if s["name"] in ("relaxed", "grasp", "test-a")]

    spoil("nothing", lambda *_: None)
    spoil("names of two bones exchanged", names)
    spoil("a feature 30 mm off", feature)
    spoil("a joint centre 10 mm off", centre)
    spoil("threshold of bone near flesh in a scan", threshold)
    spoil("a bone missing in a scan",
          lambda folder, *_: without_bone(folder, "grasp", "ring-finger-phalanx-distal", "ring-finger-tip"))
    spoil("z times 1.1 in a scan", lambda folder, *_: change_volume(folder, "grasp", stretched))
    spoil("noise of 120 HU more in a scan", lambda folder, *_: change_volume(folder, "grasp", noisy))
    spoil("wrist does not move", one_scan)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("supple", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[3, 4])  # tolerances were set on 1 and 2
    parser.add_argument("--voxel", default="0.9")
    options = parser.parse_args()
    everything = []
    for seed in options.seeds:
        for name, more in STUDIES.items():
            folder = options.folder / f"{name.split()[0]}-{seed}"
            if not (folder / "biomechanics").exists():
                run(options.supple, "scan", "phantom", "-o", folder, "--no-flesh", "--vertices", "4000", "--seed", seed,
                    "--voxel", options.voxel, *more)
                project = json.loads((folder / "project.json").read_text())
                project["skin_triangles"] = 20000
                (folder / "project.json").write_text(json.dumps(project))
                if name.startswith("spoilt"):
                    spoil_features(options.supple, folder, seed)
                try:
                    run(options.supple, "scan", "biomechanics", folder / "project.json", "-o", folder / "biomechanics")
                except RuntimeError as error:
                    print(f"{name}, seed {seed}: refused: {error}")
                    continue
            found = judged(folder)
            with open(folder / "biomechanics" / "review.csv") as file:
                review = list(csv.DictReader(file))
            looked = [r for r in review if r["look"] == "1"]
            print(f"{name}, seed {seed}: {len(looked)} of {len(review)} decisions to look at"
                  + "".join(f"; {r['confidence']} {r['decided']} {r['item']} {r['scan']}" for r in looked[:6]))
            everything += found
    print()
    sabotage(options.supple, options.folder / f"clean-{options.seeds[0]}", options.folder)
    print()
    for kind in dict.fromkeys(k for k, _, _ in everything):
        pairs = np.array([(c, e) for k, c, e in everything if k == kind])
        order = np.argsort(np.argsort(pairs[:, 0])), np.argsort(np.argsort(pairs[:, 1]))
        rank = np.corrcoef(*order)[0, 1]
        print(f"{kind}: {len(pairs)}, rank correlation of confidence and error {rank:.2f}")
        for low, high in zip(BINS, BINS[1:]):
            errors = pairs[(pairs[:, 0] >= low) & (pairs[:, 0] < high), 1]
            if len(errors):
                print(f"  {low:.2f} to {min(high, 1):.2f}: {len(errors):5} median {np.median(errors):8.3f}"
                      f" p90 {np.percentile(errors, 90):8.3f} most {errors.max():8.3f}")


main()
