# SPDX-License-Identifier: GPL-3.0-or-later
"""A .glb file that Blender's exporter wrote, to be changed: its JSON, and its one buffer."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FLOAT = 5126  # the component type of glTF
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


@dataclass
class Glb:
    document: dict[str, Any]
    data: bytes

    @staticmethod
    def read(path: Path) -> Glb:
        content = path.read_bytes()
        (length,) = struct.unpack_from("<I", content, 12)
        return Glb(json.loads(content[20 : 20 + length]), content[20 + length + 8 :])

    def write(self, path: Path) -> None:
        data = self.data + bytes(-len(self.data) % 4)
        self.document["buffers"][0]["byteLength"] = len(data)
        text = json.dumps(self.document).encode()
        text += b" " * (-len(text) % 4)
        total = 12 + 8 + len(text) + 8 + len(data)
        path.write_bytes(
            struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
        )

    def numbers(self, accessor: int) -> np.ndarray:
        """Numbers of single precision, (count, width) or (count,)."""
        described = self.document["accessors"][accessor]
        view = self.document["bufferViews"][described["bufferView"]]
        width = WIDTHS[described["type"]]
        begin = view.get("byteOffset", 0) + described.get("byteOffset", 0)
        found = np.frombuffer(self.data, np.float32, described["count"] * width, begin)
        return found if width == 1 else found.reshape(-1, width)

    def add(self, numbers: np.ndarray, bounds: bool = False) -> int:
        """A new accessor of single numbers; with their bounds, which times of animations must have."""
        self.data += bytes(-len(self.data) % 4)
        content = numbers.astype(np.float32).ravel()
        self.document["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": content.nbytes})
        self.data += content.tobytes()
        view = len(self.document["bufferViews"]) - 1
        described = {"bufferView": view, "componentType": FLOAT, "count": content.size, "type": "SCALAR"}
        if bounds:
            described |= {"min": [float(content.min())], "max": [float(content.max())]}
        self.document["accessors"].append(described)
        return len(self.document["accessors"]) - 1
