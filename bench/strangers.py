"""Improves characters that others made, judges each result by a judge that knows nothing of Supple, and makes a table and a
gallery of it.

Usage: strangers.py SUPPLE FOLDER --data FOLDER [--judge judge.py] [--effort quick normal] [--jobs N] [FILE ...]
       (script/figures strangers; --gallery alone makes table and gallery again from what is there)

FILEs stand beside those of the data: characters of our own. The judge plays both files as plain glTF; strain and volume are
measured here, with its reader, in frames of all clips. Frames lie between those that were learnt from, as a rule.
"""

import argparse
import base64
import html
import importlib.util
import json
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

FRAMES = 12  # of each clip
KINDS = ("strangers", "gltf_khronos", "godot_xr_hands")


def characters(data, own):
    """Skinned files, and why others are left out."""
    found, left = [], []
    for folder in KINDS:
        if not (data / folder).is_dir():
            left.append(f"{data / folder} is not here: its characters are left out")
        for path in sorted((data / folder).glob("*.gl*")):
            text = path.read_bytes()
            (found if b'"skins"' in text else left).append(path if b'"skins"' in text else f"{path.name}: has no skin")
    return found + own, left


def peak_megabytes(process):
    """So far; what the kernel tells at the end may be the peak of the process that began it."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def improve(supple, path, folder, effort, threads):
    """One call of the program: what it said, and what it cost."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "out.glb"
    for old in (out, folder / "out.png"):
        old.unlink(missing_ok=True)
    command = [supple, "improve", path, "-o", out, "--effort", effort, "--force", "--json"]
    command += ["--threads", str(threads)] if threads else []
    started = time.monotonic()
    with open(folder / "said.json", "w") as said, open(folder / "errors.txt", "w") as errors:
        child = subprocess.Popen([str(c) for c in command], stdout=said, stderr=errors)
        megabytes = 0.0
        while not os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            megabytes = max(megabytes, peak_megabytes(child.pid))
            time.sleep(0.05)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    try:
        facts = json.loads((folder / "said.json").read_text())
    except ValueError:
        facts = {"verdict": "error", "reason": (folder / "errors.txt").read_text().strip()}
    facts["cost"] = {
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "seconds": time.monotonic() - started,
        "megabytes": megabytes,
        "exit_code": child.returncode,
    }
    return facts


class Surface:
    """What strain and volume are measured against: the skin as it was bound."""

    def __init__(self, file):
        lengths, first, self.region = [], 0, []
        rest = file.rest()
        world = file.worlds(rest)
        edges = []
        regions = 0
        shape = []
        for part in file.parts():
            t = part["triangles"]
            own = np.unique(np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1), axis=0)
            if "bones" in part:
                b = part["bones"][0]
                scale = abs(np.linalg.det((world[b] @ part["inverse"][0])[:3, :3])) ** (1 / 3)
                follows = np.take_along_axis(part["joints"], part["weights"].argmax(1)[:, None], 1)[:, 0]
            else:
                scale = abs(np.linalg.det(world[part["node"]][:3, :3])) ** (1 / 3)
                follows = np.zeros(len(part["rest"]), int)
            edges.append(own + first)
            points = part["rest"] * scale
            shape.append(points)
            lengths.append(np.linalg.norm(points[own[:, 0]] - points[own[:, 1]], axis=1))
            self.region.append(follows[t[:, 0]] + regions)
            regions += follows.max() + 1
            first += len(points)
        self.edges, self.lengths, self.region = np.concatenate(edges), np.concatenate(lengths), np.concatenate(self.region)
        self.triangles, self.regions = file.triangles(), regions
        shape = np.concatenate(shape)
        keep = self.lengths > 1e-6 * np.linalg.norm(shape.max(0) - shape.min(0))
        self.edges, self.lengths = self.edges[keep], self.lengths[keep]
        self.rim = self._rims()
        self.volumes = self.volume(shape)

    def _rims(self):
        """Of each region the vertices at its border: its volume is seen from their middle."""
        rims = []
        for r in range(self.regions):
            t = self.triangles[self.region == r]
            e, count = np.unique(
                np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1), axis=0, return_counts=True
            )
            border = np.unique(e[count == 1])
            rims.append(border if len(border) else np.unique(t))
        return rims

    def volume(self, points):
        middle = np.array([points[r].mean(0) if len(r) else np.zeros(3) for r in self.rim])
        a, b, c = (points[self.triangles[:, k]] - middle[self.region] for k in range(3))
        return np.bincount(self.region, np.einsum("ij,ij->i", a, np.cross(b, c)) / 6, self.regions)

    def strain(self, points):
        now = np.linalg.norm(points[self.edges[:, 0]] - points[self.edges[:, 1]], axis=1)
        return np.sqrt(np.mean((now / self.lengths - 1) ** 2))

    def volume_error(self, points):
        large = np.abs(self.volumes) > 1e-9 * np.abs(self.volumes).sum()
        change = np.clip(self.volume(points)[large] / self.volumes[large] - 1, -1, 1)
        return np.sqrt(np.average(change**2, weights=np.abs(self.volumes[large])))


def measure(judge, before_path, after_path):
    """RMS over frames of both skins' strain and error of volume; None where the file has no clips."""
    before, after = judge.File(str(before_path)), judge.File(str(after_path))
    surface = Surface(before)
    named = {a.get("name", str(i)): a for i, a in enumerate(after.json.get("animations", []))}
    rows = []
    for i, clip in enumerate(before.json.get("animations", [])):
        end = max(before.json["accessors"][s["input"]]["max"][0] for s in clip["samplers"])
        for at in np.linspace(0, end, FRAMES):
            a = before.surface(before.clip(clip, at))
            b = after.surface(after.clip(named[clip.get("name", str(i))], at))
            rows.append([surface.strain(a), surface.strain(b), surface.volume_error(a), surface.volume_error(b)])
    return None if not rows else np.sqrt(np.mean(np.square(rows), axis=0)).tolist()


def one(o, judge, path, effort):
    folder = o.folder / effort / path.stem
    if not o.gallery:
        facts = improve(o.supple, path, folder, effort, 1 if o.jobs > 1 else 0)
        if (folder / "out.glb").exists() and judge:
            facts["judged"] = judge.judge(str(path), str(folder / "out.glb"), FRAMES)
            facts["measured"] = measure(judge, path, folder / "out.glb")
        (folder / "facts.json").write_text(json.dumps(facts))
    elif not (folder / "facts.json").exists():
        return None
    facts = json.loads((folder / "facts.json").read_text())
    print(row(path, effort, facts), flush=True)
    return path, effort, facts


def share(before, after):
    return f"{100 * (1 - after / before):+.0f} %" if before > 0 else "-"


def own_share(facts, name):
    """In brackets: what the program says of its poses, where there are no clips."""
    return f"({100 * facts['gain'][name]:+.0f} %)" if "gain" in facts else "-"


def cells(path, effort, facts):
    judged, measured = facts.get("judged"), facts.get("measured")
    verdict = "-" if judged is None else "BAD" if judged["bad"] else "good"
    strain = share(*measured[:2]) if measured else own_share(facts, "strain")
    volume = share(*measured[2:]) if measured else own_share(facts, "volume")
    cost = facts["cost"]
    return [
        path.stem,
        effort,
        facts["verdict"],
        verdict,
        strain,
        volume,
        f"{facts['held_out_error']:.2f}" if "held_out_error" in facts else "-",
        f"{cost['cpu_seconds']:.0f}",
        f"{cost['megabytes']:.0f}",
    ]


TITLES = ["character", "effort", "answer", "judge", "strain gone", "volume error gone", "held out", "CPU s", "MB"]


def row(path, effort, facts):
    return "{:28} {:7} {:10} {:5} {:>8} {:>8} {:>5} {:>5} {:>5}".format(*cells(path, effort, facts))


def gallery(results, left, file):
    """One self-contained page: the table, then each character with its pictures."""
    table = "".join(
        "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells(*result)) + "</tr>" for result in results
    )
    figures = ""
    for path, effort, facts in results:
        picture = file.parent / effort / path.stem / "out.png"
        image = ""
        if picture.exists():
            image = f'<img src="data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}" alt="{html.escape(path.stem)}: linear blend beside the improved skin">'
        words = html.escape(facts.get("reason", ""))
        choices = "".join(f"<li>{html.escape(c)}</li>" for c in facts.get("choices", []))
        figures += f"<section><h2>{html.escape(path.stem)}, {effort}: {facts['verdict']}</h2><p>{words}</p>{image}<ul>{choices}</ul></section>"
    absent = "".join(f"<li>{html.escape(line)}</li>" for line in left)
    file.write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Strangers' characters, improved</title>"
        "<style>body{font:16px/1.5 sans-serif;margin:2em auto;max-width:1200px}img{width:100%}"
        "td,th{padding:.2em .8em;text-align:left}</style><h1>Strangers' characters, improved</h1><table><tr>"
        + "".join(f"<th>{t}</th>" for t in TITLES)
        + f"</tr>{table}</table>{figures}<h2>Left out</h2><ul>{absent}</ul></html>\n"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("supple")
    parser.add_argument("folder", type=Path)
    parser.add_argument("own", type=Path, nargs="*")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judge", type=Path)
    parser.add_argument("--effort", nargs="+", default=["quick", "normal"])
    parser.add_argument("--jobs", type=int, default=1, help="characters at once, each on one thread (default: one, on all)")
    parser.add_argument("--gallery", action="store_true", help="make table and gallery again from what is there")
    o = parser.parse_args()
    judge = None
    if o.judge and o.judge.exists():
        spec = importlib.util.spec_from_file_location("judge", o.judge)
        judge = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(judge)
    else:
        print(f"{o.judge}: is not here; nothing is judged")
    found, left = characters(o.data, o.own)
    for line in left:
        print(line)
    print("{:28} {:7} {:10} {:5} {:>8} {:>8} {:>5} {:>5} {:>5}".format(*(t[:28] for t in ("character", "effort", "answer", "judge", "strain", "volume", "held", "CPU s", "MB"))))
    tasks = [(path, effort) for effort in o.effort for path in found]
    with ThreadPoolExecutor(o.jobs) as pool:
        results = [r for r in pool.map(lambda t: one(o, judge, *t), tasks) if r]
    gallery(results, left, o.folder / "gallery.html")
    print(f"{o.folder / 'gallery.html'}")


if __name__ == "__main__":
    main()
