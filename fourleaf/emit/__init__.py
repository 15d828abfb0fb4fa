"""A bundle becomes files: text for a target, and then, in `write` alone, the disk."""

from __future__ import annotations

from collections.abc import Mapping

from fourleaf.emit import argocd, kustomize, plain
from fourleaf.emit.binding import patch_text
from fourleaf.emit.changes import Changes, Comparison
from fourleaf.emit.destination import Destination, Emitter
from fourleaf.emit.layouts import layouts_file
from fourleaf.emit.lock import Lock
from fourleaf.emit.manifest import manifest
from fourleaf.emit.order import file_names, folders
from fourleaf.emit.readme import readme
from fourleaf.emit.rules import RULES
from fourleaf.emit.write import compare, plan_write, write, write_all
from fourleaf.ir import Binding, Bundle

__all__ = [
    "EMITTERS",
    "RULES",
    "Changes",
    "Comparison",
    "Destination",
    "Lock",
    "binding_paths",
    "compare",
    "emit",
    "folders",
    "manifest",
    "plan_write",
    "write",
    "write_all",
]

EMITTERS: Mapping[str, Emitter] = {
    "argocd": argocd.EMITTER,
    "kustomize": kustomize.EMITTER,
    "plain": plain.EMITTER,
}
"""Target to what writes it. A target of the spec that is not here is not built yet."""


def emit(bundle: Bundle, destination: Destination, target: str) -> dict[str, str]:
    """Return every file of a set for a target, by path.

    Raises:
        KeyError: the target is not in EMITTERS.
        AssertionError: parts refer to each other in a circle, or Argo CD has no repository: errors of ours.
    """
    emitter = EMITTERS[target]
    ordered = folders(bundle)
    bindings = binding_paths(bundle)
    files = emitter.files(ordered, destination)
    files |= {path: patch_text(binding) for path, binding in bindings.items()}
    files |= layouts_file(destination.plan) if destination.plan else {}
    files["README.md"] = readme(bundle, ordered, bindings, emitter, destination)
    return dict(sorted(files.items()))


def binding_paths(bundle: Bundle) -> dict[str, Binding]:
    """Return the bindings by path; two kinds of one name in a namespace are told apart."""
    paths: dict[str, Binding] = {}
    spaces: dict[str, list[Binding]] = {}
    for binding in bundle.bindings:
        spaces.setdefault(binding.namespace or "default", []).append(binding)
    for space, held in sorted(spaces.items()):
        names = file_names([("", one.kind, one.name, str(one.ref)) for one in held])
        paths |= {f"bindings/{space}/{name}.yaml": one for name, one in sorted(zip(names, held, strict=True), key=lambda pair: pair[0])}
    return paths
