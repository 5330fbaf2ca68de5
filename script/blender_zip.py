"""Packs an extension for Blender: a folder with a manifest, and wheels. Called by script/blender.

Usage: blender_zip.py SOURCE WHEELS OUTPUT
"""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

PLATFORMS = {  # of a wheel's tag, as Blender calls them
    r"manylinux.*_x86_64": "linux-x64",
    r"manylinux.*_aarch64": "linux-arm64",
    r"macosx.*_arm64": "macos-arm64",
    r"macosx.*_x86_64": "macos-x64",
    r"win_amd64": "windows-x64",
}
REQUIRED = {  # by Blender's description of blender_manifest.toml, version 1.0.0
    "schema_version": r"1\.0\.0",
    "id": r"[a-z][a-z0-9_]+",
    "version": r"\d+\.\d+\.\d+",
    "name": r".+",
    "tagline": r".{1,63}[^.!?]",
    "maintainer": r".+",
    "type": r"add-on",
    "blender_version_min": r"4\.[2-9]\.\d+",
}
MARK = "# script/blender writes the lines `platforms` and `wheels` here, for the wheels that it puts in.\n"


def platform_of(wheel: str) -> str:
    for tag, name in PLATFORMS.items():
        if re.search(tag + r"(\.|$)", wheel.removesuffix(".whl")):
            return name
    sys.exit(f"{wheel}: a wheel of a system that Blender does not name")


def check(manifest: str, files: set[str]) -> dict[str, str]:
    """Stops with what is wrong; otherwise the plain values of the manifest."""
    top = manifest.split("\n[", 1)[0]
    values = dict(re.findall(r'^(\w+) = "([^"]*)"$', top, re.MULTILINE))
    for name, pattern in REQUIRED.items():
        if not re.fullmatch(pattern, values.get(name, "")):
            sys.exit(f"blender_manifest.toml: '{name}' is missing or malformed: {values.get(name)}")
    if not re.search(r'^license = \["SPDX:GPL-3\.0-or-later"\]$', top, re.MULTILINE):
        sys.exit("blender_manifest.toml: the license must be SPDX:GPL-3.0-or-later")
    named = re.findall(r'"\./(wheels/[^"]+)"', top)
    if not named or set(named) != {name for name in files if name.startswith("wheels/")}:
        sys.exit(f"blender_manifest.toml: it names other wheels than there are: {named}")
    for name in ("__init__.py", "LICENSE"):
        if name not in files:
            sys.exit(f"{name} is missing")
    return values


def main(source: Path, wheels: Path, output: Path) -> None:
    files = {path.name: path for path in sorted(source.iterdir()) if path.suffix == ".py" or path.name == "LICENSE"}
    files |= {f"wheels/{path.name}": path for path in sorted(wheels.glob("*.whl"))}
    platforms = sorted({platform_of(name) for name in files if name.startswith("wheels/")})
    if len(platforms) != 1:
        sys.exit(f"wheels of one system are wanted, not of {len(platforms)}: {', '.join(platforms)}")
    text = (source / "blender_manifest.toml").read_text()
    if MARK not in text:
        sys.exit("blender_manifest.toml: the line that is replaced by wheels is missing")
    named = "".join(f'    "./{name}",\n' for name in files if name.startswith("wheels/"))
    manifest = text.replace(MARK, f'platforms = ["{platforms[0]}"]\nwheels = [\n{named}]\n')
    values = check(manifest, set(files))
    target = output / f"{values['id']}-{values['version']}-{platforms[0]}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"blender_manifest.toml": manifest.encode(), **{name: path.read_bytes() for name, path in files.items()}}.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)  # the same bytes every time


if __name__ == "__main__":
    main(*(Path(one) for one in sys.argv[1:4]))
