"""Supple: rigged mesh in, skin that behaves out.

    import numpy as np, supple
    hand = supple.load("hand.glb")
    pose = hand.rest()
    pose.rotate("index-finger-phalanx-proximal", flexion=np.radians(40))
    vertices = supple.Skin(hand).evaluate(pose)      # (V, 3) float32, metres

Every command of the program is a function of the same name with the same options: supple.improve(), supple.fit(),
supple.add.flesh(), supple.scan.build(). They take files or objects, and return a Result.
"""

from ._core import Character, Clip, ExampleSet, ExampleWriter, Part, Plan, Pose, Skin, Take
from ._core import version as __version__
from ._errors import Error, SuppleWarning
from ._run import Figures, Result
from ._teach import make_examples, teach
from . import add, cuda, examples, interop, make, scan
from .jobs import bake, bind, compare, convert, fit, improve, inspect, measure, plan, pose, remove, render, simulate, subdivide

load = Character.load

__all__ = [
    "Character",
    "Clip",
    "Error",
    "ExampleSet",
    "ExampleWriter",
    "Figures",
    "Part",
    "Plan",
    "Pose",
    "Result",
    "Skin",
    "Take",
    "SuppleWarning",
    "__version__",
    "add",
    "bake",
    "bind",
    "compare",
    "convert",
    "cuda",
    "examples",
    "fit",
    "improve",
    "inspect",
    "interop",
    "load",
    "make",
    "make_examples",
    "measure",
    "plan",
    "pose",
    "remove",
    "render",
    "scan",
    "simulate",
    "subdivide",
    "teach",
]
