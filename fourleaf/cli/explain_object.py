"""Why an object of the compiled set is there."""

from __future__ import annotations

import json

import click

from fourleaf.cli.output import say
from fourleaf.diag import show_path
from fourleaf.ir import Bundle, Chart, Object
from fourleaf.pipeline import Compilation


def of_object(made: Compilation, word: str, form: str) -> int:
    """Print why an object is there; return the exit code."""
    if made.bundle is None:
        say(made.diagnostics, made.sources)
        return 1
    parts: list[Object | Chart] = [*made.bundle.objects, *made.bundle.charts]
    named = [part for part in parts if _means(part, word)]
    if not named:
        from fourleaf.diag import nearest

        close = nearest(word, [_shown(part) for part in parts])
        click.echo(f"the set has no {word}." + (f" Did you mean {' or '.join(close)}?" if close else ""), err=True)
        return 1
    answers = [_answer(made, made.bundle, part) for part in named]
    if form == "json":
        click.echo(json.dumps({"objects": answers}, indent=2, ensure_ascii=False))
    else:
        click.echo("\n\n".join(_text(answer) for answer in answers))
    return 0


def _kind(part: Object | Chart) -> str:
    return part.kind if isinstance(part, Object) else "Chart"


def _name(part: Object | Chart) -> str:
    return part.name if isinstance(part, Object) else part.release


def _shown(part: Object | Chart) -> str:
    return "/".join(word for word in (_kind(part).lower(), part.namespace, _name(part)) if word)


def _means(part: Object | Chart, word: str) -> bool:
    """Tell whether a word names a part: `kind/name`, `kind/namespace/name`, or the name alone; kinds in any case, plural too."""
    kind, slash, rest = word.lower().partition("/")
    if not slash:
        kind, rest = "", kind
    kinds = ("", _kind(part).lower(), _kind(part).lower() + "s")
    return kind in kinds and rest in (_name(part).lower(), f"{part.namespace}/{_name(part)}".lower())


def _answer(made: Compilation, bundle: Bundle, part: Object | Chart) -> dict[str, object]:
    span = made.span(part.origin.place)
    return {
        "object": _shown(part),
        "apiVersion": part.api_version if isinstance(part, Object) else "",
        "because": part.origin.rule,
        "place": show_path(part.origin.place),
        "file": span.file if span else "",
        "line": span.line if span else 0,
        "by": part.by or "fourleaf",
        "refersTo": sorted(str(to) for who, to in bundle.edges if who == part.ref),
        "referredBy": sorted(str(who) for who, to in bundle.edges if to == part.ref),
        "path": next((path for path in made.files if path.endswith(f"/{_path_tail(part)}")), ""),
    }


def _path_tail(part: Object | Chart) -> str:
    return f"{_kind(part).lower()}-{_name(part)}.yaml" if isinstance(part, Object) else f"{part.release}/values.yaml"


def _text(answer: dict[str, object]) -> str:
    lines = [f"{answer['object']}"]
    lines.append(f"  because   {answer['because']}")
    lines.append(f"  asked at  {answer['file']}:{answer['line']} ({answer['place']})")
    lines.append(f"  made by   {answer['by']}")
    if answer["path"]:
        lines.append(f"  written   {answer['path']}")
    for word, key in (("needs", "refersTo"), ("needed by", "referredBy")):
        lines += [f"  {word:9} {ref}" for ref in answer[key]]  # type: ignore[attr-defined]
    return "\n".join(lines)
