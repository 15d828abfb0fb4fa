"""Why an object of the compiled set is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fourleaf.diag import nearest, show_path
from fourleaf.ir import Binding, Bundle, Chart, Object
from fourleaf.pipeline import Compilation

Part = Object | Chart | Binding


def named(made: Compilation, word: str) -> list[dict[str, Any]]:
    """Return, for each part of the set that a word names, why it is there.

    Args:
        word: `kind/name`, `kind/namespace/name`, or the name alone; kinds in any case, plural too; names with the hash of their
            content or without.
    """
    bundle = made.bundle
    return [_answer(made, bundle, part, path) for part, path in _parts(bundle) if _means(part, word)] if bundle else []


def close_to(made: Compilation, word: str) -> tuple[str, ...]:
    """Return the names of the parts that may be meant by a word."""
    return nearest(word, [_shown(part) for part, _ in _parts(made.bundle)]) if made.bundle else ()


def _parts(bundle: Bundle) -> Iterator[tuple[Part, str]]:
    """Yield everything that is written, with its path below the output folder."""
    from fourleaf.emit import binding_paths, folders

    for folder in folders(bundle):
        yield from ((made, f"{folder.name}/{name}.yaml") for name, made in folder.objects)
        yield from ((chart, f"{folder.name}/{name}/values.yaml") for name, _, chart in folder.charts)
    yield from ((binding, path) for path, binding in binding_paths(bundle).items())


def _kind(part: Part) -> str:
    return "Chart" if isinstance(part, Chart) else part.kind


def _name(part: Part) -> str:
    return part.release if isinstance(part, Chart) else part.name


def _shown(part: Part) -> str:
    return "/".join(word for word in (_kind(part).lower(), part.namespace, _name(part)) if word)


def _means(part: Part, word: str) -> bool:
    kind, slash, rest = word.lower().partition("/")
    if not slash:
        kind, rest = "", kind
    kinds = ("", _kind(part).lower(), _kind(part).lower() + "s")
    return kind in kinds and any(rest in (name, f"{part.namespace}/{name}".lower()) for name in _names(part))


def _names(part: Part) -> Iterator[str]:
    """Yield what a part is called, in lower case; where a hash of its content ends that, also without it."""
    yield _name(part).lower()
    if isinstance(part, Object) and part.hashed:
        yield part.name.rpartition("-")[0].lower()


def _answer(made: Compilation, bundle: Bundle, part: Part, path: str) -> dict[str, Any]:
    span = made.span(part.origin.place)
    return {
        "object": _shown(part),
        "apiVersion": part.api_version if isinstance(part, Object) else "",
        "because": part.origin.rule,
        "place": show_path(part.origin.place),
        "file": span.file if span else "",
        "line": span.line if span else 0,
        "by": "fourleaf" if isinstance(part, Binding) else part.by or "fourleaf",
        "refersTo": sorted(str(to) for who, to in bundle.edges if who == part.ref),
        "referredBy": sorted(str(who) for who, to in bundle.edges if to == part.ref),
        "path": path if path in made.files else next((other for other in made.files if other.endswith(f"/{_name(part)}.yaml")), ""),
    }


def as_text(answer: dict[str, Any]) -> str:
    """Return one answer as people read it."""
    lines = [f"{answer['object']}"]
    if answer["because"]:
        lines.append(f"  because   {answer['because']}")
    lines.append(f"  asked at  {answer['file']}:{answer['line']} ({answer['place']})")
    lines.append(f"  made by   {answer['by']}")
    if answer["path"]:
        lines.append(f"  written   {answer['path']}")
    for word, key in (("needs", "refersTo"), ("needed by", "referredBy")):
        lines += [f"  {word:9} {ref}" for ref in answer[key]]
    return "\n".join(lines)
