"""A spec that was read: its typed form, what is wrong with it, and where everything in it stands, in whichever file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from fourleaf.diag import Diagnostic, Path, Span
from fourleaf.diag.allow import Allowance
from fourleaf.spec.located import Located

if TYPE_CHECKING:
    from fourleaf.spec.layouts import LayoutsFile
    from fourleaf.spec.models import Spec


class Part(Struct, frozen=True):
    """A list of the spec that continues in another file."""

    list: Path
    """("spec", "tenants") or ("spec", "workloads")."""
    start: int
    """Index of its first item in the merged list."""
    document: Located


class Present(Struct, frozen=True):
    """A file with the layouts that nodes have now."""

    file: LayoutsFile
    document: Located


class Loaded(Struct, frozen=True, kw_only=True):
    """A spec with its included files merged: items of tenants and workloads are counted through all files."""

    spec: Spec | None
    """None where there is an error."""
    diagnostics: tuple[Diagnostic, ...]
    """With spans, in order."""
    document: Located
    """The spec's own file; its value is None where the text is not YAML."""
    parts: tuple[Part, ...] = ()
    sources: Mapping[str, str] = {}
    """Text by name of file, for excerpts."""
    layouts: Mapping[str, Present] = {}
    """Files with present layouts, by their normal path relative to the spec."""
    written: bool = True
    """It has a text; what came as data has places and no spans."""

    def span(self, path: Path, on_key: bool = False) -> Span:
        """Return where the value at `path` stands, or its key; as `Located.span`, in whichever file it is."""
        document, path = self._find(path)
        return document.span(path, on_key)

    def source(self, path: Path) -> str:
        """Return the text of a value as it is written; "" where it is not there or takes more than one line."""
        document, path = self._find(path)
        return document.source(path)

    def named(self, path: Path) -> tuple[str, ...]:
        """Return a path below `spec` as people write it: items of lists by name where they have one, else by index."""
        document, inner = self._find(path)
        value, parts = document.value, []
        for part, shown in zip(inner, path, strict=True):
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                value = None
            name = value.get("name") if isinstance(part, int) and isinstance(value, dict) else None
            parts.append(name if isinstance(name, str) else str(shown))
        return tuple(parts[1:] if parts[:1] == ["spec"] else parts)

    def allowances(self) -> tuple[Allowance, ...]:
        """Return what `policy.allow` accepts."""
        entries = self.spec.spec.policy.allow if self.spec else ()
        return tuple(
            Allowance(code=entry.code, at=entry.at, place=("spec", "policy", "allow", index)) for index, entry in enumerate(entries)
        )

    def _find(self, path: Path) -> tuple[Located, Path]:
        """Return the document that holds a path, and the path in it."""
        for part in reversed(self.parts):
            match path[2:]:
                case (int(index), *rest) if path[:2] == part.list and index >= part.start:
                    return part.document, (*part.list, index - part.start, *rest)
        return self.document, path
