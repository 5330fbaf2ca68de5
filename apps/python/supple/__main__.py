"""python -m supple simulate ...: a command of the program, as jobs of a cluster start it."""

from __future__ import annotations

import sys

from . import _core
from ._errors import Error


def main() -> int:
    try:
        _, text, code = _core.run(sys.argv[1:])
    except (Error, ValueError) as error:
        print(f"supple: error: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    return code


if __name__ == "__main__":
    sys.exit(main())
