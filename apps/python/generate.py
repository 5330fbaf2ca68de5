"""Writes the functions of the package from what the program says of its commands.

Usage: python apps/python/generate.py DESCRIPTION.json [--check]

DESCRIPTION.json is what supple._core.describe() returns; script/python_api makes it. With --check nothing is written,
and the exit code is 1 where a file is out of date.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "supple"
LEFT_OUT = {"studio", "demo", "completion"}  # they talk to a person
SHARED = {"--json", "--quiet", "--help", "--help-all", "--version"}
PATHS = {"FILE", "FOLDER", "PATH"}
SUFFIXES = {"render": ".png", "plan": ".json"}  # of what is written, where that is no character and no folder


def python_name(name: str) -> str:
    plain = name.lstrip("-").replace("-", "_")
    return plain + "_" if keyword.iskeyword(plain) else plain


def long_name(option: dict[str, Any]) -> str:
    return str(option["names"][-1])


def type_of(option: dict[str, Any]) -> str:
    kind = option["kind"]
    if kind == "word":
        one = "Literal[" + ", ".join(f'"{word}"' for word in option["value"].split("|")) + "]"
    elif option["value"] in PATHS:
        one = "Input"
    else:
        one = {"flag": "bool", "text": "str", "whole number": "int", "number": "float"}[kind]
    return f"Sequence[{one}] | {one}" if option["many"] else one


def written(command: dict[str, Any]) -> str:
    """What the command writes, as _run.run() calls it; empty: nothing that is asked for by --output."""
    for option in command["options"]:
        if long_name(option) == "--output":
            if option["writes_character"]:
                return ".glb"
            return "folder" if option["value"] == "FOLDER" else SUFFIXES[command["path"].split()[-1]]
    return ""


def documented(option: dict[str, Any]) -> str:
    notes = [text for text in (option["limits"], f"default {option['usual']}" if option["usual"] else "") if text]
    return option["help"] + (f" ({', '.join(notes)})" if notes else "")


def function(command: dict[str, Any]) -> str:
    words = command["path"].split()[1:]
    options = [o for o in command["options"] if long_name(o) not in SHARED and long_name(o) != "--output"]
    needed = [o for o in options if o["required"]]
    others = [o for o in options if not o["required"]]
    writes = written(command)
    lines = [f"def {python_name(words[-1])}("]
    lines += [f"    {python_name(long_name(o))}: {type_of(o)}," for o in needed]
    if writes:
        lines.append("    output: Path_ | None = None,")
    lines.append("    *,")
    lines += [f"    {python_name(long_name(o))}: {type_of(o)}{' = False' if o['kind'] == 'flag' else ' | None = None'}," for o in others]
    lines += ["    progress: Progress = None,", ") -> Result:"]
    lines.append(f'    """{command["summary"]}.')
    lines.append("")
    lines.append("    Args:")
    described = [(python_name(long_name(o)), documented(o)) for o in needed]
    if writes:
        described.append(("output", "where to write; otherwise a temporary place, see Result.save()"))
    described += [(python_name(long_name(o)), documented(o)) for o in others]
    described.append(("progress", "a function of a stage and a fraction, a bar like tqdm's, or True"))
    for name, text in described:
        text = text.replace("\\", "\\\\").replace('"""', "'''")
        lines += textwrap.wrap(f"{name}: {text}", 116, initial_indent=" " * 8, subsequent_indent=" " * 12)
    lines.append('    """')
    lines.append("    return run(")
    lines.append(f"        {json.dumps(words)},")
    lines.append("        {")
    lines += [f'            "{long_name(o)}": {python_name(long_name(o))},' for o in needed + others if o["kind"] != "flag"]
    lines.append("        },")
    if flags := [o for o in others if o["kind"] == "flag"]:
        lines.append("        flags={")
        lines += [f'            "{long_name(o)}": {python_name(long_name(o))},' for o in flags]
        lines.append("        },")
    if writes:
        lines += ["        output=output,", f'        writes="{writes}",']
    lines += ["        progress=progress,", "    )"]
    return "\n".join(lines)


def module(title: str, commands: list[dict[str, Any]]) -> str:
    head = f'''"""{title}

Made from the program's own description of its commands by apps/python/generate.py: change them there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ._run import Input, Path_, Progress, Result, run
'''
    body = "\n\n\n".join(function(command) for command in commands)
    if "Sequence[" not in body:
        head = head.replace("from collections.abc import Sequence\n", "")
    if "Literal[" not in body:
        head = head.replace("from typing import Literal\n", "")
    head = head.replace("annotations\n\n\n", "annotations\n\n")
    used = [name for name in ("Input", "Path_", "Progress", "Result", "run") if name in body]
    head = head.replace("Input, Path_, Progress, Result, run", ", ".join(used))
    return head + "\n\n" + body + "\n"


def main() -> int:
    program = json.loads(Path(sys.argv[1]).read_text())
    files: dict[str, str] = {}
    single = [c for c in program["commands"] if not c["commands"] and c["path"].split()[-1] not in LEFT_OUT]
    files["jobs"] = module("Whole jobs, as the commands of the program.", single)
    for group in program["commands"]:
        if group["commands"]:
            files[group["path"].split()[-1]] = module(f"{group['summary']}.", group["commands"])
    stale = [n for n, text in files.items() if not (PACKAGE / f"{n}.py").exists() or (PACKAGE / f"{n}.py").read_text() != text]
    if "--check" in sys.argv:
        for name in stale:
            print(f"apps/python/supple/{name}.py is out of date: script/python_api writes it", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (PACKAGE / f"{name}.py").write_text(files[name])
    print(f"python_api: {len(files)} files, {len(stale)} of them new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
