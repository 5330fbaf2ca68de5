"""Meshes to and from trimesh, without depending on it; torch and others take every array by DLPack as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from . import _core


def to_trimesh(part: _core.Part, positions: NDArray[np.float32] | None = None) -> Any:
    """A trimesh.Trimesh of a part, at rest or where a skin has put it."""
    import numpy as np
    import trimesh  # type: ignore[import-not-found, import-untyped, unused-ignore]

    vertices = np.array(part.positions if positions is None else positions)
    return trimesh.Trimesh(vertices=vertices, faces=np.array(part.triangles, dtype=np.int64), process=False)


def from_trimesh(mesh: Any) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Vertices (V, 3) and triangles (T, 3) of a trimesh, as Character.from_arrays takes them."""
    import numpy as np

    return np.asarray(mesh.vertices, dtype=np.float32), np.asarray(mesh.faces, dtype=np.uint32)
