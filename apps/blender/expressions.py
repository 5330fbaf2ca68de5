# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers of SUPPLE_deformers as short formulas that Blender computes without Python.

A driver of Blender holds an expression of at most 255 characters, reads single precision numbers and writes one. So the
formula of a morph weight (docs/SUPPLE_deformers.md, "Evaluation") is cut into cells: numbers of custom properties, each
with an expression of cells before it. Coefficients of wide kernels are large and cancel, which single precision would not
survive: where they are, a number is kept as the sum of two cells, the second holding what the first was rounded by.

Nothing here needs Blender.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import Any, Union

MAX_EXPRESSION = 255  # characters, by Blender
NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # of variables in an expression
SMALL = 2.5e-13  # squared half angle below which a rotation counts as none: 1e-6 radians
SINGLE = 6e-8  # what single precision rounds by, of a number
# A rounding by the measure of _rounding, in sizes of the character, that nobody sees. It takes the farthest moves of all
# targets for moves of one vertex: of the hand of `supple demo` it is 2.1e-5, and vertices were off by 4e-6.
ENOUGH = 2.5e-5


@dataclass(frozen=True)
class Bone:
    """A component of a joint's rotation away from the rest of its bone; `joint` counts in the driver's joints."""

    joint: int
    component: str  # w, x, y or z


@dataclass(frozen=True)
class Cell:
    """A number in an array of the program."""

    array: str
    index: int


@dataclass
class Formula:
    expression: str
    variables: dict[str, Union[Bone, Cell]]


@dataclass
class Program:
    """Formulas of a driver. Arrays stand in an order in which each needs those before it only."""

    arrays: dict[str, list[Formula]] = field(default_factory=dict)
    weights: list[Formula] = field(default_factory=list)  # one for each driven morph target


#: A number of the program: one cell, or two that add up to it.
Value = tuple[Cell, ...]
#: A piece of a sum: text with a {} for each of its values.
Term = tuple[str, list[Value]]


def number(value: float, digits: int = 9) -> str:
    """A number in few characters."""
    text = f"{value:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    if mantissa.lstrip("-").startswith("0."):
        mantissa = mantissa.replace("0.", ".", 1)
    return mantissa + (f"e{int(exponent)}" if exponent else "")


def signed(value: float, digits: int = 9) -> str:
    text = number(value, digits)
    return text if text.startswith("-") else "+" + text


class _Writer:
    """Puts formulas into a program."""

    def __init__(self, exact: bool) -> None:
        self.program = Program()
        self.exact = exact

    def formula(self, text: str, values: list[Value], leaves: list[Union[Bone, Cell]] = []) -> Formula | None:
        """`text` has a {} for each leaf and value, leaves first; None: it is too long for Blender."""
        names: dict[Union[Bone, Cell], str] = {}

        def name(one: Union[Bone, Cell]) -> str:
            return names.setdefault(one, NAMES[len(names)] if len(names) < len(NAMES) else "?")

        words = [name(one) for one in leaves]
        for value in values:
            words.append(name(value[0]) if len(value) == 1 else f"({name(value[0])}+{name(value[1])})")
        expression = text.format(*words)
        if len(expression) > MAX_EXPRESSION or len(names) >= len(NAMES):
            return None
        return Formula(expression, {letter: one for one, letter in names.items()})

    def store(self, array: str, formula: Formula, exact: bool) -> Value:
        """A new number of an array, computed by a formula that leaves a few characters free."""
        cells = self.program.arrays.setdefault(array, [])
        cell = Cell(array, len(cells))
        cells.append(formula)
        if not exact:
            return (cell,)
        rest = next(letter for letter in reversed(NAMES) if letter not in formula.variables)
        low = self.program.arrays.setdefault(array + " low", [])
        low.append(Formula(f"({formula.expression})-{rest}", {**formula.variables, rest: cell}))
        return (cell, Cell(array + " low", len(low) - 1))

    def number(self, array: str, text: str, leaves: list[Union[Bone, Cell]], values: list[Value] = [], exact: bool | None = None) -> Value:
        formula = self.formula(text, values, leaves)
        exact = self.exact if exact is None else exact
        if formula is None or len(formula.expression) + 4 * exact > MAX_EXPRESSION:
            raise AssertionError(f"a formula of '{array}' does not fit into a driver: {text}")
        return self.store(array, formula, exact)

    def total(self, array: str, terms: list[Term], frame: str = "{}", spare: int = 0) -> Formula:
        """A formula of the sum of terms, framed by some text; sums too long for one expression are cut into cells."""
        level = 0
        while True:
            whole = self._sum(terms, frame)
            if whole is not None and len(whole.expression) + spare <= MAX_EXPRESSION:
                return whole
            level += 1
            part = f"{array} {level}"
            shorter: list[Term] = []
            begin = 0
            while begin < len(terms):
                end = begin + 1
                best = self._sum(terms[begin:end], "{}")
                while end < len(terms):
                    longer = self._sum(terms[begin : end + 1], "{}")
                    if longer is None or len(longer.expression) + 4 > MAX_EXPRESSION:
                        break
                    best, end = longer, end + 1
                assert best is not None
                shorter.append(("+{}", [self.store(part, best, self.exact)]))
                begin = end
            terms = shorter

    def _sum(self, terms: list[Term], frame: str) -> Formula | None:
        text = "".join(term for term, _ in terms) or "0"
        text = frame.replace("{}", text[1:] if text.startswith("+") else text)
        return self.formula(text, [value for _, values in terms for value in values])


def times(a: list[float], b: list[float]) -> list[float]:
    """The product of quaternions x, y, z, w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def conjugate(q: list[float]) -> list[float]:
    return [-q[0], -q[1], -q[2], q[3]]


def _is_none(q: list[float]) -> bool:
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] < SMALL


def _turn(writer: _Writer, joint: int, offset: list[float]) -> list[Cell]:
    """Cells x, y, z, w of the setting of a joint: reference^-1 * local, which is `offset` times the bone's own rotation."""
    bone = [Bone(joint, one) for one in "xyzw"]
    # Row r of the matrix that multiplies by the offset from the left.
    rows = list(zip(*(times(offset, [float(i == column) for i in range(4)]) for column in range(4))))
    cells = []
    for row in rows:
        used = [(bone[i], value) for i, value in enumerate(row) if value != 0]
        text = "".join("+{}" if value == 1 else signed(value, 17) + "*{}" for _, value in used).removeprefix("+")
        cells.append(writer.number("turn", text or "0", [one for one, _ in used], exact=False)[0])
    return cells


def _pose_rows(writer: _Writer, driver: dict[str, Any], turns: list[list[Cell]]) -> list[Value]:
    """Basis functions of the kernel `pose`."""
    count = len(turns)
    known: dict[tuple[int, tuple[float, ...]], Value] = {}

    def kappa(joint: int, centre: list[float]) -> Value:
        key = (joint, tuple(centre))
        if key not in known:
            scale = 2 / driver["radii"][joint] ** 2
            out = math.exp(-scale * (centre[0] ** 2 + centre[1] ** 2 + centre[2] ** 2))
            # The squared vector part of s^-1 c is |c|^2 - (s . c)^2 for a unit quaternion s. Those of single precision are
            # not quite of unit length, which large coefficients would show: all is divided by the square of it.
            dot = "".join(f"{signed(value, 12)}*{{{i}}}" for i, value in enumerate(centre) if value != 0).removeprefix("+")
            square = "({0}*{0}+{1}*{1}+{2}*{2}+{3}*{3})"
            text = (
                f"exp(-{number(scale, 12)}*({number(sum(v * v for v in centre), 17)}-pow({dot},2)/{square}))"
                f"-{number(out, 12)}*exp(-{number(scale, 12)}*(1-{{3}}*{{3}}/{square})) if {{0}}*{{0}}+{{1}}*{{1}}+{{2}}*{{2}}>{SMALL} else 0"
            )
            known[key] = writer.number("near", text, list(turns[joint]))
        return known[key]

    rows = []
    for flat in driver["centres"]:
        centre = [flat[4 * k : 4 * k + 4] for k in range(count)]
        near = {k: kappa(k, centre[k]) for k in range(count) if not _is_none(centre[k])}
        partners: dict[int, list[int]] = {}
        for a, b in driver.get("pairs", []):
            if a in near and b in near and driver["pairWeight"] != 0:
                partners.setdefault(a, []).append(b)
        terms: list[Term] = [("+{}", [value]) for value in near.values()]
        for a, others in partners.items():
            for begin in range(0, len(others), 16):
                some = others[begin : begin + 16]
                text = f"+{number(driver['pairWeight'], 12)}*{{}}*({'+'.join(['{}'] * len(some))})"
                terms.append((text, [near[a], *(near[b] for b in some)]))
        rows.append(writer.store("row", writer.total("row", terms, spare=4), writer.exact) if terms else ())
    return rows


def _apart(rotation: list[float]) -> str:
    """The lesser squared chord from four cells to a rotation and to its negative, which is the same rotation."""
    chords = ("+".join(f"pow({{{i}}}{signed(sign * value, 12)},2)" for i, value in enumerate(rotation)) for sign in (-1, 1))
    return f"min({','.join(chords)})"


def _twist(q: list[float], axis: list[float]) -> list[float]:
    along = sum(q[i] * axis[i] for i in range(3))
    length = math.hypot(along * math.hypot(*axis), q[3])
    return [0.0, 0.0, 0.0, 1.0] if length < 1e-6 else [axis[0] * along / length, axis[1] * along / length, axis[2] * along / length, q[3] / length]


def _swing_and_twist(writer: _Writer, turn: list[Cell], axis: list[float]) -> tuple[list[Cell], list[Cell]]:
    """Cells of the two parts of a setting, swing * twist."""
    along = "".join(f"{signed(value)}*{{{i}}}" for i, value in enumerate(axis) if value != 0).removeprefix("+")
    v = writer.number("along", along, list(turn), exact=False)[0]
    twist = []
    for part in ("{0}", "{1}"):  # sine and cosine of half the twist
        at_half_a_turn = "0" if part == "{0}" else "1"
        twist.append(
            writer.number("twist half", f"{part}/sqrt({{0}}*{{0}}+{{1}}*{{1}}) if {{0}}*{{0}}+{{1}}*{{1}}>1e-12 else {at_half_a_turn}", [v, turn[3]], exact=False)[0]
        )
    sine, cosine = twist
    whole = [writer.number("twist", f"{{0}}*{number(value)}", [sine], exact=False)[0] for value in axis]
    whole.append(writer.number("twist", "{0}", [cosine], exact=False)[0])
    swing = []
    for component in range(4):
        # q * twist^-1: each component a sum over the components of q, signs as in _times.
        pieces = []
        for i in range(4):
            for j in range(4):
                unit = times([float(i == k) for k in range(4)], conjugate([float(j == k) for k in range(4)]))[component]
                if unit:
                    pieces.append(f"{'+' if unit > 0 else '-'}{{{i}}}*{{{4 + j}}}")
        swing.append(writer.number("swing", "".join(pieces).removeprefix("+"), [*turn, *whole], exact=False)[0])
    return swing, whole


def _radial_rows(writer: _Writer, driver: dict[str, Any], turns: list[list[Cell]]) -> list[Value]:
    """Basis functions of all other kernels: by the distance of the setting to each centre."""
    axes = driver.get("twistAxes")
    weight = driver.get("twistWeight", 1)
    split = [_swing_and_twist(writer, turn, axis) for turn, axis in zip(turns, axes)] if axes else []
    kernel, radius = driver["kernel"], driver.get("radius", 1)
    frame = {
        "exponential": f"exp(-sqrt({{}})/{number(radius, 12)})",
        "gaussian": f"exp(-({{}})/{number(radius * radius, 12)})",
        "linear": "sqrt({})",
        "cubic": "pow({},1.5)",
    }[kernel]
    rows = []
    for flat in driver["centres"]:
        terms: list[Term] = []
        for k, turn in enumerate(turns):
            centre = flat[4 * k : 4 * k + 4]
            parts = [(turn, centre, 1.0)]
            if axes:
                twist = _twist(centre, axes[k])
                parts = [(split[k][0], times(centre, conjugate(twist)), 1.0), (split[k][1], twist, weight)]
            for cells, rotation, scale in parts:
                if scale == 0:
                    continue
                gap = writer.number("near", _apart(rotation), list(cells))
                terms.append((f"+(pow({number(4 * scale, 12)}*asin(sqrt({{}})/2),2) if {{}}>{SMALL} else 0)", [gap, gap]))
        rows.append(writer.store("row", writer.total("row", terms, frame, spare=4), writer.exact))
    if kernel == "cubic":
        rows.append(())  # the row 1, see `weights`
        for turn in turns:
            for i in range(3):
                length = "sqrt({0}*{0}+{1}*{1}+{2}*{2})"
                text = f"2*atan2({length},fabs({{3}}))/max({length},1e-30)*(1 if {{3}}>=0 else -1)*{{{i}}}"
                rows.append(writer.number("row", text, list(turn)))
    return rows


def _rows_at(driver: dict[str, Any], setting: list[float]) -> list[float]:
    """How large the rows of a driver are in a setting; a bound of it but for the kernel `pose`."""
    joints = len(driver["joints"])
    if driver["kernel"] != "pose":
        farthest = math.pi * math.sqrt(2 * joints)
        bound = {"linear": farthest, "cubic": farthest**3}.get(driver["kernel"], 1.0)
        return [bound] * len(driver["centres"]) + [math.pi] * (len(driver["coefficients"]) - len(driver["centres"]))
    scales = [2 / radius**2 for radius in driver["radii"]]

    def sine(flat: list[float], k: int) -> float:  # squared, of half the angle from rest
        return flat[4 * k] ** 2 + flat[4 * k + 1] ** 2 + flat[4 * k + 2] ** 2

    turned = [k for k in range(joints) if sine(setting, k) > SMALL]
    rows = []
    for flat in driver["centres"]:
        near = [0.0] * joints
        for k in turned:
            if sine(flat, k) > SMALL:
                apart = max(0.0, 1 - sum(setting[4 * k + i] * flat[4 * k + i] for i in range(4)) ** 2)
                near[k] = math.exp(-scales[k] * apart) - math.exp(-scales[k] * (sine(setting, k) + sine(flat, k)))
        rows.append(sum(near) + driver["pairWeight"] * sum(near[a] * near[b] for a, b in driver.get("pairs", [])))
    return rows


def _rounding(driver: dict[str, Any], reach: list[float]) -> float:
    """What cells of single precision would move vertices by, in the units of `reach`: three standard deviations, in the worst of some settings."""
    every = max(1, len(driver["centres"]) // 16)
    worst = 0.0
    for setting in driver["centres"][::every]:
        rows = _rows_at(driver, setting)
        terms = ((row * value * far) ** 2 for row, values in zip(rows, driver["coefficients"]) for value, far in zip(values, reach))
        worst = max(worst, 3 * SINGLE * math.sqrt(sum(terms)))
    return worst


def _in_single_precision(value: Any) -> Any:
    """A number, or numbers in lists, as the engine keeps them."""
    return [_in_single_precision(one) for one in value] if isinstance(value, list) else struct.unpack("f", struct.pack("f", value))[0]


def compile_driver(driver: dict[str, Any], offsets: list[list[float]], reach: list[float]) -> Program:
    """Formulas of a driver of SUPPLE_deformers, as JSON has it.

    `offsets`: for each of its joints the quaternion x, y, z, w of reference^-1 * rest, rest being the rotation that the
    joint has relative to its parent where its bone is at rest. `reach`: how far each driven target moves a vertex at most, in
    sizes of the character.
    """
    pose = driver["kernel"] == "pose"
    # The engine's numbers, from which the file's decimals are a little off; coefficients are double precision, but for this kernel.
    singles = ["radius", "radii", "pairWeight", "twistAxes", "twistWeight", "centres", "restWeights", "least", "most"] + ["coefficients"] * pose
    driver = {**driver, **{name: _in_single_precision(driver[name]) for name in singles if name in driver}}
    writer = _Writer(exact=_rounding(driver, reach) > ENOUGH)
    turns = [_turn(writer, k, offset) for k, offset in enumerate(offsets)]
    rows = (_pose_rows if pose else _radial_rows)(writer, driver, turns)
    for target, rest in enumerate(driver["restWeights"]):
        terms: list[Term] = []
        for value, row in zip(rows, driver["coefficients"]):
            if row[target] == 0:
                continue
            if value:
                terms.append((f"{signed(row[target], (12 if pose else 17) if writer.exact else 9)}*{{}}", [value]))
            elif not pose:
                rest += row[target]  # the row 1 of cubic
        frame = f"{number(rest, 17)}+{{}}"
        for limit, clamp in (("least", "max"), ("most", "min")):
            if driver.get(limit):
                frame = f"{clamp}({frame},{number(driver[limit][target])})"
        writer.program.weights.append(writer.total("sum", terms, frame))
    order = ["turn", "along", "twist half", "twist", "swing", "near", "row", "sum"]

    def place(name: str) -> tuple[int, bool, str]:
        base = name.removesuffix(" low")
        kind = next(i for i in reversed(range(len(order))) if base == order[i] or base.startswith(order[i] + " "))
        return kind, base == order[kind], name  # partial sums come before what they are parts of

    writer.program.arrays = {name: writer.program.arrays[name] for name in sorted(writer.program.arrays, key=place)}
    return writer.program
