"""Plain folders, for `kubectl apply` and `helm`."""

from __future__ import annotations

from collections.abc import Sequence

from fourleaf.emit.commands import by_hand
from fourleaf.emit.destination import Destination, Emitter, Files, object_files, values_files
from fourleaf.emit.order import Folder


def files(folders: Sequence[Folder], destination: Destination) -> Files:
    """Return one file an object, and the values of each chart."""
    return {**dict(object_files(folders)), **dict(values_files(folders))}


def route(folders: Sequence[Folder], destination: Destination) -> str:
    """Tell which command applies which folder."""
    return (
        "Run these in this folder, one after the other. Each folder stands by itself: what it needs is in those before it.\n"
        "Every command can be run again.\n\n" + by_hand(folders, "kubectl apply --server-side -f")
    )


EMITTER = Emitter(files=files, route=route)
