"""What Supple costs on this machine, beside copying memory and beside what users would pick instead, in one run. See script/performance.

A record (JSON) keeps the figures of one run; the page compares them with the last record of the same kind of machine. Ratios of one
run hold on a busy machine too, so they are what is compared: times over the copy of the same run."""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "docs" / "performance"
OZZ_FILES = ("src/geometry/runtime/skinning_job.cc", "include/ozz/base/span.h")  # what is compiled, and what releases that are too old lack
SLOWER = 1.15  # a ratio that grew by more is told: repeated runs on a quiet machine differ by less

def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    known = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    name = known.get("model name", platform.machine())
    model = f", family {known['cpu family']} model {known['model']}" if "cpu family" in known else ""
    return name + model


def times_of(program: str, *arguments: str) -> dict[str, float]:
    """ns by case, of a benchmark of ours."""
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        file = Path(folder) / "times.json"
        command = [str(ROOT / "build" / "bench" / program), *arguments, f"--times={file}"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            sys.exit(f"{program}: {last}")
        return json.loads(file.read_text())


def peer(*command: str) -> list[dict[str, Any]]:
    """What another program takes for a pose of the file, or nothing where it is not here."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        print(f"left out: {' '.join(command[:2])}: {last}", file=sys.stderr)
        return []
    made = json.loads(done.stdout.strip().splitlines()[-1])
    return made if isinstance(made, list) else [made]


def build_ozz(source: Path) -> None:
    """What skins by ozz-animation, compiled from its source as it comes and for this very processor."""
    configure = ["cmake", "--preset", "release", f"-DSUPPLE_OZZ={source.resolve()}"]
    build = ["cmake", "--build", "build", "-j", str(os.cpu_count()), "--target", "supple_ozz_bench", "supple_ozz_bench_native"]
    for command in (configure, build):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}--ozz {source}: could not be compiled, see above")


def measure(file: Path, python: str | None, blender: str | None, ozz: Path | None) -> dict[str, Any]:
    version = subprocess.run([str(ROOT / "build" / "supple"), "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    say = lambda what: print(f"== {what}", file=sys.stderr)  # noqa: E731
    record: dict[str, Any] = {"release": version, "date": datetime.date.today().isoformat(), "processor": processor(), "file": file.name}
    say("skinning beside copying")
    record["skinning"] = times_of("supple_bench", "--benchmark_filter=^copy/[^/]*/PN/|/PN/i4/")
    say(f"a frame of {file.name}")
    record["frame"] = times_of("supple_skin_bench", str(file))
    say("EigenSkin")
    record["eigenskin"] = times_of("supple_eigenskin_bench")
    say("kinodynamic skinning")
    record["kinodynamic"] = times_of("supple_kinodynamic_bench", "--benchmark_filter=^(copy|linear blend|flow)")
    say("what users would pick instead")
    record["peers"] = []
    if ozz:
        record["peers"] += peer("build/bench/supple_ozz_bench", str(file)) + peer("build/bench/supple_ozz_bench_native", str(file))
    record["peers"] += peer("node", "bench/peers/three_skinning.mjs", str(file))
    if python:
        record["peers"] += peer(python, "bench/peers/array_skinning.py", str(file))
    if blender:
        record["peers"] += peer(blender, "bench/peers/blender_skinning.py", str(file))
    return record


def ratios(record: dict[str, Any]) -> dict[str, float]:
    """What is compared between releases: every case over the copy, or the linear blend, of its own run."""
    made = {}
    for group in ("skinning", "frame", "eigenskin", "kinodynamic"):
        times = record[group]
        for name, ns in times.items():
            base = base_of(group, name, times)
            if base in times and name != base:
                made[f"{group}: {name}"] = ns / times[base]
    return made


def base_of(group: str, name: str, times: dict[str, float]) -> str:
    """The case that another one is divided by: of skinning the copy of the same vertices, of EigenSkin the linear blend of as many."""
    if group == "frame":
        return "copy"
    if group == "kinodynamic":
        return "linear blend"
    words = name.split("/")
    if group == "skinning":
        return "/".join(["copy", *words[1:3]])
    same = "/".join(["linear blend", *words[1:]])
    return same if same in times else "/".join(["linear blend", *words[1:2]])


def previous(record: dict[str, Any], folder: Path) -> dict[str, Any] | None:
    """The last record that was kept on such a machine."""
    kept = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    same = [one for one in kept if one["processor"] == record["processor"] and one["date"] <= record["date"]]
    return max(same, key=lambda one: one["date"]) if same else None


def slower(record: dict[str, Any], before: dict[str, Any]) -> list[tuple[str, float, float]]:
    then, now = ratios(before), ratios(record)
    return [(name, then[name], now[name]) for name in sorted(now) if name in then and now[name] > SLOWER * then[name]]


def bars(record: dict[str, Any]) -> str:
    """A pose of the file by every program, on a logarithmic scale, as SVG."""
    rows = [("copying positions and normals", record["frame"]["copy"] / 1e3, "#999")]
    rows += [(f"Supple, {name}", record["frame"][name] / 1e3, "#c0504d") for name in ("linear blend", "linear blend, two threads", "the file's skin") if name in record["frame"]]
    rows += [(one["program"], one["us_per_pose"], "#4f81bd") for one in record["peers"]]
    low, high = min(us for _, us, _ in rows) / 2, max(us for _, us, _ in rows)
    height = 26 * len(rows) + 40
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 860 {height}' font-family='sans-serif' font-size='13'>", f"<rect width='860' height='{height}' fill='white'/>"]
    for i, (name, us, colour) in enumerate(rows):
        width, y = 420 * math.log(us / low) / math.log(high / low), 14 + 26 * i
        out.append(f"<text x='300' y='{y + 13}' text-anchor='end'>{escape(name)}</text><rect x='310' y='{y}' width='{width:.1f}' height='18' fill='{colour}'/>")
        out.append(f"<text x='{316 + width:.1f}' y='{y + 13}'>{us:,.0f} us</text>")
    out.append(f"<text x='310' y='{height - 10}' fill='#666'>a pose of {escape(record['file'])}, logarithmic scale</text></svg>")
    return "\n".join(out) + "\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def page(record: dict[str, Any], before: dict[str, Any] | None) -> str:
    frame = record["frame"]
    ours = frame["linear blend"] / 1e3
    text = f"# Supple {record['release']} on {record['processor']}\n\n{record['date']}, by `script/performance`: one run, every time the fastest of many, cases in turns.\n\n"
    text += f"## A pose of {record['file']}\n\n![bars](performance.svg)\n\n"
    rows = [[name, f"{ns / 1e3:.1f}", f"{ns / frame['copy']:.1f}"] for name, ns in frame.items()]
    text += table(["Supple", "us", "x copy"], rows) + "\n"
    text += table(["linear blend by others", "us", "x ours, one thread"], [[one["program"], f"{one['us_per_pose']:.1f}", f"{one['us_per_pose'] / ours:.1f}"] for one in record["peers"]]) + "\n"
    for group, title in (("skinning", "Skinning, ns a vertex"), ("eigenskin", "EigenSkin, ns a vertex"), ("kinodynamic", "Kinodynamic skinning of 8000 vertices, us a frame")):
        unit = 1e3 if group == "kinodynamic" else 1
        over = ratios(record)
        rows = [[name, f"{ns / unit:.2f}", f"{over[f'{group}: {name}']:.2f}" if f"{group}: {name}" in over else ""] for name, ns in record[group].items()]
        text += f"## {title}\n\n" + table(["", "time", "x copy" if group == "skinning" else "x linear blend"], rows) + "\n"
    text += "## Since the last record\n\n"
    if before is None:
        return text + "There is none of such a machine.\n"
    found = slower(record, before)
    text += f"{before['release']} of {before['date']}: "
    if not found:
        return text + f"nothing takes more than {SLOWER:g} times what it took, measured by the copy or the linear blend of each run.\n"
    return text + "\n\n" + table(["slower", "then", "now"], [[name, f"{then:.2f}", f"{now:.2f}"] for name, then, now in found])


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/performance", description="Measures Supple on this machine and writes a page.")
    parser.add_argument("file", type=Path, help="a character with a clip (.glb)")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out" / "performance", help="folder of the page (default out/performance)")
    parser.add_argument("--python", help="Python with supple and NumPy, and torch where it is to be measured")
    parser.add_argument("--blender", help="Python with bpy")
    parser.add_argument("--ozz", type=Path, help="source of ozz-animation, a checkout")
    parser.add_argument("--keep", action="store_true", help="keep the record in docs/performance, as releases do")
    parser.add_argument("--check", action="store_true", help="end with 1 where something became slower")
    options = parser.parse_args()
    if options.ozz:
        for name in OZZ_FILES:
            if not (options.ozz / name).is_file():
                sys.exit(f"--ozz {options.ozz}: there is no {name}; give the folder of a checkout of ozz-animation")
        build_ozz(options.ozz)
    record = measure(options.file, options.python, options.blender, options.ozz)
    before = previous(record, RECORDS)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "performance.svg").write_text(bars(record))
    (options.output / "performance.md").write_text(page(record, before))
    (options.output / "record.json").write_text(json.dumps(record, indent=1) + "\n")
    if options.keep:
        RECORDS.mkdir(exist_ok=True)
        kind = "".join(c if c.isalnum() else "-" for c in record["processor"].lower()).strip("-")
        (RECORDS / f"{record['release']}-{kind}.json").write_text(json.dumps(record, indent=1) + "\n")
    found = slower(record, before) if before else []
    for name, then, now in found:
        print(f"slower: {name}: {then:.2f} -> {now:.2f}", file=sys.stderr)
    print(options.output / "performance.md")
    return 1 if options.check and found else 0


if __name__ == "__main__":
    sys.exit(main())
