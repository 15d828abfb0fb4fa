"""The folders of a set, in the order of application: each can be applied by itself, in one go, after those before it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from fourleaf.ir import Bundle, Chart, Object, Ref

NAMESPACES, CONFIG, CHARTS = 0, 1, 2
_WORDS = {NAMESPACES: "namespaces", CONFIG: "config", CHARTS: "charts"}
_LONGEST = 200
"""Characters of a file's name before its ending; what writes beside it adds some, and file systems end at 255 bytes."""


class Folder(Struct, frozen=True, kw_only=True):
    """Objects, or charts, that can be applied together."""

    name: str
    """`20-config`."""
    number: int
    objects: tuple[tuple[str, Object], ...] = ()
    """(file name without ending, object), what is referred to first."""
    charts: tuple[tuple[str, int, Chart], ...] = ()
    """(folder name, how many charts in a row stand below it, chart), what is needed first."""
    after_charts: bool = False
    """Its objects may be of kinds that charts before it define."""


def folders(bundle: Bundle) -> tuple[Folder, ...]:
    """Put a bundle in folders; those without content are left out.

    Namespaces, then the objects that need no chart, then charts, then level by level what needs what charts bring: of two
    custom resources the one that is referred to must be there when a webhook looks at the other.

    Raises:
        AssertionError: parts refer to each other in a circle: an error of ours.
    """
    parts = _parts(bundle)
    needs = _needs(bundle, parts)
    custom = {who for who, to in bundle.edges if to.kind == "Definition"}
    stage: dict[Ref, int] = {}
    depth: dict[Ref, int] = {}
    for ref in _rising(needs):
        below = needs[ref]
        depth[ref] = 1 + max((depth[to] for to in below), default=-1)
        stage[ref] = _stage(parts[ref], ref in custom, [(stage[to], isinstance(parts[to], Chart), to in custom) for to in below])
    groups: defaultdict[tuple[int, bool], list[Ref]] = defaultdict(list)
    for ref, part in parts.items():
        groups[stage[ref], isinstance(part, Chart)].append(ref)
    numbers = {group: 10 * (place + 1) for place, group in enumerate(_all_groups(groups))}
    digits = len(str(max(numbers.values())))
    made = []
    for group in sorted(groups):
        refs = sorted(groups[group], key=lambda ref: (depth[ref], ref.kind.lower(), ref.name, ref.namespace, ref.kind))
        word = _WORDS.get(group[0]) or ("charts" if group[1] else "resources")
        made.append(_folder(f"{numbers[group]:0{digits}}-{word}", numbers[group], group, refs, parts, needs))
    return tuple(made)


def rising(bundle: Bundle) -> tuple[tuple[Object | Chart, tuple[Ref, ...]], ...]:
    """Return each part after all that it waits for, with those: of a part of a bundle, the ones that are in it.

    Raises:
        AssertionError: parts refer to each other in a circle: an error of ours.
    """
    parts = _parts(bundle)
    needs = _needs(bundle, parts)
    return tuple((parts[ref], tuple(needs[ref])) for ref in _rising(needs))


def _parts(bundle: Bundle) -> dict[Ref, Object | Chart]:
    parts: dict[Ref, Object | Chart] = {made.ref: made for made in bundle.objects}
    parts |= {chart.ref: chart for chart in bundle.charts}
    if len(parts) < len(bundle.objects) + len(bundle.charts):
        raise AssertionError("two parts of the bundle are one object")
    return parts


def _all_groups(groups: Iterable[tuple[int, bool]]) -> list[tuple[int, bool]]:
    """Return the groups in order, with the first three whether there is something in them or not: their numbers stay."""
    return sorted({(NAMESPACES, False), (CONFIG, False), (CHARTS, True), *groups})


def _needs(bundle: Bundle, parts: dict[Ref, Object | Chart]) -> dict[Ref, list[Ref]]:
    """Return what each part waits for: parts that it refers to, and the charts that bring what it refers to."""
    brought = {item.ref: chart.ref for chart in reversed(bundle.charts) for item in chart.provides}
    needs: dict[Ref, dict[Ref, None]] = {ref: {} for ref in parts}
    for who, to in bundle.edges:
        part = parts.get(who)
        # What a namespace refers to (its queue, by a label) is looked up when pods come, and lives in namespaces itself.
        if part is None or (isinstance(part, Object) and who.kind == "Namespace"):
            continue
        found = to if to in parts else brought.get(to) or brought.get(Ref(to.kind, to.name))
        if found is not None and found != who:
            needs[who][found] = None
    return {ref: list(below) for ref, below in needs.items()}


def _rising(needs: dict[Ref, list[Ref]]) -> list[Ref]:
    """Return the parts so that each stands after all that it needs."""
    waiting = {ref: len(below) for ref, below in needs.items()}
    above: defaultdict[Ref, list[Ref]] = defaultdict(list)
    for ref, below in needs.items():
        for to in below:
            above[to].append(ref)
    order = [ref for ref, count in waiting.items() if not count]
    for ref in order:  # grows while it is walked
        for one in above[ref]:
            waiting[one] -= 1
            if not waiting[one]:
                order.append(one)
    if len(order) < len(needs):
        raise AssertionError(f"parts refer to each other in a circle: {' -> '.join(map(str, _circle(needs, set(order))))}")
    return order


def _circle(needs: dict[Ref, list[Ref]], free: set[Ref]) -> list[Ref]:
    walk = [min(ref for ref in needs if ref not in free)]
    while walk.count(walk[-1]) < 2:
        walk.append(min(to for to in needs[walk[-1]] if to not in free))
    return walk[walk.index(walk[-1]) :]


def _stage(part: Object | Chart, custom: bool, below: Sequence[tuple[int, bool, bool]]) -> int:
    """Return the stage of a part from the (stage, is a chart, is a custom resource) of all that it needs."""
    if isinstance(part, Chart):
        return max([CHARTS, *(stage + (not chart and stage > CHARTS) for stage, chart, _ in below)])
    if part.kind == "Namespace":
        return NAMESPACES
    levels = [max(stage, CHARTS) + 1 for stage, _, other in below if stage >= CHARTS or (custom and other)]
    return max([CONFIG, *levels])


def _folder(
    name: str, number: int, group: tuple[int, bool], refs: Sequence[Ref], parts: dict[Ref, Object | Chart], needs: dict[Ref, list[Ref]]
) -> Folder:
    kinds = ["" if group[1] else ref.kind.partition(".")[0] for ref in refs]
    names = file_names([(kind, ref.namespace, ref.name, str(ref)) for kind, ref in zip(kinds, refs, strict=True)])
    objects: list[tuple[str, Object]] = []
    charts: list[tuple[str, int, Chart]] = []
    row: dict[Ref, int] = {}
    for ref, file in zip(refs, names, strict=True):
        part = parts[ref]
        if isinstance(part, Object):
            objects.append((file, part))
        else:
            row[ref] = 1 + max((row[to] for to in needs[ref] if to in row), default=-1)
            charts.append((file, row[ref], part))
    return Folder(name=name, number=number, objects=tuple(objects), charts=tuple(charts), after_charts=group[0] > CHARTS)


def file_names(parts: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """Return a name for each (kind, namespace, name, what it is in full): `kind-name`, with its namespace where two would be one."""
    names = [_safe(kind, name) for kind, _, name, _ in parts]
    twice = _repeated(names)
    names = [_safe(kind, space, name) if old in twice else old for old, (kind, space, name, _) in zip(names, parts, strict=True)]
    twice = _repeated(names)
    return [_short(name, full, name in twice) for name, (_, _, _, full) in zip(names, parts, strict=True)]


def _short(name: str, full: str, shared: bool) -> str:
    if not shared and len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def _repeated(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _safe(*words: str) -> str:
    """Join words into a name that any file system and shell takes."""
    return re.sub(r"[^a-z0-9.-]+", "-", "-".join(word for word in words if word).lower()).strip("-.") or "unnamed"
