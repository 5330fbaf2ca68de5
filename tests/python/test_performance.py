"""The page that script/performance makes, from records that were written down here."""

from __future__ import annotations

import importlib.util
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

PROGRAM = ROOT / "bench" / "performance.py"


@pytest.fixture(scope="module")
def performance() -> Any:
    if not PROGRAM.exists():
        pytest.skip("the benchmarks are not here")
    spec = importlib.util.spec_from_file_location("performance", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record(**changed: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "release": "1.0",
        "date": "2026-01-02",
        "processor": "one",
        "file": "<hand>.glb",
        "skinning": {"copy/8k/PN": 0.5, "linear/8k/PN/i4/t1": 1.5, "linear/8k/PN/i4/t2": 0.9},
        "frame": {"copy": 7000.0, "linear blend": 21000.0, "the file's skin": 56000.0},
        "eigenskin": {"linear blend/10k": 1.4, "EigenSkin 5+5/10k": 2.8, "EigenSkin 5+5/10k/two threads": 1.5},
        "kinodynamic": {"copy": 6000.0, "linear blend": 26000.0, "flow of a figure": 2.3e6},
        "peers": [{"program": "another", "us_per_pose": 4200.0}],
    }
    return made | changed


def test_ratios_are_of_the_same_run(performance: Any) -> None:
    found = performance.ratios(record())
    assert found["skinning: linear/8k/PN/i4/t1"] == pytest.approx(3)
    assert found["frame: the file's skin"] == pytest.approx(8)
    assert found["eigenskin: EigenSkin 5+5/10k/two threads"] == pytest.approx(1.5 / 1.4)
    assert found["kinodynamic: flow of a figure"] == pytest.approx(2.3e6 / 26000)


def test_what_became_slower_is_told_and_a_slower_machine_is_not(performance: Any, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(record()))
    (tmp_path / "b.json").write_text(json.dumps(record(processor="another", date="2026-01-03")))
    busy = record(date="2026-02-01", frame={name: 2 * ns for name, ns in record()["frame"].items()})
    before = performance.previous(busy, tmp_path)
    assert before["processor"] == "one" and performance.slower(busy, before) == []
    assert "nothing takes more" in performance.page(busy, before)
    worse = record(date="2026-02-01", frame=record()["frame"] | {"the file's skin": 70000.0})
    assert [name for name, _, _ in performance.slower(worse, before)] == ["frame: the file's skin"]
    assert "| frame: the file's skin | 8.00 | 10.00 |" in performance.page(worse, before)
    assert performance.previous(record(processor="third"), tmp_path) is None


def test_the_plot_has_a_bar_for_every_program(performance: Any) -> None:
    drawn = ElementTree.fromstring(performance.bars(record()))
    names = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "another" in names and "Supple, linear blend" in names
    widths = [float(one.get("width", "0")) for one in drawn.iter("{http://www.w3.org/2000/svg}rect")][1:]
    assert widths == sorted(widths) and widths[0] > 0
