"""Commands of the program as Python calls: words out of arguments, figures and objects out of what came of them."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, Union

from . import _core
from ._errors import SuppleWarning


class ProgressBar(Protocol):
    """What tqdm and its like can do."""

    total: Any

    def update(self, n: float = 1, /) -> object: ...


#: Told of a long job: a function of a stage and a fraction from 0 to 1, a bar like tqdm's, or True for a line on stderr.
Progress = Union[Callable[[str, float], object], ProgressBar, bool, None]

Path_ = Union[str, "os.PathLike[str]"]


class Figures(dict[str, Any]):
    """What a job measured, by the names that `--json` prints; also as attributes: figures.errors.train.relative."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no figure '{name}'; there are: {', '.join(self)}") from None


def _to_figures(value: Any) -> Any:
    if isinstance(value, dict):
        return Figures({key: _to_figures(one) for key, one in value.items()})
    return [_to_figures(one) for one in value] if isinstance(value, list) else value


def temporary_folder(owner: object | None = None) -> Path:
    """A folder that goes when `owner` does, or with the process."""
    folder = Path(tempfile.mkdtemp(prefix="supple-"))
    weakref.finalize(owner if owner is not None else _core, shutil.rmtree, folder, ignore_errors=True)
    return folder


class Result:
    """What a job made and measured. It may be given to the next job in place of a file."""

    def __init__(self, figures: Figures, text: str, path: Path | None, exit_code: int) -> None:
        #: What was measured: the same as the program's --json.
        self.figures = figures
        #: The same in words, as the program prints it.
        self.text = text
        #: The file or folder that was written; in a temporary folder, gone with this object, unless you named it.
        self.path = path
        #: False where the work was stopped or failed on the way: what was finished is kept.
        self.complete = exit_code != 3
        #: False where `improve` cannot help and wrote nothing, and where `compare` found a difference.
        self.ok = exit_code == 0

    def __fspath__(self) -> str:
        if self.path is None:
            raise TypeError("this job wrote no file")
        return str(self.path)

    @property
    def character(self) -> _core.Character:
        """The character that was written."""
        return _core.Character.load(os.fspath(self))

    @property
    def examples(self) -> _core.ExampleSet:
        """The examples that were written."""
        return _core.ExampleSet.load(os.fspath(self))

    @property
    def plan(self) -> _core.Plan:
        """The plan that was written."""
        return _core.Plan.load(os.fspath(self))

    def save(self, path: Path_) -> None:
        """Copies what was written to a place of your choice."""
        source = Path(os.fspath(self))
        if source.is_dir():
            shutil.copytree(source, path, dirs_exist_ok=True)
            return
        target = Path(path)
        if target.suffix != source.suffix and source.suffix == ".glb":
            _core.Character.load(str(source)).save(str(target))  # .gltf, .obj
            return
        unfinished = target.with_name(target.name + ".part")
        shutil.copyfile(source, unfinished)
        os.replace(unfinished, target)

    def __repr__(self) -> str:
        return f"<supple.Result {self.text.splitlines()[0] if self.text else ''}>"


#: A file, or what would be in it.
Input = Union[Path_, _core.Character, _core.ExampleSet, _core.Plan, Result]


def _to_word(value: Any, folder: Callable[[], Path]) -> str:
    """A value as the command line spells it; objects are written to files first."""
    if isinstance(value, (_core.Character, _core.ExampleSet, _core.Plan)):
        suffix = ".glb" if isinstance(value, _core.Character) else ".json" if isinstance(value, _core.Plan) else ""
        path = Path(tempfile.mkdtemp(dir=folder())) / f"input{suffix}"
        value.save(str(path))
        return str(path)
    if isinstance(value, bool):
        raise TypeError("must not be True or False")
    if isinstance(value, (int, float)):
        return repr(value)
    if hasattr(value, "__index__"):
        return repr(value.__index__())
    if hasattr(value, "__float__") and not isinstance(value, (str, os.PathLike)):
        return repr(float(value))
    return str(os.fspath(value))


def _words(options: Mapping[str, Any], folder: Callable[[], Path]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        if value is None:
            continue
        many = isinstance(value, Sequence) and not isinstance(value, str)
        for one in value if many else [value]:
            try:
                word = _to_word(one, folder)
            except TypeError as error:
                raise TypeError(f"{name.lstrip('-').replace('-', '_')}: {error}") from None
            if name.startswith("--"):
                words.append(f"{name}={word}")
            else:
                words.append(f"./{word}" if word.startswith("-") else word)
    return words


def _listener(progress: Progress) -> Callable[[str, float], object] | None:
    if progress is None or progress is False:
        return None
    if progress is True:

        def show(stage: str, fraction: float) -> None:
            print(f"\r\033[K{stage} {fraction:4.0%}", end="", file=sys.stderr, flush=True)

        return show
    if callable(progress):
        return progress
    bar, told = progress, 0.0
    bar.total = 1.0

    def advance(stage: str, fraction: float) -> None:
        nonlocal told
        describe = getattr(bar, "set_description", None)
        if describe is not None:
            describe(stage)
        if fraction > told:
            bar.update(fraction - told)
            told = fraction

    return advance


def run(
    command: Sequence[str],
    options: Mapping[str, Any],
    *,
    flags: Mapping[str, bool] | None = None,
    output: Path_ | None = None,
    writes: Literal["", "folder", ".glb", ".png", ".json"] = "",
    progress: Progress = None,
) -> Result:
    """Runs one command. `writes` says what it writes; where no place is named, that is a temporary one."""
    result = Result.__new__(Result)  # owns the temporary folder, if there is one
    inputs: list[Path] = []

    def input_folder() -> Path:
        if not inputs:
            inputs.append(Path(tempfile.mkdtemp(prefix="supple-")))
        return inputs[0]

    asked = [name for name, value in options.items() if name.startswith("--") and value is not None]
    if asked == ["--save-recipe"] and not any((flags or {}).values()):
        writes = ""  # the recipe of what the file has is all that is wanted
    path: Path | None = Path(os.fspath(output)) if output is not None else None
    if path is None and writes:
        path = temporary_folder(result) / ("result" if writes == "folder" else f"result{writes}")
    try:
        words = [*command, *_words(options, input_folder), *(name for name, on in (flags or {}).items() if on)]
        if path is not None:
            words.append(f"--output={path}")
        listener = _listener(progress)
        figures, text, exit_code = _core.run(words, listener)
        if progress is True:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    finally:
        for folder in inputs:
            shutil.rmtree(folder, ignore_errors=True)
    written = path if path is not None and path.exists() else None
    Result.__init__(result, _to_figures(json.loads(figures)), text, written, exit_code)
    if not result.complete:
        warnings.warn(f"{' '.join(command)} did not finish; what was finished is kept", SuppleWarning, stacklevel=3)
    return result
