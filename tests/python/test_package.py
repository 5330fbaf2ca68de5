"""The package as a whole: generated files are fresh, types hold, words in the docs run."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import supple
from supple import _core

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "apps" / "python"


def test_functions_are_those_that_the_program_describes(tmp_path: Path) -> None:
    (tmp_path / "description.json").write_text(_core.describe())
    words = [sys.executable, str(SOURCES / "generate.py"), str(tmp_path / "description.json"), "--check"]
    checked = subprocess.run(words, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_every_command_has_a_function_with_all_its_options() -> None:
    def commands(above: dict) -> list[dict]:
        return [c for b in above["commands"] for c in (commands(b) if b["commands"] else [b])]

    for command in commands(json.loads(_core.describe())):
        words = command["path"].split()[1:]
        if words[0] in ("studio", "demo", "completion"):
            continue
        function = supple
        for word in words:
            name = word.replace("-", "_")
            function = getattr(function, name if hasattr(function, name) else name + "_")
        taken = set(inspect.signature(function).parameters)
        for option in command["options"]:
            name = option["names"][-1].lstrip("-").replace("-", "_")
            assert name in taken or name + "_" in taken or name in ("json", "quiet", "help", "help_all"), (words, name)


def test_the_package_runs_commands_as_a_program(tmp_path: Path) -> None:
    """Jobs of a cluster start it so."""

    def program(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "supple", *words], capture_output=True, text=True, cwd=tmp_path)

    made = program("make", "limb", "--vertices", "200", "-o", "limb.glb")
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "limb.glb").exists()
    refused = program("inspect", "absent.glb")
    assert refused.returncode == 2
    assert "absent.glb" in refused.stderr


def test_everything_is_documented() -> None:
    for name in supple.__all__:
        thing = getattr(supple, name)
        assert inspect.getdoc(thing), f"supple.{name} says nothing"
    for kind in (supple.Character, supple.Skin, supple.Pose, supple.Part, supple.ExampleSet, supple.Plan):
        assert inspect.getdoc(kind)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_hold(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker, reason=f"{checker} is not installed")
    if checker == "pyright" and shutil.which("node") is None:
        pytest.skip("pyright needs node")
    package = Path(supple.__file__).parent
    # laid together as installed: with its stub, without links
    shutil.copytree(package, tmp_path / "supple", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copytree(ROOT / "samples" / "python", tmp_path / "samples", ignore=shutil.ignore_patterns("__pycache__"))
    words = {"mypy": ["--strict", "--cache-dir", str(tmp_path / "cache")], "pyright": ["--pythonpath", sys.executable]}[checker]
    environment = {**os.environ, "PYTHONPATH": "", "MYPYPATH": str(tmp_path)}
    checked = subprocess.run(
        [sys.executable, "-m", checker, *words, "supple", *map(str, sorted((tmp_path / "samples").glob("*.py")))],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def snippets() -> list[tuple[str, str]]:
    found = []
    for page in (SOURCES / "README.md", ROOT / "docs" / "python.md", ROOT / "README.md"):
        for number, text in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S)):
            found.append((f"{page.name} {number}", text))
    return found


@pytest.mark.parametrize(("name", "text"), snippets(), ids=[name for name, _ in snippets()])
def test_words_in_the_docs_run(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hand_file: Path) -> None:
    """Each by itself, in a folder with a hand, a fitted hand, and a body that moves."""
    shutil.copy(hand_file, tmp_path / "hand.glb")
    supple.make.figure(tmp_path / "body.glb", vertices=2000)
    monkeypatch.chdir(tmp_path)
    exec(compile(text, name, "exec"), {})


def samples() -> list[Path]:
    return sorted((ROOT / "samples" / "python").glob("*.py"))


@pytest.mark.parametrize("sample", samples(), ids=lambda path: path.stem)
def test_samples_run(sample: Path, tmp_path: Path) -> None:
    needed = re.findall(r"^# needs (\w+)", sample.read_text(), re.M)
    for package in needed:
        pytest.importorskip(package, reason=f"{package} is not installed")
    environment = {**os.environ, "MPLBACKEND": "Agg", "SUPPLE_SMALL": "1"}
    done = subprocess.run([sys.executable, str(sample)], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.iterdir()), "a sample leaves something to look at"
